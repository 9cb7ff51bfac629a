"""Tables with words and gaps in the study: read, ranked by whole variables, scored."""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

from inforest_study import datasets, methods  # noqa: E402
from inforest_study.dataset import Dataset, DatasetInfo, DatasetUnavailable  # noqa: E402
from inforest_study.expanded import Expanded  # noqa: E402
from inforest_study.protocol import score_ranking, splits  # noqa: E402
from inforest_study.suite import read  # noqa: E402

FOLDER = Path(os.environ.get("INFOREST_DATA_MORE", ""))
needs_tables = pytest.mark.skipif(
    not (FOLDER / "titanic.parquet").is_file(),
    reason="INFOREST_DATA_MORE names no folder of tables",
)
NAMES = ["word", "number", "noise"]


def made(n=120, gaps=True):
    rng = np.random.default_rng(0)
    word = rng.integers(3, size=n).astype(float)
    y = (word == 1).astype(np.int64)
    number = y + rng.normal(size=n)
    if gaps:
        word[::10], number[::7] = np.nan, np.nan
    info = DatasetInfo("toy", "classification", n, 3, 2, "", "", (), "mixed", None, lambda *_: None)
    X = np.column_stack([word, number, rng.normal(size=n)])
    return Dataset(info, X, y, NAMES, levels=(("a", "b", "c"), None, None))


def test_frames_have_words_and_gaps():
    data = made()
    frame = data.frame(np.arange(20))
    assert list(frame) == NAMES
    assert frame["word"].dtype == "category"
    assert frame["word"].isna().sum() == 2
    assert frame["number"].isna().sum() == 3


def test_expanded_columns_belong_to_their_variable():
    frame = made().frame()
    table = Expanded.fit(frame)
    assert table.owner.tolist() == [0, 0, 0, 1, 2]
    numbers = table.numbers(frame)
    assert np.isfinite(numbers).all()
    assert numbers[0, :3].tolist() == [0, 0, 0]  # no level is there
    assert_array_equal(table.summed(np.arange(5.0)), [3, 3, 4])


@pytest.mark.parametrize("name", ["inforest", "RF", "ExtraTrees", "HistGB", "LightGBM", "CatBoost"])
def test_methods_rank_whole_variables(name):
    method = methods.get(name)
    if method.requires is not None:
        method.requires()
    data = made()
    config = method.configs["classification"][method.selected["classification"]]
    quick = {"n_estimators": 10} if "n_estimators" in config else {}
    ranked = method.rank(data.frame(), data.y, "classification", {**config, **quick}, 0, 1)
    assert sorted(ranked.order.tolist()) == [0, 1, 2]
    assert ranked.order[0] == 0


def test_rankings_are_scored_on_columns_of_the_training_rows():
    data = made()
    train, test = splits("classification", data.y, seed=0)[0]
    scores = score_ranking(data, np.array([0, 1, 2]), train, test, 0, [1, 3], ["LR"])
    best = [score.value for score in scores if score.metric == "balanced_accuracy"]
    assert min(best) > 0.8  # the word is y, but where it is missing


def test_the_suite_names_what_there_is():
    suite = read("mixed")
    assert {job.dataset for job in suite.jobs()} == set(datasets.names("mixed"))
    assert len(datasets.names("mixed")) == 21


def test_tables_that_are_not_there():
    with pytest.raises(DatasetUnavailable, match=r"titanic\.parquet \(the target in a column"):
        datasets.load("titanic", Path(__file__).parent)


@needs_tables
@pytest.mark.parametrize("name", datasets.names("mixed"))
def test_tables_are_as_listed(name):
    data = datasets.load(name, FOLDER)
    assert data.levels is not None
    assert len(data.feature_names) == data.info.n_features
