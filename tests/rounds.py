"""How long the fuzzing goes on: `make fuzz` sets it, `make test` takes a first look only."""

import os

import numpy as np

#: Rounds of each test, and where the seeds begin: INFOREST_FUZZ_SEED=1000 tries others.
ROUNDS = int(os.environ.get("INFOREST_FUZZ", "25"))
SEED = int(os.environ.get("INFOREST_FUZZ_SEED", "0"))


def rounds(share=1.0):
    """Yield seeds and their generators."""
    for seed in range(SEED, SEED + max(1, int(share * ROUNDS))):
        yield seed, np.random.default_rng(seed)


def pick(rng, values):
    """Return one of the values, as it is: NumPy would make strings of some."""
    return values[rng.integers(len(values))]


def flips(content):
    """Yield bytes with each a single bit flipped: all of them in `make fuzz`, else one per byte."""
    for place in range(len(content)):
        for bit in range(8) if ROUNDS >= 400 else [place * 5 % 8]:
            broken = bytearray(content)
            broken[place] ^= 1 << bit
            yield bytes(broken)
