"""`to_onnx`: trees and forests as ONNX models in double precision."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from inforest._engine.arrays import Trees
from inforest._engine.table import ColumnSelector
from inforest.interop.plain_trees import levels_left, plain_trees, trees_of

#: The version of ONNX's operators for machine learning that knows trees in double precision.
_ML, _ML_VERSION, _VERSION = "ai.onnx.ml", 5, 21
#: The last one that skl2onnx knows; and the name of what goes from one step to the next.
_SKL2ONNX_ML, _BETWEEN = 3, "inforest_input"
#: The version of the format that has these operators, for older runtimes.
_IR_VERSION = 10
_LESS_OR_EQUAL, _MEMBER = 0, 6
_SUM, _NO_TRANSFORM = 1, 0


def to_onnx(estimator: Any, *, input_name: str = "X") -> Any:
    """Return a tree or a forest as an ONNX model, in double precision throughout.

    Input is a tensor of doubles, missing values are nan; `to_numbers` makes them of a table with
    categories. Give it doubles: numbers that were rounded
    to single precision go down other branches where they are close to a threshold.

    Parameters
    ----------
    estimator : tree, forest, or pipeline that ends with one
        A fitted one for classes or numbers. Of ordered classes it is the most probable one. Of a
        pipeline, `FeatureSelector`, `PermutationFilter` and `ConditionalSelector` are converted,
        too, and all other steps by skl2onnx; its trees must split on plain numbers.
    input_name : str, default="X"
        The name of the input.

    Returns
    -------
    model : onnx.ModelProto
        Outputs: "variable" of shape (rows, outputs) for numbers; "label" of shape (rows,) and
        "probabilities" of shape (rows, classes) for classes. Needs a runtime with version 5 of
        ai.onnx.ml, such as onnxruntime 1.27 or later.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.interop import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0).fit(X, y)
    >>> model = to_onnx(forest)  # doctest: +SKIP
    >>> [output.name for output in model.graph.output]  # doctest: +SKIP
    ['label', 'probabilities']

    """
    import onnx
    from onnx import TensorProto, helper

    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        return _of_pipeline(estimator, input_name)
    double = TensorProto.DOUBLE
    nodes, constants, n_outputs = _graph(estimator, input_name)
    names = _outputs(estimator)
    shapes = {"variable": [None, n_outputs], "probabilities": [None, n_outputs], "label": [None]}
    types = {"variable": double, "probabilities": double, "label": _label_type(estimator)}
    graph = helper.make_graph(
        nodes,
        type(estimator).__name__,
        [helper.make_tensor_value_info(input_name, double, [None, estimator.n_features_in_])],
        [helper.make_tensor_value_info(name, types[name], shapes[name]) for name in names],
        constants,
    )
    opsets = [helper.make_opsetid("", _VERSION), helper.make_opsetid(_ML, _ML_VERSION)]
    model = helper.make_model(graph, producer_name="inforest", opset_imports=opsets)
    model.ir_version = min(model.ir_version, _IR_VERSION)
    onnx.checker.check_model(model)
    return model


def _of_pipeline(pipeline: Pipeline, input_name: str) -> Any:
    """Return a pipeline as one model: each part takes what the one before it has made.

    Steps that are not ours become parts through skl2onnx, as many at once as follow each other.
    It knows neither our selectors nor trees in double precision: it stops at version 3 of the
    operators.
    """
    from onnx import compose

    plain_trees(pipeline[-1], "a pipeline in ONNX")
    is_ours = [isinstance(step, ColumnSelector) for step in pipeline]
    cuts = [i for i in range(1, len(pipeline) - 1) if is_ours[i] or is_ours[i - 1]]
    bounds = [0, *cuts, len(pipeline) - 1]
    width: int | None = pipeline.n_features_in_
    model = None
    for number, (begin, end) in enumerate(pairwise(bounds)):
        source = _BETWEEN if number else input_name
        part = _selection(pipeline[begin], source) if is_ours[begin] else None
        if part is None:
            part = _of_other_steps(pipeline[begin:end], source, width)
        width = getattr(pipeline[end], "n_features_in_", None)
        part = compose.add_prefix(part, f"part{number}_", rename_inputs=False)
        model = part if model is None else _joined(model, part)
    return _joined(model, to_onnx(pipeline[-1], input_name=_BETWEEN))


def _joined(first: Any, second: Any) -> Any:
    from onnx import compose

    between = [(first.graph.output[0].name, _BETWEEN)]
    return compose.merge_models(first, second, io_map=between, producer_name="inforest")


def _selection(selector: Any, source: str) -> Any:
    """Return the model that takes the columns that a selector has kept."""
    from onnx import TensorProto, helper, numpy_helper

    kept = np.flatnonzero(selector.get_support()).astype(np.int64)
    double, n_features = TensorProto.DOUBLE, selector.n_features_in_
    graph = helper.make_graph(
        [helper.make_node("Gather", [source, "kept"], ["selected"], axis=1)],
        type(selector).__name__,
        [helper.make_tensor_value_info(source, double, [None, n_features])],
        [helper.make_tensor_value_info("selected", double, [None, len(kept)])],
        [numpy_helper.from_array(kept, "kept")],
    )
    opsets = [helper.make_opsetid("", _VERSION), helper.make_opsetid(_ML, _ML_VERSION)]
    model = helper.make_model(graph, producer_name="inforest", opset_imports=opsets)
    model.ir_version = min(model.ir_version, _IR_VERSION)
    return model


def _of_other_steps(steps: Pipeline, source: str, width: int | None) -> Any:
    """Return steps of scikit-learn as skl2onnx converts them, with the operators of our trees."""
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import DoubleTensorType

    model = convert_sklearn(
        steps,
        initial_types=[(source, DoubleTensorType([None, width]))],
        target_opset={"": _VERSION, _ML: _SKL2ONNX_ML},
    )
    for opset in model.opset_import:  # what these operators are has not changed since
        opset.version = _ML_VERSION if opset.domain == _ML else _VERSION
    if all(opset.domain != _ML for opset in model.opset_import):
        opset = model.opset_import.add()
        opset.domain, opset.version = _ML, _ML_VERSION
    model.ir_version = min(model.ir_version, _IR_VERSION)
    return model


def _outputs(estimator: Any) -> list[str]:
    return ["label", "probabilities"] if hasattr(estimator, "classes_") else ["variable"]


def _label_type(estimator: Any) -> int | None:
    """Return ONNX's type for the labels: whole numbers, or words."""
    from onnx import TensorProto

    if not hasattr(estimator, "classes_"):
        return None
    classes = estimator.classes_
    kind = classes.dtype.kind
    is_text = kind == "U" or (kind == "O" and all(isinstance(one, str) for one in classes))
    if not is_text and kind not in "iub":
        raise ValueError(
            f"classes must be words or whole numbers, as ONNX has labels; got {classes[:3]!r}"
        )
    found: int = TensorProto.STRING if is_text else TensorProto.INT64
    return found


def _graph(estimator: Any, source: str) -> tuple[list[Any], list[Any], int]:
    """Return nodes, constants, and how many numbers come out."""
    from onnx import helper, numpy_helper

    trees = trees_of(estimator, "ONNX")
    n_values = trees.value.shape[1]
    is_classifier = hasattr(estimator, "classes_")
    if getattr(estimator, "prediction", None) == "median":
        raise ValueError("prediction='median' has no form in ONNX; prediction='mode' has")
    sums = "probabilities" if is_classifier else "variable"
    nodes = [
        helper.make_node(
            "TreeEnsemble", [source], [sums], domain=_ML, **_attributes(trees, n_values)
        )
    ]
    constants = []
    if is_classifier:
        is_text = _label_type(estimator) == _string()
        labels = np.array(estimator.classes_, dtype=object if is_text else np.int64)
        constants.append(numpy_helper.from_array(labels, "classes"))
        nodes += [
            helper.make_node("ArgMax", [sums], ["best"], axis=1, keepdims=0),
            helper.make_node("Gather", ["classes", "best"], ["label"]),
        ]
    return nodes, constants, n_values


def _string() -> int:
    from onnx import TensorProto

    found: int = TensorProto.STRING
    return found


def _attributes(trees: Trees, n_values: int) -> dict[str, Any]:
    """Return the attributes of a TreeEnsemble.

    A leaf of it has one number for one target: trees with several numbers are there as often. Inner
    nodes and leaves are numbered by themselves; a tree that is a leaf is a node with it twice.
    """
    from onnx import numpy_helper

    inner = ~trees.is_leaf
    roots = trees.offset[:-1]
    # Stumps have a node, too: all rows go to its only leaf.
    has_node = inner.copy()
    has_node[roots] = True
    node_of = np.cumsum(has_node) - 1
    leaf_of = np.cumsum(~inner) - 1
    begin = np.repeat(trees.offset[:-1], np.diff(trees.offset))
    place = np.flatnonzero(has_node)
    is_stump = trees.is_leaf[place]
    children = [
        np.where(is_stump, place, begin[place] + side[place]) for side in (trees.left, trees.right)
    ]
    to_leaf = [trees.is_leaf[child] for child in children]
    n_nodes, n_leaves = len(place), int((~inner).sum())
    target = np.repeat(np.arange(n_values), n_leaves)

    def ids(child: NDArray[Any], is_leaf: NDArray[np.bool_]) -> list[int]:
        copies = [
            np.where(is_leaf, leaf_of[child] + k * n_leaves, node_of[child] + k * n_nodes)
            for k in range(n_values)
        ]
        return np.concatenate(copies).tolist()

    def each(values: NDArray[Any]) -> NDArray[Any]:
        return np.tile(values, n_values)

    splits = np.where(is_stump, 0.0, trees.threshold[place])
    left = levels_left(trees)
    members = [left.get(node, np.empty(0)) for node in place.tolist()]
    # A set in this format has members. Where ours has none, a threshold does: codes begin at 0.
    splits[np.isnan(splits)] = -1.0
    has_members = np.array([len(codes) > 0 for codes in members])
    modes = np.where(has_members, _MEMBER, _LESS_OR_EQUAL).astype(np.uint8)
    leaf_values = trees.value[~inner].T.reshape(-1) / trees.n_trees
    return {
        "aggregate_function": _SUM,
        "post_transform": _NO_TRANSFORM,
        "n_targets": n_values,
        "tree_roots": np.concatenate(
            [node_of[roots] + k * n_nodes for k in range(n_values)]
        ).tolist(),
        "nodes_modes": numpy_helper.from_array(each(modes), "modes"),
        **_membership(members, n_values),
        "nodes_featureids": each(np.where(is_stump, 0, trees.feature[place])).tolist(),
        "nodes_splits": numpy_helper.from_array(each(splits).astype(np.float64), "splits"),
        "nodes_truenodeids": ids(children[0], to_leaf[0]),
        "nodes_trueleafs": each(to_leaf[0].astype(int)).tolist(),
        "nodes_falsenodeids": ids(children[1], to_leaf[1]),
        "nodes_falseleafs": each(to_leaf[1].astype(int)).tolist(),
        "nodes_missing_value_tracks_true": each(trees.missing_left[place].astype(int)).tolist(),
        "leaf_targetids": target.tolist(),
        "leaf_weights": numpy_helper.from_array(leaf_values.astype(np.float64), "leaves"),
    }


def _membership(members: list[NDArray[Any]], n_copies: int) -> dict[str, Any]:
    """Return the sets of the nodes that have one, in their order, a nan after each."""
    from onnx import numpy_helper

    parts = [[*codes, np.nan] for codes in members if len(codes)]
    if not parts:
        return {}
    values = np.tile(np.concatenate(parts), n_copies)
    return {"membership_values": numpy_helper.from_array(values, "members")}
