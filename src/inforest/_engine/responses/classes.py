"""Labels without an order: classification."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from inforest._engine.responses.response_type import Floats, Integers, Response, ResponseType

#: Share of different values from which a class label looks like an identifier or a measurement.
_ALMOST_UNIQUE = 0.5
#: More would take gigabytes and minutes, for what is nearly always a mistake.
MOST_CLASSES = 5_000
#: So few different numbers look like labels.
_FEW = 5


class Classes(ResponseType):
    """A leaf keeps the share of each class, and predicts the most probable one."""

    name = "classification"
    kind = "labels"
    noun, plural = "class", "classes"
    is_guessed = True
    estimator_type = "classifier"

    paper: ClassVar[dict[str, Any]] = {"selector": "mc", "splitter": "gini"}
    paper_forest: ClassVar[dict[str, Any]] = {"sampling_method": "stratified"}
    has_strata = True
    selector_text = (
        "Statistic of Stage A, which picks a node's feature: correlation ratio, mutual information"
        ' (k nearest neighbours), randomized dependence coefficient, or "quad", which also sees'
        " classes that differ in spread: the correlation ratios of x and of the part of x^2 that is"
        " orthogonal to x, as the root of their mean square over min(n_classes - 1, 2) directions."
        ' "mc" is the cheapest, "quad" costs about 1.5 times as much, "rdc" a few times, "mi" tens'
        " of times. Of a list, the maximum on a common scale, taken inside every permutation."
    )
    asymptotic_selectors = ("mc", "quad")
    splitter_text = (
        "\"chi2\" is Pearson's chi-square of classes and children, as in R's ctree: with two"
        " classes the same order as gini, with more of them rare classes count more. Impurities and"
        " importances are gini's then."
    )
    oob_words = "the accuracy"
    ranking: ClassVar[dict[str, Any]] = {"n_rounds": 1, "redundancy": 1.0}

    oob_name = "oob_decision_function_"
    loss_power = 0
    scoring, score_words = "balanced_accuracy", "balanced accuracy"
    model_words = "logistic regression on standardized features"

    def encode(self, y: NDArray[Any], weight: Floats | None, estimator: str) -> Response:
        """Return codes of the classes of the rows that count; 0 where the weight is 0."""
        if y.dtype.kind == "O" and None in y.tolist():
            raise ValueError("Input y contains None, which is no class.")
        check_classification_targets(y)
        classes = np.unique(y if weight is None else y[weight > 0])
        if len(classes) > MOST_CLASSES:
            raise ValueError(
                f"y must hold at most {MOST_CLASSES:,} classes, because every leaf keeps the share"
                f" of each; got {len(classes):,}. Is it a number or an identifier? Else put rare"
                " classes together."
            )
        if len(classes) < 2:
            raise ValueError(
                f"y must hold at least two classes; got one class only: {classes.tolist()[0]!r}"
                + ("" if weight is None else " (rows with sample_weight 0 do not count)")
            )
        # A search needs less memory, and time, than the sort behind `return_inverse`.
        codes = np.searchsorted(classes, y).astype(np.int32)
        if weight is not None:
            codes[weight == 0] = 0
        return Response(self, codes, n_labels=len(classes), classes=classes)

    def decode(self, response: Response) -> NDArray[Any]:
        """Return the labels."""
        assert response.classes is not None
        return response.classes[response.values]

    def suits(self, y: Any) -> bool:
        """Anything can be a class."""
        return True

    def unlike(self, response: Response, classes: NDArray[Any] | None) -> str:
        """Name both sets of classes if they differ."""
        if response.classes is None or np.array_equal(response.classes, classes):  # type: ignore[arg-type]
            return ""
        assert classes is not None
        return (
            "warm_start=True adds trees to those of the first fit, whose y held the classes"
            f" {classes.tolist()}; got {response.classes.tolist()}"
        )

    def predict(self, mean: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
        """Return the most probable class, the first of equals."""
        assert classes is not None
        return classes[mean.argmax(axis=1)]

    def score(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        """Return the accuracy."""
        from sklearn.metrics import accuracy_score  # slow to import

        y_true = self.decode(response)[rows]
        return float(
            accuracy_score(y_true, self.predict(mean[rows], response.classes), sample_weight=weight)
        )

    def kept_out_of_bag(self, mean: Floats) -> NDArray[Any]:
        """Return the class probabilities."""
        return mean

    def strata(self, response: Response) -> NDArray[np.int32] | None:
        """Return the codes of the classes."""
        return response.values.astype(np.int32, copy=False)

    def row_strata(self, y: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return the class of each row as a number."""
        return np.unique(y, return_inverse=True)[1]

    def check_subsamples(self, y: NDArray[Any]) -> None:
        """Refuse labels of which a subsample would hold one class only."""
        labels, counts = np.unique(y, return_counts=True)
        if (counts >= 2).sum() < 2 <= len(labels):
            rare = labels.tolist()[counts.argmin()]
            raise ValueError(
                "y must hold at least two classes of two rows or more, because subsamples shall"
                f" hold two classes, too; the class {rare!r} has one row (vary='seed' needs no"
                " subsamples)"
            )

    def no_halves(self, y: NDArray[Any]) -> str:
        """Refuse halves that may hold a single class."""
        counts = np.unique(y, return_counts=True)[1]
        if (counts >= 2).sum() < 2:
            return "only one class has two rows or more, so that a half may hold no other class"
        return ""

    def n_folds(self, y: NDArray[Any], most: int) -> tuple[int, str]:
        """Return as many as the rarest class has rows: each fold holds one."""
        labels, counts = np.unique(y, return_counts=True)
        rare = int(counts.argmin())
        reason = f"the class {labels[rare]!s} has one row only, which cannot be held out"
        return min(most, int(counts[rare])), reason

    def default_downstream(self) -> Any:
        """Return a logistic regression."""
        from sklearn.linear_model import LogisticRegression  # slow to import

        return LogisticRegression(max_iter=1000)

    def chance(self, y: NDArray[Any]) -> float:
        """Return the balanced accuracy of any constant prediction."""
        return 1 / len(np.unique(y))

    def class_sizes(self, y: NDArray[Any]) -> tuple[tuple[str, int], ...]:
        """Return the labels, sorted, and how many rows have each."""
        labels, counts = np.unique(y, return_counts=True)
        return tuple(zip(map(str, labels.tolist()), counts.tolist(), strict=True))

    def refusal(self, y: NDArray[Any], column: str) -> str:
        """Fractions are no classes."""
        if y.dtype.kind == "f" and bool((y != np.floor(y)).any()):
            return (
                f"--task classification needs a target of words or whole numbers; {column!r}"
                " holds fractions: say --task regression"
            )
        return ""

    def doubt(self, y: NDArray[Any], column: str, *, was_guessed: bool) -> str:
        """Warn of identifiers, and of numbers that were taken for classes."""
        n_values, is_number = len(np.unique(y)), y.dtype.kind in "iuf"
        if n_values > max(2, _ALMOST_UNIQUE * len(y)):
            hint = "--task regression takes it as a number" if is_number else "is it an identifier?"
            return (
                f"warning: the target {column!r} has {n_values} different values in"
                f" {len(y)} rows, each taken for a class; {hint}"
            )
        if was_guessed and is_number and n_values > _FEW:
            return (
                f"the {n_values} different numbers of the target {column!r} are taken for"
                " classes; --task regression takes them as numbers"
            )
        return ""


CLASSES = Classes()
