"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    ForestRanker,
)

WITHOUT_TESTS = {"n_resamples_selector": None, "splitter_test": None}
ESTIMATORS = [
    make(**params)
    for cls in (ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor)
    for make, params in [(cls, {}), (cls.paper, {}), (cls, WITHOUT_TESTS)]
]
SMALL = {"n_estimators": 5}
# Nothing is left to chance, so that weights must equal repeated rows.
DETERMINISTIC = {**SMALL, **WITHOUT_TESTS, "bootstrap": False, "max_features": None}
ESTIMATORS += [
    make(**params)
    for cls in (ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor)
    for make, params in [(cls, SMALL), (cls.paper, SMALL), (cls, DETERMINISTIC)]
]
ESTIMATORS += [
    ForestRanker(ConditionalInferenceForestClassifier(5)),
    ForestRanker(ConditionalInferenceForestRegressor(6), n_rounds=2),
]


def expected_failures(estimator):
    """Return the checks that fail, and why. One that passes is a failure, too (xfail_strict)."""
    if getattr(estimator, "bootstrap", False):
        return {
            "check_sample_weight_equivalence_on_dense_data": "the cases of a tree are drawn by"
            " their place: the check shuffles the rows, so that weights and repeated rows give"
            " trees of other cases"
        }
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_estimator_check(estimator, check):
    check(estimator)
