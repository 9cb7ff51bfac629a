"""Random ties and budgets that fit: the level is spent, whatever the feature, and no more."""

import numpy as np
import pytest

from bands import assert_count, assert_count_at_least, assert_count_at_most
from engine import SINGLE_SELECTORS, grow, selector_id
from inforest import ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor

pytestmark = pytest.mark.slow
OURS = dict(ties="random", strict_level=False, feature_scanning=True, splitter_test=None)
FEATURES = {
    "two values": lambda rng, n: rng.permutation(np.arange(n) % 2),
    "rare": lambda rng, n: rng.permutation(np.arange(n) < 2),
    "four values": lambda rng, n: rng.permutation(np.arange(n) % 4),
    "continuous": lambda rng, n: rng.normal(size=n),
}


def null_response(rng, n, n_classes):
    if n_classes == 0:
        return np.round(2 * rng.normal(size=n))  # ties in y, too
    return rng.permutation(np.arange(n) % n_classes).astype(float)


def root_p_values(selectors, n_classes, feature, n_data, **options):
    p = np.empty(n_data)
    for seed in range(n_data):
        rng = np.random.default_rng([seed, n_classes])
        X = np.column_stack([FEATURES[feature](rng, 24)]).astype(float)
        root = grow(
            X, null_response(rng, 24, n_classes), n_classes, selector=selectors, seeds=[seed],
            max_depth=1, n_resamples_selector=19, early_stopping_selector=None,
            **(OURS | options),
        )  # fmt: skip
        p[seed] = root["p_value_feature"][0]
    return p


@pytest.mark.parametrize("shortcuts", [True, False])
@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("case", SINGLE_SELECTORS, ids=selector_id)
def test_p_values_with_random_ties_are_exactly_uniform(case, feature, shortcuts):
    """Of B + 1 = 20 equally likely p-values; with ties counted they are not."""
    selectors, n_classes = case
    n_data = 1500 if shortcuts else 500
    p = root_p_values(selectors, n_classes, feature, n_data, shortcuts=shortcuts)
    for rank in (1, 2, 5, 10, 15):
        assert_count((p <= rank / 20 + 1e-9).sum(), n_data, rank / 20)


@pytest.mark.parametrize("feature", ["two values", "rare"])
def test_counted_ties_do_not_spend_the_level(feature):
    """What the random ones are for."""
    p = root_p_values(["mc"], 2, feature, 2000, ties="count")
    assert (p <= 0.05).mean() < 0.03


@pytest.mark.parametrize("n_candidates", [1, 2, 4, 10, 100, 1000])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_default_roots_spend_alpha(task, n_candidates):
    """Independent candidates: Bonferroni gives 1 - (1 - alpha / m)^m, at least 0.975 alpha."""
    n_data = 1500 if n_candidates == 1000 else 6000
    n = 30
    cls = ConditionalInferenceTreeClassifier
    if task == "regression":
        cls = ConditionalInferenceTreeRegressor
    rejections = 0
    for seed in range(n_data):
        rng = np.random.default_rng([seed, n_candidates])
        X = rng.normal(size=(n, n_candidates))
        X[:, ::2] = np.round(X[:, ::2])  # every other one has few values
        y = rng.normal(size=n) if task == "regression" else rng.permutation(np.arange(n) % 2)
        tree = cls(max_depth=1, splitter_test=None, random_state=seed).fit(X, y)
        rejections += tree.tree_.feature[0] >= 0
    assert_count_at_most(rejections, n_data, 0.05)
    assert_count_at_least(rejections, n_data, 1 - (1 - 0.05 / n_candidates) ** n_candidates)


@pytest.mark.parametrize("adjust", [True, "maxt", False])
def test_the_answer_of_a_tree_is_one_of_the_data(adjust):
    """One candidate whose exact p-value is 0.03: 95 % of the seeds agree, where level is 0.05."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=40), np.arange(40) % 2
    draws = np.array(
        [np.abs(x[rng.permutation(40)[:20]].mean() - x.mean()) for _ in range(200_000)]
    )
    wanted = np.quantile(draws, 0.976)
    gap = x[y == 1].mean() - x.mean()
    x[y == 1] += wanted - gap
    x[y == 0] -= wanted - gap
    exact = _p_value(x, y, rng)
    assert 0.027 < exact < 0.033
    seeds = 400
    splits = sum(
        ConditionalInferenceTreeClassifier(
            adjust_alpha_selector=adjust, splitter_test=None, max_depth=1, random_state=seed
        )
        .fit(x[:, None], y)
        .tree_.feature[0]
        == 0
        for seed in range(seeds)
    )
    assert_count_at_least(splits, seeds, 0.95)
    assert splits > 0.95 * seeds


def _p_value(x, y, rng):
    observed = abs(x[y == 1].mean() - x.mean())
    draws = [abs(x[rng.permutation(len(x))[:20]].mean() - x.mean()) for _ in range(100_000)]
    return np.mean(np.array(draws) >= observed)
