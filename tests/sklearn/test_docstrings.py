"""Documentation agrees with the code: signatures, constraints, examples."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import inforest
from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)

TREES = [ConditionalInferenceTreeClassifier, ConditionalInferenceTreeRegressor]
FORESTS = [ConditionalInferenceForestClassifier, ConditionalInferenceForestRegressor]
ESTIMATORS = TREES + FORESTS
#: Parameters that mean something else for another task, or for many trees.
OF_A_TASK = {
    *("selector", "splitter", "n_resamples_selector", "sampling_method", "oob_score"),
    "keep_leaves",  # for quantiles, too, if y is a number
}
OF_A_FOREST = {"alpha_selector", "max_features", "honesty", "random_state", "verbose"}
#: Modules whose examples need nothing beyond the run-time dependencies.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(inforest.__path__, "inforest.")
    if module.name.split(".")[1] not in {"_core", "_core_testing", "cli"}
]


def documented(cls):
    """Return name -> text of the section "Parameters"."""
    doc = inspect.cleandoc(cls.__doc__)
    section = re.search(r"Parameters\n-+\n(.*?)\n\nAttributes\n", doc, re.DOTALL).group(1)
    parts = re.split(r"^(\w+) : ", section, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def without_default(text):
    return re.sub(r", default=.*", "", text, count=1)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_signature_docstring_and_constraints_name_the_same_parameters(cls):
    signature = list(inspect.signature(cls).parameters)
    assert list(documented(cls)) == signature
    assert set(cls._parameter_constraints) == set(signature)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_documented_defaults_are_the_defaults(cls):
    for name, parameter in inspect.signature(cls).parameters.items():
        default = re.search(r"default=(.*)", documented(cls)[name]).group(1)
        assert default.replace('"', "'") == repr(parameter.default).replace(repr(1 / 3), "1 / 3"), (
            name
        )


@pytest.mark.parametrize(
    ("classes", "different"),
    [
        (TREES, OF_A_TASK),
        (FORESTS, OF_A_TASK),
        ([TREES[0], FORESTS[0]], OF_A_FOREST),
        ([TREES[1], FORESTS[1]], OF_A_FOREST),
    ],
)
def test_shared_parameters_have_the_same_text(classes, different):
    one, other = map(documented, classes)
    alike = without_default if different is OF_A_FOREST else str
    for name in (set(one) & set(other)) - different:
        assert alike(one[name]) == alike(other[name]), name


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "module",
    [
        "inforest",
        "inforest.diagnostics",
        "inforest.interop",
        "inforest.redundancy",
        "inforest.report",
    ],
)
def test_every_public_name_has_an_example(module):
    found = importlib.import_module(module)
    names = [name for name in dir(found) if not name.startswith("_")]
    things = {name: getattr(found, name) for name in getattr(found, "__all__", names)}
    without = [
        name
        for name, thing in things.items()
        if callable(thing) and ">>>" not in (inspect.getdoc(thing) or "")
    ]
    assert without == []
