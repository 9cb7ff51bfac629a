"""`ConditionalSelector`: keeps the features that say something the others do not say."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats
from inforest._engine.responses import TASK_NAMES
from inforest._engine.sklearn_private import Interval, StrOptions, fit_context
from inforest._engine.table import ColumnSelector
from inforest.conditional.conditional_test import run_conditional
from inforest.conditional.result import ConditionalResult
from inforest.estimators.base import all_or_nothing
from inforest.independence.adjustment import ADJUSTERS

_COUNT = [Interval(Integral, 1, None, closed="left")]


class ConditionalSelector(ColumnSelector, BaseEstimator):
    """Select features by `conditional_test`, with an error rate.

    A feature is kept if it says something about y that all the others together do not say. With
    ``adjust="fdr_bh"`` the expected share of wrong features among those kept is at most `alpha`, as
    far as the models of the features hold: docs/conditional.md says what was measured. Features
    for which they do not hold are refused, and so not kept: `result_.verdict` says which. For
    groups of features, a few given ones, or a check with copies there is `conditional_test`.

    Parameters
    ----------
    alpha : float, default=0.1
        The error rate.
    adjust : {"fdr_bh", "fdr_by", "bonferroni", "holm", "sidak"} or None, default="fdr_bh"
        Which one: the false discovery rate, the chance of any wrong feature, or that of each by
        itself (None).
    task : str, default="auto"
        As in `independence_test`.
    n_estimators : int, default=100
        Trees of each forest.
    n_folds : int, default=2
        Parts that the rows are split into.
    n_repeats : int, default=2
        Random splits, over which statistics are averaged; that of a single one is divided by 1.41.
    n_draws : int, default=16
        Values drawn for each row and feature, half of them for each of the two differences.
    random_state : int, RandomState instance or None, default=None
        Seeds splits, forests and draws.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    result_ : ConditionalResult
        All tests, as a table (`result_.to_frame()`), a figure (`result_.plot()`), in words
        (`result_.conclusion`).
    p_values_ : ndarray of shape (n_features_in_,)
        P-values before the adjustment.
    adjusted_p_values_ : ndarray of shape (n_features_in_,)
        P-values after it.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    conditional_test : The tests themselves.
    PermutationFilter : Tests each feature by itself, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import ConditionalSelector
    >>> rng = np.random.default_rng(0)
    >>> cause = rng.normal(size=400)
    >>> proxy = cause + rng.normal(size=400)
    >>> X = np.column_stack([cause, proxy, rng.normal(size=(400, 3))])
    >>> y = np.sin(2 * cause) + 0.5 * rng.normal(size=400)
    >>> ConditionalSelector(random_state=0).fit(X, y).get_support()
    array([ True, False, False, False, False])

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "adjust": [StrOptions(set(ADJUSTERS)), None],
        "task": [StrOptions(TASK_NAMES)],
        "n_estimators": _COUNT,
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "n_repeats": _COUNT,
        "n_draws": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        adjust: str | None = "fdr_bh",
        *,
        task: str = "auto",
        n_estimators: int = 100,
        n_folds: int = 2,
        n_repeats: int = 2,
        n_draws: int = 16,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.adjust = adjust
        self.task = task
        self.n_estimators = n_estimators
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.n_draws = n_draws
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, *, groups: ArrayLike | None = None) -> Self:
        """Test what each feature of X says about y beyond the others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, categories, missing values; at least 50 rows.
        y : array-like
            Class labels, numbers, or what else the library has a forest for.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are in the same fold, and count as one observation.

        Returns
        -------
        self : object
            The fitted selector. After an error or Ctrl-C it is what it was before.

        """
        with all_or_nothing(self):
            params = self.get_params(deep=False)
            self.result_: ConditionalResult = run_conditional(self, X, y, groups=groups, **params)
        return self

    @property
    def p_values_(self) -> Floats:
        """P-values before the adjustment."""
        check_is_fitted(self)
        return self.result_.p_value

    @property
    def adjusted_p_values_(self) -> Floats:
        """P-values after the adjustment."""
        check_is_fitted(self)
        return self.result_.adjusted_p_value

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.result_.selected

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags
