"""`PermutationFilter`: keeps the features whose independence of y is rejected, or the best k."""

import math
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats
from inforest._engine.sklearn_private import Interval, fit_context
from inforest._engine.table import ColumnSelector
from inforest.estimators.base import all_or_nothing
from inforest.independence.options import CONSTRAINTS
from inforest.independence.tests import run_test

#: Adjustments under which a lone rejection needs a p-value below alpha / n_features.
_DIVIDING = ("bonferroni", "holm", "sidak")


class PermutationFilter(ColumnSelector, BaseEstimator):
    """Select features by permutation tests of their independence of y.

    Each feature is tested by itself, whatever the others say: a filter. A feature is kept if its
    adjusted p-value is below `alpha`, or if it is among the first `k` of the ranking.

    Parameters
    ----------
    selector : str, list of str or None, default=None
        The statistic: "mc", "mi", "rdc", "quad" for classes, "pc", "dc", "rdc", "quad" for numbers;
        a list means the largest of several. None takes "mc" or "pc".
    alpha : float, default=0.05
        A feature is kept if its adjusted p-value is below this level. Not used with `k`.
    adjust : str or None, default="westfall-young"
        How p-values are adjusted for the number of features: None, "bonferroni", "holm", "sidak",
        "westfall-young" (family-wise error), "fdr_bh", "fdr_by" (false discovery rate; "fdr_bh"
        for independent or positively dependent p-values, "fdr_by" under any dependence).
    k : int or None, default=None
        Keep the first k features of the ranking instead, significant or not.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto": what the selector is for; where it serves both, regression if y holds fractions or
        more than 20 distinct numbers.
    method : {"permutation", "asymptotic", "exact"}, default="permutation"
        How p-values are computed, as in `independence_test`.
    n_resamples : "auto" or int, default="auto"
        Permutations per feature; "auto" is what the level asks for, at least 999.
    early_stopping : {"curtailed", "adaptive"} or None, default=None
        Stops a test whose decision is certain, or nearly so; `adjust` must then be None,
        "bonferroni" or "sidak".
    early_stopping_confidence : float, default=0.95
        The posterior probability that "adaptive" asks for.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categories, as in `independence_test`.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        What missing values are, as in `independence_test`.
    random_state : int, RandomState instance or None, default=None
        Seeds the permutations.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if fit takes longer than a second.

    Attributes
    ----------
    result_ : IndependenceResult
        All tests, as a table (`result_.to_frame()`) or a figure (`result_.plot()`).
    scores_ : ndarray of shape (n_features_in_,)
        Observed statistics.
    pvalues_ : ndarray of shape (n_features_in_,)
        P-values before the adjustment.
    adjusted_pvalues_ : ndarray of shape (n_features_in_,)
        P-values after it.
    ranking_ : ndarray of shape (n_features_in_,)
        Indices of the features by p-value, then statistic, then index: `ranking_[:k]` are the
        best k.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    independence_test : The tests themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from inforest import PermutationFilter
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> PermutationFilter(k=5, random_state=0).fit_transform(X, y).shape
    (569, 5)

    """

    # Groups are requested by name only: here they change what is tested.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"blocks": True}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "k": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        selector: str | list[str] | tuple[str, ...] | None = None,
        alpha: float = 0.05,
        adjust: str | None = "westfall-young",
        k: int | None = None,
        *,
        task: str = "auto",
        method: str = "permutation",
        n_resamples: str | int = "auto",
        early_stopping: str | None = None,
        early_stopping_confidence: float = 0.95,
        categorical_features: Any = "from_dtype",
        missing: str = "incorporate",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.alpha = alpha
        self.adjust = adjust
        self.k = k
        self.task = task
        self.method = method
        self.n_resamples = n_resamples
        self.early_stopping = early_stopping
        self.early_stopping_confidence = early_stopping_confidence
        self.categorical_features = categorical_features
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        blocks: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Test the features of X against y.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Any table: numbers, categories, dates.
        y : array-like of shape (n_samples,)
            Class labels of any type, or finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row weighs, as in `independence_test`: responses are permuted, weights stay.
        blocks : array-like of shape (n_samples,), default=None
            The block of each row, inside which alone responses are permuted, as in
            `independence_test`.
        groups : array-like of shape (n_samples,), default=None
            The group of each row, as in `independence_test`: one test row per group.

        Returns
        -------
        self : object
            The fitted filter. After an error or Ctrl-C it is what it was before.

        """
        with all_or_nothing(self):
            params = self.get_params(deep=False)
            self.result_ = run_test(
                *(self, X, y, params),
                together={"blocks": blocks, "groups": groups},
                check=self._check,
                sample_weight=sample_weight,
            )
        return self

    def _check(self, n_features: int) -> None:
        """Raise an error if nothing could be selected, or not as many."""
        if self.k is not None:
            if self.k > n_features:
                raise ValueError(f"k must be at most n_features={n_features}; got {self.k}")
            return
        if self.method != "permutation" or isinstance(self.n_resamples, str):
            return
        sharing = n_features if self.adjust in _DIVIDING else 1
        least = math.ceil(sharing / self.alpha * (1 - 1e-12))
        if self.n_resamples < least:
            raise ValueError(
                f"n_resamples={self.n_resamples}, alpha={self.alpha:g} and adjust={self.adjust!r}"
                f" contradict each other: with {n_features} features and fewer than {least}"
                f" permutations no test can reject. Raise n_resamples to {least}, or use 'auto',"
                " or adjust='westfall-young'."
            )

    @property
    def scores_(self) -> Floats:
        """Observed statistics."""
        check_is_fitted(self)
        return self.result_.statistic

    @property
    def pvalues_(self) -> Floats:
        """P-values before the adjustment."""
        check_is_fitted(self)
        return self.result_.p_value

    @property
    def adjusted_pvalues_(self) -> Floats:
        """P-values after the adjustment."""
        check_is_fitted(self)
        return self.result_.adjusted_p_value

    @property
    def ranking_(self) -> NDArray[np.intp]:
        """Indices of the features, best first."""
        check_is_fitted(self)
        return self.result_.ranking

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        if self.k is None:
            return self.result_.adjusted_p_value < self.alpha
        mask = np.zeros(len(self.result_), dtype=bool)
        mask[self.ranking_[: self.k]] = True
        return mask

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags
