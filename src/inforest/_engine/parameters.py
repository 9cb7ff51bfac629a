"""The one table of the parameters of trees and forests, and what is made of it.

A parameter is written down here: what it accepts, its defaults, the paper's value, how it reaches
the core, its documentation. Signatures are written out in the estimators by `make signatures`.
"""

import warnings
from collections.abc import Callable, Mapping
from inspect import cleandoc
from numbers import Integral, Real
from typing import Any, TypeVar

from inforest._engine.core_values import (
    COUNT,
    MOST,
    check_contradictions,
    class_weight,
    max_features,
    min_impurity_decrease,
    min_samples_leaf,
    min_samples_split,
    missing_rule,
    selectors,
    splitter,
)
from inforest._engine.limits import FACTOR, JOBS, LEVEL, TREES
from inforest._engine.order import TIE_ORDERS
from inforest._engine.parameter import ABSENT, Parameter
from inforest._engine.responses import ResponseType
from inforest._engine.sampling import IMPORTANCE_TYPES, MAX_CASES, SAMPLING_METHODS
from inforest._engine.sklearn_private import Interval, RealNotInt, StrOptions
from inforest._engine.training_set import TrainingSet

EARLY_STOPPING = [StrOptions({"curtailed", "adaptive"}), None]
CONFIDENCE = [Interval(Real, 0.5, 1, closed="neither")]
_YES_OR_NO = ["boolean"]
_BUDGET = [StrOptions({"minimum", "maximum", "auto", "stable"}), COUNT, None]
_SIZE = [COUNT, Interval(RealNotInt, 0, 1, closed="right"), StrOptions({"sqrt", "log2"}), None]


def _r_splitter(kind: ResponseType) -> str:
    """Return the splitter whose best cut is that of R's ctree."""
    return "chi2" if "chi2" in kind.splitters else kind.splitters[0]


#: In the order of signatures.
TABLE: tuple[Parameter, ...] = (
    Parameter(
        name="n_estimators",
        annotation="int",
        accepts=[TREES],
        words="int",
        text="Number of trees.",
        forest=100,
        paper=100,
        cforest=500,
        to_core=None,
    ),
    Parameter(
        name="selector",
        annotation="str | list[str]",
        accepts=[str, list, tuple],  # the names: in check_selectors
        words="{selectors} or list of str",
        text="{selector_text}",
        tree=lambda kind: kind.selectors[0],
        forest="quad",
        paper=lambda kind: kind.paper["selector"],
        ctree=lambda kind: kind.selectors[0],
        cforest=lambda kind: kind.selectors[0],
        to_core=selectors,
    ),
    Parameter(
        name="splitter",
        annotation="str",
        accepts=lambda kind: [StrOptions(set(kind.splitters))],
        words="{splitters}",
        text=("Impurity of Stage B, which picks the threshold. {splitter_text}"),
        tree=lambda kind: kind.splitters[0],
        forest=lambda kind: kind.splitters[0],
        paper=lambda kind: kind.paper["splitter"],
        ctree=_r_splitter,
        cforest=_r_splitter,
        to_core=splitter,
    ),
    Parameter(
        name="categorical_features",
        annotation="Any",
        accepts=["array-like", StrOptions({"from_dtype"}), None],
        words='"from_dtype", array-like of bool, int or str, or None',
        text=(
            "Which features are categories, whose levels have no order: those of a data frame whose"
            ' type says so ("from_dtype": categories without an order, enumerations, strings), or'
            " those of a mask, of indices or of names; None: none, all are numbers. A category is"
            " one feature with one test, by the share of the variance of y, or the chi-square of"
            " the classes, that lies between its levels, whichever `selector` numbers have: mc, pc"
            " and quad are this statistic where levels are all one knows, and dc, mi and rdc have"
            " no form for levels. It is cut into two sets of levels; they are sorted by their mean"
            " y (several classes: by the first principal component of their shares) and cut where"
            ' the impurity is lowest. With `splitter_test="max"` the best cut is tested, its levels'
            ' sorted anew in every permutation; so it is with "threshold", since the cuts are made'
            " from y and a test of each would not keep its level. Any number of levels is fine; one"
            " that was not there in fit, or in a node, goes where missing values go."
        ),
        tree="from_dtype",
        forest="from_dtype",
        to_core=None,
    ),
    Parameter(
        name="alpha_selector",
        annotation="float",
        accepts=LEVEL,
        words="float",
        text="Level of Stage A at a node, in (0, 1].",
        forest_text=(
            "Level of Stage A at a node, in (0, 1]. A forest predicts better when many features"
            " pass; see Notes for one that keeps noise out."
        ),
        tree=0.05,
        forest=0.5,
        paper=0.05,
        ctree=0.05,
        cforest=1.0,
    ),
    Parameter(
        name="alpha_splitter",
        annotation="float",
        accepts=LEVEL,
        words="float",
        text="Level of Stage B at a node, in (0, 1].",
        tree=0.05,
        forest=0.05,
        paper=0.05,
    ),
    Parameter(
        name="adjust_alpha_selector",
        annotation="bool | str",
        accepts=["boolean", StrOptions({"bonferroni", "sidak", "maxt"})],
        words='bool or {"bonferroni", "sidak", "maxt"}',
        text=(
            'How a node\'s candidate features share `alpha_selector`. True or "bonferroni": it'
            ' is divided by their number m. "sidak": 1 - (1 - alpha)^(1 / m), a little more, which'
            " holds if the tests are independent; R's ctree has it under the name Bonferroni."
            ' "maxt" (Westfall and Young\'s, single step): one'
            " test, at `alpha_selector` itself, whether the largest statistic exceeds the"
            " largest one under permutation; no feature is muted, since none is tested by"
            " itself, and `feature_scanning` means nothing. It needs far fewer permutations"
            " with many candidates and has more power if they are correlated. False: no"
            " correction."
        ),
        tree=True,
        forest=True,
        paper=True,
        ctree="sidak",
        cforest=False,
    ),
    Parameter(
        name="adjust_alpha_splitter",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "Whether to divide `alpha_splitter` by the number of thresholds (Bonferroni). A"
            ' single test, as `splitter_test="max"` makes, needs no correction.'
        ),
        tree=True,
        forest=True,
        paper=True,
    ),
    Parameter(
        name="n_resamples_selector",
        annotation="str | int | None",
        accepts=[StrOptions({"asymptotic"}), *_BUDGET],
        words='{"minimum", "maximum", "auto", "stable", "asymptotic"}, int or None',
        text=(
            'Permutations of a Stage A test. With tau the level after adjustment: "minimum" is'
            ' about 1 / tau, the fewest that can reject; "stable" is 20 / tau, after which two'
            " seeds rarely disagree (a test with the exact p-value 0.6 tau rejects with 98 % of"
            ' them); "maximum" is 1 / (4 tau^2) and "auto" max(1 / tau, z^2 (1 - tau) / tau) with'
            " z the normal quantile of 1 - tau, the paper's. All are rounded up, and, unless"
            " `strict_level`, so that (B + 1) tau is whole or just above. An int is multiplied"
            " by the number of candidates under Bonferroni. None: no test, the candidate that"
            " comes first in the order of `feature_scanning` wins."
            ' "asymptotic": none; every candidate\'s statistic is compared with chi-square, its'
            " limit in large nodes, and the smallest p-value wins, of equal ones that of the last"
            " column. These are the tests of R's ctree, with the selectors {asymptotic_selectors}"
            " only."
        ),
        tree="stable",
        forest="minimum",
        paper="minimum",
        ctree="asymptotic",
        cforest="asymptotic",
    ),
    Parameter(
        name="n_resamples_splitter",
        annotation="str | int | None",
        accepts=_BUDGET,
        words='{"minimum", "maximum", "auto", "stable"}, int or None',
        text="The same for Stage B. None: no test, the lowest impurity wins.",
        tree="stable",
        forest="stable",
        paper="minimum",
    ),
    Parameter(
        name="early_stopping_selector",
        annotation="str | None",
        accepts=EARLY_STOPPING,
        words='{"curtailed", "adaptive"} or None',
        text=(
            '"curtailed": candidates one after the other; a test ends once its decision cannot'
            " change, the first to reject wins. Each test rejects as the exhaustive one, in"
            " distribution, or up to 0.001 less often where a proven bound spares the draws."
            ' "adaptive" (the paper\'s): also end when the posterior of the p-value'
            " is confident; its level can be computed exactly, and was within the nominal one in"
            " all settings computed with a confidence of 0.95 or more and a test's level of at"
            " most 1 / 3 (docs/theory.md). None: all candidates with all permutations, the"
            " smallest p-value wins. Equal ones, and all strong features tie at 1 / (B + 1) with B"
            " permutations, are broken uniformly at random, as in the paper's reference rule;"
            ' "curtailed" with `feature_scanning` takes the largest statistic that rejects, usually'
            " the better tree."
        ),
        tree="curtailed",
        forest="curtailed",
        paper="adaptive",
    ),
    Parameter(
        name="early_stopping_splitter",
        annotation="str | None",
        accepts=EARLY_STOPPING,
        words='{"curtailed", "adaptive"} or None',
        text="The same for Stage B.",
        tree="curtailed",
        forest="curtailed",
        paper="adaptive",
    ),
    Parameter(
        name="early_stopping_confidence_selector",
        annotation="float",
        accepts=CONFIDENCE,
        words="float",
        text=(
            'Confidence at which "adaptive" ends a test, in (0.5, 1). With less than 0.95 a test'
            " may reject more often than its level says."
        ),
        tree=0.95,
        forest=0.95,
        paper=0.95,
    ),
    Parameter(
        name="early_stopping_confidence_splitter",
        annotation="float",
        accepts=CONFIDENCE,
        words="float",
        text="The same for Stage B.",
        tree=0.95,
        forest=0.95,
        paper=0.95,
    ),
    Parameter(
        name="feature_muting",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text="Whether a feature whose test did not reject is left out below that node.",
        tree=True,
        forest=True,
        paper=True,
        ctree=False,
        cforest=False,
    ),
    Parameter(
        name="feature_scanning",
        annotation="bool | str",
        accepts=["boolean", StrOptions({"statistic"})],
        words='bool or {"statistic"}',
        text=(
            "In which order early stopping takes the candidates, and which wins without a test."
            " True: the one whose statistic is furthest out in its own permutation distribution"
            " first, by the tail of a gamma distribution with the exact mean and variance, so"
            " that no kind of feature is preferred; with the selectors mi, dc, rdc and with lists,"
            ' whose moments are not known, the largest statistic first. "statistic" (the paper\'s):'
            " the largest statistic first, whatever the selector. False: at random."
        ),
        tree=True,
        forest=True,
        paper="statistic",
    ),
    Parameter(
        name="max_features",
        annotation="int | float | tuple[float, int] | str | None",
        accepts=[*_SIZE, tuple, list],  # the pair: in max_features
        words='int, float, (float, int), {"sqrt", "log2"} or None',
        text=(
            "Candidates drawn at each node from its available features: a number, a share, a"
            " share of at least three and at most a cap, as in (1 / 3, 500), or None for all of"
            " them."
        ),
        forest_text=(
            "Candidates drawn at each node from its available features: a number, a share, a"
            " share of at least three and at most a cap, as in (1 / 3, 500), the rounded up"
            " root or logarithm of their number, or None for all of them (the paper's CIF-all)."
        ),
        tree=None,
        forest=(1 / 3, 500),
        paper=None,
        forest_paper="sqrt",
        ctree=None,
        cforest="sqrt",
        to_core=max_features,
    ),
    Parameter(
        name="split_tries",
        annotation="int",
        accepts=[COUNT],
        words="int",
        text=(
            "How many features a node tries to cut, those with the smallest p-values first, until"
            " one has a threshold that leaves both children enough samples. More than one needs"
            ' `n_resamples_selector="asymptotic"`, which knows the order.'
        ),
        tree=1,
        forest=1,
        paper=1,
        ctree=2,
        cforest=2,
    ),
    Parameter(
        name="threshold_method",
        annotation="str",
        accepts=[StrOptions({"exact", "random", "percentile", "histogram"})],
        words='{"exact", "random", "percentile", "histogram"}',
        text=(
            "Which midpoints between neighbouring values are tried: all, a sample, percentiles,"
            " or edges of bins of equal width."
        ),
        tree="histogram",
        forest="histogram",
        paper="histogram",
        ctree="exact",
        cforest="exact",
    ),
    Parameter(
        name="threshold_at",
        annotation="str",
        accepts=[StrOptions({"midpoint", "value"})],
        words='{"midpoint", "value"}',
        text=(
            '"midpoint": a threshold lies between the values that it parts. "value": it is the'
            " largest value that goes left, as in R's ctree."
        ),
        tree="midpoint",
        forest="midpoint",
        paper="midpoint",
        ctree="value",
        cforest="value",
    ),
    Parameter(
        name="threshold_scanning",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text="Whether early stopping takes thresholds by ascending impurity, else at random.",
        tree=True,
        forest=True,
        paper=True,
    ),
    Parameter(
        name="max_thresholds",
        annotation="int | float | str | None",
        accepts=_SIZE,
        words='int, float, {"sqrt", "log2"} or None',
        text='How many thresholds the methods other than "exact" choose.',
        tree=256,
        forest=256,
        paper=256,
    ),
    Parameter(
        name="splitter_test",
        annotation="str | None",
        accepts=[StrOptions({"threshold", "max"}), None],
        words='{"max", "threshold"} or None',
        text=(
            "None: no test, the lowest impurity wins, and Stage A alone decides whether a node"
            ' splits. "max": one test of the best impurity over all thresholds, too. "threshold"'
            " (the paper's): one test per threshold. With None,"
            " `alpha_splitter`, `adjust_alpha_splitter`, `n_resamples_splitter`, the early"
            " stopping of Stage B and `threshold_scanning` mean nothing."
        ),
        tree=None,
        forest=None,
        paper="threshold",
        ctree=None,
        cforest=None,
    ),
    Parameter(
        name="max_depth",
        annotation="int | None",
        accepts=[COUNT, None],
        words="int or None",
        text="Greatest depth; the root has depth 0.",
        tree=None,
        forest=None,
        paper=None,
        ctree=None,
        cforest=None,
    ),
    Parameter(
        name="min_samples_split",
        annotation="int | float",
        accepts=[
            Interval(Integral, 2, MOST, closed="both"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        words="int or float",
        text="A node with fewer samples is a leaf; a float is a share of all samples.",
        tree=2,
        forest=2,
        paper=2,
        ctree=20,
        cforest=20,
        to_core=min_samples_split,
    ),
    Parameter(
        name="min_samples_leaf",
        annotation="int | float | tuple[float, int]",
        accepts=[COUNT, Interval(RealNotInt, 0, 1, closed="neither"), tuple, list],
        words="int, float or (float, int)",
        text=(
            "Fewest samples of a child; a float is a share of all samples. A pair (share, least):"
            " such a share of the node's samples, and at least so many, as in R's (0.01, 7)."
        ),
        tree=lambda kind: kind.least_leaf,
        forest=lambda kind: kind.least_leaf,
        paper=1,
        ctree=(0.01, 7),
        cforest=(0.01, 7),
        to_core=min_samples_leaf,
    ),
    Parameter(
        name="min_impurity_decrease",
        annotation="float",
        accepts=[FACTOR],
        words="float",
        text="A split must lower the impurity of its node by at least this much.",
        tree=0.0,
        forest=0.0,
        paper=0.0,
        ctree=0.0,
        cforest=0.0,
        to_core=min_impurity_decrease,
    ),
    Parameter(
        name="honesty",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "Whether one part of the rows grows the tree and the other gives its leaves their"
            " values."
        ),
        forest_text=(
            "Whether one part of a tree's rows grows it and the other gives its leaves their"
            " values."
        ),
        tree=False,
        forest=False,
        paper=False,
        ctree=False,
        cforest=False,
    ),
    Parameter(
        name="honesty_fraction",
        annotation="float",
        accepts=[Interval(Real, 0, 1, closed="neither")],
        words="float",
        text="Share of the rows that gives the values.",
        tree=0.5,
        forest=0.5,
        paper=0.5,
    ),
    Parameter(
        name="ties",
        annotation="str",
        accepts=[StrOptions({"random", "count"})],
        words='{"random", "count"}',
        text=(
            "What becomes of permutations whose statistic is that of the data, which are many for"
            ' features or responses of few values. "random": ties are broken at random, so that'
            " under the null hypothesis a p-value is exactly uniform and a test spends its level,"
            ' whatever the feature. "count" (the paper\'s): they count against the data, and'
            " tests of such features reject less often than their level."
        ),
        tree="random",
        forest="random",
        paper="count",
    ),
    Parameter(
        name="strict_level",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "Whether a test rejects only below its level, p < tau (the paper's rule), instead of"
            " p <= tau. The numbers of permutations are chosen for the one or the other."
        ),
        tree=False,
        forest=False,
        paper=True,
        ctree=True,
        cforest=True,
    ),
    Parameter(
        name="missing",
        annotation="str",
        accepts=[StrOptions({"incorporate", "ignore", "majority", "error"})],
        words='{"incorporate", "ignore", "majority", "error"}',
        text=(
            'What Stage A makes of missing values (nan). "incorporate": it tests a feature\'s value'
            " and whether it is missing together, so that an absence that says something about y"
            ' is found. "ignore": the value alone, on the rows that have one, whatever the absence'
            ' says. "error": refuses them. Stage B tries missing values left, right and'
            " apart from all others; a split that has seen none sends them into the child that"
            ' weighs more. "majority": tests as "ignore" does, and Stage B looks only at the rows'
            " that have a value, too; the others follow the larger part of these, or go right."
        ),
        tree="incorporate",
        forest="incorporate",
        ctree="ignore",
        cforest="ignore",
        to_core=missing_rule,
    ),
    Parameter(
        name="influence",
        annotation="Callable[[Any], Any] | None",
        accepts=[callable, None],
        words="callable or None",
        text=(
            "What tests and impurities see of y: called once as ``influence(y)`` with y as floats,"
            " it returns a score per row, or several in columns. Leaves keep the mean of y all the"
            " same. It must be a function of the responses alone, equal rows wherever they stand."
            " None: y itself."
        ),
        tree=None,
        forest=None,
        is_there=lambda kind: kind.has_influence,
        to_core=None,
    ),
    Parameter(
        name="order",
        annotation="Sequence[Any] | None",
        accepts=["array-like", None],
        words="array-like of shape (n_classes,) or None",
        text=(
            "The classes from the lowest to the highest. None: that of an ordered categorical y"
            " (pandas) or an Enum (polars), else of numbers; words without an order are refused. A"
            " class without rows may be named: it counts in the scores."
        ),
        tree=None,
        forest=None,
        is_there=lambda kind: kind.has_order,
        to_core=None,
    ),
    Parameter(
        name="scores",
        annotation="Sequence[float] | None",
        accepts=["array-like", None],
        words="array-like of shape (n_classes,) or None",
        text=(
            "What the classes count in tests and impurities, ascending, in their order. None: 1, 2,"
            " 3, ..., as in R."
        ),
        tree=None,
        forest=None,
        is_there=lambda kind: kind.has_order,
        to_core=None,
    ),
    Parameter(
        name="prediction",
        annotation="str",
        accepts=[StrOptions({"mode", "median"})],
        words='{"mode", "median"}',
        text=(
            'What `predict` returns: "mode", the most probable class, is right most often;'
            ' "median", the lowest class up to which half of the probability lies, misses by the'
            " fewest classes."
        ),
        tree="mode",
        forest="mode",
        is_there=lambda kind: kind.has_order,
        to_core=None,
    ),
    Parameter(
        name="time_grid",
        annotation="int | Any | None",
        accepts=[COUNT, "array-like", None],
        words="int, array-like of shape (n_times,) or None",
        text=(
            "The times at which curves are given, `unique_times_`. None: all distinct event times;"
            " an int: at most so many of them, evenly spread; else ascending times. Fewer times"
            " make arrays of curves smaller. At the times there are, curves stay what they were,"
            " and the risk does not change."
        ),
        tree=None,
        forest=None,
        is_there=lambda kind: kind.has_curves,
        to_core=None,
    ),
    Parameter(
        name="bootstrap",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "Whether every tree gets its own sample of the rows. False: every tree sees all of"
            " them, and `sampling_method` and `replace` mean nothing."
        ),
        forest=True,
        paper=True,
        cforest=True,
        to_core=None,
    ),
    Parameter(
        name="sampling_method",
        annotation="str",
        accepts=[StrOptions(set(SAMPLING_METHODS))],
        words='{"stratified", "plain", "undersample", "oversample"}',
        text=(
            '"stratified": every class has its share in every sample. "plain": rows are drawn'
            ' regardless of class. "undersample": from each class as many as the rarest one'
            ' gives, at most ``max_samples / n_classes``. "oversample": `max_samples` split'
            " evenly over the classes; needs ``replace=True``."
        ),
        forest="stratified",
        cforest="plain",
        is_there=lambda kind: kind.has_strata,
        to_core=None,
    ),
    Parameter(
        name="class_weight",
        annotation="dict[Any, float] | str | None",
        accepts=[dict, StrOptions({"balanced"}), None],
        words='dict, "balanced" or None',
        text=(
            "What the classes weigh: a dict from classes to positive numbers, 1 for classes it does"
            ' not name; "balanced": all classes together weigh the same; None: a row of any class'
            " as much. The weights belong to y and are permuted with it. They count in impurities,"
            " values of leaves and importances, times `sample_weight`; the statistics of Stage A"
            " and the out-of-bag score do without them."
        ),
        tree=None,
        forest=None,
        is_there=lambda kind: kind.kind == "labels",
        to_core=class_weight,
    ),
    Parameter(
        name="replace",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "False: a subsample, in which no row is repeated. True: a bootstrap sample, the"
            " paper's choice, whose repeated rows make permutation tests reject too often (see"
            " Notes)."
        ),
        forest=False,
        paper=True,
        cforest=False,
        to_core=None,
    ),
    Parameter(
        name="max_samples",
        annotation="int | float | None",
        accepts=[
            Interval(Integral, 1, MAX_CASES, closed="both"),
            Interval(RealNotInt, 0, 1, closed="right"),
            None,
        ],
        words="int, float or None",
        text=(
            "Size of a sample: a number, a share of the rows in (0, 1], or None for as many as"
            " there are rows with replacement and for 0.632 of them without."
        ),
        forest=None,
        paper=None,
        cforest=None,
        to_core=None,
    ),
    Parameter(
        name="oob_score",
        annotation="bool | Callable[..., float]",
        accepts=["boolean", callable],
        words="bool or callable",
        text=(
            "Whether to predict every row by the trees that have not seen it, and score the"
            " result by {oob_words}, or by the callable, called as ``oob_score(y_true,"
            " y_pred)``, with ``sample_weight`` if there are weights and it takes them."
        ),
        forest=False,
        to_core=None,
    ),
    Parameter(
        name="keep_leaves",
        annotation="bool | str",
        accepts=[*_YES_OR_NO, StrOptions({"auto"})],
        words='bool or "auto"',
        text=(
            "Whether to remember in which leaf of each tree every row of `fit` is, for"
            " {kept_words}: a byte per row and tree, two if a tree has more than 256 nodes, four"
            ' beyond 65,536. "auto" does unless there are more than 2^28 (268 million) rows times'
            " trees. This parameter does not change the trees."
        ),
        forest="auto",
        to_core=None,
    ),
    Parameter(
        name="importance_type",
        annotation="str",
        accepts=[StrOptions({"auto", *IMPORTANCE_TYPES})],
        words='{"auto", "split", "count", "weighted", "validated", "effect", "unseen_effect"}',
        text=(
            'Type of `feature_importances_` and `ranking_`. "auto" is "unseen_effect" where'
            ' trees leave out a tenth of the rows, else "weighted". The other types are there as'
            " well, see `importances`; this parameter does not change the trees."
        ),
        forest="auto",
        paper="split",
        to_core=None,
    ),
    Parameter(
        name="ranking_ties",
        annotation="str",
        accepts=[StrOptions(set(TIE_ORDERS))],
        words='{"association", "columns"}',
        text=(
            "What orders features of equal importance in `ranking_`, above all the many that no"
            ' split uses. "association": that with y on all samples, `root_statistic_`, the'
            ' larger first. "columns" (the paper\'s): the order of the columns.'
        ),
        tree="association",
        forest="association",
        paper="columns",
        to_core=None,
    ),
    Parameter(
        name="n_jobs",
        annotation="int | None",
        accepts=JOBS,
        words="int or None",
        text=(
            "Number of jobs, -1 for all processors. They are threads unless"
            ' `joblib.parallel_config` says otherwise: its backends "loky", "dask" and "ray"'
            " grow trees in other processes or on other machines. None means 1, or what"
            " `parallel_config` sets. The result is bit for bit the same for any number of jobs"
            " and any backend."
        ),
        forest=None,
        to_core=None,
    ),
    Parameter(
        name="warm_start",
        annotation="bool",
        accepts=_YES_OR_NO,
        words="bool",
        text=(
            "Whether fit keeps the trees there are and only adds what is missing to"
            " `n_estimators`. The result is that of one fit, whatever `random_state` was. It"
            " needs the same data as before."
        ),
        forest=False,
        to_core=None,
    ),
    Parameter(
        name="random_state",
        annotation="int | np.random.RandomState | None",
        accepts=["random_state"],
        words="int, RandomState instance or None",
        text="Seed of permutations, candidates and ties. The same int grows the same tree.",
        forest_text=(
            "Seed of samples, permutations, candidates and ties. The same int grows the same"
            " forest; two different ones have no tree in common."
        ),
        tree=None,
        forest=None,
        to_core=None,
    ),
    Parameter(
        name="verbose",
        annotation="int",
        accepts=["verbose"],
        words="int",
        text=(
            "1 writes a line about the fitted tree to stderr: its size and the permutations drawn."
        ),
        forest_text=(
            "1 shows a bar on stderr with the trees done, their rate and the time left; where"
            " stderr is no terminal, a line at the start and one at the end."
        ),
        tree=0,
        forest=0,
        to_core=None,
    ),
)


def parameters_of(kind: ResponseType, *, is_forest: bool) -> list[Parameter]:
    """Return the parameters of a tree or a forest for such a response."""
    return [one for one in TABLE if one.default(kind, is_forest=is_forest) is not ABSENT]


def constraints(kind: ResponseType, *, is_forest: bool) -> dict[str, list[Any]]:
    """Return scikit-learn's `_parameter_constraints`."""
    chosen = parameters_of(kind, is_forest=is_forest)
    return {one.name: one.constraint(kind) for one in chosen}


def paper_settings(kind: ResponseType, *, is_forest: bool) -> dict[str, Any]:
    """Return the configuration of the paper's benchmark."""
    chosen = parameters_of(kind, is_forest=is_forest)
    values = {one.name: one.paper_value(kind, is_forest=is_forest) for one in chosen}
    return {name: value for name, value in values.items() if value is not ABSENT}


def r_settings(kind: ResponseType, *, is_forest: bool) -> dict[str, Any]:
    """Return the configuration of partykit's ctree, or of its cforest."""
    chosen = parameters_of(kind, is_forest=is_forest)
    values = {one.name: one.r_value(kind, is_forest=is_forest) for one in chosen}
    return {name: value for name, value in values.items() if value is not ABSENT}


def core_options(params: Mapping[str, Any], data: TrainingSet) -> dict[str, Any]:
    """Check parameters against each other and the data; return the core's arguments."""
    check_contradictions(params, data)
    _warn_of_idle_level(params, data.response.type)
    return {
        one.name: one.to_core(params[one.name], params, data)
        for one in TABLE
        if one.to_core is not None and one.is_there(data.response.type)
    }


def _warn_of_idle_level(params: Mapping[str, Any], kind: ResponseType) -> None:
    """Say that a level does nothing in a forest whose default is to make no tests."""
    if params["n_resamples_selector"] is not None or "n_resamples_selector" not in (
        kind.forest_defaults if "n_estimators" in params else {}
    ):
        return
    default = next(one for one in TABLE if one.name == "alpha_selector")
    if params["alpha_selector"] != default.default(kind, is_forest=True):
        warnings.warn(
            f"alpha_selector={params['alpha_selector']:g} does nothing without tests, and forests"
            " for survival make none by default: set n_resamples_selector, too, to 'minimum',"
            " 'stable', 'auto' or a number of permutations",
            UserWarning,
            stacklevel=5,
        )


_Class = TypeVar("_Class", bound=type)


def documented(kind: ResponseType, *, is_forest: bool) -> Callable[[_Class], _Class]:
    """Fill the place ``{parameters}`` of an estimator's docstring."""

    def fill(cls: _Class) -> _Class:
        if cls.__doc__ is not None:  # python -OO has none
            chosen = parameters_of(kind, is_forest=is_forest)
            text = "\n".join(one.documentation(kind, is_forest=is_forest) for one in chosen)
            cls.__doc__ = cleandoc(cls.__doc__).replace("{parameters}", text, 1)
        return cls

    return fill
