"""Tables of all libraries become the same numbers, and what cannot become numbers is named."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from inforest import ConditionalInferenceTreeRegressor, TableWarning
from inforest._engine.features import Encoded, read_features

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
NA = np.nan


def read(X, choice="from_dtype", missing="incorporate", **options):
    return read_features(
        BaseEstimator(), X, categorical_features=choice, missing=missing, **options
    )


COLUMNS = {
    "n": [1, None, 3, 4],
    "x": [0.5, 1.5, None, 2.5],
    "b": [True, None, False, True],
    "w": ["red", "blue", None, "red"],
}
EXPECTED = np.array([[1, NA, 3, 4], [0.5, 1.5, NA, 2.5], [1, NA, 0, 1], [1, 0, NA, 1]]).T


def masked():
    table = np.ma.masked_array(np.empty((4, 4), dtype=object), np.zeros((4, 4), dtype=bool))
    for j, values in enumerate(COLUMNS.values()):
        table.data[:, j] = values
        table.mask[:, j] = [value is None for value in values]
    table.data[table.mask] = "hidden"
    return table


TABLES = {
    "pandas": (lambda: pd.DataFrame(COLUMNS), "from_dtype"),
    "pandas nullable": (
        lambda: pd.DataFrame(COLUMNS).astype({"n": "Int64", "b": "boolean", "w": "string"}),
        "from_dtype",
    ),
    "pandas category": (lambda: pd.DataFrame(COLUMNS).astype({"w": "category"}), "from_dtype"),
    "pandas arrow": (
        lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
        "from_dtype",
    ),
    "polars": (lambda: pl.DataFrame(COLUMNS), "from_dtype"),
    "polars categorical": (
        lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("w").cast(pl.Categorical)),
        "from_dtype",
    ),
    "polars enum": (
        lambda: pl.DataFrame(COLUMNS).with_columns(
            pl.col("w").cast(pl.Enum(["blue", "none", "red"]))
        ),
        "from_dtype",
    ),
    "arrow": (lambda: pa.table(COLUMNS), "from_dtype"),
    "arrow dictionary": (
        lambda: pa.table({**COLUMNS, "w": pa.array(COLUMNS["w"]).dictionary_encode()}),
        "from_dtype",
    ),
    "array of objects": (
        lambda: np.array(list(COLUMNS.values()), dtype=object).T,
        [False, False, False, True],
    ),
    "array with a mask": (masked, [3]),
    "lists": (lambda: [list(row) for row in zip(*COLUMNS.values(), strict=True)], [3]),
}


@pytest.mark.parametrize("library", TABLES)
def test_all_libraries_say_the_same(library):
    make, choice = TABLES[library]
    features, values = read(make(), choice)
    assert_array_equal(values, EXPECTED)
    assert values.flags.f_contiguous
    assert values.dtype == np.float64
    assert features.kinds.tolist() == [0, 0, 0, 1]
    assert features.n_levels.tolist() == [0, 0, 0, 2]
    assert features.levels(3) == ("blue", "red")
    assert_array_equal(features.encode(np.ma.asarray(make()) if library == "lists" else make()),
                       EXPECTED)  # fmt: skip


class Streams:
    """Something that only hands itself over in Arrow's way."""

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)


def test_arrow_streams():
    assert_array_equal(read(Streams())[1], EXPECTED)


@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_are_not_copied(order):
    X = np.arange(12.0).reshape(4, 3, order=order)
    features, values = read(X, order=order)
    assert values is X
    assert not features.special
    assert features.n_features == 3
    assert features.names is None
    assert not features.kinds.any()
    assert not features.n_levels.any()


@pytest.mark.parametrize(
    "gap", [None, NA, np.float32("nan"), pd.NA, pd.NaT], ids=["None", "nan", "nan32", "NA", "NaT"]
)
@pytest.mark.parametrize("rest", [[1.0, 2.0], ["a", "b"]])
def test_all_kinds_of_nothing(gap, rest):
    X = pd.DataFrame({"a": np.array([gap, *rest], dtype=object)})
    _, values = read(X)
    assert np.isnan(values[0, 0])
    assert np.isfinite(values[1:]).all()


@pytest.mark.parametrize("choice", [[True, False], [0], ["a"], np.array([0]), ("a",)])
def test_any_column_can_be_named(choice):
    X = pd.DataFrame({"a": [30, 10, 30.0], "b": [1, 2, 3]})
    features, values = read(X, choice)
    assert features.levels(0) == (10, 30)
    assert features.levels(1) is None
    assert values[:, 0].tolist() == [1, 0, 1]
    assert features.encode(pd.DataFrame({"a": [10, 20, None], "b": [0, 0, 0]}))[0, 0] == 0
    assert np.isnan(features.encode(pd.DataFrame({"a": [20, None], "b": [0, 0]}))[:, 0]).all()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("categories", "must be None, 'from_dtype', a mask.*got 'categories'"),
        ([[0]], "must be None, 'from_dtype'"),
        ([0.5], "must be None, 'from_dtype'"),
        ([True], "one entry per feature, 2; got 1"),
        ([2], "from 0 to 1; got 2"),
        ([-1], "from 0 to 1; got -1"),
        (["z"], "names 'z', which is no column of X; it has 'a', 'b'"),
    ],
)
def test_bad_choices(choice, message):
    with pytest.raises(ValueError, match=message):
        read(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), choice)


def test_names_need_a_frame():
    with pytest.raises(ValueError, match="the columns of X have none"):
        read(np.zeros((3, 2)), ["a"])


def ordered(values, levels):
    return pd.DataFrame({"a": pd.Categorical(values, levels, ordered=True)})


def test_an_ordered_category_of_numbers_is_its_numbers():
    features, values = read(ordered([10, 2.5, None], [2.5, 5, 10]))
    assert_array_equal(values[:, 0], [10, 2.5, NA])
    assert not features.special
    assert_array_equal(features.encode(pd.DataFrame({"a": [7.0]}))[:, 0], [7])


def test_an_ordered_category_of_words_is_its_order():
    levels = ["low", "middle", "high", "top"]
    features, values = read(ordered(["high", None, "low"], levels))
    assert_array_equal(values[:, 0], [1, NA, 0])
    assert features.kinds.tolist() == [0]
    assert features.n_levels.tolist() == [0]
    # A level that was not there stands between its neighbours.
    later = features.encode(pd.DataFrame({"a": [*levels, "unknown"]}))[:, 0]
    assert_array_equal(later, [0, 0.5, 1, 1.5, NA])
    arrow = pa.DictionaryArray.from_arrays([2, None, 0], levels, ordered=True)
    assert_array_equal(read(pa.table({"a": arrow}))[1], values)


def test_unused_levels_change_nothing():
    words = ["b", "a", "b"]
    for is_ordered in (False, True):
        few = pd.DataFrame({"a": pd.Categorical(words, ["a", "b"], ordered=is_ordered)})
        many = pd.DataFrame({"a": pd.Categorical(words, list("zaxby"), ordered=is_ordered)})
        assert_array_equal(read(few)[1], read(many)[1])
        assert read(few)[0].n_levels == read(many)[0].n_levels


MOMENTS = {
    "datetime64": (np.array(["1970-01-02", "NaT"], "datetime64[s]"), "date", 1.0),
    "date": (np.array([date(1970, 1, 2), None], dtype=object), "date", 1.0),
    "datetime": (np.array([datetime(1970, 1, 2, 12), None], dtype=object), "date", 1.5),
    "zone": (pd.to_datetime(["1970-01-02T01:00:00+01:00", None]), "date", 1.0),
    "zoned": (np.array([datetime(1970, 1, 2, tzinfo=UTC), None], dtype=object), "date", 1.0),
    "period": (pd.PeriodIndex(["1970-02", None], freq="M"), "date", 31.0),
    "timedelta64": (np.array([1500, "NaT"], "timedelta64[ms]"), "duration", 1.5),
    "timedelta": (np.array([timedelta(minutes=1), None], dtype=object), "duration", 60.0),
}


@pytest.mark.parametrize("case", MOMENTS)
def test_moments_are_numbers_with_a_notice(case):
    values, what, expected = MOMENTS[case]
    X = pd.DataFrame({"a": [0.0, 1.0], "when": values})
    with pytest.warns(TableWarning, match=rf"column 'when': {what}s became numbers"):
        features, read_values = read(X)
    assert_array_equal(read_values[:, 1], [expected, NA])
    assert_array_equal(features.encode(X)[:, 1], [expected, NA])  # said once, in fit
    with pytest.raises(ValueError, match=rf"'when' holds numbers, and must hold {what}s"):
        features.encode(X.assign(when=[1, 2]))


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("ms"), pl.Datetime("ns", "UTC")])
def test_moments_of_polars_and_arrow(kind):
    X = pl.DataFrame({"when": pl.Series([date(1970, 1, 3), None]).cast(kind)})
    for table in (X, X.to_arrow()):
        with pytest.warns(TableWarning, match="dates became numbers"):
            assert_array_equal(read(table)[1][:, 0], [2, NA])


def test_the_time_of_the_day():
    X = pl.DataFrame({"t": pl.Series([3_600 * 10**9, None]).cast(pl.Time)})
    for table in (X, X.to_arrow()):
        with pytest.warns(TableWarning, match="durations became numbers, seconds"):
            assert_array_equal(read(table)[1][:, 0], [3600, NA])


def words(n):
    return [f"id{i:03}" for i in range(n)]


def test_identifiers_and_texts_are_refused():
    with pytest.raises(
        ValueError, match=r"'a' holds 30 different words in 30 rows.*'id000'.*ident"
    ):
        read(pd.DataFrame({"a": words(30)}))
    text = [f"a sentence that says the number {i} in many words" for i in range(30)]
    with pytest.raises(ValueError, match=r"looks like free text\. Leave it out"):
        read(pd.DataFrame({"a": text}))
    read(pd.DataFrame({"a": words(10)}))  # few words are a category, however few the rows are


@pytest.mark.parametrize(
    "make", [lambda X: (X, ["a"]), lambda X: (X.astype("category"), "from_dtype")]
)
def test_as_many_levels_as_rows(make):
    X, choice = make(pd.DataFrame({"a": words(30)}))
    with pytest.warns(TableWarning, match="column 'a': a category with as many levels as rows"):
        features, _ = read(X, choice)
    assert features.n_levels.tolist() == [30]


@pytest.mark.parametrize("choice", ["from_dtype", ["odd"], None])
@pytest.mark.parametrize(
    ("odd", "error", "message"),
    [
        ([1, "a", 2], ValueError, "mixes numbers and words, such as 1 and 'a'"),
        ([[1], [2], [1]], TypeError, r"holds \[1\], of type list"),
        ([{"a": 1}, None, None], TypeError, "of type dict"),
        ([1j, 2j, 3j], TypeError, "complex"),
        ([b"a", b"b", None], TypeError, "of type bytes"),
        ([date(2020, 1, 1), 2, 3], ValueError, "mixes dates and numbers"),
    ],
)
def test_strange_columns_are_named(odd, error, message, choice):
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "odd": odd})
    with pytest.raises(error, match=rf"X: column 'odd' .*{message}"):
        read(X, choice)


def test_types_that_nobody_knows():
    X = pd.DataFrame({"odd": pd.arrays.IntervalArray.from_breaks([0, 1, 2])})
    with pytest.raises(TypeError, match=r"column 'odd' is of type interval.*strings, numbers"):
        read(X)
    with pytest.raises(TypeError, match=r"column 'odd' is of type List"):
        read(pl.DataFrame({"odd": [[1], [2]]}))
    with pytest.raises(TypeError, match=r"column 'odd' is of type list"):
        read(pa.table({"odd": [[1], [2]]}))
    cut = pd.DataFrame({"a": pd.cut([1.0, 2.0, 3.0], 3)})  # ordered intervals, by their order
    assert read(cut)[1][:, 0].tolist() == [0, 1, 2]


def test_words_need_a_frame_or_a_name():
    X = np.array([[1.0, "a"], [2.0, "b"]], dtype=object)
    with pytest.raises(ValueError, match=r"column 1 holds words.*'a'.*categorical_features"):
        read(X)
    assert read(X, [1])[0].levels(1) == ("a", "b")


def test_infinity_and_gaps():
    X = pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, NA]})
    with pytest.raises(ValueError, match=r"infinity.*column 'a'"):
        read(X)
    with pytest.raises(ValueError, match="Input X contains NaN: column 'b'"):
        read(X[["b"]], missing="error")
    read(np.full((2, 2), 1e308), missing="error")  # their sum is infinite, they are not


def test_encoded_tables_can_be_cut():
    features, values = read(pd.DataFrame(COLUMNS))
    table = Encoded(features, values)
    part = table[np.array([0, 3])][:, [3, 0]]
    assert part.shape == (2, 2)
    assert len(part) == 2
    assert part.features.levels(0) == ("blue", "red")
    assert part.features.levels(1) is None
    assert_array_equal(part.values, EXPECTED[[0, 3]][:, [3, 0]])
    again, numbers = read(part)
    assert again is part.features
    assert numbers is part.values


def test_nothing_is_half_fitted():
    model = ConditionalInferenceTreeRegressor()
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "odd": [1, "a", 2]})
    with pytest.raises(ValueError, match="mixes"):
        model.fit(X, [1, 2, 3])
    assert set(vars(model)) == set(model.get_params())


@pytest.mark.parametrize("dtype", ["string", object])
def test_words_may_come_to_a_column_that_was_empty_in_fit(dtype):
    y = np.arange(20.0)
    X = pd.DataFrame({"n": y, "w": pd.Series([None] * 20, dtype=dtype)})
    with pytest.warns(TableWarning, match=r"^column 'w': no value is there, so it tells nothing"):
        tree = ConditionalInferenceTreeRegressor(random_state=0).fit(X, y)
    filled = X.assign(w=pd.Series(["red", "blue"] * 10, dtype=dtype))
    assert_array_equal(tree.predict(filled), tree.predict(X))


def test_numbers_are_no_levels_of_words():
    X = pd.DataFrame({"c": pd.Categorical(["a", "b"] * 10)})
    tree = ConditionalInferenceTreeRegressor(random_state=0).fit(X, np.arange(20.0))
    with pytest.raises(ValueError, match="'c' holds numbers, such as 1, and must hold words as in"):
        tree.predict(pd.DataFrame({"c": [1, 2]}))
    missing = tree.predict(pd.DataFrame({"c": pd.Series([None, None], dtype=object)}))
    assert_array_equal(tree.predict(pd.DataFrame({"c": ["x", "y"]})), missing)


def test_sparse_tables_with_categories_are_refused_in_words():
    X = csr_array(np.eye(4))
    with pytest.raises(TypeError, match="Sparse data was passed for X"):
        ConditionalInferenceTreeRegressor(categorical_features=[0]).fit(X, np.arange(4.0))


@pytest.mark.parametrize("is_view", [False, True])
def test_dictionaries_of_arrow(is_view):
    """A level may be there twice, be none at all, or differ from chunk to chunk."""

    def part(places, levels):
        levels = pa.array(levels).cast(pa.string_view() if is_view else pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), levels)

    parts = [part([0, 1, 2, None], ["b", None, "b"]), part([1, 0], ["a", "c"])]
    features, values = read(pa.table({"w": pa.chunked_array(parts)}))
    assert features.levels(0) == ("a", "b", "c")
    assert_array_equal(values[:, 0], [1, NA, 1, NA, 2, 0])
