"""The study's protocol: how rows are split, which k are looked at, how a ranking is scored.

A method ranks the features of a scaled training fold. A ranking is scored by learners that see
its first k features: scaled anew, fitted on the training fold, judged on the test fold.
"""

import math
import warnings
from collections.abc import Callable, Iterable
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from threadpoolctl import ThreadpoolController

from inforest_study import survival_scores
from inforest_study.dataset import Dataset, Floats, Task
from inforest_study.expanded import Expanded

SEEDS = (0, 1, 2, 3, 4)
#: The k of the main comparison; those up to p, and p itself, apply.
STANDARD_K = (5, 10, 25, 50, 100)
#: More k for data with more than 100 features; quarters of p are added.
HIGH_P_K = (150, 200, 300, 500, 750, 1000)
#: The metric that comparisons use.
MAIN_METRIC: dict[Task, str] = {
    "classification": "balanced_accuracy",
    "regression": "r2",
    "survival": "concordance",
}

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class Score(NamedTuple):
    """How well a learner did on the test fold with the top k features."""

    learner: str
    k: int
    metric: str
    value: float


def _logistic(random_state: int) -> Any:
    return LogisticRegression(max_iter=1000, class_weight="balanced", random_state=random_state)


def _svc(random_state: int) -> Any:
    # The study's probability=True costs time and leaves predictions as they are.
    return SVC(class_weight="balanced", random_state=random_state)


#: The learners that score a ranking: each takes a seed, returns an estimator.
LEARNERS: dict[Task, dict[str, Callable[[int], Any]]] = {
    "classification": {
        "LR": _logistic,
        "SVM": _svc,
        "KNN": lambda _: KNeighborsClassifier(n_neighbors=5, weights="distance"),
    },
    "regression": {
        "Ridge": lambda _: Ridge(alpha=1.0),
        "SVR": lambda _: SVR(),
        "KNN": lambda _: KNeighborsRegressor(n_neighbors=5, weights="distance"),
    },
    "survival": {"Cox": survival_scores.cox, "RSF": survival_scores.forest},
}


def judge_classes(y: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, float]:
    """Compare predicted classes with the true ones.

    Equal to scikit-learn's metrics, all from one table of counts: for small folds these would
    take longer than the learners. The study also kept ROC-AUC; it would need the SVM's
    probabilities, at several times the cost.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        Codes of classes.

    Returns
    -------
    metrics : dict of str to float
        "balanced_accuracy", "accuracy", "f1_weighted" and "f1_macro".

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.protocol import judge_classes
    >>> judge_classes(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))["balanced_accuracy"]
    0.8333333333333333

    """
    n_classes = 1 + max(y.max(), predicted.max())
    counts = np.bincount(y * n_classes + predicted, minlength=n_classes**2)
    counts = counts.reshape(n_classes, n_classes)
    right, true, claimed = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    seen = true + claimed > 0
    f1 = 2 * right[seen] / (true + claimed)[seen]
    return {
        "balanced_accuracy": float(np.mean(right[true > 0] / true[true > 0])),
        "accuracy": float(right.sum() / len(y)),
        "f1_weighted": float(f1 @ true[seen] / len(y)),
        "f1_macro": float(f1.mean()),
    }


def judge_numbers(y: Floats, predicted: Floats) -> dict[str, float]:
    """Compare predicted numbers with the true ones.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        The response.

    Returns
    -------
    metrics : dict of str to float
        "r2", "mse", "rmse" and "mae".

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.protocol import judge_numbers
    >>> judge_numbers(np.array([0.0, 2.0]), np.array([0.0, 1.0]))["r2"]
    0.5

    """
    mse = float(mean_squared_error(y, predicted))
    return {
        "r2": float(r2_score(y, predicted)),
        "mse": mse,
        "rmse": math.sqrt(mse),
        "mae": float(mean_absolute_error(y, predicted)),
    }


def splits(task: Task, y: NDArray[Any], seed: int, n_splits: int = 5) -> list[Fold]:
    """Split rows into folds, by class where there are classes, by event where times are censored.

    Parameters
    ----------
    task : {"classification", "regression", "survival"}
        What y is.
    y : ndarray of shape (n_samples,)
        The target.
    seed : int
        Seed of the shuffling.
    n_splits : int, default=5
        Number of folds.

    Returns
    -------
    folds : list of (train, test)
        Indices of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.protocol import splits
    >>> train, test = splits("regression", np.arange(10.0), seed=0)[0]
    >>> test
    array([2, 8])

    """
    kind = KFold if task == "regression" else StratifiedKFold
    folds = kind(n_splits, shuffle=True, random_state=seed)
    return list(folds.split(np.zeros(len(y)), y["event"] if task == "survival" else y))


def k_schedule(n_features: int, high_p: bool = True) -> list[int]:
    """List the k at which a ranking is scored.

    Parameters
    ----------
    n_features : int
        The number of features, p.
    high_p : bool, default=True
        Whether to add the k of the high-p analysis when there are more than 100 features.

    Returns
    -------
    ks : list of int
        Ascending; p itself is the last.

    Examples
    --------
    >>> from inforest_study.protocol import k_schedule
    >>> k_schedule(80)
    [5, 10, 25, 50, 80]
    >>> k_schedule(1200)
    [5, 10, 25, 50, 100, 150, 200, 300, 500, 600, 750, 900, 1000, 1200]
    >>> k_schedule(1200, high_p=False)
    [5, 10, 25, 50, 100, 1200]

    """
    ks = {*STANDARD_K, n_features}
    if high_p:
        quarters = (math.ceil(quarter * n_features / 4) for quarter in (1, 2, 3))
        ks.update(k for k in (*HIGH_P_K, *quarters) if k > STANDARD_K[-1])
    return sorted(k for k in ks if k <= n_features)


def method_seed(seed: int, fold: int) -> int:
    """Return the seed that the ranker and the learners of a fold get."""
    return 1000 * seed + fold


def score_ranking(
    dataset: Dataset,
    order: NDArray[np.intp],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    random_state: int,
    ks: Iterable[int],
    learners: Iterable[str] | None = None,
    scale: bool = True,
) -> list[Score]:
    """Score a ranking: what learners make of its first k features.

    Each learner runs on one thread: the matrices are small, and scores must not depend on how
    many threads a machine has. The order among the first k does not matter to a learner, so they
    are given in the order of the data set; then rankings with the same first k, above all those
    with all features, have the same scores, which are computed once per fold.

    Parameters
    ----------
    dataset : Dataset
        The data.
    order : ndarray of int
        Features, best first.
    train, test : ndarray of int
        Rows of the fold.
    random_state : int
        Seed of the learners; see `method_seed`.
    ks : iterable of int
        How many features to look at; from 1 to the length of `order`.
    learners : iterable of str, default=None
        Names of `LEARNERS`; None takes all of the task.
    scale : bool, default=True
        Whether to scale the features by their mean and deviation in the training rows.

    Returns
    -------
    scores : list of Score
        By k, learner and metric.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study import datasets
    >>> from inforest_study.protocol import score_ranking, splits
    >>> iris = datasets.load("iris")
    >>> train, test = splits("classification", iris.y, seed=0)[0]
    >>> scores = score_ranking(iris, np.array([3, 2, 1, 0]), train, test, 0, [2], ["KNN"])
    >>> scores[0]._replace(value=round(scores[0].value, 2))
    Score(learner='KNN', k=2, metric='balanced_accuracy', value=0.97)

    """
    task, p = dataset.info.task, dataset.info.n_features
    chosen = _chosen(task, learners)
    ks = sorted(set(ks))
    order = _checked(np.asarray(order, dtype=np.intp), p, ks)
    scores: list[Score] = []
    with _CONTROLLER.limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 1000 steps are the protocol
        for k in ks:
            columns = np.sort(order[:k])
            fold = _Fold(dataset, columns, train, test, random_state, scale)
            for name in chosen:
                scores += fold.score(name)
    return scores


class _Fold:
    """Some features in the rows of a fold; what learners make of them is found out once."""

    def __init__(
        self,
        dataset: Dataset,
        columns: NDArray[np.intp],
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        random_state: int,
        scale: bool,
    ) -> None:
        self._dataset = dataset
        self._columns = columns
        self._train = train
        self._test = test
        self._random_state = random_state
        self._scale = scale
        identity = blake2b(digest_size=16)
        for part in (columns, train, [-1], test):
            identity.update(np.asarray(part, dtype=np.int64).tobytes())
        self._key = identity.digest(), random_state, scale

    @cached_property
    def _features(self) -> tuple[Floats, Floats]:
        """The features of the training and of the test rows, scaled."""
        X_train = self._dataset.X[np.ix_(self._train, self._columns)]
        X_test = self._dataset.X[np.ix_(self._test, self._columns)]
        if self._dataset.levels is not None:
            parts = [self._dataset.frame(rows).iloc[:, self._columns]
                     for rows in (self._train, self._test)]  # fmt: skip
            made = Expanded.fit(parts[0])
            X_train, X_test = made.numbers(parts[0]), made.numbers(parts[1])
        if not self._scale:
            return X_train, X_test
        scaler = StandardScaler().fit(X_train)
        return scaler.transform(X_train), scaler.transform(X_test)

    def score(self, learner: str) -> list[Score]:
        """Fit a learner and judge its predictions, unless that has been done before."""
        known = _KNOWN.setdefault(self._dataset, {})
        key = learner, *self._key
        if key not in known:
            known[key] = self._judge(learner)
        return known[key]

    def _judge(self, learner: str) -> list[Score]:
        task, y = self._dataset.info.task, self._dataset.y
        X_train, X_test = self._features
        model = LEARNERS[task][learner](self._random_state).fit(X_train, y[self._train])
        if task == "survival":
            metrics = survival_scores.judge(model, X_test, y[self._train], y[self._test])
        else:
            judge = judge_classes if task == "classification" else judge_numbers
            metrics = judge(y[self._test], model.predict(X_test))
        k = len(self._columns)
        return [Score(learner, k, metric, value) for metric, value in metrics.items()]


_CONTROLLER = ThreadpoolController()
#: Scores that were computed before, for as long as their data set is in memory.
_KNOWN: WeakKeyDictionary[Dataset, dict[tuple[object, ...], list[Score]]] = WeakKeyDictionary()


def _chosen(task: Task, learners: Iterable[str] | None) -> list[str]:
    if learners is None:
        return list(LEARNERS[task])
    chosen = list(learners)
    for name in chosen:
        if name not in LEARNERS[task]:
            raise ValueError(f"learners must be of {list(LEARNERS[task])} for {task}, got {name!r}")
    return chosen


def _checked(order: NDArray[np.intp], p: int, ks: list[int]) -> NDArray[np.intp]:
    inside = order.size == 0 or (order.min() >= 0 and order.max() < p)
    if order.ndim != 1 or not inside or len(np.unique(order)) != len(order):
        raise ValueError(f"order must hold features 0 to {p - 1}, none of them twice")
    if ks and not 1 <= ks[0] <= ks[-1] <= len(order):
        raise ValueError(f"ks must be from 1 to {len(order)}, the length of order; got {ks}")
    return order
