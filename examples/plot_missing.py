"""
Is it the value, or its absence?
================================

Missing values stay missing. The test says whether the value matters, or whether it is there at all.
"""

import numpy as np
import pandas as pd

from inforest import independence_test

rng = np.random.default_rng(0)
n = 300
X = pd.DataFrame({name: rng.normal(size=n) for name in ("value", "absence", "noise")})
y = X["value"] + rng.normal(size=n)
X.loc[rng.random(n) < 0.2, :] = np.nan
X.loc[y > y.quantile(0.8), "absence"] = np.nan  # high outcomes have gaps here

result = independence_test(X, y, random_state=0)
print(result.to_frame())

# %%
# The statistic of each feature against its p-value.
_ = result.plot()
