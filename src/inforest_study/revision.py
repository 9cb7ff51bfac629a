"""Which revision of our engine a result depends on: part of its name in a store, and of its facts.

Results of methods that do without our engine depend on none, and stay valid when it changes.
"""

from collections.abc import Mapping

import inforest
from inforest_study import methods
from inforest_study.job import FIRST_REVISION
from inforest_study.method import RERANK, RERANKED


def current(method: str, parameters: Mapping[str, object]) -> int | None:
    """Return the revision that a result made now depends on; None if on none.

    Parameters
    ----------
    method : str
        The method's name.
    parameters : mapping
        Its parameters; re-ranking is the library's, whoever made the ranking.

    Examples
    --------
    >>> import inforest
    >>> from inforest_study.revision import current
    >>> current("CIF", {}) == inforest.engine_revision
    True
    >>> current("RF", {}) is None
    True

    """
    depends = methods.get(method).uses_engine or RERANK in parameters
    return inforest.engine_revision if depends else None


def unrecorded(method: str, config: str) -> int | None:
    """Return the revision of a result that records none; None if it depends on none."""
    is_known = method in methods.names()
    depends = (is_known and methods.get(method).uses_engine) or config.endswith(f"+{RERANKED}")
    return FIRST_REVISION if depends else None
