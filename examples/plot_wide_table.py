"""
Two thousand features
=====================

Wide tables need nothing special. Here 3 of 2,000 features matter.
"""

import numpy as np

from inforest import independence_test

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 2000)).astype(np.float32)
y = X[:, :3].sum(axis=1) + rng.normal(size=200)
result = independence_test(X, y, adjust="westfall-young", random_state=0)
found = np.flatnonzero(result.to_frame()["adjusted_p_value"] <= 0.05)
print("found:", found)
_ = result.plot()
