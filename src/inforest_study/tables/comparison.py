"""The main comparison: ranks, direct differences, breadth, and ranks by k."""

from collections.abc import Sequence

import pandas as pd

from inforest_study import published
from inforest_study.analysis import FOCUS, Analysis
from inforest_study.dataset import Task
from inforest_study.panel import Panel
from inforest_study.summary.comparisons import compare, differences
from inforest_study.summary.ranks import breadth, mean_ranks, ranks_by_k
from inforest_study.table import Column, Table
from inforest_study.tables.words import beside, counted, names, panel_source, published_columns

_RULES = (
    "Rank 1 is best. 'rank' is the mean over data sets of the mean rank in their (learner, k)"
    " cells, as the archived tables of the paper have it; 'rank of means' ranks the data sets'"
    " mean scores, as the paper's caption says."
)
_RANK = Column("mean_rank", "rank", ".2f", "mean rank in cells; 1 is best", "ours")
_OF_MEANS = Column("rank_of_means", "rank of means", ".2f", "mean rank of mean scores", "ours")


def main_comparison(analysis: Analysis) -> list[Table]:
    """Compare the paper's methods, with the paper's own ranks beside ours."""
    if not analysis.panels:
        missing = "There are no scores on the paper's data sets: `inforest bench run paper-lite`."
        columns = (Column("method", "method"),)
        return [Table("main", "Mean ranks of the paper's methods", columns, (), missing=missing)]
    return [_main(panel, task) for task, panel in analysis.panels.items()]


def with_ours(analysis: Analysis) -> list[Table]:
    """Compare all methods of the store, where there are more than the paper's."""
    return [
        _ranking(
            panel,
            f"main-all-{task}",
            f"{task.capitalize()}: the same with methods that the paper does not have",
        )
        for task, panel in analysis.wide_panels.items()
        if task not in analysis.panels or panel.methods != analysis.panels[task].methods
    ]


def other_data(analysis: Analysis) -> list[Table]:
    """Compare all methods on data sets that the paper does not have."""
    return [
        _ranking(panel, f"main-other-{task}", f"{task.capitalize()}: on other data sets")
        for task, panel in analysis.other_panels.items()
    ]


def _both_rules(panel: Panel) -> pd.DataFrame:
    """Return the mean ranks by both rules: our positions by each, and the mean score."""
    by_cell = mean_ranks(panel.cells)
    by_mean = mean_ranks(panel.cells, "dataset")[["method", "mean_rank", "position"]]
    by_mean = by_mean.rename(columns={"mean_rank": "rank_of_means", "position": "place_of_means"})
    table = by_cell.merge(by_mean, on="method")
    table["config"] = [panel.config(method) for method in table["method"]]
    return table


def _main(panel: Panel, task: Task) -> Table:
    table = _both_rules(panel)
    main = published.table("main")
    main = main[main["task"] == task]
    table = table.merge(
        main[["method", "mean_rank", "position"]].rename(columns=published_columns), how="left"
    )
    table["position_change"] = table["position"] - table["paper_position"]
    table = table.merge(_archived(panel), on="method", how="left")
    table["score_change"] = table["mean_score"] - table["paper_score"]
    n_paper = 22 if task == "classification" else 8
    columns = [
        Column("method", "method"),
        Column("config", "configuration"),
        _RANK,
        Column("position", "place", "g", "place by mean rank", "ours"),
        Column("paper_mean_rank", "paper's rank", ".2f", f"over {n_paper} data sets", "published"),
        Column("paper_position", "paper's place", "g", "place in the paper", "published"),
        Column("position_change", "change of place", "+g", "ours minus the paper's", "difference"),
        _OF_MEANS,
        Column(
            "paper_rank_of_means",
            "paper's, same data",
            ".2f",
            "the paper's archived mean scores of the same data sets, ranked the same way",
            "published",
        ),
        Column("mean_score", "score", ".3f", _metric(task), "ours"),
        Column("paper_score", "paper's, same data", ".3f", _metric(task), "published"),
        Column("score_change", "change of score", "+.3f", "ours minus the paper's", "difference"),
    ]
    return Table.from_frame(
        f"main-{task}",
        f"{task.capitalize()}: mean ranks of the paper's methods",
        columns,
        table,
        note=(
            f"{counted(panel.compared)} with {len(panel.methods)} methods; the paper has {n_paper}"
            f" with {len(main)}. {_RULES} The paper's ranks are over its own data sets; only the"
            " columns 'same data' are over ours, and over the data sets that its archive has."
            " Ranks among fewer methods are smaller."
        ),
        missing=_and_methods(panel, main["method"]),
        source=panel_source(panel),
    )


def _archived(panel: Panel) -> pd.DataFrame:
    """Rank the paper's archived mean scores on our data sets, among our methods."""
    scores = published.table("dataset_scores")
    scores = scores[
        (scores["task"] == panel.task)
        & scores["dataset"].isin(panel.compared)
        & scores["method"].isin(panel.methods)
    ]
    scores = scores.assign(rank=scores.groupby("dataset")["mean_score"].rank(ascending=False))
    by = scores.groupby("method")
    return by.agg(paper_rank_of_means=("rank", "mean"), paper_score=("mean_score", "mean"))


def _ranking(panel: Panel, key: str, title: str) -> Table:
    columns = [
        Column("method", "method"),
        Column("config", "configuration"),
        _RANK,
        Column("position", "place", "g", "place by mean rank", "ours"),
        _OF_MEANS,
        Column("place_of_means", "its place", "g", "place by mean rank of means", "ours"),
        Column("median_rank", "median rank", ".2f", "median over data sets", "ours"),
        Column("mean_score", "score", ".3f", _metric(panel.task), "ours"),
    ]
    return Table.from_frame(
        key,
        title,
        columns,
        _both_rules(panel),
        note=f"{counted(panel.compared)} with {len(panel.methods)} methods. {_RULES}",
        missing=panel.missing,
        source=panel_source(panel),
    )


def direct(analysis: Analysis) -> Table:
    """Subtract every other method's score from CIF's, wherever both ran."""
    parts = [compare(differences(panel.cells, FOCUS)) for panel in analysis.pairs.values()]
    table = pd.concat([pd.DataFrame(columns=_COMPARED), *parts])
    paper = published.table("cif_minus").rename(columns=published_columns)
    table = beside(table, paper, ["task", "comparator"])
    table["change"] = table["mean_difference"] - table["paper_mean_difference"]
    table["record"] = _record(table, "")
    table["paper_record"] = _record(table, "paper_")
    columns = [
        Column("task", "task"),
        Column("comparator", f"{FOCUS} minus"),
        Column("n_datasets", "data sets", "g", "data sets with both", "ours"),
        Column("mean_difference", "mean difference", "+.4f", "over data sets", "ours"),
        Column("record", "won–lost–tied", "", "data sets by the sign of the difference", "ours"),
        Column("paper_n_datasets", "paper's data sets", "g", "", "published"),
        Column("paper_mean_difference", "paper's difference", "+.4f", "", "published"),
        Column("paper_record", "paper's", "", "won–lost–tied in the paper", "published"),
        Column("change", "change", "+.4f", "ours minus the paper's difference", "difference"),
    ]
    return Table.from_frame(
        "direct",
        f"{FOCUS} against each other method",
        columns,
        table.sort_values(["task", "mean_difference"]),
        note=_pairs_note(analysis),
        missing=_nothing(table, analysis),
        source="scores: task == '{task}' and method in ['CIF', '{comparator}']",
    )


_COMPARED = ["task", "comparator", "n_datasets", "mean_difference", "wins", "losses", "ties"]


def _pairs_note(analysis: Analysis) -> str:
    said = [f"{counted(panel.datasets)} in {task}" for task, panel in analysis.wide_panels.items()]
    return (
        f"{' and '.join(said) or 'No data sets'}; each pair uses all data sets, folds and cells"
        " that both methods have, so that methods too slow for most data sets are here as well:"
        " look at their number."
        " The difference is that of balanced accuracy or of R², so above zero CIF is better."
        " R² has no lower end: one data set can make the regression's mean."
    )


def _record(table: pd.DataFrame, prefix: str) -> list[str]:
    columns = [f"{prefix}{name}" for name in ("wins", "losses", "ties")]
    return [
        "–".join(f"{n:g}" for n in row) if all(pd.notna(n) for n in row) else "–"
        for row in table[columns].itertuples(index=False)
    ]


def breadths(analysis: Analysis) -> Table:
    """Count the data sets on which CIF is among the better methods."""
    parts = [
        breadth(panel.cells, FOCUS) for panel in analysis.panels.values() if FOCUS in panel.methods
    ]
    table = pd.concat([pd.DataFrame(columns=["task", *_COUNTS]), *parts])
    table = table.assign(**{f"paper_{name}": table["task"].map(_PAPER[name]) for name in _COUNTS})
    for relative in _RELATIVES:
        won = {task: _won(analysis, task, relative) for task in table["task"]}
        table[f"against_{relative}"] = table["task"].map(won)
        table[f"paper_against_{relative}"] = table["task"].map(_paper_won(relative))
    columns = [Column("task", "task")]
    titles = ("data sets", "top half", "top 3", "first")
    for name, title in zip(_COUNTS, titles, strict=True):
        columns.append(Column(name, title, "g", "", "ours"))
        columns.append(Column(f"paper_{name}", f"paper's {title}", "g", "", "published"))
    for name in _RELATIVES:
        meaning = "data sets won, of those with both"
        columns.append(Column(f"against_{name}", f"won against {name}", "", meaning, "ours"))
        columns.append(Column(f"paper_against_{name}", "paper's", "", "", "published"))
    return Table.from_frame(
        "breadth",
        f"On how many data sets {FOCUS} is among the best",
        columns,
        table,
        note=(
            f"{_compared(analysis)}. Places by mean cell rank among the paper's methods; the top"
            " half is place 9 or better of 17 or 18. The paper's counts follow from its archived"
            " places."
        ),
        missing=_nothing(table, analysis),
        source="scores: task == '{task}' and all configurations of the table of ranks",
    )


def _won(analysis: Analysis, task: Task, relative: str) -> str:
    """Say on how many data sets CIF is better than another method, of those with both."""
    pair = analysis.pairs.get((task, relative))
    if pair is None:
        return "–"
    row = compare(differences(pair.cells, FOCUS)).iloc[0]
    return f"{row['wins']} of {row['n_datasets']}"


def _paper_won(relative: str) -> dict[str, str]:
    paper = published.table("cif_minus")
    own = paper[paper["comparator"] == relative]
    return {row.task: f"{row.wins:g} of {row.n_datasets:g}" for row in own.itertuples()}


def _compared(analysis: Analysis) -> str:
    said = [f"{counted(panel.compared)} in {task}" for task, panel in analysis.panels.items()]
    return " and ".join(said) or "No data sets"


_COUNTS = ("n_datasets", "top_half", "top_3", "first")
#: The trees and forests of its kind that the paper counts its wins against.
_RELATIVES = ("ctree", "cforest", "CIT", "DT", "RT")


def _paper_breadth() -> dict[str, dict[str, int]]:
    places = published.table("cif_positions")
    by = places.assign(
        n_datasets=1,
        top_half=places["position"] <= 9,
        top_3=places["position"] <= 3,
        first=places["position"] == 1,
    ).groupby("task")
    return {name: by[name].sum().to_dict() for name in _COUNTS}


_PAPER = _paper_breadth()


def by_k(analysis: Analysis) -> list[Table]:
    """Give every method's mean rank at every k."""
    tables = []
    for task, panel in analysis.panels.items():
        ranks = ranks_by_k(panel.cells)
        paper = published.table("ranks_by_k")
        paper = paper[paper["task"] == task]
        wide = ranks.pivot(index="method", columns="k", values="mean_rank")
        wide = wide.loc[wide.mean(axis=1).sort_values(kind="stable").index]
        theirs = paper.pivot(index="method", columns="k", values="mean_rank")
        rows = []
        for method in wide.index:
            row = {"method": method, "config": panel.config(method)}
            for k in wide.columns:
                row[f"k{k}"] = wide.loc[method, k]
                row[f"paper_k{k}"] = theirs[k].get(method) if k in theirs else None
            rows.append(row)
        columns = [Column("method", "method")]
        for k in wide.columns:
            columns.append(Column(f"k{k}", f"k = {k}", ".2f", "mean rank", "ours"))
            columns.append(Column(f"paper_k{k}", f"paper's {k}", ".2f", "", "published"))
        tables.append(
            Table(
                f"by-k-{task}",
                f"{task.capitalize()}: mean rank by number of features",
                tuple(columns),
                tuple(rows),
                note=(
                    f"{counted(panel.compared)}, of which those with k or more features count;"
                    " mean over learners, then data sets. The paper's figure has the data sets"
                    " that its archive has all methods for."
                ),
                missing=panel.missing,
                source=panel_source(panel),
            )
        )
    return tables


def dataset_scores(analysis: Analysis) -> list[Table]:
    """List each method's mean score on each data set, next to the archived one."""
    archive = published.table("dataset_scores").rename(columns={"mean_score": "paper_score"})
    tables = []
    for task, panel in analysis.wide_panels.items():
        by = panel.cells.groupby(["task", "dataset", "method", "config"], observed=True)
        table = by.agg(score=("value", "mean"), n_cells=("value", "size"), n_scores=("n", "sum"))
        table = beside(table.reset_index(), archive, ["task", "dataset", "method"])
        table["change"] = table["score"] - table["paper_score"]
        columns = [
            Column("dataset", "data set"),
            Column("method", "method"),
            Column("config", "configuration"),
            Column("score", "score", ".4f", _metric(task), "ours"),
            Column("paper_score", "paper's", ".3f", "archived", "published"),
            Column("change", "change", "+.3f", "ours minus the paper's", "difference"),
            Column("n_cells", "cells", "g", "learners times k"),
            Column("n_scores", "scores", "g", "cells times seeds and folds"),
        ]
        tables.append(
            Table.from_frame(
                f"scores-{task}",
                f"{task.capitalize()}: mean score of each method on each data set",
                columns,
                table,
                note=f"{counted(panel.datasets)}; mean over learners and standard k.",
                missing=panel.missing,
                source=(
                    f"scores: task == '{task}' and dataset == '{{dataset}}' and method =="
                    " '{method}' and config == '{config}' and k in [5, 10, 25, 50, 100]"
                ),
            )
        )
    return tables


def _metric(task: str) -> str:
    metric = "balanced accuracy" if task == "classification" else "R²"
    return f"mean {metric} over data sets"


def _and_methods(panel: Panel, paper: Sequence[str]) -> str:
    absent = [method for method in paper if method not in panel.methods + list(panel.sparse)]
    said = f"No results of {names(absent)}. " if absent else ""
    return said + panel.missing


def _nothing(table: pd.DataFrame, analysis: Analysis) -> str:
    if not table.empty:
        return " ".join(
            f"No {task} results."
            for task in ("classification", "regression")
            if task not in analysis.panels
        )
    return f"There are no scores of {FOCUS} and of another method on the paper's data sets."
