"""From best to worst: how features of equal importance are ordered."""

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats


def rank(importances: Floats, root_statistic: Floats) -> NDArray[np.intp]:
    """Order features from best to worst; the same input always gives the same order.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
        The larger the better.
    root_statistic : ndarray of shape (n_features,)
        Association of each feature with y on all samples. It orders features of equal importance,
        above all the many that no split uses. What is tied even then keeps the order of the input.

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

    """
    return np.lexsort((-root_statistic, -importances))  # lexsort is stable: index comes last
