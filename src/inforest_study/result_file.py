"""`Result`: what a result file says, as bytes and back.

A file is Parquet: columns, and one JSON document of facts in the schema's metadata. A second entry
there is the BLAKE2b-128 of both, so that whatever is changed in the file, Parquet's own footer
included, is refused unless the result is exactly what was written. Files from before there was a
checksum are read as they are.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from inforest_study.revision import unrecorded

_FACTS, _CHECKSUM = b"inforest", b"inforest-checksum"
#: Facts that a file's name says, too.
_IN_THE_NAME = ("key", "step", "digest", "status")


class CorruptError(ValueError):
    """The content is not what was written, or belongs to another file."""


@dataclass(frozen=True, eq=False)
class Result:
    """A result file's content.

    Attributes
    ----------
    facts : mapping
        The job, how the step ended, what it took: one flat row.
    columns : mapping of str to ndarray
        The ranking or the scores; empty if there are none.

    """

    facts: Mapping[str, Any]
    columns: Mapping[str, NDArray[Any]]

    @property
    def is_on_other_data(self) -> bool:
        """Whether the data differ from the study's copy; False where there is none to compare."""
        used, expected = (self.facts.get(f"{whose}_checksum") for whose in ("data", "study"))
        return bool(used and expected and used != expected)


def pack(facts: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return the bytes of a file."""
    text = json.dumps(facts, sort_keys=True, default=repr).encode()
    table = pa.table(dict(columns))
    metadata = {_FACTS: text, _CHECKSUM: _checksum(text, _arrays(table))}
    sink = pa.BufferOutputStream()
    parquet.write_table(
        table.replace_schema_metadata(metadata), sink, compression="zstd", write_page_checksum=True
    )
    return sink.getvalue()


def unpack(content: bytes, name: Mapping[str, str]) -> Result:
    """Return what a file says.

    Parameters
    ----------
    content : bytes
        All of it.
    name : mapping
        What its name says: the key, step, digest and status of the result that belongs there.

    """
    try:
        with parquet.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
            table = file.read()
        metadata = table.schema.metadata
        columns = _arrays(table)
        text = metadata[_FACTS]
        checksum = metadata.get(_CHECKSUM)
        if checksum is not None and checksum != _checksum(text, columns):
            raise CorruptError("its checksum does not fit")
        facts = json.loads(text)
        facts.setdefault("engine_revision", unrecorded(facts["method"], facts["config"]))
    except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError, TypeError) as error:
        raise CorruptError(str(error)) from error
    for fact in _IN_THE_NAME:
        if facts.get(fact, name[fact]) != name[fact]:
            raise CorruptError(f"its {fact} is {facts[fact]}, its name says {name[fact]}")
    return Result(facts, columns)


def _arrays(table: pa.Table) -> dict[str, NDArray[Any]]:
    return {name: table.column(name).to_numpy() for name in table.column_names}


def _checksum(facts: bytes, columns: Mapping[str, NDArray[Any]]) -> bytes:
    digest = blake2b(digest_size=16)
    parts = [facts]
    for name, array in columns.items():
        is_plain = array.dtype.kind != "O"
        values = array.tobytes() if is_plain else json.dumps(array.tolist(), default=repr).encode()
        parts += [name.encode(), array.dtype.str.encode(), values]
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest().encode()
