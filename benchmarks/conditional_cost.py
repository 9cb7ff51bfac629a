"""What `conditional_test` costs: CPU time beside that of a default forest's fit.

    python benchmarks/conditional_cost.py [--large]

Tables are "normal-0.5" of `conditional.py` with y "mixture", one thread. The least of three times
is printed; with `--large`, tables of 1,000 x 2,000 and 100,000 x 100, once.
"""

import argparse
import time

import numpy as np
from conditional_designs import FEATURES, N_TRUE, response

from inforest import ConditionalInferenceForestRegressor, conditional_test


def seconds(function, times):
    found = []
    for _ in range(times):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    sizes = [(1_000, 2_000), (100_000, 100)] if options.large else [(600, 30), (1_000, 100)]
    times = 1 if options.large else 3
    print("| n | p | forest, CPU s | conditional_test, CPU s | ratio |\n" + "| --- " * 5 + "|")
    for n, p in sizes:
        rng = np.random.default_rng(0)
        X = FEATURES["normal-0.5"](rng, n, p)
        y = response("mixture", X, rng.choice(p, N_TRUE, replace=False), rng)
        forest = ConditionalInferenceForestRegressor(random_state=0, n_jobs=1)
        one = seconds(lambda X=X, y=y, forest=forest: forest.fit(X, y), times)
        test = seconds(lambda X=X, y=y: conditional_test(X, y, random_state=0, n_jobs=1), times)
        print(f"| {n:,} | {p:,} | {one:.2f} | {test:.2f} | {test / one:.1f} |", flush=True)


if __name__ == "__main__":
    main()
