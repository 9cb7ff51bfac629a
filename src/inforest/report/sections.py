"""The results of diagnostics as sections of a report: numbers with their names and meanings."""

import numpy as np
from numpy.typing import NDArray

from inforest._engine.short_names import shorten
from inforest.inspection.diagnostics import NullCheck, Sensitivity, SplitUsage, Stability
from inforest.report.content import Fact, Luck, Repeats, Sensitive, Usage

#: Nogueira's index from which on rankings are called so.
_VERDICTS = ((0.75, "stable"), (0.4, "fairly stable"), (-np.inf, "not stable"))
_IN_FIGURE = 30
_LETTERS = 40


def stability_section(result: Stability) -> Repeats:
    """Say what the other halves of the rows make of the ranking."""
    overlap = result.main
    index = overlap.nogueira
    half = "half" if result.share == 0.5 else f"{result.share:.0%}"
    facts = [
        Fact(
            "in common",
            f"{overlap.common:.1f} of {result.k}",
            f"Features that the top {result.k} of two random halves of the rows share, on average.",
        ),
        Fact(
            "Nogueira's index",
            f"{index.value:.2f} (95 % interval {index.low:.2f} to {index.high:.2f})",
            "1: always the same features; 0: as different as by chance. Halves of one table share"
            " rows, so that pure noise has an index of about 0.1, too. From 0.4 on fair, from 0.75"
            " on excellent. The interval takes the rankings for independent, though two each"
            " share the table between them: take it for a rough guide.",
        ),
        Fact(
            f"in at least {result.threshold:.0%}",
            f"{len(result.kept)} {'feature' if len(result.kept) == 1 else 'features'}",
            f"So many are in the top {result.k} in at least {result.threshold:.0%} of"
            f" {len(overlap.top)} rankings, each made on {half} of the rows.",
        ),
    ]
    if result.false_selections:
        facts.append(
            Fact(
                "proven limit",
                _limit_words(result.false_selections["none"], len(result.kept)),
                "Shah and Samworth's bound on how many features no better than guessing get"
                " there, on average over tables. It is a limit that holds for any data, not an"
                " estimate: usually there are far fewer. It takes the rows for independent draws;"
                " the halves keep the classes' shares, and are independent given these only.",
            )
        )
    verdict = next(word for least, word in _VERDICTS if index.value >= least)
    return Repeats(result.conclusion, tuple(facts), result.k, overlap.common, verdict)


def _limit_words(bound: float, n_kept: int) -> str:
    """Return what the bound on false selections says, which may be nothing."""
    if bound >= n_kept:
        return "says nothing here: it is not below the number of features itself"
    return f"no more than {bound:.2g} of {n_kept} are there by chance, on average"


def sensitivity_section(result: Sensitivity) -> Sensitive:
    """Say what another number of candidates makes of it."""
    facts = []
    names = [str(name) for name in result.names]
    for i, setting in enumerate(result.settings):
        common, alone = result.common[i], result.expected[i]
        new = ", ".join(shorten(names[j], _LETTERS) for j in result.entering(i))
        value = f"{common:.1f} of {result.k}"
        if i == 0:
            facts.append(Fact("another seed alone", value, "Come back with the same setting."))
        else:
            said = f"Come back; another seed alone leaves {alone:.1f}."
            said += f" New in the top: {new}." if new else ""
            facts.append(Fact(setting.label, value, said))
    return Sensitive(result.conclusion, tuple(facts), result.k, bool(result.changed.any()))


def usage_section(usage: SplitUsage, n_trees: int) -> Usage:
    """Say which features the splits use."""
    facts = [
        Fact("splits", f"{usage.n_splits:,} in {n_trees:,} trees", ""),
        Fact(
            "features used",
            f"{int((usage.splits > 0).sum()):,} of {len(usage.names):,}",
            "At least one split uses them.",
        ),
    ]
    if usage.n_splits:
        facts.append(
            Fact(
                f"top {usage.k}",
                f"{usage.top_share:.0%} of the splits",
                "The more, the less the forest depends on features further down.",
            )
        )
    if usage.top_offered is not None:
        facts.append(
            Fact(
                "offered",
                f"at {usage.top_offered:.0%} of the nodes",
                f"How often a feature of the top {usage.k} was among the candidates at a node,"
                " which are drawn at random. If that is rare, much is left to chance.",
            )
        )
    return Usage(usage.conclusion, tuple(facts), usage.n_splits, n_trees)


def null_section(result: NullCheck, order: NDArray[np.intp]) -> Luck:
    """Say what shuffled targets give."""
    order = order[:_IN_FIGURE]  # that of the ranking: one order in the whole report
    facts = (
        Fact(
            "better than luck",
            f"{len(result.selected):,} of {len(result.names):,} features",
            f"They explain more than the best feature of all but {result.alpha:.0%} of the"
            " shuffled targets. With nothing to find, any feature gets there with a probability"
            f" of at most {result.alpha:.0%}.",
        ),
        Fact(
            "features used",
            f"{result.n_used:,}; with shuffled targets {np.median(result.null_n_used):,.0f}",
            "A forest uses some features even if there is nothing to find: being used says little.",
        ),
    )
    return Luck(
        conclusion=result.conclusion,
        facts=facts,
        importances=tuple((str(result.names[j]), float(result.importance[j])) for j in order),
        threshold=result.threshold,
        by_luck=tuple(result.null_maximum.tolist()),
        n_better=len(result.selected),
    )
