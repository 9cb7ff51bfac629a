"""
A report for a colleague
========================

One HTML file with the ranking, the checks and what to do next. It needs no network.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_wine

from inforest import rank_features, write_report

X, y = load_wine(return_X_y=True, as_frame=True)
path = Path(tempfile.mkdtemp(), "report.html")
write_report(path, X, y, random_state=0)
print(f"{path.stat().st_size / 1000:.0f} kB")

# %%
# The ranking that the report shows, as a picture.
_ = rank_features(X, y, random_state=0).plot()
