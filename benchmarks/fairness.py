"""Is any kind of feature preferred? Strobl et al.'s (2007) designs, for docs/fairness.md.

Writes the page's tables between their markers and its figure; without --write it prints the tables
only. Seeds are fixed. Needs pandas and matplotlib; where R has partykit, ctree's p-values are
compared with its own. Takes about five minutes on two cores.
"""

import argparse
import re
from functools import cache
from pathlib import Path

import numpy as np
from fairness_design import FAIR, KINDS, N_KINDS, TASKS, null, power
from fairness_figure import draw_figure
from fairness_peers import compare_with_partykit, ctree_p_values, has_partykit, random_forest
from joblib import Parallel, delayed
from quick_trees import QuickTrees
from sklearn import config_context

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    rank_features,
)

DOCS = Path(__file__).resolve().parents[1] / "docs"
TREES = {
    "classification": ConditionalInferenceTreeClassifier,
    "regression": ConditionalInferenceTreeRegressor,
}
FORESTS = {
    "classification": ConditionalInferenceForestClassifier,
    "regression": ConditionalInferenceForestRegressor,
}
ALPHA = 0.05
#: Rows that permutation importances are measured on, drawn after those of the fit.
OFFSET = 10**6


def call_with(work, arguments, seeds):
    """Call work(*arguments, seed) for these seeds. Checks of good data would take time."""
    with config_context(assume_finite=True, skip_parameter_validation=True):
        return [work(*arguments, int(seed)) for seed in seeds]


def map_seeds(work, n, *arguments):
    """Call work(*arguments, seed) for n seeds, on all cores; stack what it returns by name."""
    chunks = np.array_split(np.arange(n), min(n, 64))
    run = (delayed(call_with)(work, arguments, chunk) for chunk in chunks)
    found = [one for part in Parallel(n_jobs=-1)(run) for one in part]
    return {name: np.array([one[name] for one in found]) for name in found[0]}


def one_hot(feature):
    """Return the indicator of a feature, zeros for -1."""
    return (np.arange(N_KINDS) == feature).astype(np.float64)


# --- What a data set shows ------------------------------------------------------------------------


@cache
def root_grower(task, splitter_test):
    """Return what grows the roots of default trees, with this test of the threshold."""
    return QuickTrees(TREES[task](max_depth=1, splitter_test=splitter_test))


def root_of_tree(task, seed):
    """Grow the root of the default tree on noise: which feature it splits.

    And which one it splits if the threshold is tested, too; a leaf stays one.
    """
    data = null(task, seed)
    root = tested = root_grower(task, None)(*data, seed).feature[0]
    if root >= 0:
        tested = root_grower(task, "max")(*data, seed).feature[0]
    return {"root": one_hot(root), "tested": one_hot(tested)}


def forests_on_noise(task, seed):
    """Grow forests on noise: roots, splits, offers, importances, first places (a tree's, too)."""
    X, y = null(task, seed)
    tree = TREES[task](random_state=seed).fit(X, y)
    forest = FORESTS[task](random_state=seed).fit(X, y)
    stumps = FORESTS[task](50, max_depth=1, max_features=None, random_state=seed).fit(X, y)
    used = forest.trees_.feature
    root = stumps.trees_.feature[stumps.trees_.offset[:-1]]
    ranking = rank_features(X, y, task=task, random_state=seed)
    return {
        "roots": np.bincount(root[root >= 0], minlength=N_KINDS),
        "splits": np.bincount(used[used >= 0], minlength=N_KINDS),
        "offers": forest.candidate_counts_,
        "importance": forest.feature_importances_,
        "tree": one_hot(tree.ranking_[0]),
        "forest": one_hot(forest.ranking_[0]),
        "rank_features": one_hot(ranking.order[0]),
    }


def others_on_noise(task, seed):
    """Return RandomForest's importances on noise."""
    impurity, permuted = random_forest(task, *null(task, seed), *null(task, OFFSET + seed), seed)
    return {"impurity": impurity, "permutation": permuted}


def tree_with_power(task, informative, seed):
    """Whether the default tree's root splits the informative feature, and with tested cuts."""
    data = power(task, informative, seed)
    return {
        name: root_grower(task, test)(*data, seed).feature[0] == informative
        for name, test in (("root", None), ("tested", "max"))
    }


def forests_with_power(task, informative, seed):
    """Whether our rankings put the informative feature first."""
    X, y = power(task, informative, seed)
    forest = FORESTS[task](random_state=seed).fit(X, y)
    ranking = rank_features(X, y, task=task, random_state=seed)
    return {
        "forest": forest.ranking_[0] == informative,
        "rank_features": ranking.order[0] == informative,
    }


# --- Tables ---------------------------------------------------------------------------------------


def share_and_error(counts, per=None):
    """Return shares over all data sets that add up to 1, and their standard errors.

    A row of `counts` is a data set, and a data set is what is drawn independently. With `per`,
    counts are divided by these before shares are taken.
    """
    n = len(counts)
    per = np.ones_like(counts, dtype=float) if per is None else per
    rate = counts.sum(axis=0) / per.sum(axis=0)
    total = rate.sum()
    # Of each data set, by how much it moves the rates: the linear part of a ratio.
    moved = (counts - rate * per) / per.mean(axis=0)
    share = rate / total
    moved = (moved - share * moved.sum(axis=1, keepdims=True)) / total
    return share, moved.std(axis=0, ddof=1) / np.sqrt(n)


def line(name, shares, errors, how_many):
    cells = [f"{share:.3f}" for share in shares]
    return [name, how_many, *cells, f"{np.abs(shares - FAIR).max():.3f}", f"{errors.max():.3f}"]


def share_table(rows, kinds=KINDS):
    """Return a table of shares by kind; a row is its name, counts per data set and number."""
    head = ["", "of", *kinds, "farthest from 1/7", "s.e. at most"]
    body = [line(name, *share_and_error(*counts), how_many) for name, how_many, *counts in rows]
    return table(head, body)


#: Our trees by the key of what was found.
TREE_NAMES = {"root": "default tree", "tested": 'tree with `splitter_test="max"`'}


def root_table(trees, forests, p_values):
    rows = []
    for task in TASKS:
        for key, name in TREE_NAMES.items():
            split = trees[task][key][trees[task][key].any(axis=1)]
            rows.append([f"{task}: {name}", f"{len(split):,} roots that split", split])
        roots = forests[task]["roots"]
        name = f"{task}: forest, all features offered"
        rows.append([name, f"{len(roots):,} data sets", roots])
        smallest = np.eye(N_KINDS)[p_values[task].argmin(axis=1)]
        rows.append([f"{task}: ctree's smallest p", f"{len(smallest):,} data sets", smallest])
    return share_table(rows)


def split_table(forests):
    rows = []
    for task in TASKS:
        found, n = forests[task], f"{len(forests[task]['splits']):,} forests"
        rows.append([f"{task}: splits per offer", n, found["splits"], found["offers"]])
        rows.append([f"{task}: share of offers", n, found["offers"]])
        rows.append([f"{task}: share of all splits", n, found["splits"]])
    return share_table(rows)


def place_table(forests, others):
    rows = []
    for task in TASKS:
        places = {
            "default forest": forests[task]["forest"],
            "`rank_features`": forests[task]["rank_features"],
            "default tree": forests[task]["tree"],
            "RandomForest, impurity": np.eye(N_KINDS)[others[task]["impurity"].argmax(axis=1)],
            "RandomForest, permutation": np.eye(N_KINDS)[
                others[task]["permutation"].argmax(axis=1)
            ],
        }
        rows += [[f"{task}: {name}", f"{len(one):,}", one] for name, one in places.items()]
    return share_table(rows)


def power_rows(task, n, n_forests):
    """Return, by name, an array (kinds x data sets) of whether the feature was found."""
    found = {}
    for j in range(N_KINDS):
        p = ctree_p_values([power(task, j, seed) for seed in range(n)])
        is_smallest = p.argmin(axis=1) == j
        ctree = {
            "ctree splits the root on it": is_smallest & (p.min(axis=1) * N_KINDS < ALPHA),
            "ctree's smallest p": is_smallest,
        }
        trees = map_seeds(tree_with_power, n, task, j)
        forests = map_seeds(forests_with_power, n_forests, task, j)
        for name, hits in {**trees, **ctree, **forests}.items():
            found.setdefault(name, []).append(hits)
    return found


POWER_NAMES = {
    **{key: f"{name} splits the root on it" for key, name in TREE_NAMES.items()},
    "forest": "default forest ranks it first",
    "rank_features": "`rank_features` ranks it first",
}


def power_table(found_by_task):
    body = []
    for task, found in found_by_task.items():
        for name, hits in found.items():
            rates = np.array([one.mean() for one in hits])
            error = np.sqrt((rates * (1 - rates)).max() / len(hits[0]))
            cells = [f"{rate:.3f}" for rate in rates]
            label = f"{task}: {POWER_NAMES.get(name, name)}"
            body.append([label, *cells, f"{rates.mean():.3f}", f"{error:.3f}"])
        body += [against_ctree(task, found, key) for key in TREE_NAMES]
    return table(["", *KINDS, "mean", "s.e. at most"], body)


def against_ctree(task, found, ours):
    """Return the row of the differences between our tree and ctree, with the mean's error."""
    pairs = zip(found[ours], found["ctree splits the root on it"], strict=True)
    gaps = [one.astype(float) - other for one, other in pairs]
    errors = np.array([gap.std(ddof=1) / np.sqrt(len(gap)) for gap in gaps])
    cells = [f"{gap.mean():+.3f} ({e:.3f})" for gap, e in zip(gaps, errors, strict=True)]
    mean, error = np.mean([gap.mean() for gap in gaps]), np.sqrt((errors**2).sum()) / N_KINDS
    name = f"{task}: {TREE_NAMES[ours]} minus ctree (s.e.)"
    return [name, *cells, f"{mean:+.3f} ({error:.3f})", ""]


# --- Output ---------------------------------------------------------------------------------------


def table(head, rows):
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(page, name, text):
    """Put the text between the page's two markers of that name."""
    pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end {name} -->)"
    new, count = re.subn(pattern, lambda m: m[1] + text + m[2], page, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"docs/fairness.md has no place for {name!r}")
    return new


def measure(options):
    """Return the tables by name, and what the figure shows."""
    if has_partykit():
        for task in TASKS:
            compare_with_partykit(task, [null(task, seed) for seed in range(50)])
    trees = {task: map_seeds(root_of_tree, options.trees, task) for task in TASKS}
    forests = {task: map_seeds(forests_on_noise, options.forests, task) for task in TASKS}
    others = {task: map_seeds(others_on_noise, options.others, task) for task in TASKS}
    p_values = {
        task: ctree_p_values([null(task, seed) for seed in range(options.trees)]) for task in TASKS
    }
    tables = {
        "roots": root_table(trees, forests, p_values),
        "splits": split_table(forests),
        "places": place_table(forests, others),
    }
    if options.power:
        sizes = options.power, options.power // 10
        found = {task: power_rows(task, *sizes) for task in TASKS}
        tables["power"] = power_table(found)
    return tables, forests, others


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", type=int, default=60_000, help="data sets for single trees")
    parser.add_argument("--forests", type=int, default=2_500, help="data sets for forests")
    parser.add_argument("--others", type=int, default=200, help="data sets for RandomForest")
    parser.add_argument("--power", type=int, default=2_000, help="per kind; 0 leaves it out")
    parser.add_argument("--write", action="store_true", help="docs/fairness.md and its figure")
    options = parser.parse_args()
    tables, forests, others = measure(options)
    for name, text in tables.items():
        print(f"### {name}\n\n{text}\n")
    if options.write:
        path = DOCS / "fairness.md"
        page = path.read_text(encoding="utf-8")
        for name, text in tables.items():
            page = write(page, name, text)
        path.write_text(page, encoding="utf-8")
        draw_figure(forests["classification"], others["classification"], DOCS / "images")


if __name__ == "__main__":
    import fairness  # processes look for the functions in a module of this name

    fairness.main()
