"""`KnockoffSelector`: keeps the features that say more than copies of them."""

from contextlib import nullcontext
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats
from inforest._engine.progress import Progress
from inforest._engine.responses import TASK_NAMES, find_response_type
from inforest._engine.seeds import root_entropy
from inforest._engine.sklearn_private import Interval, StrOptions, fit_context
from inforest._engine.table import ColumnSelector
from inforest._engine.training_set import TrainingSet, make_training_set
from inforest._engine.words import names_of_features
from inforest.conditional.gaussian_copula import GaussianCopula
from inforest.conditional.knockoff_filter import e_bh, e_values, gains
from inforest.conditional.knockoff_result import KnockoffResult
from inforest.estimators.base import all_or_nothing
from inforest.estimators.base_forest import FORESTS

_COUNT = [Interval(Integral, 1, None, closed="left")]
#: Level, over all features, of the check that the copula fits.
_DEPARTS = 0.01
#: Correlation with its copy from which on a feature cannot be told from it.
_SAME = 0.95
#: Fewer rows say nothing about so fine a question.
_LEAST_ROWS = 50
#: Share of the features that each node of a forest looks at: pairs meet more often.
_MAX_FEATURES = 1 / 3


class KnockoffSelector(ColumnSelector, BaseEstimator):
    """Select features that say more than copies of them, with a false discovery rate.

    For tables of some hundred numbers and more, where `ConditionalSelector` takes long. Each
    feature gets a copy ("knockoff") that depends on the other features as it does, but was made
    without y; a forest sees both, and which is which is hidden from it. Where a feature says
    nothing beyond the others, it is as often more important than its copy as less. With several
    tables of copies the selection hardly depends on chance; their evidence is joined by e-values.

    Copies are made from a Gaussian copula: ranks that are jointly normal. Features in a pair that
    is not like that are refused, and so not kept: `result_.verdict` says which. Nothing is selected
    unless more than ``1 / alpha`` features say something, and often not even then:
    docs/conditional.md has what was measured. An empty selection is no answer.

    Parameters
    ----------
    alpha : float, default=0.1
        The false discovery rate: the expected share of wrong features among those kept.
    task : str, default="auto"
        As in `independence_test`.
    n_knockoffs : int, default=20
        Tables of copies, each with a forest of its own.
    n_estimators : int, default=100
        Trees of each forest.
    random_state : int, RandomState instance or None, default=None
        Seeds copies and forests.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    result_ : KnockoffResult
        All features, as a table (`result_.to_frame()`) and in words (`result_.conclusion`).
    e_values_ : ndarray of shape (n_features_in_,)
        The evidence for each feature.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X had names that are all strings.

    See Also
    --------
    ConditionalSelector : P-values, any kind of feature, few features that matter.
    PermutationFilter : Tests each feature by itself, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import KnockoffSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 30))
    >>> y = X[:, :15].sum(axis=1) + rng.normal(size=500)
    >>> selector = KnockoffSelector(n_knockoffs=5, random_state=0).fit(X, y)
    >>> bool(selector.get_support()[15:].any())
    False

    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "task": [StrOptions(TASK_NAMES)],
        "n_knockoffs": _COUNT,
        "n_estimators": _COUNT,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        alpha: float = 0.1,
        *,
        task: str = "auto",
        n_knockoffs: int = 20,
        n_estimators: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.task = task
        self.n_knockoffs = n_knockoffs
        self.n_estimators = n_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Compare each feature of X with copies of it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers without gaps; at least 50 rows, and more rows than features.
        y : array-like
            Class labels, numbers, or what else the library has a forest for.

        Returns
        -------
        self : object
            The fitted selector. After an error or Ctrl-C it is what it was before.

        """
        with all_or_nothing(self):
            kind = find_response_type(self.task, None, y)
            data = make_training_set(
                self, X, y, None, kind, categorical_features="from_dtype", missing="incorporate"
            )
            names = names_of_features(self, None)
            _check(data, names)
            self.result_: KnockoffResult = self._compare(data, names, FORESTS[kind.name])
        return self

    def _compare(self, data: TrainingSet, names: list[str], forest: Any) -> KnockoffResult:
        X = np.asarray(data.X, dtype=np.float64)
        # A stream of its own: X may come from default_rng of the same number.
        seeds = np.random.SeedSequence(root_entropy(self.random_state)).spawn(1)[0]
        rng = np.random.default_rng(seeds)
        varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
        departure, likeness, gain = (np.full(X.shape[1], np.nan) for _ in range(3))
        verdict = np.full(X.shape[1], "constant", dtype=object)
        e_value = np.zeros(X.shape[1])
        if len(varies):
            copula = GaussianCopula(X[:, varies], rng)
            departure[varies], likeness[varies] = copula.departures(), 1 - copula.distances
            verdict[varies] = "not selected"
            verdict[likeness > _SAME] = "not testable"
            verdict[departure <= _DEPARTS] = "copula fails"
            found = np.zeros((self.n_knockoffs, len(varies)))
            with Progress(self.n_knockoffs, "forests") if self.verbose else nullcontext() as bar:
                for k in range(self.n_knockoffs):
                    copies = copula.knockoffs(rng)
                    grown = forest(
                        self.n_estimators, max_features=_MAX_FEATURES, n_jobs=self.n_jobs,
                        random_state=int(rng.integers(2**31)),
                    )  # fmt: skip

                    def importances(pairs: Floats, grown: Any = grown) -> Floats:
                        seen: Floats = grown.fit(pairs, data.y).importances("unseen_effect")
                        return seen

                    found[k] = gains(X[:, varies], copies, importances)
                    if bar:
                        bar.advance(1)
            gain[varies] = found.mean(axis=0)
            tested = verdict[varies] == "not selected"
            evidence = np.mean([e_values(g[tested], self.alpha) for g in found], axis=0)
            e_value[varies[tested]] = evidence
            verdict[varies[tested][e_bh(evidence, self.alpha)]] = "selected"
        return KnockoffResult(
            feature_names=np.array(names, dtype=object),
            gain=gain,
            e_value=e_value,
            likeness=likeness,
            departure=departure,
            verdict=verdict,
            alpha=float(self.alpha),
            n_samples=len(X),
            n_knockoffs=int(self.n_knockoffs),
        )

    @property
    def e_values_(self) -> Floats:
        """Evidence for each feature."""
        check_is_fitted(self)
        return self.result_.e_value

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.result_.selected

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _check(data: TrainingSet, names: list[str]) -> None:
    """Refuse what a Gaussian copula says nothing about."""
    X = data.X
    for bad, what in [
        (data.features.is_category, "categories"),
        (np.isnan(X).any(axis=0), "missing values (NaN)"),
    ]:
        if bad.any():
            raise ValueError(
                f"KnockoffSelector takes numbers without gaps; {names[int(bad.argmax())]!r} has"
                f" {what}. ConditionalSelector takes any table."
            )
    n, p = X.shape
    if n < _LEAST_ROWS or n <= p:
        raise ValueError(
            f"KnockoffSelector needs at least {_LEAST_ROWS} rows and more rows than features, since"
            f" it learns how all features go together; got {n} rows and {p} features."
            " PermutationFilter is exact for any number of either."
        )
