"""Importances of features: read off the splits of fitted trees, or measured by permutation."""

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Sample, Trees
from inforest._engine.association import Association
from inforest._engine.features import Features
from inforest._engine.figure_colours import colours
from inforest._engine.parallel import Signals, cut, run, workers
from inforest._engine.printable import printable
from inforest._engine.sampling import IMPORTANCE_TYPES
from inforest._engine.seeds import Purpose, seeds
from inforest._engine.short_names import for_figure
from inforest._engine.training_set import TrainingSet

#: Rows of the correlation matrix that are computed at once.
_COLUMNS = 256
#: Trees from which on their mean is taken for normal.
_ENOUGH_TREES = 30
#: What conditional permutation importances condition on by default: an absolute correlation (True),
#: or one minus a p-value.
CONDITIONAL = {True: 0.2, "party": 0.2, "partykit": 0.2, "permimp": 0.95}
#: Offers without an effect that every feature gets on top, as a share of the mean number: a feature
#: that was hardly ever offered must not come first because it was lucky once.
_MORE_OFFERS = 0.25


def importances(
    trees: Trees,
    n_features: int,
    importance_type: str = "split",
    offers: Integers | None = None,
) -> Floats:
    """Sum the features' importances over the trees and scale the sum to 1.

    Every tree has the same say in "split" and "weighted", every split in "count", every decrease in
    "validated", every correlation in "effect" and "unseen_effect". Without a single split all
    importances are 0.

    A feature with many values can be split again and again on a path, one with two values once, and
    then it is constant. So a sum over splits is larger for the former even on noise; effects are
    therefore taken per node where the feature was a candidate, which it is only where it varies.
    To these offers a quarter of the features' mean number is added, which steadies the rates of
    features that were seldom offered.

    Parameters
    ----------
    trees : Trees
        The fitted trees.
    n_features : int
        Number of features they were fitted on.
    importance_type : {"split", "count", "weighted", "validated", "effect", "unseen_effect"}, \
            default="split"
        "split": decrease of impurity at the feature's splits; "count": number of its splits;
        "weighted": decrease of impurity times the node's share of its tree's weight; "validated":
        that, only of splits that hold on out-of-bag rows, and not scaled to 1 in each tree;
        "effect": the square root of what such a split takes away of its tree's impurity, which with
        the splitter "mse" is the correlation of its two sides with the tree's y, per offer;
        "unseen_effect": the same correlation on out-of-bag rows, of splits that these agree with.
    offers : ndarray of shape (n_features,), default=None
        At how many nodes each feature was a candidate, for effects; None if it is not known, which
        takes the sum.

    Returns
    -------
    importances : ndarray of shape (n_features,)
        Not negative; sum 1, or 0 where no tree has a split.

    """
    feature, _, amount = _split_amounts(trees, importance_type, offers)
    total = np.bincount(feature, weights=amount, minlength=n_features).astype(np.float64)
    return total / (total.sum() or 1.0)


def importances_per_tree(
    trees: Trees,
    n_features: int,
    importance_type: str = "split",
    offers: Integers | None = None,
) -> Floats:
    """Return each tree's own importances, scaled to 1 for "split" and "weighted".

    Effects are taken per offer that a tree makes on average, so that their mean over
    the trees is the mean effect of an offer.

    Parameters
    ----------
    trees, n_features, importance_type, offers
        As in `importances`.

    Returns
    -------
    importances : ndarray of shape (n_trees, n_features)
        A row of zeros for a tree without a split.

    """
    feature, tree, amount = _split_amounts(trees, importance_type, offers)
    cell = tree * n_features + feature
    size = trees.n_trees * n_features
    flat = np.bincount(cell, weights=amount, minlength=size).astype(np.float64)
    return flat.reshape(trees.n_trees, n_features)


def _split_amounts(
    trees: Trees, importance_type: str, offers: Integers | None
) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Return feature, tree and contribution of every split."""
    if importance_type not in IMPORTANCE_TYPES:
        known = ", ".join(map(repr, IMPORTANCE_TYPES))
        raise ValueError(f"importance_type must be one of {known}; got {importance_type!r}")
    split = np.flatnonzero(~trees.is_leaf)
    feature, tree = trees.feature[split], trees.tree_index[split]
    if importance_type == "count":
        return feature, tree, np.ones(len(split))
    if importance_type == "unseen_effect":
        # Its mean on noise, with its sign, is 0 for any split: no kind of feature has an advantage.
        effect = np.maximum(trees.unseen_effect[split], 0.0)
        return feature, tree, _per_offer(effect, feature, trees.n_trees, offers)
    root = trees.offset[tree]
    left, right = root + trees.left[split], root + trees.right[split]
    n = trees.weight
    children = (n[left] * trees.impurity[left] + n[right] * trees.impurity[right]) / n[split]
    # A split without gain may come out as -1e-17.
    amount = np.maximum(trees.impurity[split] - children, 0.0)
    if importance_type != "split":
        amount *= n[split] / n[root]
    if importance_type == "validated":
        return feature, tree, amount * trees.validated[split]
    if importance_type == "effect":
        whole = trees.impurity[root]  # 0 at the root of a split in a forged file only
        share = np.divide(amount, whole, out=np.zeros_like(amount), where=whole > 0)
        effect = np.sqrt(share) * trees.validated[split]
        return feature, tree, _per_offer(effect, feature, trees.n_trees, offers)
    total = np.bincount(tree, weights=amount, minlength=trees.n_trees)[tree]
    return feature, tree, np.divide(amount, total, out=np.zeros_like(amount), where=total > 0)


def _per_offer(
    effect: Floats, feature: NDArray[np.int32], n_trees: int, offers: Integers | None
) -> Floats:
    """Divide what splits are worth by how often a tree offers their feature on average."""
    return effect if offers is None else effect / (_steadied(offers)[feature] / n_trees)


def _steadied(offers: Integers) -> Floats:
    """Return numbers of offers with some more on top; features that never vary change nothing."""
    mean = offers.sum() / max(np.count_nonzero(offers), 1)
    return np.maximum(offers + _MORE_OFFERS * mean, 1.0)  # a file may say that there were none


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance:
    """Permutation importances of a forest.

    Attributes
    ----------
    importances_mean : ndarray of shape (n_features,)
        Mean over the trees; a tree that does not use the feature counts as 0, or, as partykit has
        it, not at all.
    importances_std : ndarray of shape (n_features,)
        Standard deviation over the trees that count.
    importances_se : ndarray of shape (n_features,)
        Standard error of the mean: what another forest as large, grown on the same rows, would
        differ by. It says nothing about other rows.
    importances_per_tree : ndarray of shape (n_trees, n_features)
        How much the error of each tree grew on its out-of-bag rows; nan where it does not count.
    feature_names : ndarray of shape (n_features,) or None
        Names of the features, if the forest knows them.

    """

    importances_per_tree: Floats
    feature_names: NDArray[Any] | None = None

    @property
    def n_counted(self) -> Integers:
        """How many trees count for each feature."""
        return (~np.isnan(self.importances_per_tree)).sum(axis=0)

    @property
    def importances_mean(self) -> Floats:
        """Mean over the trees that count; 0 where none does."""
        if not np.isnan(self.importances_per_tree).any():
            return self.importances_per_tree.mean(axis=0)
        return np.nansum(self.importances_per_tree, axis=0) / np.maximum(self.n_counted, 1)

    @property
    def importances_std(self) -> Floats:
        """Standard deviation over the trees that count."""
        if not np.isnan(self.importances_per_tree).any():
            return self.importances_per_tree.std(axis=0)
        squares = np.nansum((self.importances_per_tree - self.importances_mean) ** 2, axis=0)
        return np.sqrt(squares / np.maximum(self.n_counted, 1))

    @property
    def importances_se(self) -> Floats:
        """Standard error of the mean, nan with fewer than two trees."""
        n = self.n_counted
        return np.where(n > 1, self.importances_std / np.sqrt(np.maximum(n - 1, 1)), np.nan)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return bounds of the importance that a forest of very many trees would give.

        Trees are independent given the rows, so that their mean is nearly normal.

        Parameters
        ----------
        level : float, default=0.95
            How often such bounds hold, in (0, 1).

        Returns
        -------
        lower, upper : ndarray of shape (n_features,)
            nan for a feature for which fewer than 30 trees count.

        """
        if not 0 < level < 1:
            raise ValueError(f"level must be a number in (0, 1); got {level!r}")
        half = norm.ppf(0.5 + level / 2) * self.importances_se
        half = np.where(self.n_counted >= _ENOUGH_TREES, half, np.nan)
        return self.importances_mean - half, self.importances_mean + half

    def plot(self, ax: Any = None, top: int = 30) -> Any:
        """Draw the mean importances as bars, with their 95 % intervals.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure of fitting size.
        top : int, default=30
            How many features to show at most, the most important ones first.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the bars; nothing is shown or saved.

        """
        import matplotlib.pyplot as plt

        mean, (low, high) = self.importances_mean, self.interval()
        shown = np.argsort(-mean, kind="stable")[:top]
        if ax is None:
            height = 0.9 + 0.21 * max(len(shown), 4)
            ax = plt.subplots(figsize=(6.4, height), layout="constrained")[1]
        rows = np.arange(len(shown))
        ax.barh(rows, mean[shown], height=0.72, color=colours().quiet)
        ax.hlines(rows, low[shown], high[shown], color=colours().ink, linewidth=1.4)
        ax.axvline(0, color=colours().ink, linewidth=0.8)
        names = [f"feature_{j}" for j in shown]
        if self.feature_names is not None:
            names = [for_figure(str(self.feature_names[j]), 32) for j in shown]
        ax.set_yticks(rows, names, fontsize=8 if len(shown) > 15 else 9)
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.set_xlabel("growth of the out-of-bag error when permuted")
        n = len(mean)
        best = f"{len(shown)} most important of " if len(shown) < n else ""
        ax.set_title(f"{best}{n:,} features", fontsize=10)
        return ax

    def __repr__(self) -> str:
        n_trees, n_features = self.importances_per_tree.shape
        mean, std = self.importances_mean, self.importances_std
        names = [f"feature_{j}" for j in range(n_features)]
        if self.feature_names is not None:
            names = [printable(str(name)) for name in self.feature_names]
        top = np.argsort(-mean, kind="stable")[:10]
        width = max(len(names[j]) for j in top)
        lines = [f"  {names[j]:{width}s}  {mean[j]:.4g} (sd {std[j]:.2g})" for j in top]
        left_out = [] if n_features <= 10 else [f"  ... {n_features - 10} more features"]
        title = (
            f"Growth of the out-of-bag error when a feature is permuted, mean of {n_trees} trees"
        )
        return "\n".join([title, *lines, *left_out])


def permutation_importance(
    trees: Trees,
    data: TrainingSet,
    sample: Sample,
    *,
    conditional: Any,
    threshold: Any,
    n_repeats: Any,
    entropy: int | list[int],
    n_jobs: int | None,
    class_weight: Floats | None = None,
) -> PermutationImportance:
    """Permute each feature among the rows a tree has not seen and see how its error grows.

    Parameters
    ----------
    trees : Trees
        The fitted trees.
    data : TrainingSet
        What they were fitted on.
    sample : Sample
        What they saw of it.
    conditional : bool or {"party", "partykit", "permimp"}
        Which definition, as in `Forest.permutation_importance`.
    threshold : float or None
        Which features are conditioned on; None takes the definition's own.
    n_repeats : int
        Permutations per tree and feature.
    entropy : int or list of int
        Seed of the permutations.
    n_jobs : int or None
        Number of threads.
    class_weight : ndarray of shape (n_classes,) or None
        What the classes weigh; None means 1.

    Returns
    -------
    result : PermutationImportance
        The importances.

    """
    if not isinstance(n_repeats, Integral) or n_repeats < 1:
        raise ValueError(f"n_repeats must be an int of at least 1; got {n_repeats!r}")
    used = np.unique(trees.feature[~trees.is_leaf])
    threshold = _checked_threshold(conditional, threshold)
    conditioning: list[NDArray[np.int32]] = []
    if conditional is not False and conditional != "permimp":
        # Of numbers, the test of ctree is a limit on the correlation.
        limit = threshold if conditional is True else _least_correlation(threshold, len(data.X))
        conditioning = correlated_features(data.X, used, limit, data.weight, data.features.columns)
    lengths = np.zeros(data.X.shape[1] + 1, dtype=np.int64)
    if conditioning:
        lengths[used + 1] = [len(others) for others in conditioning]
    options = {
        "n_repeats": int(n_repeats),
        "conditioning_begin": np.cumsum(lengths),
        "conditioning": np.concatenate([*conditioning, np.empty(0, dtype=np.int32)]),
        "tree_level": 1 - threshold if conditional == "permimp" else -1.0,
        "moves_children": conditional == "partykit",
        "random_seed": int(seeds(entropy, Purpose.PERMUTE, 1)[0]),
        "class_weight": class_weight,
    }
    # In the unit of data.y squares exist.
    exponent, power = data.response.exponent, data.response.type.loss_power
    in_unit = replace(trees, value=np.ldexp(trees.value, -exponent) / data.response.in_unit)
    options |= data.response.loss_arguments
    ranges = cut(trees.n_trees, 4 * workers(n_jobs))
    shared = {"data": data, "trees": in_unit, "sample": sample, "options": options}
    parts = run(_permute_piece, shared, ranges, n_jobs, here=True)
    found = np.concatenate(parts)
    with np.errstate(over="ignore", under="ignore"):
        in_squares = np.ldexp(found, power * exponent)
    # Where squares of y do not exist, they stay in that unit, as impurities do.
    size = np.abs(in_squares[found != 0])
    # With room for their sum over the trees.
    exist = bool((size <= 1e300).all() and (size >= np.finfo(np.float64).tiny).all())
    per_tree = in_squares if exist else found
    if conditional == "partykit":
        per_tree[~_uses(trees, data.X.shape[1])] = np.nan
    return PermutationImportance(per_tree)


def _checked_threshold(conditional: Any, threshold: Any) -> float:
    """Return what says which features to condition on, or what is wrong with it."""
    if not (isinstance(conditional, bool) or conditional in tuple(CONDITIONAL)):
        raise ValueError(
            "conditional must be True, False, 'party', 'partykit' or 'permimp';"
            f" got {conditional!r}"
        )
    if threshold is None:
        return CONDITIONAL.get(conditional, 0.0)
    if conditional is False:
        raise ValueError(
            f"threshold={threshold!r} has a meaning with conditional=True, 'party', 'partykit' or"
            " 'permimp' only: it says which features to condition on"
        )
    if not (isinstance(threshold, Real) and 0 <= float(threshold) <= 1):
        raise ValueError(f"threshold must be a number in [0, 1]; got {threshold!r}")
    return float(threshold)


def _least_correlation(threshold: float, n_samples: int) -> float:
    """Return the absolute correlation whose test has one minus p above the threshold."""
    return float(np.sqrt(chi2.ppf(threshold, 1) / max(n_samples - 1, 1)))


def _uses(trees: Trees, n_features: int) -> NDArray[np.bool_]:
    """Return which trees split on which features."""
    used = np.zeros((trees.n_trees, n_features), dtype=bool)
    split = ~trees.is_leaf
    used[trees.tree_index[split], trees.feature[split]] = True
    return used


def _permute_piece(
    signals: Signals,
    begin: int,
    end: int,
    *,
    data: TrainingSet,
    trees: Trees,
    sample: Sample,
    options: dict[str, Any],
) -> Floats:
    part = trees.part(begin, end)
    kept = data.response.core_kept
    return _core.permutation_importance(
        **data.core_arguments
        | ({} if kept is None else {"y": kept})
        | data.response.type.kept_arguments(data.response),
        **vars(part.structure),
        value=part.value,
        **vars(sample.part(begin, end)),
        stop=signals.stop,
        **options,
    )


def correlated_features(
    X: Floats,
    features: NDArray[np.int32],
    threshold: float,
    weight: Floats | None = None,
    columns: Features | None = None,
) -> list[NDArray[np.int32]]:
    """Return, for each of `features`, those others of them that are correlated with it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples.
    features : ndarray of int
        The features in question. A forest never looks at those it does not split.
    threshold : float
        Least absolute Pearson correlation. A constant feature is correlated with nothing.
    weight : ndarray of shape (n_samples,), default=None
        What each row weighs; None means 1.
    columns : Features, default=None
        What the columns are. With categories or missing values the correlation is the root of what
        `Association` says. None: numbers.

    Returns
    -------
    correlated : list of ndarray
        One array of features for each.

    """
    columns = columns or Features(X.shape[1])
    if columns.has_categories or np.isnan(X[:, features].min(initial=0.0)):
        squared = Association(X, columns, weight).squared(features, features)
        np.fill_diagonal(squared, -1.0)  # not with itself
        return [features[row >= threshold**2].astype(np.int32) for row in squared]
    weight = np.ones(len(X)) if weight is None else weight
    Z = X[:, features]
    Z = Z / np.maximum(np.abs(Z).max(axis=0, initial=0.0), np.finfo(float).tiny)  # squares exist
    Z -= np.average(Z, axis=0, weights=weight)
    Z *= np.sqrt(weight)[:, None]
    norm = np.sqrt((Z * Z).sum(axis=0))
    varies = norm > 1e-12 * np.sqrt(weight.sum())
    Z = np.where(varies, Z / np.where(varies, norm, 1.0), 0.0)
    correlated = []
    for begin, end in cut(len(features), -(-len(features) // _COLUMNS)):
        # A few rows of the correlation matrix at a time: all of it may not fit in memory.
        r = np.abs(Z[:, begin:end].T @ Z)
        r[np.arange(end - begin), np.arange(begin, end)] = -1.0  # not with itself
        r[~varies[begin:end]] = r[:, ~varies] = -1.0
        correlated += [features[row >= threshold].astype(np.int32) for row in r]
    return correlated
