"""
In a pipeline
=============

The selector is a scikit-learn transformer. Inside a pipeline it is fitted to the training rows of
each fold only, so the score is honest.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inforest import FeatureSelector

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
sizes = [1, 3, 10, 30]
scores = [
    cross_val_score(
        make_pipeline(FeatureSelector(k=k, random_state=0), StandardScaler(), LogisticRegression()),
        X,
        y,
        cv=3,
    ).mean()
    for k in sizes
]
fig, ax = plt.subplots()
ax.plot(sizes, scores, "o-")
ax.set_xlabel("features kept")
_ = ax.set_ylabel("accuracy on rows left out")
