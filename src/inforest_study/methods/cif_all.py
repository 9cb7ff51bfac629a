"""CIF with every feature as a candidate at every node; the mechanism study ranks by split count."""

from inforest_study.method import Method
from inforest_study.methods._inference import FOREST_VARIANTS, GRID, ranker
from inforest_study.methods.cif import paper_forest

_ALL = {"max_features": None, "readout": "count"}


METHOD = Method(
    name="CIF-all",
    configs={
        "classification": {"mc": {**GRID["classification"]["mc"], **_ALL}},
        "regression": {"pc": {**GRID["regression"]["pc"], **_ALL}},
    },
    selected={"classification": "mc", "regression": "pc"},
    rank=ranker(paper_forest),
    variants=FOREST_VARIANTS,
    cost_hint=lambda n, p, n_classes: n * p * (4e-6 * n_classes if n_classes else 5e-5),
    uses_engine=True,
)
