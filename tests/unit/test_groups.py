"""Groups: the rows of one subject are in a sample, a fold or a half together, or not at all."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from bands import assert_count
from engine import grow
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    FeatureSelector,
    PermutationFilter,
    _core,
    independence_test,
    load,
    rank_features,
    save,
)
from inforest._engine.design import make_design
from inforest.diagnostics import null_check, sensitivity, stability

DEEP = dict(n_resamples_selector=None, splitter_test=None)


def doubled_noise(n_groups, seed=0):
    """Every row twice, and nothing to find."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_groups, 4)), rng.permutation(n_groups) % 2
    return np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(n_groups), 2)


def test_out_of_bag_accuracy_of_doubled_noise_is_a_coin():
    n_groups = 1500
    X, y, groups = doubled_noise(n_groups)
    order = np.random.default_rng(1).permutation(len(y))
    X, y, groups = X[order], y[order], groups[order]
    forest = ConditionalInferenceForestClassifier(60, oob_score=True, random_state=0, **DEEP)
    leaking = forest.fit(X, y).oob_score_
    kept = forest.fit(X, y, groups=groups)
    assert leaking > 0.7
    right = round(kept.oob_score_ * n_groups)  # both rows of a group are equal
    assert_count(right, n_groups, 0.5)


METHODS = ("stratified", "plain", "undersample")


@pytest.mark.parametrize(
    ("method", "replace"), [*product(METHODS, (True, False)), ("oversample", True)]
)
def test_no_group_is_on_both_sides(method, replace):
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 40, 150)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
    forest = ConditionalInferenceForestClassifier(
        30, sampling_method=method, replace=replace, random_state=0, oob_score=True
    ).fit(X, y, groups=groups)
    for rows in forest.estimators_samples_:
        times = np.bincount(rows, minlength=150)
        assert len(rows) > 0
        assert set(groups[times > 0]).isdisjoint(groups[times == 0])
        for group in np.unique(groups):
            assert len(set(times[groups == group])) == 1
    shares = [len(np.unique(rows)) / 150 for rows in forest.estimators_samples_]
    if method in ("stratified", "plain"):
        assert 0.55 < np.mean(shares) < 0.72  # as many as without groups


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=40),
    st.integers(1, 4),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_rows_of_a_group_come_equally_often(labels, quota, replace, seed):
    numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    groups = np.array([numbers[label] for label in labels], dtype=np.int32)
    counts = _core.sample_counts(
        len(labels), None, None, np.array([quota]), replace, seed, groups=groups
    )
    drawn = [counts[groups == group] for group in range(len(numbers))]
    assert all(len(set(own)) == 1 for own in drawn)
    total = sum(own[0] for own in drawn)
    assert total == (quota if replace else min(quota, len(numbers)))


def test_honest_halves_part_groups():
    """Leaf values are those of other groups: with y a group's own number, none is met again."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 4).astype(np.int32)
    X, y = rng.normal(size=(120, 2)), groups.astype(float)
    options = dict(honesty=True, n_resamples_selector=None, splitter_test=None, max_depth=0)
    means = []
    for seed in range(20):
        root = grow(X, y, seeds=[seed], groups=groups, **options)
        assert root["n_samples"][0] % 4 == 0
        means.append(root["value"][0, 0])
        whole = root["value"][0, 0] * 60  # the sum over the other half: of 15 whole groups
        assert round(whole) % 4 == 0
        assert abs(whole - round(whole)) < 1e-6
    assert len(set(means)) > 10


def test_groups_are_kept_for_importances_files_and_warm_starts(tmp_path):
    X, y, groups = doubled_noise(60)
    forest = ConditionalInferenceForestClassifier(10, random_state=0)
    forest.fit(X, y, groups=groups, blocks=groups % 3)
    save(forest, tmp_path / "forest")
    copy = load(tmp_path / "forest")
    for one, other in zip(forest.estimators_samples_, copy.estimators_samples_, strict=True):
        assert_array_equal(one, other)
    result = [
        one.permutation_importance(X, y, random_state=0).importances_mean for one in (forest, copy)
    ]
    assert_array_equal(*result)
    whole = ConditionalInferenceForestClassifier(20, random_state=0)
    whole.fit(X, y, groups=groups, blocks=groups % 3)
    copy.set_params(warm_start=True, n_estimators=20)
    for design in ({}, {"groups": groups}, {"groups": groups, "blocks": groups % 2}):
        with pytest.raises(ValueError, match="and the same blocks and groups"):
            copy.fit(X, y, **design)
    copy.fit(X, y, groups=groups, blocks=groups % 3)
    assert_array_equal(copy.trees_.threshold, whole.trees_.threshold)


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    forest = ConditionalInferenceForestRegressor(5, random_state=0)
    alone = forest.fit(X, y).trees_.threshold
    assert_array_equal(alone, forest.fit(X, y, groups=np.arange(80)).trees_.threshold)


def test_one_group_leaves_nothing_to_score():
    X, y, _ = doubled_noise(20)
    forest = ConditionalInferenceForestClassifier(5, oob_score=True, random_state=0)
    with pytest.raises(ValueError, match="contradict each other"):
        forest.fit(X, y, groups=np.zeros(len(y)))
    assert forest.set_params(oob_score=False).fit(X, y, groups=np.zeros(len(y))).trees_.n_trees == 5


def test_threads_draw_the_same_groups():
    X, y, groups = doubled_noise(60)
    one, two = (
        ConditionalInferenceForestClassifier(40, n_jobs=n, random_state=0, oob_score=True).fit(
            X, y, groups=groups
        )
        for n in (1, 2)
    )
    assert one.oob_score_ == two.oob_score_
    assert_array_equal(one.trees_.threshold, two.trees_.threshold)


def subjects(seed=0, n_groups=30):
    """Rows of subjects, who have one y each; nothing to find."""
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(np.repeat(np.arange(n_groups), rng.integers(2, 6, n_groups)))
    groups = make_design(None, mixed, len(mixed)).groups  # numbered as they are met
    y = rng.permutation(n_groups) % 2
    own = rng.normal(size=(n_groups, 3))[groups]
    return own + 0.1 * rng.normal(size=own.shape), y[groups], groups


def test_subjects_are_tested_by_their_means():
    X, y, groups = subjects()
    means = np.array([X[groups == group].mean(axis=0) for group in range(30)])
    first = [np.flatnonzero(groups == group)[0] for group in range(30)]
    options = dict(random_state=0, n_resamples=199)
    for blocks in (None, groups % 4):
        alone = None if blocks is None else blocks[first]
        expected = independence_test(means, y[first], blocks=alone, **options)
        found = independence_test(X, y, groups=groups, blocks=blocks, **options)
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-9)
        assert_array_equal(found.p_value, expected.p_value)
        kept = PermutationFilter(adjust=None, **options).fit(X, y, groups=groups, blocks=blocks)
        assert_array_equal(kept.pvalues_, expected.p_value)
        ranked = rank_features(
            X,
            y,
            estimator=ConditionalInferenceForestClassifier(5, selector="mc"),
            p_values="none",
            groups=groups,
            blocks=blocks,
            **options,
        )
        assert_array_equal(ranked.p_values, expected.p_value)
    with pytest.raises(ValueError, match="the same y and the same block; got a group in which"):
        independence_test(X, np.arange(len(y)), groups=groups)


@pytest.mark.parametrize("is_regression", [False, True])
def test_folds_hold_whole_groups(is_regression):
    """Rows of one subject in two folds would tell a nearest neighbour what to predict."""
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    X, y, groups = subjects(n_groups=60)
    y = groups * 7 % 60 / 10.0 if is_regression else y
    model = KNeighborsRegressor(1) if is_regression else KNeighborsClassifier(1)
    selector = FeatureSelector(
        rank_once(is_regression), downstream=model, k_grid=[3], random_state=0
    )
    leaking = selector.fit(X, y).cv_results_["mean_score"][0]
    kept = selector.fit(X, y, groups=groups).cv_results_["mean_score"][0]
    assert leaking > 0.6
    assert kept < leaking - 0.2
    assert_array_equal(selector.estimator_._sampling.groups, groups)


def rank_once(is_regression):
    if is_regression:
        return ConditionalInferenceForestRegressor(5)
    return ConditionalInferenceForestClassifier(5)


def test_metadata_routing_hands_the_design_to_all_parts():
    import sklearn
    from sklearn.pipeline import make_pipeline

    X, y, groups = subjects(n_groups=60)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = FeatureSelector(k_grid=[1, 3], random_state=0)
        selector.fit(X, y, groups=groups, blocks=groups % 2)
        inner = selector.estimator_.forests_[0]
        assert_array_equal(inner._sampling.groups, groups)
        assert_array_equal(inner._blocks, groups % 2)
        forest = ConditionalInferenceForestClassifier(5, random_state=0)
        line = make_pipeline(PermutationFilter(k=2).set_fit_request(groups=True), forest)
        line.fit(X, y, groups=groups, blocks=groups % 2)
        assert_array_equal(line[-1]._sampling.groups, groups)
    plain = FeatureSelector(k_grid=[1, 3], random_state=0)
    plain.fit(X, y, groups=groups, blocks=groups % 2)
    assert_array_equal(plain.cv_results_["mean_score"], selector.cv_results_["mean_score"])


class Recorder(ConditionalInferenceForestClassifier):
    """Remembers the rows and the design of every fit."""

    seen = []

    def fit(self, X, y, sample_weight=None, *, blocks=None, groups=None):
        self.seen.append((X[:, 0].copy(), y.copy(), blocks, groups))
        return super().fit(X, y, sample_weight, blocks=blocks, groups=groups)


def test_groups_that_share_y_are_shuffled_whole():
    _, y, groups = subjects()
    rng = np.random.default_rng(0)
    for blocks in (None, groups % 4):
        design = make_design(blocks, groups, len(y))
        first = np.unique(groups, return_index=True)[1]
        for _ in range(20):
            shuffled = design.permuted(rng, y)
            assert design.groups_share(shuffled)
            kept = np.zeros(30, int) if blocks is None else blocks[first]
            for block in np.unique(kept):
                own = first[kept == block]
                assert shuffled[own].sum() == y[own].sum()
    uneven = design.permuted(rng, np.arange(len(y)))
    assert not design.groups_share(uneven)
    assert sorted(uneven) == list(range(len(y)))


def test_diagnostics_keep_groups_and_shuffle_inside_blocks():
    rng = np.random.default_rng(0)
    groups, blocks = np.repeat(np.arange(40), 3), np.arange(120) % 5
    X = np.column_stack([np.arange(120.0), *rng.normal(size=(3, 120))])
    y = (rng.random(120) < 0.1 + 0.2 * blocks).astype(int)
    forest = Recorder(3)
    shared = dict(estimator=forest, blocks=blocks, groups=groups, random_state=0)
    Recorder.seen.clear()
    stability(X, y, k=2, n_repeats=6, vary="subsample", **shared)
    assert len(Recorder.seen) == 6
    for first, second in zip(Recorder.seen[::2], Recorder.seen[1::2], strict=True):
        rows, others = first[0].astype(int), second[0].astype(int)
        assert set(groups[rows]).isdisjoint(groups[others])
        assert_array_equal(np.bincount(groups[rows], minlength=40) % 3, 0)
        assert len(rows) == len(others) == 60
        assert len(set(zip(groups[rows], first[3], strict=True))) == len(set(first[3])) == 20
    Recorder.seen.clear()
    null_check(X, y, n_repeats=19, **shared)
    real, *shuffled = [fit[1] for fit in Recorder.seen]
    assert_array_equal(real, y)
    for other in shuffled:
        assert (other != y).any()
        for block in range(5):
            assert other[blocks == block].sum() == y[blocks == block].sum()
    Recorder.seen.clear()
    sensitivity(X, y, k=2, max_features=[None], n_repeats=2, **shared)
    assert_array_equal(Recorder.seen[0][3], groups)
