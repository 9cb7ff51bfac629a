"""Damaged tables: read, or refused with words; Arrow alone walks out of its memory."""

import io

import numpy as np
import pytest

pytest.importorskip("pyarrow")
import pyarrow as pa
from pyarrow import feather, parquet

from inforest import open_table
from inforest.io.tables import read_table
from inforest.io.tables.input_error import InputError
from rounds import damaged, rounds

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
N = 60
TABLE = {
    "x": np.random.default_rng(0).normal(size=N),
    "gaps": pa.array([None if i % 7 == 0 else i for i in range(N)], pa.int32()),
    "word": ["a", "bb", "ccc"] * (N // 3),
    "level": pa.array(["u", "v"] * (N // 2)).dictionary_encode(),
    "flag": [True, False] * (N // 2),
    "y": [0, 1] * (N // 2),
}


def packed(write, **options):
    """Return the bytes of the table as a function of Arrow writes them."""
    buffer = io.BytesIO()
    write(pa.table(TABLE), buffer, **options)
    return buffer.getvalue()


def in_pieces(table, buffer, new):
    with new(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=20)


FILES = {
    "a.parquet": packed(parquet.write_table),
    "b.parquet": packed(parquet.write_table, compression="none", use_dictionary=False),
    "a.feather": packed(feather.write_feather, compression="lz4"),
    "b.feather": packed(feather.write_feather, compression="uncompressed"),
    "file.arrow": packed(in_pieces, new=pa.ipc.new_file),
    "stream.arrow": packed(in_pieces, new=pa.ipc.new_stream),
}


@pytest.mark.parametrize("name", FILES)
def test_damaged_tables(name, tmp_path):
    path = tmp_path / name
    n_refused = 0
    for _, rng in rounds():
        path.write_bytes(damaged(rng, FILES[name]))
        try:
            read_table(path, "y")
        except InputError:
            n_refused += 1
        try:
            open_table(path, target="word", columns=["x", "gaps", "flag"])
        except ValueError as error:
            n_refused += 1
            assert str(path) in str(error)  # noqa: PT017
    assert n_refused
