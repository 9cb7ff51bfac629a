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


def damaged(rng, content):
    """Return the bytes with a few of them changed, lost, doubled or moved."""
    broken = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place, length = int(rng.integers(len(broken))), int(rng.integers(1, 64))
        match pick(rng, ["flip", "set", "cut", "repeat", "swap", "end"]):
            case "flip":
                broken[place] ^= 1 << int(rng.integers(8))
            case "set":
                broken[place : place + length] = rng.bytes(len(broken[place : place + length]))
            case "cut":
                del broken[place : place + length]
            case "repeat":
                broken[place:place] = broken[place : place + length]
            case "swap":
                other = int(rng.integers(len(broken)))
                broken[place], broken[other] = broken[other], broken[place]
            case "end":
                del broken[place + 1 :]
        if not broken:
            return b""
    return bytes(broken)
