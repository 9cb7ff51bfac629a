"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

ESTIMATORS = [
    ConditionalInferenceTreeClassifier(),
    ConditionalInferenceTreeRegressor(),
    ConditionalInferenceTreeClassifier.paper(),
    ConditionalInferenceTreeRegressor.paper(),
]
#: name of a check -> why it cannot pass
EXPECTED_FAILURES: dict[str, str] = {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_estimator_check(estimator, check):
    check(estimator)
