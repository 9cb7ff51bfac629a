"""`Design`: a recipe that makes a data set from a seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Dataset, DatasetInfo, Floats, Task

#: The seed of the study's designs.
DEFAULT_SEED = 1718


class Sample(NamedTuple):
    """What a recipe makes: features, target, and what each feature is."""

    X: Floats
    y: NDArray[Any]
    informative: NDArray[np.intp]
    kinds: NDArray[np.str_]


@dataclass(frozen=True)
class Design:
    """A family of data sets, one for each seed.

    Attributes
    ----------
    name : str
        The name of the study's member, made with `DEFAULT_SEED`.
    task : {"classification", "regression"}
        What is to be predicted; classes are two.
    n_samples, n_features : int
        The size of its members.
    make : callable
        Takes a seed, returns a `Sample`.
    description : str
        The recipe in a few words.
    group : str
        The group of its members in the registry.
    quirks : tuple of str
        What a reader of its results must know.

    """

    name: str
    task: Task
    n_samples: int
    n_features: int
    make: Callable[[int], Sample]
    description: str
    group: str
    quirks: tuple[str, ...] = ()

    def info(self, seed: int = DEFAULT_SEED) -> DatasetInfo:
        """Return the entry of the member with a seed."""
        return DatasetInfo(
            name=self.name if seed == DEFAULT_SEED else f"{self.name}@{seed}",
            task=self.task,
            n_samples=self.n_samples,
            n_features=self.n_features,
            n_classes=2 if self.task == "classification" else None,
            source=f"generated: {self.description}; seed {seed}",
            license="BSD-3-Clause, as this package",
            quirks=self.quirks,
            group=self.group,
            checksum=None,
            loader=partial(self._load, seed),
        )

    def _load(self, seed: int, _data_dir: Path | None, _cache_dir: Path | None) -> Dataset:
        sample = self.make(seed)
        return Dataset(self.info(seed), sample.X, sample.y, [], sample.informative, sample.kinds)


def kinds_of(
    p: int, informative: NDArray[np.intp], redundant: Sequence[int] | NDArray[np.intp] = ()
) -> NDArray[np.str_]:
    """Name what each of p columns is; background, unless told otherwise."""
    kinds = np.full(p, "background", dtype="<U16")
    kinds[informative] = "informative"
    kinds[np.asarray(redundant, dtype=np.intp)] = "redundant"
    return kinds


def shuffle_columns(X: Floats, permutation: NDArray[np.intp]) -> tuple[Floats, NDArray[np.intp]]:
    """Permute columns; also return where each column has gone."""
    return X[:, permutation], np.argsort(permutation)
