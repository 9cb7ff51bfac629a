"""Asymptotic p-values from the conditional moments of Strasser & Weber (1999)."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from inforest import _core
from inforest._engine.arrays import Floats
from inforest._engine.training_set import TrainingSet

#: Selectors whose square, times n - 1, is the quadratic form of Strasser and Weber.
SELECTORS = ("mc", "pc")


def asymptotic_p_values_of_parts(
    data: TrainingSet, selectors: list[str], seed: int, missing: str
) -> Floats:
    """Return the p-values of features that may be categories or have missing values.

    Of the value, on the rows that have one, it is the p-value of these rows alone; of the absence,
    that of its indicator; of both, the sum of the two statistics, and of their degrees of freedom.
    """
    statistic, degrees = _core.chi_squares(
        **data.test_arguments, selectors=selectors, seed=seed, missing=missing
    )
    return np.where(degrees > 0, chi2.sf(statistic, np.maximum(degrees, 1)), 1.0)


def asymptotic_p_values(
    statistic: Floats,
    n_samples: int,
    n_contrasts: int,
    n_level_contrasts: NDArray[np.intp] | int = 1,
) -> Floats:
    """Return the p-values of correlation ratios or of absolute correlations.

    Given the values of x and y, a random permutation leaves the class means of x with a known
    mean and covariance. The quadratic form of the deviation is (n - 1) R^2, and chi-square with
    K - 1 degrees of freedom in the limit; for a numeric y, (n - 1) r^2 with one. These are the
    p-values of ``partykit::ctree(testtype = "Univariate")``.

    Parameters
    ----------
    statistic : ndarray of shape (n_features,)
        Correlation ratios R, or absolute correlations |r|.
    n_samples : int
        Number of samples.
    n_contrasts : int
        K - 1 with K classes; 1 for a numeric y.
    n_level_contrasts : ndarray of shape (n_features,) or int
        L - 1 of a category with L levels, whose statistic is the correlation ratio of y, or
        Cramer's V; 1 of a number.

    Returns
    -------
    p_value : ndarray of shape (n_features,)
        One p-value per feature; 1 for a statistic of 0.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest.independence.asymptotic import asymptotic_p_values
    >>> asymptotic_p_values(np.array([0.0, 0.5]), n_samples=20, n_contrasts=1).round(4)
    array([1.    , 0.0293])

    """
    levels = np.maximum(n_level_contrasts, 1)
    # The trace of a table is V^2 times the smaller number of contrasts; a number's is R^2 itself.
    smaller = np.where(levels > 1, np.minimum(levels, n_contrasts), 1)
    return chi2.sf((n_samples - 1) * np.square(statistic) * smaller, levels * n_contrasts)
