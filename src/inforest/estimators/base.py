"""What trees and forests share: parameters, fit, and reading the fitted trees."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from inforest import _core
from inforest._engine.arrays import Floats, Integers, Trees
from inforest._engine.cost import warn_of_budgets
from inforest._engine.features import Features
from inforest._engine.order import rank
from inforest._engine.parameters import core_options, paper_settings
from inforest._engine.responses import CLASSES, NUMBER, ResponseType
from inforest._engine.sampling import VALIDATED_TYPES, Sampling
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest._engine.sklearn_private import fit_context
from inforest._engine.training_set import TrainingSet, make_training_set, validated
from inforest.estimators.importance import importances


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Put every attribute back if fit fails or is interrupted: no half-fitted estimator."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def _tails(data: TrainingSet, options: dict[str, Any], seed: int) -> Floats:
    """Return how far out each feature's statistic lies in its own permutation distribution."""
    return _core.tail_scores(
        **data.without_absent_rows().test_arguments,
        selectors=options["selector"],
        seed=seed,
        missing=options["missing"],
    )[0]


class BaseInference(BaseEstimator, ABC):
    """Parameters, fit and the reading of importances; subclasses say how trees are grown."""

    honesty: bool
    honesty_fraction: float
    missing: str
    ranking_ties: str
    random_state: Any
    verbose: int
    n_features_in_: int
    root_statistic_: Floats
    #: The same as tails, which can be compared, where there are categories.
    _root_tail: Floats | None = None
    missing_counts_: Integers
    #: Only where the response has classes.
    classes_: NDArray[Any]
    n_classes_: int
    #: How many numbers are predicted for a sample.
    n_outputs_: int

    #: What scikit-learn's metadata routing hands over without being asked to.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"blocks": True, "groups": True}
    #: Whether `fit` takes features that were read before.
    _reads_encoded: ClassVar[bool] = True
    #: What y is.
    _response_type: ClassVar[ResponseType]
    #: Whether it has the parameters of a forest, or those of a single tree.
    _is_forest: ClassVar[bool]
    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    #: What the columns of X are.
    _features: Features
    #: What all seeds of the fit come from.
    _entropy: int | list[int]

    @classmethod
    def paper(cls, **overrides: Any) -> Self:
        """Make an estimator with the configuration of the paper's benchmark.

        Parameters
        ----------
        **overrides
            Parameters that shall differ from it.

        Returns
        -------
        estimator : object
            A new, unfitted estimator.

        """
        settings = paper_settings(cls._response_type, is_forest=cls._is_forest)
        return cls(**{**settings, **overrides})

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        blocks: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Grow on the samples X with the targets y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers, nan where one is missing. float64 in Fortran order is used as it is, all else
            is copied once.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels of any type, or finite numbers in regression, where there may be several
            of them for each sample.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row weighs, numbers >= 0 that are not all 0; 0 leaves the row out. Only
            ratios matter. Impurities, values of leaves, importances and out-of-bag scores are
            weighted, and so are the statistics of the tests, in which responses are permuted among
            rows while weights stay with their rows: the tests keep their level. For that, weights
            must not be made from y; for classes that shall weigh more there is `class_weight`.
            A weight repeats no row: `min_samples_leaf` and samples count rows. "dc" and "mi" take
            no weights.
        blocks : array-like of shape (n_samples,), default=None
            The block of each row: a centre, a batch, a matched pair. Both stages permute responses
            inside blocks only, so that differences between blocks, in y and in the features, count
            for nothing; Stage A looks at the features less their means in the node's blocks. A
            block never leaves anything to choose where a node holds a single row of it.
        groups : array-like of shape (n_samples,), default=None
            The group of each row: a subject with several rows. The rows of a group are in a tree's
            sample together, or out of its bag together, and on one side of an honest split. It does
            not change the tests: these still take rows for exchangeable, which rows of one subject
            are not if their responses go together.

        Returns
        -------
        self : object
            The fitted estimator. After an error or Ctrl-C it is what it was before.

        """
        with all_or_nothing(self):
            data = make_training_set(
                self,
                X,
                y,
                sample_weight,
                self._kind,
                blocks=blocks,
                groups=groups,
                reset=not self._goes_on,
                in_place=True,
            )
            self._fit(data)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def _fit_prepared(self, data: TrainingSet) -> Self:
        """Do what `fit` does, with data that were checked and converted before."""
        if type(self).fit is not BaseInference.fit:  # a subclass does more than this
            y = data.response.type.decode(data.response)
            return self.fit(data.table, y, **data.fit_arguments)
        with all_or_nothing(self):
            self.n_features_in_ = data.X.shape[1]
            self._features = data.features.columns or Features(self.n_features_in_)
            self._fit(data)
        return self

    def _fit(self, data: TrainingSet) -> None:
        params = self._params
        warn_of_budgets(params, len(data.y))
        options = core_options(params, data)
        if not self._goes_on:
            self._entropy = root_entropy(self.random_state)
        self._grow(data, options)
        seed = int(seeds(self._entropy, Purpose.STATISTIC, 1)[0])
        self.root_statistic_ = data.statistics(options["selector"], seed, options["missing"])
        self._root_tail = _tails(data, options, seed) if data.features.are_mixed else None
        self.missing_counts_ = data.features.missing_counts
        self.n_outputs_ = data.response.n_outputs if data.response.scale is not None else 1
        if data.response.classes is not None:
            self.classes_ = data.response.classes
            self.n_classes_ = len(data.response.classes)

    @property
    def _params(self) -> dict[str, Any]:
        """The parameters; `get_params` reads the signature anew, as long as a tree may take."""
        return {name: getattr(self, name) for name in self._parameter_constraints}

    @abstractmethod
    def _grow(self, data: TrainingSet, options: dict[str, Any]) -> None:
        """Grow all trees and keep them."""

    def _keep(
        self, data: TrainingSet, trees: Trees, seeds: NDArray[np.uint64], sampling: Sampling
    ) -> None:
        """Keep what the response type needs besides of new trees and the rows they grew from."""

    @property
    @abstractmethod
    def _trees(self) -> Trees:
        """The fitted trees."""

    @property
    def _predictors(self) -> Trees:
        """The fitted trees with the values that predictions are made of."""
        return self._trees

    @property
    def _kind(self) -> ResponseType:
        """What y is, as the parameters make it."""
        return self._response_type.configured(self)

    @property
    def _goes_on(self) -> bool:
        """Whether fit adds to what an earlier fit has grown."""
        return False

    @property
    def _jobs(self) -> int | None:
        """How many threads read the fitted trees, as joblib counts them."""
        return 1

    @property
    def _has_out_of_bag(self) -> bool:
        """Whether the trees leave rows out."""
        return False

    @property
    def _importance_type(self) -> str:
        """The type of `feature_importances_`."""
        return "split"

    @property
    def _offers(self) -> Integers | None:
        """At how many nodes each feature was a candidate, if that is known."""
        return getattr(self, "candidate_counts_", None)

    def _checked(self, X: ArrayLike) -> Floats:
        check_is_fitted(self)
        return validated(self, X, reset=False, in_place=True)[1]

    def _predict_mean(self, X: ArrayLike) -> Floats:
        """Return the values of each sample's leaves, averaged over the trees."""
        X = self._checked(X)
        return self._predictors.predict(X, self._jobs)

    def _predict(self, X: ArrayLike) -> NDArray[Any]:
        mean = self._predict_mean(X)
        return self._kind.predict(mean, getattr(self, "classes_", None))

    def importances(self, importance_type: str | None = None) -> Floats:
        """Return the features' importances, scaled to sum 1 (0 where nothing was split).

        They describe the fitted trees; no theorem covers them.

        Parameters
        ----------
        importance_type : {"split", "count", "weighted", "validated", "effect", \
                "unseen_effect"} or None, default=None
            None: that of `feature_importances_`. "split" (the paper's): decrease of impurity at
            the feature's splits, every tree scaled to 1. "count": number of splits. "weighted": as
            "split", each split times its node's share of the weight. "validated" (forests whose
            trees leave rows out): as "weighted", only of splits whose children predict the
            out-of-bag rows better than the node does, by the squared error; a tree counts as much
            as its decreases do. "effect": the square root of what such a split takes away of its
            tree's impurity, with the splitter "mse" the correlation of its sides with the tree's y,
            so that many weak splits are seen; per node where the feature was a candidate, so that
            features with many values, which can be split more often, are not preferred.
            "unseen_effect": the same correlation on the out-of-bag rows, of the splits that these
            agree with: the best of many cuts looks good on the rows it was chosen by, and on
            others no better than the only cut of a feature with two values.

        Returns
        -------
        importances : ndarray of shape (n_features,)
            One importance per feature.

        """
        check_is_fitted(self)
        kind = self._checked_importance(importance_type)
        return importances(self._trees, self.n_features_in_, kind, self._offers)

    def _checked_importance(self, importance_type: str | None) -> str:
        """Return the type of importance that is meant, if there is one such."""
        if importance_type is None:
            return self._importance_type
        if importance_type in VALIDATED_TYPES and not self._has_out_of_bag:
            raise ValueError(
                f"importance_type={importance_type!r} needs rows that a tree has not seen, and"
                " there are none: use a forest with bootstrap=True and max_samples below all"
                " rows, or importance_type='weighted'"
            )
        return importance_type

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the estimator's own type, "split" for a tree."""
        return self.importances()

    @property
    def ranking_(self) -> NDArray[np.intp]:
        """Indices of the features, not ranks: best first, `ranking_[:k]` are the top k."""
        return rank(self.feature_importances_, self._tie_breaker)

    @property
    def _tie_breaker(self) -> Floats | None:
        """What orders features of equal importance; None: the order of the columns."""
        if self.ranking_ties != "association":
            return None
        return self.root_statistic_ if self._root_tail is None else self._root_tail

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.sparse = True
        return tags


class InferenceClassifier(ClassifierMixin, BaseInference):
    """Prediction of classes."""

    _response_type: ClassVar[ResponseType] = CLASSES

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the most probable class, the first of equals.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted classes.

        """
        return self._predict(X)

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Predict class probabilities: the class proportions of the leaf, averaged over trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.

        """
        return self._predict_mean(X)

    def predict_log_proba(self, X: ArrayLike) -> Floats:
        """Predict the logarithms of the class probabilities; -inf for 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        log_p : ndarray of shape (n_samples, n_classes)
            Columns in the order of `classes_`.

        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class InferenceRegressor(RegressorMixin, BaseInference):
    """Prediction of numbers."""

    _response_type: ClassVar[ResponseType] = NUMBER

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the mean of the sample's leaf, averaged over the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The predicted values.

        """
        return self._predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
