"""`Section`: tables that answer one question together; all sections of the report."""

from dataclasses import dataclass

from inforest_study.analysis import Analysis
from inforest_study.table import Table
from inforest_study.tables import (
    ablations,
    comparison,
    corrected,
    inventory,
    mechanism,
    recovery,
    robustness,
    survival,
)


@dataclass(frozen=True, eq=False)
class Section:
    """Tables under one heading.

    Attributes
    ----------
    key : str
        Short name, for links.
    title : str
        The heading.
    question : str
        What the tables answer.
    tables : tuple of Table
        The tables.
    figures : tuple of str
        Keys of the figures that belong here.

    """

    key: str
    title: str
    question: str
    tables: tuple[Table, ...]
    figures: tuple[str, ...] = ()

    @property
    def missing(self) -> str:
        """Why there is nothing; empty if there is something."""
        if any(table.rows for table in self.tables):
            return ""
        reasons = dict.fromkeys(table.missing for table in self.tables if table.missing)
        return " ".join(reasons) or "There are no results for this."


def sections(analysis: Analysis) -> list[Section]:
    """Return everything a report shows, in its order.

    Parameters
    ----------
    analysis : Analysis
        Of a study that may be empty or partial.

    Returns
    -------
    sections : list of Section
        Those of the paper are always the same; what has no results says so.

    Examples
    --------
    >>> from inforest_study.analysis import Analysis
    >>> from inforest_study.study import Study
    >>> from inforest_study.tables import sections
    >>> [section.key for section in sections(Analysis(Study()))][:3]
    ['main', 'corrected', 'direct']

    """
    study = analysis.study
    tasks = ("classification", "regression")
    return [
        Section(
            "main",
            "The main comparison",
            "Which method's best features serve three simple learners best?",
            (
                *comparison.main_comparison(analysis),
                *comparison.with_ours(analysis),
                *comparison.other_data(analysis),
            ),
        ),
        Section(
            "corrected",
            "ctree and cforest",
            "How do they stand once their results are read correctly?",
            (corrected.standings(analysis),),
        ),
        Section(
            "direct",
            "CIF against each other method",
            "By how much is it better or worse, and on how many data sets?",
            (comparison.direct(analysis), robustness.complete_cases(analysis)),
            tuple(f"margins-{task}" for task in tasks),
        ),
        Section(
            "breadth",
            "Breadth and number of features",
            "Is CIF good on many data sets, and at every k?",
            (comparison.breadths(analysis), *comparison.by_k(analysis)),
            tuple(f"by-k-{task}" for task in tasks),
        ),
        Section(
            "robustness",
            "Would another choice have said the same?",
            "Do data sets agree, and do learner, k, seed and configuration matter?",
            (
                robustness.agreement(analysis),
                *robustness.left_out(analysis),
                *robustness.learners_and_k(analysis),
                *robustness.seeds(analysis),
            ),
        ),
        Section(
            "high-p",
            "More than 100 features",
            "Is it worth taking more than the best 100?",
            (robustness.many_features(analysis),),
            tuple(f"high-p-{task}" for task in tasks),
        ),
        Section(
            "recovery",
            "Synthetic recovery",
            "Which methods put the informative features first?",
            (*recovery.recovered(analysis), *recovery.by_design(analysis)),
            ("recovery",),
        ),
        Section(
            "feature-sampling",
            "Feature sampling",
            "What do trees split on when few features matter?",
            tuple(mechanism.split_shares(analysis)),
            ("feature-counts", *(f"feature-sampling-{task}" for task in tasks)),
        ),
        *_survival(analysis),
        Section(
            "ablations",
            "One thing changed at a time",
            "What does each idea cost, save, and do to the ranking?",
            (
                ablations.cit_runtime(analysis),
                ablations.cif_runtime(analysis),
                ablations.ranking_changes(analysis),
            ),
        ),
        Section(
            "coverage",
            "What was run",
            "Which jobs have results, and which do not?",
            (
                inventory.coverage(study),
                inventory.excluded(study),
                inventory.revisions(study),
                inventory.software(study),
            ),
        ),
        Section(
            "data",
            "Data sets",
            "What are they, and what should one know of them?",
            (
                inventory.real_data(analysis),
                inventory.designs(analysis),
                *comparison.dataset_scores(analysis),
            ),
        ),
    ]


def _survival(analysis: Analysis) -> list[Section]:
    """Return what the paper does not have: only there where it was run."""
    table = survival.concordances(analysis)
    if not table.rows:
        return []
    question = "Which method's best features predict survival?"
    return [Section("survival", "Censored times", question, (table,))]
