"""The core's parts one at a time; an installation from a wheel does not have them."""

import pytest

core = pytest.importorskip(
    "inforest._core_testing", reason="wheels do not hold _core_testing; `make dev` builds it"
)
