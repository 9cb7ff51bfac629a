"""A study in plain words: what was run, what it shows, and what it does not."""

from inforest_study import published, suite
from inforest_study.analysis import FOCUS, TASKS, Analysis, paper_methods, real
from inforest_study.dataset import Task
from inforest_study.panel import Panel
from inforest_study.summary.comparisons import compare, differences
from inforest_study.summary.ranks import mean_ranks
from inforest_study.summary.recovery import on_all_designs
from inforest_study.tables.words import names


def findings(analysis: Analysis) -> list[tuple[str, str]]:
    """Sum a study up.

    Parameters
    ----------
    analysis : Analysis
        Of a study that may be empty or partial.

    Returns
    -------
    said : list of (str, str)
        A question and its answer: what was run, what it shows, what it does not show.

    Examples
    --------
    >>> from inforest_study.analysis import Analysis
    >>> from inforest_study.findings import findings
    >>> from inforest_study.study import Study
    >>> findings(Analysis(Study()))[0]
    ('What was run', 'Nothing yet: there are no results here.')

    """
    return [
        ("What was run", _what_was_run(analysis)),
        ("What it shows", _what_it_shows(analysis)),
        ("What it does not show", _what_it_does_not(analysis)),
    ]


def _what_was_run(analysis: Analysis) -> str:
    study = analysis.study
    if study.is_empty:
        return "Nothing yet: there are no results here."
    said = [_share_of_the_grid(analysis)] if analysis.panels else []
    for task, panel in analysis.wide_panels.items():
        n_seeds = panel.scores["seed"].nunique()
        n_folds = panel.scores["fold"].nunique()
        said.append(
            f"{len(panel.methods)} methods ranked the features of {len(panel.datasets)} of the"
            f" paper's {len(real(task))} {task} data sets ({_n(n_seeds, 'seed')}, {n_folds} folds)."
        )
    if said:
        said.append(
            "The best k features of each ranking were given to three simple learners, whose"
            " scores on held-out rows compare the rankings."
        )
    if len(analysis.found):
        n = analysis.found[["dataset", "method", "config", "seed", "fold"]].drop_duplicates()
        designs = analysis.found["dataset"].nunique()
        said.append(f"{len(n):,} rankings of {designs} synthetic designs show what was found.")
    if len(analysis.shares):
        said.append(
            f"{len(analysis.sampling_fits):,} models of {analysis.shares['dataset'].nunique()}"
            " sparse designs show what trees split on."
        )
    if len(analysis.ablation_fits):
        said.append(f"{len(analysis.ablation_fits):,} fits show what each idea costs.")
    others = sum(len(panel.datasets) for panel in analysis.other_panels.values())
    if others:
        said.append(f"{_n(others, 'data set')} that the paper does not have were scored as well.")
    runs = study.runs
    if len(runs):
        lost = runs["status"].value_counts()
        parts = [f"{lost[s]:,} {s}" for s in ("over-budget", "failed", "skipped") if s in lost]
        said.append(
            f"Of {len(runs):,} steps {lost.get('done', 0):,} are done"
            + (f", {names(parts)}." if parts else ".")
        )
    revisions = sorted(study.rankings["engine_revision"].dropna().unique())
    if said and revisions:
        made_by = names([f"revision {number}" for number in revisions])
        said.append(f"Rankings of our own methods are by {made_by} of the engine.")
    return " ".join(said) or "There are rankings, but nothing that was compared."


def _share_of_the_grid(analysis: Analysis) -> str:
    """Tell on how much of the paper's grid of real data sets the page rests."""
    by = ["dataset", "method", "config", "seed", "fold"]
    planned = {
        (job.dataset, job.method, job.config, job.seed, job.fold)
        for job in suite.read("paper").jobs()
        if job.method in paper_methods(job.task)
    }
    done = set(analysis.scores[by].drop_duplicates().itertuples(index=False, name=None))
    seeds = {one[3] for one in planned & done}
    return (
        f"This page rests on {len(planned & done):,} of the {len(planned):,} fold jobs of the"
        f" paper's grid (its methods with all configurations, 31 real data sets, 5 seeds, 5"
        f" folds): {len(planned & done) / len(planned):.0%}, from {_n(len(seeds), 'seed')}."
    )


def _what_it_shows(analysis: Analysis) -> str:
    said = [_place(task, panel) for task, panel in analysis.panels.items()]
    said += [_ours(task, panel) for task, panel in analysis.wide_panels.items()]
    said.append(_corrected(analysis))
    means = analysis.recovery_means
    for task in TASKS:
        own = means[on_all_designs(means) & (means["task"] == task)] if len(means) else means
        if len(own) and FOCUS in set(own["method"]):
            value = own.set_index("method").loc[FOCUS, "mean"]
            place = own["mean"].rank(ascending=False)[own["method"] == FOCUS].iloc[0]
            theirs = published.table("recovery")
            theirs = theirs[(theirs["task"] == task) & (theirs["k"] == "mean")]
            paper = theirs.set_index("method").loc[FOCUS, "precision"]
            said.append(
                f"On synthetic {task} {value:.1%} of {FOCUS}'s first features are informative"
                f" (place {place:g} of {len(own)}; the paper: {paper:.1%})."
            )
    return " ".join(filter(None, said)) or "Nothing yet: no method was compared with another."


def _place(task: Task, panel: Panel) -> str:
    """Tell how CIF stands in both rankings."""
    ranks = mean_ranks(panel.cells).set_index("method")
    if FOCUS not in ranks.index or len(ranks) < 2:
        return ""
    own = ranks.loc[FOCUS]
    main = published.table("main").set_index(["task", "method"]).loc[(task, FOCUS)]
    return (
        f"In {task}, {FOCUS}'s mean rank is {own['mean_rank']:.2f}, place {own['position']:g} of"
        f" {len(ranks)} on {_n(own['n_datasets'], 'data set')}; the paper has"
        f" {main['mean_rank']:.2f}, place {main['position']:g} of {len(paper_methods(task))}. First"
        f" is {ranks.index[0]} with {ranks['mean_rank'].iloc[0]:.2f}."
    )


def _ours(task: Task, panel: Panel) -> str:
    """Tell how methods that the paper does not have stand."""
    ranks = mean_ranks(panel.cells).set_index("method")
    added = [method for method in ranks.index if method not in paper_methods(task)]
    if not added or len(ranks) < 2:
        return ""
    listed = [
        f"{method} is place {ranks.loc[method, 'position']:g} (rank"
        f" {ranks.loc[method, 'mean_rank']:.2f})"
        for method in added
    ]
    return f"Among all {len(ranks)} methods of {task}, {names(listed)}."


def _corrected(analysis: Analysis) -> str:
    """Tell how CIF does against ctree and cforest when these are read correctly."""
    said = []
    paper = published.table("cif_minus").set_index(["task", "comparator"])
    for task in analysis.panels:
        for method in ("ctree", "cforest"):
            panel = analysis.relatives[task, method]
            if FOCUS not in panel.methods:
                continue
            pairs = compare(differences(panel.cells, FOCUS)).set_index("comparator")
            if method in pairs.index:
                own, theirs = pairs.loc[method], paper.loc[(task, method)]
                said.append(
                    f"{own['wins']:g}–{own['losses']:g} against {method} in {task} (published:"
                    f" {theirs['wins']:g}–{theirs['losses']:g})"
                )
    if not said:
        return ""
    return (
        "With two errors in the published reading of R's output mended, data sets that"
        f" {FOCUS} won and lost are {names(said)}."
    )


def _what_it_does_not(analysis: Analysis) -> str:
    said = []
    for task in TASKS:
        panel = analysis.panels.get(task)
        if panel is None:
            said.append(f"There are no {task} scores on the paper's data sets.")
            continue
        absent = sorted(set(real(task)) - set(panel.compared))
        if absent:
            said.append(f"Not compared in {task}: {names(absent)}.")
    other = _on_other_data(analysis)
    if other:
        said.append(f"Results on {names(other)} are of data that differ from the study's copy.")
    once = [t for t, panel in analysis.panels.items() if panel.scores["seed"].nunique() == 1]
    if once:
        said.append(f"One seed in {names(once)} says nothing of how results vary with the seed.")
    if not len(analysis.found):
        said.append("Nothing is known of synthetic recovery.")
    if not len(analysis.shares):
        said.append("Nothing is known of feature sampling.")
    said.append(
        "Mean ranks depend on which methods and data sets take part, so small differences from the"
        " paper's mean little. The intervals are about other data sets, not about seeds. The"
        " paper's own numbers of CIT and CIF come from an unweighted split statistic that its text"
        " does not describe; ours come from the weighted one of the text."
    )
    return " ".join(dict.fromkeys(said))


def _on_other_data(analysis: Analysis) -> list[str]:
    """Return the data sets of which another copy than the study's was used."""
    runs = analysis.study.runs
    used, expected = runs["data_checksum"].fillna(""), runs["study_checksum"].fillna("")
    differs = (used != "") & (expected != "") & (used != expected)
    return sorted(runs.loc[differs, "dataset"].unique())


def _n(count: int, what: str) -> str:
    return f"{count:g} {what}{'' if count == 1 else 's'}"
