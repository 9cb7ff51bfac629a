"""Labels with an order: ordinal classification."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from inforest._engine.responses.classes import Classes
from inforest._engine.responses.presence import LEAVE_OUT
from inforest._engine.responses.response_type import Floats, Integers, Response, ResponseType

#: More different numbers than these are hardly classes.
_MANY = 20


@dataclass(frozen=True)
class Ordinal(Classes):
    """Tests see the scores of the classes, 1, 2, ... by default; a leaf keeps the classes' shares.

    Attributes
    ----------
    order : tuple or None
        The classes from the lowest to the highest; None: that of numbers.
    scores : tuple of float or None
        What the classes in their order count; None: 1, 2, ...
    prediction : str
        "mode" or "median".

    """

    order: tuple[Any, ...] | None = None
    scores: tuple[float, ...] | None = None
    prediction: str = "mode"

    name = "ordinal"
    kind = "scores"
    noun, plural = "class", "ordered classes"
    is_guessed = False
    has_order = True

    paper: ClassVar[dict[str, Any]] = {"selector": "pc", "splitter": "mse"}
    paper_forest: ClassVar[dict[str, Any]] = {"sampling_method": "stratified"}
    asymptotic_selectors = ("pc", "quad")
    splitter_text = ""
    selector_text = (
        "Statistic of Stage A, which picks a node's feature, computed with the scores of the"
        " classes: |Pearson correlation|, which makes it the linear-by-linear test, distance"
        ' correlation, randomized dependence coefficient, or "quad", the multiple correlation of'
        ' the scores with x and x^2, which also sees a bend. "pc" is the cheapest, "quad" costs'
        ' about 1.5 times as much, "rdc" a few times, "dc" tens of times. Of a list, the maximum on'
        " a common scale, taken inside every permutation."
    )
    oob_words = "Cohen's kappa with quadratic weights"
    ranking: ClassVar[dict[str, Any]] = {"n_rounds": 1, "redundancy": 0.5}

    loss = "ranked"
    scoring, score_words = "quadratic kappa", "quadratic weighted kappa"

    def read(self, y: Any) -> tuple[Any, ResponseType]:
        """Take the order of an ordered categorical, unless there is one already."""
        found = dtype_order(y)
        if found is None:
            return super().read(y)
        labels = np.asarray(y)
        return labels, self if self.order is not None else replace(self, order=tuple(found))

    def declares(self, y: Any) -> bool:
        """Whether y is an ordered categorical."""
        return dtype_order(y) is not None

    def with_order_in_values(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return the places of the classes where their order was given in words."""
        if self.order is None:
            return y
        places = {label: place for place, label in enumerate(self.order)}
        return np.array([places[label] for label in y.tolist()])

    def configured(self, estimator: Any) -> "Ordinal":
        """Return the type with the order, the scores and the prediction of an estimator."""
        order, scores = getattr(estimator, "order", None), getattr(estimator, "scores", None)
        return replace(
            self,
            order=self.order if order is None else tuple(_plain(order)),
            scores=None if scores is None else tuple(_plain(scores)),
            prediction=getattr(estimator, "prediction", "mode"),
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """What an estimator must be told."""
        return {} if self.order is None else {"order": list(self.order)}

    @property
    def keeps_shares(self) -> bool:
        """A leaf keeps shares, though tests see scores."""
        return True

    def encode(self, y: NDArray[Any], weight: Floats | None, estimator: str) -> Response:
        """Return the scores of the rows' classes, and for the leaves their codes."""
        if y.dtype.kind == "O" or (y.dtype.kind == "f" and len(np.unique(y)) > _MANY):
            check_classification_targets(y)  # refuses what is no label, and many fractions
        order = self._order_of(y)
        scores = self._scores_of(order)
        present = set((y if weight is None else y[weight > 0]).tolist())
        if None in present or any(label != label for label in present):
            raise ValueError(f"Input y contains NaN or None, which is no class: {LEAVE_OUT}.")
        missing = sorted(map(str, present - set(order)))
        if missing:
            raise ValueError(
                f"order must name all classes of y; it misses {', '.join(map(repr, missing[:5]))}:"
                f" got {list(order)}"
            )
        classes = [label for label in order if label in present]
        if len(classes) < 2:
            raise ValueError(
                f"y must hold at least two classes; got one class only: {classes[0]!r}"
                + ("" if weight is None else " (rows with sample_weight 0 do not count)")
            )
        code_of = {label: code for code, label in enumerate(classes)}
        codes = np.array([code_of.get(label, 0) for label in y.tolist()], dtype=np.int32)
        values = np.array([scores[label] for label in classes], dtype=np.float64)[codes]
        return Response(self, values, classes=_array(classes, y), kept=codes)

    def _order_of(self, y: NDArray[Any]) -> tuple[Any, ...]:
        if self.order is not None:
            if len(set(self.order)) < len(self.order):
                raise ValueError(f"order must name each class once; got {list(self.order)}")
            return self.order
        if y.dtype.kind not in "biuf":
            raise ValueError(
                "the order of the classes is not known: y holds words. Say order=[lowest, ...,"
                " highest], or make y an ordered categorical (pandas.Categorical(y, categories,"
                f" ordered=True)); got {', '.join(map(repr, sorted(set(map(str, y)))[:5]))}"
            )
        return tuple(np.unique(y).tolist())

    def _scores_of(self, order: tuple[Any, ...]) -> dict[Any, float]:
        scores = self.scores
        if scores is None:
            scores = tuple(range(1, len(order) + 1))
        if len(scores) != len(order):
            raise ValueError(
                f"scores must hold one number per class, {len(order)}; got {len(scores)}"
            )
        if not np.isfinite(scores).all() or (np.diff(scores) <= 0).any():
            raise ValueError(f"scores must ascend with the order; got {list(scores)}")
        return dict(zip(order, map(float, scores), strict=True))

    def decode(self, response: Response) -> NDArray[Any]:
        """Return the labels."""
        assert response.classes is not None
        assert response.kept is not None
        return response.classes[response.kept]

    def suits(self, y: Any) -> bool:
        """Nothing is taken for it by its looks."""
        return False

    def predict(self, mean: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
        """Return the most probable class, the lowest of equals, or the median."""
        assert classes is not None
        if self.prediction == "mode":
            return classes[mean.argmax(axis=1)]
        # The first class up to which at least half of the probability lies; sums are rounded.
        return classes[(np.cumsum(mean, axis=1) >= 0.5 * (1 - 1e-12)).argmax(axis=1)]

    def score(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        """Return Cohen's kappa with quadratic weights."""
        assert response.classes is not None
        predicted = self.predict(mean[rows], response.classes)
        return quadratic_kappa(self.decode(response)[rows], predicted, response.classes, weight)

    def strata(self, response: Response) -> NDArray[np.int32] | None:
        """Return the codes of the classes."""
        return response.kept

    def kept_arguments(self, response: Response) -> dict[str, Any]:
        """Return the codes of the classes."""
        assert response.classes is not None
        return {"y": response.kept, "n_classes": len(response.classes)}

    def scorer(self) -> Any:
        """Return Cohen's kappa with quadratic weights, in the order of the classes."""
        from sklearn.metrics import make_scorer  # slow to import

        return make_scorer(_Kappa(self.order))

    def chance(self, y: NDArray[Any]) -> float:
        """Return the kappa of a guess."""
        return 0.0

    def class_sizes(self, y: NDArray[Any]) -> tuple[tuple[str, int], ...]:
        """Return the labels in their order, and how many rows have each."""
        counts = [(label, int((y == label).sum())) for label in self._order_of(y)]
        return tuple((str(label), count) for label, count in counts if count)

    def refusal(self, y: NDArray[Any], column: str) -> str:
        """Words have no order of their own, and many fractions are no classes."""
        if y.dtype.kind == "f" and len(np.unique(y)) > _MANY and bool((y != np.floor(y)).any()):
            return (
                f"ordered classes are few, and the target {column!r} holds {len(np.unique(y))}"
                " different numbers with fractions: say --task regression"
            )
        if self.order is not None or y.dtype.kind in "biuf":
            return ""
        return (
            f"--task ordinal needs a target whose order is known, and {column!r} holds words: say"
            " --order LOWEST,...,HIGHEST"
        )

    def doubt(self, y: NDArray[Any], column: str, *, was_guessed: bool) -> str:
        """Warn of so many numbers that they are hardly classes, if nobody named them."""
        n_values = len(np.unique(y))
        if n_values <= _MANY or self.order is not None:
            return ""
        return (
            f"warning: the target {column!r} has {n_values} different values, each taken for an"
            " ordered class; --task regression takes them as numbers"
        )


@dataclass(frozen=True)
class _Kappa:
    """Kappa of labels in a given order; of numbers in theirs."""

    order: tuple[Any, ...] | None

    def __call__(self, y: Any, predicted: Any, sample_weight: Any = None) -> float:
        both = np.concatenate([np.asarray(y), np.asarray(predicted)])
        present = set(both.tolist())
        order = sorted(present) if self.order is None else [c for c in self.order if c in present]
        return quadratic_kappa(y, predicted, _array(order, both), sample_weight)

    @property
    def __name__(self) -> str:
        return "quadratic_kappa"


def quadratic_kappa(y: Any, predicted: Any, classes: NDArray[Any], weight: Any = None) -> float:
    """Return how far predictions agree beyond chance; a miss counts by its squared distance."""
    from sklearn.metrics import cohen_kappa_score  # slow to import

    if len(classes) < 2:
        return 0.0
    found = cohen_kappa_score(
        y, predicted, labels=classes, weights="quadratic", sample_weight=weight
    )
    return 0.0 if np.isnan(found) else float(found)  # all the same: no better than chance


@dataclass(frozen=True, eq=False)
class OrderedLabels:
    """Labels with their order, for who has no data frame."""

    labels: NDArray[Any]
    order: tuple[Any, ...]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the labels."""
        return np.array(self.labels, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the labels."""
        return self.labels.shape


def dtype_order(y: Any) -> list[Any] | None:
    """Return the categories of an ordered categorical (pandas), or of an Enum (polars)."""
    if isinstance(y, OrderedLabels):
        return list(y.order)
    dtype: Any = getattr(y, "dtype", None)
    if getattr(dtype, "ordered", None) is True and hasattr(dtype, "categories"):
        return list(dtype.categories)
    if type(dtype).__name__ == "Enum" and hasattr(dtype, "categories"):
        return list(dtype.categories)
    return None


def _plain(values: Any) -> list[Any]:
    return np.asarray(values).tolist() if not isinstance(values, (list, tuple)) else list(values)


def _array(labels: list[Any], like: NDArray[Any]) -> NDArray[Any]:
    """Return labels as an array of the type that y has."""
    if like.dtype.kind == "O":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
        return array
    return np.array(labels, dtype=like.dtype)


ORDINAL = Ordinal()
