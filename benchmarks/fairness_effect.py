"""What makes importances of type "effect" unequal on noise, for docs/fairness.md.

Prints, by kind of feature on Strobl et al.'s null design, what a split of a default forest takes
off the impurity of its tree, how often it holds on out-of-bag rows, and its effect on these rows;
then how often each kind comes first by "effect" as it is and by other sums over the same splits.
Seeds are fixed. 800 data sets take about two minutes on one core.
"""

import argparse

import numpy as np
from fairness import FORESTS, line, share_and_error, table
from fairness_design import KINDS, N_KINDS, TASKS, null

#: Columns of what is known of splits; the first is the feature.
SEEN, HOLDS, UNSEEN = 1, 2, 3


def effects_of_forest(forest):
    """Return a row per split: feature, in-bag effect, whether it holds, out-of-bag effect."""
    trees = forest.trees_
    split = np.flatnonzero(~trees.is_leaf)
    root = trees.offset[trees.tree_index[split]]
    left, right = root + trees.left[split], root + trees.right[split]
    n, impurity = trees.weight, trees.impurity
    children = n[left] * impurity[left] + n[right] * impurity[right]
    share = (n[split] * impurity[split] - children) / (n[root] * impurity[root])
    seen = np.sqrt(np.maximum(share, 0.0))
    of = trees.feature[split], seen, trees.validated[split], trees.unseen_effect[split]
    return np.column_stack(of).astype(np.float64)


#: Amounts of splits whose sums, per offer, may be an importance; of arrays of `effects_of_forest`.
SUMS = {
    "effect, as it is": lambda rows: rows[:, SEEN] * rows[:, HOLDS],
    "number of splits that hold": lambda rows: rows[:, HOLDS],
    "effect on out-of-bag rows, with sign": lambda rows: rows[:, UNSEEN],
    "the same, positive ones": lambda rows: np.maximum(rows[:, UNSEEN], 0.0),
    "effect, with the sign of the out-of-bag one": lambda rows: (
        rows[:, SEEN] * np.sign(rows[:, UNSEEN])
    ),
}


def steadied(offers):
    """Return offers with a quarter of their mean on top, as `importances` does."""
    return offers + 0.25 * offers.sum() / max(np.count_nonzero(offers), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=TASKS, default="classification")
    parser.add_argument("--sets", type=int, default=800, help="data sets")
    parser.add_argument("--first", type=int, default=400, help="seed of the first of them")
    options = parser.parse_args()
    splits, first = [], {name: [] for name in SUMS}
    for seed in range(options.first, options.first + options.sets):
        X, y = null(options.task, seed)
        forest = FORESTS[options.task](random_state=seed).fit(X, y)
        rows = effects_of_forest(forest)
        splits.append(rows)
        for name, amount in SUMS.items():
            of = rows[:, 0].astype(int)
            total = np.bincount(of, weights=amount(rows), minlength=N_KINDS)
            best = (total / steadied(forest.candidate_counts_)).argmax()
            first[name].append(np.eye(N_KINDS)[best])
    splits = np.concatenate(splits)
    of_kind = [splits[splits[:, 0] == j, 1:] for j in range(N_KINDS)]
    names = ["effect on the rows that grew it", "holds", "effect on out-of-bag rows"]
    means = np.array([of.mean(axis=0) for of in of_kind]).T
    body = [[name, *(f"{x:.3f}" for x in row)] for name, row in zip(names, means, strict=True)]
    print(table(["mean over splits", *KINDS], body), end="\n\n")
    head = ["comes first by", "of", *KINDS, "farthest from 1/7", "s.e. at most"]
    body = [
        line(name, *share_and_error(np.array(places)), f"{len(places):,}")
        for name, places in first.items()
    ]
    print(table(head, body))


if __name__ == "__main__":
    main()
