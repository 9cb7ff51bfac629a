"""Why the published forests split less: the original code's Stage B, emulated.

Run `python benchmarks/published_stage_b.py`. The published numbers were made with another Stage B
than the paper's text describes: the tested statistic was Imp(left) + Imp(right) without the
children's weights, histogram edges that make the same partition counted as separate tests, and all
thresholds of a node were tested with the same permutations.
This grows two-class trees in plain Python with either rule, on the study's design where our share
of informative splits differs most (CIF-all, p = 100, 5 informative features), and nothing else
changed: Stage A is the package's own test.
"""

import numpy as np
from feature_sampling import REPORTED, design
from scipy.special import gammaln

from inforest import _core, _core_testing

ALPHA = 0.05


def gini(ones, size):
    share = ones / size
    return 2 * share * (1 - share)


def statistic(ones_left, left, ones, size, *, weighted):
    """Both children's impurities, summed with or without their weights."""
    impurity_left, impurity_right = gini(ones_left, left), gini(ones - ones_left, size - left)
    if weighted:
        return (left * impurity_left + (size - left) * impurity_right) / size
    return impurity_left + impurity_right


def exact_p_value(ones_left, left, ones, size, *, weighted):
    """Share of all permutations with a statistic at most the observed one: hypergeometric."""
    count = np.arange(max(0, left + ones - size), min(left, ones) + 1)

    def log_choose(n, k):
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    log_pmf = log_choose(ones, count) + log_choose(size - ones, left - count)
    pmf = np.exp(log_pmf - log_choose(size, left))
    observed = statistic(ones_left, left, ones, size, weighted=weighted)
    return pmf[statistic(count, left, ones, size, weighted=weighted) <= observed + 1e-10].sum()


def cuts(x, *, every_edge):
    """Thresholds of histogram-256 that leave no child empty, and their left sizes."""
    values = np.unique(x)
    thresholds = (values[1:] + values[:-1]) / 2
    if len(values) > 4:
        n_bins = min(256, len(thresholds))
        thresholds = np.unique(np.linspace(thresholds[0], thresholds[-1], n_bins + 1))
    left = np.searchsorted(np.sort(x), thresholds, side="right")
    if not every_edge:
        left, first = np.unique(left, return_index=True)
        thresholds = thresholds[first]
    inside = (left > 0) & (left < len(x))
    return thresholds[inside], left[inside]


def find_threshold(x, y, rng, *, published):
    """Stage B with `minimum` budgets: the first threshold, by impurity, that rejects; or None."""
    thresholds, left = cuts(x, every_edge=published)
    if len(thresholds) == 0:
        return None
    ones_left = np.cumsum(y[np.argsort(x, kind="stable")])[left - 1]
    size, ones = len(y), y.sum()
    scan = np.argsort(statistic(ones_left, left, ones, size, weighted=True), kind="stable")
    n_draws = int(np.ceil(len(thresholds) / ALPHA))
    if published:
        drawn = np.cumsum(rng.permuted(np.tile(y, (n_draws, 1)), axis=1), axis=1)[:, left - 1]
        drawn = statistic(drawn, left, ones, size, weighted=False)
        observed = statistic(ones_left, left, ones, size, weighted=False)
        rejected = (drawn > observed + 1e-10).all(axis=0)
    else:
        p = [
            exact_p_value(*cut, ones, size, weighted=True)
            for cut in zip(ones_left, left, strict=True)
        ]
        none_exceeds = np.exp(n_draws * np.log1p(-np.minimum(p, 1 - 1e-16)))
        rejected = rng.random(len(left)) < none_exceeds
    return next((thresholds[c] for c in scan if rejected[c]), None)


def find_feature(X, y, features, rng):
    """Stage A with `minimum` budgets: the chosen feature (or None) and the features not muted."""
    statistics = _core.statistics(np.asfortranarray(X[:, features]), y, 2, ["mc"], 0)
    tau = ALPHA / len(features)
    muted = []
    for j in features[np.argsort(-statistics, kind="stable")]:
        test = _core_testing.permutation_test(
            np.ascontiguousarray(X[:, j]),
            y,
            2,
            ["mc"],
            n_resamples=int(np.ceil(1 / tau - 1e-9)),
            tau=tau,
            early_stopping="curtailed",
            confidence=0.95,
            certify=True,
            seed=int(rng.integers(2**63)),
        )
        if test["rejected"]:
            return j, np.setdiff1d(features, muted)
        muted.append(j)
    return None, features


def splits(X, y, features, rng, *, published):
    """Features split on by a tree grown on these rows, in preorder."""
    features = features[np.ptp(X[:, features], axis=0) > 0]
    if len(np.unique(y)) < 2 or len(features) == 0:
        return []
    feature, features = find_feature(X, y, features, rng)
    if feature is None:
        return []
    threshold = find_threshold(X[:, feature], y, rng, published=published)
    if threshold is None:
        return []
    left = X[:, feature] <= threshold
    return [
        feature,
        *splits(X[left], y[left], features, rng, published=published),
        *splits(X[~left], y[~left], features, rng, published=published),
    ]


def informative_share(n_trees, *, published):
    """Share of informative splits, and splits per tree, over stratified bootstrap trees."""
    X, y, informative = design("classification", 5)
    used = []
    for tree in range(n_trees):
        rng = np.random.default_rng(tree)
        rows = np.concatenate(
            [rng.choice(r, len(r)) for r in map(np.flatnonzero, (y == 0, y == 1))]
        )
        X_tree, y_tree = X[rows], y[rows].astype(float)
        used += splits(X_tree, y_tree, np.arange(X.shape[1]), rng, published=published)
    return np.isin(used, informative).mean(), len(used) / n_trees


def main():
    share, per_tree = REPORTED["classification", "CIF-all"][2]
    print(f"original study                     {share:.3f} ({per_tree:.2f} splits per tree)")
    for name, published in {"the paper's text": False, "the code behind the numbers": True}.items():
        share, per_tree = informative_share(400, published=published)
        print(f"Stage B as in {name:27s}  {share:.3f} ({per_tree:.2f} splits per tree)")


if __name__ == "__main__":
    main()
