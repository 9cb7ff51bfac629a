"""The parameters trees and forests share: what each accepts, the paper's values, contradictions."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from inforest._engine.responses import ResponseType, response_types
from inforest._engine.sklearn_private import Interval, RealNotInt, StrOptions
from inforest._engine.training_set import TrainingSet

#: Counts cross into the core as integers of 32 or 64 bits.
_MOST = 2**31 - 1
LEVEL = [Interval(Real, 0, 1, closed="right")]
_BUDGET = [
    StrOptions({"minimum", "maximum", "auto"}),
    Interval(Integral, 1, _MOST, closed="both"),
    None,
]
EARLY_STOPPING = [StrOptions({"curtailed", "adaptive"}), None]
CONFIDENCE = [Interval(Real, 0.5, 1, closed="neither")]
_SIZE = [
    Interval(Integral, 1, _MOST, closed="both"),
    Interval(RealNotInt, 0, 1, closed="right"),
    StrOptions({"sqrt", "log2"}),
    None,
]
_SHARE, _COUNT = Interval(Real, 0, 1, closed="right"), Interval(Integral, 1, _MOST, closed="both")


def constraints(response_type: ResponseType) -> dict[str, list[Any]]:
    """Return scikit-learn's `_parameter_constraints`; the names come from the core's roster."""
    return {
        "selector": [str, list, tuple],  # the names: in check_selectors
        "splitter": [StrOptions(set(response_type.splitters))],
        "alpha_selector": LEVEL,
        "alpha_splitter": LEVEL,
        "adjust_alpha_selector": ["boolean", StrOptions({"bonferroni", "maxt"})],
        "adjust_alpha_splitter": ["boolean"],
        "n_resamples_selector": _BUDGET,
        "n_resamples_splitter": _BUDGET,
        "early_stopping_selector": EARLY_STOPPING,
        "early_stopping_splitter": EARLY_STOPPING,
        "early_stopping_confidence_selector": CONFIDENCE,
        "early_stopping_confidence_splitter": CONFIDENCE,
        "feature_muting": ["boolean"],
        "feature_scanning": ["boolean"],
        "max_features": [*_SIZE, tuple, list],  # the pair: in _max_features
        "threshold_method": [StrOptions({"exact", "random", "percentile", "histogram"})],
        "threshold_scanning": ["boolean"],
        "max_thresholds": _SIZE,
        "splitter_test": [StrOptions({"threshold", "max"}), None],
        "max_depth": [Interval(Integral, 1, _MOST, closed="both"), None],
        "min_samples_split": [
            Interval(Integral, 2, _MOST, closed="both"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "min_samples_leaf": [
            Interval(Integral, 1, _MOST, closed="both"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "min_impurity_decrease": [Interval(Real, 0, None, closed="left")],
        "honesty": ["boolean"],
        "honesty_fraction": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }


#: The configuration of the paper's benchmark, as far as trees and forests share it.
PAPER: dict[str, Any] = {
    "alpha_selector": 0.05,
    "alpha_splitter": 0.05,
    "adjust_alpha_selector": True,
    "adjust_alpha_splitter": True,
    "n_resamples_selector": "minimum",
    "n_resamples_splitter": "minimum",
    "early_stopping_selector": "adaptive",
    "early_stopping_splitter": "adaptive",
    "early_stopping_confidence_selector": 0.95,
    "early_stopping_confidence_splitter": 0.95,
    "feature_muting": True,
    "feature_scanning": True,
    "threshold_method": "histogram",
    "threshold_scanning": True,
    "max_thresholds": 256,
    "splitter_test": "threshold",
    "max_depth": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_impurity_decrease": 0.0,
    "honesty": False,
    "honesty_fraction": 0.5,
}

#: Parameters that reach the core under their own names and as they are.
_PASSED_ON = [
    name
    for name in constraints(response_types()[0])
    if name not in {"selector", "min_samples_split", "min_samples_leaf", "random_state", "verbose"}
]


def core_options(params: dict[str, Any], data: TrainingSet) -> dict[str, Any]:
    """Check parameters against each other and the data; return the core's arguments."""
    _check_budget(params, "selector")
    if params["splitter_test"] is not None:
        _check_budget(params, "splitter")
    if params["honesty"]:
        check_honesty(params["honesty_fraction"], data.n_rows)
    options = {name: _plain(params[name]) for name in _PASSED_ON}
    options["selector"] = check_selectors(params["selector"], data.response.type)
    options["max_features"] = _max_features(params["max_features"])
    options["min_samples_split"] = _n_samples(params["min_samples_split"], data.n_cases, 2)
    options["min_samples_leaf"] = _n_samples(params["min_samples_leaf"], data.n_cases, 1)
    if data.response.exponent:  # the bound follows y into its new unit
        power = data.response.type.impurity_power(params["splitter"])
        with np.errstate(over="ignore", under="ignore"):
            bound = np.ldexp(
                float(params["min_impurity_decrease"]), -power * data.response.exponent
            )
        options["min_impurity_decrease"] = float(bound)
    return options


def _check_budget(params: dict[str, Any], stage: str) -> None:
    n_resamples, alpha = params[f"n_resamples_{stage}"], params[f"alpha_{stage}"]
    least = math.ceil(min(1 / float(alpha), 1e300))
    if isinstance(n_resamples, Integral) and n_resamples < least:
        raise ValueError(
            f"n_resamples_{stage}={n_resamples} and alpha_{stage}={alpha:g} contradict each other:"
            f" with fewer than ceil(1 / alpha_{stage}) = {least} permutations no test can reject."
            f" Raise n_resamples_{stage} to {least}, or use 'minimum', 'auto' or 'maximum'."
        )


def check_selectors(
    selector: str | list[str] | tuple[str, ...], response_type: ResponseType
) -> list[str]:
    """Return the selectors as a list."""
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


def _max_features(value: Any) -> Any:
    """Return a pair as the core's (share, cap), all else as it is."""
    if not isinstance(value, (tuple, list)):
        return _plain(value)
    if len(value) == 2 and _SHARE.is_satisfied_by(value[0]) and _COUNT.is_satisfied_by(value[1]):
        return float(value[0]), int(value[1])
    raise ValueError(
        "max_features as a pair must be (share, cap), a number in (0, 1] and an int of at least 1,"
        f" as in (1 / 3, 500); got {value!r}"
    )


def _plain(value: Any) -> Any:
    """Return a NumPy scalar, as grids of parameters hold them, as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def _n_samples(number: Any, n_cases: int, least: int) -> int:
    """Resolve a count or a share of the cases."""
    if isinstance(number, Integral):
        return int(number)
    return max(least, math.ceil(number * n_cases))


def check_honesty(fraction: float, n_rows: int) -> None:
    """Refuse too few rows: structure needs two to split, the leaves' values at least one."""
    if n_rows < 4 or n_rows * fraction < 1 or n_rows * (1 - fraction) < 2:
        raise ValueError(
            f"honesty=True with honesty_fraction={fraction:g} contradicts n_samples={n_rows}:"
            " honesty needs 4 rows, of which at least 2 grow the tree and at least 1 gives the"
            " leaves their values"
        )
