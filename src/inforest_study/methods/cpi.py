"""Conditional permutation importance: a feature is permuted among rows alike in related features.

Related are features whose absolute correlation on the held-out rows is at least 0.5, as the paper
says; the authors' code asks for more than 0.5. Rows are alike if they are in the same fifth of
every related feature. The authors' code numbers these cells, and the number overflows with more
than 27 related features; here the cells are keys of a dictionary. With many related features nearly
every row is alone in its cell even so, and the importance is 0: that is the method.
"""

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task
from inforest_study.method import Method, Parameters, Ranked
from inforest_study.methods._held_out import CONFIG, Strata, held_out_seconds, rank_by_permutation


def rank(
    X: Floats,
    y: NDArray[np.generic],
    task: Task,
    parameters: Parameters,
    random_state: int,
    n_jobs: int,
) -> Ranked:
    """Rank by the mean drop of the held-out score."""
    threshold, n_bins = parameters["threshold"], parameters["n_bins"]
    return rank_by_permutation(
        X, y, task, parameters, random_state, n_jobs, lambda X: strata(X, threshold, n_bins)
    )


def strata(X: Floats, threshold: float, n_bins: int) -> Strata:
    """Return what tells the rows apart that agree in all features related to a given one.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The held-out rows.
    threshold : float
        Least absolute correlation of related features.
    n_bins : int
        Number of bins of equal frequency per feature.

    Returns
    -------
    strata : callable
        Takes a feature, returns the stratum of each row; all rows are one stratum for a feature
        without relatives.

    """
    centred = X - X.mean(axis=0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    varies = length > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    unit = np.where(varies, centred / np.where(varies, length, 1.0), 0.0)
    edges = np.percentile(X, np.linspace(0, 100, n_bins + 1)[1:-1], axis=0)
    bins = np.stack([edge < X for edge in edges]).sum(axis=0, dtype=np.uint8)

    def strata_of(feature: int) -> NDArray[np.intp]:
        related = np.abs(unit[:, feature] @ unit) >= threshold
        related[feature] = False
        number: dict[bytes, int] = {}
        cells = np.ascontiguousarray(bins[:, related])
        return np.array([number.setdefault(row.tobytes(), len(number)) for row in cells])

    return strata_of


_CONFIG = {**CONFIG, "threshold": 0.5, "n_bins": 5}


METHOD = Method(
    name="CPI",
    configs={"classification": {"default": _CONFIG}, "regression": {"default": _CONFIG}},
    selected={"classification": "default", "regression": "default"},
    rank=rank,
    cost_hint=lambda n, p, n_classes: 1.5 * held_out_seconds(n, p, n_classes),
)
