"""What the tests of forests share."""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from inforest import ConditionalInferenceForestClassifier as Classifier
from inforest import ConditionalInferenceForestRegressor as Regressor

BOTH = [Classifier, Regressor]


def data(cls):
    return (load_wine if cls is Classifier else load_diabetes)(return_X_y=True)


def two_classes():
    return load_breast_cancer(return_X_y=True)


def arrays(trees):
    return {name: a for name, a in vars(trees).items() if isinstance(a, np.ndarray)}


def assert_same_trees(one, other, but=()):
    """Bit for bit."""
    for name, array in arrays(one).items():
        if name in but:
            continue
        assert_array_equal(array, arrays(other)[name], err_msg=name)


def assert_same_forest(one, other):
    assert_same_trees(one.trees_, other.trees_)
    assert_array_equal(one.ranking_, other.ranking_)
    assert_array_equal(one.candidate_counts_, other.candidate_counts_)
    for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
        assert hasattr(one, name) == hasattr(other, name)
        if hasattr(one, name):
            assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
