"""Does `conditional_test` keep its error rate, and what does it find?

Run `python benchmarks/conditional.py` (hours for all of it) or name designs and sizes:
`python benchmarks/conditional.py --x normal-0.5 absolute --n 600 --runs 100`. In each run features
and y are drawn anew, with seeds of their own; 7 features matter, in 7 ways. The table has, for
q = 0.05, 0.1 and 0.2, the mean share of wrong features among the selected ones with its standard
error; the share of the 7 that is found at 0.1; how often a feature without effect has p <= 0.05;
and the share of features that get no verdict.
"""

import argparse
import time

import numpy as np

from inforest import conditional_test
from inforest.independence.adjustment import fdr_bh

LEVELS = 0.05, 0.1, 0.2
N_TRUE = 7


def autoregressive(rng, n, p, r):
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = r * X[:, j - 1] + np.sqrt(1 - r * r) * X[:, j]
    return X


def absolute(rng, n, p):
    """Every second feature is the absolute value of its neighbour, and noise."""
    X = rng.normal(size=(n, p))
    X[:, 1::2] = 1.2 * np.abs(X[:, 0::2][:, : X[:, 1::2].shape[1]]) + 0.5 * X[:, 1::2]
    return X


def product(rng, n, p):
    """Every third feature is the product of its neighbours, and noise."""
    X = rng.normal(size=(n, p))
    k = X[:, 2::3].shape[1]
    X[:, 2::3] = X[:, 0::3][:, :k] * X[:, 1::3][:, :k] + 0.5 * X[:, 2::3]
    return X


def circle(rng, n, p):
    """Neighbours lie on a circle."""
    angle = rng.uniform(0, 2 * np.pi, size=(n, p // 2))
    X = 0.2 * rng.normal(size=(n, p))
    X[:, 0 : 2 * (p // 2) : 2] += np.cos(angle)
    X[:, 1 : 2 * (p // 2) : 2] += np.sin(angle)
    return X


def blocks(rng, n, p):
    """Five features at a time share a hidden one."""
    hidden = np.repeat(rng.normal(size=(n, -(-p // 5))), 5, axis=1)[:, :p]
    return 0.8 * hidden + 0.6 * rng.normal(size=(n, p))


def mixed(rng, n, p):
    """Numbers, heavy tails, two values, few values."""
    X = autoregressive(rng, n, p, 0.6)
    X[:, 1::4] = np.sinh(1.5 * X[:, 1::4])
    X[:, 2::4] = X[:, 2::4] > 0.3
    X[:, 3::4] = np.round(X[:, 3::4])
    return X


FEATURES = {
    "independent": lambda rng, n, p: rng.normal(size=(n, p)),
    "normal-0.5": lambda rng, n, p: autoregressive(rng, n, p, 0.5),
    "normal-0.8": lambda rng, n, p: autoregressive(rng, n, p, 0.8),
    "blocks": blocks,
    "heavy": lambda rng, n, p: np.sinh(1.5 * autoregressive(rng, n, p, 0.5)),
    "binary": lambda rng, n, p: (autoregressive(rng, n, p, 0.7) > 0).astype(float),
    "mixed": mixed,
    "absolute": absolute,
    "circle": circle,
    "product": product,
}


def signal(X, true):
    """Seven features in seven ways: waves, a product, a square, a step, an edge, a line."""
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    a = [Z[:, j] for j in true]
    f = np.sin(2 * a[0]) + a[1] * a[2] + 0.8 * a[3] ** 2 + 1.2 * (a[4] > 0.3)
    f = f + 1.2 * np.abs(a[5]) + a[6]
    return (f - f.mean()) / f.std()


def response(kind, X, true, rng):
    if kind == "none":
        return rng.normal(size=len(X))
    if kind == "numbers":
        return 1.5 * signal(X, true) + rng.normal(size=len(X))
    latent = 1.5 * signal(X, true) + rng.logistic(size=len(X)) * 0.55
    n_classes = int(kind.split("-")[1])
    edges = np.quantile(latent, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(edges, latent)


def one_run(design, kind, n, p, n_repeats, seed):
    rng = np.random.default_rng(seed)
    X = FEATURES[design](rng, n, p)
    true = np.zeros(p, dtype=bool)
    chosen = rng.choice(p, N_TRUE, replace=False)
    true[chosen] = kind != "none"
    y = response(kind, X, chosen, rng)
    start = time.process_time()
    result = conditional_test(X, y, alpha=max(LEVELS), n_repeats=n_repeats, random_state=seed)
    seconds = time.process_time() - start
    adjusted = fdr_bh(result.p_value)
    share = [np.sum((adjusted <= q) & ~true) / max(1, np.sum(adjusted <= q)) for q in LEVELS]
    power = np.sum((adjusted <= 0.1) & true) / N_TRUE
    refused = np.isin(result.verdict, ["not testable", "doubtful"]).mean()
    return [*share, power, np.mean(result.p_value[~true] <= 0.05), refused, seconds]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--x", nargs="+", choices=FEATURES, default=list(FEATURES))
    parser.add_argument("--y", nargs="+", default=["numbers", "classes-2", "none"])
    parser.add_argument("--n", nargs="+", type=int, default=[300, 600, 2000])
    parser.add_argument("--p", nargs="+", type=int, default=[30])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    print(
        "| X | y | n | p | FDR at 0.05 | at 0.1 | at 0.2 | found at 0.1 | null p <= 0.05"
        " | no verdict | CPU s |\n" + "| --- " * 11 + "|"
    )
    for design in options.x:
        for kind in options.y:
            for n in options.n:
                for p in options.p:
                    size = n, p, options.repeats
                    runs = np.array(
                        [one_run(design, kind, *size, seed) for seed in range(options.runs)]
                    )
                    mean, error = runs.mean(axis=0), runs.std(axis=0) / np.sqrt(len(runs))
                    rates = " | ".join(f"{mean[i]:.3f} ({error[i]:.3f})" for i in range(3))
                    found = "" if kind == "none" else f"{mean[3]:.2f}"
                    print(
                        f"| {design} | {kind} | {n} | {p} | {rates} | {found} | {mean[4]:.3f}"
                        f" | {mean[5]:.3f} | {mean[6]:.1f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
