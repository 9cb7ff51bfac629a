"""What a forest knows of the rows it was fitted on: weights, proximities, quantiles, intervals."""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats, Trees
from inforest._engine.core_values import label_weights
from inforest._engine.leaf_rows import (
    LeafRows,
    RankedRows,
    Samples,
    TrainingLeaves,
    find_weights,
    training_leaves,
)
from inforest._engine.parallel import Signals
from inforest._engine.sampling import Sampling
from inforest._engine.training_set import TrainingSet
from inforest.estimators.base import BaseInference
from inforest.estimators.calibration import Tail, calibrated_tail

#: Leaves, one per row and tree, that are kept unasked.
MOST_LEAVES = 2**28


@dataclass(frozen=True, eq=False)
class KeptRows:
    """What a fitted forest keeps of its training rows, with `keep_leaves`.

    Attributes
    ----------
    leaf : ndarray of shape (n_trees, n_samples)
        The leaf of each row in each tree.
    honesty : float
        Share of a tree's rows that its leaf values come from; 0 if all do.
    weight : ndarray of shape (n_samples,) or None
        What each row weighs in the value of a leaf, that of its class included; None means 1.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None
        The responses, where quantiles of them can be asked for.

    """

    leaf: NDArray[Any]
    honesty: float
    weight: Floats | None
    y: Floats | None
    #: Calibrated tails of intervals that were asked for, by coverage and output.
    tails: dict[tuple[float, int], Tail] = field(default_factory=dict, repr=False)


def keep_rows(forest: Any, data: TrainingSet) -> KeptRows:
    """Return what weights and quantiles of the fitted forest need of its data."""
    weight = data.core_weight
    of_class = label_weights(getattr(forest, "class_weight", None), data)
    if of_class is not None:
        weight = of_class[data.y] * (1.0 if weight is None else weight)
    has_quantiles = isinstance(forest, ForestQuantiles)
    return KeptRows(
        training_leaves(forest.trees_, data.X, forest.n_jobs),
        forest.honesty_fraction if forest.honesty else 0.0,
        weight,
        data.response.type.decode(data.response) if has_quantiles else None,
    )


class ForestWeights(BaseInference):
    """How much each training row speaks for a sample."""

    trees_: Trees
    n_jobs: int | None
    _sampling: Sampling
    #: None without `keep_leaves`, and in forests of earlier versions.
    _kept: KeptRows | None = None

    @property
    @abstractmethod
    def _seeds(self) -> NDArray[np.uint64]:
        """One seed per tree."""

    def weights(self, X: ArrayLike | None = None) -> csr_array:
        """Return how much each training row speaks for each sample.

        A tree shares a weight of 1 among the training rows in the sample's leaf, in proportion to
        how often they are in the tree's sample and what they weigh; the forest takes the mean over
        its trees. With honesty, they are the rows that leaf values come from. So ``weights(X) @ y``
        is what a regression forest predicts, ``weights(X) @ (y[:, None] == classes_)`` the class
        probabilities, and any other weighted statistic of the training rows is one of the sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None: the rows of `fit`, each by the trees that have not seen it (out of
            bag).

        Returns
        -------
        weights : sparse array of shape (n_samples, n_training_rows)
            CSR. Each row sums to 1; out of bag, that of a row that all trees have seen is empty.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from inforest import ConditionalInferenceForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ConditionalInferenceForestRegressor(random_state=0).fit(X, y)
        >>> weights = forest.weights(X[:3])
        >>> weights.shape
        (3, 442)
        >>> bool(abs(weights @ y - forest.predict(X[:3])).max() < 1e-9)
        True

        """
        samples = self._samples(X)
        return find_weights(samples, self._leaf_rows(samples), self.n_jobs)

    def proximity(self, X: ArrayLike | None = None) -> csr_array:
        """Return the share of the trees in which a sample and a training row are in one leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None: the rows of `fit`; of each pair, only the trees count that have seen
            neither row (out of bag).

        Returns
        -------
        proximity : sparse array of shape (n_samples, n_training_rows)
            CSR, between 0 and 1. Out of bag it is symmetric, with 1 on the diagonal, and 0 for
            pairs that no tree leaves out together.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inforest import ConditionalInferenceForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ConditionalInferenceForestClassifier(random_state=0).fit(X, y)
        >>> near = forest.proximity(X[:1]).toarray()[0]
        >>> bool(near[y == 0].mean() > near[y == 2].mean())
        True

        """
        samples = self._samples(X)
        is_out_of_bag = samples.X is None
        training = samples.training
        if not is_out_of_bag:  # all rows of fit count, seen by the tree or not
            everything = Sampling(training.n_samples).of_trees(self._seeds)
            training = replace(training, sample=everything, honesty=0.0, weight=None)
        rows = training.rows(self.n_jobs, out_of_bag=is_out_of_bag)
        together = find_weights(samples, replace(rows, total=np.ones_like(rows.total)), self.n_jobs)
        if is_out_of_bag:
            return _per_common_tree(together, samples, self.n_jobs)
        n_trees = self.trees_.n_trees
        together.data[:] = np.rint(together.data * n_trees) / n_trees
        return together

    def _samples(self, X: ArrayLike | None) -> Samples:
        check_is_fitted(self)
        training = self._training_leaves()
        if X is not None:
            X = self._checked(X)
            return Samples(X.shape[0], training, X)
        if self._sampling.takes_all:
            raise ValueError(
                "X=None asks for trees that have not seen a row, and this forest was fitted with"
                " every tree on all rows (see bootstrap, replace and max_samples); give X"
            )
        return Samples(training.n_samples, training)

    def _training_leaves(self) -> TrainingLeaves:
        kept = self._kept_rows()
        sample = self._sampling.of_trees(self._seeds)
        return TrainingLeaves(self.trees_, kept.leaf, sample, kept.honesty, kept.weight)

    def _kept_rows(self) -> KeptRows:
        if self._kept is None:
            raise ValueError(
                "this forest does not know which leaves its training rows are in: it was fitted"
                " with keep_leaves=False, on very many rows, or by an earlier version; fit it with"
                " keep_leaves=True"
            )
        return self._kept

    def _leaf_rows(self, samples: Samples) -> LeafRows:
        return samples.training.rows(self.n_jobs)


def _per_common_tree(together: csr_array, samples: Samples, n_jobs: int | None) -> csr_array:
    """Turn shares of the trees that miss a row into shares of those that miss both rows."""
    misses = np.concatenate(samples.ask(_missing_trees, n_jobs)).astype(np.float32)
    data, indices, indptr = together.data, together.indices, together.indptr
    n_alone = misses.sum(axis=1)
    step = max(1, 4_000_000 // max(1, len(misses)))
    for begin in range(0, len(misses), step):  # a few dense rows at a time
        end = min(begin + step, len(misses))
        common = misses[begin:end] @ misses.T
        entries = slice(indptr[begin], indptr[end])
        row = np.repeat(np.arange(begin, end), np.diff(indptr[begin : end + 1]))
        n_together = np.rint(data[entries] * n_alone[row])
        data[entries] = n_together / common[row - begin, indices[entries]]
    return together


def _missing_trees(leaf: NDArray[np.int32], _: slice, __: Signals) -> NDArray[np.bool_]:
    return leaf >= 0


class ForestQuantiles(ForestWeights):
    """The distribution of a number, given a sample: quantiles, intervals."""

    def predict_quantiles(
        self, X: ArrayLike | None = None, q: float | ArrayLike = (0.05, 0.5, 0.95)
    ) -> Floats:
        """Predict quantiles of y: those of the training rows under the sample's `weights` [1]_.

        The q-quantile is the smallest y of a training row at which the weights of the rows with
        this y or a smaller one reach q; there is no interpolation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None: the rows of `fit`, each by the trees that have not seen it (out of
            bag); nan for a row that all trees have seen.
        q : float or array-like of shape (n_quantiles,), default=(0.05, 0.5, 0.95)
            Levels between 0 and 1.

        Returns
        -------
        quantiles : ndarray of shape (n_samples, n_quantiles)
            Of shape (n_samples,) if `q` is a single number. With several outputs there is an axis
            for them before the last one.

        References
        ----------
        .. [1] Meinshausen (2006). Quantile regression forests. Journal of Machine Learning
           Research 7:983-999.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from inforest import ConditionalInferenceForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ConditionalInferenceForestRegressor(random_state=0).fit(X, y)
        >>> forest.predict_quantiles(X[:2], [0.1, 0.5, 0.9]).shape
        (2, 3)

        """
        level = _checked_levels(q)
        samples = self._samples(X)
        rows = self._leaf_rows(samples)
        found = [
            RankedRows.of(rows, y).quantiles(samples, level, self.n_jobs) for y in self._columns()
        ]
        return self._shaped(found, is_single=np.ndim(q) == 0)

    def predict_cdf(self, X: ArrayLike | None = None, y: float | ArrayLike = 0.0) -> Floats:
        """Predict how probable a response of at most y is: the conditional distribution function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None: the rows of `fit`, out of bag.
        y : float or array-like of shape (n_values,), default=0.0
            Where to evaluate it; the same values for all samples.

        Returns
        -------
        probability : ndarray of shape (n_samples, n_values)
            The weight of the training rows whose response is at most y. Of shape (n_samples,) if
            `y` is a single number. With several outputs there is an axis for them before the last
            one, and each is compared with the same values.

        """
        at = _numbers("y", y)
        samples = self._samples(X)
        rows = self._leaf_rows(samples)
        found = []
        for column in self._columns():
            ranked = RankedRows.of(rows, column)
            limit = np.searchsorted(ranked.value, at, side="right")
            limits = np.broadcast_to(limit, (samples.size, len(at)))
            found.append(ranked.shares(samples, limits, self.n_jobs))
        return self._shaped(found, is_single=np.ndim(y) == 0)

    def predict_interval(
        self, X: ArrayLike | None = None, coverage: float = 0.9, *, calibrated: bool = True
    ) -> Floats:
        """Predict an interval that holds y with a given probability.

        Without calibration it reaches from the ``(1 - coverage) / 2``-quantile to the
        ``(1 + coverage) / 2``-quantile of the sample's `weights`. That is wider than it need be
        where leaves are large, and too narrow where trees are grown to the end: forests do not
        promise to cover. Calibration asks the training rows, out of bag: the levels of both
        quantiles are moved, together, to where as many of the rows as wanted are inside, and both
        ends by a margin where not even the smallest and the largest y with a weight are far enough
        apart (Notes).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The samples. None: the rows of `fit`, out of bag.
        coverage : float, default=0.9
            The probability, between 0 and 1, both excluded.
        calibrated : bool, default=True
            Whether to calibrate. It needs trees that leave rows out, and its first use with a
            forest takes as long as predicting quantiles of all its training rows.

        Returns
        -------
        interval : ndarray of shape (n_samples, 2)
            The lower and the upper end, both included. With several outputs, of shape (n_samples,
            n_outputs, 2), and each interval is one of its own.

        Notes
        -----
        With n rows, k = ceil((n + 1) coverage) of them shall be inside. The depth of a row in its
        own out-of-bag distribution is min(F(y), 1 - F(y-)); a row is inside the interval between
        the t- and the (1 - t)-quantile if t is below its depth, and t is just below the k-th
        largest depth (distributional conformal prediction [1]_, with out-of-bag rows in place of a
        second sample). Then both ends are moved outwards by the k-th smallest of max(lower - y,
        y - upper) over the rows, inwards if it is negative (conformalized quantile regression
        [2]_). Out-of-bag rows are predicted by some of the trees, so this is no proof of coverage;
        ``python benchmarks/quantiles.py`` measures it. It is a probability over samples, not for
        each single one.

        References
        ----------
        .. [1] Chernozhukov, Wuethrich, Zhu (2021). Distributional conformal prediction. PNAS
           118(48).
        .. [2] Romano, Patterson, Candes (2019). Conformalized quantile regression. NeurIPS 32.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from inforest import ConditionalInferenceForestRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = ConditionalInferenceForestRegressor(random_state=0).fit(X[:300], y[:300])
        >>> lower, upper = forest.predict_interval(X[300:], coverage=0.9).T
        >>> inside = (lower <= y[300:]) & (y[300:] <= upper)
        >>> bool(0.85 < inside.mean() < 0.95)
        True

        """
        coverage = _checked_share("coverage", coverage)
        samples = self._samples(X)
        if calibrated and self._sampling.takes_all:
            raise ValueError(
                "calibrated=True needs rows that a tree has not seen, and this forest was fitted"
                " with every tree on all rows (see bootstrap, replace and max_samples); say"
                " calibrated=False"
            )
        rows = self._leaf_rows(samples)
        found = []
        for output, y in enumerate(self._columns()):
            ranked = RankedRows.of(rows, y)
            tail = Tail((1 - coverage) / 2)
            if calibrated:
                tail = self._calibrated(ranked, coverage, output)
            level = np.array([tail.level, 1 - tail.level])
            ends = ranked.quantiles(samples, level, self.n_jobs)
            found.append(tail.moved(ends))
        return self._shaped(found, is_single=False)

    def _calibrated(self, ranked: RankedRows, coverage: float, output: int) -> Tail:
        """Return the tail for the coverage, found once."""
        kept = self._kept_rows()
        if (coverage, output) not in kept.tails:
            samples = self._samples(None)
            kept.tails[coverage, output] = calibrated_tail(
                ranked, samples, self._columns()[output], kept.weight, coverage, self.n_jobs
            )
        return kept.tails[coverage, output]

    def _columns(self) -> list[Floats]:
        """Return the training responses, a column for each output."""
        y = self._kept_rows().y
        assert y is not None
        return list(y.reshape(len(y), -1).T)

    def _shaped(self, found: list[Floats], *, is_single: bool) -> Floats:
        """Put the outputs side by side, if there are several."""
        y = self._kept_rows().y
        assert y is not None
        table = found[0] if y.ndim == 1 else np.stack(found, axis=1)
        return table[..., 0] if is_single else table


def _checked_share(name: str, value: Any) -> float:
    if isinstance(value, Real) and 0 < float(value) < 1:
        return float(value)
    raise ValueError(f"{name} must be a number between 0 and 1, both excluded; got {value!r}")


def _checked_levels(q: float | ArrayLike) -> Floats:
    level = _numbers("q", q)
    if not ((level >= 0) & (level <= 1)).all():
        wrong = level[~((level >= 0) & (level <= 1))]
        raise ValueError(f"q must hold levels between 0 and 1; got {wrong.tolist()[0]!r}")
    return level


def _numbers(name: str, values: float | ArrayLike) -> Floats:
    """Return numbers as a vector."""
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be a number or a list of numbers; got {values!r}")
    if np.isnan(array).any():
        raise ValueError(f"{name} must hold numbers; got nan")
    return np.ascontiguousarray(array, dtype=np.float64)
