"""Files as Arrow tables: CSV, TSV, Parquet and Arrow, from disk or from standard input."""

import gzip
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inforest.io.tables.input_error import InputError

#: File endings, and what each says.
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
#: The path that means standard input.
STANDARD_INPUT = "-"
#: A wider table is taken for a mistake, such as rows in the place of columns.
MAX_COLUMNS = 200_000
#: Text that means "missing" in every CSV file.
MISSING_TEXT = ("", "#N/A", "#NA", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null")

_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow stream"}
_GZIP = b"\x1f\x8b"
#: Arrow reads CSV in blocks and guesses types from the first: let there be one block.
_LARGEST_BLOCK = 2**31 - 1
_MESSAGE = 160


@dataclass(frozen=True)
class CsvOptions:
    """How a CSV file is written.

    Attributes
    ----------
    separator : str or None
        What stands between two values; None: a comma, or a tab in TSV files.
    decimal : str
        The decimal point.
    missing_text : sequence of str
        Text that means "missing", besides `MISSING_TEXT`.

    """

    separator: str | None = None
    decimal: str = "."
    missing_text: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.separator is not None and len(self.separator) != 1:
            raise InputError(f"the separator must be one character; got {self.separator!r}")
        if self.decimal not in (".", ","):
            raise InputError(f"the decimal point must be '.' or ','; got {self.decimal!r}")


def read_file(path: str | Path, options: CsvOptions | None = None) -> Any:
    """Read a file into a `pyarrow.Table`.

    Parameters
    ----------
    path : str or Path
        The file, whose ending says what it is; one more ".gz" means that it is compressed. "-"
        is standard input; its first bytes tell which kind of file it is.
    options : CsvOptions or None, default=None
        How a CSV file is written.

    Returns
    -------
    table : pyarrow.Table
        All columns and rows.

    """
    import pyarrow as pa

    name = source_name(path)
    try:
        content = _standard_input() if str(path) == STANDARD_INPUT else _bytes(Path(path))
        if content[:2] == _GZIP:
            content = gzip.decompress(content)
        kind = _sniff(content) if str(path) == STANDARD_INPUT else _kind(Path(path))
        table = _parse(content, kind, name, options or CsvOptions())
        table.validate(full=True)  # Arrow walks words wherever a damaged file says they are
        return table
    # A damaged name of a column cannot be decoded.
    except (pa.ArrowException, OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        message = str(error).strip().splitlines()[0]
        raise InputError(f"{name} cannot be read: {message[:_MESSAGE]}") from error


def source_name(path: str | Path) -> str:
    """Return what to call the file when speaking to people."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed: nothing can be read from it")
    return sys.stdin.buffer.read()


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file")
    _kind(path)  # a wrong ending is the better message
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    return path.read_bytes()


def _kind(path: Path) -> str:
    endings = [ending.lower() for ending in path.suffixes]
    plain = endings[:-1] if endings[-1:] == [".gz"] else endings
    kind = FORMATS.get(plain[-1]) if plain else None
    if kind is None:
        accepted = ", ".join(FORMATS)
        raise InputError(f"the file's ending must be one of {accepted}; got {path.name!r}")
    return kind


def _sniff(content: bytes) -> str:
    """Return what the first bytes say; text with tabs and no comma in its first line is TSV."""
    for magic, kind in _MAGIC.items():
        if content.startswith(magic):
            return kind
    header = _first_line(content)
    return "tsv" if b"\t" in header and b"," not in header else "csv"


def _first_line(content: bytes) -> bytes:
    return content[: content.find(b"\n") if b"\n" in content else len(content)]


def _parse(content: bytes, kind: str, name: str, options: CsvOptions) -> Any:
    import pyarrow as pa
    from pyarrow import feather, parquet

    if not content.strip():
        raise InputError(f"{name} is empty")
    if kind in ("csv", "tsv"):
        return _parse_csv(
            content, options.separator or {"csv": ",", "tsv": "\t"}[kind], name, options
        )
    source = pa.BufferReader(content)
    if kind == "parquet":
        file = parquet.ParquetFile(source)
        _check_width(file.metadata.num_columns, name)
        return _without_views(file.read())
    if kind == "arrow" and _sniff(content) == "arrow stream":  # the ending is the same
        kind = "arrow stream"
    if kind == "arrow stream":
        return _without_views(pa.ipc.open_stream(source).read_all())
    return _without_views(feather.read_table(source))


def _without_views(table: Any) -> Any:
    """Return the table with text as most functions of Arrow take it: polars writes views."""
    for i, column in enumerate(table.schema):
        plain = _plain_type(column.type)
        if plain is not None:
            table = table.set_column(i, column.name, _cast(table.column(i), plain))
    return table


def _plain_type(kind: Any) -> Any:
    """Return the type to take for one of views, or of categories that are views; else None."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(kind))


def _cast(column: Any, plain: Any) -> Any:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column.cast(plain)
    parts = [
        pa.DictionaryArray.from_arrays(
            part.indices, part.dictionary.cast(plain), ordered=column.type.ordered
        )
        for part in column.chunks
    ]
    return pa.chunked_array(
        parts, pa.dictionary(column.type.index_type, plain, column.type.ordered)
    )


def _parse_csv(content: bytes, separator: str, name: str, options: CsvOptions) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    _check_text(content, name)
    header = _first_line(content)
    _check_separator(header, separator, name)
    _check_width(header.count(separator.encode()) + 1, name)
    return csv.read_csv(
        pa.BufferReader(content),
        # One thread: those of a pool may still run when a short-lived command exits, and abort it.
        read_options=csv.ReadOptions(
            use_threads=False, block_size=min(len(content) + 1, _LARGEST_BLOCK)
        ),
        parse_options=csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            null_values=[*MISSING_TEXT, *options.missing_text],
            strings_can_be_null=True,
            decimal_point=options.decimal,
        ),
    )


def _check_text(content: bytes, name: str) -> None:
    """Raise an error unless the bytes are UTF-8; text of two bytes per letter is full of zeros."""
    try:
        is_text = "\0" not in content.decode("utf-8")
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise InputError(f"{name} is not UTF-8 text: save it as UTF-8, or convert it with iconv")


def _check_width(n_columns: int, name: str) -> None:
    if n_columns > MAX_COLUMNS:
        raise InputError(
            f"{name} has {n_columns} columns, more than {MAX_COLUMNS}: columns are features and"
            " rows are samples; is the table transposed?"
        )


def _check_separator(header: bytes, separator: str, name: str) -> None:
    """Raise an error if the only column's name looks like several."""
    if separator.encode() in header:
        return
    for other, words in _SEPARATORS.items():
        if other.encode() in header:
            shown = header[:_MESSAGE].decode(errors="replace").strip()
            option = "tab" if other == "\t" else repr(other)
            raise InputError(
                f"{name} has one column, {shown!r}: is the separator {words}? Then say --separator"
                f" {option}"
            )
