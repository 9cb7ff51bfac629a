"""Censored times: survival analysis."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from inforest import _core
from inforest._engine.responses.censored import is_censored, read_censored
from inforest._engine.responses.response_type import (
    Floats,
    Integers,
    Response,
    ResponseType,
    shuffled_folds,
)


class Survival(ResponseType):
    """Tests see log-rank scores; a leaf keeps the events and the rows at risk at its event times.

    The score of a row is the cumulative hazard at its time, estimated once from all rows, less 1 if
    it had the event: with it, Pearson's correlation is the log-rank test (Hothorn and Lausen 2003).
    It depends on the responses alone, not on what their rows weigh, so that it may be permuted.
    """

    name = "survival"
    kind = "scores"
    noun, plural = "risk", "censored times"
    has_curves = True
    least_leaf = 5
    #: As R's cforest: tests order the candidates and stop no tree (docs/survival.md).
    forest_defaults: ClassVar[dict[str, Any]] = {
        "selector": "pc",
        "n_resamples_selector": None,
        "max_features": "sqrt",
        "min_samples_leaf": 7,
    }

    paper: ClassVar[dict[str, Any]] = {"selector": "pc", "splitter": "mse"}
    selector_text = (
        "Statistic of Stage A, which picks a node's feature, computed with the log-rank scores of"
        " the times: |Pearson correlation|, which makes it the log-rank test, distance correlation,"
        ' randomized dependence coefficient, or "quad", the multiple correlation of the scores with'
        ' x and x^2, which also sees a bend. "pc" is the cheapest, "quad" costs about 1.5 times as'
        ' much, "rdc" a few times, "dc" tens of times. Of a list, the maximum on a common scale,'
        " taken inside every permutation."
    )
    oob_words = "Harrell's concordance"
    ranking: ClassVar[dict[str, Any]] = {"max_depth": 3, "n_rounds": 1, "redundancy": 0.5}

    oob_name = "oob_prediction_"
    loss_power = 0
    loss = "concordance"
    scoring, score_words = "concordance", "concordance"
    model_words = "Cox regression with a ridge penalty on standardized features"

    @property
    def leaves_residuals(self) -> bool:
        """Log-rank scores less a prediction are scores again."""
        return True

    def read(self, y: Any) -> tuple[NDArray[Any], ResponseType]:
        """Return y with the fields "event" and "time"."""
        return read_censored(y), self

    def declares(self, y: Any) -> bool:
        """Whether y is a structured array of a truth value and a number."""
        return is_censored(y)

    def encode(self, y: NDArray[Any], weight: Floats | None, estimator: str) -> Response:
        """Return the log-rank scores; they are those of the rows that count."""
        times = read_censored(y)
        there = np.ones(len(times), dtype=bool) if weight is None else weight > 0
        if not times["event"][there].any():
            raise ValueError(
                "y must hold at least one event; all times are censored"
                + ("" if weight is None else " (rows with sample_weight 0 do not count)")
            )
        scores = log_rank_scores(times, there)
        if np.ptp(scores[there]) == 0:
            raise ValueError(
                "y leaves nothing to explain: whenever the event happened, it happened to all rows"
                " still at risk (all events at one time, after the last censored row)"
            )
        return Response(self, scores, kept=times)

    def decode(self, response: Response) -> NDArray[Any]:
        """Return events and times."""
        assert response.kept is not None
        return response.kept

    def predict(self, mean: Floats, classes: NDArray[Any] | None) -> NDArray[Any]:
        """Return the risk."""
        return mean[:, 0]

    def score(
        self, response: Response, mean: Floats, rows: Integers, weight: Floats | None
    ) -> float:
        """Return Harrell's concordance; NaN if no pair of these rows is comparable."""
        return concordance(self.decode(response)[rows], mean[rows, 0], weight)

    def loss_data(self, response: Response) -> dict[str, NDArray[Any]]:
        """Return times and events."""
        times = self.decode(response)
        return {"time": times["time"].copy(), "event": times["event"].astype(np.uint8)}

    def kept_out_of_bag(self, mean: Floats) -> NDArray[Any]:
        """Return the risks."""
        return mean[:, 0]

    def row_strata(self, y: NDArray[Any]) -> NDArray[np.intp] | None:
        """Return 1 for an event, 0 for a censored time."""
        return y["event"].astype(np.intp)

    def check_subsamples(self, y: NDArray[Any]) -> None:
        """Refuse so few events that a subsample may hold none."""
        if y["event"].sum() < 2:
            raise ValueError(
                "y must hold at least two events, because subsamples shall hold one, too"
            )

    def no_halves(self, y: NDArray[Any]) -> str:
        """Refuse halves that may hold no event."""
        return "" if y["event"].sum() >= 4 else "there are fewer than 4 events to be halved"

    def n_folds(self, y: NDArray[Any], most: int) -> tuple[int, str]:
        """Return as many as leave two events in each fold."""
        n_events = int(y["event"].sum())
        return min(most, n_events // 2), f"{n_events} events are too few to hold some out"

    def check_cv(self, cv: Any, y: NDArray[Any], *, has_groups: bool = False) -> Any:
        """Return a splitter that gives each fold its share of the events."""
        return shuffled_folds(cv, self.folding(y), is_stratified=True, has_groups=has_groups)

    def folding(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return 1 for an event, 0 for a censored time: folds are stratified by it."""
        return y["event"].astype(np.intp) if len(y) else np.array([0, 1])

    def default_downstream(self) -> Any:
        """Return a Cox regression."""
        from inforest._engine.cox import RidgeCox  # slow to import

        return RidgeCox()

    def scorer(self) -> Any:
        """Return the concordance of what a model predicts, whose risk it must be."""
        from sklearn.metrics import make_scorer  # slow to import

        return make_scorer(_concordance)

    def chance(self, y: NDArray[Any]) -> float:
        """Return the concordance of a guess."""
        return 0.5

    def refusal(self, y: NDArray[Any], column: str) -> str:
        """Say why these times leave nothing to explain."""
        try:
            self.encode(y, None, "")
        except ValueError as error:
            return str(error)
        return ""

    def facts(self, y: NDArray[Any]) -> str:
        """Return how many events there are, and until when."""
        n_events = int(y["event"].sum())
        return f"{n_events} events, {len(y) - n_events} censored, times up to {y['time'].max():g}"


def log_rank_scores(times: NDArray[Any], there: NDArray[np.bool_] | None = None) -> Floats:
    """Return the cumulative hazard at each row's time, less 1 where it had the event.

    Of equal event times all events happen at once, and a row censored at an event time was at risk
    then: "mid-ranks" of Hothorn and Lausen. Rows that are not `there` have no part in the hazard.
    """
    time, event = times["time"], times["event"]
    there = np.ones(len(times), dtype=bool) if there is None else there
    steps, n_events = np.unique(time[there & event], return_counts=True)
    ascending = np.sort(time[there])
    at_risk = len(ascending) - np.searchsorted(ascending, steps, side="left")
    hazard = np.concatenate([[0.0], np.cumsum(n_events / at_risk)])
    return hazard[np.searchsorted(steps, time, side="right")] - event


def kaplan_meier(times: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return when Kaplan and Meier's curve of these rows changes, and its values from then on."""
    steps, n_events = np.unique(times["time"][times["event"]], return_counts=True)
    ascending = np.sort(times["time"])
    at_risk = len(ascending) - np.searchsorted(ascending, steps, side="left")
    return steps, np.cumprod(1 - n_events / at_risk, dtype=np.float64)


def concordance(times: NDArray[Any], risk: Floats, weight: Floats | None = None) -> float:
    """Return Harrell's concordance of risks with censored times; NaN without a comparable pair."""
    comparable, concordant, tied = _core.concordance(
        np.ascontiguousarray(times["time"]),
        times["event"].astype(np.uint8),
        np.ascontiguousarray(risk, dtype=np.float64),
        None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
    )
    return (concordant + 0.5 * tied) / comparable if comparable > 0 else float("nan")


def _concordance(y: Any, risk: Floats, sample_weight: Floats | None = None) -> float:
    return concordance(read_censored(y), risk, sample_weight)


SURVIVAL = Survival()
