"""
Would the same features come back?
==================================

Rank random halves of the rows many times and count how often each feature is among the best five.
"""

from sklearn.datasets import load_wine

from inforest import stability

X, y = load_wine(return_X_y=True, as_frame=True)
result = stability(X, y, k=5, n_repeats=10, random_state=0)
print(result)
_ = result.plot()
