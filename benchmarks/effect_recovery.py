"""What other sums over the same splits do to rankings with something to find, for docs/fairness.md.

Every sum of `fairness_effect.SUMS` ranks the features of the same default forests on new draws of
the 16 designs of the recovery study: one forest, no rounds, no redundancy. Prints, by task, the
mean precision over the study's k, and its difference to "effect" as it is with the standard error
over draws. 10 draws take some minutes on one core; docs/fairness.md has 2 draws of 50 trees.
"""

import argparse

import numpy as np
from fairness import FORESTS, table
from fairness_design import TASKS
from fairness_effect import SUMS, effects_of_forest, steadied

from inforest_study import datasets
from inforest_study.protocol import STANDARD_K

#: The first seed of the draws: neither tuning nor the study has used it.
FIRST = 201


def precisions(name, seed, n_trees):
    """Return the precision of the ranking by each sum, on one draw."""
    data = datasets.load(f"{name}@{seed}")
    n_features = data.X.shape[1]
    forest = FORESTS[data.info.task](n_trees, random_state=seed).fit(data.X, data.y)
    rows = effects_of_forest(forest, data.X, data.y)
    found = []
    for amount in SUMS.values():
        of = rows[:, 0].astype(int)
        total = np.bincount(of, weights=amount(rows), minlength=n_features)
        # What no split speaks for is in the order of its association with y.
        rate = total / steadied(forest.candidate_counts_)
        order = np.lexsort((-forest.root_statistic_, -rate))
        hits = np.isin(order, data.informative)
        found.append(np.mean([hits[:k].mean() for k in STANDARD_K]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10, help="of each design")
    parser.add_argument("--trees", type=int, default=100, help="of each forest")
    options = parser.parse_args()
    body = []
    for task in TASKS:
        designs = [name for name in datasets.names("synthetic") if f"-{task}-" in name]
        found = np.array(
            [
                [precisions(name, FIRST + i, options.trees) for i in range(options.draws)]
                for name in designs
            ]
        )
        gaps = found - found[..., :1]
        # Draws of a design are independent; the designs are what they are.
        error = np.sqrt((gaps.var(axis=1, ddof=1) / options.draws).sum(axis=0)) / len(designs)
        for j, name in enumerate(SUMS):
            gap = f"{gaps[..., j].mean():+.4f} ({error[j]:.4f})" if j else ""
            n = f"{found[..., j].size}"
            body.append([f"{task}: {name}", n, f"{found[..., j].mean():.4f}", gap])
    print(table(["ranked by", "draws", "mean precision", "minus the first (s.e.)"], body))


if __name__ == "__main__":
    main()
