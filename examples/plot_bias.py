"""
Does it prefer features with many values?
=========================================

No feature here has anything to do with the outcome. A fair method picks each kind equally often.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from inforest import ConditionalInferenceTreeClassifier

KINDS = ["2 values", "5 values", "20 values", "continuous"]


def noise(rng, n=100):
    columns = [rng.integers(2, size=n), rng.integers(5, size=n), rng.integers(20, size=n)]
    return np.column_stack([*columns, rng.normal(size=n)]), rng.integers(2, size=n)


# %%
# Draw 100 tables of noise. Count which feature the forest calls the most important, and which one
# the tree would split first if it had to (``alpha_selector=1``).
rng = np.random.default_rng(0)
first = {"random forest": np.zeros(4), "conditional inference tree": np.zeros(4)}
for seed in range(100):
    X, y = noise(rng)
    forest = RandomForestClassifier(30, random_state=seed).fit(X, y)
    first["random forest"][np.argmax(forest.feature_importances_)] += 1
    tree = ConditionalInferenceTreeClassifier(alpha_selector=1.0, max_depth=1, random_state=seed)
    root = tree.fit(X, y).tree_.feature[0]
    if root >= 0:
        first["conditional inference tree"][root] += 1

fig, ax = plt.subplots()
for shift, (name, counts) in zip((-0.2, 0.2), first.items(), strict=True):
    ax.bar(np.arange(4) + shift, counts / counts.sum(), 0.4, label=name)
ax.axhline(0.25, color="grey", linestyle="--", label="fair")
ax.set_xticks(range(4), KINDS)
ax.set_ylabel("share of first places")
_ = ax.legend()
