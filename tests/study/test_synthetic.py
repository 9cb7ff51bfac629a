"""Generated data sets: the informative columns are those of the study."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from inforest_study import datasets
from inforest_study.protocol import SEEDS, STANDARD_K, method_seed, splits

P100 = [67, 39, 57, 55, 84, 19, 52, 95, 86, 10]
P50 = [25, 12, 17, 30, 36, 8, 48, 43, 38, 41]
TOEPLITZ = [85, 48, 97, 29, 6, 83, 44, 43, 75, 7]
INFORMATIVE = {
    "synthetic-classification-easy": (1000, 100, P100),
    "synthetic-classification-hard": (200, 1000, [954, 369, 271, 605, 167]),
    "synthetic-classification-weak": (1000, 100, P100),
    "synthetic-classification-confounder": (1000, 120, P100),
    "synthetic-classification-bias": (1000, 100, P50),
    "synthetic-classification-nonlinear": (1000, 100, P100[:5]),
    "synthetic-classification-toeplitz": (1000, 100, TOEPLITZ),
    "synthetic-classification-redundant": (1000, 50, [43, 24, 48, 41, 45, 40, 22, 46, 15, 5]),
    "synthetic-regression-easy": (1000, 100, P100),
    "synthetic-regression-hard": (200, 500, [455, 11, 291, 118, 81]),
    "synthetic-regression-weak": (1000, 100, P100),
    "synthetic-regression-confounder": (1000, 120, P100),
    "synthetic-regression-friedman": (1000, 100, P100[:5]),
    "synthetic-regression-heteroscedastic": (1000, 50, P50),
    "synthetic-regression-toeplitz": (1000, 100, TOEPLITZ),
    "synthetic-regression-redundant": (1000, 50, [38, 30, 13, 23, 35, 2, 0, 7, 5, 8]),
}
GENERATED = [*datasets.names("synthetic"), *datasets.names("feature-sampling")]
ABLATION = [name for name in datasets.names("ablation") if name.startswith("ablation-")]


def test_all_designs_are_listed_here():
    assert datasets.names("synthetic") == list(INFORMATIVE)


@pytest.mark.parametrize("name", INFORMATIVE)
def test_informative_columns_are_those_of_the_study(name):
    dataset = datasets.load(name)
    n, p, ids = INFORMATIVE[name]
    assert dataset.X.shape == (n, p)
    assert dataset.informative.tolist() == ids


def test_members_of_the_other_groups():
    assert len(datasets.names("feature-sampling")) == 2 * 3 * 4
    assert len([name for name in ABLATION if "-classification-" in name]) == 8
    assert len([name for name in ABLATION if "-regression-" in name]) == 6
    assert datasets.info("ablation-classification-redundant").n_features == 70


@pytest.mark.parametrize("name", [*GENERATED, *ABLATION])
def test_generated_data_say_what_they_are(name):
    dataset = datasets.load(name)
    assert dataset.info.name == name
    informative = np.flatnonzero(dataset.kinds == "informative")
    assert set(dataset.informative) == set(informative)
    if dataset.info.task == "classification":
        assert set(np.unique(dataset.y)) == {0, 1}
    again = datasets.load(name)
    np.testing.assert_array_equal(dataset.X, again.X)
    np.testing.assert_array_equal(dataset.y, again.y)


@pytest.mark.parametrize("name", GENERATED)
def test_another_seed_is_another_data_set(name):
    dataset, other = datasets.load(name), datasets.load(f"{name}@11")
    assert other.info.name == f"{name}@11"
    assert other.X.shape == dataset.X.shape
    assert not np.array_equal(other.X, dataset.X)


def test_the_default_seed_may_be_spelled_out():
    assert datasets.info("synthetic-classification-easy@1718").name == (
        "synthetic-classification-easy"
    )


@pytest.mark.parametrize("kind", ["correlated noise", "redundant"])
def test_redundant_columns_follow_informative_ones(kind):
    name = "confounder" if kind == "correlated noise" else "redundant"
    dataset = datasets.load(f"synthetic-regression-{name}")
    ids = np.flatnonzero(dataset.kinds == kind)
    assert len(ids) == 20
    signal = dataset.X[:, dataset.informative]
    fitted = signal @ np.linalg.lstsq(signal, dataset.X[:, ids], rcond=None)[0]
    explained = fitted.var(axis=0) / dataset.X[:, ids].var(axis=0)
    background = dataset.X[:, dataset.kinds == "background"]
    fitted = signal @ np.linalg.lstsq(signal, background, rcond=None)[0]
    assert explained.min() > 0.5 > 10 * (fitted.var(axis=0) / background.var(axis=0)).max()


def test_columns_of_many_levels():
    dataset = datasets.load("synthetic-classification-bias")
    noise = dataset.X[:, dataset.kinds == "explicit noise"]
    assert noise.shape[1] == 50
    assert (noise == noise.astype(int)).all()
    assert (noise.min(), noise.max()) == (0, 499)


@pytest.mark.parametrize("p", [100, 1000])
def test_the_regression_response_depends_on_the_informative_columns(p):
    dataset = datasets.load(f"feature-sampling-regression-p{p}-i5")
    signal = np.column_stack([dataset.X[:, dataset.informative], np.ones(250)])
    residual = dataset.y - signal @ np.linalg.lstsq(signal, dataset.y, rcond=None)[0]
    assert 4 < residual.std() < 6  # the noise has deviation 5


def test_shuffled_columns_of_feature_sampling_follow_the_dataset_seed():
    dataset = datasets.load("feature-sampling-classification-p500-i2")
    permutation = np.random.RandomState(4718 + 500 + 20_000).permutation(500)
    assert permutation[dataset.informative].tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("synthetic-classification-bias", 0.472),
        ("synthetic-classification-confounder", 0.338),
        ("synthetic-classification-redundant", 0.292),
        ("synthetic-regression-confounder", 0.390),
        ("synthetic-regression-heteroscedastic", 0.262),
        ("synthetic-regression-redundant", 0.272),
    ],
)
def test_a_tree_recovers_as_much_as_in_the_study(name, published):
    """The informative columns do not tell the order of all draws; the study's results do."""
    dataset = datasets.load(name)
    task = dataset.info.task
    tree = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
    precision = []
    for seed in SEEDS:
        for fold, (train, _) in enumerate(splits(task, dataset.y, seed)):
            model = tree(random_state=method_seed(seed, fold))
            importance = model.fit(dataset.X[train], dataset.y[train]).feature_importances_
            hits = np.isin(np.argsort(-importance, kind="stable"), dataset.informative)
            precision += [hits[:k].mean() for k in STANDARD_K]
    assert np.mean(precision) == pytest.approx(published, abs=0.015)
