"""Which features do sampled forests split on? The paper's mechanism study at p = 100.

Run `python benchmarks/feature_sampling.py`. Prints, for CIF (`max_features="sqrt"`) and CIF-all
(`max_features=None`), the share of splits on informative features and the mean number of splits
per tree, beside the values of the original study. The designs are the study's: n = 250, its seeds,
columns shuffled, X not standardised; `.paper()` forests of 1000 trees without honesty.
"""

import time

import numpy as np
from sklearn.datasets import make_classification, make_regression

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

P = 100
INFORMATIVE = (1, 2, 5, 10)
#: Informative split share and splits per tree at p = 100, for 1, 2, 5, 10 informative features.
REPORTED = {
    ("classification", "CIF"): [(0.333, 0.40), (0.400, 0.40), (0.674, 0.79), (0.749, 1.43)],
    ("classification", "CIF-all"): [(1.0, 1.00), (1.0, 1.00), (0.925, 2.43), (0.889, 5.27)],
    ("regression", "CIF"): [(0.303, 0.70), (0.399, 0.86), (0.541, 1.77), (0.623, 1.44)],
    ("regression", "CIF-all"): [(0.601, 30.61), (0.588, 27.33), (0.566, 22.54), (0.571, 17.21)],
}


def design(task, n_informative, p=P):
    """X, y and the informative columns of one design of the study."""
    base = 4718 if task == "classification" else 6718
    seed = base + p + 10_000 * n_informative
    if task == "classification":
        X, y = make_classification(
            250,
            p,
            n_informative=n_informative,
            n_redundant=0,
            n_clusters_per_class=1 if n_informative == 1 else 2,
            class_sep=2,
            flip_y=0,
            shuffle=False,
            random_state=seed,
        )
        informative = np.arange(n_informative)
    else:
        X, y, coef = make_regression(
            250,
            p,
            n_informative=n_informative,
            noise=5,
            shuffle=False,
            coef=True,
            random_state=seed,
        )
        informative = np.flatnonzero(coef)
    order = np.random.RandomState(seed).permutation(p)
    return X[:, order], y, np.flatnonzero(np.isin(order, informative))


def splits(task, X, y, n_estimators=1000, seed=0, **overrides):
    """The features split on by a `.paper()` forest, and its number of trees."""
    classifier = task == "classification"
    forest_class = (
        ConditionalInferenceForestClassifier if classifier else ConditionalInferenceForestRegressor
    )
    given = dict(honesty=False, n_estimators=n_estimators, n_jobs=-1, random_state=seed)
    forest = forest_class.paper(**given, **overrides).fit(X, y)
    return forest.trees_.feature[~forest.trees_.is_leaf]


def main():
    print("informative split share (splits per tree); in brackets: the original study")
    for (task, method), reported in REPORTED.items():
        max_features = "sqrt" if method == "CIF" else None
        for n_informative, (share, per_tree) in zip(INFORMATIVE, reported, strict=True):
            X, y, informative = design(task, n_informative)
            start = time.perf_counter()
            used = splits(task, X, y, max_features=max_features)
            seconds = time.perf_counter() - start
            ours = np.isin(used, informative).mean()
            print(
                f"{task:15s} {method:8s} {n_informative:3d} informative:"
                f" {ours:.3f} ({len(used) / 1000:5.2f})  [{share:.3f} ({per_tree:5.2f})]"
                f"  difference {ours - share:+.3f}  {seconds:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
