"""Sizes of a forest in each form, and the time of predictions beside ours.

    python benchmarks/interop.py

A forest of 200 trees on 2,000 rows and 20 features; the least CPU time of several runs, by turns.
"""

import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import skops.io
import treelite

from inforest import ConditionalInferenceForestRegressor, save
from inforest.interop import to_onnx, to_treelite

REPEATS = 7


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=2000)
    forest = ConditionalInferenceForestRegressor(200, random_state=0, n_jobs=1).fit(X, y)
    model, tree = to_onnx(forest), to_treelite(forest)
    with tempfile.TemporaryDirectory() as folder:
        save(forest, Path(folder) / "own")
        skops.io.dump(forest, Path(folder) / "skops")
        sizes = {
            "inforest.save": (Path(folder) / "own").stat().st_size,
            "skops": (Path(folder) / "skops").stat().st_size,
            "pickle": len(pickle.dumps(forest)),
            "ONNX": len(model.SerializeToString()),
            "treelite": len(tree.serialize_bytes()),
        }
    print(f"{len(forest._trees.feature):,} nodes")
    for name, size in sizes.items():
        print(f"{name:14} {size / 1e6:6.2f} MB")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    ways = {
        "inforest": forest.predict,
        "ONNX": lambda rows: session.run(None, {"X": rows}),
        "treelite": lambda rows: treelite.gtil.predict(tree, rows, nthread=1),
    }
    for n_rows in (1, 2000):
        best = dict.fromkeys(ways, np.inf)
        for _ in range(REPEATS):
            for name, predict in ways.items():
                begin, n_calls = time.process_time(), max(1, 200 // n_rows)
                for _ in range(n_calls):
                    predict(X[:n_rows])
                best[name] = min(best[name], (time.process_time() - begin) / n_calls)
        said = ", ".join(f"{name} {1e3 * seconds:.2f} ms" for name, seconds in best.items())
        print(f"{n_rows:,} rows: {said}")


if __name__ == "__main__":
    main()
