"""Survival in all that ranks, tests, selects, reports and draws."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceSurvivalTree,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeOrdinal,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    ForestRanker,
    PermutationFilter,
    TableWarning,
    export_text,
    independence_test,
    plot_tree,
    rank_features,
)
from inforest._engine.responses.survival import kaplan_meier, log_rank_scores
from inforest.diagnostics import null_check, sensitivity, split_usage, stability
from inforest.report import make_report
from survival_data import censored, data, naive_curve


def frame(y):
    return pd.DataFrame({"status": y["event"].astype(int), "days": y["time"]})


def test_tests_are_those_of_the_scores():
    X, y = data()
    options = {"selector": "pc", "n_resamples": 199, "random_state": 0}
    numbers = independence_test(X, log_rank_scores(y), task="regression", **options)
    for form in (y, frame(y)):
        result = independence_test(X, form, task="survival", **options)
        assert_array_equal(result.p_value, numbers.p_value)
        assert_array_equal(result.statistic, numbers.statistic)
    assert_array_equal(independence_test(X, y, **options).p_value, numbers.p_value)  # by its dtype
    asymptotic = independence_test(X, y, selector="pc", method="asymptotic")
    assert asymptotic.p_value.argmin() == 0
    assert PermutationFilter(random_state=0).fit(X, y).get_support()[0]
    with pytest.raises(ValueError, match="'mc' is for classification"):
        independence_test(X, y, selector="mc")


def test_times_and_events_that_are_not_called_so_are_asked_about():
    X, y = data()
    with pytest.warns(TableWarning, match="If they are times and events, pass"):
        independence_test(X, frame(y), selector="pc", n_resamples=19, random_state=0)
    named = independence_test(X, {"event": y["event"], "time": y["time"]}, random_state=0)
    assert_array_equal(named.p_value, independence_test(X, y, random_state=0).p_value)


def test_a_pair_of_events_and_times_says_what_it_is():
    X, y = data()
    expected = rank_features(X, y, n_estimators=20, random_state=0).scores
    for pair in ((y["event"], y["time"]), (y["time"].tolist(), y["event"].tolist())):
        assert_array_equal(rank_features(X, pair, n_estimators=20, random_state=0).scores, expected)
        assert FeatureSelector(k=1, random_state=0).fit(X, pair).get_support()[0]
    codes = y["event"].astype(int), y["time"]
    said = rank_features(X, codes, task="survival", n_estimators=20, random_state=0)
    assert_array_equal(said.scores, expected)


@pytest.mark.parametrize(
    "model",
    [
        ConditionalInferenceForestClassifier(5),
        ConditionalInferenceForestRegressor(5),
        ConditionalInferenceTreeClassifier(),
        ConditionalInferenceTreeRegressor(),
        ConditionalInferenceTreeOrdinal(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_of_other_responses_refuse_survival_times(model):
    X, y = data(40)
    with pytest.raises(ValueError, match=r"fields event, time\. Are these survival times"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="got a pair of columns"):
        model.fit(X, (y["event"].astype(int), y["time"]))


def test_a_pair_that_does_not_say_which_is_the_event_is_refused():
    X, y = data(40)
    for function in (rank_features, independence_test, FeatureSelector(k=1).fit):
        with pytest.raises(ValueError, match=r"got a pair of columns\. Are these survival times"):
            function(X, (y["event"].astype(int), y["time"]))


def test_weights_and_blocks_reach_the_tests():
    X, y = data()
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    weight[:10] = 0
    result = independence_test(X, y, sample_weight=weight, random_state=0)
    scores = log_rank_scores(y, weight > 0)
    like = independence_test(X, scores, task="regression", sample_weight=weight, random_state=0)
    assert_array_equal(result.p_value, like.p_value)
    groups = np.repeat(np.arange(75), 2)
    doubled = np.repeat(y[:75], 2)
    assert independence_test(X, doubled, groups=groups, random_state=0).p_value.shape == (4,)


def test_ranked_with_p_values():
    X, y = data()
    for form in (y, frame(y)):
        ranking = rank_features(
            X, form, task="survival", n_estimators=30, p_values="westfall-young", random_state=0
        )
        assert isinstance(ranking.estimator.forest, ConditionalInferenceSurvivalForest)
        assert ranking.order[0] == 0
        assert ranking.adjusted_p_values.argmin() == 0
    own = rank_features(X, frame(y), estimator=ConditionalInferenceSurvivalForest(20))
    assert own.order[0] == 0
    assert rank_features(X, y, n_estimators=20, random_state=0).order[0] == 0


@pytest.mark.slow
def test_selected_by_a_cox_regression():
    X, y = data()
    for form in (y, frame(y)):
        ranker = ForestRanker(ConditionalInferenceSurvivalForest(20))
        selector = FeatureSelector(ranker, k_grid=[1, 4], cv=3, random_state=0).fit(X, form)
        assert selector.support_[0]
        assert 0.6 < selector.cv_results_["mean_score"][0] < 1
    forest = ConditionalInferenceSurvivalForest(10)
    model = FeatureSelector(ranker, downstream=forest, k_grid=[1, 4], cv=3, random_state=0)
    assert model.fit(X, y).support_[0]
    groups = np.arange(len(y)) // 2
    together = FeatureSelector(ranker, k_grid=[1, 4], cv=3, random_state=0)
    assert together.fit(X, y, groups=groups).support_[0]


@pytest.mark.slow
def test_diagnosed():
    X, y = data(80)
    ranker = ForestRanker(ConditionalInferenceSurvivalForest(15))
    again = stability(X, y, estimator=ranker, k=1, n_repeats=4, vary="subsample", random_state=0)
    assert again.frequency[0] == 1
    assert stability(X, y, task="survival", k=1, n_repeats=2, random_state=0).frequency[0] == 1
    luck = null_check(X, y, estimator=ranker, n_repeats=19, alpha=0.1, random_state=0)
    assert luck.importance.argmax() == 0
    moved = sensitivity(X, y, estimator=ConditionalInferenceSurvivalForest(10), k=1, random_state=0)
    assert moved.conclusion
    assert split_usage(ConditionalInferenceSurvivalForest(10, random_state=0).fit(X, y), k=1)
    with pytest.raises(ValueError, match="at least two events"):
        stability(X, censored(np.arange(80) == 3, y["time"]), k=1, n_repeats=2, vary="subsample")


def test_reported():
    X, y = data(90)
    report = make_report(
        X, y, target="survival", n_estimators=90, checks=False, k=2, random_state=0
    )
    found = report.content.risk_groups
    assert [group.n_rows for group in found.groups] == [30, 30, 30]
    assert sum(group.n_events for group in found.groups) == y["event"].sum()
    low, high = found.groups[0], found.groups[-1]
    assert low.survival_at(1.0) > high.survival_at(1.0)
    assert low.survival_at(0.0) == 1.0
    assert 0.5 < found.concordance < 1
    assert found.n_left_out == 0
    html = report.to_html()
    assert "in no group" not in html
    few = make_report(X, y, n_estimators=3, checks=False, k=2, random_state=0)
    left_out = few.content.risk_groups.n_left_out
    assert left_out == 90 - sum(group.n_rows for group in few.content.risk_groups.groups) > 1
    assert f"{left_out} rows are in no group" in few.to_html()
    assert "Which features matter for survival?" in html
    assert "Survival by predicted risk" in html
    assert "events," in html
    assert make_report(
        X[:12], y[:12], n_estimators=5, checks=False, k=None, random_state=0
    ).content.risk_groups is None  # fmt: skip


def test_kaplan_and_meier():
    _, y = data(60)
    time, survival = kaplan_meier(y)
    assert_allclose(survival, naive_curve(y, np.ones(60), time, survival=True))


@pytest.mark.slow
def test_written_and_drawn():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    X, y = data()
    tree = ConditionalInferenceSurvivalTree(random_state=0).fit(X, y)
    text = export_text(tree)
    leaf = tree.apply(X[:1])[0]
    assert f"risk: {tree.predict(X[:1])[0]:.4g}" in text
    time, survival = tree._curves.curve(leaf)
    function = tree.predict_survival_function(X[:1])[0]
    assert_allclose(function(time), survival)
    tree.set_params(max_depth=1).fit(X, y)
    ax = plot_tree(tree)
    assert any("median" in text.get_text() for text in ax.texts)
    curves = [line for line in ax.lines if len(line.get_ydata()) > 3]
    assert len(curves) == len(ax.figure.axes[0].patches) - 1  # one per leaf
    node = tree.tree_.left[0]
    time, survival = tree._curves.curve(node)
    across, up = curves[0].get_data()
    assert_allclose((up[2::2] - up[0]) / (up[-1] - up[0]), (survival - 1) / (survival[-1] - 1))
    share = (across[1:-1:2] - across[0]) / (across[-1] - across[0])
    assert_allclose(share, time / tree.event_times_[-1])
    plt.close(ax.figure)  # the next test of drawings begins its own
    rare = ConditionalInferenceSurvivalTree(max_depth=1).fit(
        X, censored(np.arange(150) < 9, y["time"])
    )
    assert "median not reached" in export_text(rare)


def test_permutation_importance_takes_what_fit_takes():
    X, y = data()
    forest = ConditionalInferenceSurvivalForest(10, random_state=0).fit(X, y)
    named = {"event": y["event"], "time": y["time"]}
    mean = forest.permutation_importance(X, y, random_state=0).importances_mean
    for same in (named, (y["event"], y["time"])):
        again = forest.permutation_importance(X, same, random_state=0).importances_mean
        assert_array_equal(mean, again)
    with pytest.raises(ValueError, match=r"those the forest was fitted on: \d+ rows; got 5"):
        forest.permutation_importance(X[:5], y[:5])
