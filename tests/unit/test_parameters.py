"""A parameter is a row of one table: signatures, constraints, documentation and core follow it."""

import ast
import importlib.util
import inspect
from pathlib import Path

import numpy as np
import pytest

import inforest
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceSurvivalForest,
    ConditionalInferenceSurvivalTree,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeOrdinal,
    ConditionalInferenceTreeRegressor,
)
from inforest._engine import parameters
from inforest._engine.parameter import ABSENT, Parameter
from inforest._engine.parameters import TABLE, parameters_of
from inforest._engine.responses import CLASSES, NUMBER
from inforest._engine.training_set import prepare

ESTIMATORS = [
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeOrdinal,
    ConditionalInferenceForestOrdinal,
    ConditionalInferenceSurvivalTree,
    ConditionalInferenceSurvivalForest,
]
#: What `grow_trees` takes besides parameters: data, samples, and a switch of the tests.
NO_PARAMETERS = {
    *("X", "y", "n_classes", "case_counts", "feature_keys", "ranks", "seeds", "stop"),
    *("strata", "blocks", "groups", "quota", "replace", "weights", "rare_rows", "done"),
    *("shortcuts", "n_levels", "kept", "kept_y", "kept_n_classes", "holes"),
}


def tool():
    path = Path(__file__).parents[2] / "tools" / "signatures.py"
    spec = importlib.util.spec_from_file_location("signatures", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(cls):
    return parameters_of(cls._response_type, is_forest=cls._is_forest)


def test_signatures_are_written_from_the_table():
    signatures = tool()
    for path in signatures.FILES:
        expected = signatures.written(path)
        assert path.read_text() == expected, "run `make signatures`"


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_names_and_defaults_of_a_signature_are_those_of_the_table(cls):
    signature = inspect.signature(cls).parameters
    assert list(signature) == [one.name for one in rows(cls)]
    how = {"is_forest": cls._is_forest}
    for one in rows(cls):
        assert signature[one.name].default == one.default(cls._response_type, **how), one.name


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_constraints_and_docstrings_are_those_of_the_table(cls):
    assert list(cls._parameter_constraints) == [one.name for one in rows(cls)]
    text = inspect.cleandoc(cls.__doc__)
    assert "{parameters}" not in text
    for one in rows(cls):
        assert one.documentation(cls._response_type, is_forest=cls._is_forest) in text, one.name
    for placeholder in ("{selector", "{splitters", "{oob_words"):
        assert placeholder not in text


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_settings_of_the_paper_are_parameters_it_has(cls):
    settings = parameters.paper_settings(cls._response_type, is_forest=cls._is_forest)
    assert set(settings) <= {one.name for one in rows(cls)}
    assert cls.paper().get_params().items() >= settings.items()


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_settings_of_r_are_parameters_it_has(cls):
    settings = parameters.r_settings(cls._response_type, is_forest=cls._is_forest)
    assert set(settings) <= {one.name for one in rows(cls)}
    made = cls.cforest() if cls._is_forest else cls.ctree()
    assert made.get_params().items() >= settings.items()


def test_the_core_takes_what_the_table_hands_over():
    stub = ast.parse(Path(inforest.__file__).with_name("_core.pyi").read_text())
    grow = next(f for f in stub.body if getattr(f, "name", "") == "grow_trees")
    taken = {argument.arg for argument in [*grow.args.args, *grow.args.kwonlyargs]}
    handed = {one.name for one in TABLE if one.to_core is not None}
    assert handed == taken - NO_PARAMETERS


def test_a_new_parameter_is_one_row(monkeypatch):
    row = Parameter(
        name="patience",
        annotation="int",
        accepts=["boolean"],
        words="{splitters}",
        text="How long to wait. " * 10,
        forest_text="How long a forest waits.",
        tree=3,
        forest=lambda kind: kind.plural,
        paper=1,
        to_core=lambda value, params, data: value + params["honesty"] + data.n_rows,
    )
    monkeypatch.setattr(parameters, "TABLE", (*TABLE, row))
    assert parameters.constraints(NUMBER, is_forest=False)["patience"] == ["boolean"]
    assert parameters.paper_settings(CLASSES, is_forest=True)["patience"] == 1
    source = tool().init(CLASSES, is_forest=False)
    assert "        patience: int = 3,\n" in source
    assert "        self.patience = patience\n" in source
    assert 'patience: int = "classes"' in tool().init(CLASSES, is_forest=True)

    @parameters.documented(CLASSES, is_forest=True)
    class Documented:
        """Words.

        Parameters
        ----------
        {parameters}
        """

    head = 'patience : {"gini", "entropy", "chi2"}, default="classes"\n    How long a forest waits.'
    assert Documented.__doc__.endswith(head)
    X = np.asfortranarray(np.arange(8.0).reshape(4, 2))
    data = prepare(X, X[:, 0], NUMBER, "")
    params = {**ConditionalInferenceTreeRegressor().get_params(), "patience": 3}
    assert parameters.core_options(params, data)["patience"] == 3 + 0 + 4


def test_a_parameter_may_be_missing_for_a_response():
    (row,) = (one for one in TABLE if one.name == "sampling_method")
    assert row.default(NUMBER, is_forest=True) is ABSENT
    assert row.default(CLASSES, is_forest=False) is ABSENT
    assert row.default(CLASSES, is_forest=True) == "stratified"
