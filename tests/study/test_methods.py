"""Every method of the study ranks all features, reproducibly; known errors of others stay away."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.metrics import balanced_accuracy_score, r2_score

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceTreeRegressor,
    rank_features,
)
from inforest_study import methods
from inforest_study.method import (
    REDUNDANCY,
    RERANKED,
    Method,
    MethodUnavailable,
    Ranked,
    best_first,
)
from inforest_study.methods import _held_out, cpi, inforest_default

N_INFORMATIVE = 3
DATA = {
    "classification": make_classification(
        120, 12, n_informative=N_INFORMATIVE, n_redundant=0, n_classes=3, n_clusters_per_class=1,
        class_sep=2.0, shuffle=False, random_state=0,
    ),
    "regression": make_regression(
        120, 12, n_informative=N_INFORMATIVE, noise=1.0, shuffle=False, random_state=0
    ),
}  # fmt: skip
#: Less of the same, where the study's own parameters take long.
QUICK = {
    "Boruta": {"max_iter": 12},
    "CatBoost": {"iterations": 20},
    "LightGBM": {"n_estimators": 30},
    "XGBoost": {"n_estimators": 30},
    "cforest": {"ntree": 8, "nresample": 99},
    "cforest-ours": {"n_estimators": 20},
    "ctree": {"nresample": 99},
    "RF-RFE": {"n_estimators": 20},
}
CASES = [
    (name, task) for name in methods.names() for task in DATA if task in methods.get(name).tasks
]
NEEDS_R = ("cforest", "ctree")
OURS = ("inforest", "ctree-ours", "cforest-ours")
#: The paper's methods; CIF-all is in its study of feature sampling only, HistGB came later.
STUDY = [name for name in methods.names() if name not in ("CIF-all", "HistGB", *OURS)]


def ranked(name, task, random_state=7, n_jobs=1, **changes):
    method = methods.get(name)
    try:
        method.requires()
    except MethodUnavailable as error:
        if name not in NEEDS_R:  # all others come with what the tests need
            raise
        pytest.skip(str(error))
    parameters = {**method.parameters(task), **QUICK.get(name, {}), **changes}
    return method.rank(*DATA[task], task, parameters, random_state, n_jobs)


@pytest.mark.parametrize(("name", "task"), CASES)
def test_ranks_every_feature_once_and_the_same_again(name, task):
    # The boosters' OpenMP threads wait in loops: on a machine with other work two take for ever.
    n_jobs = 1 if name in ("CatBoost", "LightGBM", "XGBoost") else 2
    first, again = ranked(name, task), ranked(name, task, n_jobs=n_jobs)
    assert sorted(first.order.tolist()) == list(range(12))
    assert first.order[0] < N_INFORMATIVE
    assert first.scores.dtype == np.float64
    np.testing.assert_array_equal(first.order, again.order)
    np.testing.assert_array_equal(first.scores, again.scores)
    assert first.facts == again.facts
    if first.usage is not None:
        assert first.usage.sum() == round(first.facts["splits_per_tree"] * first.facts["n_trees"])
        assert (first.trees_using <= first.usage).all()
        assert ((first.trees_using > 0) == (first.usage > 0)).all()
        assert first.trees_using.max() <= first.facts["n_trees"]


@pytest.mark.parametrize("task", DATA)
def test_our_default_is_the_librarys(task):
    """Every parameter of the ranker, of its forest and of the discount is that of the library."""
    theirs = rank_features(*DATA[task], task=task, random_state=7, n_jobs=1).estimator.get_params()
    parameters = methods.get("inforest").parameters(task)
    ours = inforest_default.make_ranker(task, parameters, 7, 1).get_params()
    for one in (theirs, ours):
        del one["forest"]  # its parameters are there by themselves
    assert ours == theirs
    assert theirs["redundancy"] == REDUNDANCY[task]
    assert {name: theirs.get(name, theirs.get(f"forest__{name}")) for name in parameters} == dict(
        parameters
    )


@pytest.mark.parametrize("task", DATA)
def test_trees_count_their_splits(task):
    trees = {"DT", "RT", "CIT", "CIF", "RF", "ExtraTrees", "XGBoost", "LightGBM", "CatBoost"}
    for name in trees:
        assert ranked(name, task).usage is not None, name


def test_grid_has_the_papers_size():
    sizes = {"classification": (17, 32), "regression": (18, 33)}
    for task, (n_methods, n_configs) in sizes.items():
        grids = [methods.get(name).configs[task] for name in STUDY if (name, task) in CASES]
        assert (len(grids), sum(map(len, grids))) == (n_methods, n_configs)


def test_selected_configurations():
    def selected(task):
        return {name: methods.get(name).selected[task] for name in STUDY if (name, task) in CASES}

    single = {"DT", "RT", "RF", "ExtraTrees", "CatBoost", "Boruta", "PI", "CPI", "RF-RFE"}
    common = dict.fromkeys(single, "default") | {
        "RDC filter": "rdc", "LightGBM": "gain", "ctree": "montecarlo",
        "cforest": "montecarlo-replace",
    }  # fmt: skip
    assert selected("classification") == common | {
        "MC filter": "mc", "CIT": "mc", "CIF": "mc", "XGBoost": "total_gain"
    }  # fmt: skip
    assert selected("regression") == common | {
        "PC filter": "pc", "DC filter": "dc", "CIT": "pc", "CIF": "pc-honest",
        "XGBoost": "total_cover",
    }  # fmt: skip
    assert methods.get("CIF").selected_synthetic == {"classification": "rdc", "regression": "pc"}


@pytest.mark.parametrize("name", ["CIT", "CIF", "CIF-all", "inforest", "RF", "ExtraTrees"])
@pytest.mark.parametrize("task", DATA)
def test_every_variant_ranks(name, task):
    method = methods.get(name)
    own = {name: changes for name, changes in method.variants.items() if name != RERANKED}
    for variant, changes in own.items():
        parameters = method.parameters(task, f"{method.selected[task]}+{variant}")
        assert changes.items() <= parameters.items()
        small = {**parameters, "n_estimators": 3} if "CIT" not in name else parameters
        X, y = DATA[task]
        assert len(method.rank(X[:60], y[:60], task, small, 0, 1).order) == 12, variant


def test_variants_change_what_they_say():
    cif = methods.get("CIF")
    assert cif.parameters("classification", "mc+no_mute") == {
        "selector": "mc", "honesty": False, "feature_muting": False
    }  # fmt: skip
    assert cif.parameters("regression", "one_tree+split_count") == {
        "selector": "pc", "honesty": True, "n_estimators": 1, "readout": "count"
    }  # fmt: skip
    off = cif.parameters("regression", "pc+all_off")
    assert set(off.values()) == {"pc", False, None}
    assert "bootstrap" in off
    assert "bootstrap" not in methods.get("CIT").parameters("regression", "pc+all_off")


def test_equal_importances_as_the_paper_orders_them_and_as_we_do():
    """The study's CIT ranks as `paper` does; its variant "root_ties" as our defaults do."""
    data = DATA["regression"]
    papers = ConditionalInferenceTreeRegressor.paper(random_state=7).fit(*data)
    found = ranked("CIT", "regression")
    np.testing.assert_array_equal(found.order, papers.ranking_)
    np.testing.assert_array_equal(found.order, best_first(found.scores))
    ours = ConditionalInferenceTreeRegressor.paper(ranking_ties="association", random_state=7)
    changed = ranked("CIT", "regression", **methods.get("CIT").variants["root_ties"])
    np.testing.assert_array_equal(changed.order, ours.fit(*data).ranking_)
    np.testing.assert_array_equal(changed.scores, found.scores)
    assert not np.array_equal(changed.order, found.order)


def test_parameters_reach_the_estimator():
    X, y = DATA["classification"]
    for readout in ("split", "count", "weighted"):
        found = ranked("CIF", "classification", readout=readout, n_estimators=20)
        forest = ConditionalInferenceForestClassifier.paper(n_estimators=20, random_state=7)
        np.testing.assert_array_equal(found.scores, forest.fit(X, y).importances(readout))
    assert found.facts["n_trees"] == 20
    with pytest.raises(TypeError, match="n_tree"):
        ranked("CIF", "classification", n_tree=20)


def test_unknown_names_list_near_matches():
    with pytest.raises(ValueError, match=r"unknown method 'RFRFE': did you mean 'RF-RFE'"):
        methods.get("RFRFE")
    with pytest.raises(ValueError, match=r"unknown method 'zzz': known: Boruta, CatBoost"):
        methods.get("zzz")
    cif = methods.get("CIF")
    with pytest.raises(
        ValueError, match=r"CIF configuration 'mc-honset': did you mean 'mc-honest'"
    ):
        cif.parameters("classification", "mc-honset")
    with pytest.raises(ValueError, match=r"CIF variant 'nomute': did you mean 'no_mute'"):
        cif.parameters("classification", "mc+nomute")
    with pytest.raises(ValueError, match="MC filter does not support regression"):
        methods.get("MC filter").parameters("regression")


def test_method_checks_what_it_is_given():
    with pytest.raises(ValueError, match="each of the 3 features once"):
        Ranked(np.array([0, 1]), np.zeros(3))
    with pytest.raises(ValueError, match="unknown mine configuration 'b'"):
        Method("mine", {"regression": {"a": {}}}, {"regression": "b"}, rank=lambda *_: None)
    with pytest.raises(ValueError, match="each task needs a selected configuration"):
        Method("mine", {"regression": {"a": {}}}, {}, rank=lambda *_: None)


def test_no_library_is_imported_before_its_method_runs():
    code = (
        "from inforest_study import methods; [methods.get(n).parameters for n in methods.names()];"
        "import sys; print(*sys.modules)"
    )
    run = [sys.executable, "-c", code]
    loaded = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    assert not {"boruta", "catboost", "lightgbm", "xgboost", "matplotlib"} & set(loaded)


@pytest.mark.parametrize(
    ("name", "package"),
    [("Boruta", "boruta"), ("CatBoost", "catboost"), ("LightGBM", "lightgbm"),
     ("XGBoost", "xgboost-cpu")],
)  # fmt: skip
def test_missing_package_says_how_to_get_it(name, package, monkeypatch):
    monkeypatch.setattr("inforest_study.method.find_spec", lambda module: None)
    with pytest.raises(MethodUnavailable, match=f"pip install {package}$"):
        methods.get(name).requires()


def test_cost_hints_grow_with_the_data():
    for name, method in methods._own().items():  # other tests may have registered theirs
        hint = method.cost_hint
        for n_classes in (3, None):
            small, large = hint(100, 20, n_classes), hint(2000, 500, n_classes)
            assert 0 < small < large < 1e7, name


def test_best_first_breaks_ties_by_the_next_score_then_index():
    assert best_first(np.array([0.0, 2.0, 0.0, 2.0])).tolist() == [1, 3, 0, 2]
    assert best_first(np.zeros(4), np.array([0.0, 0.0, 3.0, 0.0])).tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize(("name", "task"), [case for case in CASES if case[0].endswith("filter")])
def test_filter_orders_by_p_value_then_statistic(name, task):
    found = ranked(name, task)
    from inforest import independence_test

    selector = name.split()[0].lower()
    result = independence_test(
        *DATA[task], selector=selector, task=task, n_resamples=52, random_state=7
    )
    assert result.p_value.min() == 1 / 53
    keys = list(zip(result.p_value, -result.statistic, range(12), strict=True))
    assert found.order.tolist() == [feature for _, _, feature in sorted(keys)]
    np.testing.assert_array_equal(found.scores, result.statistic)
    assert found.facts["mean_draws"] == 52


def test_xgboost_counts_splits_as_xgboost_does():
    found = ranked("XGBoost", "regression", importance_type="weight")
    np.testing.assert_allclose(found.scores, found.usage / found.usage.sum(), rtol=1e-6)


def test_xgboost_accepts_a_fold_without_some_class():
    X, y = DATA["classification"]
    found = methods.get("XGBoost").rank(
        X, y * 2, "classification", {"n_estimators": 2, "importance_type": "gain"}, 0, 1
    )
    assert len(found.order) == 12


@pytest.mark.parametrize("task", DATA)
def test_lightgbm_counts_splits_as_lightgbm_does(task):
    found = ranked("LightGBM", task, importance_type="split")
    np.testing.assert_array_equal(found.scores, found.usage)


def test_catboost_counts_a_question_per_level():
    found = ranked("CatBoost", "regression", iterations=5, depth=3)
    assert found.facts["n_trees"] == 5
    assert found.usage.sum() <= 15
    assert ((found.scores > 0) <= (found.usage > 0)).all()


def test_rfe_orders_within_a_round():
    """RFE gives a round's features one rank: with p = 40 the last four would be index-ordered."""
    X, y = make_classification(
        150, 40, n_informative=6, n_redundant=4, shuffle=False, random_state=3
    )
    X = X[:, np.random.default_rng(0).permutation(40)]
    method = methods.get("RF-RFE")
    parameters = {**method.parameters("classification"), "n_estimators": 30}
    found = method.rank(X, y, "classification", parameters, 5, 1)
    forest = RandomForestClassifier(30, random_state=5)
    reference = RFE(forest, n_features_to_select=1, step=0.1).fit(X, y)
    in_order = reference.ranking_[found.order]
    assert (np.diff(in_order) >= 0).all(), "a feature that RFE removes later comes first"
    np.testing.assert_array_equal(found.scores, found.scores.max() + 1 - reference.ranking_)
    whole = forest.fit(X, y).feature_importances_
    first_removed = found.order[-4:]
    assert sorted(first_removed.tolist()) == sorted(np.argsort(whole)[:4].tolist())
    assert (np.diff(whole[first_removed]) < 0).all()


def correlated_columns(n_rows, n_features):
    rng = np.random.default_rng(1)
    return rng.normal(size=(n_rows, 1)) + 0.6 * rng.normal(size=(n_rows, n_features))


def test_cpi_strata_do_not_overflow():
    """5**28 is more than an int64 holds: strata must still be the cells of the bins."""
    X = correlated_columns(60, 70)
    X = np.concatenate([X, X])  # every row has exactly one twin
    strata = cpi.strata(X, 0.5, 5)(0)
    assert len(np.unique(strata)) == 60
    np.testing.assert_array_equal(strata[:60], strata[60:])


def test_cpi_strata_are_the_cells_of_the_related_features():
    X = correlated_columns(200, 4)
    X[:, 3] = np.random.default_rng(2).normal(size=200)
    X = np.column_stack([X, np.ones(200)])
    of = cpi.strata(X, 0.5, 5)
    cells = np.stack([np.searchsorted(np.quantile(x, [0.2, 0.4, 0.6, 0.8]), x) for x in X.T], 1)
    expected = np.unique(cells[:, [1, 2]], axis=0, return_inverse=True)[1].ravel()
    same = expected[:, None] == expected
    np.testing.assert_array_equal(of(0)[:, None] == of(0), same)
    assert set(of(3)) == {0}, "no relatives: one stratum"
    assert set(of(4)) == {0}, "a constant feature is related to nothing"


def test_cpi_conditions_on_a_correlation_of_exactly_one_half():
    x = np.repeat([1.0, -1.0], 8)
    other = x.copy()
    other[[0, 1, 8, 9]] *= -1
    X = np.column_stack([x, other])
    assert np.corrcoef(x, other)[0, 1] == pytest.approx(0.5)
    assert len(np.unique(cpi.strata(X, 0.5, 5)(0))) == 2
    assert len(np.unique(cpi.strata(X, 0.51, 5)(0))) == 1


def test_permutation_stays_within_groups():
    rng = np.random.default_rng(0)
    groups = np.array([0, 1, 0, 2, 1, 0])
    x = np.arange(6)
    seen = {tuple(_held_out.permute_within(x, groups, rng).tolist()) for _ in range(500)}
    assert len(seen) == 12, "3! orders of one group times 2! of another"
    for permuted in seen:
        np.testing.assert_array_equal(groups[list(permuted)], groups)


@pytest.mark.parametrize("task", DATA)
def test_kept_answers_give_the_drop_of_full_predictions(task):
    from sklearn.ensemble import RandomForestRegressor

    X, y = DATA[task]
    forest = (RandomForestClassifier if task == "classification" else RandomForestRegressor)(
        15, max_depth=3, random_state=0
    ).fit(X[:60], y[:60])
    held_out = _held_out._HeldOut(forest, X[60:], y[60:], task)
    score = balanced_accuracy_score if task == "classification" else r2_score
    groups = np.arange(60) % 2
    drops = held_out.drops(lambda j: groups, 4, 9, 1)
    for j in range(X.shape[1]):
        rng, scores = np.random.default_rng([9, j]), []
        for _ in range(4):
            permuted = X[60:].copy()
            permuted[:, j] = _held_out.permute_within(permuted[:, j], groups, rng)
            scores.append(score(y[60:], forest.predict(permuted)))
        expected = score(y[60:], forest.predict(X[60:])) - np.mean(scores)
        assert drops[j] == pytest.approx(expected, abs=1e-9), j


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scores": np.zeros((3, 1))}, "scores must be one number"),
        ({"scores": [0.0, np.nan, 1.0]}, "scores must be one number"),
        ({"order": [0, 1]}, "order must hold each of the 3 features once"),
        ({"usage": [1, 2]}, "usage must hold 3 counts"),
        ({"facts": {"a": "hello"}}, "could not convert"),
    ],
)
def test_what_a_method_returns_is_checked_where_it_runs(changes, words):
    right = {"order": [2, 0, 1], "scores": [0.5, 0.0, 1.0], "usage": [1, 0, 2], "facts": {1: 2}}
    found = Ranked(**right)
    assert found.facts == {"1": 2.0}
    assert found.order.dtype == np.intp
    with pytest.raises(ValueError, match=words):
        Ranked(**{**right, **changes})


@pytest.mark.parametrize("task", DATA)
def test_our_ctree_ranks_as_that_of_r(task):
    """The same tree, so the same numbers of splits; with R only."""
    theirs = ranked("ctree", task, testtype="Bonferroni")
    ours = ranked("ctree-ours", task)
    np.testing.assert_array_equal(ours.order, theirs.order)
