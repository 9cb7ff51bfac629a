"""A made-up study with everything the real one has: better methods score better."""

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from inforest_study import datasets, methods
from inforest_study.analysis import kinds as kinds_of
from inforest_study.analysis import paper_methods, real
from inforest_study.protocol import LEARNERS, k_schedule
from inforest_study.revision import unrecorded
from inforest_study.study import Study

TASKS = ("classification", "regression")
COMMAND = "inforest bench report --out report"
CHANGES = ("no_mute", "one_tree", "split_count")
VERSIONS = {"python": "3.11.7", "numpy": "2.0.0"}
MACHINE = {"cores": "2", "processor": "made up"}


#: A few data sets, two of each task with more than 100 features.
FEW = {
    "classification": ("wine", "Yale", "ORL"),
    "regression": ("facebook", "coepra1", "residential"),
}


@cache
def small_study():
    """Return a study of a few data sets, made once."""
    return make_study(FEW, seeds=(0, 1), folds=2, high_p=True)


@cache
def small_report():
    """Write the report of `small_study` once; return its folder, which goes with the process."""
    from inforest_study.study_report import write_study_report

    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    write_study_report(small_study(), folder.name, COMMAND)
    return Path(folder.name)


def make_study(names=None, seeds=(0,), folds=5, tasks=TASKS, high_p=False, seed=7):
    """Return a study of the paper's methods and ours; on all real data sets, or on these."""
    rng = np.random.default_rng(seed)
    scores, runs, rankings = [], [], []
    for task in tasks:
        skill = dict(zip([*paper_methods(task), "inforest"], rng.normal(size=19), strict=False))
        for dataset in (names or {}).get(task, real(task)):
            p = datasets.info(dataset).n_features
            ks = [k for k in k_schedule(p, high_p) if high_p or k <= 100]
            level = rng.uniform(0.5, 0.8)
            for job in _jobs(task, dataset, skill, seeds, folds):
                own = skill[job["method"]] + rng.normal(scale=0.5)
                table = pd.MultiIndex.from_product([LEARNERS[task], ks], names=["learner", "k"])
                value = level + 0.03 * own + 0.02 * np.log10(table.get_level_values("k").to_numpy())
                value = value + rng.normal(scale=0.02, size=len(table))
                scores.append(table.to_frame(index=False).assign(**job, value=value))
                runs += _runs(job, rng, ("rank", "score"))
                rankings.append(_ranking(job, rng.permutation(p)))
        runs.append(_lost(task, dataset, "CPI"))
        for dataset in datasets.names("synthetic", task):
            rankings += _recovering(task, dataset, skill, seeds, folds, rng)
        for dataset in datasets.names("feature-sampling", task):
            rankings += _splitting(task, dataset, rng)
        more, times = _ablation(task, rng)
        rankings += more
        runs += times
    frames = [pd.concat(scores, ignore_index=True), pd.DataFrame(runs), pd.DataFrame(rankings)]
    return Study(*(_typed(frame) for frame in frames))


def _typed(frame):
    whole = ("seed", "fold", "k", "n_features", "engine_revision")
    return frame.astype({name: "Int32" for name in whole if name in frame})


def _jobs(task, dataset, skill, seeds, folds):
    for method in skill:
        config = methods.get(method).selected[task]
        changed = [f"{config}+{change}" for change in CHANGES] if method == "CIF" else []
        for one in [config, *changed]:
            for seed in seeds:
                for fold in range(folds):
                    yield _job(task, dataset, method, one, seed, fold)


def _job(task, dataset, method, config, seed, fold):
    values = dict(task=task, dataset=dataset, method=method, config=config, seed=seed, fold=fold)
    return {**values, "ranking": "0a1b2c3d", "engine_revision": unrecorded(method, config)}


def _runs(job, rng, steps, seconds=1.0):
    for step in steps:
        yield {
            **job,
            "step": step,
            "status": "done",
            "reason": "",
            "seconds": seconds * rng.uniform(0.5, 1.5),
            "cpu_seconds": 1.0,
            "memory_mb": 100.0,
            "budget_seconds": 600.0,
            "budget_memory_gb": 8.0,
            "data_checksum": "aa",
            "study_checksum": "aa",
            "versions": VERSIONS,
            "machine": MACHINE,
        }


def _lost(task, dataset, method):
    job = _job(task, dataset, method, "slow", 0, 0)
    run = next(_runs(job, np.random.default_rng(0), ("rank",)))
    return {**run, "status": "over-budget", "reason": "took more than 600 s"}


def _ranking(job, order, usage=None, trees_using=None, **facts):
    return {
        **job,
        "n_features": len(order),
        "order": order[:100].astype(np.int32),
        "usage": usage,
        "trees_using": trees_using,
        "facts": facts,
    }


def _order(dataset, strength, rng):
    """Rank informative features better the larger the strength."""
    kinds = kinds_of(dataset)
    noise = rng.normal(size=len(kinds))
    return np.argsort(-(noise + strength * (kinds == "informative")), kind="stable")


def _recovering(task, dataset, skill, seeds, folds, rng):
    for method, own in skill.items():
        config = methods.get(method).selected[task]
        for seed in seeds:
            for fold in range(folds):
                job = _job(task, dataset, method, config, seed, fold)
                yield _ranking(job, _order(dataset, 1.5 + own, rng))


def _splitting(task, dataset, rng):
    kinds = kinds_of(dataset)
    for method in ("CIF", "CIF-all", "RF", "ExtraTrees", "DT"):
        n_trees = 1 if method == "DT" else 1000
        for seed in (0, 1):
            rate = np.where(kinds == "informative", 5.0, 0.05) * n_trees / 50
            usage = rng.poisson(rate)
            job = _job(task, dataset, method, "made-up", seed, None)
            order = np.argsort(-usage, kind="stable")
            yield _ranking(job, order, usage, np.minimum(usage, n_trees), n_trees=float(n_trees))


def _ablation(task, rng):
    rankings, runs = [], []
    base = {"classification": "mc", "regression": "pc"}[task]
    changes = ("", "+no_adaptive", "+exact", "+no_scan")
    names = {
        "classification": (
            "iris",
            "ablation-classification-easy",
            "ablation-classification-bias@11",
        ),
        "regression": ("diabetes", "ablation-regression-linear", "ablation-regression-linear@11"),
    }[task]
    variants = [(method, base + change) for method in ("CIF", "CIT") for change in changes]
    for dataset in names:
        for method, config in [*variants, ("RF", "default")]:
            job = _job(task, dataset, method, config, 1718, None)
            p = datasets.info(dataset).n_features
            is_design = dataset.startswith("ablation-")
            order = _order(dataset, 2.0, rng) if is_design else rng.permutation(p)
            facts = dict(n_trees=100.0, mean_max_depth=4.0, features_used_per_tree=3.0)
            rankings.append(_ranking(job, order, np.ones(p, int), np.ones(p, int), **facts))
            runs += _runs(job, rng, ("rank",), 4.0 if "exact" in config else 1.0)
    return rankings, runs
