"""Survival forests beside scikit-survival's: concordance, Brier score, CPU time, memory, file size.

Run `python benchmarks/survival.py`; `--repeats 3` shuffles the folds as often; `--large` adds
50,000 rows of 27 features, ours alone; `--settings` puts several settings of ours beside it, on
other folds of the same data. Needs scikit-survival, which the library itself never imports. All
forests have 100 trees and one thread, and the defaults of their packages otherwise; ours also
without its tests, as for predictions of any response (docs/forests.md). Words are numbered, and
missing values replaced by medians. The Brier score is integrated from the 10th to the 80th
percentile of the event times of the held-out rows. CPU seconds are those of all fits, sizes those
of a compressed pickle and of our own file, of the fit to the last fold.
"""

import argparse
import gzip
import pickle
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from inforest import ConditionalInferenceSurvivalForest, save

warnings.filterwarnings("ignore")  # of scikit-survival, about pandas


def tables():
    """Yield the bundled data sets of scikit-survival."""
    from sksurv import datasets

    loaders = {
        "veterans": datasets.load_veterans_lung_cancer,
        "gbsg2": datasets.load_gbsg2,
        "whas500": datasets.load_whas500,
        "breast cancer": datasets.load_breast_cancer,
        "aids": datasets.load_aids,
    }
    for name, load in loaders.items():
        X, y = load()
        columns = [
            column.cat.codes if str(column.dtype) == "category" else column
            for _, column in X.items()
        ]
        columns = [column.astype(float) for column in columns]
        values = np.column_stack([column.fillna(column.median()) for column in columns])
        yield name, values, y


def large(n, p=27):
    """Return times that depend on five of the features, half of them censored."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    time_, end = rng.exponential(np.exp(-X[:, :5].sum(axis=1) / 2)), rng.exponential(size=n)
    y = np.empty(n, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = time_ <= end, np.round(np.minimum(time_, end), 3)
    return X, y


def models():
    """Return a maker of each forest."""
    from sksurv.ensemble import RandomSurvivalForest

    return {
        "inforest": lambda: ConditionalInferenceSurvivalForest(100, random_state=0),
        "without tests": lambda: ConditionalInferenceSurvivalForest(
            100, n_resamples_selector=None, random_state=0
        ),
        "scikit-survival": lambda: RandomSurvivalForest(100, n_jobs=1, random_state=0),
    }


def settings():
    """Return a maker of each of our forests: the default, and one parameter changed at a time."""
    changes = [
        {},
        {"alpha_selector": 0.2},
        {"alpha_selector": 1.0},
        {"min_samples_leaf": 3},
        {"min_samples_leaf": 15},
        {"max_features": "sqrt"},
        {"max_features": None},
    ]

    def maker(change):
        return lambda: ConditionalInferenceSurvivalForest(100, random_state=0, **change)

    return {"scikit-survival": models()["scikit-survival"]} | {
        " ".join(f"{name}={value}" for name, value in change.items()) or "default": maker(change)
        for change in changes
    }


def size_of(model):
    """Return the megabytes of a file that holds the model."""
    if not isinstance(model, ConditionalInferenceSurvivalForest):
        return len(gzip.compress(pickle.dumps(model), compresslevel=1)) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path)
        return path.stat().st_size / 1e6


def brier_times(y, train, test):
    """Return which held-out rows the Brier score is defined for, and the times it is taken at."""
    event, time_ = y.dtype.names
    inside = y[time_][test] < y[time_][train].max()
    rows = test[inside]
    return inside, np.unique(np.percentile(y[time_][rows][y[event][rows]], np.linspace(10, 80, 15)))


def brier(y, train, test, X, model):
    """Return the integrated Brier score on the held-out rows that it is defined for."""
    from sksurv.metrics import integrated_brier_score

    inside, times = brier_times(y, train, test)
    rows = test[inside]
    curves = np.array([curve(times) for curve in model.predict_survival_function(X[rows])])
    return integrated_brier_score(y[train], y[rows], curves, times)


def folds(X, y, seeds):
    """Yield the five folds of each seed, with their share of the events."""
    for seed in seeds:
        yield from StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y[y.dtype.names[0]])


def compare(name, X, y, makers, seeds=(0,)):
    """Print and return the mean scores of each forest over the folds of these seeds."""
    found = {}
    for maker, make in makers.items():
        scores, seconds = [], 0.0
        for train, test in folds(X, y, seeds):
            begin = time.process_time()
            model = make().fit(X[train], y[train])
            seconds += time.process_time() - begin
            scores.append((model.score(X[test], y[test]), brier(y, train, test, X, model)))
        concordance, error = np.mean(scores, axis=0)
        found[maker] = concordance, error, seconds, size_of(model)
        print(
            f"{name:14} {len(X):6} x {X.shape[1]:<4} {maker:16} {concordance:.4f} {error:.4f}"
            f" {seconds:9.2f} {found[maker][3]:9.3f}",
            flush=True,
        )
    return found


def main():
    """Print a table, the means, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also 50,000 x 27, ours alone")
    parser.add_argument("--settings", action="store_true", help="settings, other folds")
    parser.add_argument("--repeats", type=int, default=1, help="how often the folds are shuffled")
    arguments = parser.parse_args()
    print("data set         rows x features                C    Brier   CPU s         MB")
    seeds = [int(arguments.settings) + repeat for repeat in range(arguments.repeats)]
    makers = settings() if arguments.settings else models()
    results = [compare(name, X, y, makers, seeds) for name, X, y in tables()]
    for maker in makers:
        mean = np.mean([one[maker] for one in results], axis=0)
        print(f"mean of {len(results)} sets: {maker:16} C {mean[0]:.4f}, Brier {mean[1]:.4f}")
    if arguments.settings:
        return
    seconds, size = (
        np.exp(np.mean([np.log(one["inforest"][i] / one["scikit-survival"][i]) for one in results]))
        for i in (2, 3)
    )
    print(f"ours / theirs, geometric mean: CPU {seconds:.3f}, file {size:.3f}")
    if arguments.large:
        X, y = large(50_000)
        begin = time.process_time()
        model = makers["inforest"]().fit(X, y)
        seconds = time.process_time() - begin
        print(f"50,000 x 27: {seconds:.1f} CPU s, {size_of(model):.1f} MB, ours alone")


if __name__ == "__main__":
    main()
