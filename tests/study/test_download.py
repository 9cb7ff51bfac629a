"""Downloads, from a server on this machine that stands for UCI, scikit-feature and OpenML."""

import hashlib
import io
import json
import os
import threading
import tomllib
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from inforest_study import datasets
from inforest_study.dataset import DatasetUnavailable, checksum
from inforest_study.datasets import download
from inforest_study.datasets.real import LISTED, read_entries

DATA = os.environ.get("INFOREST_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="INFOREST_DATA names no folder of data sets")


class Server:
    """Answers with the pages it was given, and counts how often each was asked for."""

    def __init__(self):
        self.pages, self.asked = {}, []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                page = server.pages.get(self.path)
                self.send_response(404 if page is None else 200)
                self.end_headers()
                self.wfile.write(page or b"")

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        # A server looks up this often whether it shall end; half a second each adds up.
        poll = {"poll_interval": 0.01}
        threading.Thread(target=self._server.serve_forever, kwargs=poll, daemon=True).start()

    def zip(self, path, **files):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        self.pages[path] = content.getvalue()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server(monkeypatch, tmp_path):
    server = Server()
    for base in download.BASES:
        monkeypatch.setitem(download.BASES, base, f"{server.url}/{base}")
    for name in ("_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        there = getattr(sklearn_openml(), name).replace("https://www.openml.org", server.url)
        monkeypatch.setattr(sklearn_openml(), name, there)
    monkeypatch.setenv("INFOREST_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("INFOREST_DATA", raising=False)
    yield server
    server.close()


def sklearn_openml():
    import sklearn.datasets._openml as module

    return module


def toy(tmp_path, recipe, shape=(3, 2), n_classes=2, more=""):
    """Make an entry with a recipe."""
    task = "classification" if n_classes else "regression"
    lines = [f'[toy]\ntask = "{task}"\nn_samples = {shape[0]}\nn_features = {shape[1]}']
    lines += [f"n_classes = {n_classes}"] if n_classes else []
    lines += ['source = "toys"\nlicense = "none"', more, "[toy.download]", recipe]
    path = tmp_path / "toy.toml"
    path.write_text("\n".join(lines))
    return read_entries(path)[0]


TABLE = 'kind = "table"\nurl = "uci:1/toy.zip"\nfiles = ["toy.data"]\n'


def test_a_table_of_an_archive(server, tmp_path):
    server.zip("/uci/1/toy.zip", **{"some/folder/toy.data": "1,2.5,b\n3,4,a\n5, 6,b\n"})
    dataset = toy(tmp_path, TABLE).loader(None, None)
    assert dataset.X.tolist() == [[1, 2.5], [3, 4], [5, 6]]
    assert dataset.y.tolist() == [1, 0, 1]


def test_a_table_of_an_archive_in_an_archive(server, tmp_path):
    server.zip("/inner", **{"toy.data": "1,2,0\n3,4,1\n5,6,0\n"})
    server.zip("/uci/1/toy.zip", **{"read.me": "", "inner.zip": server.pages["/inner"]})
    assert toy(tmp_path, TABLE).loader(None, None).X[2].tolist() == [5, 6]


def test_files_go_below_each_other_and_classes_are_ordered_as_numbers(server, tmp_path):
    server.zip("/uci/1/toy.zip", a="10 1 2\n9 3 4\n", b="10 5 6\n")
    recipe = 'kind="table"\nurl="uci:1/toy.zip"\nfiles=["a","b"]\ntarget=0\nseparator=\'\\s+\''
    dataset = toy(tmp_path, recipe).loader(None, None)
    assert dataset.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert dataset.y.tolist() == [1, 0, 1]


def test_missing_is_zero_and_text_becomes_indicators_after_the_numbers(server, tmp_path):
    text = "two,1,red,?\n?,?,blue,7.5\nfour,3,red,8\n"
    server.zip("/uci/1/toy.zip", **{"toy.data": text})
    dataset = toy(tmp_path, TABLE, shape=(3, 6), n_classes=None).loader(None, None)
    # The number; missing, four, two; blue, red.
    assert dataset.X.tolist() == [[1, 0, 0, 1, 0, 1], [0, 1, 0, 0, 1, 0], [3, 0, 1, 0, 0, 1]]
    assert dataset.y.tolist() == [0, 7.5, 8]


def test_a_plain_table_with_names(server, tmp_path):
    server.pages["/citrees/c/toy.csv"] = b"name,Desc_1,Prop_001,Desc_2\nq,1,9.5,2\nr,3,8.5,4\n"
    recipe = (
        'kind="table"\nurl="citrees:c/toy.csv"\ntarget="Prop_001"\ncolumns="^Desc_"\nheader=true'
    )
    dataset = toy(tmp_path, recipe, shape=(2, 2), n_classes=None).loader(None, None)
    assert dataset.X.tolist() == [[1, 2], [3, 4]]
    assert dataset.y.tolist() == [9.5, 8.5]


def test_first_row_and_dropped_columns(server, tmp_path):
    server.zip("/uci/1/toy.zip", **{"toy.data": "0,9,9,1\n7,1,2,0\n7,3,4,1\n7,5,6,1\n"})
    dataset = toy(tmp_path, TABLE + "drop = [0]", more="first_row = 1").loader(None, None)
    assert dataset.X.tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize("sparse", [False, True])
def test_a_challenge(sparse, server, tmp_path):
    data = "1:5 2:6 \n2:7 \n\n" if sparse else "5 6 \n0 7 \n0 0 \n"
    files = {"TOY/toy_train.data": data, "TOY/toy_train.labels": "1\n-1\n1\n"}
    server.zip("/uci/1/toy.zip", **files)
    recipe = 'kind="challenge"\nurl="uci:1/toy.zip"\nname="toy"\nn_features=2\n'
    dataset = toy(tmp_path, recipe + f"sparse={str(sparse).lower()}").loader(None, None)
    assert dataset.X.tolist() == [[5, 6], [0, 7], [0, 0]]
    assert dataset.y.tolist() == [1, 0, 1]


def test_a_mat_file(server, tmp_path):
    content = io.BytesIO()
    X = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.uint8)
    savemat(content, {"X": X, "Y": np.array([[2], [1], [2]], dtype=np.uint8)})
    server.pages["/scikit-feature/toy.mat"] = content.getvalue()
    dataset = toy(tmp_path, 'kind = "mat"\nurl = "scikit-feature:toy.mat"').loader(None, None)
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.y.tolist() == [1, 0, 1]


def test_a_parquet_file(server, tmp_path):
    content = io.BytesIO()
    frame = pd.DataFrame({"x1": [1, 2], "x2": [0.5, 1.5], "y": [3.0, 4.0]})
    frame.astype({"x1": "int8"}).to_parquet(content)
    server.pages["/citrees/toy.parquet"] = content.getvalue()
    recipe = 'kind = "parquet"\nurl = "citrees:toy.parquet"'
    dataset = toy(tmp_path, recipe, shape=(2, 2), n_classes=None).loader(None, None)
    assert dataset.X.tolist() == [[1, 0.5], [2, 1.5]]
    assert dataset.y.tolist() == [3, 4]


ARFF = """@relation toy
@attribute id numeric
@attribute f1 numeric
@attribute f2 numeric
@attribute class {no,yes}
@data
7,1,2,yes
8,3,4,no
9,5,6,yes
"""


def serve_openml(server, data_id, arff):
    features = [
        {
            "index": str(index),
            "name": name,
            "data_type": "nominal" if name == "class" else "numeric",
            "is_target": "true" if name == "class" else "false",
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for index, name in enumerate(("id", "f1", "f2", "class"))
    ]
    description = {
        "id": str(data_id),
        "name": "toy",
        "version": "1",
        "status": "active",
        "format": "ARFF",
        "file_id": "1",
        "url": f"{server.url}/data/toy.arff",
        "md5_checksum": hashlib.md5(arff.encode()).hexdigest(),
        "default_target_attribute": "class",
        "description": "a toy",
    }
    qualities = [{"name": "NumberOfInstances", "value": "3"}]
    answers = {
        f"{data_id}": {"data_set_description": description},
        f"features/{data_id}": {"data_features": {"feature": features}},
        f"qualities/{data_id}": {"data_qualities": {"quality": qualities}},
    }
    for path, answer in answers.items():
        server.pages[f"/api/v1/json/data/{path}"] = json.dumps(answer).encode()
    server.pages["/data/toy.arff"] = arff.encode()


@pytest.mark.parametrize("choice", ["drop = [0]", "columns = '^f[0-9]+$'"])
def test_openml(choice, server, tmp_path):
    serve_openml(server, 77, ARFF)
    dataset = toy(tmp_path, f'kind = "openml"\ndata_id = 77\n{choice}').loader(None, None)
    assert dataset.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert dataset.y.tolist() == [1, 0, 1]


def test_a_download_is_kept(server, tmp_path):
    server.zip("/uci/1/toy.zip", **{"toy.data": "1,2,0\n3,4,1\n5,6,0\n"})
    entry = toy(tmp_path, TABLE)
    first = entry.loader(None, tmp_path / "cache")
    again = entry.loader(None, tmp_path / "cache")
    assert server.asked == ["/uci/1/toy.zip"]
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)


def test_a_download_that_cannot_be_kept_is_still_good(server, tmp_path):
    server.zip("/uci/1/toy.zip", **{"toy.data": "1,2,0\n3,4,1\n5,6,0\n"})
    (tmp_path / "file").write_text("where a folder should be")
    with pytest.warns(UserWarning, match="toy is not kept in the cache"):
        dataset = toy(tmp_path, TABLE).loader(None, tmp_path / "file")
    assert dataset.X.shape == (3, 2)


def test_a_download_that_differs_from_the_studys_is_told_each_time(server, tmp_path):
    server.zip("/uci/1/toy.zip", **{"toy.data": "1,2,0\n3,4,1\n5,6,0\n"})
    entry = toy(tmp_path, TABLE, more=f'checksum = "{"0" * 64}"')
    for _ in range(2):
        with pytest.warns(UserWarning, match="toy: .* differs from the study's copy"):
            entry.loader(None, tmp_path / "cache")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (None, "Not Found"),
        ({"other.data": "1,2,0\n"}, "no file 'toy.data' in the archive"),
        ({"toy.data": "1,2,3,0\n3,4,5,1\n5,6,7,0\n"}, "must have 3 samples and 2 features"),
        ({"toy.data": "1,2,0\n3,4,0\n5,6,0\n"}, "classes of toy must be 0 to 1"),
        ({"toy.data": ""}, "EmptyDataError"),
    ],
)
def test_a_source_that_has_changed_makes_the_data_unavailable(files, words, server, tmp_path):
    if files is not None:
        server.zip("/uci/1/toy.zip", **files)
    with pytest.raises(DatasetUnavailable, match=words):
        toy(tmp_path, TABLE).loader(None, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_what_is_no_archive_makes_the_data_unavailable(server, tmp_path):
    server.pages["/uci/1/toy.zip"] = b"<html>we have moved</html>"
    with pytest.raises(DatasetUnavailable, match="not a zip file"):
        toy(tmp_path, TABLE).loader(None, None)


def test_a_server_that_is_gone_makes_the_data_unavailable(server, tmp_path):
    server.close()
    with pytest.raises(DatasetUnavailable, match="refused"):
        toy(tmp_path, TABLE).loader(None, None)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ('kind = "fax"', "kind must be one of"),
        ('kind = "mat"\nurl = "uci:x"\ncolour = "red"', "unexpected keyword argument 'colour'"),
    ],
)
def test_a_wrong_recipe_is_named(recipe, words, server, tmp_path):
    with pytest.raises(DatasetUnavailable, match=words):
        toy(tmp_path, recipe).loader(None, None)


# From the study's copies back to the files of the sources, and through the recipes again.


def path_of(name):
    """Return where the server must have the file of a data set."""
    base, _, path = tomllib.loads(LISTED.read_text())[name]["download"]["url"].partition(":")
    return f"/{base}/{path}"


def csv(*columns):
    return pd.concat(columns, axis=1).to_csv(index=False, header=False)


def round_trip(name):
    """Load by the recipe; a warning, which is an error here, tells values that differ."""
    dataset = datasets.load(name)
    assert checksum(dataset.X, dataset.y) == dataset.info.checksum


@needs_data
@pytest.mark.parametrize(
    ("name", "file", "labels"),
    [
        ("glass", "glass.data", [1, 2, 3, 5, 6, 7]),
        ("spam", "spambase.data", [0, 1]),
        ("gamma", "magic04.data", ["g", "h"]),
    ],
)
def test_tables_of_uci(name, file, labels, server):
    kept = datasets.load(name, DATA)
    first = [pd.Series(np.full(len(kept.y), 12.5))] if name == "gamma" else []
    target = pd.Series(np.array(labels)[kept.y])
    server.zip(path_of(name), **{file: csv(*first, pd.DataFrame(kept.X), target)})
    round_trip(name)


@needs_data
def test_glass_fixed_is_made_of_the_downloaded_glass(server):
    kept = datasets.load("glass", DATA)
    server.zip(path_of("glass"), **{"glass.data": csv(pd.DataFrame(kept.X), pd.Series(kept.y))})
    round_trip("glass-fixed")


LEVELS = {
    2: ["alfa-romero", "audi", "bmw", "chevrolet", "dodge", "honda", "isuzu", "jaguar", "mazda"]
    + ["mercedes-benz", "mercury", "mitsubishi", "nissan", "peugot", "plymouth", "porsche"]
    + ["renault", "saab", "subaru", "toyota", "volkswagen", "volvo"],
    3: ["diesel", "gas"],
    4: ["std", "turbo"],
    5: ["?", "four", "two"],
    6: ["convertible", "hardtop", "hatchback", "sedan", "wagon"],
    7: ["4wd", "fwd", "rwd"],
    8: ["front", "rear"],
    14: ["dohc", "dohcv", "l", "ohc", "ohcf", "ohcv", "rotor"],
    15: ["eight", "five", "four", "six", "three", "twelve", "two"],
    17: ["1bbl", "2bbl", "4bbl", "idi", "mfi", "mpfi", "spdi", "spfi"],
}


@needs_data
def test_automobiles_of_uci(server):
    kept = datasets.load("imports-85", DATA)
    text, place = {}, 15
    for column, levels in LEVELS.items():
        indicators = kept.X[:, place : place + len(levels)]
        assert (indicators.sum(axis=1) == 1).all()
        text[column] = np.array(levels)[indicators.argmax(axis=1)]
        place += len(levels)
    numbers = iter(kept.X[:, :15].T)
    columns = [text[j] if j in text else next(numbers) for j in range(25)]
    frame = pd.DataFrame(dict(enumerate([*columns, kept.y])))
    frame = frame.astype(object).where(frame != 0, "?")
    server.zip(
        path_of("imports-85"), **{"imports-85.data": frame.to_csv(index=False, header=False)}
    )
    round_trip("imports-85")


@needs_data
@pytest.mark.parametrize("name", ["madelon", "dexter"])
def test_challenges_of_uci(name, server):
    kept = datasets.load(name, DATA)
    if name == "dexter":
        lines = [" ".join(f"{j + 1}:{row[j]:.0f}" for j in np.flatnonzero(row)) for row in kept.X]
        data = "\n".join(lines)
    else:
        data = "\n".join(" ".join(f"{value:.0f}" for value in row) for row in kept.X)
    labels = "\n".join("1" if code else "-1" for code in kept.y)
    files = {
        f"{name.upper()}/{name}_train.{end}": text
        for end, text in (("data", data), ("labels", labels))
    }
    server.zip(path_of(name), **files)
    round_trip(name)


@needs_data
@pytest.mark.parametrize("name", ["Yale", "warpAR10P"])
def test_mat_files_of_scikit_feature(name, server):
    kept, content = datasets.load(name, DATA), io.BytesIO()
    savemat(content, {"X": kept.X, "Y": kept.y[:, None] + 1}, do_compression=True)
    server.pages[path_of(name)] = content.getvalue()
    round_trip(name)
