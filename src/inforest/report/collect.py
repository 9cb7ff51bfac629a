"""Computes what a report says: the ranking first, then each check that was asked for."""

import platform
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from inforest._engine.design import Design
from inforest._engine.features import FROM_DTYPE
from inforest._engine.progress import Whole, one_bar
from inforest._engine.responses import ResponseType
from inforest._engine.responses.survival import concordance, kaplan_meier
from inforest._engine.table import Table
from inforest.inspection.diagnostics import (
    SplitUsage,
    Stability,
    null_check,
    sensitivity,
    split_usage,
    stability,
)
from inforest.ranking.rank_features import rank_features
from inforest.ranking.ranker import default_ranker, reading_settings, screening_forest
from inforest.ranking.ranking import Ranking
from inforest.report.columns import column_facts
from inforest.report.content import (
    Content,
    KCurve,
    Provenance,
    Question,
    RankedFeature,
    RiskGroup,
    RiskGroups,
)
from inforest.report.sample import sample_words, sampled
from inforest.report.sections import (
    null_section,
    sensitivity_section,
    stability_section,
    usage_section,
)
from inforest.selection.choice_of_k import default_grid
from inforest.selection.feature_selector import FeatureSelector, n_varying

#: The parts of a report besides the ranking, in the order of their computation.
PARTS = ("k_curve", "stability", "sensitivity", "split_usage", "null_check")

_HEADINGS = {
    "ranking": "ranking",
    "k_curve": "how many features to keep",
    "stability": "stability",
    "sensitivity": "sensitivity to a setting",
    "split_usage": "use of the features by the trees",
    "null_check": "check without signal",
}
#: How long the parts take, about, in rankings of all rows.
_SHARES = {
    "ranking": 1,
    "k_curve": 4,
    "stability": 7,
    "sensitivity": 4,
    "split_usage": 0.1,
    "null_check": 5,
}
_FOLDS = 5
#: Features that the checks look at if nobody says how many to keep.
_TOP = 10
_STABILITY_FITS = 20
#: What is tried instead of the forest's own number of candidates, and how often each.
_CANDIDATES, _SENSITIVITY_FITS = ("sqrt", None), 2
#: With fewer features there is nothing to choose from.
_LEAST_FEATURES = 4
#: At least; a small level needs more, or nothing could be found.
_NULL_FITS, _LEAST_DRAWS = 39, 999
#: Groups of rows by their predicted risk, and the fewest rows that one must have.
_RISK_GROUPS, _LEAST_IN_GROUP = 3, 5
#: Parts that look at a sample of a long table.
_ON_A_SAMPLE = ("k_curve", "stability", "sensitivity", "null_check")
#: Larger numbers cannot be standardized.
_SQUARED = 1e150
_PACKAGES = ("inforest", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, eq=False)
class Asked:
    """Data, and what to do with them; `write_report` documents the fields."""

    table: Table
    y: NDArray[Any]
    names: Sequence[str]
    response_type: ResponseType
    k: str | int | None
    n_estimators: int
    redundancy: float
    alpha: float
    random_state: int
    n_jobs: int | None
    verbose: int
    design: Design = field(default_factory=Design)
    missing: str = "incorporate"

    @property
    def shared(self) -> dict[str, Any]:
        """Arguments of every diagnostic."""
        return {
            "estimator": self.forest(),
            "task": self.response_type.name,
            "feature_names": self.names,
            "random_state": self.random_state,
            "verbose": self.verbose,
            **self.design.arguments,
        }

    def forest(self) -> Any:
        """Return an unfitted ranker like the one that ranks."""
        return default_ranker(
            self.response_type,
            n_estimators=self.n_estimators,
            redundancy=self.redundancy,
            n_jobs=self.n_jobs,
            **reading_settings(FROM_DTYPE, self.missing),
        )


def collect(
    asked: Asked,
    question: Question,
    provenance: Provenance,
    parts: Collection[str] = PARTS,
) -> Content:
    """Rank the features and make the checks, with one progress bar for all of it.

    Parameters
    ----------
    asked : Asked
        Data and options.
    question, provenance : Question, Provenance
        What the report says about them.
    parts : collection of str, default=PARTS
        The checks to make.

    Returns
    -------
    content : Content
        Everything that was found.

    """
    steps = {part: _SHARES[part] for part in ("ranking", *PARTS) if part in ("ranking", *parts)}
    with one_bar(sum(steps.values()), asked.verbose) as whole:
        return _collect(asked, question, provenance, steps, whole)


def _collect(
    asked: Asked,
    question: Question,
    provenance: Provenance,
    parts: Collection[str],
    whole: Whole | None,
) -> Content:
    def begin(part: str) -> bool:
        """Return whether the part was asked for, and say that its computation begins."""
        if part in parts and whole is not None:
            rounds = int(asked.response_type.ranking.get("n_rounds", 1))
            whole.begin(_HEADINGS[part], _SHARES[part], rounds + 1 if part == "ranking" else 1)
        return part in parts

    begin("ranking")
    n_resamples = max(_LEAST_DRAWS, ceil(2 / asked.alpha) - 1)
    ranking = rank_features(
        asked.table.values,
        asked.y,
        # A type that must be told something about y has a forest that knows it.
        **(
            {"estimator": asked.forest()}
            if asked.response_type.parameters
            else {"task": asked.response_type.name, "n_estimators": asked.n_estimators}
        ),
        feature_names=asked.names,
        redundancy=asked.redundancy,
        p_values="westfall-young",
        n_resamples=n_resamples,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
        verbose=asked.verbose,
        missing=asked.missing,
        blocks=asked.design.blocks,
        groups=asked.design.groups,
    )
    n_features = len(ranking)
    # The checks rank again and again; the ranking above is of all rows.
    asked, all_rows = sampled(asked), asked
    skipped = []
    curve = None
    if begin("k_curve"):
        n_folds, reason = _folds(asked)
        reason = reason or _no_squares(asked)
        if reason:
            skipped.append(f"{_HEADINGS['k_curve']} ({reason})")
        else:
            curve = _k_curve(asked, n_folds)
    k = asked.k if isinstance(asked.k, int) else curve.chosen if curve else None
    # Not the k that was chosen: a bound on false selections holds for a number that was fixed
    # before. And the top of nearly all features is nearly always the same.
    top = min(asked.k if isinstance(asked.k, int) else _TOP, n_features // 2)
    stable = moved = usage = null = None
    if top and begin("stability"):
        reason = _no_halves(asked)
        if reason:
            skipped.append(f"{_HEADINGS['stability']} ({reason})")
        else:
            stable = stability(
                asked.table.values,
                asked.y,
                k=top,
                vary="subsample",
                n_repeats=_STABILITY_FITS,
                **asked.shared,
            )
    if top and n_features >= _LEAST_FEATURES and begin("sensitivity"):
        moved = sensitivity(
            asked.table.values,
            asked.y,
            k=top,
            max_features=_CANDIDATES,
            n_repeats=_SENSITIVITY_FITS,
            **asked.shared,
        )
    if top and begin("split_usage"):
        usage = split_usage(ranking.estimator, k=top, feature_names=asked.names)
    if begin("null_check"):
        null = null_check(
            asked.table.values,
            asked.y,
            alpha=asked.alpha,
            n_repeats=max(_NULL_FITS, ceil(2 / asked.alpha) - 1),
            **asked.shared
            | {
                "estimator": screening_forest(
                    asked.response_type,
                    n_estimators=asked.n_estimators,
                    n_jobs=asked.n_jobs,
                    **reading_settings(FROM_DTYPE, asked.missing),
                )
            },
        )
    facts = column_facts(
        all_rows.table,
        all_rows.y,
        all_rows.names,
        all_rows.response_type,
        all_rows.design,
        all_rows.random_state,
        all_rows.n_jobs,
    )
    words = sample_words(asked, all_rows)
    if words and {*parts} & {*_ON_A_SAMPLE}:
        question = replace(question, notices=(*question.notices, words))
    return Content(
        question=question,
        features=_features(ranking, stable, usage),
        alpha=asked.alpha,
        provenance=provenance,
        k=k,
        k_curve=curve,
        stability=None if stable is None else stability_section(stable),
        sensitivity=None if moved is None else sensitivity_section(moved),
        split_usage=None if usage is None else usage_section(usage, all_rows.n_estimators),
        null_check=None if null is None else null_section(null, ranking.order),
        skipped=tuple(skipped),
        least_p=1 / (1 + n_resamples),
        statistic=ranking.statistic or "",
        redundancy=asked.redundancy,
        risk_groups=_risk_groups(ranking.estimator.forests_[0], all_rows)
        if asked.response_type.has_curves
        else None,
        columns=tuple(facts[j] for j in ranking.order) if facts else (),
    )


def _risk_groups(forest: Any, asked: Asked) -> RiskGroups | None:
    """Part the rows by the risk that trees predict which have not seen them."""
    risk, n_trees = forest._predict_out_of_bag(asked.table.numbers, forest._predictors)
    seen = n_trees > 0
    if seen.sum() < _RISK_GROUPS * _LEAST_IN_GROUP:
        return None
    times, risk = asked.y[seen], risk[seen, 0]
    place = np.argsort(np.argsort(risk, kind="stable"), kind="stable") * _RISK_GROUPS // len(risk)
    return RiskGroups(
        tuple(
            _risk_group(f"{word} risk", times[place == i])
            for i, word in enumerate(("low", "middle", "high"))
        ),
        concordance(times, risk),
        float(times["time"].max()),
        n_left_out=int((~seen).sum()),
    )


def _risk_group(name: str, times: NDArray[Any]) -> RiskGroup:
    when, survival = kaplan_meier(times)
    return RiskGroup(
        name, len(times), int(times["event"].sum()), tuple(when.tolist()), tuple(survival.tolist())
    )


def _features(
    ranking: Ranking, stable: Stability | None, usage: SplitUsage | None
) -> tuple[RankedFeature, ...]:
    assert ranking.p_values is not None
    assert ranking.adjusted_p_values is not None
    return tuple(
        RankedFeature(
            name=str(ranking.names[j]),
            importance=float(ranking.scores[j]),
            p_value=float(ranking.p_values[j]),
            adjusted_p_value=float(ranking.adjusted_p_values[j]),
            repeats=ranking.repeats(j),
            frequency=None if stable is None else float(stable.frequency[j]),
            split_share=None if usage is None else usage.splits[j] / max(usage.n_splits, 1),
        )
        for j in ranking.order
    )


def _folds(asked: Asked) -> tuple[int, str]:
    """Return the number of folds, or why there are none."""
    n_folds, reason = asked.response_type.n_folds(asked.y, _FOLDS)
    groups, strata = asked.design.groups, asked.response_type.row_strata(asked.y)
    if groups is not None and n_folds >= 2:
        classes = np.zeros(len(groups), dtype=np.intp) if strata is None else strata
        pairs = np.unique(np.column_stack([classes, groups]), axis=0)
        n_folds = min(n_folds, int(np.bincount(pairs[:, 0]).min()))  # each holds all classes
        reason = "all rows, or those of one class, are of one group, which cannot be parted"
    return n_folds, reason if n_folds < 2 else ""


def _no_squares(asked: Asked) -> str:
    """Return why no linear model can be fitted; nothing if one can."""
    numbers = asked.table.numbers
    largest = abs(numbers).max() if issparse(numbers) else np.nanmax(np.abs(numbers), initial=0.0)
    if largest > _SQUARED:
        return f"numbers beyond {_SQUARED:g}, whose squares do not exist; scale the columns"
    return ""


def _no_halves(asked: Asked) -> str:
    """Return why the rows cannot be halved; nothing if they can."""
    if len(asked.y) < 4:
        return f"{len(asked.y)} rows are too few to be halved"
    n_groups = asked.design.n_groups
    if n_groups is not None and n_groups < 4:
        return f"{n_groups} groups are too few to be halved"
    return asked.response_type.no_halves(asked.y)


def _grid(asked: Asked) -> list[int]:
    """Return the numbers of features to try: those of `FeatureSelector`, and what was asked for."""
    grid = {*default_grid(n_varying(asked.table.numbers)).tolist()}
    if isinstance(asked.k, int):
        grid.add(asked.k)
    return sorted(grid)


def _k_curve(asked: Asked, n_folds: int) -> KCurve:
    selector = FeatureSelector(
        asked.forest(),
        k_grid=_grid(asked),
        cv=n_folds,
        rule="one_se",
        n_jobs=asked.n_jobs,
        random_state=asked.random_state,
        verbose=asked.verbose,
    ).fit(asked.table.values, asked.y, **asked.design.arguments)
    results = selector.cv_results_
    return KCurve(
        k=tuple(results["k"].tolist()),
        mean=tuple(results["mean_score"].tolist()),
        error=tuple(results["std_error"].tolist()),
        chosen=asked.k if isinstance(asked.k, int) else selector.k_,
        scoring=asked.response_type.score_words,
        model=asked.response_type.model_words,
        n_folds=n_folds,
        chance=asked.response_type.chance(asked.y),
        was_given=isinstance(asked.k, int),
    )


def versions() -> tuple[tuple[str, str], ...]:
    """Return the programs that the numbers depend on, with their versions."""
    return (("python", platform.python_version()), *((name, version(name)) for name in _PACKAGES))
