"""What R's ctree gains over an exact test on a feature with two values, for docs/fairness.md.

Strobl's design, a binary feature and two classes: the probability that a test at 0.05 / 7 rejects,
summed over all tables of two by two, without any simulation. `ctree` takes the tail of chi-square;
the exact test takes that of the permutation distribution and breaks ties by lot. Takes seconds.
"""

from functools import cache

import numpy as np
from fairness_design import N_KINDS, N_ROWS, STRENGTH
from scipy.stats import binom, chi2, hypergeom

LEVEL = 0.05 / N_KINDS


@cache
def rejections(n_first, n_positive):
    """Probabilities of a rejection, by chi-square and by lot, for each count of both."""
    count = np.arange(max(0, n_first + n_positive - N_ROWS), min(n_first, n_positive) + 1)
    mean = n_first * n_positive / N_ROWS
    variance = mean * (N_ROWS - n_first) * (N_ROWS - n_positive) / (N_ROWS * (N_ROWS - 1))
    statistic = (count - mean) ** 2 / variance
    share = hypergeom.pmf(count, N_ROWS, n_first, n_positive)
    above = statistic > statistic[:, None] * (1 + 1e-9)
    tied = np.abs(statistic - statistic[:, None]) <= 1e-9 * statistic[:, None]
    by_lot = np.clip((LEVEL - above @ share) / (tied @ share), 0, 1)
    return count[0], chi2.sf(statistic, 1) <= LEVEL, by_lot


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


def main():
    """Print the level and the power of both tests."""
    print(f"level {LEVEL:.5f}     chi-square  exact, by lot")
    for word, strength in (("noise", 0.0), ("signal", STRENGTH)):
        total = np.zeros(2)
        for n_first, n_positive, count, probability in tables(strength):
            least, asymptotic, by_lot = rejections(n_first, n_positive)
            total += probability * np.array([asymptotic[count - least], by_lot[count - least]])
        print(f"rejects {word:9s} {total[0]:11.5f} {total[1]:14.5f}")


if __name__ == "__main__":
    main()
