"""How quick are the independence tests? Ratios measured in one run, for `make bench`.

1,000 samples, 10,000 features, 999 permutations shared by all features, compared with
(a) NumPy code that computes one correlation per feature and permutation, timed on 20 features and
    extrapolated: the tests must take at most 1/100 of it;
(b) one product X.T @ Y of the same size in single precision, which is the least that any method
    computing all statistics has to do: the tests must take at most 3 times as long.
"""

import sys
from time import perf_counter

import numpy as np

from inforest import independence_test

N_SAMPLES, N_FEATURES, N_DRAWS = 1_000, 10_000, 999
N_TIMED = 20
REPEATS = 7
LIMITS = {"loop": 1 / 100, "product": 3.0}


def loop_seconds(X, y):
    """Time of one correlation per feature and permutation, extrapolated to all features."""
    rng = np.random.default_rng(0)
    start = perf_counter()
    for x in X.T[:N_TIMED]:
        observed = abs(np.corrcoef(x, y)[0, 1])
        exceedances = 0
        for _ in range(N_DRAWS):
            exceedances += abs(np.corrcoef(x, rng.permutation(y))[0, 1]) >= observed
    return (perf_counter() - start) * N_FEATURES / N_TIMED


def main():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N_SAMPLES, N_FEATURES))
    singles = X.astype(np.float32)
    responses = rng.normal(size=(N_SAMPLES, N_DRAWS)).astype(np.float32)
    targets = {"pc": rng.normal(size=N_SAMPLES), "mc": rng.integers(2, size=N_SAMPLES)}
    cases = [("pc", None), ("mc", None), ("pc", "westfall-young"), ("mc", "westfall-young")]
    seconds = {case: [] for case in cases}
    product = []
    independence_test(X[:, :10], targets["mc"])  # loads what is loaded late
    # Taking turns, so that a busy moment of the machine hits all alike.
    for _ in range(REPEATS):
        start = perf_counter()
        singles.T @ responses
        product.append(perf_counter() - start)
        for selector, adjust in cases:
            start = perf_counter()
            independence_test(
                X, targets[selector], selector=selector, adjust=adjust, n_resamples=N_DRAWS,
                random_state=0,
            )  # fmt: skip
            seconds[selector, adjust].append(perf_counter() - start)
    loop = loop_seconds(X, targets["pc"])

    print(f"{N_SAMPLES:,} samples, {N_FEATURES:,} features, {N_DRAWS} permutations")
    print(f"NumPy loop {loop:.0f} s (extrapolated from {N_TIMED} features)")
    print(f"X.T @ Y in float32 {min(product):.3f} s")
    fine = True
    for (selector, adjust), times in seconds.items():
        ratios = {"loop": min(times) / loop, "product": min(times) / min(product)}
        fine &= all(ratios[name] <= limit for name, limit in LIMITS.items())
        print(
            f"{selector} {adjust or 'not adjusted':<15} {min(times):.3f} s"
            f"   1/{1 / ratios['loop']:.0f} of the loop (limit 1/100)"
            f"   {ratios['product']:.2f} times the product (limit 3)"
        )
    print("within the limits" if fine else "NOT within the limits")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
