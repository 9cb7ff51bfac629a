"""Rankings without repetition: a feature counts less the better those before it replace it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from inforest._engine.arrays import Floats
from inforest._engine.association import Association
from inforest._engine.features import FROM_DTYPE, read_features
from inforest._engine.parallel import cut
from inforest._engine.responses import NUMBER, of_estimator
from inforest._engine.storage import dense, total

#: Strengths among which `choose_strength` looks.
STRENGTHS = (0.0, 0.5, 1.0, 2.0)
#: Features brought up to date one by one before all of them are at once.
_SINGLES = 64
#: Bytes of columns that are in double precision at a time.
_BLOCK_BYTES = 2**26


def rerank(
    importances: ArrayLike, X: ArrayLike, *, strength: Any = 1.0, k: Any = None
) -> NDArray[np.intp]:
    """Rank features by importance, discounted by their correlation with those already ranked.

    The first feature is the most important one. Each next one has the largest

        importance * (1 - r^2)^strength

    where r^2 is its largest squared Pearson correlation with a feature ranked before it: the share
    of its variance that the nearest of them explains. With a category it is the squared correlation
    ratio, between categories Cramer's V^2, both less what levels explain by chance; of values that
    are missing, the rows are used that both features have. The power, unlike 1 - strength * r^2, is
    never negative, leaves uncorrelated features alone and removes copies at any strength.

    Parameters
    ----------
    importances : array-like of shape (n_features,)
        Importances from any source, finite and not negative.
    X : array-like or data frame of shape (n_samples, n_features)
        The samples, of which only correlations are used. A constant feature is correlated with
        nothing. Categories are the columns of a data frame whose type says so.
    strength : float, default=1.0
        0 ranks by importance alone; the larger, the sooner correlated features are put off.
    k : int or None, default=None
        Steps to take: the first k features are ranked as above, the others follow by their
        importance after the discounts of these k. None: all with a positive importance. A step
        costs at most n_samples multiplications for each of these, mostly far fewer.

    Returns
    -------
    ranking : ndarray of shape (n_features,)
        Indices of the features, best first. Ties are broken by importance, then by index.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest.redundancy import rerank
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 100))
    >>> X = np.column_stack([a, a + 0.1 * rng.normal(size=100), b])
    >>> rerank([0.5, 0.3, 0.2], X)
    array([0, 2, 1])
    >>> rerank([0.5, 0.3, 0.2], X, strength=0)
    array([0, 1, 2])

    """
    return discounted(importances, X, strength=strength, k=k).order


@dataclass(frozen=True, eq=False)
class Discounted:
    """A ranking after the discount, and what it has discounted features for.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        As `rerank` returns it.
    scores : ndarray of shape (n_features,)
        Importance after the discount for all features ranked before; never rises along the ranking.
    nearest : ndarray of shape (n_features,)
        Of the features ranked before, the one that explains most of each feature; -1 where there is
        none, or nobody looked.
    explained : ndarray of shape (n_features,)
        The share that it explains.

    """

    order: NDArray[np.intp]
    scores: Floats
    nearest: NDArray[np.intp]
    explained: Floats


def discounted(
    importances: ArrayLike,
    X: Any,
    *,
    strength: Any = 1.0,
    k: Any = None,
    tie_breaker: Floats | None = None,
    weight: Floats | None = None,
) -> Discounted:
    """Rank as `rerank` does, and return what is left of each importance, and why.

    Parameters
    ----------
    importances, X, strength, k
        As in `rerank`.
    tie_breaker : ndarray of shape (n_features,) or None, default=None
        What orders features of equal score and importance, the larger the better; None: the index.
    weight : ndarray of shape (n_samples,) or None, default=None
        What each sample weighs in the correlations; None means 1.

    Returns
    -------
    ranking : Discounted
        The order, what is left of each importance, and which feature took most of it.

    """
    importance = _checked_importances(importances)
    # A table says by its types which columns are categories; names nobody asks for here.
    features, samples = read_features(
        BaseEstimator(), X, categorical_features=FROM_DTYPE, missing="incorporate"
    )
    if samples.shape[1] != len(importance):
        raise ValueError(
            f"importances and X must have as many features; got {len(importance)} importances and"
            f" an X with {samples.shape[1]} columns"
        )
    if not isinstance(strength, Real) or not 0 <= float(strength) < np.inf:
        raise ValueError(f"strength must be a finite number of at least 0; got {strength!r}")
    if k is not None and (not isinstance(k, Integral) or k < 1):
        raise ValueError(f"k must be an int of at least 1 or None; got {k!r}")
    keys = [-importance] if tie_breaker is None else [-tie_breaker, -importance]
    by_importance = np.lexsort(keys)  # stable, the last key decides first
    nearest, share = np.full(len(importance), -1, dtype=np.intp), np.zeros(len(importance))
    if strength == 0:
        return Discounted(by_importance, importance.copy(), nearest, share)
    # Most important first, so that the first of equal scores is the right one. What has no
    # importance keeps its place behind the others.
    positive, others = np.split(by_importance, [np.count_nonzero(importance)])
    n_steps = len(positive) if k is None else min(len(positive), int(k))
    explained: _Explained
    if features.has_categories or np.isnan(total(samples)):
        explained = _explained_in_pairs(Association(samples, features, weight), positive)
    else:
        explained = _explained_by_products(_unit_columns(samples, positive, weight))
    greedy = _Greedy(importance[positive], explained, float(strength))
    order, left = greedy.order(n_steps)
    scores = np.zeros(len(importance))
    scores[positive[order]] = left
    share[positive] = greedy.explained
    nearest[positive] = np.where(greedy.nearest < 0, -1, positive[greedy.nearest])
    return Discounted(np.concatenate([positive[order], others]), scores, nearest, share)


def _checked_importances(importances: ArrayLike) -> Floats:
    importance = np.asarray(importances, dtype=np.float64)
    if importance.ndim != 1 or not np.isfinite(importance).all() or (importance < 0).any():
        raise ValueError(
            "importances must be one finite number of at least 0 per feature; got"
            f" {_described(importance)}"
        )
    return importance


def _described(importance: Floats) -> str:
    if importance.ndim != 1:
        return f"an array of shape {importance.shape}"
    bad = importance[~np.isfinite(importance) | (importance < 0)]
    return str(bad[0])


def _unit_columns(
    X: Floats, features: NDArray[np.intp], weight: Floats | None = None
) -> NDArray[np.float32]:
    """Return these columns as rows: centred, of unit length, 0 for a constant one.

    With weights, products of two rows are weighted correlations.
    """
    n_blocks = max(1, -(-8 * X.shape[0] * len(features) // _BLOCK_BYTES))
    blocks = [
        _unit_block(X, features[begin:end], weight) for begin, end in cut(len(features), n_blocks)
    ]
    return np.concatenate(blocks)


def _unit_block(X: Any, features: NDArray[np.intp], weight: Floats | None) -> NDArray[np.float32]:
    rows = np.ascontiguousarray(dense(X[:, features]).T, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    rows /= np.maximum(largest, np.finfo(float).tiny)  # squares exist
    if weight is None:
        rows -= rows.mean(axis=1, keepdims=True)
    else:
        rows -= np.average(rows, axis=1, weights=weight, keepdims=True)
        rows *= np.sqrt(weight / weight.max())
    norm = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    varies = norm > 1e-15 * np.sqrt(X.shape[0])
    rows *= np.divide(1.0, norm, out=np.zeros_like(norm), where=varies)[:, None]
    return rows.astype(np.float32)


#: The share of the variance of some features that each of some others explains.
_Explained = Callable[[slice, list[int]], NDArray[Any]]


def _explained_by_products(unit: NDArray[np.float32]) -> _Explained:
    def explained(features: slice, news: list[int]) -> NDArray[Any]:
        r = unit[features] @ unit[news].T
        return r * r

    return explained


def _explained_in_pairs(association: Association, positive: NDArray[np.intp]) -> _Explained:
    def explained(features: slice, news: list[int]) -> NDArray[Any]:
        return association.squared(positive[features], positive[news])

    return explained


class _Greedy:
    """The greedy choice, with scores brought up to date only where they matter.

    A score never rises when a feature is chosen, so an old one is an upper bound: if the largest
    score is up to date, no other can beat it (Minoux 1978).
    """

    def __init__(self, importance: Floats, explains: "_Explained", strength: float) -> None:
        self.importance, self.explains, self.strength = importance, explains, strength
        self.score = importance.copy()
        self.explained = np.zeros(len(importance))
        self.nearest = np.full(len(importance), -1, dtype=np.intp)
        self.n_known = np.zeros(len(importance), dtype=np.intp)  # chosen ones a score has seen
        self.chosen: list[int] = []

    def order(self, n_steps: int) -> tuple[NDArray[np.intp], Floats]:
        """Return the first `n_steps` features, then the rest by their scores, and all scores."""
        scores, because = [], []
        for _ in range(n_steps):
            best = self._best()
            scores.append(self.score[best])
            because.append((self.nearest[best], self.explained[best]))
            self.chosen.append(best)
            self.score[best] = -np.inf
        self._update_all()
        # What comes after a feature has discounted nothing of it.
        for best, (nearest, share) in zip(self.chosen, because, strict=True):
            self.nearest[best], self.explained[best] = nearest, share
        rest = np.argsort(-self.score, kind="stable")[: len(self.score) - n_steps]
        order = np.concatenate([np.array(self.chosen, dtype=np.intp), rest])
        return order, np.concatenate([scores, self.score[rest]])

    def _best(self) -> int:
        for _ in range(_SINGLES):
            best = int(self.score.argmax())
            if self.n_known[best] == len(self.chosen):
                return best
            self._update(slice(best, best + 1), self.n_known[best])
        self._update_all()
        return int(self.score.argmax())

    def _update_all(self) -> None:
        waiting = np.isfinite(self.score)
        if waiting.any():
            self._update(slice(None), self.n_known[waiting].min())
            self.score[self.chosen] = -np.inf

    def _update(self, features: slice, n_known: int) -> None:
        """Let these features know of the features chosen after the first `n_known`."""
        news = self.chosen[n_known:]
        if len(news) == 0:
            return
        # Rounded, lest the last digit of single precision decides between equals.
        shares = self.explains(features, news)
        best = shares.argmax(axis=1)
        share = shares[np.arange(len(best)), best].astype(np.float64)
        share = np.minimum(np.round(share, 6), 1.0)
        is_nearer = share > self.explained[features]
        self.nearest[features] = np.where(is_nearer, np.array(news)[best], self.nearest[features])
        explained = np.where(is_nearer, share, self.explained[features])
        self.explained[features] = explained
        self.score[features] = self.importance[features] * (1.0 - explained) ** self.strength
        self.n_known[features] = len(self.chosen)


@dataclass(frozen=True)
class StrengthChoice:
    """What `choose_strength` found.

    Attributes
    ----------
    strength : float
        The strength with the best mean score, the smallest of equals.
    strengths : tuple of float
        Those compared.
    scores : tuple of float
        Their mean scores over folds and numbers of features.

    Examples
    --------
    >>> from inforest.redundancy import StrengthChoice
    >>> choice = StrengthChoice(1.0, strengths=(0.0, 1.0), scores=(0.90, 0.92))
    >>> choice.strength
    1.0

    """

    strength: float
    strengths: tuple[float, ...]
    scores: tuple[float, ...]


def choose_strength(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    rank: Callable[[Floats, NDArray[Any]], ArrayLike],
    n_features: Sequence[int] = (5, 10, 25, 50, 100),
    strengths: Sequence[float] = STRENGTHS,
    cv: Any = 5,
    scoring: Any = None,
) -> StrengthChoice:
    """Choose the strength of `rerank` by cross-validation of a model on the top features.

    Importances are computed anew on the training part of each fold, so that the scores are honest.

    Parameters
    ----------
    estimator : estimator
        Fitted on the top features and scored; cloned before.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their targets.
    rank : callable
        ``rank(X, y)`` returns the importances of the features, one per column.
    n_features : sequence of int, default=(5, 10, 25, 50, 100)
        Numbers of top features over whose scores the mean is taken; those beyond the number of
        columns are left out.
    strengths : sequence of float, default=(0.0, 0.5, 1.0, 2.0)
        The strengths to compare.
    cv : int, splitter or iterable, default=5
        As in `sklearn.model_selection.cross_val_score`.
    scoring : str, callable or None, default=None
        As there; None is the estimator's own score.

    Returns
    -------
    choice : StrengthChoice
        The best strength and all scores.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.redundancy import choose_strength
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(20, random_state=0)
    >>> choice = choose_strength(
    ...     KNeighborsClassifier(), X, y, rank=lambda X, y: forest.fit(X, y).feature_importances_
    ... )
    >>> choice.strength in choice.strengths
    True

    """
    from sklearn.base import clone  # slow to import
    from sklearn.metrics import check_scoring

    samples, targets = check_array(X, dtype=np.float64, input_name="X"), np.asarray(y)
    sizes = sorted({k for k in n_features if 1 <= k <= samples.shape[1]})
    if not sizes or not len(strengths):
        raise ValueError(
            f"n_features={tuple(n_features)!r} must name a number of features X has (1 to"
            f" {samples.shape[1]}), and strengths={tuple(strengths)!r} at least one strength"
        )
    score = check_scoring(estimator, scoring=scoring)
    totals = np.zeros(len(strengths))
    kind = of_estimator(estimator) or NUMBER  # without a word about it, folds are plain
    folds = list(kind.check_cv(cv, targets).split(samples, targets))
    for train, test in folds:
        importances = rank(samples[train], targets[train])
        for i, strength in enumerate(strengths):
            order = rerank(importances, samples[train], strength=strength, k=sizes[-1])
            for size in sizes:
                top = order[:size]
                model = clone(estimator).fit(samples[np.ix_(train, top)], targets[train])
                totals[i] += score(model, samples[np.ix_(test, top)], targets[test])
    means = totals / (len(folds) * len(sizes))
    best = min(range(len(strengths)), key=lambda i: (-means[i], strengths[i]))
    return StrengthChoice(
        float(strengths[best]), tuple(map(float, strengths)), tuple(means.tolist())
    )
