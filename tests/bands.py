"""What a statistical test may see by chance: bands that a right engine leaves once in a million.

They are exact (binomial) and every seed is fixed besides. So a test of the right level passes for
good; how wrong a level must be to be noticed is a matter of how many data sets a test looks at.
"""

from scipy.stats import binom, hypergeom

BAND = 1e-6


def assert_count(count, n, p):
    """`count` of `n` events, of which each has the probability `p`."""
    low, high = binom.ppf([BAND / 2, 1 - BAND / 2], n, p)
    assert low <= count <= high, f"{count} of {n} where {low:.0f} to {high:.0f} may be"


def assert_count_at_most(count, n, p, what=""):
    """`count` of `n` events, of which each has at most the probability `p`."""
    high = binom.isf(BAND, n, p)
    assert count <= high, f"{what} {count} of {n} where at most {high:.0f} may be"


def assert_count_at_least(count, n, p):
    """`count` of `n` events, of which each has at least the probability `p`."""
    low = binom.ppf(BAND, n, p)
    assert count >= low, f"{count} of {n} where at least {low:.0f} may be"


def _discordant(one, other):
    """How often only one of two happens. If they are equally likely, a coin decides which."""
    return (one & ~other).sum(), (one != other).sum()


def assert_as_often(one, other):
    """Two events of the same data sets (arrays of bool) have the same probability: McNemar."""
    more, n = _discordant(one, other)
    assert_count(more, n, 0.5)


def assert_no_more_often(one, other):
    """The first of two events of the same data sets is at most as likely as the second."""
    more, n = _discordant(one, other)
    assert_count_at_most(more, n, 0.5)


def assert_more_often(one, other):
    """The first of two events of the same data sets is more likely: chance does not explain it."""
    more, n = _discordant(one, other)
    high = binom.isf(BAND, n, 0.5)
    assert more > high, f"{more} of {n} discordant data sets, where chance explains {high:.0f}"


def assert_same_share(one, other, n):
    """Counts of an event in two runs of `n` each have the same probability: Fisher's exact test."""
    low, high = hypergeom.ppf([BAND / 2, 1 - BAND / 2], 2 * n, one + other, n)
    assert low <= one <= high, f"{one} and {other} of {n}, where {low:.0f} to {high:.0f} may be"
