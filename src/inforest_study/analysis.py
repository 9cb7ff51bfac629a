"""`Analysis`: every summary of a study, computed once, for tables and figures alike."""

from functools import cache, cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from inforest_study import datasets, published
from inforest_study.dataset import Dataset, Task
from inforest_study.panel import Panel, make_panel, one_protocol
from inforest_study.protocol import STANDARD_K
from inforest_study.study import Study
from inforest_study.summary.feature_sampling import split_shares
from inforest_study.summary.recovery import recovery, recovery_means, select_by_recovery

TASKS: tuple[Task, ...] = ("classification", "regression")
#: The method that the study is about.
FOCUS = "CIF"
#: Facts about a fit, and what the ablations call them.
_FIT_FACTS = {
    "mean_max_depth": "depth",
    "features_used_per_tree": "features_used",
    "splits_per_tree": "splits",
    "draws_selector_per_tree": "draws_a",
    "draws_splitter_per_tree": "draws_b",
}
#: Methods of its kind; the slow ones have results on few data sets.
RELATIVES = ("ctree", "cforest", "CIT")


class Analysis:
    """A study and what follows from it.

    Parameters
    ----------
    study : Study
        The results.

    Attributes
    ----------
    study : Study
        The results.

    Examples
    --------
    >>> from inforest_study.analysis import Analysis
    >>> from inforest_study.study import Study
    >>> Analysis(Study()).tasks
    []

    """

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Scores of rankings on rows that they have not seen."""
        return self.study.scores[self.study.scores["fold"].notna()]

    @cached_property
    def tasks(self) -> list[Task]:
        """The tasks that have scores on the paper's data sets."""
        found = {(task, name) for task, name in _pairs(self.scores)}
        return [task for task in TASKS if any((task, name) in found for name in real(task))]

    @cached_property
    def panels(self) -> dict[Task, Panel]:
        """The paper's methods on the paper's data sets."""
        return self._panels(only_paper=True)

    @cached_property
    def wide_panels(self) -> dict[Task, Panel]:
        """All methods of the store on the paper's data sets."""
        return self._panels(only_paper=False)

    @cached_property
    def relatives(self) -> dict[tuple[Task, str], Panel]:
        """For each task and method of CIF's kind, the paper's methods on its data sets."""
        scores = self.scores
        return {
            (task, method): make_panel(scores, task, real(task), paper_methods(task), around=method)
            for task in TASKS
            for method in RELATIVES
        }

    @cached_property
    def pairs(self) -> dict[tuple[Task, str], Panel]:
        """CIF and one other method wherever both ran, by task and that method.

        A method that ran on few data sets is not left out here. CIF's configuration is the same
        in all pairs: the one that the panel of all methods has chosen.
        """
        made = {}
        for task, wide in self.wide_panels.items():
            if FOCUS not in wide.methods:
                continue
            scores = self.scores[self.scores["task"] == task]
            is_focus = scores["method"] == FOCUS
            focus = scores[is_focus & (scores["config"] == wide.config(FOCUS))]
            for method in sorted(scores.loc[~is_focus, "method"].unique()):
                both = pd.concat([focus, scores[scores["method"] == method]])
                panel = make_panel(both, task, real(task), around=method)
                if {FOCUS, method} <= set(panel.methods):
                    made[task, method] = panel
        return made

    def _panels(self, only_paper: bool) -> dict[Task, Panel]:
        made = {
            task: make_panel(
                self.scores, task, real(task), paper_methods(task) if only_paper else None
            )
            for task in self.tasks
        }
        return {task: panel for task, panel in made.items() if not panel.cells.empty}

    @cached_property
    def other_panels(self) -> dict[Task, Panel]:
        """All methods on data sets that the paper does not have, such as scikit-learn's."""
        made = {}
        for task in TASKS:
            own = self.scores[self.scores["task"] == task]
            others = set(own["dataset"]) - set(real(task))
            panel = make_panel(self.scores, task, others)
            if not panel.cells.empty:
                made[task] = panel
        return made

    @cached_property
    def found(self) -> pd.DataFrame:
        """Precision at every k of every ranking of the paper's synthetic designs."""
        of_designs = [name for task in TASKS for name in datasets.names("synthetic", task)]
        rankings = self.study.rankings
        rankings = rankings[rankings["dataset"].isin(of_designs) & rankings["fold"].notna()]
        rankings = one_protocol(rankings[~rankings["config"].str.contains("+", regex=False)])
        if rankings.empty:
            return pd.DataFrame()
        return recovery(rankings, {name: kinds(name) for name in rankings["dataset"].unique()})

    @cached_property
    def recovered(self) -> pd.DataFrame:
        """`found` for each method's config with the highest precision."""
        if self.found.empty:
            return self.found
        n_designs = self.found.groupby(["task", "method", "config"])["dataset"].transform("nunique")
        most = n_designs.groupby([self.found["task"], self.found["method"]]).transform("max")
        choice = select_by_recovery(self.found[n_designs == most]).rename("config").reset_index()
        return self.found.merge(choice, on=["task", "method", "config"])

    @cached_property
    def recovery_means(self) -> pd.DataFrame:
        """Precision at each k, averaged over designs."""
        return recovery_means(self.recovered) if not self.recovered.empty else pd.DataFrame()

    @cached_property
    def sampling_fits(self) -> pd.DataFrame:
        """Fits of the feature-sampling designs, of the largest forests of each method."""
        rankings = self.study.rankings
        own = rankings[
            rankings["dataset"].isin(datasets.names("feature-sampling"))
            & rankings["fold"].isna()
            & rankings["usage"].notna()
        ]
        own = one_protocol(own)
        own = own.assign(n_trees=[facts.get("n_trees", 1.0) for facts in own["facts"]])
        most = own.groupby(["task", "method"])["n_trees"].transform("max")
        return own[own["n_trees"] == most]

    @cached_property
    def shares(self) -> pd.DataFrame:
        """What the trees of the feature-sampling designs split on."""
        fits = self.sampling_fits
        if fits.empty:
            return pd.DataFrame()
        informative = {
            name: np.flatnonzero(kinds(name) == "informative") for name in fits["dataset"].unique()
        }
        return split_shares(fits, informative)

    @cached_property
    def ablation_fits(self) -> pd.DataFrame:
        """Fits of whole data sets of the runtime ablations, with their times.

        Columns task, group ("real" or "synthetic"), dataset (without the design's seed), member
        (with it), seed, method, variant, seconds, depth, features_used, splits, draws_a and
        draws_b (permutations of Stage A and B) of a tree, order, and
        score: what learners make of the ranking, on average over standard k (not a number if
        they were not asked); score_10: of the first 10 features, or all if there are fewer.
        """
        rankings, runs = self.study.rankings, self.study.runs
        own = rankings[
            rankings["fold"].isna() & ~rankings["dataset"].isin(datasets.names("feature-sampling"))
        ]
        by = ["task", "dataset", "method", "config", "seed", "ranking"]
        times = runs[(runs["step"] == "rank") & (runs["status"] == "done") & runs["fold"].isna()]
        own = one_protocol(own).merge(times[[*by, "seconds"]], on=by)
        own = own.merge(_downstream(self.study.scores, by), on=by, how="left")
        facts = pd.DataFrame(list(own["facts"]), index=own.index)
        facts = facts.reindex(columns=list(_FIT_FACTS))
        is_design = own["dataset"].str.startswith("ablation-")
        parts = [config.partition("+") for config in own["config"]]
        return own.assign(
            member=own["dataset"],
            dataset=[name.partition("@")[0] for name in own["dataset"]],
            group=np.where(is_design, "synthetic", "real"),
            variant=[change or "default" for _, _, change in parts],
            **{name: facts[fact] for fact, name in _FIT_FACTS.items()},
        )


def _downstream(scores: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Average the scores of rankings of whole data sets: over standard k, and at k = 10 or p."""
    own = scores[scores["fold"].isna()]
    of_10 = own[own["k"] == own.groupby(by)["k"].transform(lambda ks: ks[ks <= 10].max())]
    own = own[own["k"].isin(STANDARD_K) | (own["k"] < STANDARD_K[0])]
    means = {"score": own, "score_10": of_10}
    return pd.concat(
        [frame.groupby(by)["value"].mean().rename(name) for name, frame in means.items()], axis=1
    ).reset_index()


@cache
def real(task: Task) -> tuple[str, ...]:
    """Return the paper's real data sets of a task."""
    return tuple(datasets.names("real", task))


@cache
def paper_methods(task: Task) -> tuple[str, ...]:
    """Return the methods that the paper compares."""
    main = published.table("main")
    return tuple(main.loc[main["task"] == task, "method"])


@cache
def kinds(name: str) -> NDArray[np.str_]:
    """Return what each feature of a generated data set is."""
    made: Dataset = datasets.load(name)
    if made.kinds is None:
        raise ValueError(f"{name} is not generated: what its features are is not known")
    return made.kinds


def _pairs(scores: pd.DataFrame) -> set[tuple[str, str]]:
    pairs = scores[["task", "dataset"]].drop_duplicates()
    return set(pairs.itertuples(index=False, name=None))
