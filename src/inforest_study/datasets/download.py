"""Fetching data sets from their public homes and giving them the form the study used.

One function per form of source; an entry of `real.toml` names the function as `kind` and gives
its arguments. Each returns features as numbers and the target as it is written there.
"""

import io
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import numpy as np
from numpy.typing import NDArray

from inforest_study.dataset import Floats

#: Where the addresses in `real.toml` begin.
BASES = {
    "uci": "https://archive.ics.uci.edu/static/public",
    "scikit-feature": (
        "https://raw.githubusercontent.com/jundongl/scikit-feature"
        "/48cffad4e88ff4b9d2f1c7baffb314d1b3303792/skfeature/data"
    ),
    "citrees": "https://raw.githubusercontent.com/rmill040/citrees",
}
TIMEOUT = 60  # seconds without an answer
_MISSING = ("?", "")
#: Features and target.
Raw = tuple[Floats, NDArray[Any]]


class DownloadError(Exception):
    """A source did not answer, or its answer is not what the recipe expects."""


def download(kind: str, options: Mapping[str, Any]) -> Raw:
    """Fetch a data set by its recipe.

    Parameters
    ----------
    kind : {"table", "challenge", "mat", "parquet", "openml", "california"}
        The form of the source.
    options : mapping
        Arguments of the function of that name.

    Returns
    -------
    X, y : ndarray
        Features as float64, the target as it is written in the source.

    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {sorted(KINDS)}, got {kind!r}")
    try:
        return KINDS[kind](**options)
    except DownloadError:
        raise
    except TypeError as error:  # an unknown option: the recipe is wrong, not the network
        raise ValueError(f"download recipe {kind!r}: {error}") from error
    except Exception as error:
        raise DownloadError(f"{type(error).__name__}: {error}") from error


def address(url: str) -> str:
    """Spell an address such as "uci:42/glass+identification.zip" out."""
    base, _, path = url.partition(":")
    return f"{BASES[base]}/{path}" if base in BASES else url


def get(url: str) -> bytes:
    """Return what is at an address."""
    url = address(url)
    request = Request(url, headers={"User-Agent": "inforest"})
    try:
        with urlopen(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
            return content
    except (URLError, TimeoutError, OSError) as error:
        raise DownloadError(f"{url}: {getattr(error, 'reason', error)}") from error


def unpack(content: bytes, file: str) -> bytes:
    """Return a file of a zip archive, whatever its folder and even if in an inner archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {PurePosixPath(name).name: name for name in archive.namelist()}
        if file in members:
            return archive.read(members[file])
        for inner in (name for base, name in members.items() if base.endswith(".zip")):
            try:
                return unpack(archive.read(inner), file)
            except DownloadError:
                continue
    raise DownloadError(f"no file {file!r} in the archive, which has {sorted(members)}")


def table(
    url: str,
    files: Sequence[str] = (),
    target: int | str = -1,
    drop: Sequence[int] = (),
    columns: str | None = None,
    separator: str = ",",
    header: bool = False,
) -> Raw:
    """Read text files, one below the other.

    Missing values become 0 and text becomes one column per value, after the numeric columns: so
    did the study.

    Parameters
    ----------
    url : str
        The address of a zip archive, or of the text itself.
    files : sequence of str, default=()
        Files of the archive; empty if there is none.
    target : int or str, default=-1
        Position or name of the target.
    drop : sequence of int, default=()
        Positions of columns to leave out.
    columns : str, default=None
        Regular expression of the names of the features; None takes all but the target.
    separator : str, default=","
        What separates columns.
    header : bool, default=False
        Whether the first line has names.

    Returns
    -------
    X, y : ndarray

    """
    import pandas as pd

    content = get(url)
    texts = [unpack(content, file) for file in files] or [content]
    parts = [
        pd.read_csv(
            io.BytesIO(text),
            sep=separator,
            header=0 if header else None,
            na_values=list(_MISSING),
            keep_default_na=False,
            skipinitialspace=True,
            encoding="latin-1",
        )
        for text in texts
    ]
    frame = pd.concat(parts, ignore_index=True)
    name = frame.columns[target] if isinstance(target, int) else target
    dropped = {name, *(frame.columns[j] for j in drop)}
    features = frame.drop(columns=list(dropped))
    if columns is not None:
        features = features.filter(regex=columns)
    return numbers(features), frame[name].fillna(0).to_numpy()


def numbers(features: Any) -> Floats:
    """Turn a data frame into numbers: 0 for missing, indicators for text, numeric columns first."""
    import pandas as pd

    numeric = features.select_dtypes("number").fillna(0)
    text = features.drop(columns=list(numeric.columns))
    if not text.shape[1]:
        return np.ascontiguousarray(numeric.to_numpy(dtype=np.float64))
    # Written "0" where missing, which sorts before all letters.
    indicators = pd.get_dummies(text.astype(object).fillna("0").astype(str), dtype=np.float64)
    return np.hstack([numeric.to_numpy(dtype=np.float64), indicators.to_numpy()])


def challenge(url: str, name: str, n_features: int, sparse: bool = False) -> Raw:
    """Read the training part of a set of the NIPS 2003 feature selection challenge.

    Parameters
    ----------
    url : str
        The address of the zip archive.
    name : str
        Files are called ``{name}_train.data`` and ``{name}_train.labels``.
    n_features : int
        Number of features.
    sparse : bool, default=False
        Whether a line lists ``feature:value`` of the features that are not 0.

    Returns
    -------
    X, y : ndarray

    """
    content = get(url)
    data = unpack(content, f"{name}_train.data")
    y = np.loadtxt(io.BytesIO(unpack(content, f"{name}_train.labels")), dtype=np.int64)
    if not sparse:
        return np.loadtxt(io.BytesIO(data), dtype=np.float64, ndmin=2), y
    X = np.zeros((len(y), n_features))
    for row, line in zip(X, data.decode("ascii").splitlines(), strict=True):
        for pair in line.split():
            feature, _, value = pair.partition(":")
            row[int(feature) - 1] = float(value)
    return X, y


def mat(url: str) -> Raw:
    """Read a MATLAB file with the features X and the labels Y."""
    from scipy.io import loadmat

    content = loadmat(io.BytesIO(get(url)))
    return np.ascontiguousarray(content["X"], dtype=np.float64), content["Y"].ravel()


def parquet(url: str) -> Raw:
    """Read a Parquet file with numeric features and the target in column `y`."""
    import pandas as pd

    frame = pd.read_parquet(io.BytesIO(get(url)))
    return numbers(frame.drop(columns="y")), frame["y"].to_numpy()


def openml(
    data_id: int, target: str | None = None, drop: Sequence[int] = (), columns: str | None = None
) -> Raw:
    """Fetch a data set of OpenML.

    Parameters
    ----------
    data_id : int
        Its number at openml.org.
    target : str, default=None
        Name of the target; None takes the one OpenML names.
    drop : sequence of int, default=()
        Positions of features to leave out.
    columns : str, default=None
        Regular expression of the names of the features; None takes all.

    Returns
    -------
    X, y : ndarray

    """
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="A network error occurred")  # it tries again
        bunch = fetch_openml(
            data_id=data_id,
            target_column="default-target" if target is None else target,
            as_frame=True,
            parser="auto",
            cache=False,  # what is made of it is cached instead
            n_retries=1,
        )
    features = bunch.data.drop(columns=[bunch.data.columns[j] for j in drop])
    if columns is not None:
        features = features.filter(regex=columns)
    return numbers(features), np.asarray(bunch.target)


def california(n_samples: int, seed: int) -> Raw:
    """Fetch scikit-learn's California housing data and draw some of its rows."""
    from sklearn.datasets import fetch_california_housing

    with TemporaryDirectory() as folder:
        X, y = fetch_california_housing(data_home=folder, return_X_y=True)
    # The legacy generator: the study drew its rows with it.
    rows = np.random.RandomState(seed).choice(len(y), n_samples, replace=False)
    return X[rows], y[rows]


KINDS: dict[str, Callable[..., Raw]] = {
    "table": table,
    "challenge": challenge,
    "mat": mat,
    "parquet": parquet,
    "openml": openml,
    "california": california,
}
