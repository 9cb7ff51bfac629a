"""How stable a ranking of pure noise looks: Nogueira's index where there is nothing to find.

Run `python benchmarks/stability_noise.py`. The top 10 of 50 independent features, 200 rows, a y of
its own. Two random halves of one table share half of their rows on average, and what goes along
with y by chance in the table comes back: the index is above 0. Tables that share no row agree as
by chance.
"""

import numpy as np
from sklearn.base import BaseEstimator

from inforest import rank_features
from inforest.diagnostics import nogueira, stability

N_TABLES, N_ROWS, N_FEATURES, K = 20, 200, 50, 10


class Correlations(BaseEstimator):
    """Ranks by the absolute correlation with y."""

    def fit(self, X, y):
        """Keep the correlations as importances."""
        self.feature_importances_ = np.abs(np.corrcoef(X.T, y)[-1, :-1])
        return self


def noise(seed, is_classification):
    """One table without any association."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, N_FEATURES))
    return X, np.arange(N_ROWS) % 2 if is_classification else rng.normal(size=N_ROWS)


def of_halves(is_classification, estimator):
    """Nogueira's index of each table: 20 random halves of it."""
    return [
        stability(
            *noise(seed, is_classification), k=K, estimator=estimator, vary="subsample",
            n_repeats=20, random_state=seed,
        ).subsample.nogueira.value
        for seed in range(N_TABLES)
    ]  # fmt: skip


def of_tables(is_classification, estimator):
    """Nogueira's index of as many tables of half the size, no row in common."""
    chosen = np.zeros((N_TABLES, N_FEATURES), dtype=bool)
    for seed in range(N_TABLES):
        X, y = noise(1000 + seed, is_classification)
        half = slice(N_ROWS // 2)
        ranking = rank_features(X[half], y[half], estimator=estimator, random_state=seed)
        chosen[seed, ranking.order[:K]] = True
    return nogueira(chosen).value


def main():
    """Print the mean index and its standard error over the tables."""
    print(f"Nogueira's index of the top {K} of {N_FEATURES} features of noise, {N_ROWS} rows")
    for task in ("classification", "regression"):
        for name, estimator in (("correlations", Correlations()), ("default ranking", None)):
            values = of_halves(task == "classification", estimator)
            error = np.std(values, ddof=1) / np.sqrt(N_TABLES)
            apart = of_tables(task == "classification", estimator)
            print(
                f"{task}, {name}: halves of one table {np.mean(values):.3f} (s.e. {error:.3f}),"
                f" tables of their own {apart:.3f}"
            )


if __name__ == "__main__":
    main()
