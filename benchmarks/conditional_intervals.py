"""How often do the intervals of `importance_intervals` hold what they are to hold?

    python benchmarks/conditional_intervals.py --write        a few minutes of one core

8 independent features, 7 of which matter ("mixture" of `conditional.py`), a number as response,
90 % intervals. Two truths: what forests lose without a feature, the mean over 40 forests grown on
other rows, as many as the folds have, and tested on 4,000; and what the best model would lose,
which is known here. Counted is the share of intervals that have the one and the other in them, for
features that matter and for the one that does not. With `--write` the table of
`docs/conditional.md` is made.
"""

import argparse
from pathlib import Path

import numpy as np
from conditional_designs import N_TRUE, SIGNALS

from inforest import ConditionalInferenceForestRegressor, importance_intervals

PAGE = Path(__file__).parent.parent / "docs" / "conditional.md"
MARKS = "<!-- intervals: begin -->\n", "<!-- intervals: end -->"
P, LEVEL, FOLDS, TREES, STRENGTH = N_TRUE + 1, 0.9, 5, 50, 1.5
FORESTS, TEST = 40, 4_000


def signal(X):
    """Return what X says of y, with the standard deviation `STRENGTH`."""
    return STRENGTH * (SIGNALS["mixture"](X.T) - MEAN) / SPREAD


_MANY = SIGNALS["mixture"](np.random.default_rng(99).normal(size=(P, 1_000_000)))
MEAN, SPREAD = _MANY.mean(), _MANY.std()
VARIANCE = STRENGTH**2 + 1


def draw(n, rng):
    X = rng.normal(size=(n, P))
    return X, signal(X) + rng.normal(size=n)


def of_the_best():
    """Half the mean squared change of the signal when one feature is drawn anew."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400_000, P))
    found = np.empty(P)
    for j in range(P):
        other = X.copy()
        other[:, j] = rng.normal(size=len(X))
        found[j] = np.mean((signal(X) - signal(other)) ** 2) / 2 / VARIANCE
    return found


def of_forests(n):
    lost = np.empty((FORESTS, P))
    for k in range(FORESTS):
        rng = np.random.default_rng([n, k])
        X, y = draw(n, rng)
        X_test, y_test = draw(TEST, rng)
        errors = []
        for j in [None, *range(P)]:
            seen = [i for i in range(P) if i != j]
            forest = ConditionalInferenceForestRegressor(TREES, max_features=None, random_state=k)
            forest.fit(X[:, seen], y)
            errors.append(np.mean((y_test - forest.predict(X_test[:, seen])) ** 2))
        lost[k] = (np.array(errors[1:]) - errors[0]) / VARIANCE
    return lost.mean(axis=0)


def one_size(n, runs):
    """Return the table's line: shares of intervals with both truths, and mean widths."""
    truths = np.array([of_forests((FOLDS - 1) * n // FOLDS), of_the_best()])
    held, width = np.empty((runs, 2, P)), np.empty((runs, P))
    for seed in range(runs):
        X, y = draw(n, np.random.default_rng(seed))
        found = importance_intervals(
            X, y, level=LEVEL, n_folds=FOLDS, n_estimators=TREES, random_state=seed
        )
        held[seed] = (found.low <= truths) & (truths <= found.high)
        width[seed] = found.high - found.low
    entries = [n, runs]
    for which in (slice(0, N_TRUE), slice(N_TRUE, P)):
        for k in range(2):
            each = held[:, k, which].mean(axis=1)
            error = each.std(ddof=1) / np.sqrt(runs)
            entries.append(f"{each.mean():.2f} ({error:.2f})")
    entries += [f"{truths[k, :N_TRUE].mean():.3f}" for k in range(2)]
    entries += [f"{truths[0, N_TRUE]:.4f}", f"{width[:, :N_TRUE].mean():.3f}"]
    return "| " + " | ".join(map(str, entries)) + " |"


HEAD = (
    "| n | runs | features that matter: forests' loss held | best model's loss held"
    " | feature without effect: forests' loss held | best model's loss (0) held"
    " | mean loss, forests | best model | of no effect, forests | mean width |\n"
    + "| --- " * 10
    + "|"
)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    parser.add_argument("--n", nargs="+", type=int, default=[200, 600])
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    print(HEAD)
    lines = [HEAD]
    for n in options.n:
        lines.append(one_size(n, options.runs))
        print(lines[-1], flush=True)
    if options.write:
        before, rest = PAGE.read_text().split(MARKS[0])
        table = "\n".join(lines) + "\n"
        PAGE.write_text(before + MARKS[0] + table + MARKS[1] + rest.split(MARKS[1])[1])


if __name__ == "__main__":
    main()
