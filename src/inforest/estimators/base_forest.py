"""What only forests have: samples, out-of-bag predictions, warm starts, and reading many trees."""

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats, Integers, Trees
from inforest._engine.core_values import check_honesty, label_weights
from inforest._engine.design import Codes
from inforest._engine.parameters import r_settings
from inforest._engine.progress import Progress
from inforest._engine.responses import Response
from inforest._engine.sampling import Sampling, make_sampling
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest._engine.training_set import TrainingSet, make_training_set
from inforest.estimators.forest_weights import MOST_LEAVES, ForestWeights, keep_rows
from inforest.estimators.importance import (
    PermutationImportance,
    importances_per_tree,
    permutation_importance,
)

#: The first forest there is for each response type, by the type's name: it ranks by default.
FORESTS: dict[str, type] = {}


class Forest(ForestWeights):
    """What the forest estimators share."""

    n_estimators: int
    bootstrap: bool
    replace: bool
    max_samples: int | float | None
    oob_score: bool | Callable[..., float]
    keep_leaves: bool | str
    importance_type: str
    n_jobs: int | None
    warm_start: bool
    trees_: Trees
    candidate_counts_: Integers
    oob_score_: float

    _is_forest = True
    #: The estimator of a single one of its trees.
    _tree_class: ClassVar[Any]
    #: What the trees are grown from: `_sampling` of the data known by `_fingerprint`.
    _sampling: Sampling
    _fingerprint: str
    #: Those of the data, None without blocks.
    _blocks: Codes | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        kind = getattr(cls, "_response_type", None)
        if kind is not None:
            FORESTS.setdefault(kind.name, cls)

    @classmethod
    def cforest(cls, **overrides: Any) -> Self:
        """Make a forest that is R's ``partykit::cforest`` with its defaults, in distribution.

        500 trees as `ctree` grows them, on subsamples of 0.632 of the rows, at each node the best
        of ``ceil(sqrt(n_features))`` candidates whatever its p-value; docs/coming-from-r.md has
        the whole dictionary.

        Parameters
        ----------
        **overrides
            Parameters that shall differ from it.

        Returns
        -------
        estimator : object
            A new, unfitted estimator.

        """
        return cls(**{**r_settings(cls._response_type, is_forest=True), **overrides})

    def _grow(self, data: TrainingSet, options: dict[str, Any]) -> None:
        sampling = make_sampling(self._params, data)
        if self.honesty and sampling.quota is not None:
            check_honesty(self.honesty_fraction, min(data.n_rows, int(sampling.quota.sum())))
        old = [self.trees_] if self._goes_on else []
        if old:
            self._check_warm_start(data, sampling)
        n_old = sum(trees.n_trees for trees in old)
        new_seeds = seeds(self._entropy, Purpose.GROW, self.n_estimators)[n_old:]
        if len(new_seeds):
            with Progress(len(new_seeds), "trees") if self.verbose else nullcontext() as progress:
                done = progress.advance if progress else None
                trees, counts = data.grow(new_seeds, options, sampling, self.n_jobs, done)
            self.trees_ = Trees.concatenate([*old, trees])
            self.candidate_counts_ = self.candidate_counts_ + counts if old else counts
            self._keep(data, trees, new_seeds, sampling)
        self._sampling = sampling
        self._blocks = data.design.blocks
        self._fingerprint = data.fingerprint
        self._kept = keep_rows(self, data) if self._keeps_leaves(len(data.y)) else None
        for name in ("oob_score_", self._oob_name):
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._score_out_of_bag(data)

    def _keeps_leaves(self, n_rows: int) -> bool:
        if isinstance(self.keep_leaves, str):
            return n_rows * self.n_estimators <= MOST_LEAVES
        return bool(self.keep_leaves)

    def _check_warm_start(self, data: TrainingSet, sampling: Sampling) -> None:
        n_old = self.trees_.n_trees
        if self.n_estimators < n_old:
            raise ValueError(
                f"n_estimators={self.n_estimators} must not be less than the {n_old} trees there"
                " are when warm_start=True: it adds trees and never removes any"
            )
        unlike = self._response_type.unlike(data.response, getattr(self, "classes_", None))
        if unlike:
            raise ValueError(unlike)
        same_design = np.array_equal(data.design.blocks, self._blocks) and np.array_equal(  # type: ignore[arg-type]
            data.design.groups,  # type: ignore[arg-type]
            self._sampling.groups,  # type: ignore[arg-type]
        )
        if data.fingerprint != self._fingerprint or not same_design:
            raise ValueError(
                "warm_start=True adds trees grown on the same X, y and sample_weight as the others,"
                " and the same blocks and groups; got other data. Set warm_start=False to start"
                " again."
            )
        if not sampling.draws_like(self._sampling):
            raise ValueError(
                "warm_start=True adds trees that draw their rows as the others do; bootstrap,"
                " sampling_method, replace and max_samples must stay what they were"
            )
        if self.n_estimators == n_old:
            warnings.warn(
                f"warm_start=True and n_estimators={n_old} trees are already there: no tree was"
                " added. Raise n_estimators.",
                UserWarning,
                stacklevel=6,
            )

    def _score_out_of_bag(self, data: TrainingSet) -> None:
        mean, n_votes = self._predict_out_of_bag(data.X, self._predictors)
        setattr(self, self._oob_name, self._response_type.kept_out_of_bag(mean))
        scored = n_votes > 0
        if not scored.all():
            warnings.warn(
                f"{(~scored).sum()} of {len(scored)} rows were in the sample of every tree and have"
                " no out-of-bag prediction. Raise n_estimators.",
                UserWarning,
                stacklevel=6,
            )
        rows = np.flatnonzero(scored if data.weight is None else scored & (data.weight > 0))
        weight = None if data.core_weight is None else data.core_weight[rows]
        self.oob_score_ = (
            self._oob_value(data.response, mean, rows, weight) if len(rows) else np.nan
        )

    def _oob_value(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        kind = self._kind
        if not callable(self.oob_score):
            return kind.score(response, mean, rows, weight)
        weighs = weight is not None and "sample_weight" in signature(self.oob_score).parameters
        return float(
            self.oob_score(
                kind.decode(response)[rows],
                kind.predict(mean[rows], response.classes),
                **({"sample_weight": weight} if weighs else {}),
            )
        )

    def _predict_out_of_bag(self, X: Floats, trees: Trees | None = None) -> tuple[Floats, Integers]:
        """Predict the rows of the fit by the trees that have not seen them, and count these."""
        trees = self.trees_ if trees is None else trees
        return trees.predict_oob(X, self._sampling.of_trees(self._seeds), self.n_jobs)

    @property
    def _oob_name(self) -> str:
        """Name of the attribute that holds the out-of-bag predictions."""
        return self._response_type.oob_name

    @property
    def _trees(self) -> Trees:
        return self.trees_

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "trees_")

    @property
    def _jobs(self) -> int | None:
        return self.n_jobs

    @property
    def _has_out_of_bag(self) -> bool:
        return not self._sampling.takes_all

    @property
    def _importance_type(self) -> str:
        if self.importance_type != "auto":
            return self.importance_type
        if not self._sampling.leaves_rows_out:
            return "weighted"
        # Files of engine revision 3 and before do not say what unseen rows said.
        return "unseen_effect" if self.trees_.unseen_effect.any() else "effect"

    @property
    def _seeds(self) -> NDArray[np.uint64]:
        """One seed per tree."""
        return seeds(self._entropy, Purpose.GROW, self.trees_.n_trees)

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own; their arrays are views of `trees_`."""
        check_is_fitted(self)
        params = {
            name: getattr(self, name)
            for name in self._tree_class._parameter_constraints
            if name not in {"random_state", "verbose"}
        }
        shared = (
            *("classes_", "n_classes_", "n_features_in_", "feature_names_in_", "_features"),
            *("n_outputs_", "root_statistic_", "_root_tail", "missing_counts_", "_entropy"),
        )
        state = {name: getattr(self, name) for name in shared if hasattr(self, name)}
        estimators = []
        for i in range(self.trees_.n_trees):
            tree = self._tree_class(**params)
            vars(tree).update(state, tree_=self.trees_.tree(i), **self._kept_of_tree(i))
            estimators.append(tree)
        return estimators

    def _kept_of_tree(self, _index: int) -> dict[str, Any]:
        """Return what `_keep` has kept of one tree, by the names of attributes."""
        return {}

    @property
    def estimators_samples_(self) -> list[Integers]:
        """For each tree the rows of its sample, repeated and ascending; drawn again from its seed.

        Honesty divides them once more; a tree has seen all of them.
        """
        check_is_fitted(self)
        rows = np.arange(self._sampling.n_samples)
        return [np.repeat(rows, self._sampling.counts(seed)) for seed in self._seeds]

    def tree_importances(self, importance_type: str | None = None) -> Floats:
        """Return the importances of every single tree.

        Parameters
        ----------
        importance_type : {"split", "count", "weighted", "validated", "effect", \
                "unseen_effect"} or None, default=None
            As in `importances`; "count" is the number of splits, "validated" a decrease of
            impurity, "effect" and "unseen_effect" a sum over the number of times that a tree
            offers the feature on average, the others are scaled to 1.

        Returns
        -------
        importances : ndarray of shape (n_trees, n_features)
            Zeros for a tree without a split.

        """
        check_is_fitted(self)
        kind = self._checked_importance(importance_type)
        return importances_per_tree(self.trees_, self.n_features_in_, kind, self._offers)

    def apply(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the leaf of each sample in each tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_trees)
            Node numbers, counted from each tree's root.

        """
        X = self._checked(X)
        return self.trees_.apply(X, self.n_jobs).astype(np.intp)

    def decision_path(self, X: ArrayLike) -> tuple[csr_array, Integers]:
        """Return the nodes that each sample passes, in all trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        indicator : sparse array of shape (n_samples, n_nodes)
            CSR; 1 where the sample passes the node.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            The columns ``n_nodes_ptr[t]:n_nodes_ptr[t + 1]`` belong to tree t.

        """
        X = self._checked(X)
        return self.trees_.decision_path(X, self.n_jobs), self.trees_.offset.copy()

    def permutation_importance(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        conditional: bool | str = False,
        threshold: float | None = None,
        n_repeats: int = 1,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> PermutationImportance:
        """Measure how much worse the trees predict when a feature's values are shuffled.

        Each tree predicts the rows it has not seen, its out-of-bag rows, before and after feature j
        is permuted among them. The importance is the growth of the error: of the share of wrong
        classes, of the mean squared error, of the mean ranked probability score of ordered classes,
        or, for censored times, of 1 less Harrell's concordance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples the forest was fitted on.
        y : array-like of shape (n_samples,)
            Their targets.
        conditional : bool or {"party", "partykit", "permimp"}, default=False
            Whether to permute only among rows that are alike in the features that go along with j:
            in the same cell of the grid made by the tree's split points on them [1]_ [2]_. A
            feature that merely goes along with an important one then loses part of its importance,
            not all of it: see Notes. What goes along with j, and what is permuted, differs:

            - True: features with an absolute correlation of at least `threshold`.
            - "party": as R's ``party::varimp(conditional = TRUE)`` [1]_, features whose test of
              independence of j on all rows has 1 - p above `threshold`, which is nearly everything.
            - "partykit": the same features; at every split on j, the sides to which all rows there
              go are permuted, seen rows as well, and the mean is over the trees that split on j,
              as in ``partykit::varimp(conditional = TRUE, risk = "misclassification")``.
            - "permimp": as in R's permimp [2]_, every tree by itself: features whose intervals
              between cuts, among the rows it has not seen, have 1 - p of Pearson's chi-square with
              those of j above `threshold`.
        threshold : float or None, default=None
            See `conditional`; None means 0.95 for "permimp", else 0.2.
        n_repeats : int, default=1
            Permutations per tree and feature.
        random_state : int, RandomState instance or None, default=None
            Seed of the permutations.
        n_jobs : int or None, default=None
            Number of threads, as in joblib. It does not change the result.

        Returns
        -------
        result : PermutationImportance
            `importances_mean` and `importances_std` over the trees, `importances_per_tree`,
            standard errors, and `interval()`.

        Notes
        -----
        The cells are coarse, so rows in one of them still differ in the features they are to be
        alike in. In the design of [1]_, a feature without influence that is correlated by 0.9 with
        three that have some keeps 0.41 of its importance, and these three about half of theirs; in
        R's party it keeps 0.50 (``python benchmarks/conditional_importance.py``).

        References
        ----------
        .. [1] Strobl, Boulesteix, Kneib, Augustin, Zeileis (2008). Conditional variable importance
           for random forests. BMC Bioinformatics 9:307.
        .. [2] Debeer, Strobl (2020). Conditional permutation importance revisited. BMC
           Bioinformatics 21:307.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from inforest import ConditionalInferenceForestClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = ConditionalInferenceForestClassifier(random_state=0).fit(X, y)
        >>> result = forest.permutation_importance(X, y, random_state=0)
        >>> int(result.importances_mean.argmax()) in (2, 3)  # petal length or width
        True

        """
        check_is_fitted(self)
        if self._sampling.takes_all:
            raise ValueError(
                "permutation_importance needs rows that a tree has not seen; this forest was fitted"
                " with every tree on all rows (see bootstrap, replace and max_samples)"
            )
        data = self._same_data(X, y, in_place=not conditional)
        result = permutation_importance(
            self._predictors,
            data,
            self._sampling.of_trees(self._seeds),
            conditional=conditional,
            threshold=threshold,
            n_repeats=n_repeats,
            entropy=root_entropy(random_state),
            n_jobs=n_jobs,
            class_weight=label_weights(getattr(self, "class_weight", None), data),
        )
        return replace(result, feature_names=getattr(self, "feature_names_in_", None))

    def _same_data(self, X: ArrayLike, y: Any, *, in_place: bool = False) -> TrainingSet:
        """Return the data of fit, or say that these are others."""
        n_samples = self._sampling.n_samples
        n_given = len(self._kind.read(y)[0])  # y itself may be a pair of columns
        if n_given != n_samples:
            raise ValueError(
                f"X and y must be those the forest was fitted on: {n_samples} rows; got {n_given}"
            )
        weight, counts = self._sampling.row_weight, self._sampling.case_counts
        is_old = weight is None and counts is not None  # rows were repeated, and hashed by that
        given = counts if is_old else weight
        data = make_training_set(self, X, y, given, self._kind, reset=False, in_place=in_place)
        known = data.fingerprint_with(counts) if is_old else data.fingerprint
        if known != self._fingerprint:
            raise ValueError(
                "X and y must be those the forest was fitted on, row by row; got as many rows with"
                " other values"
            )
        return data
