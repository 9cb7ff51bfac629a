"""Synthetic designs: which methods find the informative features."""

import pandas as pd

from inforest_study import published
from inforest_study.analysis import TASKS, Analysis
from inforest_study.protocol import STANDARD_K
from inforest_study.summary.recovery import on_all_designs, recovery_by_design
from inforest_study.table import Column, Table
from inforest_study.tables.words import names

#: The designs' names here -> in the paper's archive.
_DESIGNS = {"easy": "standard_easy", "hard": "standard_hard", "weak": "weak_signal"}


def recovered(analysis: Analysis) -> list[Table]:
    """Give every method's precision at each k, and its first feature's."""
    if analysis.recovery_means.empty:
        return [_nothing("recovery")]
    tables = []
    keys = ["mean", "top_1", *(f"precision_at_{k}" for k in STANDARD_K)]
    titles = ["mean", "top 1", *(f"top {k}" for k in STANDARD_K)]
    for task in TASKS:
        own = analysis.recovery_means[analysis.recovery_means["task"] == task]
        if own.empty:
            continue
        table = own.merge(_paper(task), on="method", how="left")
        redundant = _true_or_redundant(analysis, task)
        table = table.merge(redundant, on="method", how="left")
        complete = on_all_designs(table)
        table["place"] = table["mean"].where(complete).rank(ascending=False)
        table["paper_place"] = table["method"].map(
            _paper(task).set_index("method")["paper_mean"].rank(ascending=False)
        )
        for key in ("top_1", "with_redundant"):
            table[f"place_{key}"] = table[key].where(complete).rank(ascending=False)
            theirs = _paper(task).set_index("method")[f"paper_{key}"].rank(ascending=False)
            table[f"paper_place_{key}"] = table["method"].map(theirs)
        table["change"] = (table["mean"] - table["paper_mean"]).where(complete)
        columns = [
            Column("method", "method"),
            Column("config", "configuration", "", "the one with the highest mean"),
            Column("place", "place", "g", "by the mean", "ours"),
            Column("paper_place", "paper's place", "g", "", "published"),
        ]
        for key, title in zip(keys, titles, strict=True):
            columns.append(Column(key, title, ".3f", "informative share of these", "ours"))
            columns.append(Column(f"paper_{key}", f"paper's {title}", ".3f", "", "published"))
            if key == "top_1":
                columns += _place("top_1", "place of top 1")
        columns += [
            Column("change", "change of mean", "+.3f", "ours minus the paper's", "difference"),
            Column(
                "with_redundant",
                "true or redundant",
                ".3f",
                "informative or redundant share on the redundant design, mean over k",
                "ours",
            ),
            Column("paper_with_redundant", "paper's", ".3f", "true or redundant", "published"),
            *_place("with_redundant", "its place"),
            Column("n_designs", "designs", "g", "", "ours"),
        ]
        found = analysis.recovered[analysis.recovered["task"] == task]
        designs = sorted(found["dataset"].unique())
        fits = found.groupby(["method", "dataset"])[["seed", "fold"]].apply(
            lambda one: len(one.drop_duplicates())
        )
        table = table.reindex(columns=[column.key for column in columns])
        tables.append(
            Table.from_frame(
                f"recovery-{task}",
                f"{task.capitalize()}: informative features among the first k",
                columns,
                table.sort_values(["place", "mean"], ascending=[True, False]),
                note=(
                    f"{len(designs)} of 8 designs, {_range(fits.min(), fits.max())} rankings of"
                    " each; the paper: 8 designs, 25 rankings. 'mean' is over k = 5, 10, 25, 50"
                    " and 100. With 5 or 10 informative features the share must fall as k grows."
                ),
                missing=_gaps(table, len(designs)),
                source=(
                    f"rankings: task == '{task}' and method == '{{method}}' and config =="
                    " '{config}' and dataset.str.startswith('synthetic-')"
                ),
            )
        )
    return tables


def by_design(analysis: Analysis) -> list[Table]:
    """Give every method's precision on each design."""
    if analysis.recovered.empty:
        return []
    means = recovery_by_design(analysis.recovered)
    archive = published.table("recovery_by_design")
    tables = []
    for task in TASKS:
        own = means[means["task"] == task]
        if own.empty:
            continue
        designs = [name.removeprefix(f"synthetic-{task}-") for name in own["dataset"]]
        own = own.assign(design=[_DESIGNS.get(design, design) for design in designs])
        theirs = archive[archive["task"] == task].rename(columns={"precision": "paper_precision"})
        table = own.merge(theirs, on=["task", "method", "design"], how="left")
        table["change"] = table["precision"] - table["paper_precision"]
        columns = [
            Column("dataset", "design"),
            Column("method", "method"),
            Column("config", "configuration"),
            Column("precision", "informative", ".3f", "mean over standard k", "ours"),
            Column("paper_precision", "paper's", ".3f", "", "published"),
            Column("change", "change", "+.3f", "ours minus the paper's", "difference"),
        ]
        tables.append(
            Table.from_frame(
                f"recovery-by-design-{task}",
                f"{task.capitalize()}: informative features, design by design",
                columns,
                table,
                note=f"{own['dataset'].nunique()} of 8 designs.",
                source=(
                    f"rankings: task == '{task}' and dataset == '{{dataset}}' and method =="
                    " '{method}' and config == '{config}'"
                ),
            )
        )
    return tables


def _place(key: str, title: str) -> list[Column]:
    """Return the columns of the places by one quantity, ours and the paper's."""
    return [
        Column(f"place_{key}", title, "g", "among those with all designs", "ours"),
        Column(f"paper_place_{key}", "paper's place", "g", "", "published"),
    ]


def _paper(task: str) -> pd.DataFrame:
    archive = published.table("recovery")
    wide = archive[archive["task"] == task].pivot(index="method", columns="k", values="precision")
    wide.columns = [
        {"mean": "paper_mean", "1": "paper_top_1"}.get(str(k), f"paper_precision_at_{k}")
        for k in wide.columns
    ]
    by_design = published.table("recovery_by_design")
    is_both = by_design["design"] == "redundant or informative"
    both = by_design[is_both & (by_design["task"] == task)]
    return wide.assign(paper_with_redundant=both.set_index("method")["precision"]).reset_index()


def _true_or_redundant(analysis: Analysis, task: str) -> pd.DataFrame:
    means = recovery_by_design(analysis.recovered)
    own = means[means["dataset"] == f"synthetic-{task}-redundant"]
    return own[["method", "with_redundant"]]


def _gaps(table: pd.DataFrame, n_designs: int) -> str:
    short = table[table["n_designs"] < n_designs]
    if short.empty:
        return "" if n_designs == 8 else f"{8 - n_designs} of the 8 designs were not run."
    listed = [f"{row.method} ({row.n_designs})" for row in short.itertuples()]
    return f"Not on all designs, so not comparable (in brackets, on how many): {names(listed)}."


def _range(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _nothing(key: str) -> Table:
    return Table(
        key,
        "Informative features among the first k",
        (Column("method", "method"),),
        (),
        missing="There are no rankings of the synthetic designs: `inforest bench run synthetic`.",
    )
