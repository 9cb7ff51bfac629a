"""Reading tables: what files say, what is done about words and gaps, and errors in one sentence."""

import gzip
import io

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import feather, parquet  # noqa: E402

from inforest.io.tables import read_table  # noqa: E402
from inforest.io.tables.files import MAX_COLUMNS, CsvOptions  # noqa: E402
from inforest.io.tables.input_error import InputError  # noqa: E402

TEXT = "size,colour,y\n1,red,0\n2,blue,1\n3,red,0\n4,green,1\n"


def written(tmp_path, text, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def given(monkeypatch, content):
    class Input:
        buffer = io.BytesIO(content)

    monkeypatch.setattr("sys.stdin", Input)


def test_words_become_columns_of_zero_and_one(tmp_path):
    table = read_table(written(tmp_path, TEXT), "y")
    assert table.names == ["size", "colour=blue", "colour=green", "colour=red"]
    assert table.X[:, 1:].tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert table.y.tolist() == [0, 1, 0, 1]
    assert table.X.flags.f_contiguous
    assert "'colour' (--categories one-hot)" in table.notices[0]


def test_two_words_need_one_column(tmp_path):
    table = read_table(written(tmp_path, "sex,y\nf,0\nm,1\nf,0\n"), "y")
    assert table.names == ["sex=m"]
    assert table.X[:, 0].tolist() == [0, 1, 0]


def test_other_ways_to_treat_words(tmp_path):
    path = written(tmp_path, TEXT)
    ordinal = read_table(path, "y", categories="ordinal")
    assert ordinal.names == ["size", "colour"]
    assert ordinal.X[:, 1].tolist() == [2, 0, 2, 1]  # blue, green, red
    assert "alphabetical" in ordinal.notices[0]
    assert read_table(path, "y", categories="drop").names == ["size"]
    with pytest.raises(ValueError, match=r"columns of words in .*: 'colour'; say --categories"):
        read_table(path, "y", categories="error")


GAPS = "a,b,c,y\n1,,u,0\n2,5,,1\n3,7,v,0\n9,8,v,\n4,6,v,1\n"


def test_missing_values_are_an_error_that_names_columns_and_option(tmp_path):
    with pytest.raises(ValueError, match="missing values") as error:
        read_table(written(tmp_path, GAPS), "y")
    for part in ("the target 'y' (1)", "'b' (1)", "'c' (1)", "--missing drop-rows"):
        assert part in str(error.value)


def test_ways_to_treat_missing_values(tmp_path):
    path = written(tmp_path, GAPS)
    rows = read_table(path, "y", missing="drop-rows")
    assert rows.X[:, 0].tolist() == [3, 4]
    assert rows.y.tolist() == [0, 1]
    assert rows.notices[:2] == (
        "1 row without a target was left out",
        "2 rows with missing values were left out",
    )
    columns = read_table(path, "y", missing="drop-columns")
    assert columns.names == ["a"]
    assert columns.X[:, 0].tolist() == [1, 2, 3, 4]
    filled = read_table(path, "y", missing="median", categories="ordinal")
    assert filled.X[:, 1].tolist() == [6, 5, 7, 6]  # the row without a target does not count
    assert filled.X[:, 2].tolist() == [0, 1, 1, 1]
    assert "b (1), c (1)" in filled.notices[1]


def test_a_column_without_any_value_is_left_out_by_median(tmp_path):
    path = written(tmp_path, "a,b,y\n1,,0\n2,,1\n")
    assert read_table(path, "y", missing="median").names == ["a"]
    with pytest.raises(ValueError, match=r"no row of .* is complete"):
        read_table(path, "y", missing="drop-rows")


def test_text_that_means_missing(tmp_path):
    path = written(tmp_path, "a,y\n1,0\n?,1\n3,0\n4,1\n")
    with pytest.raises(ValueError, match=r"'a' .* holds numbers and the text '\?'.*--na"):
        read_table(path, "y")
    options = CsvOptions(missing_text=["?"])
    assert read_table(path, "y", missing="median", csv=options).X[:, 0].tolist() == [1, 3, 3, 4]


def test_separator_and_decimal_comma(tmp_path):
    path = written(tmp_path, "a;y\n1,5;0\n2,5;1\n")
    with pytest.raises(
        ValueError, match=r"is the separator a semicolon\? Then say --separator ';'"
    ):
        read_table(path, "y")
    with pytest.raises(ValueError, match="numbers such as '1,5': say --decimal ','"):
        read_table(path, "y", csv=CsvOptions(";"))
    assert read_table(path, "y", csv=CsvOptions(";", ",")).X[:, 0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("options", [{"separator": ";;"}, {"decimal": ""}, {"decimal": "x"}])
def test_csv_options_are_one_character(options):
    with pytest.raises(ValueError, match=r"must be (one character|'\.' or ',')"):
        CsvOptions(**options)


def test_types_are_not_guessed_from_the_first_rows_only(tmp_path):
    """Arrow reads in blocks: a fraction after a million bytes of whole numbers is no error."""
    text = "a,y\n" + "1,0\n2,1\n" * 200_000 + "1.5,0\n"
    assert read_table(written(tmp_path, text), "y").X[-1, 0] == 1.5


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
        assert table.X.tolist() == [[1.0], [2.0]]
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
        ("a,y\n2020-01-01,0\n2020-01-02,1\n", "'a' .* holds date.*--drop 'a'"),
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


def test_too_many_words_look_like_an_identifier(tmp_path):
    text = "name,y\n" + "".join(f"n{i},{i % 2}\n" for i in range(150))
    with pytest.raises(ValueError, match=r"150 different words in 150 rows.*--drop 'name'"):
        read_table(written(tmp_path, text), "y")
    assert read_table(written(tmp_path, text), "y", categories="ordinal").names == ["name"]


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
    assert table.names == ["truth", "category=v", "money"]
    assert table.X.tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 3]]
    assert table.y.tolist() == ["a", "b", "a"]


def test_truth_values_and_whole_numbers_as_target(tmp_path):
    assert read_table(written(tmp_path, "a,y\n1,true\n2,false\n"), "y").y.dtype == bool
    assert read_table(written(tmp_path, "a,y\n1,7\n2,8\n"), "y").y.dtype == np.int64


@pytest.mark.parametrize("parameter", ["missing", "categories"])
def test_what_to_do_must_be_known(tmp_path, parameter):
    path = tmp_path / "gap.csv"
    path.write_text("a,y\n1,0\n,1\n3,1\n")
    with pytest.raises(InputError, match=f"{parameter} must be one of .*'error'.*; got 'meadian'"):
        read_table(path, "y", **{parameter: "meadian"})


def rows_of(words):
    return "word,size,y\n" + "".join(f'"{word}",{i},{i % 2}\n' for i, word in enumerate(words))


def test_words_that_hardly_come_back_are_refused(tmp_path):
    path = written(tmp_path, rows_of(f"id{i}" for i in range(30)))
    with pytest.raises(InputError, match=r"has 30 different words in 30 rows, too many") as error:
        read_table(path, "y")
    assert "--drop 'word'" in str(error.value)
    assert "--categories ordinal" in str(error.value)
    assert "look like numbers" not in str(error.value)
    assert read_table(path, "y", categories="ordinal").names == ["word", "size"]


@pytest.mark.parametrize("word", ["{}.5 mg", "{}%", "1,{:03}.5", "<{} ml"])
def test_numbers_in_disguise_are_told(tmp_path, word):
    path = written(tmp_path, rows_of(word.format(i) for i in range(30)))
    with pytest.raises(InputError, match="most look like numbers with a unit, a percent sign"):
        read_table(path, "y")
    ordinal = read_table(path, "y", categories="ordinal")
    assert "most look like numbers" in ordinal.notices[0]


def test_many_words_are_told(tmp_path):
    table = read_table(written(tmp_path, rows_of(f"w{i % 12}" for i in range(36))), "y")
    assert len(table.names) == 13
    assert table.notices[0] == (
        "warning: column 'word' has 12 different words in 36 rows; --drop 'word' leaves it out"
    )
    usual = read_table(written(tmp_path, rows_of(f"w{i % 12}" for i in range(120))), "y")
    assert len(usual.notices) == 1  # of the encoding


def test_whole_numbers_that_are_rounded_are_told(tmp_path):
    exact = read_table(written(tmp_path, f"a,y\n{2**53},0\n1,1\n"), "y")
    assert exact.notices == ()
    rounded = read_table(written(tmp_path, f"a,y\n{2**53 + 2},0\n1,1\n"), "y")
    assert "beyond 2^53 are rounded" in rounded.notices[0]
    assert "'a'" in rounded.notices[0]
