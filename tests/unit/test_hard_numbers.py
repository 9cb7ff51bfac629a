"""Numbers and arguments at the end of what is possible: sense, or words of our own."""

import re

import numpy as np
import pandas as pd
import pytest

from forests import BOTH, Classifier, Regressor, data
from inforest import (
    FeatureSelector,
    PermutationFilter,
    independence_test,
    make_report,
    null_check,
    rank_features,
    sensitivity,
    stability,
)
from inforest._engine.notices import CostWarning
from inforest.report import sample

rng = np.random.default_rng(0)
X, LABELS = rng.normal(size=(40, 3)), np.array(["a", "b"] * 20, dtype=object)
QUICK = dict(n_estimators=3, random_state=0)
ENTRANCES = {
    "rank_features": lambda X, y: rank_features(X, y, **QUICK),
    "stability": lambda X, y: stability(X, y, k=1),
    "null_check": null_check,
    "sensitivity": lambda X, y: sensitivity(X, y, k=1),
    "make_report": lambda X, y: make_report(X, y, n_estimators=3),
    "independence_test": independence_test,
    "FeatureSelector": FeatureSelector().fit,
    "PermutationFilter": PermutationFilter().fit,
    "forest": Classifier(**QUICK).fit,
}
EACH = pytest.mark.parametrize("entrance", ENTRANCES)


@EACH
def test_no_response(entrance):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        ENTRANCES[entrance](X, None)


@EACH
@pytest.mark.parametrize("missing", [np.nan, None], ids=str)
@pytest.mark.parametrize("container", [np.array, list, pd.Series], ids=lambda c: c.__name__)
def test_labels_with_missing_ones(entrance, missing, container):
    y = LABELS.copy()
    y[3] = missing
    y = y if container is np.array else container(y.tolist())
    with pytest.raises(ValueError, match="Input y contains N"):
        ENTRANCES[entrance](X, y)


@EACH
@pytest.mark.parametrize("container", [np.array, pd.Series], ids=lambda c: c.__name__)
def test_labels_of_types_without_an_order(entrance, container):
    y = container(["a", 7] * (len(LABELS) // 2), dtype=object)
    with pytest.raises(ValueError, match="labels of several types, such as 'a' and 7, which have"):
        ENTRANCES[entrance](X, y)


@pytest.mark.parametrize("names", ["abc", "auto", 5], ids=str)
@pytest.mark.parametrize("entrance", ["rank_features", "independence_test"])
def test_names_are_no_text(entrance, names):
    call = {"rank_features": rank_features, "independence_test": independence_test}[entrance]
    with pytest.raises(ValueError, match="feature_names must be a sequence of 3 names"):
        call(X, LABELS, feature_names=names)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: FeatureSelector(downstream="x").fit(X, LABELS), "downstream must be None or an"),
        (lambda: FeatureSelector(downstream=5).fit(X, LABELS), "downstream must be None or an"),
        (lambda: FeatureSelector(cv=[1, 2]).fit(X, LABELS), "cv must give pairs of training"),
        (lambda: FeatureSelector(cv=[([0, 1], [99])]).fit(X, LABELS), "numbers from 0 to 39"),
        (lambda: FeatureSelector(cv=[([0.5], [1])]).fit(X, LABELS), "cv must give pairs"),
        (lambda: make_report(X, LABELS, target=5), "'target' parameter"),
        (lambda: make_report(X, LABELS, data=5), "'data' parameter"),
        (lambda: make_report(X, LABELS, command=5), "'command' parameter"),
        (lambda: make_report(X, LABELS, notices="text"), "'notices' parameter"),
        (lambda: make_report(X, LABELS, notices=[5]), "notices must be sentences"),
        (lambda: make_report(X, LABELS, alpha=1e-320), "'alpha' parameter"),
        (lambda: make_report(X, LABELS, random_state=10**400), "'random_state' parameter"),
        (lambda: make_report(X, LABELS, redundancy=10**400), "'redundancy' parameter"),
        (lambda: rank_features(X, LABELS, redundancy=10**400), "'redundancy' parameter"),
        (lambda: rank_features(X, LABELS, n_jobs=2**63), "'n_jobs' parameter"),
        (lambda: independence_test(X, LABELS, n_jobs=2**63), "'n_jobs' parameter"),
        (lambda: independence_test(X, LABELS, alpha=1e-320), "'alpha' parameter"),
        (lambda: independence_test(X, LABELS, n_resamples=2**63), "'n_resamples' parameter"),
        (lambda: Classifier(alpha_selector=10**400).fit(X, LABELS), "'alpha_selector' parameter"),
        (lambda: Classifier(n_jobs=2**63).fit(X, LABELS), "'n_jobs' parameter"),
        (lambda: Classifier(n_estimators=10**12).fit(X, LABELS), "'n_estimators' parameter"),
        (lambda: stability(X, LABELS, k=1, n_repeats=10**400), "'n_repeats' parameter"),
        (lambda: null_check(X, LABELS, n_repeats=10**400), "'n_repeats' parameter"),
        (lambda: null_check(X, LABELS, alpha=1e-320), "'alpha' parameter"),
    ],
)
def test_arguments_are_refused_by_name(call, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        call()


class EnoughError(Exception):
    """Raised in the place of work that would not end."""


def test_budgets_that_cannot_end_say_what_they_cost(monkeypatch):
    def work(*_, **__):
        raise EnoughError

    monkeypatch.setattr("inforest.independence.tests._Test.run", work)
    with (
        pytest.warns(CostWarning, match=r"n_resamples asks for 2\.15e\+09"),
        pytest.raises(EnoughError),
    ):
        independence_test(X, LABELS, n_resamples=2**31 - 1)
    with pytest.warns(CostWarning, match="years on one core"), pytest.raises(EnoughError):
        independence_test(X, LABELS, alpha=1e-17)
    monkeypatch.setattr("inforest._engine.training_set.TrainingSet.grow", work)
    for params in ({"alpha_selector": 1e-17, "n_resamples_selector": "auto"},
                   {"n_resamples_selector": 2**31 - 1}):  # fmt: skip
        with pytest.warns(CostWarning, match="selector"), pytest.raises(EnoughError):
            Classifier(**params).fit(X, LABELS)


# Numbers


@pytest.mark.parametrize("unit", [1e155, 1e-200, 1e300])
def test_permutation_importance_of_extreme_responses(unit):
    """Squares of such responses do not exist; the order and the ratios of importances do."""
    X, y = data(Regressor)
    y = y / 400
    usual = Regressor(**QUICK).fit(X, y).permutation_importance(X, y, random_state=0)
    extreme = Regressor(**QUICK).fit(X, y * unit)
    found = extreme.permutation_importance(X, y * unit, random_state=0).importances_mean
    assert np.isfinite(found).all()
    ratios = found / found.max()
    expected = usual.importances_mean / usual.importances_mean.max()
    np.testing.assert_allclose(ratios, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("unit", [1.0, np.finfo(float).max])
def test_honest_leaves_stay_within_the_range_of_y(unit):
    """Means of 0 and 1 were -8e-17; of the largest numbers, infinite."""
    for seed in range(20):
        draw = np.random.default_rng(seed)
        X = draw.normal(size=(300, 3))
        y = (draw.random(300) < 0.05).astype(float) * unit
        y = y if unit == 1.0 else np.where(y > 0, unit, -unit)
        forest = Regressor(n_estimators=5, honesty=True, random_state=seed).fit(X, y)
        value = forest.trees_.value
        assert value.min() >= y.min()
        assert value.max() <= y.max()
        assert np.isfinite(forest.predict(X)).all()


def test_so_many_classes_are_a_mistake():
    y = np.repeat(np.arange(5001), 2)
    X = np.zeros((len(y), 1))
    with pytest.raises(ValueError, match=r"at most 5,000 classes.*got 5,001"):
        Classifier().fit(X, y)


def test_a_report_on_numbers_that_cannot_be_squared():
    draw = np.random.default_rng(0)
    large = 1e308 * draw.uniform(-1, 1, size=(40, 2))
    report = make_report(large, large[:, 0] > 0, checks=False, **QUICK)
    assert "numbers beyond 1e+150" in report.content.skipped[0]
    assert report.content.k is None


def test_weights_of_any_size_are_no_rows():
    """24 rows with weights of 1e7 in sum took 0.9 GB when rows were repeated."""
    y = np.arange(24) % 2
    heavy = Classifier(**QUICK).fit(X[:24], y, sample_weight=np.full(24, 1e300 / 24))
    light = Classifier(**QUICK).fit(X[:24], y)
    assert heavy.trees_.n_samples.max() <= 24
    np.testing.assert_array_equal(heavy.predict(X), light.predict(X))


# Ctrl-C


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("method", ["predict", "apply"])
def test_ctrl_c_is_heard_between_blocks_of_predictions(cls, method, monkeypatch):
    """A call of the core cannot be interrupted: so it is never a long one."""
    X, y = data(cls)
    forest = cls(n_estimators=20, random_state=0).fit(X, y)
    expected = getattr(forest, method)(X)
    monkeypatch.setattr("inforest._engine.arrays._LONG", 20 * 10)  # ten rows at a time
    np.testing.assert_array_equal(getattr(forest, method)(X), expected)
    name = {"predict": "_predict_rows", "apply": "_apply_rows"}[method]
    from inforest._engine import arrays

    work, seen = getattr(arrays, name), []

    def interrupted(signals, begin, end, **shared):
        seen.append(end - begin)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return work(signals, begin, end, **shared)

    monkeypatch.setattr(arrays, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        getattr(forest, method)(X)
    assert len(seen) == 3
    assert max(seen) <= 11


# Long tables


@pytest.mark.parametrize("with_groups", [False, True])
def test_the_checks_of_a_long_table_look_at_a_sample(monkeypatch, with_groups):
    monkeypatch.setattr(sample, "MOST_ROWS", 60)
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(200, 3)), np.arange(200) % 2
    seen = []
    check = {"groups": np.arange(200) // 4} if with_groups else {}
    import inforest.report.collect as collect

    for name in ("null_check", "stability"):
        original = getattr(collect, name)

        def watched(X, y, original=original, **options):
            seen.append((len(y), options.get("groups")))
            return original(X, y, **options)

        monkeypatch.setattr(collect, name, watched)
    report = make_report(X, y, **QUICK, **check)
    assert [n for n, _ in seen] == [60, 60]
    words = "on 60 of the 200 rows, drawn at random; the ranking and its p-values are of all rows"
    assert words in report.content.question.notices[-1]
    assert report.content.question.n_rows == 200
    assert words in report.to_html()
    short = make_report(X[:60], y[:60], **QUICK)
    assert short.content.question.notices == ()


def test_a_long_report_is_announced(monkeypatch):
    monkeypatch.setattr(sample, "_LONG", 1e-9)
    with pytest.warns(CostWarning, match="40 rows, 3 features: this takes about 1 minute on one"):
        make_report(X, LABELS, checks=False, k=None, **QUICK)
