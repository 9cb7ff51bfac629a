"""Whether other data sets, learners, k, seeds or configurations would have said the same."""

import pandas as pd

from inforest_study import published
from inforest_study.analysis import FOCUS, Analysis
from inforest_study.protocol import STANDARD_K
from inforest_study.summary.agreement import friedman
from inforest_study.summary.cells import complete, dataset_means
from inforest_study.summary.comparisons import complete_case
from inforest_study.summary.high_p import high_p
from inforest_study.summary.leave_one_out import leave_one_dataset_out
from inforest_study.summary.ranks import learner_k, seed_sensitivity
from inforest_study.table import Column, Table
from inforest_study.tables.words import beside, counted, names, panel_source, published_columns

_NOTHING = "There is no data set with all methods in all standard cells."


def complete_cases(analysis: Analysis) -> Table:
    """Compare CIF with each method on the data sets that both have in full, with intervals."""
    parts = []
    for panel in analysis.pairs.values():
        if panel.complete:
            parts.append(complete_case(panel.cells, FOCUS, set(panel.complete)))
    keys = ["task", "comparator", "n_datasets", "mean_difference", "low", "high", "wins", "losses"]
    table = pd.concat([pd.DataFrame(columns=keys), *parts])
    paper = published.table("cif_minus")
    paper = paper[["task", "comparator", *(c for c in paper if c.startswith("complete_"))]]
    table = beside(table, paper, ["task", "comparator"])
    table["interval"] = _interval(table, "low", "high")
    table["paper_interval"] = _interval(table, "complete_low", "complete_high")
    table["change"] = table["mean_difference"] - table["complete_mean_difference"]
    columns = [
        Column("task", "task"),
        Column("comparator", f"{FOCUS} minus"),
        Column("n_datasets", "data sets", "g", "", "ours"),
        Column("mean_difference", "mean difference", "+.4f", "over data sets", "ours"),
        Column("interval", "95 % interval", "", "percentile bootstrap over data sets", "ours"),
        Column("wins", "won", "g", "", "ours"),
        Column("losses", "lost", "g", "", "ours"),
        Column("complete_n", "paper's data sets", "g", "", "published"),
        Column("complete_mean_difference", "paper's difference", "+.4f", "", "published"),
        Column("paper_interval", "paper's interval", "", "", "published"),
        Column("change", "change", "+.4f", "ours minus the paper's difference", "difference"),
    ]
    return Table.from_frame(
        "complete-case",
        f"{FOCUS} against each method where nothing is missing",
        columns,
        table.sort_values(["task", "mean_difference"]),
        note=(
            f"Pairs have {_range(table['n_datasets'])} data sets: those with scores of both in all"
            " standard (learner, k) cells; the paper has those complete for all its methods. 20,000"
            " bootstrap replicates of the data sets (seed 1718). The intervals say what other data"
            " sets of this kind might show; they say nothing of seeds and folds."
        ),
        missing="" if parts else _NOTHING,
        source="scores: task == '{task}' and method in ['CIF', '{comparator}']",
    )


def agreement(analysis: Analysis) -> Table:
    """Test whether data sets agree about the methods."""
    rows = []
    reasons = []
    for task, panel in analysis.panels.items():
        if len(panel.complete) < 2 or len(panel.methods) < 3:
            reasons.append(
                f"{task}: Friedman's test needs two complete data sets and three methods; there are"
                f" {len(panel.complete)} and {len(panel.methods)}."
            )
            continue
        common = complete(panel.cells)
        found = friedman(dataset_means(common[common["dataset"].isin(panel.complete)]))
        chi_square, p_value, w = published.FRIEDMAN[task]
        rows.append(
            {
                "task": task,
                **found._asdict(),
                "paper_chi_square": chi_square,
                "paper_p_value": p_value,
                "paper_w": w,
                "change": found.kendall_w - w,
            }
        )
    columns = (
        Column("task", "task"),
        Column("n_datasets", "data sets", "g", "", "ours"),
        Column("n_methods", "methods", "g", "", "ours"),
        Column("chi_square", "χ²", ".1f", "Friedman's test", "ours"),
        Column("p_value", "p", ".3g", "of no difference between methods", "ours"),
        Column("kendall_w", "Kendall's W", ".3f", "1: all data sets give one order", "ours"),
        Column("paper_chi_square", "paper's χ²", ".1f", "", "published"),
        Column("paper_p_value", "paper's p", ".3g", "", "published"),
        Column("paper_w", "paper's W", ".3f", "", "published"),
        Column("change", "change of W", "+.3f", "ours minus the paper's", "difference"),
    )
    if not analysis.panels:
        reasons.append("There are no scores on the paper's data sets.")
    return Table(
        "agreement",
        "Do data sets agree about the methods?",
        columns,
        tuple(rows),
        note=f"{_panels(analysis)} Ranks of the data sets' mean scores.",
        missing=" ".join(reasons),
        source="scores: task == '{task}', of the complete data sets",
    )


def left_out(analysis: Analysis) -> list[Table]:
    """Choose configurations on all data sets but one."""
    tables = []
    paper = published.table("lodo").rename(columns=published_columns)
    for task, panel in analysis.panels.items():
        grid = panel.grid[panel.grid["dataset"].isin(panel.complete)]
        table = leave_one_dataset_out(grid, panel.choice)
        table = beside(table, paper, ["task", "method"])
        table["change"] = table["mean_rank"] - table["paper_mean_rank"]
        table["config"] = [panel.config(method) for method in table["method"]]
        n_configs = panel.grid.groupby("method")["config"].nunique()
        missing = []
        if len(panel.complete) < 2:
            missing.append(f"It takes two complete data sets; there are {len(panel.complete)}.")
        elif n_configs.max() == 1:
            missing.append(
                "Every method was run with one configuration, so there was nothing to choose: these"
                " are ranks of mean scores."
            )
        columns = [
            Column("method", "method"),
            Column("mean_rank", "rank", ".2f", "on the data set left out", "ours"),
            Column("paper_mean_rank", "paper's rank", ".2f", "", "published"),
            Column("change", "change", "+.2f", "ours minus the paper's", "difference"),
            Column("mean_score", "score", ".3f", "on the data set left out", "ours"),
            Column("paper_mean_score", "paper's score", ".3f", "", "published"),
            Column("n_settings", "settings", "g", "different ones chosen", "ours"),
            Column("main_reselected", "main chosen", "g", "how often, of all data sets", "ours"),
            Column("n_datasets", "data sets", "g", "", "ours"),
        ]
        tables.append(
            Table.from_frame(
                f"lodo-{task}",
                f"{task.capitalize()}: configurations chosen on all data sets but one",
                columns,
                table,
                note=f"{counted(panel.complete)}; the paper has {_paper_n(task)}.",
                missing=" ".join(missing),
                source=panel_source(panel),
            )
        )
    return tables


def learners_and_k(analysis: Analysis) -> list[Table]:
    """Show how places depend on the learner and on k."""
    tables = []
    for task, panel in analysis.panels.items():
        cells = complete(panel.cells)
        learners = sorted(panel.cells["learner"].unique())
        columns = [Column("method", "method")]
        for place, name in enumerate(learners, start=1):
            key = f"paper_position_learner_{place}"
            columns.append(Column(name, name, ".1f", "mean place with this learner", "ours"))
            columns.append(Column(key, f"paper's {name}", ".1f", "mean place", "published"))
        columns += [
            Column("mean_position", "mean place", ".1f", "over learners and k", "ours"),
            Column("paper_mean_position", "paper's", ".1f", "mean place", "published"),
            Column("change", "change", "+.1f", "ours minus the paper's", "difference"),
            Column("mean_rank", "rank", ".1f", "mean rank", "ours"),
            Column("paper_mean_rank", "paper's rank", ".1f", "", "published"),
            Column("best", "best", "g", "best place", "ours"),
            Column("worst", "worst", "g", "worst place", "ours"),
            Column("top_3", "top 3", "g", "(learner, k) pairs among the first 3", "ours"),
            Column("paper_top_3", "paper's top 3", "g", "", "published"),
            Column("top_5", "top 5", "g", "(learner, k) pairs among the first 5", "ours"),
            Column("paper_top_5", "paper's top 5", "g", "", "published"),
        ]
        table = pd.DataFrame(columns=[column.key for column in columns])
        if not cells.empty:
            paper = published.table("learner_k").rename(columns=published_columns)
            table = beside(learner_k(cells), paper, ["task", "method"])
            table["change"] = table["mean_position"] - table["paper_mean_position"]
            table["config"] = [panel.config(method) for method in table["method"]]
        tables.append(
            Table.from_frame(
                f"learners-{task}",
                f"{task.capitalize()}: places by learner and k",
                columns,
                table.sort_values("mean_position"),
                note=(
                    f"At k = 5, 10, 25, 50 and 100 there are {_by_k(cells)} data sets with all"
                    f" methods; the paper has {published.DATASETS_BY_K[task]}. Within each"
                    " (learner, k), methods are ordered by their mean rank."
                ),
                missing="" if len(table) else _NOTHING,
                source=panel_source(panel),
            )
        )
    return tables


def seeds(analysis: Analysis) -> list[Table]:
    """Show how places depend on the seed."""
    tables = []
    paper = published.table("seeds").rename(columns=published_columns)
    for task, panel in analysis.panels.items():
        scores = panel.scores[panel.scores["k"].isin(STANDARD_K)]
        scores = scores[scores["dataset"].isin(panel.complete)]
        found = sorted(scores["seed"].unique())
        rows: list[dict[str, object]] = []
        if len(found) > 1:
            table = seed_sensitivity(scores)
            places = table.pivot(index="method", columns="seed", values="position")
            ranks = table.groupby("method")["mean_rank"].mean()
            theirs = paper[paper["task"] == task].set_index("method")
            for method in places.mean(axis=1).sort_values().index:
                row: dict[str, object] = {"method": method, "config": panel.config(method)}
                row |= {f"seed_{seed}": places.loc[method, seed] for seed in places}
                row |= {
                    "mean_position": places.loc[method].mean(),
                    "mean_rank": ranks[method],
                    **theirs.reindex([method]).iloc[0].drop("task").to_dict(),
                }
                rows.append(row)
        columns = [
            Column("method", "method"),
            *(Column(f"seed_{s}", f"seed {s}", "g", "place", "ours") for s in found),
            Column("mean_position", "mean place", ".1f", "over seeds", "ours"),
            Column("paper_mean_position", "paper's", ".1f", "mean place", "published"),
            Column("mean_rank", "rank", ".1f", "mean rank", "ours"),
            Column("paper_mean_rank", "paper's rank", ".1f", "", "published"),
        ]
        missing = ""
        if len(found) == 1:
            missing = f"Only seed {found[0]} was run, so nothing is known of other seeds."
        elif not rows:
            missing = _NOTHING
        tables.append(
            Table(
                f"seeds-{task}",
                f"{task.capitalize()}: places by seed",
                tuple(columns),
                tuple(rows),
                note=f"{counted(panel.complete)}; those with all methods at all seeds count.",
                missing=missing,
                source=panel_source(panel),
            )
        )
    return tables


def many_features(analysis: Analysis) -> Table:
    """Tell where CIF's scores peak on data with more than 100 features."""
    parts = [pd.DataFrame(columns=["task", "learner"])]
    counts = []
    for task, panel in analysis.panels.items():
        own = panel.all_cells[panel.all_cells["method"] == FOCUS]
        parts.append(high_p(own))
        large = own.loc[own["k"] > max(STANDARD_K), "dataset"].unique()
        counts.append(f"{counted(large)} in {task}")
    table = pd.concat(parts)
    paper = published.table("high_p").rename(
        columns=lambda name: name if name in ("task", "learner") else f"paper_{name}"
    )
    table = beside(table, paper, ["task", "learner"])
    numbers = [
        ("cells", "cells", "g", "data sets times learners"),
        ("below_100", "k < 100", "g", "first best k"),
        ("at_100", "k = 100", "g", "first best k"),
        ("between", "between", "g", "first best k above 100 and below p"),
        ("at_p", "k = p", "g", "first best k"),
        ("best_at_p", "p is best", "g", "no k is better than all features, or as good at most"),
        ("mean_first_best_k", "mean best k", ".1f", "mean of the first best k"),
        ("mean_fraction", "best k / p", ".2f", "mean of the first best k as a share of p"),
        ("change_mean", "mean change", "+.4f", "score with all features minus score at k = 100"),
        ("change_median", "median change", "+.4f", "the same, median"),
    ]
    columns = [Column("task", "task"), Column("learner", "learner")]
    for key, title, form, meaning in numbers:
        columns.append(Column(key, title, form, meaning, "ours"))
        columns.append(Column(f"paper_{key}", f"paper's {title}", form, "", "published"))
    table = table.reindex(columns=[column.key for column in columns])
    return Table.from_frame(
        "high-p",
        f"More than 100 features: where {FOCUS}'s scores peak",
        columns,
        table,
        note=(
            f"{names(counts) if counts else 'No data sets'} with more than 100 features; the paper"
            " has 15 and 6. 'First best k' is the smallest k with the best score."
        ),
        missing=""
        if len(table)
        else "There are no scores at k = 100 and k = p of data sets with more than 100 features.",
        source="scores: task == '{task}' and method == 'CIF', at every k",
    )


def _range(counts: pd.Series) -> str:
    """Say from what to what numbers reach."""
    if counts.empty:
        return "0"
    low, high = f"{counts.min():g}", f"{counts.max():g}"
    return low if low == high else f"{low} to {high}"


def _by_k(cells: pd.DataFrame) -> str:
    """Say how many data sets there are at each standard k."""
    found = cells.groupby("k")["dataset"].nunique()
    return ", ".join(f"{found.get(k, 0)}" for k in STANDARD_K)


def _interval(table: pd.DataFrame, low: str, high: str) -> list[str]:
    return [
        f"[{a:+.4f}, {b:+.4f}]" if pd.notna(a) else "–"
        for a, b in zip(table[low], table[high], strict=True)
    ]


def _paper_n(task: str) -> int:
    return len(published.COMPLETE_CASE[task])


def _panels(analysis: Analysis) -> str:
    """Say how the complete data sets differ from the paper's."""
    said = []
    for task, panel in analysis.panels.items():
        theirs = published.COMPLETE_CASE[task]
        without = sorted(set(theirs) - set(panel.complete))
        added = sorted(set(panel.complete) - set(theirs))
        words = f"{counted(panel.complete)} in {task} (the paper: {len(theirs)}"
        words += f"; without {names(without)}" if without else ""
        words += f"; with {names(added)}" if added else ""
        said.append(words + ")")
    return f"{'; '.join(said)}." if said else "No data sets."
