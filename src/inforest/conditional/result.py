"""`ConditionalResult`: which features say something that the others do not say, and how sure."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.figure_colours import colours
from inforest._engine.frozen import freeze_arrays
from inforest._engine.printable import printable
from inforest._engine.short_names import for_figure

_SHOWN = 10
#: Letters of a name in the figure.
_LETTERS = 32
_COLUMNS = ("statistic", "p_value", "adjusted_p_value", "explained", "guard", "verdict")

#: Verdicts, and what they mean to a reader.
VERDICTS = {
    "selected": "says something about y that the others do not say",
    "not selected": "nothing was found beyond what the others say",
    "doubtful": "significant at first, but not after a second model of the others took its part",
    "models fail": "neither the model of the feature nor that of y holds on rows not seen",
    "not testable": "the others explain nearly all of it; test it together with them",
    "not used": "the forests never split on it",
}


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalResult:
    """One entry per feature, or group of features, that was tested.

    Attributes
    ----------
    feature_names : ndarray of str
        What was tested.
    statistic : ndarray of float
        About standard normal if the feature says nothing beyond the others; large if it does.
    p_value : ndarray of float
        One-sided; 1 where the forests do not use the feature, or where it is not testable.
    adjusted_p_value : ndarray of float
        Adjusted for the number of features tested.
    explained : ndarray of float
        Share of the feature's variance that the others explain, in [0, 1]; nan where no model was
        needed, because the feature says nothing even when the others are ignored.
    guard : ndarray of float
        P-value of the check of both models, of the feature and of y, on rows they have not seen;
        below 0.01 both fail, and the feature is refused. nan of features that were not significant.
    verdict : ndarray of str
        "selected", "not selected", "doubtful", "models fail", "not testable" or "not used".
    adjust : str or None
        The adjustment.
    alpha : float
        The error rate that `selected` is to keep.
    n_samples : int
        Number of rows.
    copies : ndarray of float or None
        P-values of copies that say nothing by construction (`n_copies`).

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import conditional_test
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> result = conditional_test(X, np.sin(2 * X[:, 0]), n_estimators=20, random_state=0)
    >>> int(result.ranking[0])
    0

    """

    feature_names: NDArray[Any]
    statistic: Floats
    p_value: Floats
    adjusted_p_value: Floats
    explained: Floats
    guard: Floats
    verdict: NDArray[Any]
    adjust: str | None
    alpha: float
    n_samples: int
    copies: Floats | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def __len__(self) -> int:
        return len(self.p_value)

    @property
    def selected(self) -> NDArray[np.bool_]:
        """Which features are selected."""
        return self.verdict == "selected"

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Indices by p-value, then statistic, then index."""
        return np.lexsort((-self.statistic, self.p_value))

    def to_frame(self) -> Any:
        """Return a pandas data frame with the features' names as its index."""
        import pandas as pd

        index = pd.Index(self.feature_names, name="feature")
        return pd.DataFrame({name: getattr(self, name) for name in _COLUMNS}, index=index)

    @property
    def conclusion(self) -> str:
        """What was found, in a sentence or two."""
        n = int(self.selected.sum())
        names = [str(self.feature_names[j]) for j in self.ranking if self.selected[j]]
        level = f"{100 * self.alpha:.3g}%"
        rate = {
            "fdr_bh": f"at most {level} of such a list are wrong on average",
            "fdr_by": f"at most {level} of such a list are wrong on average",
            None: f"each with a chance of {level} to be wrong if it says nothing",
        }.get(self.adjust, f"the chance that any of them is wrong is at most {level}")
        if n:
            listed = ", ".join(names[:_SHOWN]) + (", ..." if n > _SHOWN else "")
            first = (
                f"{n} of {len(self)} features say something about y that the others do not say:"
                f" {listed} ({rate}, as far as the models of the features hold)."
            )
        else:
            first = (
                f"None of {len(self)} features was found to say something about y that the others"
                " do not say."
            )
        notes = []
        if self.n_samples <= len(self):
            notes.append(
                f"{self.n_samples} rows are few for {len(self)} features: most that say something"
                " will not be found (`independence_test` asks an easier question)."
            )
        for word, text in [
            ("not testable", "the others explain nearly all of (test them together as a group)"),
            (
                "models fail",
                "neither model holds (more rows, or a group with those it depends on, may help) of",
            ),
            ("doubtful", "a second model of the others explains what was found for"),
        ]:
            which = [str(name) for name in self.feature_names[self.verdict == word]]
            if which:
                listed = ", ".join(which[:_SHOWN]) + (", ..." if len(which) > _SHOWN else "")
                notes.append(f"No verdict, because {text}: {listed}.")
        if self.copies is not None:
            n, wrong = len(self.copies), int((self.copies <= 0.05).sum())
            notes.append(
                f"Of {n} copies of features that say nothing by construction, {wrong} had p <= 0.05"
                f" ({0.05 * n:.2g} expected if the test keeps its level)."
            )
        return " ".join([first, *notes])

    def __repr__(self) -> str:
        """Show the features with the smallest p-values as a table."""
        shown = self.ranking[:_SHOWN]
        names = [printable(str(self.feature_names[j])) for j in shown]
        width = max(map(len, ["feature", *names]))
        lines = [f"{'feature':<{width}}  statistic    p_value   adjusted  explained  verdict"]
        lines += [
            f"{name:<{width}}  {self.statistic[j]:9.2f} {self.p_value[j]:10.3g}"
            f" {self.adjusted_p_value[j]:10.3g} {self.explained[j]:10.2f}  {self.verdict[j]}"
            for j, name in zip(shown, names, strict=True)
        ]
        if len(self) > len(shown):
            lines.append(f"... and {len(self) - len(shown)} more")
        return "\n".join([*lines, printable(self.conclusion)])

    def plot(self, ax: Any = None, top: int = 30) -> Any:
        """Plot the statistics of the best features, coloured by verdict.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.
        top : int, default=30
            How many features to show at most.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        import matplotlib.pyplot as plt

        shown = self.ranking[:top][::-1]
        if ax is None:
            height = 1.2 + 0.24 * len(shown)
            ax = plt.subplots(figsize=(6.5, height), layout="constrained")[1]
        of_verdict = {
            "selected": colours().strong,
            "doubtful": "#d9a441",
            "models fail": "#8f5fa8",
            "not testable": "#2f8f83",
        }
        for word in VERDICTS:
            places = [i for i, j in enumerate(shown) if self.verdict[j] == word]
            if places:
                ax.scatter(
                    self.statistic[shown[places]], places, s=28, label=word,
                    color=of_verdict.get(word, colours().quiet),
                )  # fmt: skip
        ax.axvline(0, color=colours().faint, linewidth=1)
        names = [for_figure(str(self.feature_names[j]), _LETTERS) for j in shown]
        ax.set_yticks(range(len(shown)), names, fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("evidence beyond the other features (z)")
        n_selected = sum(word == "selected" for word in self.verdict)
        ax.set_title(f"{n_selected:,} of {len(self):,} features selected", fontsize=10)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.legend(fontsize=8, frameon=False, loc="lower right")
        return ax
