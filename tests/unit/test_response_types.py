"""A response type is one file: here are grades, which are neither classes nor numbers."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import inforest
from inforest import (
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeRegressor,
    FeatureSelector,
    ForestRanker,
    PermutationFilter,
    independence_test,
    rank_features,
)
from inforest._engine import responses
from inforest._engine.responses import Response, ResponseType, registry
from inforest.cli.choices import Task
from inforest.diagnostics import stability
from inforest.report import make_report

GRADES = np.array(["low", "middle", "high"])


class Grades(ResponseType):
    """Words with an order; a leaf keeps the mean of their places and predicts the nearest one."""

    name, kind = "grades", "scores"
    noun, plural = "grade", "grades"

    paper: ClassVar[dict[str, Any]] = {"selector": "pc", "splitter": "mse"}
    ranking: ClassVar[dict[str, Any]] = {"n_rounds": 3, "redundancy": 0.5}
    leaves_residuals = True

    oob_name = "oob_place_"
    loss_power = 2
    scoring, score_words = "accuracy", "accuracy"
    model_words = "logistic regression on standardized features"

    def encode(self, y, case_counts, estimator):
        unknown = set(y.tolist()) - set(GRADES.tolist())
        if unknown:
            raise ValueError(f"y must hold grades; got {sorted(unknown)[0]!r}")
        places = np.array([GRADES.tolist().index(word) for word in y], dtype=np.float64)
        return Response(self, places, classes=GRADES)

    def decode(self, response):
        return GRADES[response.values.astype(int)]

    def predict(self, mean, classes):
        return classes[np.clip(np.rint(mean[:, 0]), 0, len(classes) - 1).astype(int)]

    def score(self, response, mean, rows, weight):
        predicted = self.predict(mean[rows], response.classes)
        return float((predicted == self.decode(response)[rows]).mean())

    def kept_out_of_bag(self, mean):
        return mean[:, 0]

    def n_folds(self, y, most):
        return min(most, len(y) // 2), "too few rows"

    def default_downstream(self):
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()


class GradeTree(ConditionalInferenceTreeRegressor):
    _response_type = Grades()


class GradeForest(ConditionalInferenceForestRegressor):
    _response_type = GradeTree._response_type
    _tree_class = GradeTree


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setattr(registry, "_types", dict(registry._types))
    responses.register(GradeTree._response_type)
    yield
    responses.TASK_NAMES.discard("grades")


def data(n=120, p=8):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    place = np.searchsorted([-0.5, 0.5], X[:, 0] + 0.3 * rng.normal(size=n))
    return X, GRADES[place]


def test_fitted_by_a_tree_and_a_forest_and_predicted_from():
    X, y = data()
    tree = GradeTree(random_state=0).fit(X, y)
    forest = GradeForest(50, max_features=None, oob_score=True, random_state=0).fit(X, y)
    for model in (tree, forest):
        assert_array_equal(model.classes_, GRADES)
        predicted = model.predict(X)
        assert set(predicted.tolist()) <= set(GRADES.tolist())
        assert (predicted == y).mean() > 0.7
        assert model.ranking_[0] == 0
    assert "grade: " in tree.export_text()
    response = tree._response_type.encode(y, None, "")
    assert tree.tree_.value.shape[1] == response.n_outputs == 1
    importance = forest.permutation_importance(X, y, random_state=0)
    assert importance.importances_mean.argmax() == 0
    assert forest.oob_place_.shape == y.shape
    assert forest.oob_score_ == (forest._response_type.predict(
        forest.oob_place_[:, None], GRADES) == y).mean()  # fmt: skip
    assert type(forest.estimators_[0]) is GradeTree
    own = GradeForest(
        50, max_features=None, oob_score=lambda a, b: (a == b).mean(), random_state=0
    ).fit(X, y)
    assert own.oob_score_ == forest.oob_score_


def test_trees_are_those_of_the_places():
    X, y = data()
    places = np.searchsorted([0, 1, 2], [GRADES.tolist().index(word) for word in y]).astype(float)
    of_grades = GradeTree(random_state=0).fit(X, y).tree_
    of_numbers = ConditionalInferenceTreeRegressor(random_state=0).fit(X, places).tree_
    assert_array_equal(of_grades.value, of_numbers.value)
    assert_array_equal(of_grades.threshold, of_numbers.threshold)


def test_ranked_tested_and_filtered():
    X, y = data()
    ranking = rank_features(
        X, y, task="grades", n_estimators=30, p_values="westfall-young", random_state=0
    )
    assert isinstance(ranking.estimator, ForestRanker)
    assert isinstance(ranking.estimator.forest, GradeForest)
    assert len(ranking.estimator.forests_) == 3  # residuals of places
    assert ranking.order[0] == 0
    result = independence_test(X, y, task="grades", adjust="westfall-young", random_state=0)
    assert result.selector == "pc"
    assert result.rejected[0]
    kept = PermutationFilter(task="grades", random_state=0).fit(X, y)
    assert kept.get_support()[0]
    given = rank_features(X, y, estimator=GradeForest(20), random_state=0)
    assert given.order[0] == 0


def test_selected_repeated_and_reported():
    X, y = data()
    ranker = ForestRanker(GradeForest(20))
    selector = FeatureSelector(ranker, k_grid=[1, 3], cv=3, random_state=0).fit(X, y)
    assert selector.support_[0]
    assert "accuracy" in selector._score_name(responses.of_task("grades"))
    result = stability(X, y, estimator=ranker, k=2, n_repeats=4, vary="subsample", random_state=0)
    assert result.frequency[0] == 1
    report = make_report(X, y, task="grades", n_estimators=20, checks=False, k=2, random_state=0)
    assert report.content.question.task == "grades"


def test_its_own_errors_and_no_part_in_auto():
    X, y = data()
    with pytest.raises(ValueError, match="y must hold grades; got 'best'"):
        GradeTree().fit(X, np.where(y == "high", "best", y))
    assert independence_test(X, y, random_state=0).selector == "mc"  # words are classes
    with pytest.raises(ValueError, match="'mc' is for classification"):
        GradeTree(selector="mc").fit(X, y)


def test_unregistered_is_unknown():
    responses.TASK_NAMES.discard("grades")
    X, y = data()
    with pytest.raises(ValueError, match="The 'task' parameter of independence_test must be"):
        independence_test(X, y, task="grades")


def test_the_command_line_knows_the_types_that_come_with_the_library():
    responses.TASK_NAMES.discard("grades")
    assert {task.value for task in Task} == responses.TASK_NAMES


#: Words by which a module outside of the response types would ask what y is.
ASKS = (
    'task == "c', 'task == "r', '"classification":', '"regression":',
    "is_classifier(", "is_regressor(",
    '_ranker("classification")', '== "mse"', 'selector_names("', 'splitter_names("',
)  # fmt: skip


def test_nothing_else_asks_what_y_is():
    root = Path(inforest.__file__).parent
    for path in root.rglob("*.py"):
        place = path.relative_to(root).parts
        if place[:2] == ("_engine", "responses"):
            continue
        text = path.read_text()
        assert [word for word in ASKS if word in text] == [], path
