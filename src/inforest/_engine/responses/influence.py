"""Influence functions: a user's own scores of any response."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.responses.columns import make_scores

Floats = NDArray[np.float64]

#: Scores of the same rows in another order may differ by rounding, relative to their size.
_ROUNDING = 1e-8


def influence_scores(
    influence: Callable[[Floats], Any], y: Floats, weight: Floats | None
) -> Floats:
    """Return the scores of the rows that count, in one unit; 0 for all others.

    Tests permute scores where they should permute responses, which is the same only if a row has
    its score wherever it stands: that is tried with one other order of the rows.
    """
    there = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    found = _checked(influence(y[there].copy()), int(there.sum()))
    backwards = _checked(influence(y[there][::-1].copy()), int(there.sum()))[::-1]
    size = np.abs(found).max(axis=0)
    if (np.abs(found - backwards) > _ROUNDING * size).any():
        raise ValueError(
            "influence must be a function of the responses alone: a row has another score where the"
            " rows are in another order. What belongs to a row, such as an exposure, must be a"
            " column of y, so that it is permuted together with it"
        )
    if not (np.ptp(found, axis=0) > 0).any():
        raise ValueError("influence must tell rows apart; all of them have the same scores")
    scores = np.zeros((len(y), found.shape[1]))
    scores[there] = found
    whitened = make_scores(scores, weight).scores
    return whitened if whitened.shape[1] > 1 else np.ascontiguousarray(whitened[:, 0])


def _checked(scores: Any, n_rows: int) -> Floats:
    """Return the scores as a matrix, or say what is wrong with them."""
    accepted = "influence must return a finite number, or several, per row of y"
    try:
        found = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{accepted}; it returned {type(scores).__name__}") from error
    if found.ndim not in (1, 2) or len(found) != n_rows or found.size == 0:
        raise ValueError(
            f"{accepted}: an array of shape ({n_rows},) or ({n_rows}, q); it returned the shape"
            f" {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"{accepted}; it returned NaN or infinity")
    return found.reshape(n_rows, -1)
