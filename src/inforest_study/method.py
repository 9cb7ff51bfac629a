"""`Method`: one way to rank features, with the configurations the study compares."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats, Task

#: Values of a method's parameters by name.
Parameters = Mapping[str, Any]
#: The variant that every method has, and the parameter that it sets: see `reranked`.
RERANKED, RERANK = "reranked", "rerank"
#: How strongly our own default ranking discounts redundancy, and so "reranked" does.
REDUNDANCY: Mapping[Task, float] = {"classification": 1.0, "regression": 0.5, "survival": 0.5}


class MethodUnavailable(Exception):  # noqa: N818 - an outcome of a run like others
    """A method cannot run here; the message says what to install."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a method found out about the features of a data set.

    Attributes
    ----------
    order : ndarray of shape (n_features,)
        Every feature once, best first: ``order[:k]`` are the top k.
    scores : ndarray of shape (n_features,)
        What the method thinks of each feature, by feature; larger is better.
    usage : ndarray of shape (n_features,) or None
        Splits on each feature, summed over all trees; None if there are no trees to count in.
    trees_using : ndarray of shape (n_features,) or None
        Trees that split on each feature.
    facts : mapping of str to float
        Figures about the fit, such as `n_trees` and `splits_per_tree`.

    """

    order: NDArray[np.intp]
    scores: Floats
    usage: NDArray[np.int64] | None = None
    trees_using: NDArray[np.int64] | None = None
    facts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check what a method returned, where the method runs: a mistake is its own failure."""
        scores = np.asarray(self.scores, dtype=np.float64)
        if scores.ndim != 1 or np.isnan(scores).any():
            raise ValueError(f"scores must be one number for each feature; got {self.scores!r}")
        p = len(scores)
        order = np.asarray(self.order)
        if not np.array_equal(np.sort(order, axis=None), np.arange(p)) or order.ndim != 1:
            raise ValueError(f"order must hold each of the {p} features once; got {self.order!r}")
        counts: dict[str, NDArray[np.int64]] = {}
        for name in ("usage", "trees_using"):
            value = getattr(self, name)
            if value is not None:
                counts[name] = np.asarray(value, dtype=np.int64)
                if counts[name].shape != (p,):
                    raise ValueError(f"{name} must hold {p} counts; got {value!r}")
        facts = {str(name): float(value) for name, value in self.facts.items()}
        checked = {"scores": scores, "order": order.astype(np.intp), **counts, "facts": facts}
        for name, value in checked.items():
            object.__setattr__(self, name, value)


#: (X, y, task, parameters, random_state, n_jobs) -> Ranked
Rank = Callable[[Floats, NDArray[np.generic], Task, Parameters, int, int], Ranked]


def nothing_required() -> None:
    """Accept: the method needs nothing beyond the package itself."""


@dataclass(frozen=True, eq=False)
class Method:
    """One way to rank features.

    Attributes
    ----------
    name : str
        The name in the paper, such as "CIF" or "RF-RFE".
    configs : mapping of task to mapping of str to parameters
        The grid of configurations by task and name. A task that is not here is not supported.
    selected : mapping of task to str
        The configuration that stands for the method in the main comparison.
    rank : callable
        ``rank(X, y, task, parameters, random_state, n_jobs)`` returns a `Ranked`. The same
        arguments give the same ranking.
    requires : callable
        Raises `MethodUnavailable` where the method cannot run.
    selected_synthetic : mapping of task to str
        The configuration of the recovery study, where it is another one than `selected`.
    variants : mapping of str to parameters
        Named changes of a configuration, for ablations: "mc+no_mute" is "mc" with the parameters
        of "no_mute" on top. Every method has "reranked".
    cost_hint : callable or None
        ``cost_hint(n_samples, n_features, n_classes)``: rough seconds on one core; `n_classes` is
        None in other tasks.
    uses_engine : bool
        Whether this library's trees or tests make the ranking, so that results depend on
        `inforest.engine_revision`.

    Examples
    --------
    >>> from inforest_study import methods
    >>> method = methods.get("LightGBM")
    >>> list(method.configs["regression"]), method.selected["regression"]
    (['split', 'gain'], 'gain')

    """

    name: str
    configs: Mapping[Task, Mapping[str, Parameters]]
    selected: Mapping[Task, str]
    rank: Rank
    requires: Callable[[], None] = nothing_required
    selected_synthetic: Mapping[Task, str] = field(default_factory=dict)
    variants: Mapping[str, Parameters] = field(default_factory=dict)
    cost_hint: Callable[[int, int, int | None], float] | None = None
    uses_engine: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", {**self.variants, RERANKED: {RERANK: None}})
        for selection in (self.selected, self.selected_synthetic):
            for task, config in selection.items():
                self.parameters(task, config)
        if set(self.selected) != set(self.configs):
            raise ValueError(f"{self.name}: each task needs a selected configuration")

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks the method can do."""
        return tuple(self.configs)

    def parameters(self, task: Task, config: str | None = None) -> Parameters:
        """Look up the parameters of a configuration.

        Parameters
        ----------
        task : {"classification", "regression", "survival"}
            The task.
        config : str or None, default=None
            A configuration, or one with variants: "mc", "mc+no_mute". None, or a variant alone,
            starts from the selected one.

        Returns
        -------
        parameters : mapping
            A copy; a caller may put its own values on top.

        """
        if task not in self.configs:
            raise ValueError(f"{self.name} does not support {task}; it does {list(self.configs)}")
        configs = self.configs[task]
        first, *changes = (config or self.selected[task]).split("+")
        if first in self.variants and first not in configs:
            first, changes = self.selected[task], [first, *changes]
        merged = dict(configs[one_of(first, configs, f"{self.name} configuration")])
        for change in changes:
            merged |= self.variants[one_of(change, self.variants, f"{self.name} variant")]
        if RERANK in merged:
            merged[RERANK] = REDUNDANCY[task]
        return merged


def one_of(name: str, known: Iterable[str], noun: str) -> str:
    """Return `name` if it is known, else raise an error that lists what comes near it.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.
    noun : str
        What it is called in the error.

    Returns
    -------
    name : str
        The name itself.

    """
    names = list(known)
    if name in names:
        return name
    lower = {one.lower(): one for one in names}
    near = [lower[match] for match in get_close_matches(name.lower(), lower, n=5, cutoff=0.5)]
    hint = f"did you mean {', '.join(map(repr, near))}?" if near else f"known: {', '.join(names)}"
    raise ValueError(f"unknown {noun} {name!r}: {hint}")


def best_first(*scores: Floats) -> NDArray[np.intp]:
    """Order features by falling score; equal ones by the next score, at last by index.

    The paper breaks ties in a "deterministic, method-specific order", which in the authors' code
    is mostly that of an unstable sort. Here a tie always keeps the order of the columns.

    Parameters
    ----------
    *scores : ndarray of shape (n_features,)
        Scores, the first one deciding.

    Returns
    -------
    order : ndarray of shape (n_features,)
        Every feature once, best first.

    Examples
    --------
    >>> import numpy as np
    >>> from inforest_study.method import best_first
    >>> best_first(np.array([0.0, 2.0, 0.0, 2.0]))
    array([1, 3, 0, 2])

    """
    return np.lexsort([-score for score in reversed(scores)])  # lexsort is stable


def requires_package(module: str, package: str) -> Callable[[], None]:
    """Make a check that a module can be imported, without importing it.

    Parameters
    ----------
    module : str
        The name in `import`.
    package : str
        The name in `pip install`.

    Returns
    -------
    requires : callable
        Raises `MethodUnavailable` where the module is missing.

    """

    def requires() -> None:
        if find_spec(module) is None:
            raise MethodUnavailable(f"{package} not found: pip install {package}")

    return requires
