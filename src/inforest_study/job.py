"""`Job`: one ranking of one data set, and its scores; `Options`: how the suite asks for them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from inforest_study.dataset import Task

#: What a job does: rank the features, then score learners on the best of them.
Step = Literal["rank", "score"]
STEPS: tuple[Step, ...] = ("rank", "score")
#: How a step ended.
Status = Literal["done", "failed", "over-budget", "skipped"]
STATUSES: tuple[Status, ...] = ("done", "over-budget", "failed", "skipped")
#: The engine's revision before there was a record of it: not in digests, and what results without
#: a record are of.
FIRST_REVISION = 1


@dataclass(frozen=True)
class Options:
    """What is done with a ranking's data; results of other options are other results.

    Attributes
    ----------
    folds : int
        Number of folds; 0 ranks on the whole data set.
    scale : bool
        Whether the ranker sees standardised features.
    ks : "standard", "high-p" or tuple of int
        How many of the best features the learners get.
    learners : tuple of str or None
        The learners; None takes all of the task.
    steps : tuple of {"rank", "score"}
        What to do.
    score_folds : int
        Without folds: the number of folds in which learners see the ranking of the whole data
        set. Such scores compare changes of a method; as scores of a ranking they are too good,
        because it has seen the rows that are left out.
    timed_runs : int
        How often a ranking is made for its time, at most: the least of them counts, so that
        fits of milliseconds are timed warm. No more are begun after a second. The ranking is
        the same, and so is its name in a store: one that is there is not timed again.

    """

    folds: int = 5
    scale: bool = True
    ks: str | tuple[int, ...] = "standard"
    learners: tuple[str, ...] | None = None
    steps: tuple[Step, ...] = STEPS
    score_folds: int = 0
    timed_runs: int = 1


@dataclass(frozen=True)
class Job:
    """A data set, a method with one configuration, a seed and a fold.

    Attributes
    ----------
    dataset, method, config : str
        Names.
    seed : int
        Seed of the folds, or of the method if there are none.
    fold : int or None
        The fold that is left out; None ranks on the whole data set.
    task : {"classification", "regression", "survival"}
        The data set's task.
    parameters : mapping
        What `config` stands for.
    options : Options
        What is done with the data.
    checksum : str or None
        The data set's checksum, where there is one.
    engine_revision : int or None
        The revision of our engine that the ranking depends on; None if on none.

    Examples
    --------
    >>> from inforest_study.job import Job
    >>> Job("wine", "CIF", "mc", 0, 3).key
    'wine/CIF/mc/seed0/fold3'

    """

    dataset: str
    method: str
    config: str
    seed: int
    fold: int | None
    task: Task = field(default="classification", compare=False)
    parameters: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    options: Options = field(default_factory=Options, compare=False, repr=False)
    checksum: str | None = field(default=None, compare=False, repr=False)
    engine_revision: int | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in (self.dataset, self.method, self.config):
            if not name or "/" in name:
                raise ValueError(f"a name must not be empty or have a '/'; got {name!r}")

    @cached_property
    def key(self) -> str:
        """The job in one readable line, unique in a suite."""
        place = "all" if self.fold is None else f"fold{self.fold}"
        return f"{self.dataset}/{self.method}/{self.config}/seed{self.seed}/{place}"

    @cached_property
    def rank_digest(self) -> str:
        """What a ranking depends on besides the key's words, in 8 characters."""
        parts = [self.parameters, self.options.folds, self.options.scale, self.checksum]
        if self.engine_revision not in (None, FIRST_REVISION):
            parts.append(self.engine_revision)
        return _digest(parts)

    @cached_property
    def score_digest(self) -> str:
        """What the scores of a ranking depend on, in 8 characters."""
        parts: list[Any] = [self.options.ks, self.options.learners]
        if self.options.score_folds:
            parts.append(self.options.score_folds)
        return _digest(parts)

    def digest(self, step: Step) -> str:
        """Tell results of one configuration's name apart after its parameters were changed."""
        return self.rank_digest if step == "rank" else f"{self.rank_digest}-{self.score_digest}"

    @property
    def random_state(self) -> int:
        """The seed that the method and the learners get."""
        from inforest_study.protocol import method_seed

        return self.seed if self.fold is None else method_seed(self.seed, self.fold)

    @property
    def siblings(self) -> tuple[str, str, str, str]:
        """What the job has in common with the other seeds and folds of its configuration."""
        return self.dataset, self.method, self.config, self.rank_digest


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=repr, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:8]
