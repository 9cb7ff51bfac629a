"""ctree and cforest read correctly, next to what was published."""

from inforest_study import published
from inforest_study.analysis import FOCUS, TASKS, Analysis
from inforest_study.dataset import Task
from inforest_study.summary.comparisons import compare, differences
from inforest_study.summary.ranks import mean_ranks
from inforest_study.summary.recovery import on_all_designs
from inforest_study.table import Column, Table
from inforest_study.tables.words import names

#: The two errors, one sentence each.
EXPLANATION = (
    "The published ctree credits every split to the feature after the one that was split on and"
    " drops splits on the last feature, because R's variable numbers count the response as the"
    " first. The published cforest loses the names of the importances, which R returns only for"
    " features that some tree uses, so that positions in this shorter list pass for features."
)


def standings(analysis: Analysis) -> Table:
    """Give the standings of ctree and cforest, published and with the errors mended."""
    rows = []
    for task in TASKS:
        for method in ("ctree", "cforest"):
            ours = _ours(analysis, task, method)
            if ours:
                rows.append({"task": task, "method": method, **_published(task, method), **ours})
    columns = (
        Column("task", "task"),
        Column("method", "method"),
        Column("config", "configuration"),
        Column("paper_rank", "published rank", ".2f", "mean rank", "published"),
        Column("rank", "rank", ".2f", "mean rank in cells among the paper's methods", "ours"),
        Column("paper_place", "published place", "g", "", "published"),
        Column("place", "place", "g", "by mean rank", "ours"),
        Column("n_methods", "of", "g", "methods with all data sets that this one has", "ours"),
        Column("paper_difference", f"published {FOCUS} −", "+.4f", "mean difference", "published"),
        Column("difference", f"{FOCUS} minus it", "+.4f", "mean difference", "ours"),
        Column("paper_record", f"published {FOCUS} won–lost", "", "data sets", "published"),
        Column("record", f"{FOCUS} won–lost", "", "data sets", "ours"),
        Column("paper_top_1", "published top 1", ".3f", "synthetic designs", "published"),
        Column("top_1", "top 1", ".3f", "how often the first feature is informative", "ours"),
        Column("n_datasets", "data sets", "g", "with both methods", "ours"),
    )
    absent = [
        f"{method} in {task}"
        for task in TASKS
        for method in ("ctree", "cforest")
        if not any(row["task"] == task and row["method"] == method for row in rows)
    ]
    return Table(
        "corrected",
        "ctree and cforest, published and read correctly",
        columns,
        tuple(rows),
        note=(
            f"{EXPLANATION} Here importances are read by name and splits by the feature's own"
            " number; everything else is the paper's protocol, on the data sets that the"
            " method has here (the published numbers: 22 and 8 data sets, 17 and 18 methods)."
        ),
        missing=f"No results of {names(absent)}." if absent else "",
        source=(
            "scores: task == '{task}' and method in ['CIF', '{method}'];"
            " rankings: task == '{task}' and method == '{method}'"
        ),
    )


def _published(task: str, method: str) -> dict[str, object]:
    main = published.table("main").set_index(["task", "method"]).loc[(task, method)]
    minus = published.table("cif_minus").set_index(["task", "comparator"]).loc[(task, method)]
    found = published.table("recovery").set_index(["task", "method", "k"])["precision"]
    return {
        "paper_rank": main["mean_rank"],
        "paper_place": main["position"],
        "paper_difference": minus["mean_difference"],
        "paper_record": f"{minus['wins']:g}–{minus['losses']:g}",
        "paper_top_1": found[(task, method, "1")],
    }


def _ours(analysis: Analysis, task: Task, method: str) -> dict[str, object]:
    row: dict[str, object] = {}
    panel = analysis.relatives[task, method]
    if method in panel.methods:
        ranks = mean_ranks(panel.cells).set_index("method")
        row |= {"config": panel.config(method)}
        if method in ranks.index:
            row |= {
                "rank": ranks.loc[method, "mean_rank"],
                "place": ranks.loc[method, "position"],
                "n_methods": len(ranks),
            }
        if FOCUS in panel.methods:
            pairs = compare(differences(panel.cells, FOCUS)).set_index("comparator")
            if method in pairs.index:
                own = pairs.loc[method]
                row |= {
                    "difference": own["mean_difference"],
                    "record": f"{own['wins']:g}–{own['losses']:g}",
                    "n_datasets": own["n_datasets"],
                }
    means = analysis.recovery_means
    if len(means):
        own = means[on_all_designs(means)]
        own = own[(own["task"] == task) & (own["method"] == method)]
        if len(own):
            row |= {"top_1": own["top_1"].iloc[0]}
            row.setdefault("config", own["config"].iloc[0])
    return row
