"""
Which features predict survival?
================================

Times that end before the event are censored. Tests, rankings and trees take them as they are.
"""

import numpy as np
import pandas as pd

from inforest import ConditionalInferenceSurvivalTree, plot_tree, rank_features

rng = np.random.default_rng(0)
n = 300
X = pd.DataFrame(rng.normal(size=(n, 5)), columns=["stage", "age", "dose", "height", "shoe"])
died = rng.exponential(np.exp(-X["stage"] - 0.5 * X["age"]))
end = rng.exponential(2, size=n)
y = {"event": died <= end, "time": np.minimum(died, end)}

print(rank_features(X, y, task="survival", p_values="westfall-young", random_state=0))

# %%
# Each leaf shows its survival curve.
tree = ConditionalInferenceSurvivalTree(random_state=0, max_depth=2).fit(X, y)
_ = plot_tree(tree)
