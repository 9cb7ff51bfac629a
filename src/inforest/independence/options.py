"""Parameters of the independence tests: what each accepts, and which contradict each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from inforest import _core
from inforest._engine.core_values import check_selectors
from inforest._engine.features import TABLE_CONSTRAINTS
from inforest._engine.limits import DRAWS, JOBS, LEVEL
from inforest._engine.parameters import CONFIDENCE, EARLY_STOPPING
from inforest._engine.responses import TASK_NAMES, ResponseType
from inforest._engine.sklearn_private import StrOptions
from inforest._engine.training_set import TrainingSet
from inforest.independence.adjustment import ADJUSTERS, WESTFALL_YOUNG
from inforest.independence.asymptotic import SELECTORS as ASYMPTOTIC_SELECTORS

CONSTRAINTS: dict[str, list[Any]] = {
    "selector": [str, list, tuple, None],  # the names: in check_selectors
    "task": [StrOptions(TASK_NAMES)],
    "method": [StrOptions({"permutation", "asymptotic", "exact"})],
    "n_resamples": [StrOptions({"auto"}), DRAWS],
    "alpha": LEVEL,
    "adjust": [StrOptions({*ADJUSTERS, WESTFALL_YOUNG}), None],
    "early_stopping": EARLY_STOPPING,
    "early_stopping_confidence": CONFIDENCE,
    **TABLE_CONSTRAINTS,
    "random_state": ["random_state"],
    "n_jobs": JOBS,
    "verbose": ["verbose"],
}

#: Adjustments that hold every test to one level, known before the first draw.
_ONE_LEVEL = (None, "bonferroni", "sidak")
#: Draws that "auto" takes at least: three digits of a p-value.
_LEAST_DRAWS = 999


@dataclass(frozen=True)
class Level:
    """The level of a single test and how many draws it gets."""

    tau: float
    n_draws: int


def find_selectors(selector: Any, response_type: ResponseType) -> list[str]:
    """Return the selectors as a list; None is the first of the response type."""
    if selector is None:
        return response_type.selectors[:1]
    return check_selectors(selector, response_type)


def find_level(params: dict[str, Any], n_tests: int) -> Level:
    """Return each test's level and its number of draws."""
    alpha, adjust, n_resamples = params["alpha"], params["adjust"], params["n_resamples"]
    sharing = 1 if adjust in (None, WESTFALL_YOUNG) else n_tests
    tau = alpha / sharing
    if adjust == "sidak" and alpha < 1:
        tau = float(-np.expm1(np.log1p(-alpha) / n_tests))
    if n_resamples == "auto":
        return Level(tau, max(_LEAST_DRAWS, _core.budget("auto", tau, 1, False)))
    return Level(tau, int(n_resamples))


def check_blocks(params: dict[str, Any], data: TrainingSet) -> None:
    """Raise an error if the method does not know blocks."""
    if data.design.blocks is not None and params["method"] == "asymptotic":
        raise ValueError(
            "method='asymptotic' and blocks contradict each other: its distribution is that of"
            " permutations among all rows. Use method='permutation', or 'exact'."
        )


def tested_rows(data: TrainingSet) -> TrainingSet:
    """Return what is exchangeable under the null hypothesis: rows, or groups of rows."""
    if data.design.groups is None:
        return data
    of_groups = data.of_groups()
    if of_groups is None:
        raise ValueError(
            "groups can be tested if all rows of a group have the same y and the same block; got a"
            " group in which they differ. Rows of one group are not exchangeable with others: take"
            " one row of each, or, if they are exchangeable inside groups, pass these as blocks."
        )
    return of_groups


def check_contradictions(params: dict[str, Any], selectors: list[str]) -> None:
    """Raise an error that names both parameters if two of them exclude each other."""
    method, adjust, stopping = params["method"], params["adjust"], params["early_stopping"]
    if method == "asymptotic" and (len(selectors) > 1 or selectors[0] not in ASYMPTOTIC_SELECTORS):
        raise ValueError(
            f"method='asymptotic' and selector={params['selector']!r} contradict each other: the"
            " asymptotic distribution is known for 'mc' and 'pc' only. Use method='permutation'."
        )
    if method != "permutation" and adjust == WESTFALL_YOUNG:
        raise ValueError(
            f"adjust={WESTFALL_YOUNG!r} and method={method!r} contradict each other: Westfall-Young"
            " reads the permuted statistics. Use method='permutation', or adjust='holm'."
        )
    if stopping is None:
        return
    if method != "permutation":
        raise ValueError(
            f"early_stopping={stopping!r} and method={method!r} contradict each other: only"
            " method='permutation' draws permutations that could stop."
        )
    if adjust not in _ONE_LEVEL:
        raise ValueError(
            f"early_stopping={stopping!r} and adjust={adjust!r} contradict each other: a test can"
            " stop early only at a level that does not depend on the other tests, and this"
            " adjustment needs every test's fixed number of draws. Use early_stopping=None, or"
            " adjust=None, 'bonferroni' or 'sidak'."
        )
