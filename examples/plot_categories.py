"""
Words as they are
=================

A column of words is one feature with one test, however many different words it holds.
"""

import numpy as np
import pandas as pd

from inforest import ConditionalInferenceTreeClassifier, plot_tree

rng = np.random.default_rng(0)
n = 400
X = pd.DataFrame(
    {
        "city": rng.choice(["Bern", "Graz", "Jena", "Lyon", "Nice", "Oslo"], n),
        "colour": rng.choice(["red", "green", "blue"], n),
        "age": rng.integers(18, 80, n),
    }
)
y = np.where(X["city"].isin(["Bern", "Oslo"]) ^ (rng.random(n) < 0.15), "north", "south")

# %%
# The tree sends a set of words to each side.
tree = ConditionalInferenceTreeClassifier(random_state=0).fit(X, y)
print(tree.export_text())
_ = plot_tree(tree)
