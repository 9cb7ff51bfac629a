"""Names and numbers as all tables, figures and messages write them."""

from collections.abc import Sequence
from typing import Any


def names_of_features(estimator: Any, feature_names: Sequence[str] | None) -> list[str]:
    """Return one name per feature."""
    n = estimator.n_features_in_
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    if feature_names is None:
        return [f"feature_{j}" for j in range(n)]
    check_names(feature_names, n)
    if len(feature_names) != n:
        raise ValueError(
            f"feature_names must have {n} names, one per feature; got {len(feature_names)}"
        )
    return [str(name) for name in feature_names]


def check_names(feature_names: Any, n: int) -> None:
    """Refuse what is no sequence of names: a text would be taken for its letters."""
    if isinstance(feature_names, (str, bytes)) or not hasattr(feature_names, "__len__"):
        raise ValueError(
            f"feature_names must be a sequence of {n} names, one per feature; got {feature_names!r}"
        )


def short_p(p_value: float) -> str:
    """Return a p-value with two significant digits, short enough for a node."""
    return f"{p_value:.2g}" if p_value >= 1e-4 else f"{p_value:.0e}".replace("e-0", "e-")
