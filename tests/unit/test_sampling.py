"""Samples of a forest's trees: sizes, shares of the classes, and what contradicts what."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bands import assert_count
from inforest import ConditionalInferenceForestClassifier as Classifier
from inforest import ConditionalInferenceForestRegressor as Regressor
from inforest._engine.sampling import SAMPLING_METHODS, make_sampling
from inforest._engine.training_set import Prepared, TrainingSet

Y = np.repeat([0.0, 1.0, 2.0], [70, 25, 5])
X = np.random.default_rng(0).normal(size=(100, 3))


def sampling(y=Y, counts=None, **params):
    """The sampling of a classifier with these parameters, or of a regressor if y is None."""
    cls = Regressor if y is None else Classifier
    response = cls._response_type.encode(Y if y is None else y, counts, cls.__name__)
    data = TrainingSet(Prepared(X), response, counts)
    return make_sampling(cls(**params).get_params(), data)


def quota(**params):
    rule = sampling(**params)
    return None if rule.quota is None else rule.quota.tolist()


def test_sizes():
    assert quota(y=None) == [64]  # ceil(0.632 * 100)
    assert quota(y=None, replace=True) == [100]
    assert quota(y=None, max_samples=30) == [30]
    assert quota(y=None, max_samples=0.255) == [26]
    assert quota(y=None, max_samples=1.0) == [100]
    assert quota(y=None, max_samples=250, replace=True) == [250]
    assert quota(bootstrap=False) is None
    assert quota(sampling_method="plain") == [64]


def test_stratified_quotas_are_those_of_the_largest_remainder():
    assert quota(replace=True) == [70, 25, 5]
    assert quota() == [45, 16, 3]  # of 44.8, 16.0, 3.2
    assert quota(max_samples=10) == [7, 2, 1]  # of 7, 2.5, 0.5: the rarer class first
    assert quota(max_samples=1) == [1, 0, 0]
    assert quota(max_samples=1.0) == [70, 25, 5]


def test_undersample_gives_each_class_what_the_rarest_has():
    assert quota(sampling_method="undersample", replace=True) == [5, 5, 5]
    assert quota(sampling_method="undersample") == [4, 4, 4]  # some of the rarest stays out
    assert quota(sampling_method="undersample", max_samples=9) == [3, 3, 3]
    assert quota(sampling_method="undersample", max_samples=90) == [5, 5, 5]


def test_oversample_splits_evenly():
    assert quota(sampling_method="oversample", replace=True) == [34, 33, 33]
    assert quota(sampling_method="oversample", replace=True, max_samples=12) == [4, 4, 4]


@pytest.mark.parametrize(
    ("method", "replace"),
    [(method, replace) for method in SAMPLING_METHODS for replace in (False, True)][:-2]
    + [("oversample", True)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_samples_keep_the_quotas(method, replace, weighted):
    counts = np.arange(100) % 3 if weighted else None
    rule = sampling(counts=counts, sampling_method=method, replace=replace)
    limit = np.ones(100) if counts is None else counts
    different = set()
    for seed in range(20):
        drawn = rule.counts(seed)
        per_class = np.bincount(Y.astype(int), weights=drawn, minlength=3)
        if method == "plain":
            assert drawn.sum() == rule.quota.sum()
        else:
            assert_array_equal(per_class, rule.quota)
        if not replace:
            assert (drawn <= limit).all()
        assert (drawn[limit == 0] == 0).all()
        different.add(drawn.tobytes())
    assert len(different) == 20


def test_draws_are_uniform():
    rule = sampling(y=None, max_samples=10)
    n_samples = 20_000
    for count in sum(rule.counts(seed) for seed in range(n_samples)):
        assert_count(count, n_samples, 10 / 100)


def test_takes_all():
    assert sampling(bootstrap=False).takes_all
    assert sampling(max_samples=1.0).takes_all
    assert not sampling(max_samples=1.0, replace=True).takes_all
    assert not sampling().takes_all


CONTRADICTIONS = [
    ({"oob_score": True, "bootstrap": False}, "oob_score=True and bootstrap=False"),
    ({"oob_score": max, "bootstrap": False}, "oob_score=<.*max> and bootstrap=False"),
    ({"max_samples": 10, "bootstrap": False}, "max_samples=10 and bootstrap=False"),
    ({"max_samples": 101}, "max_samples=101 and replace=False .* only 100 rows"),
    ({"oob_score": True, "max_samples": 1.0}, "oob_score=True and max_samples=1.0"),
]
ONLY_CLASSES = [
    ({"sampling_method": "oversample"}, "sampling_method='oversample' and replace=False"),
    (
        {"sampling_method": "undersample", "bootstrap": False},
        "sampling_method='undersample' and bootstrap=False",
    ),
    (
        {"sampling_method": "undersample", "max_samples": 2},
        "max_samples=2 and sampling_method='undersample' .* 3 classes",
    ),
]
BAD = [
    ({"sampling_method": "balanced"}, "sampling_method.*'stratified'.*'balanced'"),
    ({"n_estimators": 0}, "n_estimators"),
    ({"max_samples": 0}, "max_samples"),
    ({"max_samples": 1.5}, "max_samples"),
    ({"max_samples": 2**31}, "max_samples"),
    ({"importance_type": "gain"}, "importance_type.*'split'"),
    ({"oob_score": "yes"}, "oob_score"),
    ({"honesty": True, "max_samples": 3}, "honesty=True .* contradicts n_samples=3"),
]


@pytest.mark.parametrize(("params", "message"), CONTRADICTIONS + ONLY_CLASSES + BAD, ids=str)
def test_contradictions_name_the_parameters(params, message):
    model = Classifier(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)
    assert set(vars(model)) == set(model.get_params())


@pytest.mark.parametrize(("params", "message"), CONTRADICTIONS, ids=str)
def test_contradictions_in_regression(params, message):
    with pytest.raises(ValueError, match=message):
        Regressor(**params).fit(X, Y)
