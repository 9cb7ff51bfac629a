"""Measure the table of docs/why-not.md: what each way of choosing features keeps.

`python docs/scripts/why_not.py` takes some minutes on one core; the seeds are fixed.
"""

import argparse
import time

import numpy as np
from boruta import BorutaPy
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.linear_model import LogisticRegressionCV
from sklearn.preprocessing import StandardScaler

from inforest import ConditionalSelector, FeatureSelector, PermutationFilter

N, SIGNALS, COMPANIONS, NOISE = 300, 5, 5, 40


def draw(rng):
    """Five features make y, five repeat them (r = 0.8) and add nothing, forty are noise."""
    X = rng.normal(size=(N, SIGNALS + COMPANIONS + NOISE))
    X[:, SIGNALS : 2 * SIGNALS] = 0.8 * X[:, :SIGNALS] + 0.6 * X[:, SIGNALS : 2 * SIGNALS]
    X[:, 2 * SIGNALS :: 2] = X[:, 2 * SIGNALS :: 2] > 0  # half of the noise has two values
    y = X[:, :SIGNALS].sum(axis=1) + 1.5 * rng.normal(size=N) > 0
    return X, y.astype(int)


def forest(seed):
    return RandomForestClassifier(200, random_state=seed)


def above_mean(X, y, seed):
    return SelectFromModel(forest(seed)).fit(X, y).get_support()


def rfecv(X, y, seed):
    inner = RandomForestClassifier(50, random_state=seed)
    return RFECV(inner, step=5, cv=5, scoring="balanced_accuracy").fit(X, y).get_support()


def boruta(X, y, seed):
    inner = RandomForestClassifier(100, max_depth=5, random_state=seed)
    return BorutaPy(inner, n_estimators=100, max_iter=50, random_state=seed).fit(X, y).support_


def knockoffs(X, y, seed, q=0.1):
    """Gaussian knockoffs of Candes et al. (2018), by differences of lasso coefficients."""
    rng = np.random.default_rng(seed)
    X = StandardScaler().fit_transform(X)
    p = X.shape[1]
    R = 0.98 * np.corrcoef(X.T) + 0.02 * np.eye(p)
    s = np.full(p, min(1.0, 2 * np.linalg.eigvalsh(R)[0]) * 0.999)
    inverse = np.linalg.inv(R)
    mean = X - X @ inverse * s
    spread = 2 * np.diag(s) - np.diag(s) @ inverse @ np.diag(s)
    copies = mean + rng.normal(size=X.shape) @ np.linalg.cholesky(spread + 1e-9 * np.eye(p)).T
    lasso = LogisticRegressionCV(
        Cs=8, cv=5, solver="liblinear", l1_ratios=(1,), use_legacy_attributes=False
    )
    size = np.abs(lasso.fit(np.hstack([X, copies]), y).coef_[0])
    W = size[:p] - size[p:]
    for threshold in np.sort(np.abs(W[W != 0])):
        if (1 + np.sum(-threshold >= W)) / max(1, np.sum(threshold <= W)) <= q:
            return threshold <= W
    return np.zeros(p, dtype=bool)


def permutation_filter(X, y, seed):
    return PermutationFilter(alpha=0.05, random_state=seed).fit(X, y).get_support()


def conditional(X, y, seed):
    return ConditionalSelector(alpha=0.1, random_state=seed).fit(X, y).get_support()


def selector(X, y, seed):
    return FeatureSelector(rule="one_se", random_state=seed).fit(X, y).get_support()


METHODS = {
    "random forest, importance above the mean": above_mean,
    "`RFECV` with a random forest": rfecv,
    "Boruta": boruta,
    "knockoffs, lasso, q = 0.1": knockoffs,
    '`FeatureSelector(rule="one_se")`': selector,
    "`PermutationFilter(alpha=0.05)`": permutation_filter,
    "`ConditionalSelector(alpha=0.1)`": conditional,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=list(METHODS))
    options = parser.parse_args()
    print(
        "| method | signals kept of 5 | companions of 5 | noise of 40 | sets with noise | CPU s |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in options.only:
        kept, seconds = [], 0.0
        for seed in range(options.sets):
            X, y = draw(np.random.default_rng(seed))
            start = time.process_time()
            support = METHODS[name](X, y, seed)
            seconds += time.process_time() - start
            groups = np.split(support, [SIGNALS, SIGNALS + COMPANIONS])
            kept.append([group.sum() for group in groups])
        signals, companions, noise = np.mean(kept, axis=0)
        share = np.mean([row[2] > 0 for row in kept])
        print(
            f"| {name} | {signals:.1f} | {companions:.1f} | {noise:.1f} "
            f"| {share:.2f} | {seconds / options.sets:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
