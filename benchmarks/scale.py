"""Large tables: time, and memory above the data, of each case in a process of its own.

python benchmarks/scale.py                 # all cases
python benchmarks/scale.py "sparse 50000x20000"

"sparse" and "wide" cases are tests of all features with 999 permutations and Westfall-Young;
"binary" ones hold zeros and ones. "products" is the CPU time of three products of the sparse X with
a dense matrix of as many columns. "tall" is a forest on a memory map; "an array" the same forest on
the same table in memory, "in memory" one on as many rows as one of its trees takes, all of them.
"own MB" is the most memory of the process without the pages of the map.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from scipy import sparse

#: Forests: rows, columns, order, trees, `max_samples`, and whether X is a memory map.
FORESTS = {
    "forest 1000000x50 by columns": (1_000_000, 50, "F", 4, None, False),
    "forest 1000000x50 by rows": (1_000_000, 50, "C", 4, None, False),
    "tall 10000000x20": (10_000_000, 20, "C", 100, 100_000, True),
    "tall 10000000x20, an array": (10_000_000, 20, "C", 100, 100_000, False),
    "tall 10000000x20 in memory": (100_000, 20, "F", 100, 1.0, False),
}
#: Rows, columns, and the share of values that are not zero (None: dense float32).
DRAWS = 999
CASES = {
    "sparse 50000x2000": (50_000, 2_000, 0.01),
    "sparse 50000x20000": (50_000, 20_000, 0.01),
    "sparse 50000x20000 binary": (50_000, 20_000, 0.01),
    "wide 200x100000": (200, 100_000, None),
    "wide 200x1000000": (200, 1_000_000, None),
}


def make(case, folder):
    """Write the table of a case, so that making it does not count as memory of the test."""
    rng = np.random.default_rng(0)
    if case in FORESTS:
        n, p, order, *_ = FORESTS[case]
        kinds = {"mode": "w+", "dtype": np.float32, "fortran_order": order == "F"}
        X = np.lib.format.open_memmap(folder / "X.npy", shape=(n, p), **kinds)
        for begin in range(0, n, 100_000):
            X[begin : begin + 100_000] = rng.standard_normal((min(n, 100_000), p))
        np.save(folder / "y.npy", X[:, 0] + X[:, 1] * X[:, 2] + rng.standard_normal(n))
        return
    n, p, share = CASES[case]
    if share is None:
        np.save(folder / "X.npy", rng.standard_normal((n, p), dtype=np.float32))
    else:
        X = sparse.random(n, p, density=share, format="csc", random_state=rng)
        if case.endswith("binary"):
            X.data[:] = 1.0
        sparse.save_npz(folder / "X.npz", X, compressed=False)
    np.save(folder / "y.npy", rng.integers(2, size=n))


def peak():
    """The most memory that this process has had, in bytes."""
    import resource

    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


class OwnMemory:
    """The most memory of this process that is no part of a file, looked at all the time."""

    def __init__(self):
        self.most, self._goes_on = 0, True
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._goes_on = False
        self._thread.join()

    def _look(self):
        while self._goes_on:
            status = Path("/proc/self/status").read_text()
            self.most = max(self.most, 1024 * int(re.search(r"RssAnon:\s+(\d+)", status)[1]))
            time.sleep(0.005)


def measure_forest(case, folder):
    """Fit the forest; print what it took."""
    from inforest import ConditionalInferenceForestRegressor

    *_, n_trees, max_samples, is_mapped = FORESTS[case]
    params = {"n_estimators": n_trees, "random_state": 0, "n_jobs": 2}
    if max_samples is not None:
        params |= {"max_samples": max_samples, "replace": False}
    X = np.load(folder / "X.npy", mmap_mode="r" if is_mapped else None)
    y = np.load(folder / "y.npy")
    ConditionalInferenceForestRegressor(n_estimators=2).fit(np.asarray(X[:100]), y[:100])
    with OwnMemory() as own:
        before, cpu, wall = peak(), time.process_time(), time.perf_counter()
        ConditionalInferenceForestRegressor(**params).fit(X, y)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    above = {"above X": (peak() - before) / X.nbytes, "own MB": own.most / 1e6}
    print(json.dumps({"MB": X.nbytes / 1e6, **above, "CPU s": cpu, "wall s": wall}))


def measure(folder):
    """Test the table with 999 permutations and Westfall-Young; print what it took."""
    import warnings

    from inforest import independence_test

    warnings.simplefilter("ignore")
    is_dense = (folder / "X.npy").exists()
    X = np.load(folder / "X.npy") if is_dense else sparse.load_npz(folder / "X.npz")
    y = np.load(folder / "y.npy")
    independence_test(X[:, :10], y, n_resamples=19, random_state=0)  # loads what is needed
    size = X.nbytes if is_dense else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    before, cpu, wall = peak(), time.process_time(), time.perf_counter()
    result = independence_test(
        X, y, adjust="westfall-young", n_resamples=DRAWS, random_state=0, n_jobs=2
    )
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    extra = (peak() - before) / size
    found = {"MB": size / 1e6, "above X": extra, "CPU s": cpu, "wall s": wall}
    found["rejected"] = int(result.rejected.sum())
    if not is_dense:
        responses = np.random.default_rng(1).standard_normal((len(y), DRAWS))
        start = time.process_time()
        X.T @ responses
        found["3 products, CPU s"] = 3 * (time.process_time() - start)
    print(json.dumps(found))


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--measure":
        case, folder = sys.argv[2], Path(sys.argv[3])
        return measure_forest(case, folder) if case in FORESTS else measure(folder)
    for case in sys.argv[1:] or (*CASES, *FORESTS):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, "--make", case, folder], check=True)
            command = [sys.executable, __file__, "--measure", case, folder]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        shown = ", ".join(f"{name} {value:.3g}" for name, value in found.items())
        print(f"{case}: {shown}", flush=True)
    return None


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "--make":
        make(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
