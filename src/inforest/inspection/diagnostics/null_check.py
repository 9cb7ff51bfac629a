"""`null_check`: which features matter more than luck explains, and what luck alone would do."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats, Trees
from inforest._engine.figure_colours import colours
from inforest._engine.limits import MOST_FITS
from inforest._engine.sklearn_private import Interval, validate_parameter_constraints
from inforest.estimators.base import BaseInference
from inforest.inspection.diagnostics._plots import (
    MOST_ROWS,
    axes_for,
    label_rows,
    legend_above,
)
from inforest.inspection.diagnostics._refits import (
    CONSTRAINTS,
    draw_seed,
    each,
    make_problem,
    streams,
)
from inforest.inspection.diagnostics._result import Diagnostic, counted, printed
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.ranker import read_ranking, screening_forest

_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "alpha": [Interval(Real, 1 / MOST_FITS, 1, closed="left")],
    "n_repeats": [Interval(Integral, 1, MOST_FITS, closed="both")],
}
_SHOWN = 10
#: What alpha times a count may fall short of an integer for no other reason than rounding.
_ROUNDING = 1e-9
#: Share of the longest bar below which the end of luck is hardly seen.
_FLAT = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class NullCheck(Diagnostic):
    """Importances of the real fit against those of fits to shuffled responses.

    Attributes
    ----------
    names : ndarray of shape (n_features,)
        Names of the features.
    importance : ndarray of shape (n_features,)
        Importance of each feature in the real fit.
    adjusted_p_value : ndarray of shape (n_features,)
        ``(1 + b) / (1 + n_repeats)``, where b of the fits to shuffled responses have a feature,
        any feature, that is at least as important as this one.
    null_maximum : ndarray of shape (n_repeats,)
        The largest importance in each fit to shuffled responses.
    null_n_used : ndarray of shape (n_repeats,)
        How many features have a positive importance there.
    importance_name : str
        What the importance is, in a few words.
    alpha : float
        The level of `selected`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import null_check
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0)
    >>> result = null_check(X, y, estimator=forest, n_repeats=19, random_state=0)
    >>> len(result.null_maximum)
    19

    """

    names: NDArray[Any]
    importance: Floats
    adjusted_p_value: Floats
    null_maximum: Floats
    null_n_used: NDArray[np.int64]
    importance_name: str
    alpha: float

    @property
    def n_used(self) -> int:
        """How many features have a positive importance in the real fit."""
        return int((self.importance > 0).sum())

    @property
    def selected(self) -> NDArray[np.intp]:
        """Indices of the features with an adjusted p-value of at most alpha, best first.

        At most, not below as in `independence_test`: fits are dear, and with "below" 19 of them
        could not reach a level of 0.05.
        """
        return self._order[self._is_selected[self._order]]

    @property
    def _is_selected(self) -> NDArray[np.bool_]:
        # By counts: 1 / 10 and 1 - 0.9 differ in their last digits.
        counts = np.rint(self.adjusted_p_value * (1 + len(self.null_maximum)))
        return counts <= _most(self.alpha, len(self.null_maximum))

    @property
    def threshold(self) -> float:
        """The importance that a selected feature exceeds."""
        rank = _most(self.alpha, len(self.null_maximum))
        return float(np.sort(self.null_maximum)[-rank])

    @property
    def conclusion(self) -> str:
        """What to conclude, in one sentence."""
        n, p = len(self.selected), len(self.names)
        if not n:
            words = f"None of the {p:,} features matters more than luck explains"
        else:
            words = f"{n} of {p:,} features matter{'s' * (n == 1)} more than luck explains"
        return (
            f"{words} (level {self.alpha:g}, {len(self.null_maximum)} fits to shuffled responses);"
            f" with nothing to find, a fit uses"
            f" {counted(round(np.median(self.null_n_used)), 'feature')}, the real one uses"
            f" {self.n_used:,}."
        )

    @property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(-self.importance, kind="stable")

    def to_frame(self) -> Any:
        """Return a pandas data frame, the most important features first.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `importance`, `adjusted_p_value`, `selected`.

        """
        import pandas as pd

        order = self._order
        columns = {
            "importance": self.importance[order],
            "adjusted_p_value": self.adjusted_p_value[order],
            "selected": self._is_selected[order],
        }
        return pd.DataFrame(columns, index=pd.Index(self.names[order], name="feature"))

    def __repr__(self) -> str:
        """Show the most important features."""
        shown = self._order[:_SHOWN]
        names = [printed(self.names[j]) for j in shown]
        width = max(map(len, ["feature", *names]))
        lines = [
            f"NullCheck with {len(self.null_maximum)} fits to shuffled responses",
            f"importance: {self.importance_name}",
            f"{'feature':<{width}}  importance  adjusted p",
            *(
                f"{name:<{width}}  {self.importance[j]:10.4f}  {self.adjusted_p_value[j]:10.3g}"
                for j, name in zip(shown, names, strict=True)
            ),
        ]
        if len(self.names) > len(shown):
            lines.append(f"... and {len(self.names) - len(shown):,} more")
        lines.append(f"selected: importance > {self.threshold:.4f}")
        return "\n".join([*lines, self.conclusion])

    def plot(self, ax: Any = None) -> Any:
        """Plot the importances, and where those of shuffled responses end.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        shown = self._order[: min(max(self.n_used, 5), MOST_ROWS)]
        ax = axes_for(ax, len(shown))
        chosen = np.isin(shown, self.selected)
        rows = np.arange(len(shown))
        ax.barh(
            rows,
            self.importance[shown],
            height=0.7,
            color=np.where(chosen, colours().strong, colours().quiet),
        )
        label_rows(ax, [str(self.names[j]) for j in shown])
        ax.axvline(self.threshold, color=colours().ink, linewidth=1, linestyle="--")
        # A tick per fit to shuffled responses, along the lower edge.
        ax.plot(
            self.null_maximum, np.zeros(len(self.null_maximum)), "|", color=colours().ink,
            markersize=10, alpha=0.6, transform=ax.get_xaxis_transform(), clip_on=False,
            label="best feature of a fit to shuffled responses",
        )  # fmt: skip
        largest = max(self.importance.max(), self.null_maximum.max())
        if 0 < self.threshold < _FLAT * largest:  # or luck would be a line at zero
            ax.set_xscale("function", functions=(_root, np.square))
            ax.set_xlabel(f"{self.importance_name} (square-root scale)")
        else:
            ax.set_xlabel(self.importance_name)
        ax.set_xlim(0, 1.05 * largest or 1.0)
        title = (
            f"{len(self.selected)} of {len(self.names):,} features matter more than luck explains"
        )
        ax.set_title(title)
        legend_above(ax)
        return ax


def _root(x: Any) -> Any:
    """Return the square root; of what is below zero, as axes try it, zero."""
    return np.sqrt(np.maximum(x, 0.0))


def null_check(
    X: ArrayLike,
    y: ArrayLike,
    *,
    estimator: Any = None,
    alpha: float = 0.05,
    n_repeats: int = 99,
    task: str = "auto",
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> NullCheck:
    """Fit again to shuffled responses, to see what is found where there is nothing to find.

    A feature is selected if its importance exceeds the largest importance of any feature in all
    but a share `alpha` of the fits to shuffled responses. If y is independent of all features, the
    real fit is one more fit to shuffled responses, and its largest importance is equally likely to
    have any rank among all: the probability of selecting anything at all is at most `alpha`, for
    any estimator and any data with exchangeable responses.

    That holds where no feature matters. Where some do, the check is a sensible yardstick for the
    others, but no theorem bounds its error rate. It does not
    hold for time series and other data whose responses depend on each other.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; sparse and missing values only if `estimator` takes them.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    estimator : estimator object or None, default=None
        What ranks, as in `rank_features`; it must have importances or coefficients. None: a
        conditional inference forest whose tests, at level 0.05, let little grow on noise.
    alpha : float, default=0.05
        Probability of selecting anything where there is nothing, in (0, 1).
    n_repeats : int, default=99
        Fits to shuffled responses; at least ``1 / alpha - 1``, or nothing could be selected.
    task : {"auto", "classification", "regression"}, default="auto"
        As in `rank_features`.
    blocks, groups : array-like of shape (n_samples,) or None, default=None
        Which rows belong together, as in the `fit` of a forest, which gets them. Responses are
        shuffled inside blocks, so that these need be exchangeable there only, and as whole groups
        where all rows of a group have the same y and block.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    random_state : int, RandomState instance or None, default=None
        Seeds the fits and shuffles the responses.
    n_jobs : int or None, default=None
        Threads of the default forest; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if it takes longer than a second.

    Returns
    -------
    result : NullCheck
        Importances and adjusted p-values; `conclusion`, `to_frame()`, `plot()`.

    Notes
    -----
    `feature_importances_` of this package sum to 1 even if a single split on noise is all there
    is. So trees and forests are judged by what their splits explain: the decrease of impurity,
    each split weighted by its share of the samples, relative to the impurity at the root, mean
    over the trees. Other estimators are judged by `feature_importances_`, or by the absolute
    coefficients.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import null_check
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestClassifier(20)
    >>> result = null_check(X, y, estimator=forest, n_repeats=19, random_state=0)
    >>> float(result.adjusted_p_value[2])  # petal length
    0.05

    """
    params = {name: value for name, value in locals().items() if name in _CONSTRAINTS}
    validate_parameter_constraints(_CONSTRAINTS, params, caller_name="null_check")
    if not _most(alpha, n_repeats):
        raise ValueError(
            f"n_repeats must be at least {np.ceil(1 / alpha - 1 - _ROUNDING):.0f} for"
            f" alpha={alpha:g}: no p-value can be smaller than 1 / (1 + n_repeats); got"
            f" {n_repeats!r}"
        )
    problem = make_problem(
        X,
        y,
        estimator=estimator,
        task=task,
        feature_names=feature_names,
        n_jobs=n_jobs,
        blocks=blocks,
        groups=groups,
        default=screening_forest,
    )
    first, *others = streams(random_state, n_repeats + 1)

    def fit(rng: np.random.Generator) -> tuple[Floats, str]:
        shuffled = None if rng is first else problem.design.permuted(rng, problem.y)
        return _importance(problem.fit(draw_seed(rng), y=shuffled), problem.n_features)

    def fit_to_noise(rng: np.random.Generator) -> tuple[float, int]:
        noise, _ = fit(rng)
        return float(noise.max()), int((noise > 0).sum())

    importance, importance_name = fit(first)
    maximum, n_used = (
        np.array(column) for column in zip(*each(fit_to_noise, others, verbose), strict=True)
    )
    # Sorted, so that how many of the maxima are at least as large is a look-up.
    n_larger = n_repeats - np.searchsorted(np.sort(maximum), importance, side="left")
    return NullCheck(
        names=problem.names,
        importance=importance,
        adjusted_p_value=(1 + n_larger) / (1 + n_repeats),
        null_maximum=maximum,
        null_n_used=n_used,
        importance_name=importance_name,
        alpha=float(alpha),
    )


def _most(alpha: float, n_repeats: int) -> int:
    """Return the largest c for which a p-value of c / (1 + n_repeats) is at most alpha."""
    return floor(alpha * (1 + n_repeats) + _ROUNDING)


def _importance(estimator: Any, n_features: int) -> tuple[Floats, str]:
    """Return an importance that is small where there is little to find, and what it is."""
    if isinstance(estimator, ForestRanker):
        estimator = estimator.forests_[0]  # the one that was fitted to y itself
    if isinstance(estimator, BaseInference):
        return explained_impurity(estimator._trees, n_features), "share of impurity explained"
    if hasattr(estimator, "ranking_") and not hasattr(estimator, "feature_importances_"):
        raise ValueError(
            "estimator must have feature_importances_ or coef_ after fit, because ranks are the"
            f" same with and without signal; {type(estimator).__name__} has ranking_ only"
        )
    reading = read_ranking(estimator, n_features)
    return reading.scores, reading.score_name


def explained_impurity(trees: Trees, n_features: int) -> Floats:
    """Return the share of the root's impurity that each feature's splits remove, tree mean."""
    split = np.flatnonzero(~trees.is_leaf)
    root = trees.offset[trees.tree_index[split]]
    mass = trees.n_samples * trees.impurity
    removed = mass[split] - mass[root + trees.left[split]] - mass[root + trees.right[split]]
    share = np.maximum(removed, 0.0) / mass[root]
    return np.bincount(trees.feature[split], share, minlength=n_features) / trees.n_trees
