"""The C++ core of inforest: functions on arrays."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def selector_names(kind: str) -> list[str]:
    """Names of the Stage A statistics for 'labels' or 'scores'."""

def splitter_names(kind: str) -> list[str]:
    """Names of the Stage B impurities for 'labels' or 'scores'."""

def feature_keys(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    A key per column that depends on its content, not on its place, nor on the numbers of levels.
    """

def column_ranks(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    Place of every value among the distinct ones of its column, column by column.
    """

def columns_with_holes(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """Per column, 1 if any of its values is missing, which is NaN."""

def rare_rows(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
]:
    """
    Of nearly constant columns, the rows that differ from the common value: where each column's list begins, and all lists.
    """

def grow_trees(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    feature_keys: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    *,
    ranks: Annotated[
        NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    holes: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    rare_rows: tuple[
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
    done: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")]
    | None = None,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    class_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    replace: bool = True,
    selector: Sequence[str],
    splitter: str,
    alpha_selector: float,
    alpha_splitter: float,
    adjust_alpha_selector: Any,
    adjust_alpha_splitter: bool,
    n_resamples_selector: Any | None,
    n_resamples_splitter: Any | None,
    early_stopping_selector: str | None,
    early_stopping_splitter: str | None,
    early_stopping_confidence_selector: float,
    early_stopping_confidence_splitter: float,
    feature_muting: bool,
    feature_scanning: Any,
    max_features: Any | None,
    split_tries: int,
    threshold_method: str,
    threshold_at: str,
    threshold_scanning: bool,
    max_thresholds: Any | None,
    splitter_test: str | None,
    max_depth: int | None,
    min_samples_split: int,
    min_samples_leaf: Any,
    min_impurity_decrease: float,
    honesty: bool,
    honesty_fraction: float,
    ties: str,
    strict_level: bool,
    missing: str = "incorporate",
    shortcuts: bool = True,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    kept: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ]
    | None = None,
    kept_y: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    kept_n_classes: int = 0,
) -> dict[str, Any]:
    """
    Grows one tree per seed; returns their nodes as flat arrays. done[0] counts the trees.
    """

def sample_counts(
    n_samples: int,
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seed: int,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """How often each row is in the sample of the tree with this seed."""

def budget(
    n_resamples: Any | None, alpha: float, n_tests: int, adjust: bool, strict_level: bool = True
) -> int:
    """Number of permutations of one test."""

def apply(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    missing_left: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    levels: tuple[
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """Leaf of every sample in every tree, as node ids within the tree."""

def predict(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    missing_left: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    levels: tuple[
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Mean over the trees of the values of each sample's leaves."""

def predict_oob(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    missing_left: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_samples: int,
    begin: int,
    levels: tuple[
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Sums of leaf values over the trees that did not see a row, and the number of those trees.
    """

def permutation_importance(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    missing_left: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    n_repeats: int,
    conditioning_begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    conditioning: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    tree_level: float,
    moves_children: bool,
    random_seed: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    class_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    levels: tuple[
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
    loss: str = "natural",
    time: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    event: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Out-of-bag permutation importance of every feature in every tree."""

def redraw_shift(
    X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu", writable=False)],
    *,
    redrawn: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    drawn: Annotated[
        NDArray[numpy.float64],
        dict(shape=(None, None, None), order="C", device="cpu", writable=False),
    ],
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    missing_left: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    levels: tuple[
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None = None,
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    How far the mean prediction moves, on average over the draws, when features of each row are replaced: drawn[row, draw, k] is a value of the feature redrawn[k].
    """

def leaf_rows(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    honesty: float,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    out_of_bag: bool,
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    Training rows below each node: begin, end and weight of each node's rows; the rows, and their weights. leaf[tree, row] is the leaf of a training row.
    """

def out_of_bag_leaves(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    n_samples: int,
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: int,
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Leaf of each row in each tree, -1 where the tree has seen it; leaf[tree, i] is that of row begin + i.
    """

def forest_weights(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    end: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    total: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    row: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_rows: int,
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    How much each training row speaks for each sample: indptr, indices and data of CSR.
    """

def forest_quantiles(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    end: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    total: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    row: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    level: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Quantiles of `value`, which ascends, under each sample's weights."""

def forest_shares(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    end: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    total: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    row: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_rows: int,
    limit: Annotated[
        NDArray[numpy.int64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """The weight of the rows with numbers below each of a sample's limits."""

def statistics(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    seed: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    missing: str = "incorporate",
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Observed Stage A statistic of every feature on all rows; 0 for a constant feature.
    """

def chi_squares(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    seed: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    missing: str = "incorporate",
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    Of every feature the chi-square statistic and its degrees of freedom, 0 where nothing can be tested.
    """

def tail_scores(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    seed: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    missing: str = "incorporate",
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    How far out every feature's statistic lies in its own permutation distribution, as a normal quantile (-inf for a constant feature), and that distribution's mean and variance.
    """

def tally_draws(
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    seed: int,
    maxima: tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None,
    begin: int,
    end: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    missing: str = "incorporate",
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Exceedances of each feature among the draws begin..end, and those of step-down maxT.
    """

def tally_screened(
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    seed: int,
    maxima: tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ]
    | None,
    begin: int,
    end: int,
    screen: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    observed: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    slack: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """What tally_draws counts, helped by statistics in single precision."""

def unit_columns(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """Centred (and weighed) columns of unit length, one row per feature."""

def sparse_products(
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    responses: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.float32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]:
    """
    Products of sparse columns, centred and of unit length, with rows of permuted scores, and by what factor errors in single precision are larger than those of centred columns.
    """

def permuted_scores(
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    scores: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    seed: int,
    begin: int,
    end: int,
) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """
    The samples' scores under each draw; a row per column of scores and draw.
    """

def test_features(
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    seed: int,
    *,
    n_resamples: int,
    tau: float,
    early_stopping: str | None,
    confidence: float,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    missing: str,
) -> tuple[
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """Exceedances and draws of each feature's own test, stopped by its rule."""

def count_arrangements(
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
    X: Annotated[NDArray, dict(shape=(None, None), device="cpu", writable=False)]
    | tuple[
        Annotated[NDArray, dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        Annotated[
            NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        int,
    ],
    y: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="F", device="cpu", writable=False)
    ],
    n_classes: int,
    selectors: Sequence[str],
    features: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    seed: int,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    blocks: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    n_levels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    missing: str = "incorporate",
) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    How many distinct arrangements of y reach each feature's observed statistic.
    """

def leaf_curves(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    right: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    case_counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    groups: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
    strata: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    quota: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    replace: bool,
    seeds: Annotated[
        NDArray[numpy.uint64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    honesty: float,
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None,
    place: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    event: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    stop: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> dict[str, Any]:
    """
    Event times of the rows of each leaf, with the weight of the events and at risk. `leaf` holds the leaf of every training row, a row per tree.
    """

def curve_jumps(
    begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    events: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    at_risk: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    survival: bool,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    What each event time of a leaf changes in its survival curve, or cumulative hazard.
    """

def predict_curves(
    leaf: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    *,
    offset: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    begin: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    step: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    jump: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    survival: bool,
    n_times: int,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Mean over the trees of the curves of each sample's leaves, at each point of the grid.
    """

def concordance(
    time: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    event: Annotated[
        NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    risk: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    weights: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> tuple[float, float, float]:
    """Weights of the comparable, the concordant and the tied pairs."""
