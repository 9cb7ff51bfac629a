"""What the core takes for the values of parameters, and which values contradict each other."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from inforest._engine.parameter import plain
from inforest._engine.responses import ResponseType, response_types
from inforest._engine.sklearn_private import Interval
from inforest._engine.training_set import TrainingSet

#: Counts cross into the core as integers of 32 or 64 bits.
MOST = 2**31 - 1
COUNT = Interval(Integral, 1, MOST, closed="both")
_SHARE = Interval(Real, 0, 1, closed="right")
_SMALL_SHARE = Interval(Real, 0, 0.5, closed="both")


def selectors(value: Any, _params: Mapping[str, Any], data: TrainingSet) -> list[str]:
    """Return the names of the statistics as a list."""
    return check_selectors(value, data.response.type)


def check_selectors(
    selector: str | list[str] | tuple[str, ...], response_type: ResponseType
) -> list[str]:
    """Return the selectors as a list, or say which is none."""
    names = [selector] if isinstance(selector, str) else list(selector)
    known = response_type.selectors
    unknown = [name for name in names if name not in known]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if names and not unknown and not twice:
        return names
    elsewhere = [
        f"; {name!r} is for {other.name}"
        for name in unknown
        for other in response_types()
        if name in other.selectors
    ]
    choice = ", ".join(map(repr, known))
    raise ValueError(
        f"selector must be one of {choice}, or a list of some; got {selector!r}"
        + (elsewhere[0] if elsewhere else "")
        + (f"; {twice[0]!r} is there twice" if twice else "")
    )


def splitter(value: str, _params: Mapping[str, Any], data: TrainingSet) -> str:
    """Return the core's name of the impurity: of one number, what "chi2" compares is "mse"."""
    is_one_number = data.response.type.kind == "scores" and not data.response.has_columns
    return "mse" if value == "chi2" and is_one_number else value


def missing_rule(value: Any, _params: Mapping[str, Any], _data: TrainingSet) -> Any:
    """Return what of a feature with missing values is tested; "error" has let none in."""
    return "incorporate" if value == "error" else value


def max_features(value: Any, params: Mapping[str, Any], data: TrainingSet) -> Any:
    """Return a pair as the core's (share, cap), all else as it is."""
    if not isinstance(value, (tuple, list)):
        return plain(value, params, data)
    if len(value) == 2 and _SHARE.is_satisfied_by(value[0]) and COUNT.is_satisfied_by(value[1]):
        return float(value[0]), int(value[1])
    raise ValueError(
        "max_features as a pair must be (share, cap), a number in (0, 1] and an int of at least 1,"
        f" as in (1 / 3, 500); got {value!r}"
    )


def min_samples_split(value: Any, _params: Mapping[str, Any], data: TrainingSet) -> int:
    """Return a number of rows, at least 2."""
    return _n_rows(value, data, 2)


def min_samples_leaf(
    value: Any, _params: Mapping[str, Any], data: TrainingSet
) -> int | tuple[float, int]:
    """Return a number of rows, at least 1, or a share of the node's with the fewest allowed."""
    if not isinstance(value, (tuple, list)):
        return _n_rows(value, data, 1)
    if (
        len(value) == 2
        and _SMALL_SHARE.is_satisfied_by(value[0])
        and COUNT.is_satisfied_by(value[1])
    ):
        return float(value[0]), int(value[1])
    raise ValueError(
        "min_samples_leaf as a pair must be (share, least), a number in [0, 0.5] and an int of at"
        f" least 1, as in (0.01, 7); got {value!r}"
    )


def _n_rows(number: Any, data: TrainingSet, least: int) -> int:
    """Resolve a count or a share of the rows."""
    if isinstance(number, Integral):
        return int(number)
    return max(least, math.ceil(number * data.n_rows))


def min_impurity_decrease(value: Any, params: Mapping[str, Any], data: TrainingSet) -> Any:
    """Let the bound follow y into its unit."""
    response = data.response
    if not response.exponent:
        return plain(value, params, data)
    power = response.type.impurity_power(params["splitter"])
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(float(value), -power * response.exponent))


def class_weight(value: Any, _params: Mapping[str, Any], data: TrainingSet) -> Any:
    """Return one weight per class, or None if no class weighs more than another."""
    return label_weights(value, data)


def label_weights(value: Any, data: TrainingSet) -> NDArray[np.float64] | None:
    """Return what the classes of the response weigh: None, "balanced" or a dict, as given."""
    if value is None:
        return None
    classes, codes = data.response.classes, data.y
    assert classes is not None
    if value == "balanced":
        rows = np.ones(len(codes)) if data.weight is None else data.weight
        weight = 1 / np.bincount(codes, weights=rows, minlength=len(classes))
        weight /= weight.max()
    else:
        weight = compute_class_weight(dict(value), classes=classes, y=classes)
    if not (np.isfinite(weight) & (weight > 0)).all():
        raise ValueError(f"class_weight must hold positive numbers; got {value!r}")
    return None if (weight == weight[0]).all() else weight / weight.max()


def check_contradictions(params: Mapping[str, Any], data: TrainingSet) -> None:
    """Refuse budgets with which no test can reject, and too few rows to be honest."""
    selectors = params["selector"]
    data.response.check_statistics(
        [selectors] if isinstance(selectors, str) else list(selectors), params["splitter"]
    )
    _check_budget(params, "selector")
    if params["n_resamples_selector"] == "asymptotic":
        _check_asymptotic(params, data)
    elif params["split_tries"] > 1:
        raise ValueError(
            f"split_tries={params['split_tries']} needs n_resamples_selector='asymptotic', whose"
            f" p-values say which feature comes next; got {params['n_resamples_selector']!r}"
        )
    if params["splitter_test"] is not None:
        _check_budget(params, "splitter")
    if params["honesty"]:
        check_honesty(params["honesty_fraction"], data.n_rows)


def _check_budget(params: Mapping[str, Any], stage: str) -> None:
    n_resamples, alpha = params[f"n_resamples_{stage}"], params[f"alpha_{stage}"]
    least = math.ceil(min(1 / float(alpha), 1e300))
    if isinstance(n_resamples, Integral) and n_resamples < least:
        raise ValueError(
            f"n_resamples_{stage}={n_resamples} and alpha_{stage}={alpha:g} contradict each other:"
            f" with fewer than ceil(1 / alpha_{stage}) = {least} permutations no test can reject."
            f" Raise n_resamples_{stage} to {least}, or use 'minimum', 'auto' or 'maximum'."
        )


def _check_asymptotic(params: Mapping[str, Any], data: TrainingSet) -> None:
    """Refuse tests whose statistic has no known limit."""
    names = check_selectors(params["selector"], data.response.type)
    known = data.response.type.asymptotic_selectors
    if len(names) > 1 or names[0] not in known:
        raise ValueError(
            "n_resamples_selector='asymptotic' needs a statistic whose limit is chi-square:"
            f" selector={' or '.join(map(repr, known))}; got {params['selector']!r}"
        )
    if params["adjust_alpha_selector"] == "maxt":
        raise ValueError(
            "adjust_alpha_selector='maxt' permutes, n_resamples_selector='asymptotic' does not;"
            " use 'bonferroni', 'sidak' or False"
        )
    if data.design.blocks is not None:
        raise ValueError(
            "n_resamples_selector='asymptotic' knows nothing of blocks, inside which responses"
            " would have to be permuted; leave out blocks, or choose a number of permutations"
        )


def check_honesty(fraction: float, n_rows: int) -> None:
    """Refuse too few rows: structure needs two to split, the leaves' values at least one."""
    if n_rows < 4 or n_rows * fraction < 1 or n_rows * (1 - fraction) < 2:
        raise ValueError(
            f"honesty=True with honesty_fraction={fraction:g} contradicts n_samples={n_rows}:"
            " honesty needs 4 rows, of which at least 2 grow the tree and at least 1 gives the"
            " leaves their values"
        )
