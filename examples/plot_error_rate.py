"""
Which features, with an error rate?
===================================

``PermutationFilter`` keeps features associated with the outcome. On pure noise it keeps anything at
all with probability at most 5 %. ``conditional_test`` asks for what the other features do not tell
already.
"""

import numpy as np
import pandas as pd

from inforest import PermutationFilter, conditional_test

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(400, 10)), columns=[f"x{i}" for i in range(10)])
X["x1"] = 0.9 * X["x0"] + 0.3 * X["x1"]  # nearly a copy of x0
y = X["x0"] + 0.7 * X["x2"] + rng.normal(size=400)

kept = PermutationFilter(alpha=0.05, random_state=0).fit(X, y)
print("associated:", list(kept.get_feature_names_out()))

# %%
# ``x1`` has to do with y only through ``x0``.
result = conditional_test(X, y, random_state=0)
print(result)
_ = result.plot()
