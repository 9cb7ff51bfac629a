"""Write the `__init__` of trees and forests from the table of parameters; `make signatures`.

scikit-learn reads signatures, and so do editors: they stay written out. This script spares the
typing, and `tests/unit/test_parameters.py` says when it has to be run.
"""

import re
from pathlib import Path

from inforest._engine.parameter import source
from inforest._engine.parameters import parameters_of
from inforest._engine.responses import CLASSES, NUMBER, ResponseType

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


def written(path: Path, *, is_forest: bool) -> str:
    """Return the text of a module with its two signatures as the table has them."""
    inits = iter([init(kind, is_forest=is_forest) for kind in (CLASSES, NUMBER)])
    return _INIT.sub(lambda _: next(inits), path.read_text())


FILES = {FOLDER / "tree.py": False, FOLDER / "forest.py": True}

if __name__ == "__main__":
    for path, is_forest in FILES.items():
        path.write_text(written(path, is_forest=is_forest))
