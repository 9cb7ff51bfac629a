"""The estimator that ranks: the default forest, seeds for any, and reading an order off a fit."""

from collections.abc import Collection
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from inforest._engine.arrays import Floats
from inforest._engine.columns import Columns, arrow_table, is_frame
from inforest._engine.design import Design
from inforest._engine.features import Encoded
from inforest._engine.responses import (
    ResponseType,
    check_there,
    declared_type,
    find_response_type,
    of_estimator,
    of_task,
    refuse_times,
)
from inforest._engine.screen import warn_of_doubtful
from inforest._engine.table import Table, reads_encoded
from inforest._engine.training_set import has_columns, table_options, validated
from inforest.estimators.base_forest import FORESTS
from inforest.independence.result import IndependenceResult
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.ranking import Ranking

#: Trees of the default forest: more than for prediction, because rankings settle later.
N_TREES = 500
_SHARED = {
    "selector": "quad",
    "max_features": (1 / 3, 500),
    "alpha_selector": 0.5,
    "n_resamples_selector": "minimum",
    "splitter_test": None,
    "importance_type": "unseen_effect",
    "learning_rate": 0.6,
}
_TESTED = {
    "max_features": "sqrt",
    "alpha_selector": 0.05,
    "n_resamples_selector": "auto",
    "splitter_test": "max",
    "importance_type": "split",
}
_OF_RANKER = ("n_rounds", "learning_rate", "redundancy")
#: What scores are called that redundancy has discounted.
ADDED = "added importance"
#: What scores are called that can be discounted.
SCORE_NAMES = ("importance", "|coefficient|")
_SEEDS = ("random_state", "random_seed")
_ACCEPTED = (
    "`ranking_` (indices of the features from best to worst, or places counted from 1),"
    " `feature_importances_` or `coef_`"
)


@dataclass(frozen=True, eq=False)
class Reading:
    """What a fitted estimator says about its features, under the names that `Ranking` uses."""

    order: NDArray[np.intp]
    scores: Floats
    score_name: str
    tie_breaker: Floats | None = None
    nearest: NDArray[np.intp] | None = None
    explained: Floats | None = None


def ranking_settings(response_type: ResponseType) -> dict[str, Any]:
    """Return what the study of rankings found best for predictions from few features.

    See docs/ranking.md. What concerns forests is their own default; written out, because the study
    records what it ran.
    """
    return {**_SHARED, **response_type.forest_defaults, **response_type.ranking}


def screening_settings(response_type: ResponseType) -> dict[str, Any]:
    """Return the settings of a forest that splits only where both tests reject."""
    own = {"selector": response_type.selectors[0], "min_samples_leaf": response_type.least_leaf}
    return {**_TESTED, **own}


def response_type_of(task: str, models: list[Any], y: Any) -> ResponseType:
    """Return the type: as named, else that of the first model that has one, else as y looks."""
    if task == "auto":
        for model in map(inner_forest, models):
            found = None if model is None else of_estimator(model)
            if found is not None:
                return found
    return find_response_type(task, None, y)


def read_response(task: str, models: list[Any], y: Any) -> tuple[Any, ResponseType | None]:
    """Return y as it can be checked and cut, and what it is, where that is known before it is read.

    The task says it, a model, or y by its own type; None leaves it to `response_type_of`.
    """
    check_there(y)
    own = (of_estimator(model) for model in map(inner_forest, models) if model is not None)
    kind = of_task(task) if task != "auto" else next((one for one in own if one is not None), None)
    kind = declared_type(y) if kind is None else kind
    if kind is None:
        refuse_times(y)
        return y, None
    return kind.read(y)


def inner_forest(model: Any) -> Any:
    """Return the forest of a `ForestRanker`, and any other model itself."""
    return model.forest if isinstance(model, ForestRanker) else model


def routes_metadata() -> bool:
    """Whether scikit-learn's metadata routing is switched on."""
    return bool(get_config()["enable_metadata_routing"])


def reading_settings(categorical_features: Any, missing: str) -> dict[str, Any]:
    """Return the settings of a forest that say how it reads a table."""
    return {"categorical_features": categorical_features, "missing": missing}


def default_ranker(response_type: ResponseType | str, **params: Any) -> Any:
    """Return an unfitted ranker for the type, or the task of this name.

    Parameters are those of the ranker and of its forest.
    """
    kind = _named(response_type)
    settings = {"n_estimators": N_TREES, **ranking_settings(kind), **kind.parameters, **params}
    of_ranker = {name: settings.pop(name) for name in _OF_RANKER}
    ranker = ForestRanker(FORESTS[kind.name](**settings), **of_ranker)
    return ranker.set_fit_request(sample_weight=True) if routes_metadata() else ranker


def screening_forest(response_type: ResponseType | str, **params: Any) -> Any:
    """Return an unfitted forest that splits only where tests reject."""
    kind = _named(response_type)
    forest: Any = FORESTS[kind.name](
        **{"n_estimators": N_TREES, **screening_settings(kind), **kind.parameters, **params}
    )
    return forest.set_fit_request(sample_weight=True) if routes_metadata() else forest


def taken(ranker: Any, design: Design, elsewhere: Collection[str] = ()) -> dict[str, Any]:
    """Return what the ranker's `fit` takes of the design; the rest must be of use `elsewhere`."""
    given = design.arguments
    mine = {name: codes for name, codes in given.items() if has_fit_parameter(ranker, name)}
    for name in given:
        if name not in mine and name not in elsewhere:
            raise ValueError(
                f"{name} are of no use here: {type(ranker).__name__}.fit does not take them"
            )
    return mine


def weight_argument(model: Any, weight: Any) -> dict[str, Any]:
    """Return the argument of fit that hands over the weights, nothing if there is none."""
    if has_fit_parameter(model, "sample_weight"):
        return {"sample_weight": weight}
    if isinstance(model, Pipeline) and has_fit_parameter(model[-1], "sample_weight"):
        return {f"{model.steps[-1][0]}__sample_weight": weight}
    return {}


def _named(response_type: ResponseType | str) -> ResponseType:
    return of_task(response_type) if isinstance(response_type, str) else response_type


def check_ranker(estimator: Any) -> None:
    """Refuse what cannot be fitted."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            f"estimator must be None or an estimator, with a method fit and afterwards {_ACCEPTED};"
            f" got {estimator!r}"
        )


def checked_data(
    holder: Any, X: Any, y: Any, models: list[Any], **options: Any
) -> tuple[Table, NDArray[Any]]:
    """Return X for all models, and y; `holder` is told the columns' names.

    Options are `categorical_features` and `missing`, unless a model of ours says something else.
    """
    for model in map(inner_forest, models):
        options = {**options, **table_options(model)}
    tags = [get_tags(model).input_tags for model in models]
    if not all(tag.allow_nan for tag in tags):
        options["missing"] = "error"
    if has_columns(y) and all(get_tags(model).target_tags.multi_output for model in models):
        options["multi_output"] = True
    columns, values, target = validated(
        holder,
        X,
        y,
        order="F",
        accept_sparse=["csr", "csc"] if all(tag.sparse for tag in tags) else False,
        in_place=all(map(reads_encoded, models)),  # ours
        **options,
    )
    if not columns.special:
        return Table(values), target
    return Table(Encoded(columns, values), X if is_frame(X) else None), target


def name_doubtful(X: Any, table: Table, *, also_of_equal: bool) -> None:
    """Warn of columns of a data frame that look like no features; they are ranked all the same."""
    X = arrow_table(X)
    if is_frame(X):
        names = [str(name) for name in Columns(X).names or ()]
        plain = [j not in table.features.special for j in range(len(names))]
        warn_of_doubtful(
            names,
            list(table.numbers.T),
            plain,
            list(table.features.n_levels > 0),
            also_of_equal=also_of_equal,
        )


def seeded(estimator: Any, random_state: Any) -> Any:
    """Return an unfitted copy whose every seed is this one; None leaves them."""
    copy = clone(estimator)
    if random_state is None:
        return copy
    return copy.set_params(**dict.fromkeys(_seed_parameters(copy), random_state))


def has_seed(estimator: Any) -> bool:
    """Whether the estimator, or a part of it, has a seed."""
    return bool(_seed_parameters(estimator))


def _seed_parameters(estimator: Any) -> list[str]:
    """Return the names of all parameters that are a seed."""
    names = [name for name in estimator.get_params(deep=True) if name.rpartition("__")[2] in _SEEDS]
    # CatBoost lists only the parameters that were given.
    hides_it = not set(names) & set(_SEEDS)
    if hides_it and "random_state" in signature(type(estimator)).parameters:
        names.append("random_state")
    return names


def read_ranking(estimator: Any, n_features: int) -> Reading:
    """Return the order and the scores that a fitted estimator gives its features."""
    kind = type(estimator).__name__
    if hasattr(estimator, "ranking_"):
        return _read_order(estimator, _by_feature(estimator, "ranking_", n_features))
    if hasattr(estimator, "feature_importances_"):
        scores = _by_feature(estimator, "feature_importances_", n_features)
        return Reading(_descending(scores), scores, "importance")
    if hasattr(estimator, "coef_"):
        scores = _by_feature(estimator, "coef_", n_features)
        return Reading(_descending(scores), scores, "|coefficient|")
    raise ValueError(f"estimator must have {_ACCEPTED} after fit; {kind} has none of them")


def make_ranking(
    estimator: Any, names: list[str], tests: IndependenceResult | None = None
) -> Ranking:
    """Return the ranking of a fitted estimator, with p-values if there are tests."""
    return Ranking(
        **vars(read_ranking(estimator, len(names))),
        names=np.array(names, dtype=object),
        p_values=None if tests is None else tests.p_value,
        adjusted_p_values=None if tests is None else tests.adjusted_p_value,
        adjust=None if tests is None else tests.adjust,
        statistic=None if tests is None else tests.statistic_name,
        estimator=estimator,
    )


def _by_feature(estimator: Any, name: str, n_features: int) -> Floats:
    """Return a copy of an attribute with one finite number per feature."""
    values = getattr(estimator, name)
    values = np.array(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    if name == "coef_":  # one row per class
        values = np.abs(values).reshape(-1, values.shape[-1]).sum(axis=0)
    kind = type(estimator).__name__
    if values.shape != (n_features,):
        raise ValueError(
            f"{name} of {kind} must hold one number per feature, {n_features}; got the shape"
            f" {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"{name} of {kind} must hold finite numbers; got {values.tolist()[:5]}")
    return values


def _descending(scores: Floats) -> NDArray[np.intp]:
    return np.argsort(-scores, kind="stable")


def _read_order(estimator: Any, ranking: Floats) -> Reading:
    """Tell indices, which include 0, from places, which start at 1 (RFE, Boruta)."""
    p = len(ranking)
    if np.array_equal(np.sort(ranking), np.arange(p)):
        order = ranking.astype(np.intp)
        if hasattr(estimator, "feature_importances_"):
            is_discounted = isinstance(estimator, ForestRanker) and estimator.redundancy > 0
            attribute, called = ("feature_importances_", "importance")
            if is_discounted:
                attribute, called = ("scores_", ADDED)
            scores = _by_feature(estimator, attribute, p)
            breaker = getattr(estimator, "_tie_breaker", None)
            breaker = None if breaker is None else np.array(breaker, dtype=np.float64)
            # What an importance was discounted for, if it was.
            why = {
                name: np.array(getattr(estimator, f"{name}_"))
                for name in ("nearest", "explained")
                if is_discounted
            }
            return Reading(order, scores, called, breaker, **why)
        place = np.empty(p)
        place[order] = np.arange(p)
    elif ranking.min() >= 1:
        place = ranking
        order = np.argsort(place, kind="stable")
    else:
        raise ValueError(
            f"ranking_ of {type(estimator).__name__} must hold the indices 0 to {p - 1} from best"
            f" to worst, or places counted from 1; got {ranking.tolist()[:5]}"
        )
    n_worse = p - np.searchsorted(np.sort(place), place, side="right")
    return Reading(order, n_worse.astype(np.float64), "features below")
