"""
Does it prefer features with many values?
=========================================

No feature here has anything to do with the outcome. A fair method puts each kind first equally
often. A random forest's impurity importance does not; its permutation importance, measured on
other rows, is much better. `inforest` tests before it splits, and needs no other rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

from inforest import ConditionalInferenceForestClassifier

KINDS = ["2 values", "5 values", "20 values", "continuous"]


def noise(rng, n=100):
    columns = [rng.integers(2, size=n), rng.integers(5, size=n), rng.integers(20, size=n)]
    return np.column_stack([*columns, rng.normal(size=n)]), rng.integers(2, size=n)


# %%
# Draw 100 tables of noise, and count which feature each importance puts first.
rng = np.random.default_rng(0)
places = {"random forest, impurity": [], "random forest, permutation": [], "inforest": []}
for seed in range(100):
    X, y = noise(rng)
    forest = RandomForestClassifier(30, random_state=seed).fit(X, y)
    permuted = permutation_importance(forest, *noise(rng), n_repeats=3, random_state=seed)
    ours = ConditionalInferenceForestClassifier(random_state=seed).fit(X, y)
    places["random forest, impurity"].append(np.argmax(forest.feature_importances_))
    places["random forest, permutation"].append(np.argmax(permuted.importances_mean))
    places["inforest"].append(ours.ranking_[0])

fig, ax = plt.subplots()
for i, (name, first) in enumerate(places.items()):
    ax.bar(np.arange(4) + 0.27 * (i - 1), np.bincount(first, minlength=4) / 100, 0.27, label=name)
ax.axhline(0.25, color="grey", linestyle="--", label="fair")
ax.set_xticks(range(4), KINDS)
ax.set_ylabel("share of first places")
_ = ax.legend()
