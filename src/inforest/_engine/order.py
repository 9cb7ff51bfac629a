"""From best to worst: how features of equal importance are ordered."""

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats

#: What may order features of equal importance; the values of `ranking_ties`.
TIE_ORDERS = ("association", "columns")


def rank(importances: Floats, tie_breaker: Floats | None = None) -> NDArray[np.intp]:
    """Order features from best to worst; the same input always gives the same order.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
        The larger the better.
    tie_breaker : ndarray of shape (n_features,) or None, default=None
        What orders features of equal importance, above all the many that no split uses; the larger
        the better. What is tied even then, or without it, keeps the order of the columns.

    Returns
    -------
    ranking : ndarray of shape (n_features,)
        Indices of the features: `ranking[:k]` are the top k.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest._engine.order import rank
    >>> rank(np.array([0.0, 1.0, 0.0]), np.array([0.1, 0.9, 0.3]))
    array([1, 2, 0])
    >>> rank(np.array([0.0, 1.0, 0.0]))
    array([1, 0, 2])

    """
    keys = [-importances] if tie_breaker is None else [-tie_breaker, -importances]
    return np.lexsort(keys)  # stable: index comes last
