"""What R's ctree gains over an exact test on a feature with two values, for docs/fairness.md.

Strobl's design, a binary feature and two classes: the probability that a test at 0.05 / 7 rejects,
summed over all tables of two by two, without any simulation. `ctree` takes the tail of chi-square;
the exact test takes that of the permutation distribution and breaks ties by lot; a default tree
estimates that tail by the 20 / level draws of its budget. Then, on data sets that docs/fairness.md
does not use, how often the roots of ctree and default trees find the feature, and what is left of
the difference once that of the two tests is taken off. Takes half a minute.
"""

import argparse
from functools import cache

import numpy as np
from fairness import root_grower
from fairness_design import KINDS, N_KINDS, N_ROWS, STRENGTH, power
from fairness_peers import ctree_p_values
from scipy.stats import binom, chi2, hypergeom

LEVEL = 0.05 / N_KINDS
BINARY = list(KINDS).index("2 values")
#: A tree's budget, and the most of its draws that may exceed.
N_DRAWS, MOST = round(20 / LEVEL) - 1, 19
#: Where among its ties a statistic stands: the middles of as many equal parts.
LOTS = (np.arange(64) + 0.5) / 64
#: Data sets before it are those of docs/fairness.md.
FIRST_SEED = 2_000


@cache
def rejections(n_first, n_positive):
    """Return how likely chi-square, the exact test and draws reject, for each count of both."""
    count = np.arange(max(0, n_first + n_positive - N_ROWS), min(n_first, n_positive) + 1)
    mean = n_first * n_positive / N_ROWS
    variance = mean * (N_ROWS - n_first) * (N_ROWS - n_positive) / (N_ROWS * (N_ROWS - 1))
    statistic = (count - mean) ** 2 / variance
    share = hypergeom.pmf(count, N_ROWS, n_first, n_positive)
    above = statistic > statistic[:, None] * (1 + 1e-9)
    tied = np.abs(statistic - statistic[:, None]) <= 1e-9 * statistic[:, None]
    above, tied = above @ share, tied @ share
    exact = np.clip((LEVEL - above) / tied, 0, 1)
    drawn = binom.cdf(MOST, N_DRAWS, np.minimum(above[:, None] + np.outer(tied, LOTS), 1)).mean(1)
    return count[0], chi2.sf(statistic, 1) <= LEVEL, exact, drawn


def tables(strength):
    """Yield the margins, the count of both, and the probability of all tables that can reject."""
    for n_first in range(1, N_ROWS):
        z = np.sqrt((N_ROWS - n_first) / n_first)  # the standardised ranks of the two values
        first = binom.pmf(np.arange(n_first + 1), n_first, (1 + strength * z) / 2)
        other = np.arange(N_ROWS - n_first + 1)
        rest = binom.pmf(other, N_ROWS - n_first, (1 - strength / z) / 2)
        both = binom.pmf(n_first, N_ROWS, 0.5) * np.outer(first, rest)
        for i, j in np.argwhere(both > 1e-15):
            if 0 < i + j < N_ROWS:
                yield n_first, int(i + j), int(i), both[i, j]


def by_draws(X, y):
    """Return the probability that a tree's test of the binary feature rejects."""
    is_one = X[:, BINARY] == 1
    least, *_, drawn = rejections(int(is_one.sum()), int(y.sum()))
    return drawn[int(y[is_one].sum()) - least]


def print_roots(n):
    """Print how often roots find the feature, and what the two tests do not explain of it."""
    seeds = range(FIRST_SEED, FIRST_SEED + n)
    data = [power("classification", BINARY, seed) for seed in seeds]
    p = ctree_p_values(data)
    ctree = (p.argmin(axis=1) == BINARY) & (p.min(axis=1) <= LEVEL)
    grow = root_grower("classification", None)
    ours = [grow(*one, seed).feature[0] == BINARY for seed, one in zip(seeds, data, strict=True)]
    difference = np.subtract(ours, ctree, dtype=float)
    tests = np.array([by_draws(*one) for one in data]) - (p[:, BINARY] <= LEVEL)
    print(f"{n:,} data sets: ctree {ctree.mean():.4f}, default tree {np.mean(ours):.4f}")
    for word, found in (("difference", difference), ("without that of tests", difference - tests)):
        print(f"{word:22s} {found.mean():+.4f} (s.e. {found.std() / np.sqrt(n):.4f})")


def main():
    """Print the level and the power of both tests, and of trees."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=60_000, help="data sets that trees grow on")
    arguments = parser.parse_args()
    print(f"level {LEVEL:.5f}     chi-square  exact, by lot  by draws")
    for word, strength in (("noise", 0.0), ("signal", STRENGTH)):
        total = np.zeros(3)
        for n_first, n_positive, count, probability in tables(strength):
            least, *tests = rejections(n_first, n_positive)
            total += probability * np.array([rejects[count - least] for rejects in tests])
        print(f"rejects {word:9s} {total[0]:11.5f} {total[1]:14.5f} {total[2]:9.5f}")
    print_roots(arguments.sets)


if __name__ == "__main__":
    main()
