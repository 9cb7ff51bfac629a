"""scikit-survival's arrays, metrics and scorers take our forests; its concordance is ours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inforest import ConditionalInferenceSurvivalForest, ConditionalInferenceSurvivalTree
from inforest._engine.responses.survival import concordance, kaplan_meier
from survival_data import data

metrics = pytest.importorskip("sksurv.metrics", reason="scikit-survival is not installed")
nonparametric = pytest.importorskip("sksurv.nonparametric")


def test_concordance_and_curve_are_theirs():
    _, y = data(200)
    rng = np.random.default_rng(0)
    for risk in (rng.normal(size=200), rng.integers(5, size=200).astype(float)):
        theirs = metrics.concordance_index_censored(y["event"], y["time"], risk)[0]
        assert_allclose(concordance(y, risk), theirs, rtol=1e-12)
    time, survival = nonparametric.kaplan_meier_estimator(y["event"], y["time"])
    ours_time, ours = kaplan_meier(y)
    assert_allclose(survival[np.searchsorted(time, ours_time)], ours, rtol=1e-12)


def test_metrics_take_what_a_forest_returns():
    X, y = data(200)
    forest = ConditionalInferenceSurvivalForest(20, random_state=0).fit(X[:120], y[:120])
    test = y[120:][y["time"][120:] < y["time"][:120].max()]
    rows = X[120:][y["time"][120:] < y["time"][:120].max()]
    times = np.percentile(test["time"], [20, 40, 60, 80])
    curves = np.array([curve(times) for curve in forest.predict_survival_function(rows)])
    assert 0 < metrics.integrated_brier_score(y[:120], test, curves, times) < 0.25
    risk = forest.predict(rows)
    assert metrics.concordance_index_ipcw(y[:120], test, risk)[0] > 0.6
    auc, mean = metrics.cumulative_dynamic_auc(y[:120], test, risk, times)
    assert mean > 0.6
    assert len(auc) == 4


@pytest.mark.slow
def test_grids_and_scorers_take_ours():
    X, y = data(120)
    forest = ConditionalInferenceSurvivalForest(10, random_state=0)
    grid = GridSearchCV(forest, {"min_samples_leaf": [3, 30]}, cv=KFold(3)).fit(X, y)
    assert grid.best_score_ > 0.6
    times = np.percentile(y["time"], [25, 50, 70])
    scored = metrics.as_integrated_brier_score_scorer(forest, times=times)
    folds = KFold(3, shuffle=True, random_state=0)
    found = GridSearchCV(scored, {"estimator__min_samples_leaf": [3, 30]}, cv=folds).fit(X, y)
    assert found.best_score_ < 0
    model = make_pipeline(StandardScaler(), ConditionalInferenceSurvivalTree(random_state=0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.55
