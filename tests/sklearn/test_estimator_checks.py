"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeOrdinal,
    ConditionalInferenceTreeRegressor,
    ForestRanker,
)

WITHOUT_TESTS = {
    "n_resamples_selector": None,
    "splitter_test": None,
    "feature_scanning": "statistic",
}
ESTIMATORS = [
    make(**params)
    for cls in (ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor)
    for make, params in [(cls, {}), (cls.paper, {}), (cls, WITHOUT_TESTS)]
]
SMALL = {"n_estimators": 5}
# Nothing is tested and nothing left to chance, so that weights must equal repeated rows.
DETERMINISTIC = {**SMALL, **WITHOUT_TESTS, "bootstrap": False, "max_features": None}
ESTIMATORS += [
    make(**params)
    for cls in (ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor)
    for make, params in [(cls, SMALL), (cls.paper, SMALL), (cls, DETERMINISTIC)]
]
ESTIMATORS += [ConditionalInferenceTreeOrdinal(), ConditionalInferenceForestOrdinal(**SMALL)]
ESTIMATORS += [
    ForestRanker(ConditionalInferenceForestClassifier(5)),
    ForestRanker(ConditionalInferenceForestRegressor(6), n_rounds=2),
]


def expected_failures(estimator):
    """Return the checks that fail, and why. One that passes is a failure, too (xfail_strict)."""
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    classes = {}
    if hasattr(estimator, "order"):
        classes["check_classifiers_classes"] = "words without an order are refused"
    is_tested = getattr(estimator, "n_resamples_selector", None) is not None
    if hasattr(estimator, "class_weight") and not is_tested:
        classes["check_class_weight_classifiers"] = (
            "it asks for leaves of mixed classes; without tests a tree grows until they are pure"
        )
    if getattr(estimator, "bootstrap", False):
        reason = "a tree's rows are drawn by their place, whatever they weigh"
        return classes | dict.fromkeys(weights, reason)
    if is_tested:
        reason = "a test permutes responses among rows, and repeated rows are more rows"
        return classes | dict.fromkeys(weights, reason)
    return classes


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_estimator_check(estimator, check):
    check(estimator)
