"""How rankings for censored times are scored: scikit-survival's models and metrics.

It is imported when it is used: the study needs it for this task alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats

#: Percentiles of the event times of the test rows between which the Brier score is integrated.
_TIMES = np.linspace(10, 80, 15)


def cox(_random_state: int) -> Any:
    """Return a Cox regression with a slight ridge penalty: a linear learner."""
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    return CoxPHSurvivalAnalysis(alpha=1.0)


def forest(random_state: int) -> Any:
    """Return a random survival forest: a learner that is not linear."""
    from sksurv.ensemble import RandomSurvivalForest

    return RandomSurvivalForest(50, min_samples_leaf=15, n_jobs=1, random_state=random_state)


def judge(model: Any, X: Floats, y_train: NDArray[Any], y: NDArray[Any]) -> dict[str, float]:
    """Judge a model's risks and survival curves on test rows.

    Parameters
    ----------
    model : estimator
        Fitted to `y_train`, with `predict`, `predict_survival_function` and `unique_times_`.
    X : ndarray of shape (n_samples, n_features)
        The test rows.
    y_train, y : ndarray
        Censored times of the training and of the test rows.

    Returns
    -------
    metrics : dict of str to float
        "concordance" (Harrell's), and "brier", integrated over time, where it can be computed: it
        needs test rows that end before the last training row.

    """
    from sksurv.metrics import concordance_index_censored

    risk = model.predict(X)
    found = {"concordance": float(concordance_index_censored(y["event"], y["time"], risk)[0])}
    brier = _brier(model, X, y_train, y)
    return found if brier is None else {**found, "brier": brier}


def _brier(model: Any, X: Floats, y_train: NDArray[Any], y: NDArray[Any]) -> float | None:
    from sksurv.metrics import integrated_brier_score

    inside = y["time"] < y_train["time"].max()
    events = y["time"][inside & y["event"]]
    times = np.unique(np.percentile(events, _TIMES)) if len(events) else events
    if len(times) < 2:
        return None
    curves = np.array([curve(times) for curve in model.predict_survival_function(X[inside])])
    return float(integrated_brier_score(y_train, y[inside], curves, times))
