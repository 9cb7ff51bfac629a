"""`stability`: whether another seed, or another half of the data, gives the same top k."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inforest._engine.arrays import Floats
from inforest._engine.figure_colours import colours
from inforest._engine.limits import MOST_FITS
from inforest._engine.sampling import strata_of_groups
from inforest._engine.sklearn_private import (
    Interval,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from inforest.inspection.diagnostics._plots import (
    MOST_ROWS,
    axes_for,
    label_rows,
    legend_above,
)
from inforest.inspection.diagnostics._refits import (
    CONSTRAINTS,
    Problem,
    check_k,
    draw_seed,
    each,
    make_problem,
    streams,
)
from inforest.inspection.diagnostics._result import Diagnostic, counted, printed
from inforest.inspection.diagnostics.complementary_pairs import (
    ASSUMPTIONS,
    draw_disjoint,
    expected_false_selections,
)
from inforest.inspection.diagnostics.stability_indices import (
    StabilityIndex,
    jaccard,
    kuncheva,
    nogueira,
)
from inforest.ranking.ranker import Reading, has_seed, read_ranking

_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "n_repeats": [Interval(Integral, 2, MOST_FITS, closed="both")],
    "vary": [StrOptions({"both", "seed", "subsample"})],
    "subsample": [Interval(RealNotInt, 0, 1, closed="neither")],
    "threshold": [Interval(Real, 0.5, 1, closed="right")],
}
#: Nogueira's index from which on agreement counts as fair, and as excellent.
_FAIR, _EXCELLENT = 0.4, 0.75
_SHOWN = 10
_Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Overlap:
    """The top k of several fits, and how alike they are.

    Attributes
    ----------
    top : ndarray of shape (n_repeats, k)
        Indices of the top k features of each fit, best first.
    n_features : int
        How many features there were.
    n_clear : float
        How many of the first k have a higher score than all features left out, in the median fit.
        The others are tied, above all at zero: a tie-breaker or the order of the columns put them
        there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import stability
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0)
    >>> result = stability(X, y, k=2, estimator=forest, n_repeats=4, random_state=0)
    >>> result.subsample.top.shape  # the two best features of each of four fits
    (4, 2)

    """

    top: _Rows
    n_features: int
    n_clear: float = float("inf")

    def __post_init__(self) -> None:
        self.top.setflags(write=False)

    @classmethod
    def of(cls, readings: Sequence[Reading], k: int) -> "Overlap":
        """Take the top k of what several fitted estimators say."""
        top = np.array([reading.order[:k] for reading in readings])
        clear = [np.sum(r.scores[r.order[:k]] > r.scores[r.order[k]]) for r in readings]
        return cls(top, len(readings[0].scores), float(np.median(clear)))

    @property
    def k(self) -> int:
        """Size of the sets."""
        return self.top.shape[1]

    @property
    def tie_words(self) -> str:
        """Why there is no top k to speak of; empty if there is one."""
        if self.n_clear >= self.k:
            return ""
        return (
            f"There is no top {self.k}: in the median fit only {self.n_clear:.0f} of the first"
            f" {self.k} features score higher than those left out, the others are tied with them;"
            " ask for a smaller k"
        )

    @cached_property
    def selected(self) -> NDArray[np.bool_]:
        """Whether a fit has a feature in its top k, of shape (n_repeats, n_features)."""
        selected = np.zeros((len(self.top), self.n_features), dtype=bool)
        np.put_along_axis(selected, self.top, True, axis=1)
        return selected

    @cached_property
    def frequency(self) -> Floats:
        """Share of the fits that have each feature in their top k."""
        return self.selected.mean(axis=0)

    @cached_property
    def common(self) -> float:
        """How many features two of the sets have in common, mean over all pairs."""
        pairs = list(combinations(self.sets, 2))
        return sum(len(a & b) for a, b in pairs) / len(pairs)

    @property
    def sets(self) -> list[set[int]]:
        """The top k of each fit as a set."""
        return [set(row) for row in self.top.tolist()]

    @cached_property
    def jaccard(self) -> float:
        """Mean Jaccard index over all pairs of fits."""
        return jaccard(self.sets)

    @cached_property
    def kuncheva(self) -> float:
        """Mean of Kuncheva's index over all pairs of fits; it equals Nogueira's, as k is fixed."""
        return kuncheva(self.sets, self.n_features)

    @cached_property
    def nogueira(self) -> StabilityIndex:
        """Nogueira's index with its 95% confidence interval."""
        return nogueira(self.selected)

    def reaching(self, threshold: float) -> _Rows:
        """Return the features with at least this frequency, the most frequent first."""
        least = ceil(len(self.top) * threshold - 1e-9)
        enough = self.selected.sum(axis=0) >= least
        order = np.argsort(-self.frequency, kind="stable")
        return order[enough[order]]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Diagnostic):
    """How often each feature is in the top k when the ranking is made again.

    Attributes
    ----------
    names : ndarray of shape (n_features,)
        Names of the features.
    k : int
        Size of the top.
    threshold : float
        Frequency from which on a feature counts as kept.
    seed : Overlap or None
        Fits on all rows that differ in their seed only; None if they were not asked for.
    subsample : Overlap or None
        Fits on subsamples of the rows, each with its own seed; None if not asked for.
    share : float
        Share of the rows in a subsample.
    n_pairs : int
        Number of pairs of disjoint subsamples; 0 if the subsamples are too large for pairs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import stability
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0)
    >>> result = stability(X, y, k=2, estimator=forest, n_repeats=4, random_state=0)
    >>> result.frequency.shape
    (4,)

    """

    names: NDArray[Any]
    k: int
    threshold: float
    seed: Overlap | None
    subsample: Overlap | None
    share: float
    n_pairs: int

    @property
    def main(self) -> Overlap:
        """The subsamples, the harder trial, where there are any; else the seeds."""
        overlap = self.seed if self.subsample is None else self.subsample
        assert overlap is not None
        return overlap

    @property
    def frequency(self) -> Floats:
        """Share of the fits of `main` that have each feature in their top k."""
        return self.main.frequency

    @property
    def kept(self) -> NDArray[np.intp]:
        """Indices of the features whose frequency reaches the threshold, most frequent first."""
        return self.main.reaching(self.threshold)

    @cached_property
    def false_selections(self) -> dict[str, float]:
        """Bounds on how many features in `kept` are false, in expectation, by assumption.

        The keys are those of `expected_false_selections`: "none", "unimodal", "r-concave". Empty
        without complementary pairs.
        """
        if not self.n_pairs:
            return {}
        return {
            assumption: expected_false_selections(
                self.k, len(self.names), self.threshold, self.n_pairs, assumption
            )
            for assumption in ASSUMPTIONS
        }

    @property
    def conclusion(self) -> str:
        """What to conclude, in one sentence."""
        if self.main.tie_words:
            return f"{self.main.tie_words}."
        value = self.main.nogueira.value
        word = "not stable"
        if value >= _FAIR:
            word = "stable" if value >= _EXCELLENT else "fairly stable"
        what = "with another seed"
        if self.subsample is not None:
            what = f"on another {'half' if self.share == 0.5 else f'{self.share:.0%}'} of the rows"
        words = f"The top {self.k} is {word}: {what}, {self.main.common:.1f} of {self.k} come back"
        if self.subsample is not None and self.seed is not None:
            more = "" if self.seed.nogueira.value >= _EXCELLENT else ": more trees would help"
            words += f" (with another seed alone, {self.seed.common:.1f}{more})"
        return f"{words}; {self._kept_words}."

    @property
    def _kept_words(self) -> str:
        n = len(self.kept)
        words = f"{counted(n, 'feature')} {'is' if n == 1 else 'are'} there in at least"
        words += f" {self.threshold:.0%} of the fits"
        if not n or not self.n_pairs:
            return words
        bound = self.false_selections["none"]
        if bound >= n:
            return f"{words}, which is no proof: chance could explain as many"
        return (
            f"{words}; on average at most {bound:.2g} by chance, a limit for any data, no estimate"
        )

    def to_frame(self) -> Any:
        """Return a pandas data frame, the most frequent features first.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `seed` and `subsample`, the frequencies, as far as they were asked for, and
            `kept`, whether the threshold is reached.

        """
        import pandas as pd

        order = self._order
        columns: dict[str, Any] = {
            kind: overlap.frequency[order] for kind, overlap in self._kinds.items()
        }
        columns["kept"] = np.isin(order, self.kept)
        return pd.DataFrame(columns, index=pd.Index(self.names[order], name="feature"))

    @property
    def _kinds(self) -> dict[str, Overlap]:
        kinds = {"subsample": self.subsample, "seed": self.seed}
        return {kind: overlap for kind, overlap in kinds.items() if overlap is not None}

    @property
    def _order(self) -> NDArray[np.intp]:
        """Features by frequency, the seeds' among equals."""
        keys = [-overlap.frequency for overlap in self._kinds.values()]
        return np.lexsort(keys[::-1])

    def __repr__(self) -> str:
        """Show the indices and the most frequent features."""
        lines = [f"Stability of the top {self.k} of {len(self.names)} features"]
        lines.append("varied     fits  in common  Jaccard  Kuncheva  Nogueira (95% interval)")
        for kind, overlap in self._kinds.items():
            index = overlap.nogueira
            lines.append(
                f"{kind:<9} {len(overlap.top):5d} {overlap.common:10.1f} {overlap.jaccard:8.2f}"
                f" {overlap.kuncheva:9.2f}  {index.value:.2f} ({index.low:.2f} to {index.high:.2f})"
            )
        shown = [j for j in self._order[:_SHOWN] if self.frequency[j] > 0]
        title = f"frequency in the top {self.k}"
        names = [printed(self.names[j]) for j in shown]
        width = max(map(len, [title, *names]))
        lines.append(f"{title:<{width}}" + "".join(f"  {kind:>9}" for kind in self._kinds))
        lines += [
            f"{name:<{width}}"
            + "".join(f"  {overlap.frequency[j]:9.0%}" for overlap in self._kinds.values())
            for j, name in zip(shown, names, strict=True)
        ]
        left = int((self.frequency > 0).sum()) - len(shown)
        if left > 0:
            lines.append(f"... and {left:,} more that are there at least once")
        if self.n_pairs:
            bounds = ", ".join(
                f"{bound:.2g} ({'any data' if assumption == 'none' else assumption})"
                for assumption, bound in self.false_selections.items()
            )
            lines.append(
                f"{counted(len(self.kept), 'feature')} at {self.threshold:.0%} or more; by chance"
                f" on average at most {bounds}"
            )
        return "\n".join([*lines, self.conclusion])

    def plot(self, ax: Any = None) -> Any:
        """Plot how often the most frequent features are in the top k.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        order = self._order
        shown = order[self.frequency[order] > 0][:MOST_ROWS]
        ax = axes_for(ax, len(shown))
        rows = np.arange(len(shown))
        styles: dict[str, dict[str, Any]] = {
            "subsample": {
                "color": colours().strong,
                "marker": "o",
                "label": f"on {self.share:.0%} of the rows",
            },
            "seed": {"color": colours().quiet, "marker": "D", "label": "with another seed"},
        }
        for kind, overlap in reversed(self._kinds.items()):
            ax.scatter(overlap.frequency[shown], rows, s=26, zorder=3, **styles[kind])
        ax.hlines(rows, 0, self.frequency[shown], color=colours().quiet, linewidth=0.8, alpha=0.5)
        ax.axvline(self.threshold, color=colours().ink, linewidth=1, linestyle="--")
        label_rows(ax, [str(self.names[j]) for j in shown])
        ax.set_xlim(-0.03, 1.03)  # a marker at 0 or 1 is whole, and on no name
        ax.set_xlabel(f"share of the fits with the feature in their top {self.k}")
        n_more = int((self.frequency > 0).sum()) - len(shown)
        title = f"{len(self.kept)} of {len(self.names):,} features reach {self.threshold:.0%}"
        ax.set_title(title + (f"; {n_more:,} more are there at times" if n_more else ""))
        legend_above(ax)
        return ax


def stability(
    X: ArrayLike,
    y: ArrayLike,
    *,
    k: int | None = None,
    estimator: Any = None,
    n_repeats: int = 20,
    vary: str = "both",
    subsample: float = 0.5,
    threshold: float = 0.9,
    task: str = "auto",
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Rank the features again and again and see whether the top k stays the same.

    Two things are varied. The seed alone: what changes then is Monte Carlo noise, which more trees
    remove. And the rows: what changes then would change with other data from the same source.

    Subsamples of at most half of the rows come in pairs without a common row (complementary pairs
    [2]_). For the features that reach `threshold` there, `false_selections` bounds how many can be
    expected to be in the top k by chance only; see `expected_false_selections` for what that means
    and what it assumes. The strongest statement assumes nothing but that the rows are independent
    draws from one distribution: features that get into the top k of half the data with a
    probability of at most k / n_features are meant, and this includes those without any influence
    if the ranking is not worse than guessing on them. With few features the bounds are too weak to
    say anything. They are about the chosen k and threshold; to choose these by looking at the
    result invalidates them. Subsamples keep the classes' shares, so that in classification the two
    of a pair are independent given the numbers of rows of the classes only. Nogueira's interval
    takes all subsamples for independent, those of a pair as well: it is a rough guide. Nor is its
    index 0 on noise: two halves of one table share half of their rows on average, so that the top
    by chance comes back; 0.07 to 0.15 were measured (docs/diagnostics.md).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; sparse and missing values only if `estimator` takes them.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    k : int or None, default=None
        Size of the top. None: 10, or half of the features where there are fewer than 20.
    estimator : estimator object or None, default=None
        What ranks, as in `rank_features`. None: a conditional inference forest.
    n_repeats : int, default=20
        Fits of each kind; an even number where subsamples come in pairs.
    vary : {"both", "seed", "subsample"}, default="both"
        What to vary. "seed" warns about an estimator that has none.
    subsample : float, default=0.5
        Share of the rows in a subsample, in (0, 1). Subsamples keep the classes' shares.
    threshold : float, default=0.9
        Frequency from which on a feature counts as kept, in (0.5, 1].
    task : {"auto", "classification", "regression"}, default="auto"
        As in `rank_features`.
    blocks, groups : array-like of shape (n_samples,) or None, default=None
        Which rows belong together, as in the `fit` of a forest, which gets them. Subsamples hold
        all rows of a group or none.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    random_state : int, RandomState instance or None, default=None
        Seeds the fits and draws the subsamples.
    n_jobs : int or None, default=None
        Threads of the default forest; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if it takes longer than a second.

    Returns
    -------
    result : Stability
        Frequencies, indices of stability, bounds; `conclusion`, `to_frame()`, `plot()`.

    See Also
    --------
    jaccard, kuncheva, nogueira : The indices, for sets of your own.
    expected_false_selections : The bounds.

    References
    ----------
    .. [1] Nogueira, Sechidis, Brown (2018). On the stability of feature selection algorithms.
       Journal of Machine Learning Research 18(174).
    .. [2] Shah, Samworth (2013). Variable selection with error control: another look at stability
       selection. Journal of the Royal Statistical Society B 75, 55-80.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import stability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestClassifier()
    >>> result = stability(X, y, estimator=forest, k=2, n_repeats=4, random_state=0)
    >>> result.names[result.kept].tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> result.subsample.nogueira.value
    1.0

    """
    params = {name: value for name, value in locals().items() if name in _CONSTRAINTS}
    validate_parameter_constraints(_CONSTRAINTS, params, caller_name="stability")
    problem = make_problem(
        X,
        y,
        estimator=estimator,
        task=task,
        feature_names=feature_names,
        n_jobs=n_jobs,
        blocks=blocks,
        groups=groups,
    )
    k = check_k(k, problem.n_features)
    in_pairs = vary != "seed" and subsample <= 0.5
    if in_pairs and n_repeats % 2:
        raise ValueError(
            "n_repeats must be even, because subsamples of at most half of the rows come in pairs;"
            f" got {n_repeats!r}"
        )
    jobs: list[tuple[int, _Rows | None]] = []
    generators = streams(random_state, 2 * n_repeats)
    if vary != "subsample":
        if vary == "seed" and not has_seed(problem.estimator):
            warnings.warn(
                f"{type(problem.estimator).__name__} has no random_state: with another seed it"
                " gives the same ranking; vary='subsample' varies the rows alone",
                UserWarning,
                stacklevel=2,
            )
        jobs += [(draw_seed(rng), None) for rng in generators[::2]]
    if vary != "seed":
        jobs += _subsamples(problem, generators[1::2], subsample, 2 if in_pairs else 1)

    def read(job: tuple[int, _Rows | None]) -> Reading:
        seed, rows = job
        return read_ranking(problem.fit(seed, rows), problem.n_features)

    readings = each(read, jobs, verbose)
    by_seed = readings[:n_repeats] if vary != "subsample" else None
    by_rows = readings[-n_repeats:] if vary != "seed" else None
    return Stability(
        names=problem.names,
        k=k,
        threshold=float(threshold),
        seed=None if by_seed is None else Overlap.of(by_seed, k),
        subsample=None if by_rows is None else Overlap.of(by_rows, k),
        share=float(subsample),
        n_pairs=n_repeats // 2 if in_pairs else 0,
    )


def _subsamples(
    problem: Problem, generators: list[np.random.Generator], share: float, n_parts: int
) -> list[tuple[int, _Rows | None]]:
    """Return a seed and the rows of each fit; those of a group of n_parts are disjoint."""
    groups, strata = problem.design.groups, problem.strata
    n_units, units = len(problem.y), "rows"
    problem.response_type.check_subsamples(problem.y)
    if groups is not None:
        n_units, units = int(groups.max()) + 1, "groups"
        strata = None if strata is None else strata_of_groups(strata, groups)
    size = int(share * n_units)
    if size < 2:
        raise ValueError(
            f"subsample must be a share that gives at least two of the {n_units} {units}; got"
            f" {share!r}"
        )
    jobs: list[tuple[int, _Rows | None]] = []
    for first in range(0, len(generators), n_parts):
        group = generators[first : first + n_parts]
        parts = draw_disjoint(group[0], n_units, size, n_parts, strata)
        if groups is not None:
            parts = [np.flatnonzero(np.isin(groups, part)) for part in parts]
        jobs += [(draw_seed(rng), rows) for rng, rows in zip(group, parts, strict=True)]
    return jobs
