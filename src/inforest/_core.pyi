from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def selector_names(task: str) -> list[str]:
    """Names of the selectors of a task, "classification" or "regression"."""

def splitter_names(task: str) -> list[str]:
    """Names of the splitters of a task, "classification" or "regression"."""

def feature_keys(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F", writable=False)],
) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """Hash of each column's content: candidate sampling does not depend on column order."""

def statistics(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    n_classes: int,
    selectors: Sequence[str],
    seed: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Observed Stage A statistic of each feature on all rows; 0 for a constant feature."""

def rdc_weights(seed: int) -> Annotated[NDArray[numpy.float64], dict(shape=(4, 10))]:
    """Random projections of the rdc selector: w0 and w1 of x, then of y."""

def permutation_test(
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    n_classes: int,
    selectors: Sequence[str],
    *,
    n_resamples: int,
    tau: float,
    early_stopping: str | None,
    confidence: float,
    certify: bool,
    seed: int,
) -> dict[str, Any]:
    """Stage A test of one column: statistic, p_value, n_exceedances, n_draws, rejected."""

def thresholds(
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    *,
    method: str,
    max_thresholds: int | float | str | None,
    min_samples_leaf: int,
    seed: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Admissible thresholds of one column, ascending, one for each partition."""

def split_impurities(
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    n_classes: int,
    splitter: str,
    thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Weighted child impurity of each threshold; x <= threshold goes left."""

def impurity(
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    n_classes: int,
    splitter: str,
) -> float:
    """Impurity of one node."""

def two_class_tail(n_left: int, n_ones: int, n: int, ones_left: int, splitter: str) -> float:
    """Exact permutation p-value of a two-class threshold; ties count."""

def budget(n_resamples: int | str, alpha: float, n_tests: int, adjust: bool) -> int:
    """Number of draws B of one test."""

def grow_trees(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    n_classes: int,
    case_counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", writable=False)]
    | None,
    feature_keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", writable=False)],
    seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order="C", writable=False)],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(1,), order="C")],
    *,
    selector: Sequence[str],
    splitter: str,
    alpha_selector: float,
    alpha_splitter: float,
    adjust_alpha_selector: bool,
    adjust_alpha_splitter: bool,
    n_resamples_selector: int | str | None,
    n_resamples_splitter: int | str | None,
    early_stopping_selector: str | None,
    early_stopping_splitter: str | None,
    early_stopping_confidence_selector: float,
    early_stopping_confidence_splitter: float,
    feature_muting: bool,
    feature_scanning: bool,
    max_features: int | float | str | None,
    threshold_method: str,
    threshold_scanning: bool,
    max_thresholds: int | float | str | None,
    splitter_test: str | None,
    max_depth: int | None,
    min_samples_split: int,
    min_samples_leaf: int,
    min_impurity_decrease: float,
    honesty: bool,
    honesty_fraction: float,
) -> dict[str, NDArray[Any]]:
    """Grow one tree for each seed; returns the arrays of all trees, one after the other."""

def apply(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), writable=False)],
    offset: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", writable=False)],
    feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", writable=False)],
    threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", writable=False)],
    left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", writable=False)],
    right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", writable=False)],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """Leaf of each row in each tree, as a node id within the tree."""
