"""Rankings for censored times: how well the best features predict who has the event first."""

import pandas as pd

from inforest_study.analysis import Analysis
from inforest_study.panel import one_protocol
from inforest_study.table import Column, Table


def concordances(analysis: Analysis) -> Table:
    """Give each method's mean concordance at each k, over the data sets that all have."""
    scores = analysis.study.scores
    scores = scores[scores["task"] == "survival"]
    columns = [Column("method", "method"), Column("config", "configuration")]
    title = "Censored times: concordance with the best k features"
    if scores.empty:
        return Table(
            "survival", title, tuple(columns), (),
            missing="There are no scores for censored times: inforest bench run survival.",
        )  # fmt: skip
    cells = _in_common(one_protocol(scores))
    means = cells.groupby(["method", "config", "k"])["value"].mean().unstack("k")
    ranks = cells.groupby(["dataset", "k", "learner"])["value"].rank(ascending=False)
    table = means.add_prefix("k").assign(
        mean=cells.groupby(["method", "config"])["value"].mean(),
        mean_rank=ranks.groupby([cells["method"], cells["config"]]).mean(),
    )
    columns += [Column(f"k{k}", f"k = {k}", ".3f", "mean concordance", "ours") for k in means]
    columns += [
        Column("mean", "mean", ".3f", "over data sets, learners and k", "ours"),
        Column("mean_rank", "mean rank", ".2f", "among these, of each data set, learner and k"),
    ]
    names = sorted(cells["dataset"].unique())
    return Table.from_frame(
        "survival",
        title,
        columns,
        table.sort_values("mean_rank").reset_index(),
        note=(
            f"Harrell's concordance of held-out rows of {len(names)} data sets"
            f" ({', '.join(names)}); 0.5 is a guess."
        ),
        source="scores: task == 'survival' and method == '{method}' and config == '{config}'",
    )


def _in_common(scores: pd.DataFrame) -> pd.DataFrame:
    """Return means over seeds and folds, where every method has them."""
    place = ["dataset", "seed", "fold", "k", "learner"]
    n_methods = scores[["method", "config"]].drop_duplicates().shape[0]
    complete = scores.groupby(place)["value"].transform("size") == n_methods
    return (
        scores[complete]
        .groupby(["dataset", "method", "config", "k", "learner"])["value"]
        .mean()
        .reset_index()
    )
