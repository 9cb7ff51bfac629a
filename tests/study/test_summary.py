"""Summaries of a toy study, whose answers are worked out by hand, and of the published numbers."""

import numpy as np
import pandas as pd
import pytest

from bands import assert_count
from inforest_study import published
from inforest_study.summary import (
    ablation,
    agreement,
    cells,
    comparisons,
    coverage,
    feature_sampling,
    high_p,
    leave_one_out,
    ranks,
    recovery,
)

#: (dataset, method, config) -> scores at k = 5 and k = 10. Data set c lacks method O.
TOY = {
    ("a", "M", "x"): (0.9, 0.8),
    ("a", "M", "y"): (0.7, 0.6),
    ("a", "N", "x"): (0.8, 0.9),
    ("a", "O", "x"): (0.5, 0.5),
    ("b", "M", "x"): (0.6, 0.6),
    ("b", "M", "y"): (0.7, 0.8),
    ("b", "N", "x"): (0.6, 0.5),
    ("b", "O", "x"): (0.4, 0.7),
    ("c", "M", "x"): (0.1, 0.1),
    ("c", "M", "y"): (0.1, 0.1),
    ("c", "N", "x"): (0.9, 0.9),
}


@pytest.fixture
def scores():
    """Two folds each, an equal step above and below the cell's mean."""
    rows = [
        {
            "task": "classification",
            "dataset": dataset,
            "method": method,
            "config": config,
            "seed": 0,
            "fold": fold,
            "learner": "LR",
            "k": k,
            "value": value + (0.0625 if fold else -0.0625),
        }
        for (dataset, method, config), values in TOY.items()
        for k, value in zip((5, 10), values, strict=True)
        for fold in (0, 1)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def all_cells(scores):
    table = cells.cell_means(scores)
    table["value"] = table["value"].round(12)
    return table


@pytest.fixture
def main(all_cells):
    """The chosen configs' cells."""
    return cells.with_configs(all_cells, cells.select_configs(all_cells))


def by_method(table, column):
    return dict(zip(table["method"], table[column], strict=True))


def test_cells_are_means_over_folds(all_cells):
    one = all_cells.query("dataset == 'b' and method == 'O' and k == 10").iloc[0]
    assert one["value"] == pytest.approx(0.7)
    assert one["n"] == 2


def test_configs_are_chosen_by_the_mean_over_cells(all_cells):
    # x: (.9 + .8 + .6 + .6 + .1 + .1) / 6, y: (.7 + .6 + .7 + .8 + .1 + .1) / 6
    choice = cells.select_configs(all_cells)
    assert choice["classification", "M"] == "x"


def test_mean_ranks_of_cells(main):
    table = ranks.mean_ranks(main, "cell")
    assert by_method(table, "mean_rank") == {"M": 1.625, "N": 1.875, "O": 2.5}
    assert list(table["n_datasets"]) == [2, 2, 2]  # c has no O


def test_mean_ranks_of_dataset_means(main):
    table = ranks.mean_ranks(main, "dataset")
    assert by_method(table, "mean_rank") == {"M": 1.25, "N": 2.0, "O": 2.75}


def test_ranks_by_k(main):
    table = ranks.ranks_by_k(main)
    assert by_method(table[table["k"] == 5], "mean_rank") == {"M": 1.25, "N": 1.75, "O": 3.0}
    assert by_method(table[table["k"] == 10], "mean_rank") == {"M": 2.0, "N": 2.0, "O": 2.0}


def test_breadth(main):
    row = ranks.breadth(main, "M").iloc[0]
    assert (row["top_half"], row["top_3"], row["first"], row["n_datasets"]) == (2, 2, 1, 2)


def test_learner_k(main):
    table = ranks.learner_k(main).set_index("method")
    assert list(table.loc["M", ["mean_position", "best", "worst", "top_3", "LR"]]) == [
        1.5,
        1.0,
        2.0,
        2,
        1.5,
    ]
    assert table.loc["O", "worst"] == 3.0


def test_seeds_need_every_seed(scores):
    chosen = scores[scores["config"] == "x"]
    mirrored = chosen.assign(seed=1, value=1 - chosen["value"])
    table = ranks.seed_sensitivity(pd.concat([chosen, mirrored[mirrored["dataset"] != "b"]]))
    first = table[table["method"] == "O"].set_index("seed")["position"]
    assert dict(first) == {0: 3.0, 1: 1.0}  # data set a alone


def test_differences_wins_and_losses(main):
    table = comparisons.compare(comparisons.differences(main, "M")).set_index("comparator")
    assert list(table.loc["N", ["n_datasets", "wins", "losses", "ties"]]) == [3, 1, 1, 1]
    assert table.loc["N", "mean_difference"] == pytest.approx((0.0 + 0.05 - 0.8) / 3)
    assert list(table.loc["O", ["n_datasets", "wins", "losses", "ties"]]) == [2, 2, 0, 0]


def test_complete_case_leaves_out_gaps(main):
    table = comparisons.complete_case(main, "M").set_index("comparator")
    assert table.loc["N", "n_datasets"] == 2
    assert table.loc["N", "mean_difference"] == pytest.approx(0.025)
    # Two data sets: the mean is one of 0, 0.025, 0.05 with probability 1/4, 1/2, 1/4.
    assert table.loc["N", ["low", "high"]].tolist() == pytest.approx([0.0, 0.05])


def test_bootstrap_of_being_first(main):
    table = ranks.dataset_ranks(main)
    # M is not behind N on a (1.5 each) nor on b: first in every replicate.
    assert comparisons.bootstrap_first(table, "M") == 1.0
    # N is first, with M, when a is drawn twice.
    n = comparisons.N_REPLICATES
    assert_count(round(n * comparisons.bootstrap_first(table, "N")), n, 0.25)


def test_leave_one_dataset_out(all_cells):
    common = all_cells[all_cells["dataset"] != "c"]
    table = leave_one_out.leave_one_dataset_out(common, cells.select_configs(common))
    assert by_method(table, "mean_rank") == {"M": 1.5, "N": 1.75, "O": 2.75}
    assert by_method(table, "n_settings") == {"M": 2, "N": 1, "O": 1}
    assert by_method(table, "main_reselected") == {"M": 1, "N": 2, "O": 2}
    assert by_method(table, "mean_score")["M"] == pytest.approx((0.65 + 0.6) / 2)


def test_friedman_by_hand():
    # Ranks of three data sets: (1, 2, 3), (1, 2, 3), (1, 3, 2), so sums 3, 7, 8 and
    # chi2 = 12 / (3 * 3 * 4) * (9 + 49 + 64) - 3 * 3 * 4 = 14/3; W = chi2 / (3 * 2) = 7/9.
    values = {"A": (0.9, 0.9, 0.9), "B": (0.5, 0.5, 0.1), "C": (0.1, 0.1, 0.5)}
    rows = [
        {"dataset": str(i), "method": method, "value": value}
        for method, column in values.items()
        for i, value in enumerate(column)
    ]
    result = agreement.friedman(pd.DataFrame(rows))
    assert result.chi_square == pytest.approx(14 / 3)
    assert result.kendall_w == pytest.approx(7 / 9)
    assert (result.n_datasets, result.n_methods) == (3, 3)


def test_friedman_refuses_gaps():
    rows = [("a", "A", 1.0), ("a", "B", 2.0), ("a", "C", 3.0), ("b", "A", 1.0)]
    with pytest.raises(ValueError, match="every method"):
        agreement.friedman(pd.DataFrame(rows, columns=["dataset", "method", "value"]))


def test_first_best_k():
    curve = {5: 0.5, 100: 0.7, 150: 0.7, 200: 0.6}
    rows = [("classification", "d", "LR", k, v) for k, v in curve.items()]
    rows += [("classification", "small", "LR", k, 0.5) for k in (5, 13)]
    table = high_p.high_p(pd.DataFrame(rows, columns=["task", "dataset", "learner", "k", "value"]))
    row = table[table["learner"] == "LR"].iloc[0]
    assert (row["cells"], row["at_100"], row["best_at_p"]) == (1, 1, 0)
    assert row["mean_first_best_k"] == 100
    assert row["change_mean"] == pytest.approx(-0.1)


def test_recovery():
    kinds = {"d": np.array(["informative", "background", "redundant", "informative"])}
    ranking = {"task": "regression", "dataset": "d", "method": "M", "config": "x"}
    rankings = pd.DataFrame([ranking | {"seed": 0, "fold": 0, "order": [3, 2, 0, 1]}])
    found = recovery.recovery(rankings, kinds).set_index("k")
    assert found.loc[1, "precision"] == 1.0
    assert found.loc[2, "precision"] == 0.5
    assert found.loc[2, "with_redundant"] == 1.0
    assert found.loc[100, "precision"] == 0.5  # of all four
    means = recovery.recovery_means(found.reset_index()).iloc[0]
    assert means["top_1"] == 1.0
    assert means["mean"] == 0.5


def test_some_designs_do_not_make_a_mean_that_can_be_compared():
    kinds = dict.fromkeys("ab", np.array(["informative", "background"]))
    ranking = {"task": "regression", "seed": 0, "fold": 0}
    runs = [("M", "x", "a", [1, 0]), ("M", "x", "b", [1, 0]), ("M", "y", "a", [0, 1])]
    runs += [("N", "x", "a", [0, 1])]
    rankings = pd.DataFrame(
        ranking | {"method": method, "config": config, "dataset": design, "order": order}
        for method, config, design, order in runs
    )
    found = recovery.recovery(rankings, kinds)
    assert recovery.select_by_recovery(found)["regression", "M"] == "x"
    means = recovery.recovery_means(found)
    assert list(means["n_designs"]) == [2, 1, 1]
    assert list(recovery.on_all_designs(means)) == [True, False, False]


def test_feature_sampling_pools_fits():
    fit = {"task": "regression", "dataset": "d", "method": "M", "config": "x", "n_trees": 2}
    rankings = pd.DataFrame(
        [fit | {"seed": 0, "usage": [3, 1, 0, 0]}, fit | {"seed": 1, "usage": [0, 0, 1, 1]}]
    )
    row = feature_sampling.split_shares(rankings, {"d": np.array([0])}).iloc[0]
    assert row["informative_share"] == pytest.approx(3 / 6)
    assert row["noise_features"] == 1.5  # of one forest, in the mean
    assert row["splits_per_tree"] == 1.5
    single = feature_sampling.split_shares(rankings.assign(n_trees=1), {"d": np.array([0])})
    assert single["noise_features"].iloc[0] == 3  # of both trees


def test_time_ratios_are_paired():
    rows = [
        ("classification", "real", dataset, 0, variant, seconds)
        for dataset, variant, seconds in [
            ("a", "default", 1.0),
            ("a", "exact", 3.0),
            ("b", "default", 10.0),
            ("b", "exact", 10.0),
        ]
    ]
    columns = ["task", "group", "dataset", "seed", "variant", "seconds"]
    table = ablation.time_ratios(pd.DataFrame(rows, columns=columns), "default")
    assert table.set_index("variant").loc["exact", "median"] == 2.0


def test_changes():
    values = pd.DataFrame(
        {
            "task": "classification",
            "dataset": ["a", "b", "a", "b"],
            "variant": ["default", "default", "mute", "mute"],
            "value": [0.5, 0.5, 0.75, 0.5],
        }
    )
    row = ablation.changes(values, "default").iloc[0]
    assert (row["mean_difference"], row["wins"], row["losses"], row["ties"]) == (0.125, 1, 0, 1)


def test_coverage_and_exclusions():
    jobs = pd.DataFrame(
        {
            "task": "classification",
            "dataset": ["a", "a", "b"],
            "method": "M",
            "config": "x",
            "seed": [0, 1, 0],
            "status": ["done", "over budget", "done"],
            "reason": ["", "600 s", ""],
        }
    )
    table = coverage.coverage(jobs).set_index("dataset")
    assert list(table.loc["a", ["done", "not_done", "reasons"]]) == [1, 1, "600 s"]
    missing = coverage.exclusions(jobs)
    assert list(missing.loc[0, ["dataset", "seeds", "jobs"]]) == ["a", "1", 1]


# The archived scores have three decimals: a mean of them is within 0.0005 of the true mean, a
# difference of two within 0.001.
SCORE_ROUNDING = 0.0005 + 1e-9


@pytest.fixture
def archived():
    """The archive's mean scores as cells: one for each data set and method."""
    scores = published.table("dataset_scores").rename(columns={"mean_score": "value"})
    return scores.assign(config="selected", learner="all", k=5)


def complete_panel(archived):
    panel = {name for names in published.COMPLETE_CASE.values() for name in names}
    return archived[archived["dataset"].isin(panel)]


def test_published_mean_scores(archived):
    main = published.table("main")
    for column, table in (("mean_score", archived), ("complete_score", complete_panel(archived))):
        ours = ranks.mean_ranks(table, "dataset").set_index(["task", "method"])["mean_score"]
        theirs = main.set_index(["task", "method"])[column]
        assert len(theirs) == 35
        assert (ours - theirs).abs().max() < SCORE_ROUNDING + 0.5e-4  # printed with 4 decimals


def test_published_complete_case_differences_and_intervals(archived):
    rng = np.random.default_rng(comparisons.BOOTSTRAP_SEED)
    deltas = comparisons.differences(complete_panel(archived), "CIF")
    for row in published.table("cif_minus").itertuples():  # in the order of the archive
        own = deltas.query("task == @row.task and comparator == @row.comparator")
        values = own.sort_values("dataset")["difference"].to_numpy()
        low, high = comparisons.bootstrap_interval(values, rng)
        assert len(values) == row.complete_n
        tolerance = 2 * SCORE_ROUNDING + 0.5e-4
        assert abs(values.mean() - row.complete_mean_difference) < tolerance, row.comparator
        assert abs(low - row.complete_low) < tolerance, row.comparator
        assert abs(high - row.complete_high) < tolerance, row.comparator


def test_published_wins_and_losses(archived):
    """Equal up to data sets whose difference is lost in the rounding."""
    deltas = comparisons.differences(complete_panel(archived), "CIF")
    unclear = 0
    for row in published.table("cif_minus").itertuples():
        own = deltas.query("task == @row.task and comparator == @row.comparator")["difference"]
        clear = own[own.abs() > 2 * SCORE_ROUNDING]
        wins, losses = int((clear > 0).sum()), int((clear < 0).sum())
        assert wins <= row.complete_wins
        assert losses <= row.complete_losses
        unclear += row.complete_n - wins - losses
    # 13 of 326 differences cannot be told from zero with three decimals.
    assert unclear == 13


def test_published_friedman(archived):
    means = cells.dataset_means(complete_panel(archived))
    for task, (chi_square, _, w) in published.FRIEDMAN.items():
        result = agreement.friedman(means[means["task"] == task])
        # Ties of rounded scores move ranks; the archive's unrounded scores have none.
        assert result.chi_square == pytest.approx(chi_square, rel=0.006)
        assert result.kendall_w == pytest.approx(w, abs=0.002)


def test_published_lodo_of_methods_with_one_config(archived):
    """With one config there is nothing to choose: the mean score is the complete-case one."""
    lodo = published.table("lodo").set_index(["task", "method"])
    one = lodo[lodo["n_settings"] == 1]
    ours = cells.dataset_means(complete_panel(archived)).groupby(["task", "method"])["value"].mean()
    assert len(one) == 30
    assert (ours[one.index] - one["mean_score"]).abs().max() < SCORE_ROUNDING + 0.5e-3


def test_published_tables_are_there():
    for name in published.TABLES:
        assert len(published.table(name)) > 5, name
    with pytest.raises(ValueError, match="cif_minus"):
        published.table("no such table")
