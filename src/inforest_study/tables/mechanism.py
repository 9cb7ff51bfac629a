"""The feature-sampling study: what trees split on."""

import pandas as pd

from inforest_study import published
from inforest_study.analysis import Analysis
from inforest_study.table import Column, Table

_MISSING = "There are no fits of the feature-sampling designs: `inforest bench run mechanism`."


def split_shares(analysis: Analysis) -> list[Table]:
    """Give the informative share of splits and the noise features used, design by design."""
    shares = analysis.shares
    columns = [
        Column("task", "task"),
        Column("method", "method"),
        Column("config", "configuration"),
        Column("n_features", "features", "g"),
        Column("n_informative", "informative", "g"),
        Column("informative_share", "informative splits", ".3f", "share of all splits", "ours"),
        Column("paper_informative_share", "paper's", ".3f", "share of all splits", "published"),
        Column("share_change", "change", "+.3f", "ours minus the paper's", "difference"),
        Column(
            "noise_features",
            "noise used",
            ".1f",
            "distinct features: of one forest, of all single trees",
            "ours",
        ),
        Column("paper_noise_features", "paper's noise", ".1f", "", "published"),
        Column("splits_per_tree", "splits per tree", ".2f", "", "ours"),
        Column("paper_splits_per_tree", "paper's splits", ".2f", "", "published"),
        Column("n_fits", "fits", "g"),
    ]
    if shares.empty:
        empty = Table(
            "feature-sampling", "What trees split on", tuple(columns), (), missing=_MISSING
        )
        return [empty]
    table = _with_paper(shares)
    means = table.groupby(["task", "method", "config"], as_index=False).agg(
        n_designs=("dataset", "size"),
        **{column.key: (column.key, "mean") for column in columns[5:-1]},
    )
    n_designs = shares.groupby("task")["dataset"].nunique().to_dict()
    said = " and ".join(f"{n} of 12 designs in {task}" for task, n in n_designs.items())
    note = (
        f"{said}; splits pooled over fits with different seeds. Noise features are those of one"
        " forest (mean over fits), and of single trees those of all fits together. The paper pools"
        " 5 fits whose seeds follow each other: its forests share 996 of 1000 trees, so its noise"
        " features are those of about one forest, too."
    )
    return [
        Table.from_frame(
            "feature-sampling",
            "What trees split on, mean over designs",
            [
                *columns[:3],
                *columns[5:-1],
                Column("n_designs", "designs", "g"),
            ],
            means,
            note=note,
            missing=_gaps(shares),
            source=(
                "rankings: task == '{task}' and method == '{method}' and config == '{config}' and"
                " dataset.str.startswith('feature-sampling-')"
            ),
        ),
        Table.from_frame(
            "feature-sampling-by-design",
            "What trees split on, design by design",
            columns,
            table,
            note=note,
            source=(
                "rankings: dataset == '{dataset}' and method == '{method}' and config == '{config}'"
            ),
        ),
    ]


def _with_paper(shares: pd.DataFrame) -> pd.DataFrame:
    by = ["task", "method", "n_features", "n_informative"]
    paper = published.table("feature_sampling")
    paper = paper.rename(columns={c: f"paper_{c}" for c in paper.columns if c not in by})
    table = shares.merge(paper, on=by, how="left")
    return table.assign(share_change=table["informative_share"] - table["paper_informative_share"])


def _gaps(shares: pd.DataFrame) -> str:
    tasks = set(shares["task"])
    absent = [task for task in ("classification", "regression") if task not in tasks]
    counts = shares.groupby(["task", "method"])["dataset"].nunique()
    short = [f"{method} in {task} ({n})" for (task, method), n in counts.items() if n < 12]
    said = [f"No {task} fits." for task in absent]
    if short:
        said.append(f"Not on all 12 designs (in brackets, on how many): {', '.join(short)}.")
    return " ".join(said)
