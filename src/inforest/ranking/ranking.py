"""`Ranking`: the ranking of features as people read it."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest._engine.arrays import Floats
from inforest._engine.frozen import frozen
from inforest._engine.printable import printable
from inforest._engine.short_names import shorten
from inforest._engine.words import short_p

_SHOWN = 10
_BAR = 20
#: The share of a feature that a better one explains from which on it repeats it, or is a copy.
_REPEATS, _COPY = 0.8, 0.9999
#: Letters of a name that the printed table shows.
_LETTERS = 40


@dataclass(frozen=True, eq=False, repr=False)
class Ranking:
    """Features from best to worst, as `rank_features` returns them.

    A ranking orders; it does not say where the informative features end. `FeatureSelector` chooses
    how many to keep, p-values say which are associated with y at all.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores : ndarray of shape (n_features,)
        One score per feature in the order of the columns of X; the larger the better.
    names : ndarray of shape (n_features,)
        The names of the columns, or "feature_0", "feature_1", ...
    score_name : str
        What the scores are, in a word or two.
    tie_breaker : ndarray of shape (n_features,) or None
        What orders features of equal score, the larger the better: for a conditional inference
        forest each feature's own association with y, unless its `ranking_ties` says otherwise.
        None: the order of the columns.
    p_values : ndarray of shape (n_features,) or None
        P-values of each feature's test of independence of y, if they were asked for.
    adjusted_p_values : ndarray of shape (n_features,) or None
        The same, adjusted for the number of features.
    adjust : str or None
        How they were adjusted; None if they were not.
    statistic : str or None
        What the p-values test: the name of a statistic of `independence_test`.
    nearest : ndarray of shape (n_features,) or None
        The better feature that each one repeats most, by its index; -1 where there is none. None
        where no score was discounted for that.
    explained : ndarray of shape (n_features,) or None
        The share of each feature that this one explains, such as r^2.
    estimator : object
        The fitted estimator that made the ranking.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest import Ranking
    >>> names = np.array(["a", "b", "c"], dtype=object)
    >>> ranking = Ranking(np.array([2, 0, 1]), np.array([0.2, 0.2, 0.6]), names)
    >>> ranking.top(1)
    array(['c'], dtype=object)
    >>> ranking.ties
    [array([0, 1])]
    >>> ranking
    Ranking of 3 features
    rank  feature  score
       1  c          0.6  ████████████████████
       2  a          0.2  ███████
       3  b          0.2  ███████
    2 features are tied: only the order of the columns separates them

    """

    order: NDArray[np.intp]
    scores: Floats
    names: NDArray[Any]
    score_name: str = "score"
    tie_breaker: Floats | None = None
    p_values: Floats | None = None
    adjusted_p_values: Floats | None = None
    adjust: str | None = None
    statistic: str | None = None
    nearest: NDArray[np.intp] | None = None
    explained: Floats | None = None
    estimator: Any = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, field.name, frozen(value))

    def __len__(self) -> int:
        return len(self.order)

    @property
    def ties(self) -> list[NDArray[np.intp]]:
        """Groups of two or more features that only the order of the columns separates.

        Their scores are equal, and so is what orders equal scores. Best group first.
        """
        keys = [self.scores] if self.tie_breaker is None else [self.scores, self.tie_breaker]
        differs = np.zeros(max(len(self) - 1, 0), dtype=bool)
        for key in keys:
            differs |= np.diff(key[self.order]) != 0
        groups = np.split(self.order, np.flatnonzero(differs) + 1)
        return [group for group in groups if len(group) > 1]

    def top(self, k: int = 10, *, indices: bool = False) -> NDArray[Any]:
        """Return the best k features, or all of them if there are fewer.

        Parameters
        ----------
        k : int, default=10
            How many.
        indices : bool, default=False
            Whether to return column numbers instead of names.

        Returns
        -------
        features : ndarray of shape (min(k, n_features),)
            Names or indices, best first.

        """
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1; got {k!r}")
        best = self.order[:k]
        return best if indices else self.names[best]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain Python values per feature, best first."""
        columns = self._columns
        return [
            {
                "rank": place,
                "feature": str(self.names[j]),
                **{name: column[j].item() for name, column in columns.items()},
                **({} if self.statistic is None else {"statistic": self.statistic}),
                **({} if self.nearest is None else {"repeats": self.repeats(j)}),
            }
            for place, j in enumerate(self.order, start=1)
        ]

    def repeats(self, j: int) -> str:
        """Say which better feature a feature repeats, if that explains most of it.

        Parameters
        ----------
        j : int
            The index of the feature.

        Returns
        -------
        words : str
            Such as "copy of age, r = 1.00" or "like age, r = 0.93"; nothing below
            0.89. For categories r is the correlation ratio, or Cramer's V.

        """
        if self.nearest is None or self.explained is None or self.nearest[j] < 0:
            return ""
        share = float(self.explained[j])
        if share < _REPEATS:
            return ""
        how = "copy of" if share >= _COPY else "like"
        return f"{how} {self.names[self.nearest[j]]}, r = {share**0.5:.2f}"

    def to_frame(self) -> Any:
        """Return a pandas data frame, best features first, with their names as its index.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `rank` (from 1), `score` and, if there are any, `p_value`,
            `adjusted_p_value` and `statistic`, what the p-values test; `repeats`, which better
            feature it says again, where the ranking discounts for that.

        """
        import pandas as pd

        index = pd.Index(self.names[self.order], name="feature")
        columns = {name: column[self.order] for name, column in self._columns.items()}
        frame = pd.DataFrame({"rank": np.arange(1, len(self) + 1), **columns}, index=index)
        if self.statistic is not None:
            frame["statistic"] = self.statistic
        if self.nearest is not None:
            frame["repeats"] = [self.repeats(j) for j in self.order]
        return frame

    @property
    def _columns(self) -> dict[str, Floats]:
        """The arrays by feature that are there, under the names of a table's columns."""
        columns = {
            "score": self.scores,
            "p_value": self.p_values,
            "adjusted_p_value": self.adjusted_p_values,
        }
        return {name: column for name, column in columns.items() if column is not None}

    @property
    def title(self) -> str:
        """What was done, in a few words."""
        by = "" if self.estimator is None else f" by {type(self.estimator).__name__}"
        return f"Ranking of {len(self):,} feature{'s' * (len(self) != 1)}{by}"

    def __repr__(self) -> str:
        """Show the best features as a table with bars."""
        shown = self.order[:_SHOWN].tolist()
        table = [["rank", *map(str, range(1, len(shown) + 1))]]
        table.append(
            ["feature", *(shorten(printable(str(self.names[j])), _LETTERS) for j in shown)]
        )
        table.append([self.score_name, *(f"{self.scores[j]:.3g}" for j in shown)])
        # The bars have no heading; a name at their head would say the same as the scores'.
        best = max(self.scores[shown], default=0.0)
        table.append(["", *(_bar(self.scores[j], best) for j in shown)])
        if self.p_values is not None:
            said = "p" if self.statistic is None else f"p ({self.statistic})"
            table.append([said, *(short_p(self.p_values[j]) for j in shown)])
        if self.adjusted_p_values is not None and self.adjust is not None:
            table.append([self.adjust, *(short_p(self.adjusted_p_values[j]) for j in shown)])
        left = {1, 3}  # names and bars; numbers stand on the right
        repeats = [shorten(printable(self.repeats(j)), _LETTERS) for j in shown]
        if any(repeats):
            left.add(len(table))
            table.append(["repeats", *repeats])
        widths = [max(map(len, column)) for column in table]
        rows = [
            "  ".join(
                cell.ljust(width) if i in left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in zip(*table, strict=True)
        ]
        return "\n".join([self.title, *rows, *self._remarks(len(shown))])

    def _remarks(self, n_shown: int) -> list[str]:
        remarks = []
        if len(self) > n_shown:
            remarks.append(f"... and {len(self) - n_shown:,} more")
        n_tied = sum(map(len, self.ties))
        if n_tied:
            remarks.append(
                f"{n_tied:,} features are tied: only the order of the columns separates them"
            )
        return remarks

    def plot(self, ax: Any = None, top: int = 30) -> Any:
        """Draw the scores of the best features as bars.

        With more features than are shown, a small curve of all scores says how quickly they fall,
        where there is room for it. P-values, if there are any, stand at the right. Where one score
        is far ahead, the scale is that of square roots.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure of fitting size.
        top : int, default=30
            How many features to show at most.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the bars; nothing is shown or saved.

        """
        from inforest.ranking.plots import plot_ranking

        return plot_ranking(self, ax=ax, top=top)


def _bar(score: float, best: float) -> str:
    """Return a bar as long as the score's share of the best; negative scores have none."""
    if not best > 0 or score <= 0:
        return ""
    return "█" * round(score / best * _BAR) or "▏"
