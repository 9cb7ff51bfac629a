"""Every block of Python in docs/coming-from-r.md runs, and prints what the page shows."""

import re
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
)

PAGE = Path(__file__).parents[2] / "docs" / "coming-from-r.md"
#: Those that say something of `fit`, of other estimators, or of a function of one's own.
ELSEWHERE = {"groups", "scores", "influence"}


def dictionary():
    """Return of every row of the dictionary whether it is ranger's, and what is there here."""
    section = PAGE.read_text().partition("## Dictionary")[2].partition("## What remains")[0]
    partykit, ranger = (
        [line.rstrip("| ").rpartition("| ")[2] for line in table.splitlines()[2:]]
        for table in section.strip().split("\n\n")
    )
    return [(False, cell) for cell in partykit] + [(True, cell) for cell in ranger]


def settings():
    """Return the settings among them: whether they are ranger's, and their words."""
    found = [
        (ranger, words) for ranger, cell in dictionary() for words in re.findall("`(.+?)`", cell)
    ]
    return [
        (ranger, words)
        for ranger, words in found
        if re.match(r"\w+=.", words) and not words.startswith(tuple(ELSEWHERE))
    ]


def test_all_blocks_run(capsys):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks].count("python") == 3
    namespace = {}
    for (kind, source), (next_kind, shown) in zip(blocks, [*blocks[1:], ("end", "")], strict=True):
        if kind != "python":
            continue
        exec(source, namespace)  # noqa: S102
        printed = capsys.readouterr().out
        if next_kind == "":
            assert printed.strip() == shown.strip()
    lower, upper = namespace["lower"], namespace["upper"]
    assert (lower <= upper).all()


def test_the_dictionary_speaks_of_parameters_that_exist():
    ours = {
        *ConditionalInferenceForestClassifier().get_params(),
        *ConditionalInferenceTreeRegressor().get_params(),
    }
    named = {name for _, cell in dictionary() for name in re.findall(r"\b(\w+)=", cell)}
    assert len(named) > 10
    assert named - ours <= ELSEWHERE


@pytest.mark.parametrize(("ranger", "words"), settings())
@pytest.mark.filterwarnings("ignore:.*out-of-bag")
def test_the_settings_of_the_dictionary_grow_what_they_say(ranger, words):
    given = eval(f"dict({words})", {"minprob": 0.01, "minbucket": 7})  # noqa: S307
    X, y = load_iris(return_X_y=True)
    is_number = given.get("selector") == "pc"
    forest = (
        ConditionalInferenceForestRegressor if is_number else ConditionalInferenceForestClassifier
    )
    tree = ConditionalInferenceTreeRegressor if is_number else ConditionalInferenceTreeClassifier
    if ranger:
        estimators = [forest(n_estimators=3, random_state=0, **given)]
    else:
        estimators = [forest.cforest(n_estimators=3, random_state=0, **given)]
        if given.keys() <= tree().get_params().keys():
            estimators.append(tree.ctree(random_state=0, **given))
    for estimator in estimators:
        estimator.fit(X, y)
        assert estimator.feature_importances_.max() > 0
