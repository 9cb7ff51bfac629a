"""
How far off may a prediction be?
================================

A regression forest predicts intervals as well as means.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

from inforest import ConditionalInferenceForestRegressor

X, y = load_diabetes(return_X_y=True)
forest = ConditionalInferenceForestRegressor(random_state=0).fit(X[:300], y[:300])
mean, interval = forest.predict(X[300:]), forest.predict_interval(X[300:], coverage=0.9)
inside = np.mean((interval[:, 0] <= y[300:]) & (y[300:] <= interval[:, 1]))
print(f"{inside:.0%} of the new rows are inside")

order = np.argsort(mean)
fig, ax = plt.subplots()
ax.fill_between(range(len(order)), *interval[order].T, alpha=0.3, label="90 % interval")
ax.plot(mean[order], label="prediction")
ax.plot(y[300:][order], ".", label="seen")
_ = ax.legend()
