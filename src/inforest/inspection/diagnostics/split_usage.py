"""`split_usage`: which features the splits of a forest use, and which were offered to them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import NO_FEATURE, SPLIT, Integers, Trees
from inforest._engine.figure_colours import colours
from inforest._engine.words import names_of_features
from inforest.estimators.base import BaseInference
from inforest.inspection.diagnostics._plots import (
    MOST_ROWS,
    axes_for,
    label_rows,
    legend_above,
)
from inforest.inspection.diagnostics._refits import check_k
from inforest.inspection.diagnostics._result import Diagnostic, counted, printed
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.ranker import read_ranking
from inforest.ranking.ranking import Ranking

_SHOWN = 10
#: The top k should have at least this share of the splits.
_HALF = 0.5
_Features = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class SplitUsage(Diagnostic):
    """How often each feature was used by a split, and offered to one.

    Attributes
    ----------
    names : ndarray of shape (n_features,)
        Names of the features.
    order : ndarray of shape (n_features,)
        Indices of the features, best first.
    splits : ndarray of shape (n_features,)
        Number of splits on each feature, over all trees.
    offered : ndarray of shape (n_features,) or None
        Number of nodes at which each feature was a candidate; None if the forest does not count.
    n_decisions : int or None
        Number of nodes at which a feature was looked for; None if the forest does not say.
    n_trees : int
        Number of trees.
    k : int
        Size of the top.
    positive : ndarray of int or None
        Indices of the positive controls: features known to matter.
    null : ndarray of int or None
        Indices of the features known not to matter.
    offers_all : bool
        Whether every node may choose among all features. Even then one is not offered where it no
        longer varies, as below a split on a feature of two values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import split_usage
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0).fit(X, y)
    >>> usage = split_usage(forest, k=2)
    >>> usage.n_splits == int(usage.splits.sum())
    True

    """

    names: NDArray[Any]
    order: _Features
    splits: Integers
    offered: Integers | None
    n_decisions: int | None
    n_trees: int
    k: int
    positive: _Features | None
    null: _Features | None
    offers_all: bool = False

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.splits.sum())

    @property
    def top(self) -> _Features:
        """Indices of the top k."""
        return self.order[: self.k]

    @property
    def top_share(self) -> float:
        """Share of the splits that use the top k; nan if there is no split."""
        return self._share(self.top)

    @property
    def positive_share(self) -> float | None:
        """Share of the splits that use the positive controls; None without any."""
        return None if self.positive is None else self._share(self.positive)

    @property
    def null_share(self) -> float | None:
        """Share of the splits that use known null features; None without any."""
        return None if self.null is None else self._share(self.null)

    @property
    def n_low_used(self) -> int:
        """Number of features outside the top k that some split uses."""
        return int((self.splits[self.order[self.k :]] > 0).sum())

    @property
    def n_positive_used(self) -> int | None:
        """Number of positive controls that some split uses; None without any."""
        return None if self.positive is None else int((self.splits[self.positive] > 0).sum())

    @property
    def n_null_used(self) -> int | None:
        """Number of known null features that some split uses; None without any."""
        return None if self.null is None else int((self.splits[self.null] > 0).sum())

    @property
    def top_offered(self) -> float | None:
        """At what share of the nodes a feature of the top k was offered, mean over the top k."""
        if self.offered is None or not self.n_decisions:
            return None
        return float(self.offered[self.top].mean() / self.n_decisions)

    def _share(self, features: _Features) -> float:
        return float(self.splits[features].sum() / self.n_splits) if self.n_splits else np.nan

    @property
    def conclusion(self) -> str:
        """What to conclude, in one sentence."""
        if not self.n_splits:
            return (
                "There is no split: no feature passed the tests, and the ranking orders the"
                " features by their own association with the response only."
            )
        words = f"{self.top_share:.0%} of the {self.n_splits:,} splits use the top {self.k}"
        if self.positive is not None:
            words += f", {self.positive_share:.0%} positive controls"
            words += f" ({self.n_positive_used} of {len(self.positive)})"
        if self.null is not None:
            words += f", {self.null_share:.0%} features known not to matter"
            words += f" ({self.n_null_used} of {len(self.null)})"
        words += f"; {counted(self.n_low_used, 'lower-ranked feature')} got splits"
        if self.top_offered is not None:
            words += (
                f", and each feature of the top was offered at {self.top_offered:.0%} of the nodes"
                " on average"
            )
        return f"{words}{self._advice}."

    @property
    def _advice(self) -> str:
        # Where nodes may choose among all features, offering more cannot help.
        cannot_help = self.top_offered is None or self.offers_all
        look = "" if cannot_help else ": see whether a larger max_features changes the top"
        if self.n_splits < self.n_trees:
            return f"; there are {self.n_trees:,} trees, so most found nothing to split on{look}"
        return f"; most splits go elsewhere{look}" if self.top_share < _HALF else ""

    def to_frame(self) -> Any:
        """Return a pandas data frame, best features first.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `rank` (from 1), `splits`, `share` and, if the forest counts them, `offered`
            and `used_when_offered`.

        """
        import pandas as pd

        order = self.order
        columns: dict[str, Any] = {
            "rank": np.arange(1, len(order) + 1),
            "splits": self.splits[order],
            "share": self.splits[order] / max(self.n_splits, 1),
        }
        if self.offered is not None:
            columns["offered"] = self.offered[order]
            columns["used_when_offered"] = self.splits[order] / np.maximum(self.offered[order], 1)
        return pd.DataFrame(columns, index=pd.Index(self.names[order], name="feature"))

    def __repr__(self) -> str:
        """Show the splits on the best features."""
        shown = self.order[:_SHOWN]
        names = [printed(self.names[j]) for j in shown]
        width = max(map(len, ["feature", *names]))
        head = f"{'feature':<{width}}  splits"
        rows = [
            f"{name:<{width}}  {self.splits[j]:6d}" for j, name in zip(shown, names, strict=True)
        ]
        if self.offered is not None:
            head += "  offered"
            rows = [f"{row}  {self.offered[j]:7d}" for row, j in zip(rows, shown, strict=True)]
        left = len(self.order) - len(shown)
        if left:
            rest = self.splits[self.order[len(shown) :]]
            rows.append(f"... {left:,} more features with {rest.sum():,} splits")
        title = f"SplitUsage of {self.n_splits:,} splits, best features first"
        return "\n".join([title, head, *rows, self.conclusion])

    def plot(self, ax: Any = None) -> Any:
        """Plot how many splits use each of the best features, and all others together.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator

        shown = self.order[:MOST_ROWS]
        rest = self.order[MOST_ROWS:]
        names = [str(self.names[j]) for j in shown]
        counts = self.splits[shown].tolist()
        of_row = [self._colour(j) for j in shown]
        notes = ["" if self.offered is None else self._offer_words(j) for j in shown]
        if len(rest):
            n_used = int((self.splits[rest] > 0).sum())
            names.append("all others")
            counts.append(int(self.splits[rest].sum()))
            of_row.append(colours().quiet)
            notes.append(f" {n_used:,} of {len(rest):,} used")
        ax = axes_for(ax, len(names))
        ax.barh(range(len(names)), counts, height=0.7, color=of_row)
        for row, (count, note) in enumerate(zip(counts, notes, strict=True)):
            ax.text(count, row, note, fontsize=7, color=colours().ink, va="center")
        label_rows(ax, names)
        ax.set_xlim(0, 1.3 * max(max(counts), 1))  # room for the notes
        ax.set_xlabel("splits")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        share = f"{self.top_share:.0%}" if self.n_splits else "none"
        ax.set_title(f"{share} of the {self.n_splits:,} splits use the top {self.k}")
        labels = {
            colours().ink: f"top {self.k}",
            colours().good: "positive control",
            colours().strong: "known null",
            colours().quiet: "other",
        }
        handles = [Patch(color=c, label=label) for c, label in labels.items() if c in of_row]
        legend_above(ax, handles=handles)
        return ax

    def _colour(self, j: int) -> str:
        if self.positive is not None and j in self.positive:
            return colours().good
        if self.null is not None and j in self.null:
            return colours().strong
        return colours().ink if j in self.top else colours().quiet

    def _offer_words(self, j: int) -> str:
        assert self.offered is not None
        n = int(self.offered[j])
        return f" of {counted(n, 'offer')}" if n else " never offered"


def split_usage(
    forest: Any,
    *,
    k: int | None = None,
    positive: Iterable[int | str] | None = None,
    null: Iterable[int | str] | None = None,
    feature_names: Sequence[str] | None = None,
) -> SplitUsage:
    """Count which features the splits of a fitted forest use.

    With many features and few that matter, a forest that draws some candidates at each node may
    leave the informative ones out of most of its decisions. Then many splits use features that
    merely were there.

    Parameters
    ----------
    forest : estimator object
        A fitted forest, tree or ranker of this package, a fitted forest, tree or gradient boosting
        model of scikit-learn, or a `Ranking` made by one of them.
    k : int or None, default=None
        Size of the top. None: 10, or half of the features where there are fewer than 20.
    positive : iterable of int or str, default=None
        Positive controls: features known to matter, as column numbers or names.
    null : iterable of int or str, default=None
        Features known not to matter, for instance columns of noise added on purpose.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes those the forest knows, else "feature_0", "feature_1", ...

    Returns
    -------
    result : SplitUsage
        Counts and shares; `conclusion`, `to_frame()`, `plot()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import split_usage
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestClassifier(random_state=0).fit(X, y)
    >>> usage = split_usage(forest, k=2, null=["sepal width (cm)"])
    >>> usage.top_share > 0.7
    True

    """
    if isinstance(forest, Ranking):  # its estimator was fitted to arrays without names
        feature_names = forest.names.tolist() if feature_names is None else feature_names
        forest = forest.estimator
    check_is_fitted(forest)
    n_features = int(forest.n_features_in_)
    names = names_of_features(forest, feature_names)
    trees = _fitted_trees(forest)
    used = np.concatenate([tree.feature[tree.feature >= 0] for tree in trees])
    offered = getattr(forest, "candidate_counts_", None)
    return SplitUsage(
        names=np.array(names, dtype=object),
        order=read_ranking(forest, n_features).order,
        splits=np.bincount(used, minlength=n_features),
        offered=None if offered is None else np.array(offered),
        n_decisions=_count_decisions(forest),
        n_trees=len(trees),
        k=check_k(k, n_features),
        positive=_indices(positive, names, "positive"),
        null=_indices(null, names, "null"),
        offers_all=_offers_all(forest, n_features),
    )


def _fitted_trees(forest: Any) -> list[Any]:
    """Return objects whose `feature` is that of each node, negative in leaves."""
    if _of_ours(forest):
        return [trees.tree(i) for trees in _of_ours(forest) for i in range(trees.n_trees)]
    # Gradient boosting has a matrix of them.
    estimators = np.ravel(forest.estimators_) if hasattr(forest, "estimators_") else [forest]
    trees = [getattr(estimator, "tree_", None) for estimator in estimators]
    if any(tree is None for tree in trees):
        raise TypeError(
            "forest must be a fitted forest or tree of inforest or scikit-learn, with tree_ or"
            f" estimators_; got {type(forest).__name__}"
        )
    return trees


def _count_decisions(forest: Any) -> int | None:
    """Return at how many nodes of our trees a feature was looked for."""
    if not _of_ours(forest):
        return None
    reasons = np.concatenate([trees.stop_reason for trees in _of_ours(forest)])
    return int(((reasons == SPLIT) | (reasons >= NO_FEATURE)).sum())


def _offers_all(forest: Any, n_features: int) -> bool:
    """Return whether a node's candidates are all features, as `max_features` says."""
    inner = forest.forests_[0] if isinstance(forest, ForestRanker) else forest
    value = getattr(inner, "max_features", None)
    if value is None or isinstance(value, str):
        return value is None
    if isinstance(value, Integral):
        return int(value) >= n_features
    share, most = value if isinstance(value, (tuple, list)) else (value, n_features)
    return bool(share == 1 and most >= n_features)


def _of_ours(forest: Any) -> list[Trees]:
    """Return the trees of our own estimators; none of others."""
    if isinstance(forest, ForestRanker):
        return [one._trees for one in forest.forests_]
    return [forest._trees] if isinstance(forest, BaseInference) else []


def _indices(features: Any, names: list[str], parameter: str) -> _Features | None:
    """Return column numbers for column numbers or names."""
    if features is None:
        return None
    place = {name: j for j, name in reversed(list(enumerate(names)))}
    chosen: list[int] = []
    for feature in [features] if isinstance(features, str) else features:
        if isinstance(feature, Integral) and 0 <= int(feature) < len(names):
            chosen.append(int(feature))
        elif isinstance(feature, str) and feature in place:
            chosen.append(place[feature])
        else:
            raise ValueError(
                f"{parameter} must hold names of features or column numbers from 0 to"
                f" {len(names) - 1}; got {feature!r}"
            )
    return np.unique(np.array(chosen, dtype=np.intp))
