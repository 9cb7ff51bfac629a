"""The core's parts one at a time; an installation from a wheel does not have them."""

import os

import pytest

if "CIBUILDWHEEL" in os.environ:
    core = pytest.importorskip(
        "inforest._core_testing", reason="wheels do not hold _core_testing; `make dev` builds it"
    )
else:
    from inforest import _core_testing as core

__all__ = ["core"]
