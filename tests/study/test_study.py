"""The study as data frames and tables; the toy's answers are worked out by hand."""

import re

import pandas as pd
import pytest

from inforest_study import published
from inforest_study.analysis import Analysis
from inforest_study.findings import findings
from inforest_study.panel import make_panel, one_protocol
from inforest_study.run import run
from inforest_study.store import Store
from inforest_study.study import N_KEPT, Study
from inforest_study.suite import read as read_suite
from inforest_study.tables import sections
from inforest_study.tables.corrected import EXPLANATION
from study_helpers import FEW, small_study

#: (dataset, method, config) -> score in each of two folds.
TOY = {
    ("wine", "CIF", "mc"): (0.9, 0.8),
    ("wine", "RF", "default"): (0.7, 0.8),
    ("wine", "inforest", "default"): (1.0, 0.9),
    ("Yale", "CIF", "mc"): (0.5, 0.375),
    ("Yale", "RF", "default"): (0.6, 0.6),
    ("Yale", "inforest", "default"): (0.75, 0.125),
}


def toy_scores(values, **more):
    rows = [
        dict(
            task="classification",
            dataset=dataset,
            method=method,
            config=config,
            seed=0,
            fold=fold,
            ranking="0",
            engine_revision=1,
            learner="LR",
            k=5,
            value=value,
        )
        | more
        for (dataset, method, config), folds in values.items()
        for fold, value in enumerate(folds)
    ]
    return pd.DataFrame(rows)


def tables_of(study):
    return {table.key: table for part in sections(Analysis(study)) for table in part.tables}


def rows_of(table, key="method"):
    return {row[key]: row for row in table.rows}


@pytest.fixture(scope="module")
def tables():
    return tables_of(small_study())


@pytest.fixture(scope="module")
def toy():
    return tables_of(Study(scores=toy_scores(TOY)))


def test_the_compact_form_is_exact_and_small(tmp_path):
    study = small_study()
    study.write(tmp_path)
    again = Study.read(tmp_path)
    columns = ["task", "dataset", "method", "config", "seed", "fold", "learner", "k", "value"]
    left, right = study.scores[columns], again.scores[columns]
    pd.testing.assert_frame_equal(left, right, check_exact=True, check_dtype=False)
    assert again.runs["versions"].tolist() == study.runs["versions"].tolist()
    one, other = study.rankings.iloc[-1], again.rankings.iloc[-1]
    assert one["order"].tolist() == other["order"].tolist()
    assert one["usage"].tolist() == other["usage"].tolist()
    assert one["facts"] == other["facts"]
    assert again.rankings["fold"].isna().tolist() == study.rankings["fold"].isna().tolist()
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 1_000_000


def test_a_store_is_read_as_its_compact_form(toys, threads, tmp_path):
    store = Store(tmp_path / "store")
    run(read_suite(toys.suite()).jobs(), store, threads())
    study = Study.read(store.root)
    # 2 data sets x 2 seeds x 3 folds; KNN for classes, KNN and Ridge for numbers, at two k.
    assert len(study.rankings) == 12
    assert len(study.runs) == 24
    assert len(study.scores) == 36
    assert set(study.scores["dataset"]) == {"toy-classes", "toy-numbers"}
    assert study.rankings["order"].map(len).max() <= N_KEPT
    study.write(tmp_path / "compact")
    again = Study.read(tmp_path / "compact")
    for name in ("scores", "runs", "rankings"):
        pd.testing.assert_frame_equal(getattr(study, name), getattr(again, name))


def test_several_folders_are_one_study(tmp_path):
    study = small_study()
    is_first = study.scores["dataset"] == study.scores["dataset"].iloc[0]
    Study(study.scores[is_first], study.runs).write(tmp_path / "one")
    Study(study.scores, rankings=study.rankings).write(tmp_path / "other")
    both = Study.read(tmp_path / "one", tmp_path / "other")
    assert len(both.scores) == len(study.scores)  # none twice
    assert len(both.runs) == len(study.runs)
    assert len(both.rankings) == len(study.rankings)


def test_a_step_that_is_done_somewhere_is_done(tmp_path):
    study = small_study()
    Study(study.scores, study.runs.assign(status="over-budget")).write(tmp_path / "slow")
    study.write(tmp_path / "quick")
    n_done = (study.runs["status"] == "done").sum()
    for folders in (["slow", "quick"], ["quick", "slow"]):
        both = Study.read(*(tmp_path / folder for folder in folders))
        assert (both.runs["status"] == "done").sum() == n_done


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"there is no .*nowhere"):
        Study.read(tmp_path / "nowhere")


def test_ranks_of_the_toy(toy):
    # On wine CIF wins, on Yale RF does: both have ranks 1 and 2.
    main = rows_of(toy["main-classification"])
    assert main["CIF"]["mean_rank"] == main["RF"]["mean_rank"] == 1.5
    assert main["CIF"]["position"] == 1.5
    assert main["CIF"]["mean_score"] == pytest.approx((0.85 + 0.4375) / 2)
    wide = rows_of(toy["main-all-classification"])
    # inforest is first on wine; on Yale its mean is CIF's, behind RF's.
    assert wide["inforest"]["mean_rank"] == pytest.approx((1 + 2.5) / 2)
    assert wide["CIF"]["mean_rank"] == pytest.approx((2 + 2.5) / 2)
    assert wide["RF"]["mean_rank"] == pytest.approx((3 + 1) / 2)


def test_the_papers_numbers_stand_beside_ours(toy):
    row = rows_of(toy["main-classification"])["CIF"]
    assert row["paper_mean_rank"] == 6.083
    assert row["paper_position"] == 4
    assert row["position_change"] == 1.5 - 4
    # Archived scores of CIF and RF on the same two data sets: .978 and .974, .624 and .604.
    assert row["paper_score"] == pytest.approx((0.978 + 0.624) / 2)
    assert row["paper_rank_of_means"] == 1
    assert row["score_change"] == pytest.approx(0.64375 - 0.801)


def test_direct_differences_of_the_toy(toy):
    rows = rows_of(toy["direct"], "comparator")
    assert rows["RF"]["mean_difference"] == pytest.approx((0.1 - 0.1625) / 2)
    assert rows["RF"]["record"] == "1–1–0"
    assert rows["RF"]["paper_record"] == "7–15–1"
    assert rows["inforest"]["record"] == "0–1–1"
    assert rows["inforest"]["paper_record"] == "–"


def test_every_row_says_where_it_comes_from(tables):
    study = small_study()
    table = tables["main-classification"]
    frame, _, query = table.source_of(table.rows[0]).partition(": ")
    found = getattr(study, frame).query(query, engine="python")
    cells = found.groupby(["dataset", "learner", "k"])["value"].mean()
    mean = cells.groupby("dataset").mean().mean()
    assert mean == pytest.approx(table.rows[0]["mean_score"], abs=1e-12)
    score = tables["scores-regression"]
    frame, _, query = score.source_of(score.rows[5]).partition(": ")
    found = getattr(study, frame).query(query, engine="python")
    assert len(found) == score.rows[5]["n_scores"]
    assert found["value"].mean() == pytest.approx(score.rows[5]["score"])


def test_every_table_counts_its_data(tables):
    assert len(tables) > 30
    for table in tables.values():
        assert table.rows or table.missing, table.key
        assert re.search(r"\d[^.;]* (data sets?|designs|combinations)", table.note), table.key
        assert table.source, table.key


def test_panels_say_how_they_differ_from_the_papers(tables):
    assert (
        "2 data sets in classification (the paper: 14; without ALLAML" in tables["agreement"].note
    )
    assert "3 data sets with 17 methods; the paper has 22" in tables["main-classification"].note
    assert "No scores on gamma" in tables["data-real"].missing


def test_pairs_are_compared_wherever_both_ran(toy):
    scores = toy_scores(TOY | {("wine", "ctree", "default"): (0.4, 0.6)})
    everywhere = [scores.assign(learner=name, k=k) for name in ("LR", "KNN") for k in (5, 10)]
    rows = tables_of(Study(scores=pd.concat(everywhere)))["breadth"].rows
    assert rows[0]["against_ctree"] == "1 of 1"  # one slow method leaves the others their data
    assert rows[0]["paper_against_ctree"] == "22 of 22"
    assert rows[0]["against_cforest"] == "–"
    assert toy["breadth"].rows[0]["against_ctree"] == "–"


def test_places_by_learner_take_every_data_set_that_has_the_k(tables):
    table = tables["learners-classification"]
    assert re.search(r"there are (\d+, ){4}\d+ data sets .* 22, 21, 15, 15, 14", table.note)
    assert rows_of(table)["RF"]["paper_position_learner_1"] == 4.8


def test_ctree_and_cforest_stand_next_to_what_was_published(tables):
    table = tables["corrected"]
    assert EXPLANATION in table.note
    assert EXPLANATION.count(". ") == 1  # two sentences
    by = {(row["task"], row["method"]): row for row in table.rows}
    assert by["classification", "ctree"]["paper_record"] == "22–0"
    assert by["regression", "cforest"]["paper_record"] == "7–1"
    assert by["classification", "ctree"]["paper_top_1"] == 0.035
    ranks = rows_of(tables["main-classification"])
    assert by["classification", "ctree"]["rank"] == ranks["ctree"]["mean_rank"]


def test_ablations_compare_with_the_default(tables):
    times = {(r["task"], r["group"], r["variant"]): r for r in tables["cit-runtime"].rows}
    one = times["classification", "synthetic", "default"]
    assert one["median"] == 1
    assert one["f1_change"] == 0
    assert times["classification", "synthetic", "exact"]["median"] > 1.2
    assert times["classification", "synthetic", "exact"]["paper_time_ratio"] == 1.336
    variants = {row["variant"] for row in tables["cif-runtime"].rows}
    assert {"default", "no_adaptive", "RF", "CIT"} <= variants
    changed = {(r["task"], r["variant"]): r for r in tables["cif-ranking"].rows}
    assert changed["classification", "one_tree"]["paper_mean_difference"] == -0.0608
    assert changed["classification", "split_count"]["paper_mean_difference"] == -0.0029
    assert changed["classification", "no_mute"]["n_datasets"] == 3


def test_ablations_change_scores_by_what_learners_say():
    study = small_study()
    fits = study.rankings[study.rankings["fold"].isna() & (study.rankings["method"] == "CIF")]
    job = ["task", "dataset", "method", "config", "seed", "fold", "ranking", "engine_revision"]
    parts = []
    for k, gain in ((5, 0.01), (10, 0.03)):
        changed = fits["config"].str.contains("+", regex=False)
        value = 0.5 + k / 100 + gain * changed
        parts.append(fits[job].assign(learner="KNN", k=k, value=value))
    with_scores = Study(pd.concat([study.scores, *parts]), study.runs, study.rankings)
    tables = tables_of(with_scores)
    of_classes = [r for r in tables["cif-runtime"].rows if r["task"] == "classification"]
    rows = {(r["group"], r["variant"]): r for r in of_classes}
    assert rows["synthetic", "default"]["score_change"] == 0
    assert rows["synthetic", "no_adaptive"]["score_change"] == pytest.approx(0.02)  # all k
    assert rows["synthetic", "no_adaptive"]["paper_score_change"] == pytest.approx(-0.0051)
    # Scores of rows that a ranking has seen are no part of any comparison of methods.
    for key in ("main-classification", "direct"):
        without = pd.DataFrame(tables_of(study)[key].rows)
        pd.testing.assert_frame_equal(pd.DataFrame(tables[key].rows), without)


def test_recovery_is_compared_design_by_design(tables):
    archive = published.table("recovery_by_design").set_index(["task", "method", "design"])
    rows = {(r["dataset"], r["method"]): r for r in tables["recovery-by-design-regression"].rows}
    assert len({dataset for dataset, _ in rows}) == 8
    hard = rows["synthetic-regression-hard", "CIF"]
    assert (
        hard["paper_precision"] == archive.loc[("regression", "CIF", "standard_hard"), "precision"]
    )
    assert all(pd.notna(r["paper_precision"]) for r in rows.values() if r["method"] != "inforest")
    means = rows_of(tables["recovery-regression"])
    own = [row["precision"] for (_, method), row in rows.items() if method == "CIF"]
    assert means["CIF"]["mean"] == pytest.approx(sum(own) / 8)
    assert means["CIF"]["paper_with_redundant"] == 0.836


def test_splits_are_pooled_over_fits(tables):
    rows = tables["feature-sampling-by-design"].rows
    assert len(rows) == 24 * 5
    fits = small_study().rankings
    row = next(r for r in rows if r["method"] == "RF" and r["n_features"] == 100)
    own = fits[(fits["dataset"] == row["dataset"]) & (fits["method"] == "RF")]
    total = sum(usage.sum() for usage in own["usage"])
    assert row["splits_per_tree"] == pytest.approx(total / 2000)
    assert row["n_fits"] == 2


def test_a_fold_that_one_method_lacks_does_not_count():
    scores = toy_scores({**TOY, ("wine", "RF", "default"): (0.7,)})
    panel = make_panel(scores, "classification", ["wine", "Yale"])
    assert panel.n_unpaired == 2
    assert set(panel.scores.query("dataset == 'wine'")["fold"]) == {0}
    assert "2 scores on folds that another method lacks" in panel.missing


def test_a_method_that_has_hardly_begun_takes_no_folds_from_the_others():
    scores = {("wine", method, "c"): (0.5,) * 5 for method in ("CIF", "RF")}
    panel = make_panel(
        toy_scores({**scores, ("wine", "CPI", "c"): (0.9, 0.9)}), "classification", ["wine"]
    )
    assert panel.methods == ["CIF", "RF"]
    assert panel.n_unpaired == 0


def test_a_method_with_few_data_sets_does_not_shrink_the_panel():
    datasets = ("wine", "Yale", "ORL")
    scores = {(name, method, "c"): (0.5,) for name in datasets for method in ("CIF", "RF")}
    panel = make_panel(
        toy_scores({**scores, ("wine", "CPI", "c"): (0.9,)}), "classification", datasets
    )
    assert panel.methods == ["CIF", "RF"]
    assert panel.compared == sorted(datasets)
    assert "CPI (1)" in panel.missing


def test_the_panel_is_the_largest_block_of_results():
    datasets = ("wine", "Yale", "ORL", "musk", "spam")
    scores = {(name, method, "c"): (0.5,) for name in datasets for method in ("CIF", "RF")}
    three = {(name, "CPI", "c"): (0.5,) for name in datasets[:3]}
    panel = make_panel(toy_scores({**scores, **three}), "classification", datasets)
    assert (panel.methods, len(panel.compared)) == (["CIF", "RF"], 5)  # 2 x 5 > 3 x 3
    panel = make_panel(toy_scores({**scores, **three}), "classification", datasets, around="CPI")
    assert (panel.methods, len(panel.compared)) == (["CIF", "CPI", "RF"], 3)
    four = {**three, ("musk", "CPI", "c"): (0.5,)}
    panel = make_panel(toy_scores({**scores, **four}), "classification", datasets)
    assert (panel.methods, len(panel.compared)) == (["CIF", "CPI", "RF"], 4)  # 3 x 4 > 2 x 5


def test_a_data_set_without_all_methods_is_named():
    datasets = ("wine", "Yale", "ORL")
    scores = {(name, method, "c"): (0.5,) for name in datasets for method in ("CIF", "RF")}
    del scores["Yale", "RF", "c"]
    panel = make_panel(toy_scores(scores), "classification", datasets)
    assert panel.compared == ["ORL", "wine"]
    assert "Yale lacks RF" in panel.missing


def test_a_config_on_few_data_sets_does_not_stand_for_its_method():
    scores = toy_scores({**TOY, ("wine", "RF", "lucky"): (1.0, 1.0)})
    panel = make_panel(scores, "classification", ["wine", "Yale"])
    assert panel.config("RF") == "default"
    everywhere = toy_scores({("Yale", "RF", "lucky"): (1.0, 1.0)})
    panel = make_panel(pd.concat([scores, everywhere]), "classification", ["wine", "Yale"])
    assert panel.config("RF") == "lucky"


def test_results_of_two_protocols_are_not_mixed():
    scores = toy_scores(TOY)
    other = toy_scores({("wine", "CIF", "mc"): (0.0,)}, ranking="1")
    kept = one_protocol(pd.concat([scores, other]))
    assert set(kept["ranking"]) == {"0"}
    assert len(kept) == len(scores)


def test_of_two_revisions_of_the_engine_the_newest_counts():
    scores = toy_scores(TOY)
    newer = toy_scores({("wine", "CIF", "mc"): (0.0,)}, ranking="1", engine_revision=2)
    kept = one_protocol(pd.concat([scores, newer]))
    is_cif = (kept["dataset"] == "wine") & (kept["method"] == "CIF")
    assert kept.loc[is_cif, "value"].tolist() == [0.0]
    assert len(kept) == len(scores) - 1


def test_findings_say_what_was_run_and_what_not():
    said = dict(findings(Analysis(small_study())))
    n = len(FEW["classification"])
    assert f"18 methods ranked the features of {n} of the paper's 23" in said["What was run"]
    assert "our own methods are by revision 1 of the engine" in said["What was run"]
    assert "the paper has 6.08, place 4 of 17" in said["What it shows"]
    assert "against ctree in classification (published: 22–0)" in said["What it shows"]
    assert "Not compared in classification: ALLAML" in said["What it does not show"]
    assert "unweighted" in said["What it does not show"]
