"""Trees, rankings and p-values are bit for bit what they were when the hashes were written down."""

import hashlib
import json
import platform
import warnings
from pathlib import Path

import pytest

import inforest
from fingerprints import cases

WRITTEN = json.loads(Path(__file__).with_name("fingerprints.json").read_text())
#: The engine's revision that the hashes are of, and a hash of them all.
MADE_BY = json.loads(Path(__file__).with_name("fingerprints_revision.json").read_text())
CASES = dict(cases())


def test_every_case_is_written_down():
    assert list(WRITTEN) == list(CASES)


def test_the_hashes_are_those_of_the_engines_revision():
    """Whoever writes hashes down again comes by here, and raises the revision if one changed."""
    text = json.dumps(WRITTEN, sort_keys=True)
    found = {
        "engine_revision": inforest.engine_revision,
        "hash": hashlib.blake2b(text.encode(), digest_size=8).hexdigest(),
    }
    assert found == MADE_BY, (
        "if a hash changed, raise inforest.engine_revision; if cases were only added, keep it."
        " Then write what was found to fingerprints_revision.json"
    )


@pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="the hashes are of Linux on x86-64: other systems round logarithms in other ways",
)
@pytest.mark.parametrize("name", CASES)
def test_same_bits(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert CASES[name]() == WRITTEN[name]
