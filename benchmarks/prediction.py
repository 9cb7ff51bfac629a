"""Prediction: 100,000 samples, 50 features, 500 trees, against scikit-learn's random forest.

Run `python benchmarks/prediction.py`. Both forests have trees of equal size: the random forest's
`max_leaf_nodes` is our trees' mean number of leaves. Ratios of the best of interleaved repeats.
"""

import time

import numpy as np
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor


def best_seconds(models, X, n_repeats=5):
    """Least wall time of each model's prediction; the models take turns."""
    best = dict.fromkeys(models, np.inf)
    for _ in range(n_repeats):
        for name, model in models.items():
            start = time.perf_counter()
            model.predict(X)
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def main():
    for task, make, ours, theirs in [
        (
            "classification",
            make_classification,
            ConditionalInferenceForestClassifier,
            RandomForestClassifier,
        ),
        ("regression", make_regression, ConditionalInferenceForestRegressor, RandomForestRegressor),
    ]:
        X, y = make(100_000, 50, n_informative=10, random_state=0)
        train = slice(0, 5000)
        # No tests: trees as large as a random forest's.
        forest = ours(
            n_estimators=500,
            max_features="sqrt",
            n_resamples_selector=None,
            max_depth=12,
            n_jobs=2,
            random_state=0,
        )
        forest.fit(X[train], y[train])
        n_leaves = int(forest.trees_.is_leaf.sum() / 500)
        peer = theirs(500, max_features="sqrt", max_leaf_nodes=n_leaves, n_jobs=2, random_state=0)
        peer.fit(X[train], y[train])
        best = best_seconds({"inforest": forest, "scikit-learn": peer}, X)
        ratio = best["inforest"] / best["scikit-learn"]
        print(
            f"{task:15s} {n_leaves} leaves a tree: inforest {best['inforest']:.2f} s,"
            f" scikit-learn {best['scikit-learn']:.2f} s, ratio {ratio:.2f}"
        )


if __name__ == "__main__":
    main()
