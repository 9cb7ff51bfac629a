"""maxT in a node: one test of the largest statistic, replayed draw by draw."""

import numpy as np
import pytest

import oracle
from bands import assert_more_often
from engine import fortran, grow, selector_id
from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceTreeRegressor, _core

CASES = [(["mc"], 2), (["mc"], 3), (["quad"], 3), (["mc", "quad"], 2), (["pc"], 0), (["quad"], 0)]
STOP = np.zeros(1, dtype=np.uint8)
EACH = pytest.mark.parametrize("case", CASES, ids=selector_id)


def problem(seed, n_classes, strength, n=40, p=12):
    rng = np.random.default_rng([seed, n_classes])
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    score = strength * X[:, 3] + rng.normal(size=n)
    y = score if n_classes == 0 else np.floor(n_classes * score.argsort().argsort() / n)
    return X, y


def drawn_maxima(X, y, n_classes, selectors, seed, n_draws):
    """The scores of a root with this seed, and the largest over all features under each draw."""
    data = fortran(X), y, n_classes, selectors
    score, mean, variance = _core.tail_scores(*data, seed)
    running = np.full(n_draws, -np.inf)
    maxima = running, mean, variance
    _core.tally_draws(STOP, *data, np.arange(X.shape[1]), seed, maxima, 0, n_draws)
    return score, running


@pytest.mark.parametrize("n_resamples", ["minimum", "auto", 99])
@pytest.mark.parametrize("stopping", [None, "curtailed", "adaptive"])
@EACH
def test_a_root_is_the_test_of_the_largest_statistic(case, stopping, n_resamples):
    selectors, n_classes = case
    n_draws = _core.budget(n_resamples, 0.05, 1, False)
    outcomes, n_certified = set(), 0
    for seed in range(25):
        X, y = problem(seed, n_classes, 0.1 * (seed % 8))
        score, maxima = drawn_maxima(X, y, n_classes, selectors, seed, n_draws)
        exceeds = maxima >= score.max() - 1e-8
        b, k, rejected = oracle.stop(exceeds, 0.05, stopping, 0.95)
        root = grow(
            X, y, n_classes, selector=selectors, seeds=[seed], max_depth=1, splitter_test=None,
            n_resamples_selector=n_resamples, early_stopping_selector=stopping,
            adjust_alpha_selector="maxt",
        )  # fmt: skip
        if rejected and root["n_draws_feature"][0] == 0:  # by a proven bound, without draws
            assert stopping is not None
            n_certified += 1
            continue
        assert root["feature"][0] == (score.argmax() if rejected else -1)
        assert root["p_value_feature"][0] == pytest.approx((1 + k) / (1 + b))
        assert root["n_draws_feature"][0] == root["draws_selector"][0] == b
        assert root["n_tests_feature"][0] == X.shape[1]
        outcomes.add(rejected)
    assert outcomes == {True, False}
    assert n_certified < 10


@EACH
def test_a_clear_root_needs_no_draws(case):
    selectors, n_classes = case
    X, y = problem(0, n_classes, 4.0, n=5000)
    how = dict(selector=selectors, max_depth=1, n_resamples_selector="auto")
    root = grow(X, y, n_classes, adjust_alpha_selector="maxt", **how)
    assert root["feature"][0] == 3
    assert (root["draws_selector"][0] == 0) == (len(selectors) == 1)  # lists have no bound


@EACH
def test_order_of_scanning_and_muting_do_not_matter(case):
    selectors, n_classes = case
    X, y = problem(1, n_classes, 1.0, n=150)
    how = dict(selector=selectors, adjust_alpha_selector="maxt", alpha_selector=0.5)
    plain = grow(X, y, n_classes, **how)
    for other in (dict(feature_scanning=False), dict(feature_muting=False)):
        again = grow(X, y, n_classes, **how, **other)
        assert all(np.array_equal(plain[k], again[k], equal_nan=True) for k in plain)


@pytest.mark.slow
def test_maxt_finds_what_bonferroni_misses_among_many_candidates():
    """200 nearly equal features: Bonferroni pays for each, maxT for hardly more than one."""
    n_data = 60
    found = {"maxt": np.zeros(n_data, dtype=bool), "bonferroni": np.zeros(n_data, dtype=bool)}
    for seed in range(n_data):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(50, 1)) + 0.1 * rng.normal(size=(50, 200))
        y = 0.35 * X[:, 0] + rng.normal(size=50)
        for adjust in found:
            tree = ConditionalInferenceTreeRegressor(
                adjust_alpha_selector=adjust, max_depth=1, splitter_test=None, random_state=seed
            )
            found[adjust][seed] = tree.fit(X, y).tree_.n_leaves == 2
    assert_more_often(found["maxt"], found["bonferroni"])


def test_bonferroni_is_another_word_for_true():
    X, y = problem(2, 2, 1.0)
    one, other = (
        ConditionalInferenceForestClassifier(5, adjust_alpha_selector=adjust, random_state=0)
        for adjust in (True, "bonferroni")
    )
    assert np.array_equal(one.fit(X, y).trees_.feature, other.fit(X, y).trees_.feature)
    with pytest.raises(ValueError, match=r"adjust_alpha_selector.*Got 'holm'"):
        one.set_params(adjust_alpha_selector="holm").fit(X, y)
