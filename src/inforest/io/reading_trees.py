"""The trees of a file, and what their leaves keep."""

from typing import Any

import numpy as np

from inforest._engine.arrays import ARRAYS, DTYPES, STOP_REASONS, Per, Trees
from inforest._engine.boxes import N_NUMBERS
from inforest._engine.curves import LeafCurves, thinned
from inforest._engine.features import Features
from inforest.io.archive import Arrays, demand
from inforest.io.layout import array_of, numbers_in_tree


def read_trees(found: Arrays, features: Features, n_outputs: int) -> Trees:
    """Read the trees and make sure that whoever walks them stays inside and arrives."""
    offset = array_of(found, "offset", None)
    demand(
        len(offset) > 1 and offset[0] == 0 and bool((np.diff(offset) > 0).all()),
        "offset does not ascend from 0",
    )
    n_trees, n_nodes = len(offset) - 1, int(offset[-1])
    n_words = (
        int(array_of(found, "pool_offset", (n_trees + 1,))[-1]) if "pool_offset" in found else 0
    )
    # Arrays that a file leaves out are made as long as it says; so what it holds is as long.
    array_of(found, "feature", (n_nodes,))
    if n_words > 0:
        array_of(found, "level_pool", (n_words,))
    length = {
        Per.NODE: n_nodes,
        Per.TREE: n_trees,
        Per.BORDER: n_trees + 1,
        Per.WORD: n_words,
    }
    for name, about in ARRAYS.items():
        if about.else_like is not None and name not in found and about.else_like in found:
            found = found | {name: found[about.else_like].astype(DTYPES[name])}
        if about.else_value is not None and name not in found:
            plain = np.full(length[about.per], about.else_value, dtype=DTYPES[name])
            found = found | {name: plain}
    knows_missing = "missing_left" in found
    if not knows_missing:  # filled in below, where the children are known
        found = found | {"missing_left": np.zeros(n_nodes, dtype=np.uint8)}
    arrays = {
        name: array_of(found, name, (length[about.per], n_outputs)[: 2 if about.is_table else 1])
        for name, about in ARRAYS.items()
        if about.in_files
    }
    feature = arrays["feature"]
    exists = (feature >= -1) & (feature < features.n_features)
    demand(bool(exists.all()), "a feature does not exist")
    demand(bool((arrays["stop_reason"] < len(STOP_REASONS)).all()), "a stop_reason is unknown")
    for name in ("validated", "missing_left"):
        demand(bool((arrays[name] <= 1).all()), f"{name} is neither 0 nor 1")
    effect = arrays["unseen_effect"]
    demand(bool((np.abs(effect) <= 1).all()), "an unseen_effect is not between -1 and 1")
    demand(bool(np.isfinite(arrays["value"]).all()), "a value is not finite")
    demand(bool(np.isfinite(arrays["impurity"]).all()), "an impurity is not finite")
    demand(bool((arrays["n_samples"] > 0).all()), "a node has no rows")
    for name in ("p_value_feature", "p_value_threshold"):
        p_value = arrays[name]
        fits = np.isnan(p_value) | ((p_value >= 0) & (p_value <= 1))
        demand(bool(fits.all()), f"{name} is not between 0 and 1")
    weight = arrays["weight"]
    demand(bool((np.isfinite(weight) & (weight > 0)).all()), "a node weighs nothing")
    inner = feature >= 0
    parts_levels = arrays["level_set"] >= 0
    no_threshold = np.isnan(arrays["threshold"])
    demand(bool((no_threshold == (parts_levels | ~inner)).all()), "a split has no threshold")
    demand(_are_level_sets(arrays, features), "a set of levels is not what it should be")
    number = numbers_in_tree(offset)
    size = np.repeat(np.diff(offset), np.diff(offset))
    distance = arrays["right"].astype(np.int64)
    # Preorder: the left child is the next node, the right one comes later in the same tree. Every
    # node but the root is the child of one node.
    inside = (distance[inner] >= 2).all() and (number + distance < size)[inner].all()
    demand(bool(inside), "a child is not where it should be")
    node = np.flatnonzero(inner)
    children = np.concatenate([node + 1, node + distance[node]])
    once = np.bincount(children, minlength=n_nodes) == (number > 0)
    demand(bool(once.all()), "a node is not the child of one node")
    if not knows_missing:
        arrays["missing_left"][node] = weight[node + 1] > weight[node + distance[node]]
    arrays["right"] = np.where(inner, number + distance, -1).astype(np.int32)
    left = np.where(inner, number + 1, -1).astype(np.int32)
    return Trees(left=left, **arrays)


def read_boxes(arrays: Arrays, estimator: Any) -> None:
    """Read the box plots of a regression tree's leaves."""
    tree = estimator.tree_
    shape = (tree.n_leaves, estimator.n_outputs_, N_NUMBERS)
    boxes = array_of(arrays, "boxes", shape)
    demand(bool(np.isfinite(boxes).all()), "a box plot is not finite")
    demand(hasattr(type(estimator), "_boxes"), "boxes of what is no regression tree")
    estimator._boxes = np.full((tree.node_count, *shape[1:]), np.nan)
    estimator._boxes[tree.is_leaf] = boxes


def read_curves(arrays: Arrays, estimator: Any, trees: Trees) -> None:
    """Read what leaves keep of censored times."""
    times = array_of(arrays, "event_times", None)
    is_grid = len(times) > 0 and bool(np.isfinite(times).all() and (np.diff(times) > 0).all())
    demand(is_grid, "event_times do not ascend")
    length = array_of(arrays, "curve_length", (trees.node_count,))
    demand(bool((length >= 0).all() and not length[~trees.is_leaf].any()), "a curve has no leaf")
    begin = np.concatenate([[0], np.cumsum(length)])
    shape = (int(begin[-1]),)
    floats = {
        name: arrays[name].astype(np.float64)
        for name in ("curve_events", "curve_at_risk")
        if name in arrays and arrays[name].dtype.kind in "iu"
    }
    time = array_of(arrays, "curve_time", shape)
    events = array_of(arrays | floats, "curve_events", shape)
    at_risk = array_of(arrays | floats, "curve_at_risk", shape)
    demand(bool(((time >= 0) & (time < len(times))).all()), "an event has no time")
    inside = np.isfinite(at_risk) & (events > 0) & (events <= at_risk * (1 + 1e-9))
    demand(bool(inside.all()), "more events than rows at risk")
    estimator._curves = LeafCurves(begin.astype(np.int64), time, events, at_risk, times)
    estimator.event_times_ = times
    estimator.unique_times_ = thinned(times, estimator.time_grid)


def _are_level_sets(arrays: Arrays, features: Features) -> bool:
    """Whether splits of categories, and no others, have sets of the right number of levels."""
    border, pool = arrays["pool_offset"], arrays["level_pool"]
    if border[0] != 0 or (np.diff(border) < 0).any():
        return False
    feature, level_set = arrays["feature"], arrays["level_set"]
    n_levels = np.where(feature < 0, 0, features.n_levels[feature])
    if not np.array_equal(level_set >= 0, n_levels > 0) or (level_set < -1).any():
        return False
    of_tree = np.repeat(np.arange(len(border) - 1), np.diff(arrays["offset"]))
    node = np.flatnonzero(level_set >= 0)
    place = border[of_tree[node]] + level_set[node]
    end = place + 1 + -(-n_levels[node] // 64)
    inside = bool((end <= border[of_tree[node] + 1]).all())
    return inside and np.array_equal(pool[place], n_levels[node].astype(np.uint64))
