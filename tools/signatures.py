"""Write the `__init__` of trees and forests from the table of parameters; `make signatures`.

scikit-learn reads signatures, and so do editors: they stay written out. This script spares the
typing, and `tests/unit/test_parameters.py` says when it has to be run.
"""

import re
from pathlib import Path

from inforest._engine.parameter import source
from inforest._engine.parameters import parameters_of
from inforest._engine.responses import CLASSES, NUMBER, ORDINAL, SURVIVAL, ResponseType

FOLDER = Path(__file__).parents[1] / "src" / "inforest" / "estimators"
#: Parameters that may be given without their name.
POSITIONAL = ("n_estimators",)
_INIT = re.compile(r"    def __init__\(.*?\) -> None:\n(?:        self\.\w+ = \w+\n)*", re.DOTALL)


def init(kind: ResponseType, *, is_forest: bool) -> str:
    """Return the source of one `__init__`."""
    chosen = parameters_of(kind, is_forest=is_forest)
    lines = {
        one.name: f"{one.name}: {one.annotation} = {source(one.default(kind, is_forest=is_forest))}"
        for one in chosen
    }
    first = [lines[name] for name in POSITIONAL if name in lines]
    others = [line for name, line in lines.items() if name not in POSITIONAL]
    arguments = "".join(f"        {line},\n" for line in ["self", *first, "*", *others])
    body = "".join(f"        self.{name} = {name}\n" for name in lines)
    return f"    def __init__(\n{arguments}    ) -> None:\n{body}"


#: The estimators of a module in their order: what y is, and whether it is a forest.
FILES = {
    FOLDER / "tree.py": [(CLASSES, False), (NUMBER, False)],
    FOLDER / "forest.py": [(CLASSES, True), (NUMBER, True)],
    FOLDER / "ordinal.py": [(ORDINAL, False), (ORDINAL, True)],
    FOLDER / "survival.py": [(SURVIVAL, False), (SURVIVAL, True)],
}


def written(path: Path) -> str:
    """Return the text of a module with its signatures as the table has them."""
    inits = iter([init(kind, is_forest=is_forest) for kind, is_forest in FILES[path]])
    return _INIT.sub(lambda _: next(inits), path.read_text())


if __name__ == "__main__":
    for path in FILES:
        path.write_text(written(path))
