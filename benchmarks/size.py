"""How large a fitted forest is: pickled, and saved by `inforest.save`.

Run `python benchmarks/size.py`: 500 trees on scikit-learn's digits data.
"""

import pickle
import tempfile
import time
from pathlib import Path

from sklearn.datasets import load_digits

from inforest import ConditionalInferenceForestClassifier, save


def main():
    X, y = load_digits(return_X_y=True)
    forest = ConditionalInferenceForestClassifier(500, n_jobs=-1, random_state=0).fit(X, y)
    start = time.perf_counter()
    n_bytes = len(pickle.dumps(forest))
    pickled = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "forest.inforest"
        save(forest, path)
        saved = time.perf_counter()
        print(
            f"{forest.trees_.node_count} nodes: pickle {n_bytes / 1e6:.1f} MB in"
            f" {pickled - start:.2f} s, saved file {path.stat().st_size / 1e6:.1f} MB in"
            f" {saved - pickled:.2f} s"
        )


if __name__ == "__main__":
    main()
