"""Trees of one estimator on thousands of small tables: what `fit` grows, without what it checks.

Of the time that `fit` takes on a hundred rows, nine tenths go into reading X, y and parameters and
into what is kept of the tree. Here parameters are read once and tables are taken as they come. The
trees are the same, node by node: the first of each estimator are compared with those of `fit`.
"""

from dataclasses import replace

import numpy as np

from inforest._engine.arrays import Trees
from inforest._engine.parameters import core_options
from inforest._engine.sampling import make_sampling
from inforest._engine.seeds import Purpose, root_entropy, seeds
from inforest._engine.training_set import Prepared, TrainingSet, make_training_set

#: Tables on which the trees are compared with those of `fit`.
COMPARED = 5


def _has_all_levels(X, columns):
    """Whether what `fit` would learn of the categories is what these columns say."""
    return all(
        list(np.unique(X[:, j])) == list(feature.levels) for j, feature in columns.special.items()
    )


class QuickTrees:
    """Grows trees as `model.set_params(random_state=seed).fit(X, y)` would.

    All tables have the same shape and kinds of columns. Categories are codes from 0 on; labels are
    0, 1, ..., each of them there.
    """

    def __init__(self, model):
        self._model = model
        self._params = model.get_params(deep=False)
        self._is_forest = hasattr(model, "n_estimators")
        self._pattern = self._options = None
        self._left_to_compare = COMPARED

    def __call__(self, X, y, seed):
        """Return the trees."""
        data = self._data(X, y)
        if self._options is None:
            self._options = core_options(self._params, data)
        n_trees = self._model.n_estimators if self._is_forest else 1
        sampling = make_sampling(self._params, data) if self._is_forest else None
        keys = seeds(root_entropy(seed), Purpose.GROW, n_trees)
        trees, _ = data.grow(keys, self._options, sampling)
        if self._left_to_compare:
            self._left_to_compare -= 1
            self._compare(trees, X, y, seed)
        return trees

    def _data(self, X, y):
        if self._pattern is None or not _has_all_levels(X, self._pattern.features.columns):
            data = make_training_set(self._model, X, y, None, self._model._kind)
            self._pattern = self._pattern or data
            return data
        features = Prepared(np.asfortranarray(X, dtype=np.float64), self._pattern.features.columns)
        response = self._pattern.response
        if response.n_labels:
            return TrainingSet(features, replace(response, values=y.astype(np.int32)))
        return TrainingSet(features, response.type.encode(np.asarray(y, dtype=float), None, ""))

    def _compare(self, trees, X, y, seed):
        fitted = self._model.set_params(random_state=seed).fit(X, y)
        same = fitted.trees_ if self._is_forest else Trees.concatenate([fitted.tree_])
        for name in ("offset", "feature", "threshold", "value", "p_value_feature"):
            np.testing.assert_array_equal(getattr(trees, name), getattr(same, name), err_msg=name)
