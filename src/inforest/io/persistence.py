"""Fitted estimators in files, without pickle: reading one runs no code that the file brings along.

A file is a zip archive of a header and arrays; `archive` says how, `layout` what is in it.
"""

import os
import zipfile
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from inforest.io import archive
from inforest.io.archive import Arrays, Header
from inforest.io.layout import CLASSES
from inforest.io.reading import read_estimator
from inforest.io.writing import arrays_of, header_of


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted tree, forest, ranker, selector or filter to a file that `load` reads.

    The file is complete or not there: it is written under another name first. A forest of 500 trees
    with 91,000 nodes on the digits data takes 2.0 MB (14 MB as a pickle, most of it the
    proportions of the ten classes).

    Parameters
    ----------
    estimator : tree, forest, ForestRanker, FeatureSelector, PermutationFilter, ConditionalSelector
        It must be fitted, and its parameters plain values or estimators of this package: not a
        RandomState as `random_state`, not a function as `oob_score`.
    path : str or path-like
        The file. An old one is replaced.

    See Also
    --------
    load : The way back.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from inforest import ConditionalInferenceForestClassifier, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ConditionalInferenceForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(forest, Path(folder) / "iris.inforest")
    ...     copy = load(Path(folder) / "iris.inforest")
    >>> bool((copy.predict(X) == forest.predict(X)).all())
    True

    """
    archive.write(Path(path), *contents(estimator))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted estimator that `save` has written.

    Nothing in the file is executed. All of it is checked, so that a file that was cut off, changed
    or made by something else gives an error and never a wrong estimator that crashes later.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : estimator object
        As it was saved.

    See Also
    --------
    save : The way there, with an example.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from inforest import PermutationFilter, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(PermutationFilter(k=2, random_state=0).fit(X, y), Path(folder) / "filter.inforest")
    ...     copy = load(Path(folder) / "filter.inforest")
    >>> copy.transform(X).shape
    (150, 2)

    """
    with Path(path).open("rb") as file:
        try:
            room = archive.Room(file)
            return read(*archive.read(file, room), room)
        except Exception as error:  # damage shows in many ways
            reason = str(error) or type(error).__name__
            if not zipfile.is_zipfile(file):
                reason = "it is not a file of inforest, or it was cut off"
            raise ValueError(f"{os.fspath(path)!r} cannot be loaded: {reason}") from error


def contents(estimator: Any) -> tuple[Header, dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a fitted estimator."""
    from inforest.io import compound

    name = type(estimator).__name__
    has_parts = name in compound.HOMES and compound.class_of(name) is type(estimator)
    if not has_parts and CLASSES.get(name) is not type(estimator):
        raise TypeError(
            f"estimator must be a fitted {', '.join([*CLASSES, *compound.HOMES])}; got {name}"
        )
    check_is_fitted(estimator)
    if has_parts:
        return compound.header_and_arrays(estimator)
    return header_of(estimator), arrays_of(estimator)


def read(header: Header, arrays: Arrays, room: archive.Room) -> Any:
    """Return the estimator of a file; `room` is what the files in it may take."""
    from inforest.io import compound

    if header.get("class") in compound.HOMES:
        return compound.read(header, arrays, room)
    return read_estimator(header, arrays)
