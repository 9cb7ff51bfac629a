"""`IndependenceResult`: what the independence tests found, as arrays, a table or a figure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.frozen import freeze_arrays
from inforest._engine.printable import printable
from inforest.independence.adjustment import WESTFALL_YOUNG

_SHOWN = 10
_ROUNDING = 1e-9
_COLUMNS = ("statistic", "p_value", "adjusted_p_value", "n_draws", "standard_error")
#: Shown only where something is missing.
_PARTS = ("n_missing", "p_observed", "p_missing", "p_joint")


@dataclass(frozen=True, eq=False, repr=False)
class IndependenceResult:
    """One entry per feature, in the order of the columns of X.

    Attributes
    ----------
    feature_names : ndarray of str
        The names of the columns, or "feature_0", "feature_1", ...
    statistic : ndarray of float
        Observed association with y; 0 for a constant feature.
    p_value : ndarray of float
        The p-value of each test by itself.
    adjusted_p_value : ndarray of float
        Adjusted for the number of features; equal to `p_value` with `adjust=None`.
    n_draws : ndarray of int
        Permutations used; 0 where none were drawn.
    standard_error : ndarray of float
        Monte Carlo standard error of `p_value`; 0 where nothing was drawn.
    selector : str or tuple of str
        The statistic.
    method : str
        "permutation", "asymptotic" or "exact".
    adjust : str or None
        The adjustment.
    early_stopping : str or None
        The stopping rule.
    alpha : float
        The level of `rejected`.
    missing : str
        What `p_value` says of features with missing values: "incorporate" is `p_joint`, "ignore"
        `p_observed`; "error" has let none in.
    n_missing : ndarray of int
        Missing values of each feature.
    p_observed : ndarray of float
        P-values of the values on the rows that have one, whatever their absence says.
    p_missing : ndarray of float
        P-values of the absence alone; nan for a complete feature.
    p_joint : ndarray of float
        P-values of the value and its absence together.
    tail : ndarray of float or None
        Where there are categories: how far out each statistic lies in its own permutation
        distribution, as a normal quantile, because the statistics of several kinds of features
        cannot be compared. None where all features are numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import independence_test
    >>> X, y = load_iris(return_X_y=True)
    >>> result = independence_test(X, y, random_state=0)
    >>> result.rejected.tolist(), result.statistic_name
    ([True, True, True, True], 'mc')

    """

    feature_names: NDArray[Any]
    statistic: Floats
    p_value: Floats
    adjusted_p_value: Floats
    n_draws: NDArray[np.int64]
    standard_error: Floats
    selector: str | tuple[str, ...]
    method: str
    adjust: str | None
    early_stopping: str | None
    alpha: float
    missing: str
    n_missing: NDArray[np.int64]
    p_observed: Floats
    p_missing: Floats
    p_joint: Floats
    tail: Floats | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.p_value)

    @property
    def rejected(self) -> NDArray[np.bool_]:
        """Whether the adjusted p-value is below alpha."""
        return self.adjusted_p_value < self.alpha

    @property
    def at_floor(self) -> NDArray[np.bool_]:
        """Whether no draw reached the statistic: a bound, which more draws may lower."""
        return (self.n_draws > 0) & (self.p_value * (1 + self.n_draws) < 1 + _ROUNDING)

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Indices of the features by p-value, then statistic (or `tail`), then index."""
        strength = self.statistic if self.tail is None else self.tail
        return np.lexsort((-strength, self.p_value))  # stable: the index comes last

    @property
    def any_missing(self) -> bool:
        """Whether any feature has missing values."""
        return bool(self.n_missing.any())

    @property
    def _shown(self) -> tuple[str, ...]:
        return _COLUMNS + _PARTS if self.any_missing else _COLUMNS

    def to_frame(self) -> Any:
        """Return a pandas data frame with the features' names as its index.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `statistic`, `p_value`, `adjusted_p_value`, `n_draws`, `standard_error`; if any
            value is missing also `n_missing`, `p_observed`, `p_missing`, `p_joint`.

        """
        import pandas as pd

        index = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame({name: getattr(self, name) for name in self._shown}, index=index)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain Python values per feature, best first."""
        columns = [getattr(self, name) for name in self._shown]
        return [
            {
                "feature": str(self.feature_names[j]),
                "selector": self.statistic_name,
                **{name: c[j].item() for name, c in zip(self._shown, columns, strict=True)},
                "rejected": bool(self.rejected[j]),
            }
            for j in self.ranking
        ]

    @property
    def statistic_name(self) -> str:
        """The statistic in a few words, such as "pc" or "max of pc, dc"."""
        if isinstance(self.selector, str):
            return self.selector
        return "max of " + ", ".join(self.selector)

    @property
    def title(self) -> str:
        """What was done, in a few words."""
        how = f"{self.method} test of {self.statistic_name}"
        if self.early_stopping:
            how += f", {self.early_stopping}"
        return f"{how}, {'not adjusted' if self.adjust is None else f'adjusted by {self.adjust}'}"

    @property
    def summary(self) -> str:
        """How many features are rejected."""
        p = "p" if self.adjust is None else "adjusted p"
        return f"{self.rejected.sum():,} of {len(self):,} features have {p} < {self.alpha:g}"

    def p_words(self, j: int, digits: int = 4) -> tuple[str, str]:
        """Return a feature's p-value and the adjusted one for people; "≤" marks a bound."""
        is_bound, adjusted = bool(self.at_floor[j]), self.adjusted_p_value[j]
        # A step-down p-value counts draws itself, and may be no bound where the other is one.
        also = is_bound and bool(self.adjust != WESTFALL_YOUNG or adjusted == self.p_value[j])
        words = [
            f"{'≤ ' * bound}{p:.{digits}g}"
            for p, bound in ((self.p_value[j], is_bound), (adjusted, also))
        ]
        return words[0], words[1]

    def __repr__(self) -> str:
        """Show the best features as a table."""
        shown = self.ranking[:_SHOWN]
        names = [printable(str(self.feature_names[j])) for j in shown]
        width = max(len("feature"), *map(len, names)) if names else len("feature")
        lines = [
            f"IndependenceResult: {self.title}",
            f"{'feature':<{width}}  statistic    p_value   adjusted    n_draws"
            + ("  n_missing p_observed  p_missing    p_joint" if self.any_missing else ""),
        ]
        for name, j in zip(names, shown, strict=True):
            p, adjusted = self.p_words(j)
            lines.append(
                f"{name:<{width}}  {self.statistic[j]:9.4f} {p:>10} {adjusted:>10}"
                f" {self.n_draws[j]:10d}{self._words_of_parts(j)}"
            )
        if len(self) > len(shown):
            lines.append(f"... and {len(self) - len(shown)} more")
        return "\n".join([*lines, self.summary])

    def _words_of_parts(self, j: int) -> str:
        if not self.any_missing:
            return ""
        absence = f"{self.p_missing[j]:10.4g}" if self.n_missing[j] else f"{'-':>10}"
        return (
            f" {self.n_missing[j]:10d} {self.p_observed[j]:10.4g} {absence} {self.p_joint[j]:10.4g}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Plot each feature's statistic against -log10 of its adjusted p-value.

        A dotted line shows the smallest p-value that the permutations can give. Features on it are
        told apart by their statistic only; the names of the strongest stand above it.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        from inforest.independence.plots import plot_tests

        return plot_tests(self, ax)
