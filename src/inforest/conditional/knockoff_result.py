"""`KnockoffResult`: which features say more than copies of them, and the evidence."""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.frozen import freeze_arrays
from inforest._engine.printable import printable

_SHOWN = 10
_COLUMNS = ("gain", "e_value", "likeness", "departure", "verdict")

#: What is said of features without a verdict, by the word for it.
_WHY = {
    "copula fails": "their dependence on others is not that of a Gaussian copula"
    " (`conditional_test` can judge them)",
    "not testable": "the others explain nearly all of them",
    "constant": "they have one value",
}


@dataclass(frozen=True, eq=False, repr=False)
class KnockoffResult:
    """One entry per feature.

    Attributes
    ----------
    feature_names : ndarray of str
        The features.
    gain : ndarray of float
        By how much a feature is more important than its copy, averaged over the copies; nan of
        features that have none.
    e_value : ndarray of float
        Evidence that the feature says something the others do not: over features that do not it
        adds up, on average, to at most the number of all. 0 of features without a verdict.
    likeness : ndarray of float
        Correlation of the feature and its copy, between their normal scores; near 1 the others
        explain it, and little can be found. nan of features that have no copy.
    departure : ndarray of float
        Adjusted p-value of the check that its pairs with other features are those of a Gaussian
        copula; 0.01 or less, and the feature is refused. nan of constant features.
    verdict : ndarray of str
        "selected", "not selected", "copula fails", "not testable" (likeness above 0.95) or
        "constant".
    alpha : float
        The false discovery rate.
    n_samples : int
        Number of rows.
    n_knockoffs : int
        Number of copies of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import KnockoffSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 30))
    >>> y = X[:, :15].sum(axis=1) + rng.normal(size=500)
    >>> result = KnockoffSelector(n_knockoffs=5, random_state=0).fit(X, y).result_
    >>> bool(result.selected[15:].any())
    False

    """

    feature_names: NDArray[Any]
    gain: Floats
    e_value: Floats
    likeness: Floats
    departure: Floats
    verdict: NDArray[Any]
    alpha: float
    n_samples: int
    n_knockoffs: int

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.e_value)

    @property
    def selected(self) -> NDArray[np.bool_]:
        """Which features are selected."""
        return self.verdict == "selected"

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Indices by e-value, then gain, then index."""
        return np.lexsort((-np.nan_to_num(self.gain), -self.e_value))

    def to_frame(self) -> Any:
        """Return a pandas data frame with the features' names as its index."""
        import pandas as pd

        index = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame({name: getattr(self, name) for name in _COLUMNS}, index=index)

    @property
    def conclusion(self) -> str:
        """What was found, in a sentence or two."""
        if self.selected.any():
            chosen = [j for j in self.ranking if self.selected[j]]
            said = (
                f"{len(chosen)} of {len(self)} features say something about y that the others do"
                f" not say: {self._listed(chosen)} (at most {100 * self.alpha:.3g}% of such a list"
                " are wrong on average, as far as the features' ranks are jointly normal)."
            )
        else:
            said = (
                f"None of {len(self)} features was found to say something about y that the others"
                f" do not say. Knockoffs select {ceil(1 / self.alpha)} features or more at this"
                " rate, or none; `conditional_test` can find fewer."
            )
        for word, why in _WHY.items():
            which = np.flatnonzero(self.verdict == word)
            if len(which):
                n = f"{len(which)} feature{'s' * (len(which) > 1)}"
                said += f" No verdict on {n}, because {why}: {self._listed(which)}."
        return said

    def _listed(self, which: Any) -> str:
        names = ", ".join(str(self.feature_names[j]) for j in which[:_SHOWN])
        return names + (", ..." if len(which) > _SHOWN else "")

    def __repr__(self) -> str:
        """Show the features with the largest e-values as a table."""
        shown = self.ranking[:_SHOWN]
        names = [printable(str(self.feature_names[j])) for j in shown]
        width = max(len(name) for name in ["feature", *names])
        lines = [f"{'feature':<{width}}       gain    e_value  likeness  verdict"]
        lines += [
            f"{name:<{width}} {self.gain[j]:10.3g} {self.e_value[j]:10.3g}"
            f" {self.likeness[j]:9.2f}  {self.verdict[j]}"
            for j, name in zip(shown, names, strict=True)
        ]
        if len(self) > len(shown):
            lines.append(f"... and {len(self) - len(shown)} more")
        return "\n".join([*lines, printable(self.conclusion)])
