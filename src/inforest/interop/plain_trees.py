"""Trees as other tools can have them: of plain numbers, with classes or numbers in their leaves."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from inforest._engine.arrays import Trees
from inforest.estimators.base import BaseInference


def plain_trees(estimator: Any, tool: str) -> Trees:
    """Return the trees, or say why the tool cannot have them."""
    if not isinstance(estimator, BaseInference):
        raise TypeError(
            f"estimator must be a tree or a forest of inforest; got {type(estimator).__name__}"
        )
    check_is_fitted(estimator)
    if estimator._response_type.has_curves:
        raise ValueError(
            f"{type(estimator).__name__} predicts curves, which {tool} has no form for; classes"
            " and numbers can be handed over"
        )
    trees: Trees = estimator._trees
    if (trees.level_set >= 0).any():
        raise ValueError(
            f"the trees split on categories, and {tool} gets plain numbers only; encode them as"
            " columns of numbers, or fit with categorical_features=None"
        )
    return trees
