"""A number: regression."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from inforest import _core
from inforest._engine.notices import TableWarning
from inforest._engine.responses.columns import make_scores
from inforest._engine.responses.influence import influence_scores
from inforest._engine.responses.presence import LEAVE_OUT
from inforest._engine.responses.response_type import Floats, Integers, Response, ResponseType
from inforest._engine.responses.scale import scaled

#: Whole numbers with more distinct values than this are taken for a numeric target.
_MAX_CLASSES = 20
#: So few different numbers look like labels.
_FEW = 5


@dataclass(frozen=True)
class Number(ResponseType):
    """A leaf keeps the mean, and predicts it.

    Attributes
    ----------
    influence : callable or None
        Makes of y the scores that tests and impurities see; None: they see y itself.

    """

    influence: Callable[[Floats], Any] | None = None

    name = "regression"
    kind = "scores"
    noun, plural = "value", "numbers"
    is_guessed = True
    takes_columns = True
    estimator_type = "regressor"

    paper: ClassVar[dict[str, Any]] = {"selector": "pc", "splitter": "mse"}
    #: Honest: the paper's selection for regression.
    paper_forest: ClassVar[dict[str, Any]] = {"honesty": True}
    selector_text = (
        "Statistic of Stage A, which picks a node's feature: |Pearson correlation|, distance"
        ' correlation, randomized dependence coefficient, or "quad", the multiple correlation of y'
        ' with x and x^2, which also sees a bend. "pc" is the cheapest, "quad" costs about 1.5'
        ' times as much, "rdc" a few times, "dc" tens of times. Of a list, the maximum on a common'
        " scale, taken inside every permutation."
    )
    splitter_text = (
        'Of several numbers, "mse" measures them in units of all rows, and "chi2" each direction by'
        " its own spread in the node, as R's ctree does; of one number both are the same, and"
        ' "mae" is for one number only.'
    )
    oob_words = "R^2"
    kept_words = "`weights`, `proximity`, quantiles and intervals"
    ranking: ClassVar[dict[str, Any]] = {"n_rounds": 6, "redundancy": 0.5}
    has_influence = True

    oob_name = "oob_prediction_"
    loss_power = 2
    scoring, score_words = "r2", "R²"
    model_words = "ridge regression on standardized features"

    @property
    def leaves_residuals(self) -> bool:
        """What a prediction leaves of y is no response that an influence function was made for."""
        return self.influence is None

    def configured(self, estimator: Any) -> "Number":
        """Return the type with the influence function of an estimator."""
        return replace(self, influence=getattr(estimator, "influence", None))

    def encode(self, y: NDArray[Any], weight: Floats | None, estimator: str) -> Response:
        """Return y as floats, scaled if squares of it would not exist."""
        try:
            if y.dtype.kind in "mM":
                raise TypeError("dates are no numbers")
            numbers = np.ascontiguousarray(y, dtype=np.float64)
        except (TypeError, ValueError) as error:
            classifier = estimator.replace("Regressor", "Classifier")
            raise ValueError(
                f"y must be numeric for regression; for labels use {classifier}"
            ) from error
        if not np.isfinite(numbers).all():  # None, which is no NaN before it is a float
            raise ValueError(f"Input y contains NaN or infinity: {LEAVE_OUT}.")
        if self.influence is not None:
            scores = influence_scores(self.influence, numbers, weight)
            columns = numbers.reshape(len(numbers), -1)
            scale = make_scores(columns, weight).scale
            return Response(self, scores, kept=columns, scale=scale)
        if numbers.ndim == 2:
            _name_constant(numbers, weight)
            several = make_scores(numbers, weight)
            return Response(self, several.scores, kept=numbers, scale=several.scale)
        values, exponent = scaled(numbers)
        return Response(self, values, exponent=exponent)

    def decode(self, response: Response) -> NDArray[Any]:
        """Return y in its own unit."""
        if response.kept is not None:
            return response.kept if response.kept.shape[1] > 1 else response.kept[:, 0]
        return np.ldexp(response.values, response.exponent)

    def suits(self, y: Any) -> bool:
        """Fractions, or many different numbers."""
        with np.errstate(invalid="ignore"):  # it casts y to integers, infinity too
            kind = type_of_target(y, input_name="y")
        if kind.startswith("continuous"):
            return True
        y = np.asarray(y)
        return bool(y.dtype.kind in "iuf" and len(np.unique(y)) > _MAX_CLASSES)

    @property
    def splitters(self) -> list[str]:
        """Return also the name that is for several numbers; of one it is "mse"."""
        return list(dict.fromkeys([*super().splitters, *_core.splitter_names("columns")]))

    def impurity_power(self, splitter: str) -> int:
        """Squared errors have the unit squared."""
        return 1 if splitter == "mae" else 2

    def predict(self, mean: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
        """Return the mean itself, a column for each of several numbers."""
        return mean if mean.shape[1] > 1 else mean[:, 0]

    def score(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        """Return R^2, which has no unit: in that of the scores squares exist."""
        from sklearn.metrics import r2_score  # slow to import

        if response.scale is not None:
            assert response.kept is not None
            true, predicted = response.kept[rows] / response.scale, mean[rows]
            return float(r2_score(true, predicted / response.scale, sample_weight=weight))
        predicted = np.ldexp(mean[rows, 0], -response.exponent)
        return float(r2_score(response.values[rows], predicted, sample_weight=weight))

    def kept_out_of_bag(self, mean: Floats) -> NDArray[Any]:
        """Return the predictions."""
        return self.predict(mean, None)

    def n_folds(self, y: NDArray[Any], most: int) -> tuple[int, str]:
        """One row alone has no R^2."""
        return min(most, len(y) // 2), f"{len(y)} rows are too few to hold some out"

    def default_downstream(self) -> Any:
        """Return a ridge regression."""
        from sklearn.linear_model import Ridge  # slow to import

        return Ridge()

    def refusal(self, y: NDArray[Any], column: str) -> str:
        """Words are no numbers."""
        if y.dtype.kind in "iuf":
            return ""
        return (
            f"--task regression needs a target of numbers; {column!r} holds"
            f" {'truth values' if y.dtype.kind == 'b' else 'words'}"
        )

    def doubt(self, y: NDArray[Any], column: str, *, was_guessed: bool) -> str:
        """Warn of numbers so few that they may be classes."""
        n_values = len(np.unique(y))
        if y.dtype.kind in "iuf" and n_values <= _FEW:
            return (
                f"warning: the target {column!r} has only {n_values} different values; --task"
                " classification takes them for classes"
            )
        return ""


def _name_constant(columns: Floats, weight: Floats | None) -> None:
    """Say which columns of y, but not all, have one value in all rows that count."""
    there = columns if weight is None else columns[weight > 0]
    if not len(there):
        return
    constant = np.flatnonzero(np.ptp(there, axis=0) == 0)
    if 0 < len(constant) < columns.shape[1]:
        named = ", ".join(map(str, constant))
        warnings.warn(
            f"y has one value in all rows in {len(constant)} of its {columns.shape[1]} columns"
            f" (counted from 0: {named}): tests and thresholds do without them, and this value is"
            " predicted for every row",
            TableWarning,
            stacklevel=6,
        )


NUMBER = Number()
