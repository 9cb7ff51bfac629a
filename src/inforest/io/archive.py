"""The container of fitted estimators: a zip archive with one JSON header, arrays and a checksum.

``header.json`` is one JSON document, whose ``format`` is "inforest" and whose ``version`` is that
of the format. The arrays are in NumPy's ``.npy`` format, at the smallest integer or float type that
holds their values exactly. Same contents, same bytes.

Since version 2 the header's ``arrays`` lists each of them with its name, ``dtype`` and ``shape``,
so that a missing or an added one is noticed, and ``checksum.txt`` is the BLAKE2b-128 of the names,
lengths and bytes of the header and of all arrays, in their order. Files of version 1, which have
neither, are read as well.
"""

import json
import math
import os
import zipfile
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from inforest._engine.whole_file import whole_file

FORMAT, VERSION = "inforest", 2
#: Versions that can be read.
VERSIONS = (1, 2)
HEADER, CHECKSUM = "header.json", "checksum.txt"
#: Arrays with such names are the bytes of files of this kind, which shrink no more.
PART = "part_"
#: A file shrinks at most so many times; parts that would shrink more are not packed. Nobody minds
#: what is small when unpacked.
_MOST_SHRUNK, _SMALL = 100, 2**24
Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


def write(path: Path, header: Header, arrays: Arrays) -> None:
    """Write a file that is complete or not there."""
    with whole_file(path) as file:
        write_into(file, header, arrays)


def write_into(file: BinaryIO, header: Header, arrays: Arrays, *, as_part: bool = False) -> None:
    """Write into an open file, which must be empty.

    `as_part`: it becomes a part of another file, with which it will have to share the room.
    """
    unpacked = _write_archive(file, header, arrays, zipfile.ZIP_DEFLATED)
    most = _MOST_SHRUNK // 2 * file.tell() if as_part else _most_unpacked(file.tell())
    if unpacked > most:  # so regular that it looks like a trap
        file.seek(0)
        file.truncate()
        _write_archive(file, header, arrays, zipfile.ZIP_STORED)


class Room:
    """How many bytes may still be unpacked of a file and of the files in it, together."""

    def __init__(self, file: BinaryIO) -> None:
        self._n_bytes = file.seek(0, os.SEEK_END)
        self._left = _most_unpacked(self._n_bytes)

    def take(self, n_bytes: int) -> None:
        """Refuse what would fill the memory."""
        demand(
            n_bytes <= self._left,
            f"its parts of {n_bytes:,} bytes cannot come from a file of {self._n_bytes:,}",
        )
        self._left -= n_bytes


def read(file: BinaryIO, room: Room | None = None) -> tuple[Header, Arrays]:
    """Return the header and the arrays; raise some exception if the file is damaged.

    `room` is what the file that it came in has left; without one, it is its own.
    """
    archive = zipfile.ZipFile(file)
    _check_sizes(archive, room or Room(file))
    header = _read_header(archive)
    names = _names(archive, header)
    checksum = Checksum()
    checksum.add(HEADER, archive.read(HEADER))
    arrays = {}
    for name in names:
        content = archive.read(_member(name))
        checksum.add(_member(name), content)
        arrays[name] = _array(name, content)
    if header["version"] > 1:
        demand(archive.read(CHECKSUM) == checksum.text(), "its checksum does not fit")
        for name, listing in header["arrays"].items():
            demand(_listing(arrays[name]) == listing, f"{name} is not what its header says")
    return header, arrays


class Checksum:
    """A hash of the parts of an archive, their names and their order."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=16)

    def add(self, name: str, content: bytes) -> None:
        """Go on with the next part."""
        self._digest.update(f"{name}\0{len(content)}\0".encode())
        self._digest.update(content)

    def text(self) -> bytes:
        """Return the hash as a file holds it."""
        return self._digest.hexdigest().encode()


def demand(condition: bool, otherwise: str) -> None:
    """Refuse the file unless the condition holds."""
    if not condition:
        raise ValueError(f"it is damaged, {otherwise}")


def _write_archive(file: BinaryIO, header: Header, arrays: Arrays, compression: int) -> int:
    """Write all parts; return how long they are together."""
    n_bytes = 0

    def add(name: str, content: bytes) -> None:
        nonlocal n_bytes
        way = zipfile.ZIP_STORED if name.startswith(PART) else compression
        n_bytes += len(content)
        checksum.add(name, content)
        info = zipfile.ZipInfo(name)  # with a fixed date: same contents, same bytes
        archive.writestr(info, content, way)

    small = {name: _compact(array) for name, array in arrays.items()}
    listed = {name: _listing(array) for name, array in small.items()}
    full = {"format": FORMAT, "version": VERSION, **header, "arrays": listed}
    checksum = Checksum()
    with zipfile.ZipFile(file, "w", compression) as archive:
        add(HEADER, json.dumps(full, indent=1).encode())
        for name, array in small.items():  # one at a time: a large forest fits into memory once
            buffer = BytesIO()
            np.save(buffer, array, allow_pickle=False)
            add(_member(name), buffer.getvalue())
        add(CHECKSUM, checksum.text())
    return n_bytes


def _most_unpacked(n_bytes: int) -> int:
    """Return how long the parts of a file may be together: a forest shrinks some 5 times."""
    return max(_SMALL, _MOST_SHRUNK * n_bytes)


def _check_sizes(archive: zipfile.ZipFile, room: Room) -> None:
    """Refuse, before anything is unpacked, what would fill the memory or is not our way."""
    parts = archive.infolist()
    names = [part.filename for part in parts]
    # A damaged end may let the end of a file in it be found instead.
    demand(min((part.header_offset for part in parts), default=0) == 0, "its end is another's")
    demand(len({*names}) == len(names), "a part is there twice")
    ours = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    for part in parts:
        demand(part.compress_type in ours, f"{part.filename} is packed in an unknown way")
        demand(not part.flag_bits & 1, f"{part.filename} is encrypted")
    room.take(sum(part.file_size for part in parts))


def _array(name: str, content: bytes) -> NDArray[Any]:
    """Return the array of a part; its own header must say exactly as many numbers as there are."""
    source = BytesIO(content)
    version = np.lib.format.read_magic(source)
    demand(version == (1, 0), f"{name} is of an unknown version of NumPy's format")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(source)
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be loaded")
    begin = source.tell()
    n = math.prod(shape)
    fits = len(content) - begin == n * dtype.itemsize
    demand(fits, f"{name} is not as long as it says")
    flat = np.frombuffer(content, dtype, count=n, offset=begin)
    aligned = np.require(flat, requirements="A")  # a header of another length shifts the numbers
    return aligned.reshape(shape, order="F" if is_fortran else "C")


def _read_header(archive: zipfile.ZipFile) -> Header:
    if HEADER not in archive.namelist():
        raise ValueError(f"it is a zip archive without {HEADER}, not a file of inforest")
    header = json.loads(archive.read(HEADER))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("it is not a file of inforest")
    if header.get("version") not in VERSIONS:
        raise ValueError(
            f"its format has version {header.get('version')!r}, written by inforest"
            f" {header.get('inforest')}; this inforest reads version"
            f" {' and '.join(map(str, VERSIONS))}"
        )
    return header


def _names(archive: zipfile.ZipFile, header: Header) -> list[str]:
    """Return the names of the arrays; refuse an archive with other parts than its header says."""
    found = archive.namelist()
    if header["version"] == 1:
        return [name.removesuffix(".npy") for name in found if name != HEADER]
    listed = header.get("arrays")
    if not isinstance(listed, dict):
        raise ValueError("it is damaged, its header lists no arrays")
    expected = [HEADER, *map(_member, listed), CHECKSUM]
    missing = sorted({*expected} - {*found})
    demand(not missing, f"{', '.join(missing)} is missing")
    added = sorted({*found} - {*expected})
    demand(len(found) == len(expected), f"it has more parts: {', '.join(added)}")
    return list(listed)


def _listing(array: NDArray[Any]) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": list(array.shape)}


def _member(name: str) -> str:
    return f"{name}.npy"


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in the smallest type that holds its values exactly."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore", under="ignore"):
            small = array.astype(np.float32)
        return small if np.array_equal(small, array, equal_nan=True) else array
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32):
        bounds = np.iinfo(dtype)
        if array.size == 0 or (bounds.min <= array.min() and array.max() <= bounds.max):
            return array.astype(dtype)
    return array
