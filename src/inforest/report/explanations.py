"""What the numbers of a report mean, and what they do not guarantee."""

from typing import Any

from numpy.typing import NDArray

from inforest._engine.design import Design
from inforest.report.content import Content

#: What no number of the report promises.
LIMITS = (
    (
        "A p-value looks at one feature alone. A feature can matter only together with others"
        " (then its p-value is large), or repeat what others say (then its p-value is small and it"
        " adds nothing)."
    ),
    (
        "The p-values do not cover the ranking: no error rate is attached to the order, to the"
        " importances, or to the set of features kept. Whether fewer features are enough is judged"
        " by predictions on held-out rows, not by a test."
    ),
    (
        "The adjusted p-values bound the chance of any false alarm if nothing at all is associated"
        " with the target, and the answer rests on them alone. The comparison with luck has the"
        " same bound for itself; who also calls a find what it alone shows has at most twice as"
        " many false alarms."
    ),
    (
        "All tests assume that rows are exchangeable. Repeated measurements of one person, time"
        " series and clusters are not; p-values are then too small."
    ),
    (
        "An association is not a cause. With many rows, associations too weak to matter have small"
        " p-values, too."
    ),
    (
        "The score of the chosen number of features is a little optimistic, because the number was"
        " chosen by looking at the scores. For an honest estimate, test on rows that were not in"
        " this table."
    ),
)

_BLOCKS = (
    "The rows fall into {n:,} blocks. Wherever the target was shuffled, it was shuffled inside the"
    " blocks only, and features were compared with the target less their means in the blocks: what"
    " differs between blocks counts for nothing, and rows need be exchangeable inside blocks only."
)
_GROUPS = (
    "The rows fall into {n:,} groups. Rows of one group were in the sample of a tree, in a fold or"
    " in a half together, or not at all, so that no score comes from rows whose group was seen"
    " before. {tests}"
)
_TESTED_GROUPS = (
    "All rows of a group have the same target, so the p-values are those of groups, each with the"
    " means of its rows, and the comparison with luck shuffles whole groups."
)
_TESTED_ROWS = (
    "The p-values and the comparison with luck still take the rows for exchangeable: if targets of"
    " one group go together, they find too much."
)
_IMPORTANCE = (
    "How much the forests' splits on this feature tell about the target, as a share of what all"
    " splits together do.{less} It ranks; it is not a probability, and there is no value from which"
    " on it is “significant”."
)
_LESS = (
    " What features further up already say is taken off: a feature that mostly repeats a better one"
    " stands further down."
)
_P_VALUE = (
    "How often a random shuffling of the target shows an association with this one feature at least"
    " as strong as the real one. Small: chance alone rarely does that. A p-value from B shufflings"
    " is never below 1/(B+1): many equal smallest values mean “at most this”."
)
_IN_TOP = (
    "How often the feature was among so many best ones when the ranking was made again on a random"
    " half of the rows."
)


def design_words(design: Design, y: NDArray[Any]) -> tuple[str, ...]:
    """Return what blocks and groups of rows have changed, one paragraph each."""
    words = {"blocks": _BLOCKS, "groups": _GROUPS}
    tests = _TESTED_GROUPS if design.groups_share(y) else _TESTED_ROWS
    return tuple(
        words[name].format(n=int(codes.max()) + 1, tests=tests)
        for name, codes in design.arguments.items()
    )


def meanings(content: Content) -> list[tuple[str, str]]:
    """Return the names of the ranking's columns and what they mean.

    Parameters
    ----------
    content : Content
        What the report says; columns that it does not have are not explained.

    Returns
    -------
    meanings : list of (str, str)
        Name and meaning.

    """
    alpha = f"{content.alpha:g}"
    adjusted = (
        "The same, corrected by Westfall and Young's method for looking at so many features at"
        f" once. If no feature were associated with the target, the chance that any has an adjusted"
        f" p-value below {alpha} would be at most {alpha}."
    )
    importance = _IMPORTANCE.format(less=_LESS if content.redundancy else "")
    entries = [("importance", importance), ("p", _P_VALUE), ("adjusted p", adjusted)]
    if content.stability is not None:
        entries.append((f"in top {content.stability.k:,}", _IN_TOP))
    if content.split_usage is not None:
        entries.append(("splits", "The share of all splits in the forest that use the feature."))
    return entries
