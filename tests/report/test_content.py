"""The report's content: the library's numbers, and words that fit them."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_regression

from inforest.ranking.rank_features import rank_features
from inforest.report import Report, make_report, write_report
from inforest.report.answer import headline, p_text, short_answer
from inforest.report.collect import PARTS
from inforest.report.content import Luck, RankedFeature, Repeats
from inforest.report.figures import k_curve_figure
from inforest.report.render import render
from report_content import example


@pytest.fixture(scope="module")
def report():
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    return make_report(
        X, y, feature_names=names, target="species", data="iris", n_estimators=20, random_state=0
    )


def test_the_ranking_is_that_of_the_library(report):
    X, y = load_iris(return_X_y=True)
    ranking = rank_features(X, y, p_values="westfall-young", n_estimators=20, random_state=0)
    features = report.content.features
    assert [f.importance for f in features] == ranking.scores[ranking.order].tolist()
    assert [f.p_value for f in features] == ranking.p_values[ranking.order].tolist()
    adjusted = ranking.adjusted_p_values[ranking.order].tolist()
    assert [f.adjusted_p_value for f in features] == adjusted
    assert sum(f.split_share for f in features) == pytest.approx(1)


def test_every_part_is_there(report):
    content = report.content
    for part in PARTS:
        assert getattr(content, part) is not None, part
    assert content.question.classes == (("0", 50), ("1", 50), ("2", 50))
    assert content.k == content.k_curve.chosen
    assert content.k_curve.k == (1, 2, 3, 4)
    assert content.null_check.n_better <= 4
    assert dict(content.provenance.versions).keys() >= {"inforest", "numpy", "python"}


def test_sensitivity_compares_two_other_numbers_of_candidates(report):
    found = report.content.sensitivity
    assert found.k == 2
    assert [fact.name for fact in found.facts] == ["another seed alone", "sqrt", "all features"]
    assert all(fact.value.endswith(" of 2") for fact in found.facts)
    assert "Does it depend on a setting of the forest?" in report.to_html()
    changed = replace(report.content, sensitivity=replace(found, changes=True))
    assert "either way" in repr(Report(changed))
    assert "either way" not in repr(report)


def test_rows_for_programs(report):
    rows = report.to_rows()
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert sum(row["kept"] for row in rows) == report.content.k


def test_the_same_seed_gives_the_same_report(report):
    X, y = load_iris(return_X_y=True)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    again = make_report(
        X, y, feature_names=names, target="species", data="iris", n_estimators=20, random_state=0,
        n_jobs=2,
    )  # fmt: skip
    now = report.content.provenance
    assert replace(again.content, provenance=now) == report.content


def test_without_checks_and_without_k():
    X, y = make_regression(60, 4, n_informative=1, random_state=0)
    report = make_report(X, y, k=None, checks=False, n_estimators=10, random_state=0)
    content = report.content
    assert content.question.task == "regression"
    assert content.question.classes == ()
    assert content.k is None
    for part in PARTS:
        assert getattr(content, part) is None, part
    assert "kept" not in report.to_rows()[0]
    assert "associated with y" in repr(report)


def test_a_given_k_is_in_the_curve_and_is_kept():
    X, y = load_iris(return_X_y=True)
    content = make_report(X, y, k=3, checks=False, n_estimators=10, random_state=0).content
    assert content.k == content.k_curve.chosen == 3
    assert content.k_curve.was_given


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("k", ["auto", 1])
def test_few_features_are_no_problem(p, k):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, p))
    content = make_report(X, X[:, 0] > 0, k=k, n_estimators=5, random_state=0).content
    assert content.k_curve.k == tuple(range(1, p + 1))
    assert (content.stability is None) == (p == 1)  # one feature has no top
    assert content.null_check is not None


@pytest.mark.parametrize("n_varying", [0, 1])
def test_constant_columns_are_no_problem(n_varying):
    X = np.ones((40, 5))
    X[:, :n_varying] = np.random.default_rng(0).normal(size=(40, n_varying))
    report = make_report(X, np.arange(40) % 2, n_estimators=5, checks=False, random_state=0)
    assert report.content.k_curve.k == (1,)
    assert "no smaller number" not in repr(report)


def test_a_class_of_one_row_is_no_problem():
    X = np.random.default_rng(0).normal(size=(12, 4))
    report = make_report(X, ["a"] * 11 + ["b"], n_estimators=5, random_state=0)
    assert report.content.k_curve is None
    assert report.content.stability is None
    assert report.content.null_check is not None
    assert "how many features to keep (the class b has one row only" in repr(report)
    assert "stability (only one class has two rows or more" in repr(report)


@pytest.mark.parametrize("n_rows", [7, 9, 13])
def test_a_class_of_two_rows_is_enough_for_stability(n_rows):
    X = np.random.default_rng(n_rows).normal(size=(n_rows, 3))
    y = ["a"] * (n_rows - 2) + ["b"] * 2
    content = make_report(X, y, n_estimators=5, random_state=0).content
    assert content.stability is not None


@pytest.mark.parametrize("n_rows", [2, 3, 4, 7])
def test_few_rows_are_no_problem(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    content = make_report(X, np.arange(n_rows) / 7, n_estimators=5, random_state=0).content
    assert (content.k_curve is None) == (content.stability is None) == (n_rows < 4)
    assert len(content.skipped) == 2 * (n_rows < 4)


def test_a_small_level_can_be_reached():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    options = {"k": None, "checks": False, "n_estimators": 5, "random_state": 0}
    assert make_report(X, X[:, 0] > 0, alpha=0.0005, **options).content.n_associated == 1


def test_the_top_of_the_bound_is_not_chosen_by_the_data():
    X = np.random.default_rng(0).normal(size=(60, 30))
    y = X[:, 0]
    options = {"n_estimators": 5, "random_state": 0}
    chosen = make_report(X, y, **options).content
    assert chosen.k != 10
    assert chosen.stability.k == 10
    assert make_report(X, y, k=4, **options).content.stability.k == 4


def test_a_report_without_a_seed_says_how_to_repeat_it():
    X, y = load_iris(return_X_y=True)
    options = {"k": None, "checks": False, "n_estimators": 3}
    first = make_report(X, y, **options).content
    made = first.provenance
    assert made.command == (
        f"make_report(X, y, k=None, n_estimators=3, random_state={made.seed}, checks=False)"
    )
    again = make_report(X, y, random_state=made.seed, **options).content
    assert again.features == first.features
    assert make_report(X, y, **options).content.provenance.seed != made.seed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 9}, "k must be at most the number of features, 4; got 9"),
        ({"k": "some"}, "'k' parameter of make_report"),
        ({"alpha": 0}, "'alpha' parameter"),
        ({"n_estimators": 0}, "'n_estimators' parameter"),
        ({"feature_names": ["a"]}, "feature_names"),
    ],
)
def test_bad_options(options, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        make_report(X, y, **options)


def test_write_report(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "iris.html"
    report = write_report(path, X, y, checks=False, n_estimators=5, random_state=0)
    assert path.read_text(encoding="utf-8") == report.to_html()


def test_answer_with_something_to_find():
    content = example(30)
    said = dict(short_answer(content))
    listed = "feature 0, feature 1, feature 2, feature 3 and feature 4"
    assert headline(content) == (
        f"Keep these 5 of 30 features to predict outcome: {listed}. On random halves of the rows,"
        " each of them comes back into the top 5 in 80% (feature 4) to 100% of the rankings."
    )
    assert "“feature 0”, “feature 1”" in said["Which features matter?"]
    assert "10 of 30 features are associated" in said["Which features matter?"]
    assert "a balanced accuracy of 0.950 ± 0.010" in said["How many are enough?"]
    assert "hardly chance" in said["How sure is that?"]
    assert "`FeatureSelector(k=5)` in a pipeline" in said["What next?"]
    assert "new rows" not in said["What next?"]


def test_an_unstable_choice_is_called_so_at_once():
    unstable = Repeats("", k=10, common=1.5, verdict="not stable")
    content = replace(example(3051), stability=unstable, k=25)
    content = replace(content, k_curve=replace(content.k_curve, chosen=25))
    sentence = headline(content)
    assert "feature 5, feature 6 and 18 more. The top 10 is not stable: 1.5 of 10" in sentence
    assert "expect another list from new rows" in dict(short_answer(content))["What next?"]


def test_a_short_list_is_not_called_unstable_for_what_follows_it():
    """Two features that always come back, and a third place that noise takes by turns."""
    content = example(30)
    unstable = Repeats("", k=3, common=1.8, verdict="not stable")
    content = replace(content, stability=unstable, k=2)
    content = replace(content, k_curve=replace(content.k_curve, chosen=2))
    assert headline(content).endswith(
        ": feature 0 and feature 1. On random halves of the rows, each of them comes back into the"
        " top 3 in 95% (feature 1) to 100% of the rankings."
    )
    said = dict(short_answer(content))
    assert "expect another list from new rows" not in said["What next?"]
    assert "The top 3 is not stable: 1.8 of 3 come back" in said["How sure is that?"]
    features = (content.features[0], replace(content.features[1], frequency=0.3))
    content = replace(content, features=(*features, *content.features[2:]))
    assert "in 30% (feature 1) to 100% of the rankings" in headline(content)
    assert "expect another list from new rows" in dict(short_answer(content))["What next?"]


def test_repeated_features_are_named():
    content = example(30)
    features = list(content.features)
    features[7] = replace(features[7], repeats="copy of feature 1, r = 1.00")
    content = replace(content, features=tuple(features))
    named = "feature 7 (copy of feature 1, r = 1.00)"
    assert named in dict(short_answer(content))["What next?"]
    page = render(content)
    assert '<td class="name wide">copy of feature 1, r = 1.00</td>' in page
    assert ">repeats</th>" in page
    assert ">repeats</th>" not in render(example(30))


def test_answer_with_nothing_to_find():
    content = example(30)
    features = tuple(replace(f, adjusted_p_value=1.0) for f in content.features)
    curve = replace(content.k_curve, mean=(0.5,) * 6, error=(0.02,) * 6)
    content = replace(
        content,
        features=features,
        k_curve=curve,
        null_check=Luck("", importances=(("a", 0.1),), by_luck=(0.2,)),
        stability=Repeats("", k=5, common=1.0, verdict="not stable"),
    )
    said = dict(short_answer(content))
    assert headline(content) == "None of the 30 features tells anything about outcome for sure."
    assert "none of the 30 features is associated" in said["Which features matter?"]
    assert "hardly chance" not in said["How sure is that?"]
    assert "no features explain more than luck does" in said["How sure is that?"]
    assert "not clearly better than guessing" in said["How sure is that?"]


def without_signal(content, n_better=0):
    features = tuple(replace(f, adjusted_p_value=1.0) for f in content.features)
    return replace(content, features=features, null_check=Luck("", n_better=n_better))


def without_prediction(content):
    return replace(content, k_curve=replace(content.k_curve, mean=(0.5,) * 6, error=(0.02,) * 6))


def test_good_scores_alone_are_no_claim():
    content = without_signal(example(30))
    assert content.k_curve.predicts
    assert headline(content) == "None of the 30 features tells anything about outcome for sure."


def test_an_association_without_prediction_claims_no_prediction():
    doubt = ", but predictions from them are not clearly better than guessing."
    content = without_prediction(example(30))
    assert headline(content) == "10 of 30 features are associated with outcome" + doubt
    assert headline(without_signal(content)).startswith("None")


def test_a_second_look_makes_no_claim():
    """Two tests at alpha each would together be wrong more often than the report says."""
    found = example(30)
    by_luck = replace(without_signal(found), null_check=replace(found.null_check, n_better=1))
    assert headline(by_luck) == "None of the 30 features tells anything about outcome for sure."
    said = dict(short_answer(by_luck))
    assert "none of the 30 features is associated" in said["Which features matter?"]
    assert "1 feature explains more than luck does; that is a second look" in said[
        "How sure is that?"
    ]  # fmt: skip
    assert "hardly chance" not in said["How sure is that?"]
    assert 'class="kept' not in render(by_luck)


@pytest.mark.parametrize(
    ("k", "said"),
    [
        (1, "The best 1 of 30 features was asked for"),
        (2, "The best 2 of 30 features were asked for"),
        (30, "All 30 features were asked for"),
    ],
)
def test_a_number_that_was_asked_for_is_not_called_enough(k, said):
    content = example(30)
    curve = replace(content.k_curve, chosen=k, was_given=True)
    content = replace(content, k=k, k_curve=curve)
    scores = "balanced accuracy 0.800 ± 0.010; all 30: 0.950 ± 0.010"
    assert (
        headline(content) == f"{said}: {scores if k < 30 else 'balanced accuracy 0.950 ± 0.010'}."
    )
    answer = repr(short_answer(content)) + k_curve_figure(curve)
    for word in ("enough", "worth keeping", "no smaller", "chosen:", "(chosen)"):
        assert word not in answer


def test_one_feature_is_written_in_the_singular():
    content = example(30)
    content = replace(content, k=1, k_curve=replace(content.k_curve, chosen=1))
    assert headline(content).startswith(
        "Keep this one of 30 features to predict outcome: feature 0."
    )
    assert "the best feature reaches a balanced" in dict(short_answer(content))[
        "How many are enough?"
    ]  # fmt: skip


def test_answer_tells_doubts():
    content = example(30)
    assert "trust these least" not in repr(short_answer(content))
    assert "more trees" not in repr(short_answer(content))
    doubtful = replace(
        content, k=12, split_usage=replace(content.split_usage, n_splits=9, n_trees=100)
    )
    said = dict(short_answer(doubtful))["How sure is that?"]
    assert "Of the 12 to keep, 2 are not shown to be associated" in said
    assert "trust these least (feature 10 and feature 11)" in said
    assert "The 100 trees made only 9 splits" in said
    assert "more trees" not in repr(short_answer(without_signal(doubtful)))


def test_the_smallest_p_value_is_a_bound():
    content = replace(example(30), least_p=0.001)
    assert p_text(0.001, content) == "≤ 0.001"
    assert p_text(0.002, content) == "0.002"
    assert p_text(0.00025, replace(content, least_p=0.0001)) == "0.00025"


def test_the_curve_names_what_predicts(report):
    assert report.content.least_p == 0.001
    said = "Balanced accuracy of a logistic regression on standardized features, in 5-fold"
    assert said in report.to_html()


def test_answer_for_one_feature():
    content = replace(
        example(5), features=(RankedFeature("only", 1.0, 0.001, 0.001),), k=None, k_curve=None
    )
    question = replace(content.question, n_features=1)
    content = replace(content, question=question)
    assert headline(content) == "1 of 1 feature is associated with outcome."
    assert dict(short_answer(content))["Which features matter?"].startswith("There is one feature")


def test_the_report_says_what_blocks_and_groups_have_changed():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    options = dict(n_estimators=5, checks=False, k=None, random_state=0)
    plain = make_report(X, y, **options).content
    assert plain.question.design == ()
    both = make_report(X, y, blocks=np.arange(60) % 4, groups=groups, **options).content
    blocks, of_groups = both.question.design
    assert "4 blocks" in blocks
    assert "20 groups" in of_groups
    assert "still take the rows for exchangeable" in of_groups
    assert both.provenance.command.startswith("make_report(X, y, blocks=blocks, groups=groups, ")
    assert blocks.split(".")[1] in make_report(X, y, blocks=np.arange(60) % 4, **options).to_html()


def test_groups_that_cannot_be_parted_are_said_to_be():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    found = make_report(X, y, groups=y, n_estimators=5, random_state=0)
    skipped = " ".join(found.content.skipped)
    assert "which cannot be parted" in skipped
    assert "2 groups are too few to be halved" in skipped
