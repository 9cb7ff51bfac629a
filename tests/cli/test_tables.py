"""Reading tables: what files say, what is done about words and gaps, and errors in one sentence."""

import gzip
import io

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import feather, parquet  # noqa: E402

from inforest.io.tables import read_table  # noqa: E402
from inforest.io.tables.files import MAX_COLUMNS, CsvOptions  # noqa: E402

TEXT = "size,colour,y\n1,red,0\n2,blue,1\n3,red,0\n4,green,1\n"


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def given(monkeypatch, content):
    class Input:
        buffer = io.BytesIO(content)

    monkeypatch.setattr("sys.stdin", Input)


def test_a_column_of_words_is_one_feature(tmp_path):
    table = read_table(written(tmp_path, TEXT), "y")
    assert table.names == ["size", "colour"]
    assert table.X.values.tolist() == [[1, 2], [2, 0], [3, 2], [4, 1]]
    assert table.X.features.levels(1) == ("blue", "green", "red")
    assert table.X.features.names == ("size", "colour")
    assert table.y.tolist() == [0, 1, 0, 1]
    assert table.X.values.flags.f_contiguous
    assert table.notices == ()


def test_numbers_can_be_categories(tmp_path):
    path = written(tmp_path, TEXT)
    table = read_table(path, "y", categorical=["size,colour"])
    assert table.X.features.levels(0) == (1, 2, 3, 4)
    with pytest.raises(ValueError, match=r"no column 'sizes' in .*did you mean 'size'"):
        read_table(path, "y", categorical=["sizes"])


GAPS = "a,b,c,y\n1,,u,0\n2,5,,1\n3,7,v,0\n9,8,v,\n4,6,v,1\n"


def test_missing_values_stay_missing(tmp_path):
    table = read_table(written(tmp_path, GAPS), "y")
    nan = np.nan
    expected = [[1, nan, 0], [2, 5, nan], [3, 7, 1], [4, 6, 1]]
    np.testing.assert_array_equal(table.X.values, expected)
    assert table.notices == ("1 row without a target was left out",)


def test_missing_values_can_be_an_error_that_names_columns_and_options(tmp_path):
    with pytest.raises(ValueError, match="missing values") as error:
        read_table(written(tmp_path, GAPS), "y", missing="error")
    parts = "the target 'y' (1)", "'b' (1)", "'c' (1)", "--missing incorporate", "--drop-rows"
    for part in parts:
        assert part in str(error.value)


@pytest.mark.parametrize("missing", ["incorporate", "error"])
def test_rows_with_missing_values_can_be_left_out(tmp_path, missing):
    rows = read_table(written(tmp_path, GAPS), "y", drop_rows=True, missing=missing)
    assert rows.X.values[:, 0].tolist() == [3, 4]
    assert rows.y.tolist() == [0, 1]
    assert rows.notices == (
        "1 row without a target was left out",
        "2 rows with missing values were left out",
    )


def test_a_column_without_any_value(tmp_path):
    path = written(tmp_path, "a,b,y\n1,,0\n2,,1\n")
    assert np.isnan(read_table(path, "y").X.values[:, 1]).all()
    with pytest.raises(ValueError, match=r"no row of .* is complete: leave --drop-rows out"):
        read_table(path, "y", drop_rows=True)


def test_text_that_means_missing(tmp_path):
    path = written(tmp_path, "a,y\n1,0\n?,1\n3,0\n4,1\n")
    with pytest.raises(ValueError, match=r"'a' .* holds numbers and the text '\?'.*--na"):
        read_table(path, "y")
    table = read_table(path, "y", csv=CsvOptions(missing_text=["?"]))
    np.testing.assert_array_equal(table.X.values[:, 0], [1, np.nan, 3, 4])
    assert read_table(path, "y", categorical=["a"]).X.features.levels(0) == ("1", "3", "4", "?")


def test_separator_and_decimal_comma(tmp_path):
    path = written(tmp_path, "a;y\n1,5;0\n2,5;1\n")
    with pytest.raises(
        ValueError, match=r"is the separator a semicolon\? Then say --separator ';'"
    ):
        read_table(path, "y")
    with pytest.raises(ValueError, match="numbers such as '1,5': say --decimal ','"):
        read_table(path, "y", csv=CsvOptions(";"))
    assert read_table(path, "y", csv=CsvOptions(";", ",")).X.values[:, 0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("options", [{"separator": ";;"}, {"decimal": ""}, {"decimal": "x"}])
def test_csv_options_are_one_character(options):
    with pytest.raises(ValueError, match=r"must be (one character|'\.' or ',')"):
        CsvOptions(**options)


def test_types_are_not_guessed_from_the_first_rows_only(tmp_path):
    """Arrow reads in blocks: a fraction after a million bytes of whole numbers is no error."""
    text = "a,y\n" + "1,0\n2,1\n" * 200_000 + "1.5,0\n"
    assert read_table(written(tmp_path, text), "y").X.values[-1, 0] == 1.5


def _mixed():
    return pa.table({"a": [1.0, None, 3.0], "b": ["u", "v", None], "y": ["no", "yes", "no"]})


def _assert_mixed(table):
    np.testing.assert_array_equal(table.X.values, [[1, 0], [np.nan, 1], [3, np.nan]])
    assert table.X.features.levels(1) == ("u", "v")
    assert table.y.tolist() == ["no", "yes", "no"]


@pytest.mark.parametrize("ending", [".arrow", ".ipc", ".arrow.gz"])
@pytest.mark.parametrize("kind", ["stream", "file"])
def test_arrow_streams_and_files_have_the_same_endings(tmp_path, monkeypatch, ending, kind):
    sink = io.BytesIO()
    with getattr(pa.ipc, f"new_{kind}")(sink, _mixed().schema) as writer:
        writer.write_table(_mixed(), max_chunksize=2)
    content = gzip.compress(sink.getvalue()) if ending.endswith(".gz") else sink.getvalue()
    _assert_mixed(read_table(written(tmp_path, content, f"data{ending}"), "y"))
    given(monkeypatch, content)
    _assert_mixed(read_table("-", "y"))


@pytest.mark.parametrize("write", ["write_ipc", "write_ipc_stream", "write_parquet"])
@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}], ids=["default", "zstd"])
@pytest.mark.parametrize("kind", ["text", "category", "enum"])
def test_what_polars_writes_by_default(tmp_path, monkeypatch, write, options, kind):
    """Its text is of Arrow's type string_view, which few functions of Arrow take.

    So is that of its categories.
    """
    polars = pytest.importorskip("polars")
    types = {"text": polars.String, "category": polars.Categorical, "enum": polars.Enum(["u", "v"])}
    frame = polars.from_arrow(_mixed()).with_columns(polars.col("b").cast(types[kind]))
    if kind != "text":
        frame = frame.with_columns(polars.col("y").cast(polars.Categorical))
    content = io.BytesIO()
    getattr(frame, write)(content, **options)
    if write == "write_ipc":
        schema = pa.ipc.open_file(content.getvalue()).schema
        assert all("string_view" in str(schema.field(name).type) for name in "by")
    ending = ".parquet" if write == "write_parquet" else ".arrow"
    _assert_mixed(read_table(written(tmp_path, content.getvalue(), f"data{ending}"), "y"))
    given(monkeypatch, content.getvalue())
    _assert_mixed(read_table("-", "y"))


def test_a_stream_that_was_cut_off_is_told(tmp_path):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, _mixed().schema) as writer:
        writer.write_table(_mixed())
    path = written(tmp_path, sink.getvalue()[:200], "data.arrow")
    with pytest.raises(ValueError, match=r"data.arrow cannot be read"):
        read_table(path, "y")


def test_standard_input_in_every_format(monkeypatch):
    arrow = pa.table({"a": [1.0, 2.0], "y": ["u", "v"]})
    sink, stream = io.BytesIO(), io.BytesIO()
    parquet.write_table(arrow, sink)
    with pa.ipc.new_stream(stream, arrow.schema) as writer:
        writer.write_table(arrow)
    file = io.BytesIO()
    feather.write_feather(arrow, file, compression="uncompressed")
    plain = b"a,y\n1,u\n2,v\n"
    contents = [
        plain,
        plain.replace(b",", b"\t"),
        gzip.compress(plain),
        sink.getvalue(),
        stream.getvalue(),
        file.getvalue(),
    ]
    for content in contents:
        given(monkeypatch, content)
        table = read_table("-", "y")
        assert table.X.values.tolist() == [[1.0], [2.0]]
        assert table.y.tolist() == ["u", "v"]
        assert table.source == "standard input"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,y\n", "has no rows"),
        ("a,y\n1,0\n3,1,2\n", "cannot be read: .*Expected 2 columns, got 3"),
        ("y\n1\n", "no column besides the target 'y'"),
        ("a,a,y\n1,2,3\n", "two columns of the same name: 'a'"),
        ("a,y\n1,2020-01-01\n2,2020-01-02\n", "target 'y' .* holds date"),
        ("a;y\n1;0\n", "is the separator a semicolon"),
        ("a\ty\n1\t0\n", r"is the separator a tab\? Then say --separator tab"),
        ("1,0\n2,1\n", "no column 'y' .*the first line must hold the columns' names"),
        ("a,Y\n1,0\n", r"did you mean 'Y'\? There are 'Y', 'a'"),
    ],
)
def test_bad_content(tmp_path, text, message):
    with pytest.raises(ValueError, match=message) as error:
        read_table(written(tmp_path, text), "y")
    assert "\n" not in str(error.value)


def test_many_columns_are_listed_near_matches_first(tmp_path):
    names = [f"gene_{i}" for i in range(300)] + ["diagnosis"]
    text = ",".join(names) + "\n" + ",".join(["1"] * 301) + "\n"
    with pytest.raises(ValueError, match="There are") as error:
        read_table(written(tmp_path, text), "diagnosys")
    assert "did you mean 'diagnosis'? There are 'diagnosis', 'gene_0'" in str(error.value)
    assert "and 251 more" in str(error.value)


def test_a_million_columns_are_refused_at_once(tmp_path):
    path = written(tmp_path, "x," * 1_000_000 + "y\n")
    with pytest.raises(ValueError, match=f"1000001 columns, more than {MAX_COLUMNS}.*transposed"):
        read_table(path, "y")


def test_a_table_of_identifiers(tmp_path):
    text = "name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(150))
    with pytest.raises(ValueError, match=r"could be a feature: 'name'.*150 different words in 150"):
        read_table(written(tmp_path, text), "y")


def test_columns_to_leave_out(tmp_path):
    path = written(tmp_path, 'a,"b,c",d,y\n1,2,3,0\n4,5,6,1\n')
    assert read_table(path, "y", ["a,d"]).names == ["b,c"]
    table = read_table(path, "y", ["b,c", "d"])
    assert table.names == ["a"]
    assert table.notices == ("left out as asked: 'b,c', 'd'",)
    with pytest.raises(ValueError, match="no column 'x'"):
        read_table(path, "y", ["x"])
    with pytest.raises(ValueError, match="target 'y' is among the columns to leave out"):
        read_table(path, "y", ["y"])


def test_other_types_of_columns(tmp_path):
    arrow = pa.table(
        {
            "truth": [True, False, True],
            "category": pa.array(["u", "v", "u"]).dictionary_encode(),
            "money": pa.array([1, 2, 3], pa.decimal128(9, 2)),
            "y": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    parquet.write_table(arrow, tmp_path / "d.parquet")
    table = read_table(tmp_path / "d.parquet", "y")
    assert table.names == ["truth", "category", "money"]
    assert table.X.features.kinds.tolist() == [0, 1, 0]
    assert table.X.values.tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 3]]
    assert table.y.tolist() == ["a", "b", "a"]


def test_truth_values_and_whole_numbers_as_target(tmp_path):
    assert read_table(written(tmp_path, "a,y\n1,true\n2,false\n"), "y").y.dtype == bool
    assert read_table(written(tmp_path, "a,y\n1,7\n2,8\n"), "y").y.dtype == np.int64


def rows_of(words):
    return "word,size,y\n" + "".join(f'"{word}",{i * i},{i % 2}\n' for i, word in enumerate(words))


def test_words_that_hardly_come_back_are_left_out(tmp_path):
    path = written(tmp_path, rows_of(f"id{i}" for i in range(30)))
    table = read_table(path, "y")
    assert table.names == ["size"]
    [notice] = table.notices
    assert notice.startswith("left out: 'word', because it holds 30 different words in 30 rows")
    assert notice.endswith("--categorical 'word' keeps it")
    kept = read_table(path, "y", categorical=["word"])
    assert kept.names == ["word", "size"]
    assert "as many levels as rows" in kept.notices[0]


@pytest.mark.parametrize("word", ["{}.5 mg", "{}%", "1,{:03}.5", "<{} ml"])
def test_numbers_in_disguise_are_told(tmp_path, word):
    path = written(tmp_path, rows_of(word.format(i) for i in range(30)))
    said = "most of its words look like numbers with a unit, a percent sign"
    assert said in read_table(path, "y").notices[0]
    often = read_table(written(tmp_path, rows_of(word.format(i % 15) for i in range(60))), "y")
    assert often.names == ["word", "size"]
    assert said in often.notices[0]


def test_many_words_are_a_category(tmp_path):
    table = read_table(written(tmp_path, rows_of(f"w{i % 12}" for i in range(36))), "y")
    assert len(table.names) == 2
    assert table.notices == ()


def test_dates_are_numbers_and_lists_are_left_out(tmp_path):
    arrow = pa.table(
        {
            "when": pa.array([0, 1, 2], pa.date32()),
            "list": [[1], [2], [3]],
            "y": [0, 1, 0],
        }
    )
    parquet.write_table(arrow, tmp_path / "d.parquet")
    table = read_table(tmp_path / "d.parquet", "y")
    assert table.names == ["when"]
    assert table.X.values[:, 0].tolist() == [0, 1, 2]
    assert table.notices == (
        "left out: 'list', because it is of type list<element: int64>",
        "'when': dates became numbers, days since 1970-01-01",
    )


def test_whole_numbers_that_are_rounded_are_told(tmp_path):
    exact = read_table(written(tmp_path, f"a,y\n{2**53},0\n1,1\n"), "y")
    assert exact.notices == ()
    rounded = read_table(written(tmp_path, f"a,y\n{2**53 + 2},0\n1,1\n"), "y")
    assert "beyond 2^53 are rounded" in rounded.notices[0]
    assert "'a'" in rounded.notices[0]
