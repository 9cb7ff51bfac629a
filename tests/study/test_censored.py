"""Censored times in the study: read, ranked, scored, and shown in a table."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pytest.importorskip("sksurv")

from sksurv.metrics import concordance_index_censored  # noqa: E402

from inforest import ConditionalInferenceSurvivalForest, rank_features  # noqa: E402
from inforest_study import datasets, methods, survival_scores  # noqa: E402
from inforest_study.analysis import Analysis  # noqa: E402
from inforest_study.dataset import CENSORED, Dataset, DatasetInfo, checksum  # noqa: E402
from inforest_study.methods import inforest_default  # noqa: E402
from inforest_study.protocol import score_ranking, splits  # noqa: E402
from inforest_study.study import Study  # noqa: E402
from inforest_study.suite import read  # noqa: E402
from inforest_study.tables import sections, survival  # noqa: E402

METHODS = ["inforest", "PC filter", "Cox filter", "CoxNet", "RSF"]


def made(n=150, words=True):
    """Return times that depend on `word` and, less, on `number`."""
    rng = np.random.default_rng(0)
    word, number = rng.integers(3, size=n), rng.normal(size=n)
    died = rng.exponential(np.exp(2.0 * (word == 1) - 0.7 * number))
    end = rng.exponential(3.0, size=n)
    y = np.empty(n, dtype=CENSORED)
    y["event"], y["time"] = died <= end, np.minimum(died, end)
    info = DatasetInfo("toy", "survival", n, 4, None, "", "", (), "survival", None, lambda *_: None)
    X = np.column_stack([rng.normal(size=n), word, rng.normal(size=n), number])
    names = ["noise", "word", "more", "number"]
    levels = (None, ("a", "b", "c"), None, None) if words else None
    return Dataset(info, X, y, names, levels=levels)


@pytest.mark.parametrize("name", datasets.names("survival"))
def test_data_are_as_listed(name):
    data = datasets.load(name)  # checks rows and features
    assert data.info.task == "survival"
    assert data.y.dtype == CENSORED
    assert 0.05 < data.y["event"].mean() < 1
    assert (data.y["time"] > 0).all()


def test_checksums_know_events_and_times():
    data = made()
    other = data.y.copy()
    other["event"][0] = ~other["event"][0]
    later = data.y.copy()
    later["time"][0] += 1
    assert len({checksum(data.X, y) for y in (data.y, other, later)}) == 3


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize("name", METHODS)
def test_methods_rank_whole_variables_the_same_again(name, words):
    method, data = methods.get(name), made(words=words)
    method.requires()
    parameters = dict(method.parameters("survival"))
    if name in ("inforest", "RSF"):
        parameters["n_estimators"] = 20
    X = data.frame() if words else data.X
    one, two = (method.rank(X, data.y, "survival", parameters, 3, 1) for _ in range(2))
    assert sorted(one.order.tolist()) == [0, 1, 2, 3]
    assert set(one.order[:2].tolist()) == {1, 3} or not words
    np.testing.assert_array_equal(one.order, two.order)
    np.testing.assert_array_equal(one.scores, two.scores)


def test_our_default_is_the_librarys():
    data = made(words=False)
    theirs = rank_features(data.X, data.y, random_state=7, n_jobs=1).estimator.get_params()
    parameters = methods.get("inforest").parameters("survival")
    ours = inforest_default.make_ranker("survival", parameters, 7, 1).get_params()
    for one in (theirs, ours):
        del one["forest"]  # its parameters are there by themselves
    assert ours == theirs


def test_folds_have_their_share_of_the_events():
    y = made().y
    shares = [y["event"][test].mean() for _, test in splits("survival", y, seed=0)]
    assert np.ptp(shares) < 0.05


def test_rankings_are_scored_by_concordance_and_brier_score():
    data = made()
    train, test = splits("survival", data.y, seed=0)[0]
    found = {
        first: {
            (s.learner, s.metric): s.value for s in score_ranking(data, order, train, test, 0, [1])
        }
        for first, order in (("word", np.array([1, 0, 2, 3])), ("noise", np.array([0, 1, 2, 3])))
    }
    for learner in ("Cox", "RSF"):
        assert found["word"][learner, "concordance"] > found["noise"][learner, "concordance"] + 0.1
        assert found["word"][learner, "brier"] < found["noise"][learner, "brier"]


def test_judge_is_scikit_survivals_metric():
    data = made(words=False)
    rows = np.arange(150)
    train, test = rows[:100], rows[100:]
    model = ConditionalInferenceSurvivalForest(20, random_state=0).fit(data.X[train], data.y[train])
    found = survival_scores.judge(model, data.X[test], data.y[train], data.y[test])
    y = data.y[test]
    expected = concordance_index_censored(y["event"], y["time"], model.predict(data.X[test]))[0]
    assert found["concordance"] == expected == pytest.approx(model.score(data.X[test], y))
    assert 0 < found["brier"] < 0.25


def test_the_suite_names_what_there_is():
    suite = read("survival")
    jobs = suite.jobs()
    assert {job.dataset for job in jobs} == set(datasets.names("survival"))
    assert {job.method for job in jobs} == set(METHODS)
    assert suite.options.ks == (2, 5, 10)


def scores(*rows):
    names = ["dataset", "method", "config", "fold", "k", "learner", "value"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(task="survival", seed=0, metric="concordance", ranking="r",
                        engine_revision=3.0, random_state=0)  # fmt: skip


def test_the_table_compares_where_all_have_scores():
    frame = scores(
        ("one", "A", "x", 0, 2, "Cox", 0.6), ("one", "B", "x", 0, 2, "Cox", 0.7),
        ("one", "A", "x", 1, 2, "Cox", 0.8), ("one", "B", "x", 1, 2, "Cox", 0.7),
        ("two", "A", "x", 0, 2, "Cox", 0.9), ("two", "B", "x", 0, 2, "Cox", 0.5),
        ("two", "A", "x", 1, 2, "Cox", 0.1),  # of A alone
    )  # fmt: skip
    table = survival.concordances(Analysis(Study(scores=frame)))
    by_name = {row["method"]: row for row in table.rows}
    assert by_name["A"]["k2"] == pytest.approx((0.7 + 0.9) / 2)
    assert by_name["B"]["k2"] == pytest.approx((0.7 + 0.5) / 2)
    assert by_name["A"]["mean_rank"] == pytest.approx(1.25)
    assert "one, two" in table.note
    assert survival.concordances(Analysis(Study())).missing
    keys = [section.key for section in sections(Analysis(Study(scores=frame)))]
    assert "survival" in keys
    assert "survival" not in [section.key for section in sections(Analysis(Study()))]
