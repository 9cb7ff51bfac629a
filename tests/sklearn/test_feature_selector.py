"""`FeatureSelector` is a scikit-learn selector and meta-estimator."""

import inspect
import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from inforest import (
    ConditionalInferenceForestClassifier,
    FeatureSelector,
    rank_features,
)
from inforest.ranking.ranker import default_ranker

FOREST = ConditionalInferenceForestClassifier(10)


@parametrize_with_checks(
    [
        FeatureSelector(k=1),
        FeatureSelector(FOREST, cv=2),
        FeatureSelector(DecisionTreeRegressor(), k=0.5),
        FeatureSelector(Ridge(), cv=2, rule="one_se", downstream=Ridge()),
    ]
)
def test_estimator_check(estimator, check):
    check(estimator)


def data(n=100):
    """Twenty features, of which the first three matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    return X, (X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_and_out(library):
    module = pytest.importorskip(library)
    X, y = data(300)
    frame = module.DataFrame({f"c{j}": X[:, j] for j in range(20)})
    selector = FeatureSelector(FOREST, k=3, random_state=0).set_output(transform=library)
    out = selector.fit(frame, y).transform(frame)
    assert isinstance(out, module.DataFrame)
    assert list(out.columns) == list(selector.get_feature_names_out())
    assert set(out.columns) == set(selector.result_.top(3)) == {"c0", "c1", "c2"}
    assert selector.feature_names_in_.tolist() == list(frame.columns)
    assert_array_equal(selector.ranking_, clone(selector).fit(X, y).ranking_)


def test_inverse_transform_puts_zeros_where_features_were_dropped():
    X, y = data()
    selector = FeatureSelector(FOREST, k=3, random_state=0).fit(X, y)
    back = selector.inverse_transform(selector.transform(X))
    assert_array_equal(back, np.where(selector.support_, X, 0.0))


def test_k_is_searched_in_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(
        StandardScaler(), FeatureSelector(FOREST, random_state=0), KNeighborsClassifier()
    )
    grid = {"featureselector__k": [1, 10, 0.5, "auto"], "featureselector__cv": [2]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert search.best_score_ > 0.93
    assert scores[0] < scores[1]


def test_nested_cross_validation_returns_the_choices():
    X, y = load_diabetes(return_X_y=True)
    pipeline = make_pipeline(FeatureSelector(DecisionTreeRegressor(), cv=3), Ridge())
    result = cross_validate(pipeline, X, y, cv=3, return_estimator=True)
    assert all(1 <= fitted[0].k_ <= 10 for fitted in result["estimator"])


def test_fitted_selectors_can_be_pickled():
    X, y = data()
    selector = FeatureSelector(FOREST, cv=3, random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(selector))
    assert_array_equal(copy.transform(X), selector.transform(X))
    assert copy.result_.top(3).tolist() == selector.result_.top(3).tolist()


def test_a_selector_is_a_ranker():
    X, y = data()
    inner = FeatureSelector(FOREST, k=3)
    ranking = rank_features(X, y, estimator=inner, random_state=0)
    assert_array_equal(ranking.order, inner.set_params(random_state=0).fit(X, y).ranking_)


def test_tags_come_from_the_models():
    forest = RandomForestClassifier()
    tags = get_tags(FeatureSelector(forest, k=1)).input_tags
    assert (tags.sparse, tags.allow_nan) == (True, True)
    tags = get_tags(FeatureSelector(forest)).input_tags
    assert (tags.sparse, tags.allow_nan) == (True, True)
    tags = get_tags(FeatureSelector(forest, downstream=LogisticRegression())).input_tags
    assert (tags.sparse, tags.allow_nan) == (True, False)
    tags = get_tags(FeatureSelector()).input_tags
    assert (tags.sparse, tags.allow_nan) == (True, True)
    assert get_tags(FeatureSelector()).target_tags.required


def test_sparse_and_missing_values_where_the_models_take_them():
    X, y = data()
    X[X < 0.5] = 0.0
    forest = RandomForestClassifier(10)
    dense = FeatureSelector(forest, cv=3, random_state=0, downstream=LogisticRegression())
    sparse = clone(dense).fit(csr_array(X), y)
    assert_array_equal(sparse.ranking_, dense.fit(X, y).ranking_)
    assert sparse.k_ == dense.k_
    assert FeatureSelector(forest, cv=3, random_state=0).fit(csr_array(X), y).k_ >= 1
    X[0, 0] = np.nan
    assert FeatureSelector(forest, k=2).fit_transform(X, y).shape == (100, 2)
    assert FeatureSelector(forest, cv=3).fit(X, y).k_ >= 1
    assert FeatureSelector(cv=3, random_state=0).fit(X, y).k_ >= 1
    with pytest.raises(ValueError, match="Input X contains NaN"):
        FeatureSelector(forest, downstream=LogisticRegression()).fit(X, y)


def test_groups_reach_the_splitter():
    X, y = data()
    groups = np.repeat(np.arange(10), 10)
    selector = FeatureSelector(FOREST, cv=GroupKFold(5), k_grid=[2, 20], random_state=0)
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        selector.fit(X, y)
    selector.fit(X, y, groups=groups)
    splits = list(GroupKFold(5).split(X, y, groups))
    same = clone(selector).set_params(cv=splits).fit(X, y, groups=groups)
    assert_array_equal(selector.cv_results_["mean_score"], same.cv_results_["mean_score"])
    with config_context(enable_metadata_routing=True):
        routed = clone(selector).fit(X, y, groups=groups)
    assert_array_equal(selector.cv_results_["mean_score"], routed.cv_results_["mean_score"])


def test_weights_reach_the_ranking_the_model_and_the_score():
    X, y = data()
    weight = np.repeat([1, 3], 50)
    selector = FeatureSelector(k_grid=[3], cv=3, random_state=0)
    weighted = clone(selector).fit(X, y, sample_weight=weight)
    ranker = default_ranker("classification", random_state=0)
    assert_array_equal(weighted.ranking_, ranker.fit(X, y, weight).ranking_)
    with config_context(enable_metadata_routing=True):
        routed = clone(selector).fit(X, y, sample_weight=weight)
    assert_array_equal(weighted.cv_results_["mean_score"], routed.cv_results_["mean_score"])
    plain = selector.fit(X, y)
    assert not np.array_equal(weighted.cv_results_["mean_score"], plain.cv_results_["mean_score"])
    assert not np.array_equal(weighted.ranking_, plain.ranking_)


def test_weight_zero_leaves_rows_out_of_the_ranking():
    X, y = data()
    weight = np.repeat([1, 0], 50)
    selector = FeatureSelector(k=3, random_state=0)
    y_spoilt = np.where(weight > 0, y, 1 - y)
    one = clone(selector).fit(X, y, sample_weight=weight)
    other = clone(selector).fit(X, y_spoilt, sample_weight=weight)
    assert_array_equal(one.ranking_, other.ranking_)


def test_routing_follows_the_requests():
    X, y = data()
    weight = np.repeat([1.0, 3.0], 50)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        forest = RandomForestClassifier(5).set_fit_request(sample_weight=False)
        scorer = get_scorer("accuracy").set_score_request(sample_weight="score_weight")
        selector = FeatureSelector(forest, cv=3, downstream=model, scoring=scorer, random_state=0)
        pipeline = make_pipeline(
            selector, LogisticRegression().set_fit_request(sample_weight=False)
        )
        fitted = pipeline.fit(X, y, sample_weight=weight, score_weight=weight)[0]
        plain = clone(selector).fit(X, y)
        with pytest.raises(TypeError, match="unexpected argument"):
            clone(selector).fit(X, y, colour=weight)
    assert_array_equal(fitted.ranking_, plain.ranking_)
    scores, others = fitted.cv_results_["mean_score"], plain.cv_results_["mean_score"]
    assert not np.array_equal(scores, others)


def test_routing_does_not_use_up_the_splits():
    X, y = data()
    splits = list(GroupKFold(3).split(X, y, groups=np.arange(len(y)) % 3))
    with config_context(enable_metadata_routing=True):
        selector = FeatureSelector(FOREST, cv=iter(splits), k_grid=[1]).fit(X, y)
    assert selector.cv_results_["n_splits"].tolist() == [3]


def test_metadata_without_routing():
    X, y = data()
    with pytest.raises(
        ValueError, match=r"fit accepts sample_weight, blocks and groups.*got 'colour'"
    ):
        FeatureSelector(FOREST, k=1).fit(X, y, colour=y)
    with pytest.warns(
        UserWarning, match="LinearDiscriminantAnalysis does not accept sample_weight"
    ):
        FeatureSelector(LinearDiscriminantAnalysis(), k=1).fit(X, y, sample_weight=y + 1)
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        FeatureSelector(FOREST, k=1).fit(X, y, sample_weight=[1.0, 2.0])


def documented(thing):
    section = re.search(r"Parameters\n-+\n(.*?)\n\n\w+\n-+\n", inspect.getdoc(thing), re.DOTALL)
    parts = re.split(r"^(\w+) : ", section.group(1), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("thing", [FeatureSelector, rank_features])
def test_docstring_has_the_parameters_and_their_defaults(thing):
    parameters = inspect.signature(thing).parameters
    words = documented(thing)
    assert list(words) == list(parameters)
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            default = re.search(r"default=(.*)", words[name]).group(1)
            assert default.replace('"', "'") == repr(parameter.default), name


def test_constraints_name_every_parameter():
    assert set(FeatureSelector._parameter_constraints) == set(FeatureSelector().get_params())
