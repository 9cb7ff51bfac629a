"""
How many features to keep?
==========================

Cross-validation scores a simple model for several numbers of features. The features are ranked
again in every fold.
"""

from sklearn.datasets import load_breast_cancer

from inforest import FeatureSelector

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
selector = FeatureSelector(rule="one_se", random_state=0).fit(X, y)
print(selector.k_, list(selector.get_feature_names_out()))
_ = selector.plot_k()
