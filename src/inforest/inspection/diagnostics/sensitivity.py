"""`sensitivity`: whether the top k depends on how many features each node may choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from inforest._engine.arrays import Floats
from inforest._engine.figure_colours import colours
from inforest._engine.limits import MOST_FITS
from inforest._engine.sklearn_private import Interval, validate_parameter_constraints
from inforest.inspection.diagnostics._plots import (
    axes_for,
    label_rows,
    legend_above,
)
from inforest.inspection.diagnostics._refits import (
    CONSTRAINTS,
    check_k,
    draw_seed,
    each,
    make_problem,
    streams,
)
from inforest.inspection.diagnostics._result import Diagnostic, printed
from inforest.inspection.diagnostics.stability import Overlap
from inforest.ranking.forest_ranker import ForestRanker
from inforest.ranking.ranker import Reading, read_ranking

_CONSTRAINTS: dict[str, list[Any]] = {
    **CONSTRAINTS,
    "n_repeats": [Interval(Integral, 2, MOST_FITS, closed="both")],
    "n_estimators_all": [Interval(Integral, 1, None, closed="left"), None],
}
#: Changes of the top k that count, beyond what seeds do: a share of k, at least half a feature.
_CHANGE, _LEAST = 0.1, 0.5


@dataclass(frozen=True, eq=False)
class Setting:
    """The rankings with one value of max_features, each with its own seed.

    Attributes
    ----------
    max_features : int, float, str or None
        The value.
    n_estimators : int or None
        Number of trees, if the estimator has such a parameter.
    overlap : Overlap
        The top k of each fit.
    scores : ndarray of shape (n_features,)
        Mean score of each feature over the fits.

    """

    max_features: Any
    n_estimators: int | None
    overlap: Overlap
    scores: Floats

    @property
    def label(self) -> str:
        """The value as text."""
        if isinstance(self.max_features, tuple):
            share, most = self.max_features
            return f"{share:.3g}, at most {most}"
        return "all features" if self.max_features is None else str(self.max_features)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Diagnostic):
    """Top k features for several values of max_features.

    Attributes
    ----------
    names : ndarray of shape (n_features,)
        Names of the features.
    k : int
        Size of the top.
    settings : list of Setting
        The first is the base: the estimator as it is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import sensitivity
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(10, random_state=0)
    >>> result = sensitivity(X, y, k=2, estimator=forest, max_features=[None], random_state=0)
    >>> [setting.label for setting in result.settings]
    ['0.333, at most 500', 'all features']

    """

    names: NDArray[Any]
    k: int
    settings: list[Setting]

    @property
    def base(self) -> Setting:
        """The estimator as it is."""
        return self.settings[0]

    @property
    def common(self) -> Floats:
        """How many features each setting's top k has in common with that of the base.

        Mean over all pairs of fits, one of each; for the base itself, of two different fits.
        """
        frequency = self.base.overlap.frequency
        across = [float(s.overlap.frequency @ frequency) for s in self.settings[1:]]
        return np.array([self.base.overlap.common, *across])

    @property
    def expected(self) -> Floats:
        """How many would be in common if only the seeds mattered.

        The mean of what two fits with the base setting, and two with the other, have in common.
        Minus `common`, this is half the squared distance of the two settings' frequencies.
        """
        own = np.array([setting.overlap.common for setting in self.settings])
        return (own + own[0]) / 2

    @property
    def changed(self) -> NDArray[np.bool_]:
        """Whether a setting changes the top k by more than other seeds do.

        That is by more than a tenth of k, and more than half a feature.
        """
        return self.expected - self.common > max(_LEAST, _CHANGE * self.k)

    @property
    def agreement(self) -> Floats:
        """Spearman correlation of the mean scores with those of the base.

        Among the features that have a score in either; nan if the scores do not vary.
        """
        return np.array([_spearman(setting.scores, self.base.scores) for setting in self.settings])

    def entering(self, index: int) -> NDArray[np.intp]:
        """Return features in the top k of most fits of a setting, but not of most of the base."""
        most = self.settings[index].overlap.frequency > 0.5
        return np.flatnonzero(most & (self.base.overlap.frequency <= 0.5))

    @property
    def conclusion(self) -> str:
        """What to conclude, in one sentence."""
        if self.base.overlap.tie_words:
            return f"{self.base.overlap.tie_words}."
        if not self.changed.any():
            least = int(self.common[1:].argmin()) + 1
            return (
                f"The top {self.k} does not depend on max_features: at least"
                f" {self.common[least]:.1f} of {self.k} stay"
                f" ({_with_words(self.settings[least])}), where another seed alone leaves"
                f" {self.expected[least]:.1f}."
            )
        most = int((self.expected - self.common).argmax())
        return (
            f"The top {self.k} depends on max_features: {_with_words(self.settings[most])}, only"
            f" {self.common[most]:.1f} of {self.k} stay, where another seed alone leaves"
            f" {self.expected[most]:.1f}; prefer features that are in the top either way."
        )

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per setting, the base first.

        Returns
        -------
        frame : pandas.DataFrame
            Columns `n_estimators`, `common`, `expected`, `agreement`, `changed`.

        """
        import pandas as pd

        index = pd.Index([setting.label for setting in self.settings], name="max_features")
        return pd.DataFrame(
            {
                "n_estimators": [setting.n_estimators for setting in self.settings],
                "common": self.common,
                "expected": self.expected,
                "agreement": self.agreement,
                "changed": self.changed,
            },
            index=index,
        )

    def __repr__(self) -> str:
        """Show a line per setting."""
        width = max(len("max_features"), *(len(setting.label) for setting in self.settings))
        lines = [
            f"Sensitivity of the top {self.k} of {len(self.names):,} features",
            f"{len(self.base.overlap.top)} fits with each value",
            f"{'max_features':<{width}}  trees  in common  seeds alone  score agreement",
        ]
        columns = zip(self.settings, self.common, self.expected, self.agreement, strict=True)
        for i, (setting, common, expected, agreement) in enumerate(columns):
            trees = "-" if setting.n_estimators is None else setting.n_estimators
            line = f"{setting.label:<{width}}  {trees:>5}  {common:9.1f}  {expected:11.1f}"
            lines.append(f"{line}  {agreement:15.2f}{'  (base)' if i == 0 else ''}")
            new = [printed(self.names[j]) for j in self.entering(i)]
            if new:
                lines.append(f"  enter the top: {', '.join(new)}")
        return "\n".join([*lines, self.conclusion])

    def plot(self, ax: Any = None) -> Any:
        """Plot how many of the top k stay, and how many would stay with other seeds alone.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib axes
            The axes that hold the plot; nothing is shown or saved.

        """
        ax = axes_for(ax, len(self.settings))
        rows = np.arange(len(self.settings))
        ax.hlines(rows, self.common, self.expected, color=colours().quiet, linewidth=1.5)
        ax.plot(
            self.expected,
            rows,
            "|",
            color=colours().ink,
            markersize=14,
            label="with other seeds alone",
        )
        of_row = np.where(self.changed, colours().strong, colours().ink)
        ax.scatter(self.common, rows, s=40, color=of_row, zorder=3, label="in common with the base")
        label_rows(ax, [s.label + " (base)" * (s is self.base) for s in self.settings])
        ax.set_xlim(0, 1.02 * self.k)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel(f"features of the top {self.k} that stay")
        ax.set_ylabel("max_features")
        verdict = "depends" if self.changed.any() else "does not depend"
        ax.set_title(f"The top {self.k} {verdict} on max_features")
        legend_above(ax)
        return ax


def sensitivity(
    X: ArrayLike,
    y: ArrayLike,
    *,
    k: int | None = None,
    estimator: Any = None,
    max_features: Sequence[Any] = ("sqrt", 0.2, 0.5, None),
    n_repeats: int = 5,
    n_estimators_all: int | None = 25,
    task: str = "auto",
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Sensitivity:
    """Rank with other numbers of candidates per node and see whether the top k changes.

    A forest draws `max_features` candidates at each node. With many features and few that matter,
    a small number leaves the informative ones out of many splits; a large one lets the strongest
    hide the others. A top k that stays the same either way is not an artefact of this choice.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers; sparse and missing values only if `estimator` takes them.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    k : int or None, default=None
        Size of the top. None: 10, or half of the features where there are fewer than 20.
    estimator : estimator object or None, default=None
        What ranks; it, or the forest of a `ForestRanker`, must have a parameter `max_features`.
        None: the ranker of `rank_features`.
        As it is, it is the base that all others are compared with.
    max_features : sequence, default=("sqrt", 0.2, 0.5, None)
        The values to compare with the base; what they mean, the estimator says. None: all features
        at every node.
    n_repeats : int, default=5
        Fits with each value, to know what other seeds alone would change.
    n_estimators_all : int or None, default=25
        Trees at most where all features are tested at every node, which takes long. None: as many
        as elsewhere.
    task : {"auto", "classification", "regression"}, default="auto"
        As in `rank_features`.
    blocks, groups : array-like of shape (n_samples,) or None, default=None
        Which rows belong together, as in the `fit` of a forest, which gets them.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    random_state : int, RandomState instance or None, default=None
        Seeds the fits.
    n_jobs : int or None, default=None
        Threads of the default forest; the result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar if it takes longer than a second.

    Returns
    -------
    result : Sensitivity
        Overlaps and agreement; `conclusion`, `to_frame()`, `plot()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier
    >>> from inforest.diagnostics import sensitivity
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ConditionalInferenceForestClassifier(20)
    >>> result = sensitivity(X, y, k=2, estimator=forest, max_features=[None], random_state=0)
    >>> bool(result.changed.any())
    False

    """
    params = {name: value for name, value in locals().items() if name in _CONSTRAINTS}
    validate_parameter_constraints(_CONSTRAINTS, params, caller_name="sensitivity")
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
    values = _values(problem.estimator, max_features)
    n_trees = problem.estimator.get_params().get(_parameter(problem.estimator, "n_estimators"))
    variants = [
        _parameters(problem.estimator, value, n_trees, n_estimators_all) for value in values
    ]
    variants[0] = {}  # the base stays as it is

    def fit(job: tuple[dict[str, Any], np.random.Generator]) -> Reading:
        params, rng = job
        return read_ranking(problem.fit(draw_seed(rng), **params), problem.n_features)

    often = [params for params in variants for _ in range(n_repeats)]
    fits = each(fit, list(zip(often, streams(random_state, len(often)), strict=True)), verbose)
    settings = []
    for i, (value, params) in enumerate(zip(values, variants, strict=True)):
        readings = fits[i * n_repeats : (i + 1) * n_repeats]
        trees = params.get(_parameter(problem.estimator, "n_estimators"), n_trees)
        scores = np.mean([reading.scores for reading in readings], axis=0)
        settings.append(Setting(value, trees, Overlap.of(readings, k), scores))
    return Sensitivity(problem.names, k, settings)


def _values(estimator: Any, max_features: Any) -> list[Any]:
    """Return the values to try, that of the estimator first."""
    params, name = estimator.get_params(), _parameter(estimator, "max_features")
    if name not in params:
        raise ValueError(
            "estimator must have a parameter max_features, or there is nothing to vary;"
            f" {type(estimator).__name__} has none"
        )
    if isinstance(max_features, str) or not isinstance(max_features, Sequence):
        raise TypeError(
            f"max_features must be a sequence of values to compare; got {max_features!r}"
        )
    values = [params[name]]
    for value in max_features:
        # 1 is one feature, 1.0 all of them: equal, but not the same.
        if not any(value == known and type(value) is type(known) for known in values):
            values.append(value)
    if len(values) == 1:
        raise ValueError(
            f"max_features must hold a value that differs from the estimator's own, {values[0]!r};"
            f" got {max_features!r}"
        )
    return values


def _parameters(
    estimator: Any, value: Any, n_trees: int | None, most_trees: int | None
) -> dict[str, Any]:
    """Return what to set: fewer trees where all features are tested at every node."""
    params = {_parameter(estimator, "max_features"): value}
    if value is None and n_trees is not None and most_trees is not None:
        params[_parameter(estimator, "n_estimators")] = min(n_trees, most_trees)
    return params


def _parameter(estimator: Any, name: str) -> str:
    """Return the name under which an estimator has a parameter: its forest's if it has one."""
    return f"forest__{name}" if isinstance(estimator, ForestRanker) else name


def _with_words(setting: Setting) -> str:
    if setting.max_features is None:
        return "with all features tested at every node"
    return f"with max_features={setting.max_features!r}"


def _spearman(a: Floats, b: Floats) -> float:
    scored = (a != 0) | (b != 0)
    ranks = rankdata([a[scored], b[scored]], axis=1)
    if ranks.shape[1] < 2 or not np.ptp(ranks, axis=1).all():
        return float("nan")
    return float(np.corrcoef(ranks)[0, 1])
