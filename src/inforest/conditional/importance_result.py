"""`ImportanceResult`: how much worse predictions are without each feature, with intervals."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from inforest._engine.arrays import Floats
from inforest._engine.frozen import freeze_arrays
from inforest._engine.printable import printable

_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceResult:
    """One entry per feature, or group of features.

    Attributes
    ----------
    feature_names : ndarray of str
        What was left out.
    importance : ndarray of float
        By how much the squared error of forests grows without it, as a share of the variance of y
        (of classes: Brier score, as a share of what the classes' shares alone have). Below 0 the
        forests are better without it.
    standard_error : ndarray of float
        Its standard error.
    level : float
        Confidence of each interval by itself.
    n_samples : int
        Number of rows.
    n_observations : int
        Number of rows, or of groups of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import importance_intervals
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> result = importance_intervals(X, 2 * X[:, 0] + X[:, 1], n_estimators=20, random_state=0)
    >>> bool(result.low[0] > result.high[1])
    True

    """

    feature_names: NDArray[Any]
    importance: Floats
    standard_error: Floats
    level: float
    n_samples: int
    n_observations: int

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.importance)

    @property
    def low(self) -> Floats:
        """Lower ends of the intervals."""
        return self.importance - self._half

    @property
    def high(self) -> Floats:
        """Upper ends of the intervals."""
        return self.importance + self._half

    @property
    def _half(self) -> Floats:
        quantile = float(student.ppf((1 + self.level) / 2, self.n_observations - 1))
        half: Floats = quantile * self.standard_error
        return half

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Indices by importance, then index."""
        return np.argsort(-self.importance, kind="stable")

    def to_frame(self) -> Any:
        """Return a pandas data frame with the features' names as its index."""
        import pandas as pd

        index = pd.Index(self.feature_names, name="feature")
        columns = ("importance", "low", "high", "standard_error")
        return pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)

    def __repr__(self) -> str:
        """Show the most important features as a table."""
        shown = self.ranking[:_SHOWN]
        names = [printable(str(self.feature_names[j])) for j in shown]
        width = max(len(name) for name in ["feature", *names])
        lines = [f"{'feature':<{width}}  importance  {100 * self.level:g}% interval"]
        lines += [
            f"{name:<{width}}  {self.importance[j]:10.3f}  {self.low[j]:.3f} to {self.high[j]:.3f}"
            for j, name in zip(shown, names, strict=True)
        ]
        if len(self) > len(shown):
            lines.append(f"... and {len(self) - len(shown)} more")
        return "\n".join(lines)
