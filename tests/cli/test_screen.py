"""Columns that are no features: named before the ranking, left out by a rule, kept on request."""

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from inforest.io.tables import read_table
from inforest.io.tables.input_error import InputError

N = 40


def table(**columns):
    """Return CSV text of a target, a feature, and these columns."""
    rng = np.random.default_rng(0)
    all_of_them = {**columns, "y": rng.permutation(N) % 2, "x": rng.normal(size=N).round(3)}
    rows = zip(*(list(values) for values in all_of_them.values()), strict=True)
    return "\n".join([",".join(all_of_them), *(",".join(map(str, row)) for row in rows)])


def read(tmp_path, text, **options):
    path = tmp_path / "data.csv"
    path.write_text(text)
    return read_table(path, "y", **options)


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("", range(N), "it counts the rows"),
        ("Unnamed: 0", range(1, N + 1), "it counts the rows"),
        ("any", range(N, 0, -1), "it counts the rows"),
        ("__index_level_0__", np.arange(N) * 3 + 7, "an index without a name"),
        ("id", np.random.default_rng(1).permutation(10**6)[:N], "those of an identifier"),
        ("patient_id", np.random.default_rng(2).permutation(10**6)[:N], "those of an identifier"),
    ],
)
def test_what_only_counts_is_left_out(name, values, why, tmp_path):
    text = table(**{name: values})
    found = read(tmp_path, text)
    assert found.names == ["x"]
    (notice,) = found.notices
    assert why in notice
    assert f"--keep {name!r}" in notice
    kept = read(tmp_path, text, keep=[name])
    assert kept.names == [name, "x"]
    assert kept.notices == ()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("humid", np.random.default_rng(1).permutation(10**6)[:N]),  # no identifier by its name
        ("id", np.random.default_rng(1).integers(5, size=N)),  # none by its values
        ("age", np.sort(np.random.default_rng(1).permutation(90)[:N])),
        ("step", np.arange(N) * 2),
        ("day", np.arange(N) + 5),
    ],
)
def test_features_stay(name, values, tmp_path):
    found = read(tmp_path, table(**{name: values}))
    assert found.names == [name, "x"]
    assert found.notices == ()


def test_constants_and_copies_are_named_and_kept(tmp_path):
    copied = np.random.default_rng(5).normal(size=N).round(3)
    found = read(tmp_path, table(one=[7] * N, first=copied, again=copied))
    assert found.names == ["one", "first", "again", "x"]
    constant, copies = found.notices
    assert constant == "the same value in every row, which comes last: 'one'"
    assert copies == "'again' is a copy of 'first': kept, and a copy is ranked behind the other"


def test_near_copies_are_named_and_kept(tmp_path):
    rng = np.random.default_rng(5)
    age = rng.normal(size=N).round(3)
    word = rng.choice(["a", "b", "c"], size=N)
    code = np.array([{"a": 20, "b": 30, "c": 10}[one] for one in word])
    months = age * 12 + rng.normal(size=N) / 2
    found = read(tmp_path, table(age=age, days=-age * 365, months=months, word=word, code=code))
    assert found.names == ["age", "days", "months", "word", "code", "x"]
    (said,) = found.notices
    assert said.startswith("'days' has the order of 'age', reversed; 'months' is nearly 'age' (r =")
    assert said.endswith(
        "; 'code' is 'word' by other names: both are kept, and share their importance"
    )


def test_all_problems_come_at_once(tmp_path):
    mixed = ["?", *range(N - 1)]
    with pytest.raises(InputError) as caught:
        read(tmp_path, table(a=mixed, b=mixed[::-1]))
    assert "column 'a'" in str(caught.value)
    assert "column 'b'" in str(caught.value)
    huge = ["inf", *np.random.default_rng(0).normal(size=N - 1)]
    with pytest.raises(InputError, match=r"columns 'a', 'b' of .*data\.csv hold infinite numbers"):
        read(tmp_path, table(a=huge, b=huge[::-1]))


def test_nothing_but_numbers_of_rows(tmp_path):
    text = "\n".join(["id,y", *(f"{i},{i % 2}" for i in range(N))])
    with pytest.raises(InputError, match=r"no column that could explain 'y': 'id' \(it counts"):
        read(tmp_path, text)
