"""`to_numbers`: a table as converted models take it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Floats
from inforest._engine.training_set import validated
from inforest.estimators.base import BaseInference


def to_numbers(estimator: Any, X: ArrayLike) -> Floats:
    """Return a table as the numbers that a tree or a forest sees, and that converted models take.

    The levels that a category had in `fit` are coded 0, 1, ... in sorted order; levels that it did
    not have there, and missing values, are nan. Dates are days since 1970, durations seconds,
    ordered categories the places of their levels. All other numbers stay what they are.

    Parameters
    ----------
    estimator : tree or forest of this package
        A fitted one.
    X : array-like or data frame of shape (n_samples, n_features)
        A table like the one that it was fitted on.

    Returns
    -------
    numbers : ndarray of shape (n_samples, n_features)
        In double precision.

    Examples
    --------
    >>> import pandas as pd
    >>> from inforest import ConditionalInferenceTreeRegressor
    >>> from inforest.interop import to_numbers
    >>> table = pd.DataFrame({"wood": ["oak", "elm", "oak", "fir"], "age": [30, 12, 25, 8]})
    >>> tree = ConditionalInferenceTreeRegressor(random_state=0).fit(table, [3, 1, 3, 2])
    >>> to_numbers(tree, pd.DataFrame({"wood": ["elm", "oak", "ash"], "age": [9, None, 20]}))
    array([[ 0.,  9.],
           [ 2., nan],
           [nan, 20.]])

    """
    if not isinstance(estimator, BaseInference):
        raise TypeError(
            f"estimator must be a tree or a forest of inforest; got {type(estimator).__name__}"
        )
    check_is_fitted(estimator)
    _, numbers = validated(estimator, X, reset=False)
    return np.ascontiguousarray(numbers)
