"""Many features: the k with the best score, and what taking all features changes."""

import pandas as pd

from inforest_study.summary.cells import CELL

#: Scores this close to the best count as the best.
_TOLERANCE = 1e-12
#: The largest of the standard values of k.
_BORDER = 100


def first_best_k(cells: pd.DataFrame) -> pd.DataFrame:
    """Find, for each data set and learner, the smallest k with the best score.

    Parameters
    ----------
    cells : DataFrame
        One method and config, all values of k; the largest k of a data set is all its features.

    Returns
    -------
    table : DataFrame
        Columns task, dataset, learner, first_best_k, n_features, fraction, where ("below 100",
        "100", "between", "all"), change (score with all features minus score at 100), and
        best_at_all. Data sets with at most 100 features are left out.

    """
    rows = []
    for (task, dataset, learner), curve in cells.groupby(CELL[:3], observed=True):
        score = curve.set_index("k")["value"].sort_index()
        n_features = int(score.index.max())
        if n_features <= _BORDER or _BORDER not in score.index:
            continue
        best = score.index[score >= score.max() - _TOLERANCE]
        first = int(best[0])
        rows.append(
            {
                "task": task,
                "dataset": dataset,
                "learner": learner,
                "first_best_k": first,
                "n_features": n_features,
                "fraction": first / n_features,
                "where": _where(first, n_features),
                "change": score[n_features] - score[_BORDER],
                "best_at_all": n_features in best,
            }
        )
    columns = [*CELL[:3], "first_best_k", "n_features", "fraction", "where", "change"]
    return pd.DataFrame(rows, columns=[*columns, "best_at_all"])


def high_p(cells: pd.DataFrame) -> pd.DataFrame:
    """Sum up `first_best_k` for each learner and for all of them."""
    found = first_best_k(cells)
    everything = found.assign(learner="all")
    by = pd.concat([everything, found]).groupby(["task", "learner"], observed=True)
    table = by.agg(
        cells=("change", "size"),
        below_100=("where", lambda where: int((where == "below 100").sum())),
        at_100=("where", lambda where: int((where == "100").sum())),
        between=("where", lambda where: int((where == "between").sum())),
        at_p=("where", lambda where: int((where == "all").sum())),
        mean_first_best_k=("first_best_k", "mean"),
        mean_fraction=("fraction", "mean"),
        change_mean=("change", "mean"),
        change_median=("change", "median"),
        best_at_p=("best_at_all", "sum"),
    )
    return table.reset_index()


def _where(k: int, n_features: int) -> str:
    if k == n_features:
        return "all"
    if k == _BORDER:
        return "100"
    return "below 100" if k < _BORDER else "between"
