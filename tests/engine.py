"""How the tests call the core: the one place that knows the full list of growing options."""

import numpy as np

import parts
from inforest import _core

OPTIONS = dict(
    alpha_selector=0.05,
    alpha_splitter=0.05,
    adjust_alpha_selector=True,
    adjust_alpha_splitter=True,
    n_resamples_selector="minimum",
    n_resamples_splitter="minimum",
    early_stopping_selector="curtailed",
    early_stopping_splitter="curtailed",
    early_stopping_confidence_selector=0.95,
    early_stopping_confidence_splitter=0.95,
    feature_muting=True,
    feature_scanning="statistic",
    max_features=None,
    split_tries=1,
    threshold_method="exact",
    threshold_at="midpoint",
    threshold_scanning=True,
    max_thresholds=None,
    splitter_test="threshold",
    max_depth=None,
    min_samples_split=2,
    min_samples_leaf=1,
    min_impurity_decrease=0.0,
    honesty=False,
    honesty_fraction=0.5,
    ties="count",
    strict_level=True,
)
NO_TESTS = dict(n_resamples_selector=None, n_resamples_splitter=None)
PER_TREE = ("draws_selector", "draws_splitter")
NOT_PER_NODE = (*PER_TREE, "offset", "pool_offset", "level_pool", "candidate_counts")

# Every selector of the roster with two classes, three classes or a continuous target: a new one
# is tested as soon as it has a name.
SINGLE_SELECTORS = [
    ([name], n_classes)
    for kind, counts in (("labels", (2, 3)), ("scores", (0,)))
    for name in _core.selector_names(kind)
    for n_classes in counts
]
SELECTOR_LISTS = [
    (["mc", "rdc"], 2),
    (["mc", "mi"], 3),
    (["mc", "quad"], 3),
    (["pc", "dc"], 0),
    (["pc", "rdc"], 0),
    (["pc", "quad"], 0),
]
SELECTORS = SINGLE_SELECTORS + SELECTOR_LISTS


def selector_id(case):
    selectors, n_classes = case
    return f"{'+'.join(selectors)}-{n_classes or 'regression'}"


def fortran(X):
    return np.asfortranarray(X, dtype=np.float64)


def grow(X, y, n_classes=0, *, case_counts=None, keys=None, seeds=(0,), **options):
    """`grow_trees` with every option spelled out; the first selector and splitter."""
    X = fortran(X)
    kind = "labels" if n_classes else "scores"
    given = OPTIONS | {
        "selector": _core.selector_names(kind)[:1],
        "splitter": _core.splitter_names(kind)[0],
    }
    return _core.grow_trees(
        X,
        np.asarray(y, dtype=np.float64),
        n_classes,
        case_counts,
        _core.feature_keys(X) if keys is None else keys,
        np.array(seeds, dtype=np.uint64),
        np.zeros(1, dtype=np.uint8),
        **(given | options),
    )


def tree(arrays, index=0):
    """The arrays of one tree out of the concatenation."""
    begin, end = arrays["offset"][index : index + 2]
    nodes = {k: v[begin:end] for k, v in arrays.items() if k not in NOT_PER_NODE}
    return nodes | {k: arrays[k][index] for k in PER_TREE}


def leaves(X, arrays):
    names = ("offset", "feature", "threshold", "missing_left", "right")
    return _core.apply(fortran(X), **{name: arrays[name] for name in names})


def permutation_test(x, y, n_classes, selectors, **options):
    """One test with the paper's level and the reference rule unless told otherwise."""
    given = dict(tau=0.05, early_stopping=None, confidence=0.95, certify=False, seed=0)
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return parts.core.permutation_test(x, y, n_classes, selectors, **(given | options))


def weights(selectors, seed):
    """The RDC weights of a seed, where a selector needs them."""
    return parts.core.rdc_weights(seed) if "rdc" in selectors else None


# --- Random nodes ---------------------------------------------------------------------------------

COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    # Tenths are not exact in binary: equal sums in another order differ in the last bit.
    "tied": lambda rng, n: rng.choice([0.1, 0.2, 0.7], size=n),
    "two-valued": lambda rng, n: rng.choice([0.1, 0.3], size=n),
}


def column(rng, n, kind):
    """A column of the kind that is not constant."""
    while True:
        x = COLUMNS[kind](rng, n)
        if np.ptp(x) > 0:
            return x


def target(rng, n, n_classes, signal=0.0):
    """Noise plus `signal`, cut at random points where the task asks for classes; not constant."""
    while True:
        y = rng.normal(size=n) + signal
        if n_classes:
            cuts = np.sort(rng.normal(size=n_classes - 1))
            y = np.searchsorted(cuts, y).astype(np.float64)
        if np.ptp(y) > 0:
            return y


def node(rng, n, n_classes, kind, strength=0.0):
    """One column and a target that depends on it more or less."""
    x = column(rng, n, kind)
    return x, target(rng, n, n_classes, strength * (x - x.mean()) / x.std())
