"""Precision of RF and ExtraTrees on the 16 designs of the recovery study, beside the published.

Checks the designs and the protocol: nothing of inforest ranks here. Takes about 20 minutes on one
core; `--seeds 1` takes a fifth of that.
"""

import argparse
import csv
from importlib.resources import files

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.preprocessing import StandardScaler

from inforest_study import datasets
from inforest_study.protocol import SEEDS, STANDARD_K, method_seed, splits

FORESTS = {
    ("RF", "classification"): RandomForestClassifier,
    ("RF", "regression"): RandomForestRegressor,
    ("ExtraTrees", "classification"): ExtraTreesClassifier,
    ("ExtraTrees", "regression"): ExtraTreesRegressor,
}
PUBLISHED_AS = {"easy": "standard_easy", "hard": "standard_hard", "weak": "weak_signal"}
BAND = 0.03


def published():
    with (files("inforest_study.published") / "recovery_by_design.csv").open() as lines:
        rows = csv.DictReader(lines)
        return {(r["method"], r["task"], r["design"]): float(r["precision"]) for r in rows}


def precision(dataset, method, seeds):
    """Mean share of informative features in the top k, over k, seeds and folds."""
    task, p = dataset.info.task, dataset.info.n_features
    weights = {"class_weight": "balanced"} if task == "classification" else {}
    shares = []
    for seed in SEEDS[:seeds]:
        for fold, (train, _) in enumerate(splits(task, dataset.y, seed)):
            forest = FORESTS[method, task](100, random_state=method_seed(seed, fold), **weights)
            forest.fit(StandardScaler().fit_transform(dataset.X[train]), dataset.y[train])
            order = np.argsort(-forest.feature_importances_, kind="stable")
            hits = np.isin(order, dataset.informative)
            shares.append([hits[:k].sum() / min(k, p) for k in STANDARD_K])
    return np.mean(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="of the five")
    seeds = parser.parse_args().seeds
    expected = published()
    print(f"{'design':40}{'method':12}{'here':>8}{'published':>11}{'difference':>12}")
    outside = 0
    for name in datasets.names("synthetic"):
        dataset = datasets.load(name)
        design = name.rsplit("-", 1)[1]
        for method in ("RF", "ExtraTrees"):
            here = precision(dataset, method, seeds)
            there = expected[method, dataset.info.task, PUBLISHED_AS.get(design, design)]
            outside += abs(here - there) > BAND
            print(f"{name:40}{method:12}{here:8.3f}{there:11.3f}{here - there:+12.3f}", flush=True)
    print(f"{outside} of 32 differ by more than {BAND}")


if __name__ == "__main__":
    main()
