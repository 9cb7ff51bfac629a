"""What other sums over the same splits do to rankings with something to find, for docs/fairness.md.

Fits the default ranking (rounds, redundancy and all) and ranks by every sum of
`fairness_effect.SUMS` over the splits of the same forests, so that differences are paired.
Without --real: the mean precision over the study's k on new draws of its recovery designs. With
it: the mean over the study's k of balanced accuracy or R2 of its learners, on folds of the real
data sets that `rank_features` was tuned on and that are small (`INFOREST_DATA` says where). Prints
the means and their differences to "effect" as it is, with standard errors over draws or data sets.
"""

import argparse

import numpy as np
from fairness import table
from fairness_design import TASKS
from fairness_effect import SUMS, effects_of_forest, steadied

from inforest.ranking.redundancy import discounted
from inforest_study import datasets
from inforest_study.methods.inforest_default import make_ranker
from inforest_study.protocol import MAIN_METRIC, STANDARD_K, k_schedule, score_ranking, splits

#: The first seed of the draws: neither tuning nor the study has used it.
FIRST = 301
REAL = {
    "classification": ["ALLAML", "Yale", "warpAR10P", "orlraws10P", "wine"],
    "regression": ["coepra1", "coepra3", "imports-85", "community_crime"],
}


def orders(task, X, y, seed, n_trees):
    """Return the ranking by each sum."""
    ranker = make_ranker(task, {"n_estimators": n_trees}, seed, 1).fit(X, y)
    rows = [(effects_of_forest(forest), forest.candidate_counts_) for forest in ranker.forests_]
    for amount in SUMS.values():
        total = np.zeros(X.shape[1])
        for splits_, offers in rows:
            of = splits_[:, 0].astype(int)
            rate = np.bincount(of, weights=amount(splits_), minlength=len(total))
            rate = np.maximum(rate / np.maximum(steadied(offers), 1.0), 0.0)
            total += rate / (rate.sum() or 1.0)
        tie_breaker = ranker.forests_[0].root_statistic_
        yield discounted(total, X, strength=ranker.redundancy, tie_breaker=tie_breaker)[0]


def precisions(name, seed, n_trees):
    """Return the precision of the ranking by each sum, on one draw."""
    data = datasets.load(f"{name}@{seed}")
    hits = [
        np.isin(order, data.informative)
        for order in orders(data.info.task, data.X, data.y, seed, n_trees)
    ]
    return [np.mean([hit[:k].mean() for k in STANDARD_K]) for hit in hits]


def scores(name, n_folds, n_trees):
    """Return the mean score of the ranking by each sum, over folds, k and learners."""
    data = datasets.load(name)
    task = data.info.task
    ks = [k for k in k_schedule(data.info.n_features, high_p=False) if k < data.info.n_features]
    found = []
    for fold, (train, test) in enumerate(splits(task, data.y, 0)[:n_folds]):
        found.append(
            [
                np.mean([s.value for s in judged if s.metric == MAIN_METRIC[task]])
                for judged in (
                    score_ranking(data, order, train, test, fold, ks)
                    for order in orders(task, data.X[train], data.y[train], fold, n_trees)
                )
            ]
        )
    return np.mean(found, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10, help="of each design")
    parser.add_argument("--folds", type=int, default=5, help="of each real data set")
    parser.add_argument("--trees", type=int, default=500, help="of each ranking")
    parser.add_argument("--real", action="store_true", help="real data sets instead of designs")
    options = parser.parse_args()
    body = []
    for task in TASKS:
        if options.real:
            found = [scores(name, options.folds, options.trees) for name in REAL[task]]
            found = np.array(found)[:, None]
            for name, row in zip(REAL[task], found[:, 0], strict=True):
                print(name, *(f"{value:.4f}" for value in row), flush=True)
            error = (found - found[..., :1])[:, 0].std(axis=0, ddof=1) / np.sqrt(len(found))
        else:
            designs = [name for name in datasets.names("synthetic") if f"-{task}-" in name]
            seeds = range(FIRST, FIRST + options.draws)
            found = [[precisions(name, s, options.trees) for s in seeds] for name in designs]
            found = np.array(found)
            # Draws of a design are independent; the designs are what they are.
            variance = (found - found[..., :1]).var(axis=1, ddof=1) / options.draws
            error = np.sqrt(variance.sum(axis=0)) / len(designs)
        gaps = found - found[..., :1]
        for j, name in enumerate(SUMS):
            gap = f"{gaps[..., j].mean():+.4f} ({error[j]:.4f})" if j else ""
            n = f"{found[..., j].size}"
            body.append([f"{task}: {name}", n, f"{found[..., j].mean():.4f}", gap])
    print(table(["ranked by", "of", "mean", "minus the first (s.e.)"], body))


if __name__ == "__main__":
    main()
