"""Designs with known informative features: 8 + 8 of the recovery study, 8 + 6 of the ablations.

The legacy generator and the order of the draws are part of the recipes: with them, the columns
that are informative are those of the study. Rows are never shuffled.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import make_classification, make_friedman1, make_regression

from inforest_study.dataset import Floats, Kind, Task
from inforest_study.datasets.design import Design, Sample, kinds_of, shuffle_columns


def sparse_classes(
    seed: int, n: int, p: int, informative: int, separation: float, flip: float = 0.0
) -> Sample:
    """Clusters of two classes around the corners of a hypercube; the other columns are noise."""
    X, y = make_classification(
        n_samples=n,
        n_features=p,
        n_informative=informative,
        n_redundant=0,
        n_clusters_per_class=2,
        class_sep=separation,
        flip_y=flip,
        shuffle=False,
        random_state=seed,
    )
    return _shuffled(X, y, informative, seed)


def sparse_linear(seed: int, n: int, p: int, informative: int, noise: float) -> Sample:
    """Make a response that is linear in the informative columns, plus noise."""
    X, y = make_regression(
        n_samples=n,
        n_features=p,
        n_informative=informative,
        noise=noise,
        shuffle=False,
        random_state=seed,
    )
    return _shuffled(X, y, informative, seed)


def friedman(seed: int, task: Task) -> Sample:
    """Friedman's first function of 5 columns; cut at its median for classes."""
    X, y = make_friedman1(n_samples=1000, n_features=100, noise=1.0, random_state=seed)
    return _shuffled(X, _response(y, task), 5, seed)


def heteroscedastic(seed: int) -> Sample:
    """Make a linear response whose noise grows with the size of the first informative column."""
    random = np.random.RandomState(seed)
    X = random.standard_normal((1000, 50))
    beta = random.standard_normal(10)
    noise = random.standard_normal(1000) * (1 + 4 * np.abs(X[:, 0])) * 5
    return _shuffled(X, X[:, :10] @ beta + noise, 10, seed)


def toeplitz(seed: int, task: Task) -> Sample:
    """Draw neighbours that correlate at 0.95; the first 10 columns make the response."""
    p, q = 100, 10
    random = np.random.RandomState(seed)
    lag = np.abs(np.subtract.outer(np.arange(p), np.arange(p)))
    X = random.multivariate_normal(np.zeros(p), 0.95**lag + 1e-6 * np.eye(p), size=1000)
    beta = random.standard_normal(q)
    y = X[:, :q] @ beta + random.standard_normal(1000)
    X, place = shuffle_columns(X, random.permutation(p))
    informative = place[:q]
    return Sample(X, _response(y, task), informative, kinds_of(p, informative))


def redundant(seed: int, task: Task, n_noise: int) -> Sample:
    """Add 20 columns that are linear in the 10 informative ones, next to `n_noise` of noise."""
    n, q, n_redundant = 1000, 10, 20
    random = np.random.RandomState(seed)
    base = random.standard_normal((n, q + n_noise))
    copies = [
        base[:, :q] @ random.standard_normal(q) + 0.1 * random.standard_normal(n)
        for _ in range(n_redundant)
    ]
    y = base[:, :q] @ random.standard_normal(q)
    if task == "regression":
        y = y + random.standard_normal(n)
    p = q + n_noise + n_redundant
    X, place = shuffle_columns(np.column_stack([base, *copies]), random.permutation(p))
    informative, of_copies = place[:q], place[q + n_noise :]
    kinds = kinds_of(p, informative, redundant=of_copies)
    return Sample(X, _response(y, task), informative, kinds)


def with_shadows(sample: Sample, seed: int) -> Sample:
    """Append 20 columns that follow the informative ones but say nothing new."""
    random = np.random.RandomState(seed + 3)
    followed = np.resize(sample.informative, 20)
    shadows = [
        0.9 * sample.X[:, j] + np.sqrt(1 - 0.9**2) * random.standard_normal(len(sample.y))
        for j in followed
    ]
    return _extended(sample, np.column_stack(shadows), "correlated noise")


def with_many_levels(sample: Sample, seed: int) -> Sample:
    """Append 50 columns of noise with 500 levels, which tempt greedy trees."""
    random = np.random.RandomState(seed + 1)
    levels = random.randint(0, 500, size=(len(sample.y), 50)).astype(np.float64)
    return _extended(sample, levels, "explicit noise")


def confounded_classes(seed: int) -> Sample:
    """Two classes, with shadows of the informative columns."""
    return with_shadows(sparse_classes(seed, 1000, 100, 10, separation=1.0), seed)


def confounded_linear(seed: int, noise: float) -> Sample:
    """Make a linear response, with shadows of the informative columns."""
    return with_shadows(sparse_linear(seed, 1000, 100, 10, noise), seed)


def many_levels_classes(seed: int) -> Sample:
    """Two classes, with columns of many levels."""
    return with_many_levels(sparse_classes(seed, 1000, 50, 10, separation=1.0), seed)


def _response(y: Floats, task: Task) -> Floats:
    """Return y itself, or which half of it a sample is in."""
    return y if task == "regression" else (y >= np.median(y)).astype(np.int64)


def _shuffled(X: Floats, y: Floats, informative: int, seed: int) -> Sample:
    """Move the informative columns, which come first, to random places."""
    p = X.shape[1]
    X, place = shuffle_columns(X, np.random.RandomState(seed).permutation(p))
    ids = place[:informative]
    return Sample(X, y, ids, kinds_of(p, ids))


def _extended(sample: Sample, columns: Floats, kind: Kind) -> Sample:
    X = np.hstack([sample.X, columns])
    kinds = np.concatenate([sample.kinds, np.full(columns.shape[1], kind)])
    return Sample(X, sample.y, sample.informative, kinds)


_LAPACK = "Its correlated columns go through LAPACK, so their values differ between platforms."
_SHADOWS = "The columns that are followed do not have variance 1, so the correlation is not 0.9."
_NO_NOISE = "The response has no noise: the two classes are linearly separable."

_Recipe = tuple[int, int, Callable[[int], Sample], str, tuple[str, ...]]

#: n, p, recipe, description and quirks by name.
_CLASSIFICATION: dict[str, _Recipe] = {
    "easy": (
        1000,
        100,
        partial(sparse_classes, n=1000, p=100, informative=10, separation=2.0),
        "10 informative features, class separation 2",
        (),
    ),
    "hard": (
        200,
        1000,
        partial(sparse_classes, n=200, p=1000, informative=5, separation=0.5),
        "5 informative features, class separation 0.5",
        (),
    ),
    "weak": (
        1000,
        100,
        partial(sparse_classes, n=1000, p=100, informative=10, separation=0.1, flip=0.1),
        "10 informative features, class separation 0.1, 10 % of the labels redrawn",
        (),
    ),
    "confounder": (
        1000,
        120,
        confounded_classes,
        "10 informative features, class separation 1, 20 features that follow them",
        (_SHADOWS,),
    ),
    "bias": (
        1000,
        100,
        many_levels_classes,
        "10 informative features, class separation 1, 50 features of noise with 500 levels",
        (),
    ),
    "nonlinear": (
        1000,
        100,
        partial(friedman, task="classification"),
        "Friedman's first function of 5 features, cut at its median",
        (),
    ),
    "toeplitz": (
        1000,
        100,
        partial(toeplitz, task="classification"),
        "10 informative features among neighbours that correlate at 0.95",
        (_LAPACK,),
    ),
    "redundant": (
        1000,
        50,
        partial(redundant, task="classification", n_noise=20),
        "10 informative features, 20 linear in them, 20 of noise",
        (_NO_NOISE,),
    ),
}
_REGRESSION: dict[str, _Recipe] = {
    "easy": (
        1000,
        100,
        partial(sparse_linear, n=1000, p=100, informative=10, noise=1.0),
        "10 informative features, noise 1",
        (),
    ),
    "hard": (
        200,
        500,
        partial(sparse_linear, n=200, p=500, informative=5, noise=10.0),
        "5 informative features, noise 10",
        (),
    ),
    "weak": (
        1000,
        100,
        partial(sparse_linear, n=1000, p=100, informative=10, noise=50.0),
        "10 informative features, noise 50",
        (),
    ),
    "confounder": (
        1000,
        120,
        partial(confounded_linear, noise=1.0),
        "10 informative features, noise 1, 20 features that follow them",
        (),
    ),
    "friedman": (
        1000,
        100,
        partial(friedman, task="regression"),
        "Friedman's first function of 5 features, noise 1",
        (),
    ),
    "heteroscedastic": (
        1000,
        50,
        heteroscedastic,
        "10 informative features, noise 5 times 1 to 1 + 4 |x|",
        (),
    ),
    "toeplitz": (
        1000,
        100,
        partial(toeplitz, task="regression"),
        "10 informative features among neighbours that correlate at 0.95",
        (_LAPACK,),
    ),
    "redundant": (
        1000,
        50,
        partial(redundant, task="regression", n_noise=20),
        "10 informative features, 20 linear in them, 20 of noise",
        (),
    ),
}
_ABLATION_CLASSIFICATION: dict[str, _Recipe] = _CLASSIFICATION | {
    "redundant": (
        1000,
        70,
        partial(redundant, task="classification", n_noise=40),
        "10 informative features, 20 linear in them, 40 of noise",
        (_NO_NOISE,),
    ),
}
_ABLATION_REGRESSION: dict[str, _Recipe] = {
    "friedman": _REGRESSION["friedman"],
    "linear": (
        1000,
        100,
        partial(sparse_linear, n=1000, p=100, informative=10, noise=10.0),
        "10 informative features, noise 10",
        (),
    ),
    "high-p": _REGRESSION["hard"],
    "toeplitz": _REGRESSION["toeplitz"],
    "weak": (
        1000,
        100,
        partial(sparse_linear, n=1000, p=100, informative=10, noise=100.0),
        "10 informative features, noise 100",
        (),
    ),
    "confounder": (
        1000,
        120,
        partial(confounded_linear, noise=10.0),
        "10 informative features, noise 10, 20 features that follow them",
        (),
    ),
}


def _designs(group: str, task: Task, recipes: dict[str, _Recipe]) -> list[Design]:
    return [
        Design(f"{group}-{task}-{name}", task, n, p, make, description, group, quirks)
        for name, (n, p, make, description, quirks) in recipes.items()
    ]


#: Recovery of informative features: one member each, made with the default seed.
RECOVERY = [
    *_designs("synthetic", "classification", _CLASSIFICATION),
    *_designs("synthetic", "regression", _REGRESSION),
]
#: Runtime ablations: a new member for every seed.
ABLATION = [
    *_designs("ablation", "classification", _ABLATION_CLASSIFICATION),
    *_designs("ablation", "regression", _ABLATION_REGRESSION),
]
