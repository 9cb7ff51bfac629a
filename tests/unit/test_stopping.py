"""Early stopping: what a stopped test decides, and what the full budget would have decided."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import binom

import oracle
from engine import COLUMNS, SELECTORS, fortran, grow, node, permutation_test, selector_id
from inforest import _core

KINDS = tuple(COLUMNS)
LEVELS = (0.05, 0.01)


def random_nodes(n_nodes, n_classes, seed):
    """Nodes of 5 to 40 rows whose signal straddles the level."""
    rng = np.random.default_rng([seed, n_classes])
    for i in range(n_nodes):
        n = int(rng.integers(5, 41))
        yield node(rng, n, n_classes, KINDS[i % 3], strength=rng.uniform(0, 2.5))


def budgets(tau):
    """minimum, auto and an integer with its 1.5 exceedances to spare."""
    return {
        "minimum": oracle.budget("minimum", tau, 1, False),
        "auto": oracle.budget("auto", tau, 1, False),
        "integer": int(3.7 / tau),
    }


@pytest.mark.parametrize("budget", ["minimum", "auto", "integer"])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_curtailed_rejects_exactly_when_the_fixed_test_does(case, budget, record_property):
    selectors, n_classes = case
    decisions, read, full = [], 0, 0
    for seed, (x, y) in enumerate(random_nodes(150, n_classes, seed=1)):
        tau = LEVELS[seed % 2]
        rules = dict(n_resamples=budgets(tau)[budget], tau=tau, seed=seed)
        fixed = permutation_test(x, y, n_classes, selectors, **rules)
        curtailed = permutation_test(
            x, y, n_classes, selectors, early_stopping="curtailed", **rules
        )
        assert fixed["n_draws"] == rules["n_resamples"]
        assert fixed["rejected"] == (fixed["p_value"] < tau)
        assert curtailed["rejected"] == fixed["rejected"]
        assert curtailed["n_draws"] <= fixed["n_draws"]
        # It read a prefix of the same draws, so its count can only be a part of the full one.
        assert curtailed["n_exceedances"] <= fixed["n_exceedances"]
        decisions.append(fixed["rejected"])
        read, full = read + curtailed["n_draws"], full + fixed["n_draws"]
    # Both decisions occur, so that agreeing means something.
    assert 10 < sum(decisions) < 140
    assert read < full
    record_property("draws_saved", 1 - read / full)


@pytest.mark.parametrize("early_stopping", [None, "curtailed", "adaptive"])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_stops_at_the_first_draw_that_settles_it(case, early_stopping):
    """Replays the rule draw by draw: a test of b draws reads the first b draws of a longer one."""
    selectors, n_classes = case
    tau = 0.05
    for seed, (x, y) in enumerate(random_nodes(12, n_classes, seed=2)):
        for n_resamples in (20, 52, 120):
            counts = [0] + [
                permutation_test(x, y, n_classes, selectors, n_resamples=b, seed=seed)[
                    "n_exceedances"
                ]
                for b in range(1, n_resamples + 1)
            ]
            steps = np.diff(counts)
            assert set(steps) <= {0, 1}
            expected = oracle.stop(steps == 1, tau, early_stopping, confidence=0.95)
            test = permutation_test(
                x,
                y,
                n_classes,
                selectors,
                n_resamples=n_resamples,
                tau=tau,
                early_stopping=early_stopping,
                seed=seed,
            )
            found = test["n_draws"], test["n_exceedances"], test["rejected"]
            assert found == expected
            assert test["p_value"] == (1 + expected[1]) / (1 + expected[0])


@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_adaptive_is_curtailed_at_the_minimum_budget(case):
    selectors, n_classes = case
    for seed, (x, y) in enumerate(random_nodes(60, n_classes, seed=3)):
        tau = LEVELS[seed % 2]
        rules = dict(n_resamples=budgets(tau)["minimum"], tau=tau, seed=seed)
        tests = [
            permutation_test(x, y, n_classes, selectors, early_stopping=rule, **rules)
            for rule in ("curtailed", "adaptive")
        ]
        assert tests[0] == tests[1]


@pytest.mark.parametrize("splitter_test", ["threshold", "max"])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_adaptive_and_curtailed_grow_the_same_tree_at_the_minimum_budget(case, splitter_test):
    selectors, n_classes = case
    rng = np.random.default_rng([4, n_classes])
    x, y = node(rng, 80, n_classes, "continuous", strength=1.5)
    X = np.column_stack([x, rng.normal(size=(80, 4)), np.round(rng.normal(size=80))])
    curtailed, adaptive = (
        grow(
            X,
            y,
            n_classes,
            selector=selectors,
            splitter_test=splitter_test,
            early_stopping_selector=rule,
            early_stopping_splitter=rule,
            seeds=range(5),
        )
        for rule in ("curtailed", "adaptive")
    )
    assert len(curtailed["feature"]) > 5  # not five lonely roots
    for name, values in curtailed.items():
        assert_array_equal(values, adaptive[name], err_msg=name)


QUAD = [(["quad"], 2), (["quad"], 3), (["quad"], 0)]
CERTIFYING = [(["mc"], 2), (["mc"], 3), (["rdc"], 2), (["rdc"], 3), (["pc"], 0), *QUAD]


@pytest.mark.parametrize("early_stopping", ["curtailed", "adaptive"])
@pytest.mark.parametrize("case", SELECTORS, ids=selector_id)
def test_certificate_rejects_only_where_the_p_value_is_tiny(case, early_stopping, record_property):
    """No draw read and yet rejected: then B draws show (almost) no exceedance either."""
    selectors, n_classes = case
    tau, n_resamples, certified = 0.05, 60, 0
    checks = 1000
    most = binom.ppf(1 - 1e-6, checks, 1e-3 / n_resamples)
    rng = np.random.default_rng([5, n_classes])
    sizes = (8, 60, 1500) if case in CERTIFYING else (8, 60)  # other selectors read draws anyway
    for seed in range(36):
        kind = KINDS[seed % 3]
        n = sizes[seed % len(sizes)]
        x, y = node(rng, n, n_classes, kind, strength=rng.uniform(0, 5))
        rules = dict(n_resamples=n_resamples, tau=tau, early_stopping=early_stopping, seed=seed)
        test = permutation_test(x, y, n_classes, selectors, certify=True, **rules)
        if test["n_draws"] > 0:
            # Without a certificate nothing changes.
            assert test == permutation_test(x, y, n_classes, selectors, **rules)
        elif test["rejected"]:
            certified += 1
            assert 0 < test["p_value"] < tau
            long = permutation_test(x, y, n_classes, selectors, n_resamples=checks, seed=seed)
            assert long["n_exceedances"] <= most
    record_property("certified", certified)
    assert (certified > 0) == (case in CERTIFYING)


FEW_DRAWS = dict(n_resamples_selector=9, adjust_alpha_selector=False, alpha_selector=0.15)
BUDGETS = {
    "minimum": dict(n_resamples_selector="minimum"),
    "auto": dict(n_resamples_selector="auto"),
    "nine draws": FEW_DRAWS,
}


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_a_fixed_budget_is_as_if_every_candidate_took_all_its_draws(n_classes, budget):
    """At the root, whose draws the independence tests can make; also if nothing rejects."""
    options = dict(early_stopping_selector=None, n_resamples_splitter=None, max_depth=1)
    options |= BUDGETS[budget]
    adjusts, alpha = options.get("adjust_alpha_selector", True), options.get("alpha_selector", 0.05)
    n_draws = _core.budget(options["n_resamples_selector"], alpha, 10, adjusts)
    outcomes = set()
    for seed in range(30):
        rng = np.random.default_rng([seed, n_classes])
        x, y = node(rng, 60, n_classes, "continuous", strength=0.1 * (seed % 8))
        X = fortran(x[:, None] + rng.normal(size=(60, 10)) * 2.0 ** np.arange(-3, 7))
        selector = ["mc" if n_classes else "pc"]
        stop, features = np.zeros(1, dtype=np.uint8), np.arange(10)
        exceedances, _ = _core.tally_draws(
            stop, X, y, n_classes, selector, features, seed, None, 0, n_draws
        )
        p_value = (1 + exceedances) / (1 + n_draws)
        root = grow(X, y, n_classes, selector=selector, seeds=[seed], **options)
        assert root["p_value_feature"][0] == pytest.approx(p_value.min())
        assert root["n_draws_feature"][0] == n_draws
        rejects = p_value.min() < (alpha / 10 if adjusts else alpha)
        best = np.flatnonzero(p_value == p_value.min())
        assert root["feature"][0] in (best if rejects else [-1])
        outcomes.add(bool(rejects))
    assert outcomes == {True, False}


@pytest.mark.parametrize("stopping", ["curtailed", "adaptive"])
def test_thresholds_that_cannot_reject_need_no_draws(stopping):
    x, y = node(np.random.default_rng(0), 60, 0, "continuous", strength=2.0)
    how = dict(n_resamples_selector=None, n_resamples_splitter=5, early_stopping_splitter=stopping)
    root = grow(x[:, None], y, 0, alpha_splitter=0.05, **how)
    assert root["feature"][0] == -1
    assert root["n_tests_threshold"][0] > 10
    assert (root["draws_splitter"].sum(), root["p_value_threshold"][0]) == (0, 1)
