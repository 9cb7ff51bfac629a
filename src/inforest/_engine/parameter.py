"""`Parameter`: all there is to say about one parameter of trees and forests."""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from inforest._engine.responses import ResponseType
from inforest._engine.training_set import TrainingSet

#: Makes of a value what the core takes; it may look at the other parameters and the data.
ToCore = Callable[[Any, Mapping[str, Any], TrainingSet], Any]
#: Columns of a parameter's text in a class's docstring.
_WIDTH = 92


class _Absent(Enum):
    ABSENT = "absent"


#: The default of a parameter that an estimator does not have.
ABSENT = _Absent.ABSENT


def plain(value: Any, _params: Mapping[str, Any], _data: TrainingSet) -> Any:
    """Return a NumPy scalar, as grids of parameters hold them, as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One row of the table. A value that depends on the response is a function of its type.

    Attributes
    ----------
    name : str
        Its name: in Python, and in the core if it gets there.
    annotation : str
        Its type in a signature.
    accepts : list
        scikit-learn's constraint.
    words : str
        What a docstring says it is; `{selectors}` and `{splitters}` are those of the response.
    text : str
        What a docstring says it does; `{selector_text}`, `{splitter_text}`, `{oob_words}`,
        `{kept_words}` and `{asymptotic_selectors}` are the response's.
    forest_text : str
        The same for a forest, where that is something else.
    tree, forest : object
        The default; ABSENT where there is no such parameter.
    paper, forest_paper : object
        The value in the paper's benchmark, and in its forests where that is another one.
    ctree, cforest : object
        The value with which a tree is R's ctree, and a forest R's cforest; ABSENT where the
        default does no harm.
    is_there : callable
        Whether it has a meaning for a response type.
    to_core : callable or None
        Makes of it the core's argument of the same name; None keeps it out of the core.

    """

    name: str
    annotation: str
    accepts: Any
    words: str
    text: str
    forest_text: str = ""
    tree: Any = ABSENT
    forest: Any
    paper: Any = ABSENT
    forest_paper: Any = ABSENT
    ctree: Any = ABSENT
    cforest: Any = ABSENT
    is_there: Callable[[ResponseType], bool] = lambda _: True
    to_core: ToCore | None = plain

    def constraint(self, kind: ResponseType) -> list[Any]:
        """Return what scikit-learn checks."""
        return _of(self.accepts, kind)

    def default(self, kind: ResponseType, *, is_forest: bool) -> Any:
        """Return the default, ABSENT if the estimator has no such parameter."""
        if not self.is_there(kind):
            return ABSENT
        own = kind.forest_defaults if is_forest else {}
        return own.get(self.name, _of(self.forest if is_forest else self.tree, kind))

    def paper_value(self, kind: ResponseType, *, is_forest: bool) -> Any:
        """Return the paper's value, ABSENT if it has none."""
        value = self.paper
        if is_forest and self.forest_paper is not ABSENT:
            value = self.forest_paper
        settings = {**kind.paper, **(kind.paper_forest if is_forest else {})}
        return settings.get(self.name, value)

    def r_value(self, kind: ResponseType, *, is_forest: bool) -> Any:
        """Return partykit's value, ABSENT where ours does no harm."""
        return _of(self.cforest if is_forest else self.ctree, kind)

    def documentation(self, kind: ResponseType, *, is_forest: bool) -> str:
        """Return its paragraph of a docstring."""
        words = self.words.replace("{selectors}", _choice(kind.selectors))
        words = words.replace("{splitters}", _choice(kind.splitters))
        text = self.forest_text if is_forest and self.forest_text else self.text
        text = text.replace("{selector_text}", kind.selector_text)
        text = text.replace("{oob_words}", kind.oob_words)
        text = text.replace("{splitter_text}", kind.splitter_text)
        text = text.replace("{asymptotic_selectors}", " and ".join(kind.asymptotic_selectors))
        text = text.replace("{kept_words}", kind.kept_words)
        default = source(self.default(kind, is_forest=is_forest))
        filled = textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
        return f"{self.name} : {words}, default={default}\n{textwrap.indent(filled, '    ')}"


def source(value: Any) -> str:
    """Return a default as one would write it."""
    return repr(value).replace("'", '"').replace(repr(1 / 3), "1 / 3")


def _choice(names: list[str]) -> str:
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"


def _of(value: Any, kind: ResponseType) -> Any:
    return value(kind) if callable(value) else value
