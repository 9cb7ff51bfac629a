"""A report on which features matter: one HTML page that a colleague can open."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from inspect import Parameter, signature
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from inforest._engine.columns import is_frame
from inforest._engine.design import Design, make_design
from inforest._engine.features import TABLE_CONSTRAINTS, usable_columns
from inforest._engine.limits import FACTOR, JOBS, MOST_FITS, TREES
from inforest._engine.notices import CostWarning, TableWarning
from inforest._engine.printable import printable_lines
from inforest._engine.responses import TASK_NAMES, any_response_type
from inforest._engine.screen import what_to_know
from inforest._engine.seeds import fresh_seed
from inforest._engine.sklearn_private import Interval, StrOptions, validate_parameter_constraints
from inforest._engine.whole_file import write_whole
from inforest._engine.words import names_of_features
from inforest.ranking.ranker import (
    N_TREES,
    checked_data,
    default_ranker,
    read_response,
    reading_settings,
    response_type_of,
)
from inforest.report.answer import headline, short_answer
from inforest.report.beyond import find_beyond
from inforest.report.collect import PARTS, Asked, collect, versions
from inforest.report.content import Content, Provenance, Question
from inforest.report.explanations import design_words
from inforest.report.render import render
from inforest.report.sample import announcement

_CONSTRAINTS: dict[str, list[Any]] = {
    "task": [StrOptions(TASK_NAMES)],
    "k": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left"), None],
    "n_estimators": [TREES],
    "redundancy": [FACTOR, None],
    **TABLE_CONSTRAINTS,
    "alpha": [Interval(Real, 2 / MOST_FITS, 1, closed="left")],
    "fdr": [Interval(Real, 0, 1, closed="neither"), None],
    "random_state": [Interval(Integral, 0, 2**32 - 1, closed="both"), None],
    "n_jobs": JOBS,
    "verbose": ["verbose"],
}

_WORDS: dict[str, list[Any]] = {
    "target": [str],
    "data": [str],
    "command": [str, None],
    "notices": [list, tuple],
    "keep": [list, tuple],
}


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What was found about the features of a table.

    Attributes
    ----------
    content : Content
        All of it as plain values, for programs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest import make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = make_report(X, y, n_estimators=20, k=2, checks=False, random_state=0)
    >>> [row["rank"] for row in report.to_rows()]
    [1, 2, 3, 4]

    """

    content: Content

    def to_html(self) -> str:
        """Return the report as an HTML page that needs no other file and no network."""
        return render(self.content)

    def write(self, path: str | Path) -> None:
        """Write the HTML page to a file, which is replaced whole or stays as it was."""
        write_whole(path, self.to_html().encode("utf-8", errors="backslashreplace"))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary of plain Python values per feature, best first."""
        beyond = dict(self.content.beyond.verdicts) if self.content.beyond else {}
        return [
            {
                "rank": place,
                "feature": feature.name,
                "importance": feature.importance,
                "p_value": feature.p_value,
                "adjusted_p_value": feature.adjusted_p_value,
                "statistic": self.content.statistic,
                "repeats": feature.repeats,
                **({} if self.content.k is None else {"kept": place <= self.content.k}),
                **({"given_others": beyond[feature.name]} if beyond else {}),
            }
            for place, feature in enumerate(self.content.features, start=1)
        ]

    def __repr__(self) -> str:
        """Show the answer in plain words."""
        lines = [headline(self.content)]
        for question, answer in short_answer(self.content):
            lines += ["", question, answer]
        return printable_lines("\n".join(lines))


def make_report(
    X: ArrayLike,
    y: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    categorical_features: Any = "from_dtype",
    missing: str = "incorporate",
    keep: Sequence[str] = (),
    target: str = "y",
    data: str = "X",
    task: str = "auto",
    k: str | int | None = "auto",
    n_estimators: int = N_TREES,
    redundancy: float | None = None,
    alpha: float = 0.05,
    fdr: float | None = None,
    checks: bool = True,
    notices: Sequence[str] = (),
    command: str | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Rank the features, choose how many to keep, and check how far that can be trusted.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Any table: numbers, categories, dates, with gaps. Columns that cannot be features, such as
        free text, are left out of a data frame, and the report says so.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    blocks, groups : array-like of shape (n_samples,) or None, default=None
        Which rows belong together, as in `rank_features`: responses are shuffled inside blocks
        only; rows of a group are in a tree's sample, a fold or a half together, or not at all.
    feature_names : sequence of str or None, default=None
        One name per feature; None takes the columns' names, else "feature_0", "feature_1", ...
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categories, as in `rank_features`.
    missing : {"incorporate", "ignore", "error"}, default="incorporate"
        What missing values are, as in `rank_features`.
    keep : sequence of str, default=()
        Columns of a data frame to rank although they look like row numbers or identifiers, by
        name. Others of this kind are left out, and the report says so.
    target : str, default="y"
        What to call y.
    data : str, default="X"
        What to call the table.
    task : {"auto", "classification", "regression", "survival"}, default="auto"
        "auto": survival if y is a structured array of a truth value and a time, regression if it
        holds fractions or more than 20 distinct numbers.
    k : "auto", int or None, default="auto"
        How many features to keep. "auto": the smallest number whose cross-validated score is
        within one standard error of the best. None: the question is not asked.
    n_estimators : int, default=500
        Trees of every forest.
    redundancy : float or None, default=None
        How much a feature loses that repeats a better one, as in `rank_features`; 0 ranks by
        importance alone.
    alpha : float, default=0.05
        Features with a smaller adjusted p-value count as associated with y.
    fdr : float or None, default=None
        Also test what each feature says that the others do not say, with `conditional_test`: the
        share of wrong features among those selected is to be at most this on average.
    checks : bool, default=True
        Whether to look at stability, sensitivity and split usage, and to make the check without
        signal. They rank the features some 65 times again.
    notices : sequence of str, default=()
        What was done to the data before; the report repeats it.
    command : str or None, default=None
        How to repeat the report; None: a call of this function.
    random_state : int or None, default=None
        Makes the report reproducible. None draws a seed; the report says which.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    report : Report
        `content`, `to_html()`, `to_rows()`, `write(path)`; its repr is the answer in words.

    See Also
    --------
    write_report : The same, into a file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from inforest.report import make_report
    >>> X, y = load_iris(return_X_y=True)
    >>> report = make_report(X, y, n_estimators=20, k=2, checks=False, random_state=0)
    >>> report.content.n_associated
    4
    >>> report.to_html()[:15]
    '<!DOCTYPE html>'

    """
    params = {name: value for name, value in locals().items() if name in _CONSTRAINTS}
    validate_parameter_constraints(_CONSTRAINTS, params, caller_name="make_report")
    words: dict[str, Any] = {"target": target, "data": data, "command": command}
    words |= {"notices": notices, "keep": keep}
    asked_for = {**params, "keep": keep, "checks": checks}
    validate_parameter_constraints(_WORDS, words, caller_name="make_report")
    if not all(isinstance(sentence, str) for sentence in notices):
        raise ValueError(f"notices must be sentences, each a str; got {notices!r}")
    holder = BaseEstimator()  # validation reads the features' names into it
    y, known = read_response(task, [], y)
    kept = usable_columns(X, categorical_features, keep)
    reading = reading_settings(kept.categorical_features, missing)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TableWarning)
        table, response = checked_data(
            holder,
            kept.table,
            y,
            [default_ranker(any_response_type(), **reading)],
        )
    for warning in caught:
        if not issubclass(warning.category, TableWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    read = [str(one.message) for one in caught if issubclass(one.category, TableWarning)]
    if is_frame(kept.table):
        read += what_to_know(
            names_of_features(holder, None),
            list(table.numbers.T),
            list(table.features.n_levels > 0),
        )
    notices = [*notices, *kept.left_out, *read]
    if feature_names is not None and len(feature_names) == kept.n_columns:
        feature_names = [feature_names[j] for j in kept.places]
    names = names_of_features(holder, feature_names)
    number = k if k is None or isinstance(k, str) else int(k)
    if isinstance(number, int) and number > len(names):
        raise ValueError(f"k must be at most the number of features, {len(names)}; got {k}")
    response_type = known or response_type_of(task, [], response)
    design = make_design(blocks, groups, len(response))
    seed = fresh_seed() if random_state is None else int(random_state)
    parts = [part for part in PARTS if checks or part == "k_curve"]
    if number is None:
        parts.remove("k_curve")
    asked = Asked(
        table=table,
        y=response,
        names=names,
        response_type=response_type,
        k=number,
        n_estimators=n_estimators,
        redundancy=float(response_type.ranking["redundancy"] if redundancy is None else redundancy),
        alpha=float(alpha),
        random_state=seed,
        n_jobs=n_jobs,
        verbose=verbose,
        design=design,
        missing=missing,
    )
    question = Question(
        data=data,
        target=target,
        task=response_type.name,
        n_rows=len(response),
        n_features=len(names),
        classes=response_type.class_sizes(response),
        notices=tuple(notices),
        design=design_words(design, response),
        facts=response_type.facts(response),
    )
    provenance = Provenance(
        command=command or _call(asked_for | {"random_state": seed}, design),
        seed=seed,
        created=datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        settings=(
            ("trees", f"{n_estimators:,} in every ranking"),
            ("redundancy", f"{asked.redundancy:g}"),
            ("level", f"{alpha:g}"),
        ),
        versions=versions(),
    )
    ahead = announcement(asked, checks=bool({*parts} - {"split_usage"}))
    if ahead:
        warnings.warn(ahead, CostWarning, stacklevel=2)
    content = collect(asked, question, provenance, parts)
    if fdr is not None:
        beyond, reason = find_beyond(asked, float(fdr))
        left_out = () if beyond else (f"What features say beyond the others ({reason})",)
        content = replace(content, beyond=beyond, skipped=(*content.skipped, *left_out))
    return Report(content)


_DEFAULTS = {name: option.default for name, option in signature(make_report).parameters.items()}


def _call(options: dict[str, Any], design: Design) -> str:
    """Return the call that makes the same report."""
    together = "".join(f"{name}={name}, " for name in design.arguments)
    given = ", ".join(
        f"{name}={value!r}"
        for name, value in options.items()
        if name not in ("n_jobs", "verbose") and value != _DEFAULTS[name]
    )
    return f"make_report(X, y, {together}{given})"


def _with_options_of_make_report(function: Any) -> Any:
    """Tell editors and `help` the options that a function passes on."""
    own = signature(function).parameters
    options = [one for one in signature(make_report).parameters.values() if one.name not in own]
    named = [one for one in own.values() if one.kind is not Parameter.VAR_KEYWORD]
    function.__signature__ = signature(function).replace(parameters=[*named, *options])
    return function


@_with_options_of_make_report
def write_report(path: str | Path, X: ArrayLike, y: ArrayLike, **options: Any) -> Report:
    """Write a report on which features of X matter for y as one HTML page.

    Parameters
    ----------
    path : str or Path
        The file.
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    y : array-like of shape (n_samples,)
        Class labels of any type, or finite numbers.
    **options
        As in `make_report`.

    Returns
    -------
    report : Report
        What was written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from inforest.report import write_report
    >>> X, y = load_iris(return_X_y=True)
    >>> with TemporaryDirectory() as folder:
    ...     report = write_report(
    ...         f"{folder}/iris.html", X, y, n_estimators=20, checks=False, random_state=0
    ...     )
    >>> report.content.question.n_features
    4

    """
    report = make_report(X, y, **options)
    report.write(path)
    return report
