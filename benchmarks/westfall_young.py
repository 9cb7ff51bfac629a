"""Westfall-Young among columns of all kinds: does it find what Holm finds?

Step-down maxT of raw statistics is ruled by rare columns, whose statistics have heavy tails. Two
designs show it, a grid of mixes asks whether anything else is lost: the share of informative
features that is rejected, by Holm with enough draws and by Westfall-Young with 999, the root of
a tree with `adjust_alpha_selector="maxt"`, and the family-wise error among the null features.
"gain" is Westfall-Young's share less Holm's on the same data sets, with its standard error.
"""

import argparse
from collections.abc import Callable
from itertools import product

import numpy as np
from scipy.stats import binomtest

from inforest import (
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    independence_test,
)

Problem = tuple[np.ndarray, np.ndarray, np.ndarray]  # X, y, which features are informative
ALPHA = 0.05


def rare_columns(rng: np.random.Generator, n: int, p: int, ones: int = 6) -> np.ndarray:
    columns = np.zeros((n, p))
    for j in range(p):
        columns[rng.choice(n, ones, replace=False), j] = 1.0
    return columns


def few_positives(rng: np.random.Generator) -> Problem:
    """Six positives of 300, a marker shifted by 1.9 standard deviations, 80 rare columns."""
    y = np.zeros(300, dtype=int)
    y[rng.choice(300, 6, replace=False)] = 1
    X = np.column_stack(
        [rng.normal(size=300) + 1.9 * y, rng.normal(size=(300, 8)), rare_columns(rng, 300, 80)]
    )
    return X, y, np.arange(89) == 0


def one_large_value(rng: np.random.Generator) -> Problem:
    """A number with one value far out, a marker, 60 rare columns."""
    marker = rng.normal(size=300)
    y = 0.6 * marker + rng.normal(size=300)
    y[rng.integers(300)] += 25.0
    X = np.column_stack([marker, rng.normal(size=(300, 8)), rare_columns(rng, 300, 60)])
    return X, y, np.arange(69) == 0


def noise(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Return 40 columns without information."""
    if kind == "continuous":
        return rng.normal(size=(n, 40))
    if kind == "rare":
        return rare_columns(rng, n, 40, max(3, n // 40))
    if kind == "heavy tails":
        return rng.standard_t(1.5, size=(n, 40))
    if kind == "one-hot blocks":
        return np.hstack([np.eye(10)[rng.integers(0, 10, n)] for _ in range(4)])
    factor = rng.normal(size=(n, 1))
    return np.sqrt(0.8) * factor + np.sqrt(0.2) * rng.normal(size=(n, 40))


KINDS = ("continuous", "rare", "heavy tails", "one-hot blocks", "correlated")
RESPONSES = ("half positives", "5 % positives", "normal", "heavy tails")


def mixed(kinds: tuple[str, ...], response: str, strength: float) -> Callable[..., Problem]:
    """Noise of these kinds; one informative continuous and one informative binary column."""

    def make(rng: np.random.Generator) -> Problem:
        n = 150
        columns = [noise(kind, rng, n) for kind in kinds]
        number, binary = rng.normal(size=n), rng.integers(0, 2, n).astype(float)
        signal = strength * (number + 2.0 * (binary - 0.5))
        if response.endswith("positives"):
            share = 0.5 if response.startswith("half") else 0.05
            score = signal + rng.logistic(size=n) / 1.8
            y = (score > np.quantile(score, 1 - share)).astype(int)
        else:
            y = signal + (rng.normal(size=n) if response == "normal" else rng.standard_t(2, size=n))
        X = np.column_stack([number, binary, *columns])
        return X, y, np.arange(X.shape[1]) < 2

    return make


def judge(make: Callable[..., Problem], n_sets: int, seed: int, *, tree: bool) -> dict[str, float]:
    """Return shares over data sets: informative features found, null ones rejected."""
    found = {"holm": 0.0, "westfall-young": 0.0, "maxT root": 0.0}
    errors = {"holm": 0, "westfall-young": 0, "maxT root": 0}
    gains = np.zeros(n_sets)
    for i in range(n_sets):
        X, y, informative = make(np.random.default_rng([seed, i]))
        common = {"random_state": i, "alpha": ALPHA}
        task = "classification" if y.dtype.kind == "i" else "regression"
        rejected = {
            "holm": independence_test(X, y, adjust="holm", task=task, **common).rejected,
            "westfall-young": independence_test(
                X, y, adjust="westfall-young", task=task, n_resamples=999, **common
            ).rejected,
        }
        if tree:
            cls = ConditionalInferenceTreeClassifier
            if task == "regression":
                cls = ConditionalInferenceTreeRegressor
            options = {"adjust_alpha_selector": "maxt", "splitter_test": None, "max_depth": 1}
            fitted = cls(random_state=i, **options).fit(X, y)
            rejected["maxT root"] = np.arange(X.shape[1]) == fitted.tree_.feature[0]
        shares = {name: reject[informative].mean() for name, reject in rejected.items()}
        gains[i] = shares["westfall-young"] - shares["holm"]
        for name, reject in rejected.items():
            found[name] += shares[name]
            errors[name] += bool(reject[~informative].any())
    error = gains.std(ddof=1) / np.sqrt(n_sets) if n_sets > 1 else 0.0
    return (
        {f"found by {name}": count / n_sets for name, count in found.items()}
        | {f"errors of {name}": count / n_sets for name, count in errors.items()}
        | {"gain": gains.mean(), "error": error}
    )


def row(name: str, shares: dict[str, float], *, tree: bool) -> str:
    names = ["holm", "westfall-young"] + (["maxT root"] if tree else [])
    cells = [f"{shares[f'found by {one}']:.3f}" for one in names]
    cells += [f"{shares[f'errors of {one}']:.3f}" for one in names]
    cells += [f"{shares['gain']:+.3f} ({shares['error']:.3f})"]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=20, help="data sets of the two designs")
    parser.add_argument("--grid", type=int, default=100, help="data sets of each mix")
    parser.add_argument("--strengths", type=float, nargs="+", default=[0.35, 0.0])
    options = parser.parse_args()
    print(
        "| design | Holm finds | Westfall-Young | maxT root | Holm errs | W-Y | maxT root | gain |"
    )
    print("|" + " --- |" * 8)
    for seed, make in enumerate([few_positives, one_large_value]):
        shares = judge(make, options.sets, seed, tree=True)
        print(row(make.__name__.replace("_", " "), shares, tree=True), flush=True)
    print(
        "\n| noise | response | strength | Holm finds | Westfall-Young | Holm errs | W-Y | gain |"
    )
    print("|" + " --- |" * 8)
    mixes: list[tuple[str, ...]] = [(kind,) for kind in KINDS] + [KINDS]
    for strength in options.strengths:
        all_shares = []
        for index, (kinds, response) in enumerate(product(mixes, RESPONSES)):
            make = mixed(kinds, response, strength)
            shares = judge(make, options.grid, 100 + index, tree=False)
            name = "all of them" if len(kinds) > 1 else kinds[0]
            print(row(f"{name} | {response} | {strength}", shares, tree=False), flush=True)
            all_shares.append(shares)
        summarise(all_shares, options.grid)


def summarise(all_shares: list[dict[str, float]], n_sets: int) -> None:
    """Print what holds over all mixes of one strength."""
    mean = {name: np.mean([shares[name] for shares in all_shares]) for name in all_shares[0]}
    error = np.sqrt(np.sum([shares["error"] ** 2 for shares in all_shares])) / len(all_shares)
    n_less = sum(shares["gain"] < -2 * shares["error"] for shares in all_shares)
    n_wrong = round(n_sets * sum(shares["errors of westfall-young"] for shares in all_shares))
    test = binomtest(n_wrong, n_sets * len(all_shares), ALPHA, "greater")
    print(
        f"{len(all_shares)} mixes: Holm finds {mean['found by holm']:.4f}, Westfall-Young"
        f" {mean['found by westfall-young']:.4f}, gain {mean['gain']:+.4f} ({error:.4f}), below 0"
        f" by two standard errors in {n_less} mixes; Westfall-Young errs in {test.k:,} of"
        f" {test.n:,} data sets, p that more than {ALPHA} do: {test.pvalue:.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
