"""Designs of the feature-sampling study: few informative features among 100, 500 or 1000."""

from functools import partial

import numpy as np
from sklearn.datasets import make_classification, make_regression

from inforest_study.dataset import Task
from inforest_study.datasets.design import Design, Sample, kinds_of, shuffle_columns

N_SAMPLES = 250
N_FEATURES = (100, 500, 1000)
N_INFORMATIVE = (1, 2, 5, 10)
_TWO_CORNERS = (
    "When adjacent corners of the square share a class, one of the two features says nothing."
)


def make(seed: int, task: Task, p: int, informative: int) -> Sample:
    """Draw a data set; `seed`, `p` and `informative` together give the generator's seed."""
    mixed = seed + p + 10_000 * informative
    if task == "classification":
        mixed += 3000
        X, y = make_classification(
            n_samples=N_SAMPLES,
            n_features=p,
            n_informative=informative,
            n_redundant=0,
            n_clusters_per_class=1 if informative == 1 else 2,
            class_sep=2.0,
            flip_y=0.0,
            shuffle=False,
            random_state=mixed,
        )
    else:
        mixed += 5000
        X, y = make_regression(
            n_samples=N_SAMPLES,
            n_features=p,
            n_informative=informative,
            noise=5.0,
            shuffle=False,
            random_state=mixed,
        )
    X, place = shuffle_columns(X, np.random.RandomState(mixed).permutation(p))
    ids = place[:informative]
    return Sample(X, y, ids, kinds_of(p, ids))


def _design(task: Task, p: int, informative: int) -> Design:
    noise = "class separation 2" if task == "classification" else "noise 5"
    plural = "" if informative == 1 else "s"
    return Design(
        name=f"feature-sampling-{task}-p{p}-i{informative}",
        task=task,
        n_samples=N_SAMPLES,
        n_features=p,
        make=partial(make, task=task, p=p, informative=informative),
        description=f"{informative} informative feature{plural} of {p}, {noise}",
        group="feature-sampling",
        quirks=(_TWO_CORNERS,) if task == "classification" and informative == 2 else (),
    )


_TASKS: tuple[Task, ...] = ("classification", "regression")
DESIGNS = [_design(task, p, i) for task in _TASKS for p in N_FEATURES for i in N_INFORMATIVE]
