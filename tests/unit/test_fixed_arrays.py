"""Arrays that nobody changes under the feet of the core, and numbers where it expects them."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from forests import BOTH, Classifier, Regressor, data
from inforest import ConditionalInferenceTreeClassifier, independence_test, load, save
from inforest._engine.training_set import validated

EACH = pytest.mark.parametrize("cls", BOTH)


def arrays_of(trees):
    return {name: a for name, a in vars(trees).items() if isinstance(a, np.ndarray)}


@EACH
def test_fitted_arrays_are_read_only(cls, tmp_path):
    X, y = data(cls)
    forest = cls(n_estimators=5, random_state=0).fit(X, y)
    save(forest, tmp_path / "file")
    for one in (
        forest,
        pickle.loads(pickle.dumps(forest)),
        copy.deepcopy(forest),
        load(tmp_path / "file"),
        cls(n_estimators=5, random_state=0, n_jobs=2).fit(X, y),
    ):
        for trees in (one.trees_, one.trees_.tree(2), one.estimators_[1].tree_):
            for name, array in arrays_of(trees).items():
                assert not array.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            one.trees_.right[0] = 10**6
        assert_array_equal(one.predict(X), forest.predict(X))


def test_a_single_tree_is_read_only():
    tree = ConditionalInferenceTreeClassifier(random_state=0).fit(*data(Classifier))
    with pytest.raises(ValueError, match="read-only"):
        tree.tree_.feature[0] = 99


def test_more_trees_can_be_added():
    X, y = data(Regressor)
    grown = Regressor(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=6).fit(X, y)
    assert_array_equal(
        grown.predict(X), Regressor(n_estimators=6, random_state=0).fit(X, y).predict(X)
    )


def unaligned(X):
    """Return the numbers one byte off, as in a packed record."""
    record = np.zeros(X.shape[0], dtype=[("flag", "i1"), ("x", "f8", X.shape[1])])
    record["x"] = X
    assert not record["x"].flags.aligned
    return record["x"]


@EACH
def test_unaligned_numbers_are_copied(cls):
    X, y = data(cls)
    for order in ("F", "C"):
        _, values = validated(cls(), unaligned(X), order=order)
        assert values.flags.aligned
    forest = cls(n_estimators=3, random_state=0).fit(unaligned(X), y)
    assert forest._checked(unaligned(X)).flags.aligned
    assert_array_equal(forest.predict(unaligned(X)), forest.predict(X))


# Masks


@pytest.mark.parametrize(
    "fit",
    [
        Classifier(missing="error").fit,
        Regressor(missing="error").fit,
        partial(independence_test, missing="error"),
    ],
)
def test_what_is_masked_is_missing(fit):
    """It was read as if nobody had masked it."""
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0) % 2
    masked = np.ma.masked_array(X, mask=np.zeros_like(X))
    masked[3, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"X contains NaN"):
        fit(masked, y)
    with pytest.raises(ValueError, match=r"y contains NaN"):
        fit(X, np.ma.masked_array(y, mask=np.arange(30) == 4))


def test_a_mask_that_hides_nothing_changes_nothing():
    X, y = data(Regressor)
    plain = Regressor(n_estimators=3, random_state=0).fit(X, y)
    masked = Regressor(n_estimators=3, random_state=0).fit(np.ma.masked_array(X), y)
    assert_array_equal(masked.predict(X), plain.predict(X))
