"""Predictions from tables with words and gaps: native handling against one-hot and imputation.

    python benchmarks/mixed_tables.py FOLDER [--folds 3] [--rows 3000] [--tables titanic ...]
                                      [--threads 2] [--keep scores.json]

FOLDER holds Parquet files and a MANIFEST.json that lists for each its name, task and target. Every
model gets the same folds and 200 trees; scores are balanced accuracy, or R^2, of held-out rows.
Tables that a model cannot read are empty in its column. Prints a table in Markdown, a line as soon
as it is known. With --keep every score is written to a file when it is known, and a run that was
cut off goes on where it was.
"""

import argparse
import json
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor

TREES = 200


def expanded(model, X):
    """A model on one column per level, and medians in the place of gaps."""
    words = [name for name in X if X[name].dtype == "category"]
    numbers = [name for name in X if name not in words]
    levels = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    parts = make_column_transformer(
        (SimpleImputer(strategy="median", keep_empty_features=True), numbers),
        (levels, words),
        sparse_threshold=0,
    )
    return make_pipeline(parts, model)


class Boosted:
    """CatBoost with its own categories, which must be strings."""

    def __init__(self, cls, X, threads):
        self.words = [name for name in X if X[name].dtype == "category"]
        self.model = cls(
            iterations=TREES,
            random_seed=0,
            verbose=0,
            thread_count=threads,
            cat_features=self.words,
            allow_writing_files=False,
        )

    def _read(self, X):
        texts = {name: X[name].astype(object).fillna("nothing").astype(str) for name in self.words}
        return X.assign(**texts)

    def fit(self, X, y):
        self.model.fit(self._read(X), y)
        return self

    def predict(self, X):
        return np.ravel(self.model.predict(self._read(X)))


def models(task, X, threads):
    """Every model by its name."""
    from catboost import CatBoostClassifier, CatBoostRegressor
    from lightgbm import LGBMClassifier, LGBMRegressor

    is_class = task == "classification"
    ours = ConditionalInferenceForestClassifier if is_class else ConditionalInferenceForestRegressor
    forest = RandomForestClassifier if is_class else RandomForestRegressor
    hist = HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    light = LGBMClassifier if is_class else LGBMRegressor
    cat = CatBoostClassifier if is_class else CatBoostRegressor
    same = {"random_state": 0, "n_jobs": threads}
    return {
        "ours": ours(TREES, **same),
        "ours, one-hot": expanded(ours(TREES, **same), X),
        "RF, one-hot": expanded(forest(TREES, **same), X),
        "HistGB": hist(max_iter=TREES, random_state=0, early_stopping=False),
        "LightGBM": light(n_estimators=TREES, verbose=-1, **same),
        "CatBoost": Boosted(cat, X, threads),
    }


def read(folder, entry, most_rows):
    """Features with words as categories, the target without gaps, at most so many rows."""
    data = pd.read_parquet(folder / f"{entry['name']}.parquet")
    data = data[data[entry["target"]].notna()]
    if len(data) > most_rows:
        data = data.sample(most_rows, random_state=0)
    y = data.pop(entry["target"]).to_numpy()
    for name in data:
        if not pd.api.types.is_numeric_dtype(data[name]):
            data[name] = data[name].astype("category")
    if entry["task"] == "classification":
        y = np.unique(y.astype(str), return_inverse=True)[1]
    return data.reset_index(drop=True), y


def score(model, X, y, task, n_folds):
    """Mean score over the folds; nan if the model cannot read the table."""
    kind = StratifiedKFold if task == "classification" else KFold
    judge = balanced_accuracy_score if task == "classification" else r2_score
    scores = []
    for train, test in kind(n_folds, shuffle=True, random_state=0).split(X, y):
        try:
            model.fit(X.iloc[train], y[train])
        except ValueError as error:
            if "NaN" not in str(error):
                raise
            return np.nan
        scores.append(judge(y[test], model.predict(X.iloc[test])))
    return float(np.mean(scores))


class Kept:
    """Scores by table and model, in a file if there is one, computed when first asked for."""

    def __init__(self, path, setting):
        self.path, self.setting = path, setting
        self.scores = json.loads(path.read_text()) if path and path.exists() else {}

    def get(self, table, model, compute):
        key = f"{table} / {model} / {self.setting}"
        if key not in self.scores:
            found = compute()
            self.scores[key] = None if np.isnan(found) else found
            if self.path:
                self.path.write_text(json.dumps(self.scores, indent=1))
        return np.nan if self.scores[key] is None else self.scores[key]


def line(name, cells):
    """A row of a table in Markdown."""
    return f"| {name} | {' | '.join(cells)} |"


def written(scores):
    """Scores as text, nothing for those that are missing."""
    return ["" if one != one else f"{one:.3f}" for one in scores.values()]


def main():
    """Score all models on all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--tables", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a JSON file of the scores so far")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    listed = json.loads((options.folder / "MANIFEST.json").read_text())
    kept = Kept(options.keep, f"{options.rows} rows, {options.folds} folds")
    table = {}
    for entry in listed:
        is_asked = not options.tables or entry["name"] in options.tables
        if entry["task"] not in ("classification", "regression") or not is_asked:
            continue
        X, y = read(options.folder, entry, options.rows)
        if entry["task"] == "classification" and np.bincount(y).min() < options.folds:
            common = np.bincount(y) >= options.folds
            X, y = X[common[y]].reset_index(drop=True), y[common[y]]
        scores = {
            name: kept.get(
                entry["name"], name, partial(score, model, X, y, entry["task"], options.folds)
            )
            for name, model in models(entry["task"], X, options.threads).items()
        }
        if not table:
            print(line("table", scores))
            print(line("---", ["---:"] * len(scores)))
        table[entry["name"]] = scores
        print(line(entry["name"], written(scores)), flush=True)
    frame = pd.DataFrame(table).T
    complete = frame[frame.notna().all(axis=1)]
    print(line(f"mean of {len(complete)}", written(dict(complete.mean()))))


if __name__ == "__main__":
    main()
