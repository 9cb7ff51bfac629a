"""What makes importances of type "effect" unequal on noise, for docs/fairness.md.

Prints, by kind of feature on Strobl et al.'s null design, what a split of a default forest takes
off the impurity of its tree, how often it holds on out-of-bag rows, and its effect on these rows;
then how often each kind comes first by "effect" as it is and by other sums over the same splits.
Seeds are fixed. 400 data sets take about two minutes on one core.
"""

import argparse

import numpy as np
from fairness import FORESTS, line, share_and_error, table
from fairness_design import KINDS, N_KINDS, TASKS, null

#: Columns of what is known of splits; the first is the feature.
SEEN, HOLDS, UNSEEN = 1, 2, 3


def out_of_bag_effect(Y, is_left, is_right, contrast, scale):
    """Return the correlation of a split's sides with y on unseen rows, as large as at the root.

    Its sign says whether the sides differ as they did on the rows that grew them. Given the tree,
    unseen responses on noise are exchangeable, so its mean is 0 for any feature and any cut.
    """
    n_left, n_right = is_left.sum(), is_right.sum()
    length = np.linalg.norm(contrast)
    if min(n_left, n_right) == 0 or length == 0 or scale == 0:
        return 0.0
    difference = Y[is_left].mean(axis=0) - Y[is_right].mean(axis=0)
    effective = n_left * n_right / (n_left + n_right)
    return np.sqrt(effective) * (difference @ contrast) / (length * scale)


def effects_of_tree(tree, leaf, Y):
    """Yield a feature, in-bag effect, whether it holds and out-of-bag effect for every split."""
    end = np.arange(1, tree.node_count + 1)
    for i in np.flatnonzero(~tree.is_leaf)[::-1]:
        end[i] = end[tree.right[i]]
    value = tree.value.reshape(tree.node_count, -1)
    scale = np.sqrt(((Y - Y.mean(axis=0)) ** 2).sum())
    n = tree.weight
    for i in np.flatnonzero(~tree.is_leaf):
        left, right = tree.left[i], tree.right[i]
        children = n[left] * tree.impurity[left] + n[right] * tree.impurity[right]
        share = (n[i] * tree.impurity[i] - children) / (n[0] * tree.impurity[0])
        sides = (left <= leaf) & (leaf < right), (right <= leaf) & (leaf < end[i])
        unseen = out_of_bag_effect(Y, *sides, value[left] - value[right], scale)
        yield tree.feature[i], np.sqrt(max(share, 0.0)), tree.validated[i], unseen


def effects_of_forest(forest, X, y):
    """Return an array with a row per split, of what `effects_of_tree` yields."""
    Y = y[:, None] == forest.classes_ if hasattr(forest, "classes_") else y[:, None]
    Y, leaf, rows = Y.astype(np.float64), forest.apply(X), []
    for t, sample in enumerate(forest.estimators_samples_):
        unseen = np.setdiff1d(np.arange(len(y)), sample)
        rows += effects_of_tree(forest.estimators_[t].tree_, leaf[unseen, t], Y[unseen])
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


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
    parser.add_argument("--sets", type=int, default=400, help="data sets")
    options = parser.parse_args()
    splits, first = [], {name: [] for name in SUMS}
    for seed in range(options.sets):
        X, y = null(options.task, seed)
        forest = FORESTS[options.task](random_state=seed).fit(X, y)
        rows = effects_of_forest(forest, X, y)
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
