"""The models of the speed suite: ours, scikit-learn's, and what a user might take instead."""

from functools import partial
from importlib.util import find_spec

from sklearn import ensemble, tree

import inforest

AUTO = dict(n_resamples_selector="auto", n_resamples_splitter="auto")
FIXED = dict(early_stopping_selector=None, early_stopping_splitter=None)
#: The paper's forest, with one thing changed at a time.
PAPER_FORESTS = {
    "CIF paper": {},
    "CIF-all paper": dict(max_features=None),
    "auto": AUTO,
    "exact": dict(threshold_method="exact"),
    "fixed B": FIXED,
    "rdc": dict(selector="rdc"),
}
#: What `--models` chooses from.
GROUPS = {
    "defaults": ("RF", "CIF", "CIF paper", "CIT", "DecisionTree"),
    "sklearn": ("RF sqrt", "ExtraTrees", "HistGradientBoosting"),
    "others": ("LightGBM", "LightGBM RF", "XGBoost RF"),
    "variants": (*PAPER_FORESTS, "CIT paper"),
}


def models(task, n_trees, wanted):
    """The wanted models of one task by name, as functions of a seed; RF is always the first."""
    word = "Classifier" if task == "classification" else "Regressor"
    forest = getattr(inforest, f"ConditionalInferenceForest{word}")
    own_tree = getattr(inforest, f"ConditionalInferenceTree{word}")
    size = dict(n_estimators=n_trees, n_jobs=2)
    made = {"RF": partial(getattr(ensemble, f"RandomForest{word}"), **size)}
    if task == "regression":
        made["RF sqrt"] = partial(made["RF"], max_features="sqrt")
    made["ExtraTrees"] = partial(getattr(ensemble, f"ExtraTrees{word}"), **size)
    made["DecisionTree"] = getattr(tree, f"DecisionTree{word}")
    made["HistGradientBoosting"] = getattr(ensemble, f"HistGradientBoosting{word}")
    made |= others(word, size)
    made["CIF"] = partial(forest, **size)
    for name, changes in PAPER_FORESTS.items():
        made[name] = partial(forest.paper, **size, **changes)
    made["CIT"] = own_tree
    made["CIT paper"] = own_tree.paper
    return {name: make for name, make in made.items() if name == "RF" or name in wanted}


def others(word, size):
    """Forests and boosted trees of other libraries, where these are installed."""
    made = {}
    if find_spec("lightgbm"):
        import lightgbm

        quiet = dict(verbose=-1, **size)
        bagging = dict(boosting_type="rf", subsample=0.632, subsample_freq=1, colsample_bytree=0.33)
        boosted = getattr(lightgbm, f"LGBM{word}")
        made["LightGBM"] = partial(boosted, **quiet)
        made["LightGBM RF"] = partial(boosted, **quiet, **bagging)
    if find_spec("xgboost"):
        import xgboost

        made["XGBoost RF"] = partial(getattr(xgboost, f"XGBRF{word}"), **size)
    return made


def wide_models(n_trees):
    """CIT with all features against RF."""
    return {
        "RF": partial(ensemble.RandomForestClassifier, n_estimators=n_trees, n_jobs=2),
        "CIT, all features": inforest.ConditionalInferenceTreeClassifier.paper,
    }
