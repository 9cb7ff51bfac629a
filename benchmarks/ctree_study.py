"""ctree and cforest in the study: R's against ours, and two seeds of R's cforest.

    python benchmarks/ctree_study.py            from results/study and results/ctree-ours
    python benchmarks/ctree_study.py --seeds ALLAML coepra1 coepra2 wine    grows R's forests anew

Prints how many rankings are the same and how many of the first ten features two rankings share;
and per data set the difference of the scores' means, in the folds that both have. With `--seeds`,
rankings of the first training fold: two seeds of R's cforest, two of ours, one of each.
"""

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import sem

from inforest_study import datasets, methods, protocol
from inforest_study.study import Study

RESULTS = Path(__file__).parents[1] / "results"
FOLD = ["task", "dataset", "seed", "fold"]
CONFIGS = {"ctree": "bonferroni", "cforest": "bonferroni-replace"}
FIRST = 10


def in_common(one, other):
    """The share of the first features that two rankings have in common."""
    k = min(FIRST, len(one))
    return len(set(one[:k]) & set(other[:k])) / k


def pairs(frame, name, keys):
    """Rows of R's `name` beside ours, in the folds that both have; rankings without re-ranking."""
    sides = [
        frame[(frame["method"] == method) & (frame["config"] == CONFIGS[name])]
        for method in (name, f"{name}-ours")
    ]
    return sides[0].merge(sides[1], on=keys, suffixes=("_r", "_ours"))


def compare(name, study):
    """Print how R's rankings and scores and ours agree."""
    orders = pairs(study.rankings.dropna(subset="fold"), name, FOLD)
    both = list(zip(orders.order_r, orders.order_ours, strict=True))
    same = np.mean([list(r) == list(ours) for r, ours in both])
    orders["common"] = [in_common(r, ours) for r, ours in both]
    print(f"\n{name}: {len(orders)} folds of {orders.dataset.nunique()} data sets;"
          f" {same:.1%} of the rankings are the same,"
          f" {orders.common.mean():.1%} of the first {FIRST} features in common")  # fmt: skip
    ranks = study.runs[(study.runs["step"] == "rank") & (study.runs["status"] == "done")]
    for method in (name, f"{name}-ours"):
        taken = ranks[(ranks["method"] == method) & (ranks["config"] == CONFIGS[name])]
        print(f"  {method}: {taken.dataset.nunique()} data sets,"
              f" median {taken.seconds.median():.2f} s a ranking")  # fmt: skip
    scores = pairs(study.scores, name, [*FOLD, "learner", "k"])
    scores["difference"] = scores["value_ours"] - scores["value_r"]
    for task, cells in scores.groupby("task"):
        by_dataset = cells.groupby("dataset")["difference"].mean()
        print(f"  {task}: {(cells.difference == 0).mean():.1%} of {len(cells)} scores equal; ours"
              f" less R's over {len(by_dataset)} data sets {by_dataset.mean():.4f}"
              f" (s.e. {sem(by_dataset):.4f})")  # fmt: skip
        shared = orders.groupby("dataset")["common"].mean()
        for dataset, value in by_dataset.items():
            print(f"    {dataset:16} {value:+.4f}   in common {shared[dataset]:.0%}")


def seeds(names):
    """Print what rankings of cforests with other seeds have in common, on one training fold."""
    print(f"\n| data set | rows x features | R, R | ours, ours | R, ours | of the first {FIRST}")
    for name in names:
        data = datasets.load(name)
        rows = protocol.splits(data.info.task, data.y, seed=0)[0][0]
        X = data.X[rows]
        orders = {"r": [], "ours": []}
        for side, method in (("r", "cforest"), ("ours", "cforest-ours")):
            rank = methods.get(method)
            parameters = rank.parameters(data.info.task, CONFIGS["cforest"])
            for seed in (0, 1):
                ranked = rank.rank(X, data.y[rows], data.info.task, parameters, seed, 1)
                orders[side].append(ranked.order)
        mixed = [in_common(a, b) for a in orders["r"] for b in orders["ours"]]
        own = [in_common(*orders[side]) for side in orders]
        print(f"| {name} | {len(X)} x {X.shape[1]} | {own[0]:.0%} | {own[1]:.0%} |"
              f" {np.mean(mixed):.0%} |", flush=True)  # fmt: skip


def main():
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs="+", metavar="DATASET", default=[])
    options = parser.parse_args()
    if options.seeds:
        seeds(options.seeds)
        return
    study = Study.read(RESULTS / "study", RESULTS / "ctree-ours")
    for name in CONFIGS:
        compare(name, study)


if __name__ == "__main__":
    main()
