"""`ResponseType`: everything in the library that depends on what y is, in one object."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from inforest import _core
from inforest._engine.responses.censored import refuse_times

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Response:
    """A y that was checked and turned into what the core reads: labels or scores.

    Attributes
    ----------
    type : ResponseType
        Who made it, and knows what it means.
    values : ndarray of shape (n_samples,) or (n_samples, n_scores)
        Codes of labels (int32), or scores (float64) times ``2**-exponent``.
    n_labels : int
        Number of labels; 0 for scores.
    exponent : int
        0 unless the scores lie beyond what can be squared; scaling by a power of two is exact.
    classes : ndarray or None
        What the values stand for, if they stand for something: it becomes `classes_`.
    kept : ndarray of shape (n_samples,) or None
        What leaves keep of y, where that is not what tests see: codes of labels, censored times,
        or, of shape (n_samples, n_outputs), several numbers.
    scale : ndarray of shape (n_outputs,) or None
        The unit of each of several numbers in which the core keeps them.

    """

    type: "ResponseType"
    values: NDArray[Any]
    n_labels: int = 0
    exponent: int = 0
    classes: NDArray[Any] | None = None
    kept: NDArray[Any] | None = None
    scale: Floats | None = None

    @property
    def core_kept(self) -> Floats | None:
        """Several numbers as the core keeps them; None: what tests see."""
        if self.scale is None or self.kept is None:
            return None
        return np.asfortranarray(self.kept / self.scale)

    @property
    def has_columns(self) -> bool:
        """Whether tests see several numbers per row."""
        return self.values.ndim == 2 and self.values.shape[1] > 1

    @property
    def in_unit(self) -> Floats | float:
        """What the core's values must be multiplied by."""
        return 1.0 if self.scale is None else self.scale

    def check_statistics(self, selectors: list[str], splitter: str | None = None) -> None:
        """Refuse statistics that do not read several numbers."""
        if not self.has_columns:
            return
        for name, given, known in (
            ("selector", selectors, _core.selector_names("columns")),
            ("splitter", [splitter] if splitter else [], _core.splitter_names("columns")),
        ):
            for one in given:
                if one not in known:
                    raise ValueError(
                        f"{name} must be one of {', '.join(map(repr, known))} if y has several"
                        f" columns; got {one!r}, which reads a single one"
                    )

    def part(self, rows: NDArray[Any]) -> "Response":
        """Return the response of some rows."""
        kept = None if self.kept is None else self.kept[rows]
        return replace(self, values=self.values[rows], kept=kept)

    @property
    def loss_arguments(self) -> dict[str, Any]:
        """What the core needs to measure how well trees predict, by the names of arguments."""
        return {"loss": self.type.loss, **self.type.loss_data(self)}

    @property
    def n_outputs(self) -> int:
        """How many numbers a leaf keeps: the share of each label, or means."""
        if self.type.keeps_shares and self.classes is not None:
            return len(self.classes)
        return max(1, self.n_labels) if self.scale is None else len(self.scale)

    @property
    def n_contrasts(self) -> int:
        """How many numbers a row's response has that can vary by themselves."""
        if self.n_labels:
            return self.n_labels - 1
        return 1 if self.values.ndim == 1 else self.values.shape[1]


class ResponseType(ABC):
    """What y is: how it is read, tested, predicted, scored and spoken of.

    A new type is one file: a subclass, an instance of it, `register(instance)`, and a tree and a
    forest whose `_response_type` it is. Nothing else in the library asks what y is.
    """

    #: The word for it in ``task=``.
    name: ClassVar[str]
    #: "labels" or "scores": what the core's tests see. It decides which statistics there are.
    kind: ClassVar[str]
    #: One of them, and several, in messages.
    noun: ClassVar[str]
    plural: ClassVar[str]
    #: Whether y may have several columns.
    takes_columns: ClassVar[bool] = False
    #: Whether ``task="auto"`` may take a y for it; if so, `suits` is asked.
    is_guessed: ClassVar[bool] = False
    #: What scikit-learn calls an estimator of it; None where it has no word.
    estimator_type: ClassVar[str | None] = None

    #: The paper's settings of a tree, and what its forests have besides.
    paper: ClassVar[dict[str, Any]]
    paper_forest: ClassVar[dict[str, Any]] = {}
    #: Defaults of its forests, where those of other forests are not best.
    forest_defaults: ClassVar[dict[str, Any]] = {}
    #: Whether there are strata whose shares samples can keep.
    has_strata: ClassVar[bool] = False
    #: Selectors that can be tested without permutations.
    asymptotic_selectors: ClassVar[tuple[str, ...]] = ("pc", "quad")
    #: Whether there are classes with an order.
    has_order: ClassVar[bool] = False
    #: Whether users may say what tests see of y.
    has_influence: ClassVar[bool] = False
    #: Whether leaves keep curves over time.
    has_curves: ClassVar[bool] = False
    #: Fewest rows of a leaf by default: more than one where a leaf's rows make a curve.
    least_leaf: ClassVar[int] = 1
    #: What docstrings say about its statistics of both stages, and what they call its score.
    selector_text: ClassVar[str] = ""
    splitter_text: ClassVar[str] = ""
    oob_words: ClassVar[str] = ""
    #: What a forest needs the leaves of its training rows for.
    kept_words: ClassVar[str] = "`weights` and `proximity`"
    #: Parameters of `ForestRanker` in the default ranking.
    ranking: ClassVar[dict[str, Any]]

    #: Where a forest keeps its out-of-bag predictions.
    oob_name: ClassVar[str]
    #: Power of y's unit in the loss of permutation importances, in the core: the share of wrong
    #: labels, or the mean squared error of scores.
    loss_power: ClassVar[int]
    #: What that loss is: "natural" is the one above, "concordance" is 1 less Harrell's.
    loss: ClassVar[str] = "natural"
    #: scikit-learn's name of the score that chooses k, and its name in a report.
    scoring: ClassVar[str]
    score_words: ClassVar[str]
    #: What predicts from the chosen features unless told otherwise, in a report's words.
    model_words: ClassVar[str]

    # What y is made of.

    def read(self, y: Any) -> tuple[Any, "ResponseType"]:
        """Return y as it can be checked, cut and handed on, and the type that it has then.

        A y that says more than an array can hold says it to the type.
        """
        refuse_times(y)
        return y, self

    def configured(self, estimator: Any) -> "ResponseType":
        """Return the type as the parameters of an estimator make it."""
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        """What an estimator must be told about y, by the names of parameters."""
        return {}

    @property
    def leaves_residuals(self) -> bool:
        """Whether a prediction taken off y leaves what another forest can be fitted to."""
        return False

    def kept_arguments(self, response: Response) -> dict[str, Any]:
        """Return labels that leaves keep instead of what tests see, as the core asks for them."""
        return {}

    def declares(self, y: Any) -> bool:
        """Whether y, as the user gave it, says by its own type that it is such a response."""
        return False

    @abstractmethod
    def encode(self, y: NDArray[Any], weight: Floats | None, estimator: str) -> Response:
        """Check y and turn it into labels or scores.

        `y` is one-dimensional and without NaN where its dtype can have any; `weight` says what
        each row weighs, None 1, and rows of weight 0 do not count; `estimator` is the name of the
        class that error messages speak of.
        """

    @abstractmethod
    def decode(self, response: Response) -> NDArray[Any]:
        """Return y as it was given."""

    def suits(self, y: Any) -> bool:
        """Whether a y of unknown type looks like this one; asked only if `is_guessed`."""
        return False

    def unlike(self, response: Response, classes: NDArray[Any] | None) -> str:
        """Return what a warm start says if y stands for other `classes` than before; else ""."""
        return ""

    # What is tested, and how finely.

    @property
    def selectors(self) -> list[str]:
        """Names of the Stage A statistics that read such a response, the default first."""
        return _core.selector_names(self.kind)

    @property
    def splitters(self) -> list[str]:
        """Names of the Stage B impurities that read such a response, the default first."""
        return _core.splitter_names(self.kind)

    def impurity_power(self, splitter: str) -> int:
        """Return the power of y's unit in which this impurity is measured."""
        return 0

    # What is predicted. `mean` has a row per sample, and `n_outputs` columns: leaf values, averaged
    # over the trees, in y's own unit.

    @property
    def keeps_shares(self) -> bool:
        """Whether a leaf keeps the share of each class, not a mean."""
        return self.kind == "labels"

    @abstractmethod
    def predict(self, mean: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
        """Return one prediction per sample; `classes` are those of the `Response`."""

    @abstractmethod
    def score(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        """Return how well `mean` predicts these rows, which weigh so much; None: all the same."""

    def loss_data(self, response: Response) -> dict[str, NDArray[Any]]:
        """Return what the core must know for `loss` besides labels or scores."""
        return {}

    @abstractmethod
    def kept_out_of_bag(self, mean: Floats) -> NDArray[Any]:
        """Return what the attribute `oob_name` holds."""

    # How rows are drawn, folded and halved. Here y is as the user gave it.

    def strata(self, response: Response) -> NDArray[np.int32] | None:
        """Return the stratum of each row, 0, 1, ..., that samples keep the shares of, or None."""
        return None

    def row_strata(self, y: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return the stratum of each row that subsamples keep the shares of, or None."""
        return None

    def check_subsamples(self, y: NDArray[Any]) -> None:
        """Raise an error if a subsample may hold too little of y to be fitted to."""

    def no_halves(self, y: NDArray[Any]) -> str:
        """Return why random halves of the rows may not be fitted to; "" if they may."""
        return ""

    @abstractmethod
    def n_folds(self, y: NDArray[Any], most: int) -> tuple[int, str]:
        """Return how many folds y allows, and, if fewer than 2, why so few."""

    def check_cv(self, cv: Any, y: NDArray[Any], *, has_groups: bool = False) -> Any:
        """Return scikit-learn's splitter for `cv`, stratified where that has a meaning.

        With groups, a number of folds keeps the rows of each group together. A number of folds is
        of shuffled rows, always the same ones: a table may be sorted, by the target even.
        """
        return shuffled_folds(
            cv, y, is_stratified=self.estimator_type == "classifier", has_groups=has_groups
        )

    def folding(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return what `split` of a splitter gets for y."""
        return y

    def scorer(self) -> Any:
        """Return the scorer that chooses k."""
        from sklearn.metrics import get_scorer  # slow to import

        return get_scorer(self.scoring)

    # How it is spoken of.

    @abstractmethod
    def default_downstream(self) -> Any:
        """Return the model that predicts from standardized features."""

    def chance(self, y: NDArray[Any]) -> float:
        """Return the score of a guess, in terms of `scoring`."""
        return 0.0

    def facts(self, y: NDArray[Any]) -> str:
        """Return what a report says about y beside its name, or ""."""
        return ""

    def with_order_in_values(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return y as those take it who know of no order but that of values."""
        return y

    def class_sizes(self, y: NDArray[Any]) -> tuple[tuple[str, int], ...]:
        """Return the classes in words and how many rows have each; empty if there are none."""
        return ()

    def refusal(self, y: NDArray[Any], column: str) -> str:
        """Return why a column of a file cannot be such a response; "" if it can."""
        return ""

    def doubt(self, y: NDArray[Any], column: str, *, was_guessed: bool) -> str:
        """Return what a user should know who has a column taken for such a response, or ""."""
        return ""


def shuffled_folds(cv: Any, y: NDArray[Any], *, is_stratified: bool, has_groups: bool) -> Any:
    """Return a splitter; a number of folds is of shuffled rows, or groups, the same each time."""
    # Slow to import.
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv

    if not isinstance(cv, Integral):
        return check_cv(cv, y, classifier=is_stratified)
    if has_groups:
        kind = StratifiedGroupKFold if is_stratified else GroupKFold
    else:
        kind = type(check_cv(int(cv), y, classifier=is_stratified))
    return kind(int(cv), shuffle=True, random_state=0)
