"""A fitted tree as rules: one per leaf, as a table, as SQL or as Python."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inforest._engine.arrays import Tree
from inforest._engine.printable import printable
from inforest._engine.words import names_of_features


@dataclass(frozen=True)
class Condition:
    """One split on the way to a leaf.

    Attributes
    ----------
    feature : str
        Its name.
    is_left : bool
        Whether the way goes left: ``feature <= threshold``; else ``feature > threshold``.
    threshold : float
        Where the feature is cut; infinity parts what is there from what is missing.
    takes_missing : bool
        Whether a missing value goes this way, too.
    p_value : float
        Of the test that chose the feature, adjusted for the number of candidates; nan without one.
    levels : tuple or None
        Of a category: its levels that go this way; None for a number.
    saw_missing : bool
        Whether `fit` has seen missing values of the feature.

    """

    feature: str
    is_left: bool
    threshold: float
    takes_missing: bool
    p_value: float
    levels: tuple[Any, ...] | None = None
    saw_missing: bool = False

    def __str__(self) -> str:
        return _said([self])


@dataclass(frozen=True)
class Rule:
    """One leaf.

    Attributes
    ----------
    leaf : int
        Its number in `tree_`.
    conditions : tuple of Condition
        The splits on the way to it.
    prediction : object
        What it predicts.
    n_samples : int
        Rows that grew it.
    value : tuple of float
        What it keeps: shares of the classes, in the order of `classes_`, a mean or a risk.

    """

    leaf: int
    conditions: tuple[Condition, ...]
    prediction: Any
    n_samples: int
    value: tuple[float, ...]

    @property
    def p_value(self) -> float:
        """The largest p-value on the way, nan if a split was not tested or there is none."""
        return max((one.p_value for one in self.conditions), default=float("nan"))

    def __str__(self) -> str:
        """Say the way with one lower and one upper bound, or one set of levels, per feature."""
        by_feature: dict[str, list[Condition]] = {}
        for one in self.conditions:
            by_feature.setdefault(one.feature, []).append(one)
        parts = [_said(way) for way in by_feature.values()]
        return " and ".join(parts) or "always"


@dataclass(frozen=True, repr=False)
class Rules(Sequence[Rule]):
    """The rules of a fitted tree, in the order of its leaves; `tree.rules()` makes them.

    Printed, they are a table. Of every row exactly one rule holds. Dates are days since 1970-01-01
    there, durations seconds.

    Attributes
    ----------
    rules : tuple of Rule
        One per leaf.
    classes : tuple or None
        The classes that `Rule.value` has shares of, if it has.

    """

    rules: tuple[Rule, ...]
    classes: tuple[Any, ...] | None = None

    def __getitem__(self, index: Any) -> Any:
        return self.rules[index]

    def __len__(self) -> int:
        return len(self.rules)

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per rule: leaf, rule, prediction, n_samples, p_value, shares.

        Returns
        -------
        records : list of dict
            Plain numbers and strings; ``pandas.DataFrame(rules.records())`` is `to_frame`.

        """
        found = []
        for rule in self.rules:
            record = {
                "leaf": rule.leaf,
                "rule": str(rule),
                "prediction": rule.prediction,
                "n_samples": rule.n_samples,
                "p_value": rule.p_value,
            }
            if self.classes is not None:
                shares = zip(self.classes, rule.value, strict=True)
                record |= {f"share of {name}": value for name, value in shares}
            found.append(record)
        return found

    def to_frame(self) -> Any:
        """Return the records as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per rule.

        """
        import pandas as pd

        return pd.DataFrame(self.records())

    def to_sql(self, *, missing: bool = False) -> str:
        """Return an SQL expression that predicts a row of a table.

        Parameters
        ----------
        missing : bool, default=False
            Whether to say where NULL goes. Without it a row with NULL in a feature on its way
            gets NULL.

        Returns
        -------
        sql : str
            ``CASE WHEN ... THEN ... END``, with p-values as comments.

        """
        lines = ["CASE"]
        for rule in self.rules:
            when = " AND ".join(_sql(one, missing) for one in rule.conditions) or "1 = 1"
            comment = f"  -- n = {rule.n_samples}"
            if not np.isnan(rule.p_value):
                comment += f", p <= {rule.p_value:.3g}"
            lines.append(f"  WHEN {when} THEN {_literal(rule.prediction)}{comment}")
        return "\n".join([*lines, "END"])

    def to_python(self, name: str = "predict") -> str:
        """Return the source of a Python function that predicts a row.

        Parameters
        ----------
        name : str, default="predict"
            The function's.

        Returns
        -------
        source : str
            It takes a mapping from names of features to numbers, such as a dict or a row of a
            frame. A missing value, nan, goes the way it goes in the tree.

        """
        if not name.isidentifier():
            raise ValueError(f"name must be a name that Python allows; got {name!r}")
        lines = [f"def {name}(row):"]
        for rule in self.rules:
            when = " and ".join(_python(one) for one in rule.conditions) or "True"
            tested = "" if np.isnan(rule.p_value) else f", p <= {rule.p_value:.3g}"
            lines.append(f"    if {when}:  # n = {rule.n_samples}{tested}")
            lines.append(f"        return {_plain(rule.prediction)!r}")
        return "\n".join(lines) + "\n"

    def __repr__(self) -> str:
        """Return the rules as a table of text."""
        head = ("leaf", "n", "p", "prediction", "rule")
        rows = [
            (
                str(rule.leaf),
                str(rule.n_samples),
                "" if np.isnan(rule.p_value) else f"{rule.p_value:.2g}",
                f"{rule.prediction:.4g}"
                if isinstance(rule.prediction, float)
                else str(rule.prediction),
                str(rule),
            )
            for rule in self.rules
        ]
        shown = [tuple(map(printable, row)) for row in rows]
        widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *shown)
        ]
        return "\n".join(lines)


def make_rules(estimator: Any, feature_names: Sequence[str] | None = None) -> Rules:
    """Read the rules off a fitted tree estimator.

    Parameters
    ----------
    estimator : object
        A fitted tree.
    feature_names : sequence of str, default=None
        One name per feature; None takes `feature_names_in_`, else "feature_0", "feature_1", ...

    Returns
    -------
    rules : Rules
        One per leaf.

    """
    tree: Tree = estimator.tree_
    names = names_of_features(estimator, feature_names)
    keeps_shares = estimator._response_type.keeps_shares
    classes = estimator.classes_ if keeps_shares else None
    value = estimator._predictors.value  # the tree's own, or risks where leaves keep curves
    predicted = estimator._response_type.predict(value, getattr(estimator, "classes_", None))
    rules = [
        Rule(
            leaf,
            tuple(way),
            _plain(predicted[leaf]),
            int(tree.n_samples[leaf]),
            tuple(value[leaf].tolist()),
        )
        for leaf, way in _ways(estimator, names, adjusted_p_values(estimator))
    ]
    return Rules(tuple(rules), None if classes is None else tuple(classes.tolist()))


def adjusted_p_values(estimator: Any) -> Any:
    """Return the p-value of every node's feature, adjusted as the tree was told to.

    Bonferroni's and Sidak's; a p-value of "maxt" is adjusted as it is.
    """
    tree, how = estimator.tree_, estimator.adjust_alpha_selector
    p_value, m = tree.p_value_feature, tree.n_tests_feature
    if how == "sidak":
        with np.errstate(divide="ignore"):
            return -np.expm1(m * np.log1p(-np.minimum(p_value, 1.0)))
    if how in (True, "bonferroni"):
        return np.minimum(p_value * np.maximum(m, 1), 1.0)
    return p_value


def _ways(estimator: Any, names: list[str], p_value: Any) -> Iterator[tuple[int, list[Condition]]]:
    """Yield every leaf with the conditions on the way to it."""
    tree: Tree = estimator.tree_
    waiting: list[tuple[int, list[Condition]]] = [(0, [])]
    while waiting:
        node, way = waiting.pop()
        if tree.feature[node] < 0:
            yield node, way
            continue
        name, threshold = names[tree.feature[node]], float(tree.threshold[node])
        missing_left, p = bool(tree.missing_left[node]), float(p_value[node])
        to_left, to_right = _levels(estimator, tree, node)
        saw_missing = bool(estimator.missing_counts_[tree.feature[node]])
        right = Condition(name, False, threshold, not missing_left, p, to_right, saw_missing)
        waiting.append((int(tree.right[node]), [*way, right]))
        left = Condition(name, True, threshold, missing_left, p, to_left, saw_missing)
        waiting.append((int(tree.left[node]), [*way, left]))


def _levels(estimator: Any, tree: Tree, node: int) -> tuple[Any, Any]:
    """Return the levels of a category that go left and right; None for numbers."""
    feature = int(tree.feature[node])
    known = estimator._features.levels(feature)
    if known is None:
        return None, None
    goes_left = tree.levels_left(node)
    if goes_left is None:
        goes_left = estimator._features.is_up_to(feature, float(tree.threshold[node]))
    plain = [_plain(level) for level in known]
    sides = [
        tuple(level for level, left in zip(plain, goes_left, strict=True) if left == side)
        for side in (True, False)
    ]
    return sides[0], sides[1]


def _said(way: list[Condition]) -> str:
    """Say all conditions of a way on one feature at once, and whether missing values go along."""
    name, takes_missing = way[0].feature, all(one.takes_missing for one in way)
    low = max((one.threshold for one in way if not one.is_left), default=-np.inf)
    high = min((one.threshold for one in way if one.is_left), default=np.inf)
    if way[0].levels is not None:
        sets = [one.levels or () for one in way]
        levels = [level for level in sets[0] if all(level in others for others in sets)]
        if not levels and takes_missing:
            return f"{name} is missing"
        said = f"{name} in {levels!r}"
    elif np.isposinf(low):
        return f"{name} is missing"
    elif np.isinf(high):
        said = f"{name} is there" if np.isinf(low) else f"{name} > {low!r}"
    else:
        said = f"{name} <= {high!r}" if np.isinf(low) else f"{low!r} < {name} <= {high!r}"
    return f"({said} or missing)" if takes_missing and way[0].saw_missing else said


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _literal(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(int(value) if isinstance(value, bool) else value)


def _sql(one: Condition, missing: bool) -> str:
    name = '"' + one.feature.replace('"', '""') + '"'
    if one.levels is not None:
        plain = f"{name} IN ({', '.join(map(_literal, one.levels))})"
        return f"({plain} OR {name} IS NULL)" if missing and one.takes_missing else plain
    if np.isinf(one.threshold):
        return f"{name} IS {'NOT ' if one.is_left else ''}NULL"
    plain = f"{name} {'<=' if one.is_left else '>'} {one.threshold!r}"
    return f"({plain} OR {name} IS NULL)" if missing and one.takes_missing else plain


def _python(one: Condition) -> str:
    value = f"row[{one.feature!r}]"
    if one.levels is not None:
        plain = f"{value} in {list(one.levels)!r}"
        return f"({plain} or {value} is None or {value} != {value})" if one.takes_missing else plain
    if np.isinf(one.threshold):
        return f"{value} {'==' if one.is_left else '!='} {value}"
    # A comparison with nan is false.
    if one.takes_missing:
        return f"not {value} {'>' if one.is_left else '<='} {one.threshold!r}"
    return f"{value} {'<=' if one.is_left else '>'} {one.threshold!r}"
