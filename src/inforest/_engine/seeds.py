"""Seeds: `random_state` becomes independent streams, one per purpose, one word per tree."""

from enum import IntEnum
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state


class Purpose(IntEnum):
    """What a stream is for; each has its own key, so that none can overlap."""

    GROW = 0
    PERMUTE = 1
    STATISTIC = 2
    ROUND = 3


def root_entropy(random_state: Any) -> int | list[int]:
    """Turn `random_state` into the entropy of one fit (a RandomState moves on, as usual)."""
    if isinstance(random_state, Integral):
        return int(random_state)
    words = check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    return [int(word) for word in words]


def fresh_seed() -> int:
    """Draw a seed to note down, for who gave none; every library accepts 31 bits."""
    return int(check_random_state(None).randint(2**31 - 1))


def seeds(entropy: int | list[int], purpose: Purpose, n_seeds: int) -> NDArray[np.uint64]:
    """Return one seed per tree; the first k do not depend on how many are asked for."""
    sequence = np.random.SeedSequence(entropy, spawn_key=(int(purpose),))
    return sequence.generate_state(n_seeds, np.uint64).astype(np.uint64, copy=False)
