"""Survival forests beside scikit-survival's: concordance, Brier score, CPU time, memory, file size.

Run `python benchmarks/survival.py`; `--repeats 3` shuffles the folds as often; `--large` adds fits
of 2,000 rows of 27 features with the memory they take, and of 50,000 rows, ours alone. Needs
scikit-survival, which the library itself never imports. All forests have 100 trees and one thread,
and the defaults of their packages otherwise; ours also with tests that stop its trees. Words are
numbered, and missing values replaced by medians. The Brier score is integrated from the 10th to the
80th percentile of the event times of the held-out rows. CPU seconds are those of all fits, sizes
those of our own file and of a compressed pickle, of the fit to the last fold; the ratio of files is
given beside plain pickles, too.
"""

import argparse
import gzip
import multiprocessing
import pickle
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from inforest import ConditionalInferenceSurvivalForest, save

OURS, THEIRS = "inforest", "scikit-survival"

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
        OURS: lambda: ConditionalInferenceSurvivalForest(100, random_state=0),
        "with tests": lambda: ConditionalInferenceSurvivalForest(
            100, n_resamples_selector="minimum", random_state=0
        ),
        THEIRS: lambda: RandomSurvivalForest(100, n_jobs=1, random_state=0),
    }


def sizes_of(model):
    """Return the megabytes of a file that holds the model, and of a plain pickle where that is one.

    Ours is the file that `save` writes, both times.
    """
    if not isinstance(model, ConditionalInferenceSurvivalForest):
        pickled = pickle.dumps(model)
        return len(gzip.compress(pickled, compresslevel=1)) / 1e6, len(pickled) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path)
        return (path.stat().st_size / 1e6,) * 2


def fit_in_memory(maker, n, pipe):
    """Send the CPU seconds of a fit, and by how many megabytes it raised the memory at its peak."""
    X, y = large(n)
    model, before = models()[maker](), memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    begin = time.process_time()
    model.fit(X, y)
    pipe.send((time.process_time() - begin, memory("VmHWM") - before, *sizes_of(model)))


def memory(field):
    """Return the memory of this process in megabytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1e3


def print_large():
    """Print time and memory of fits to many rows, each in a process of its own."""
    print("rows x features                CPU s    MB more  file MB  pickle MB")
    start = multiprocessing.get_context("spawn")
    for n, makers in ((2_000, (OURS, THEIRS)), (50_000, (OURS,))):
        for maker in makers:
            mine, other = start.Pipe(duplex=False)
            process = start.Process(target=fit_in_memory, args=(maker, n, other))
            process.start()
            found = mine.recv()
            process.join()
            print(f"{n:6} x 27  {maker:16} " + " ".join(f"{one:9.2f}" for one in found))


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
        found[maker] = concordance, error, seconds, *sizes_of(model)
        print(
            f"{name:14} {len(X):6} x {X.shape[1]:<4} {maker:16} {concordance:.4f} {error:.4f}"
            f" {seconds:9.2f} {found[maker][3]:9.3f}",
            flush=True,
        )
    return found


def main():
    """Print a table, the means, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also 2,000 x 27 and 50,000 x 27")
    parser.add_argument("--repeats", type=int, default=1, help="how often the folds are shuffled")
    arguments = parser.parse_args()
    print("data set         rows x features                C    Brier   CPU s         MB")
    results = [compare(*one, models(), range(arguments.repeats)) for one in tables()]
    for maker in models():
        mean = np.mean([one[maker] for one in results], axis=0)
        print(f"mean of {len(results)} sets: {maker:16} C {mean[0]:.4f}, Brier {mean[1]:.4f}")
    ratios = [np.log(np.divide(one[OURS], one[THEIRS])) for one in results]
    seconds, size, plain = np.exp(np.mean(ratios, axis=0))[2:]
    print(
        f"ours / theirs, geometric mean: CPU {seconds:.3f}, file {size:.3f} of a compressed pickle,"
        f" {plain:.3f} of a plain one"
    )
    if arguments.large:
        print_large()


if __name__ == "__main__":
    main()
