"""How often a tree's root splits on noise: bootstrap rows against a subsample.

Run `python benchmarks/root_level.py`. Every data set is pure noise; the tree tests one feature at
level 0.05 at its root (no Stage B test), so a valid test splits in at most 5 % of the data sets.
"""

import numpy as np

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

N_DATA_SETS = 4000
N_SAMPLES = 40


def share_split(forest_class, is_classification, **sampling):
    """Share of data sets on which a forest of one tree splits its root."""
    splits = 0
    for seed in range(N_DATA_SETS):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(N_SAMPLES, 1))
        y = np.arange(N_SAMPLES) % 2 if is_classification else rng.normal(size=N_SAMPLES)
        forest = forest_class(
            n_estimators=1,
            max_depth=1,
            selector="mc" if is_classification else "pc",
            alpha_selector=0.05,
            splitter_test=None,
            n_resamples_selector=199,
            random_state=seed,
            **sampling,
        )
        splits += forest.fit(X, y).trees_.feature[0] >= 0
    return splits / N_DATA_SETS


def main():
    print(f"root splits on noise at level 0.05, n = {N_SAMPLES}, {N_DATA_SETS} data sets")
    for name, sampling in {
        "all rows": dict(bootstrap=False),
        "subsample, 0.632 of the rows": dict(replace=False),
        "bootstrap": dict(replace=True),
    }.items():
        classes = share_split(ConditionalInferenceForestClassifier, True, **sampling)
        values = share_split(ConditionalInferenceForestRegressor, False, **sampling)
        print(f"{name:30s} classification {classes:.3f}   regression {values:.3f}")


if __name__ == "__main__":
    main()
