"""How well forests predict by their settings: the study behind the forests' defaults.

Run `INFOREST_DATA=... python benchmarks/defaults.py`. Balanced accuracy or R^2 by 5-fold
cross-validation, all features, 100 trees, on the half of the real data sets on which settings may
be chosen (ranking-tuned); `--half held-out` shows the other half.
"""

import argparse

import numpy as np
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from inforest import ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor
from inforest.ranking.ranker import screening_settings
from inforest_study import datasets
from inforest_study.suite import read

FORESTS = {
    "classification": ConditionalInferenceForestClassifier,
    "regression": ConditionalInferenceForestRegressor,
}
PEERS = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}
METRIC = {"classification": "balanced_accuracy", "regression": "r2"}
#: Changes of the default, one at a time.
CHANGES = {
    "alpha 0.05": {"alpha_selector": 0.05},
    "no gate": {"n_resamples_selector": None},
    "sqrt": {"max_features": "sqrt"},
    "tested thresholds": {"splitter_test": "max"},
}


def models(task):
    """Yield the forests to compare, by name."""
    if task == "regression":
        yield "RF third", PEERS[task](max_features=1 / 3, random_state=0)
    yield "RF", PEERS[task](random_state=0)
    yield "paper", FORESTS[task].paper(random_state=0)
    yield (
        "screening",
        FORESTS[task](random_state=0, **screening_settings(FORESTS[task]._response_type)),
    )
    yield "default", FORESTS[task](random_state=0)
    for name, params in CHANGES.items():
        yield name, FORESTS[task](random_state=0, **params)


def folds(task):
    """Return the folds of the study's first seed."""
    kind = StratifiedKFold if task == "classification" else KFold
    return kind(5, shuffle=True, random_state=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=["tuned", "held-out"], default="tuned")
    parser.add_argument("--only", nargs="*", help="data sets to take")
    args = parser.parse_args()
    wanted = read(f"ranking-{args.half}").datasets
    for task in FORESTS:
        scores = {}
        for name in [n for n in datasets.names("real", task) if n in wanted]:
            if args.only and name not in args.only:
                continue
            try:
                data = datasets.load(name)
            except OSError as error:
                print(f"{name} is not there: {error}")
                continue
            for label, model in models(task):
                values = cross_val_score(
                    model, data.X, data.y, cv=folds(task), scoring=METRIC[task]
                )
                scores[name, label] = float(np.mean(values))
                print(f"{name:16s} {label:16s} {scores[name, label]:.4f}", flush=True)
        names = list(dict.fromkeys(name for name, _ in scores))
        labels = [label for label, _ in models(task)]
        if names:
            print(f"\n{task}: mean of {METRIC[task]} over {', '.join(names)}")
            table = np.array([[scores[n, label] for n in names] for label in labels])
            ranks = rankdata(-table, axis=0)
            for label, mean, rank in zip(labels, table.mean(1), ranks.mean(1), strict=True):
                print(f"{label:16s} {mean:.4f}   mean rank {rank:.2f}")


if __name__ == "__main__":
    main()
