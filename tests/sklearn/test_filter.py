"""`PermutationFilter` is a scikit-learn selector."""

import inspect
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_regression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from inforest import PermutationFilter, independence_test


def expected_failures(estimator):
    """Return the checks that fail, and why. One that passes is a failure, too (xfail_strict)."""
    kinds = ("dense", "sparse") if estimator.selector == "rdc" else ()
    reason = "a test permutes responses among rows, and repeated rows are more rows"
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


@parametrize_with_checks(
    [
        PermutationFilter(k=1, n_resamples=19),
        PermutationFilter(method="asymptotic", adjust=None, alpha=1.0),  # keeps everything
        PermutationFilter("rdc", adjust="bonferroni", early_stopping="curtailed", alpha=0.5),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_check(estimator, check):
    check(estimator)


def data(seed=0, n=100):
    """Twenty features, of which the first three matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    return X, (X[:, :3].sum(axis=1) + rng.normal(size=n) > 0).astype(int)


def test_keeps_the_rejected_features():
    X, y = data()
    selected = PermutationFilter(random_state=0).fit(X, y)
    result = independence_test(X, y, adjust="westfall-young", random_state=0)
    np.testing.assert_array_equal(selected.get_support(), result.rejected)
    np.testing.assert_array_equal(selected.pvalues_, result.p_value)
    np.testing.assert_array_equal(selected.adjusted_pvalues_, result.adjusted_p_value)
    np.testing.assert_array_equal(selected.scores_, result.statistic)
    assert selected.get_support()[:3].all()


def test_keeps_the_best_k():
    X, y = data()
    selected = PermutationFilter(k=4, random_state=0).fit(X, y)
    assert selected.get_support().sum() == 4
    assert set(np.flatnonzero(selected.get_support())) == set(selected.ranking_[:4])


def test_ranking_is_by_p_value_then_statistic_then_index():
    X, y = data(n=400)
    X[:, 10] = X[:, 1]
    X[:, 15] = 0
    X[:, 14] = 0
    ranking = PermutationFilter(n_resamples=20, random_state=0).fit(X, y).ranking_
    result = independence_test(X, y, n_resamples=20, random_state=0)
    keys = [(result.p_value[j], -result.statistic[j], j) for j in ranking]
    assert keys == sorted(keys)
    assert list(ranking[-2:]) == [14, 15]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_is_a_frame_with_names(library):
    module = pytest.importorskip(library)
    X, y = data()
    X = module.DataFrame({f"c{j}": X[:, j] for j in range(20)})
    selected = PermutationFilter(k=2, random_state=0).set_output(transform=library).fit(X, y)
    out = selected.transform(X)
    assert isinstance(out, module.DataFrame)
    assert list(out.columns) == list(selected.get_feature_names_out())
    assert set(out.columns) <= {"c0", "c1", "c2"}


def test_searched_in_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(
        StandardScaler(), PermutationFilter(n_resamples=99, random_state=0), LogisticRegression()
    )
    grid = {"permutationfilter__k": [1, 5], "permutationfilter__selector": ["mc", "rdc"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


def test_metadata_can_be_routed_past_it():
    from sklearn import config_context

    X, y = data()
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        kept = PermutationFilter(k=2, n_resamples=19).set_fit_request(sample_weight=False)
        pipeline = make_pipeline(kept, model)
        pipeline.fit(X, y, sample_weight=np.ones(len(y)))
    assert pipeline[-1].coef_.shape == (1, 2)


def test_weights_are_those_of_the_tests():
    X, y = data()
    weight = np.random.default_rng(1).exponential(size=len(y))
    found = PermutationFilter(n_resamples=99, random_state=0).fit(X, y, sample_weight=weight)
    how = {"sample_weight": weight, "n_resamples": 99, "adjust": "westfall-young"}
    expected = independence_test(X, y, **how, random_state=0)
    np.testing.assert_array_equal(found.pvalues_, expected.p_value)
    np.testing.assert_array_equal(found.scores_, expected.statistic)
    plain = PermutationFilter(n_resamples=99, random_state=0).fit(X, y)
    assert (found.scores_ != plain.scores_).any()


def test_regression():
    X, y = make_regression(100, 10, n_informative=2, shuffle=False, random_state=0)
    selected = PermutationFilter("dc", random_state=0).fit(X, y)
    assert selected.get_support()[np.argmax(selected.scores_)]


def test_no_rejection_leaves_no_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    selected = PermutationFilter(alpha=1e-4, random_state=0).fit(X, rng.integers(2, size=30))
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selected.transform(X).shape == (30, 0)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 21}, "k must be at most n_features=20; got 21"),
        ({"k": 0}, "'k' parameter"),
        (
            {"adjust": "holm", "n_resamples": 100},
            "n_resamples=100, alpha=0.05 and adjust='holm' contradict each other.* to 400",
        ),
        ({"n_resamples": 19}, "Raise n_resamples to 20"),
        ({"adjust": "westfall-young", "method": "asymptotic"}, "contradict each other"),
    ],
)
def test_bad_parameters_leave_the_filter_unfitted(params, message):
    X, y = data()
    selected = PermutationFilter(**params)
    with pytest.raises(ValueError, match=message):
        selected.fit(X, y)
    assert not hasattr(selected, "result_")
    assert not hasattr(selected, "n_features_in_")


def documented(thing):
    section = re.search(r"Parameters\n-+\n(.*?)\n\n\w+\n-+\n", inspect.getdoc(thing), re.DOTALL)
    parts = re.split(r"^(\w+) : ", section.group(1), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("thing", [PermutationFilter, independence_test])
def test_docstring_has_the_parameters_and_their_defaults(thing):
    parameters = inspect.signature(thing).parameters
    words = documented(thing)
    assert list(words) == list(parameters)
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty:
            default = re.search(r"default=(.*)", words[name]).group(1)
            assert default.replace('"', "'") == repr(parameter.default), name


def test_constraints_name_every_parameter():
    assert set(PermutationFilter._parameter_constraints) == set(PermutationFilter().get_params())
