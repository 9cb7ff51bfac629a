"""
A tree like R's ctree
=====================

``.ctree()`` has the settings of R's ``partykit::ctree``. Every split shows its p-value.
"""

from sklearn.datasets import load_iris

from inforest import ConditionalInferenceTreeClassifier, plot_tree

X, y = load_iris(return_X_y=True, as_frame=True)
tree = ConditionalInferenceTreeClassifier.ctree().fit(X, y)
_ = plot_tree(tree)
