"""What `conditional_test` finds beside other ways to select features, on the same tables.

    python benchmarks/conditional_peers.py --write     about 20 minutes of one core
    python benchmarks/conditional_peers.py [--x normal-0.5 absolute mixed] [--n 600] [--runs 20]
    python benchmarks/conditional_peers.py --write --x normal-0.5 --n 1000 --p 100 --true 28 \
        --methods KnockoffSelector conditional_test

Tables are those of `conditional.py`, with 7 features that matter or with a multiple of that. Each
method selects at a false discovery rate of 0.1, or as it does by itself, and puts features in an
order. Printed are the mean share of wrong features among the selected ones, the share of those
that matter that is selected, and, to compare methods at the same rate of errors whatever they
promise: the share in the longest beginning of the method's order in which at most a tenth is
wrong. Boruta and hidimstat take part if they are installed. With `--write` each table and method
is a line of `benchmarks/conditional_peers.csv`, is not computed again, and the table in
`docs/conditional.md` is made from all lines.
"""

import argparse
import csv
import time
import warnings
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from conditional_designs import FEATURES, N_TRUE, RESPONSES, response
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LassoCV
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from inforest import KnockoffSelector, conditional_test, independence_test
from inforest.independence.adjustment import fdr_bh

LEVEL = 0.1
TABLES = ["normal-0.5", "absolute", "mixed", "spam"]
CELL = ["x", "y", "n", "p", "true", "method"]
COLUMNS = [*CELL, "runs", "wrong", "found", "equal", "seconds", "se_wrong", "se_found", "se_equal"]
HERE = Path(__file__).parent
RESULTS = HERE / "conditional_peers.csv"
PAGE = HERE.parent / "docs" / "conditional.md"
MARKS = "<!-- peers: begin -->\n", "<!-- peers: end -->"


def ours(X, y, seed):
    result = conditional_test(X, y, alpha=LEVEL, random_state=seed)
    return result.selected, np.where(result.p_value < 1, result.statistic, -np.inf)


def marginal(X, y, seed):
    result = independence_test(X, y, adjust="fdr_bh", alpha=LEVEL, random_state=seed)
    return result.adjusted_p_value <= LEVEL, result.statistic


def forest_permutation(X, y, seed):
    """Each feature permuted in held-out rows; mean over standard deviation of ten permutations."""
    train, test = train_test_split(np.arange(len(X)), random_state=seed)
    forest = RandomForestRegressor(100, random_state=seed).fit(X[train], y[train])
    found = permutation_importance(forest, X[test], y[test], n_repeats=10, random_state=seed)
    z = found.importances_mean / np.maximum(found.importances_std, 1e-12)
    return fdr_bh(norm.sf(z)) <= LEVEL, z


def lasso(X, y, seed):
    model = LassoCV(random_state=seed).fit(StandardScaler().fit_transform(X), y)
    return model.coef_ != 0, np.abs(model.coef_)


def knockoffs(X, y, seed):
    result = KnockoffSelector(LEVEL, random_state=seed).fit(X, y).result_
    return result.selected, np.nan_to_num(result.gain)


def boruta(X, y, seed):
    from boruta import BorutaPy

    model = BorutaPy(
        RandomForestRegressor(max_depth=5), n_estimators=100, max_iter=50, random_state=seed
    )
    model.fit(X, y)
    return model.support_, -model.ranking_.astype(float)


def hidimstat(X, y, seed):
    from hidimstat import CFI
    from sklearn.linear_model import RidgeCV

    train, test = train_test_split(np.arange(len(X)), random_state=seed)
    forest = RandomForestRegressor(200, random_state=seed).fit(X[train], y[train])
    model = CFI(forest, imputation_model_continuous=RidgeCV(), random_state=seed)
    model.fit(X[train], y[train])
    model.importance(X[test], y[test])
    return fdr_bh(np.asarray(model.pvalues_)) <= LEVEL, np.asarray(model.importances_)


METHODS = {
    "conditional_test": ours,
    "KnockoffSelector": knockoffs,
    "marginal, BH": marginal,
    "forest permutation, BH": forest_permutation,
    "LassoCV": lasso,
}
METHODS |= {"Boruta": boruta} if find_spec("boruta") else {}
METHODS |= {"hidimstat CFI, BH": hidimstat} if find_spec("hidimstat") else {}


def found_at_equal_errors(score, true):
    order = np.argsort(-score, kind="stable")
    right = np.cumsum(true[order])
    wrong_share = 1 - right / np.arange(1, len(true) + 1)
    return right[wrong_share <= LEVEL].max(initial=0) / true.sum()


def one_run(x, y, n, p, n_true, name, seed):
    """Return the wrong share, the found share, that at equal errors, and seconds."""
    rng = np.random.default_rng(seed)
    X = FEATURES[x](rng, n, p)
    chosen = rng.choice(X.shape[1], n_true, replace=False)
    true = np.isin(np.arange(X.shape[1]), chosen)
    values = response(y, X, chosen, rng)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selected, score = METHODS[name](X, values, seed)
    seconds = time.process_time() - start
    wrong = (selected & ~true).sum() / max(1, selected.sum())
    return wrong, (selected & true).sum() / n_true, found_at_equal_errors(score, true), seconds


def run_cell(x, y, n, p, n_true, name, runs):
    found = np.array([one_run(x, y, n, p, n_true, name, seed) for seed in range(runs)])
    error = found.std(axis=0, ddof=1)[:3] / np.sqrt(runs)
    numbers = [f"{v:.4g}" for v in (*found.mean(axis=0), *error)]
    return dict(zip(COLUMNS, [x, y, n, p, n_true, name, runs, *numbers], strict=True))


def table(lines):
    head = "| X | y | n | p | that matter | method | tables | wrong | found"
    rows = [f"{head} | found with a tenth wrong | CPU s |", "| --- " * 11 + "|"]
    rows += [
        f"| {line['x']} | {line['y']} | {line['n']} | {line['p']} | {line['true']}"
        f" | {line['method']} | {line['runs']}"
        f" | {float(line['wrong']):.2f} ({float(line['se_wrong']):.2f})"
        f" | {float(line['found']):.2f} ({float(line['se_found']):.2f})"
        f" | {float(line['equal']):.2f} ({float(line['se_equal']):.2f})"
        f" | {float(line['seconds']):.1f} |"
        for line in lines
    ]
    return "\n".join(rows) + "\n"


def write(lines):
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    before, rest = PAGE.read_text().split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + table(lines) + MARKS[1] + rest.split(MARKS[1])[1])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the results")
    parser.add_argument("--x", nargs="+", choices=FEATURES, default=TABLES)
    parser.add_argument("--y", choices=RESPONSES[:-2], default="mixture")
    parser.add_argument("--n", type=int, default=600)
    parser.add_argument("--p", type=int, default=30)
    parser.add_argument("--true", type=int, default=N_TRUE, help="a multiple of 7")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    lines = {}
    if options.write and RESULTS.exists():
        with RESULTS.open(newline="") as file:
            lines = {tuple(line[name] for name in CELL): line for line in csv.DictReader(file)}
    print(table([]), end="")
    for x, name in product(options.x, options.methods):
        cell = (x, options.y, options.n, options.p, options.true, name)
        key = tuple(map(str, cell))
        if key in lines and int(lines[key]["runs"]) >= options.runs:
            continue
        lines[key] = run_cell(*cell, options.runs)
        print(table([lines[key]]).splitlines()[-1], flush=True)
        if options.write:
            write(sorted(lines.values(), key=lambda line: (int(line["p"]), line["y"], line["x"])))


if __name__ == "__main__":
    main()
