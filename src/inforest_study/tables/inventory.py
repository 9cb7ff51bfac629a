"""What was run: coverage, what is missing and why, data sets, versions and machines."""

import pandas as pd

from inforest_study import datasets
from inforest_study.analysis import TASKS, Analysis
from inforest_study.study import Study
from inforest_study.summary.coverage import exclusions
from inforest_study.table import Column, Table


def coverage(study: Study) -> Table:
    """Count each method's steps by how they ended, with the time they took."""
    runs = study.runs
    by = runs.groupby(["task", "method", "step"], observed=True)
    table = by.agg(
        datasets=("dataset", "nunique"),
        configs=("config", "nunique"),
        jobs=("status", "size"),
        hours=("seconds", lambda seconds: seconds.sum() / 3600),
    )
    for status in ("done", "over-budget", "failed", "skipped"):
        counts = by["status"].agg(lambda found, status=status: int((found == status).sum()))
        table[status] = counts
    columns = [
        Column("task", "task"),
        Column("method", "method"),
        Column("step", "step"),
        Column("datasets", "data sets", "g"),
        Column("configs", "configurations", "g"),
        Column("jobs", "jobs", "g"),
        Column("done", "done", "g"),
        Column("over-budget", "over budget", "g"),
        Column("failed", "failed", "g"),
        Column("skipped", "skipped", "g"),
        Column("hours", "hours", ".2f", "wall-clock time of all together"),
    ]
    return Table.from_frame(
        "coverage",
        "What was run",
        columns,
        table.reset_index().reindex(columns=[column.key for column in columns]),
        note=f"{runs['dataset'].nunique()} data sets, generated ones included.",
        missing="" if len(runs) else "Nothing is known of how jobs ended.",
        source="runs: task == '{task}' and method == '{method}' and step == '{step}'",
    )


def excluded(study: Study) -> Table:
    """List the jobs without a result, and why there is none."""
    columns = [
        Column("task", "task"),
        Column("method", "method"),
        Column("config", "configuration"),
        Column("dataset", "data set"),
        Column("seeds", "seeds"),
        Column("jobs", "jobs", "g"),
        Column("reasons", "why"),
    ]
    runs = study.runs
    # A ranking without a result has no scores either: once is enough.
    ranks = runs[(runs["step"] == "rank") | (runs["status"] != "skipped")]
    table = exclusions(ranks) if (ranks["status"] != "done").any() else pd.DataFrame()
    return Table.from_frame(
        "exclusions",
        "What is missing, and why",
        columns,
        table.reindex(columns=[column.key for column in columns]),
        note=(
            f"{len(table)} combinations of method, configuration and data set have jobs without a"
            " result. The paper leaves out ctree and cforest on dexter and some seeds of ctree and"
            " CIT on gisette, isolet and orlraws10P."
        ),
        source="runs: status != 'done' and method == '{method}' and dataset == '{dataset}'",
    )


def real_data(analysis: Analysis) -> Table:
    """List the real data sets with their quirks, and whether there are scores."""
    rankings = set(analysis.study.rankings["dataset"])
    scored = set(analysis.scores["dataset"])
    present = [name for name in datasets.names() if name in rankings | scored]
    listed = [name for task in TASKS for name in datasets.names("real", task)]
    others = [
        name
        for name in present
        if name not in listed and datasets.info(name).group in ("bundled", "plugin", "variant")
    ]
    rows = []
    for name in [*listed, *others]:
        info = datasets.info(name)
        rows.append(
            {
                "dataset": name,
                "task": info.task,
                "n": info.n_samples,
                "p": info.n_features,
                "classes": info.n_classes,
                "scored": name in scored,
                "source": info.source,
                "quirks": " ".join(info.quirks),
            }
        )
    absent = [name for name in listed if name not in scored]
    columns = (
        Column("dataset", "data set"),
        Column("task", "task"),
        Column("n", "samples", ",d"),
        Column("p", "features", ",d"),
        Column("classes", "classes", "g"),
        Column("scored", "scores here"),
        Column("source", "source"),
        Column("quirks", "what to know"),
    )
    return Table(
        "data-real",
        "Real data sets",
        columns,
        tuple(rows),
        note=f"{len(listed) - len(absent)} of the paper's {len(listed)} data sets have scores.",
        missing=f"No scores on {', '.join(absent)}." if absent else "",
        source="scores: dataset == '{dataset}'",
    )


def designs(analysis: Analysis) -> Table:
    """List the generated data sets, and how many rankings of them there are."""
    counts = (
        analysis.study.rankings["dataset"].str.partition("@")[0].value_counts()
        if len(analysis.study.rankings)
        else pd.Series(dtype=int)
    )
    rows = []
    for group in ("synthetic", "feature-sampling", "ablation"):
        for name in datasets.names(group):
            info = datasets.info(name)
            if not info.source.startswith("generated"):
                continue
            recipe = info.source.removeprefix("generated: ").rpartition("; seed")[0]
            rows.append(
                {
                    "dataset": name,
                    "task": info.task,
                    "group": group,
                    "n": info.n_samples,
                    "p": info.n_features,
                    "rankings": int(counts.get(name, 0)),
                    "recipe": recipe,
                    "quirks": " ".join(info.quirks),
                }
            )
    columns = (
        Column("dataset", "design"),
        Column("task", "task"),
        Column("group", "study"),
        Column("n", "samples", ",d"),
        Column("p", "features", ",d"),
        Column("rankings", "rankings here", ",d"),
        Column("recipe", "recipe"),
        Column("quirks", "what to know"),
    )
    absent = sum(row["rankings"] == 0 for row in rows)
    return Table(
        "data-generated",
        "Generated data sets",
        columns,
        tuple(rows),
        note=f"{len(rows) - absent} of {len(rows)} designs have rankings.",
        missing=f"{absent} designs were not run." if absent else "",
        source="rankings: dataset == '{dataset}'",
    )


def revisions(study: Study) -> Table:
    """Count the rankings that each revision of our engine has made."""
    rankings = study.rankings[study.rankings["engine_revision"].notna()]
    by = rankings.groupby(["task", "method", "engine_revision"], observed=True)
    table = by.agg(datasets=("dataset", "nunique"), rankings=("dataset", "size"))
    columns = [
        Column("task", "task"),
        Column("method", "method"),
        Column("engine_revision", "revision", "g", "raised whenever our engine's results change"),
        Column("datasets", "data sets", "g"),
        Column("rankings", "rankings", ",d"),
    ]
    return Table.from_frame(
        "revisions",
        "Revisions of our engine",
        columns,
        table.reset_index().reindex(columns=[column.key for column in columns]),
        note=(
            f"On {rankings['dataset'].nunique()} data sets. Results from before revisions were"
            " recorded are of the first. Where a data set has results of several, comparisons take"
            " the newest. Of methods that are not ours, only"
            " rankings that our library has re-ranked depend on it, and are counted here."
        ),
        missing="" if len(rankings) else "No rankings are by our engine.",
        source=(
            "rankings: task == '{task}' and method == '{method}' and"
            " engine_revision == {engine_revision}"
        ),
    )


def software(study: Study) -> Table:
    """List the versions and machines that the results were made with."""
    rows = []
    for column in ("versions", "machine"):
        seen: dict[str, dict[str, int]] = {}
        for facts in study.runs[column]:
            for name, value in facts.items():
                counts = seen.setdefault(name, {})
                counts[value] = counts.get(value, 0) + 1
        rows += [
            {"what": column, "name": name, "value": value, "steps": n}
            for name, values in sorted(seen.items())
            for value, n in values.items()
        ]
    columns = (
        Column("what", "of"),
        Column("name", "name"),
        Column("value", "value"),
        Column("steps", "steps", ",d", "steps of jobs that recorded it"),
    )
    return Table(
        "software",
        "Versions and machines",
        columns,
        tuple(rows),
        note=f"As recorded with {study.runs['dataset'].nunique()} data sets' results.",
        missing="" if rows else "No versions are recorded.",
        source="runs: column {what}",
    )
