"""
Which features matter?
======================

Rank the 30 features of the breast cancer data, with p-values corrected for their number.
"""

from sklearn.datasets import load_breast_cancer

from inforest import rank_features

data = load_breast_cancer(as_frame=True)
ranking = rank_features(data.data, data.target, p_values="westfall-young", random_state=0)
print(ranking)

# %%
# The same as a picture.
_ = ranking.plot()
