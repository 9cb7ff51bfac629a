"""The paper's feature-sampling numbers come out of `.paper()` forests."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import feature_sampling
import published_stage_b

DESIGNS = [
    (task, method, n_informative, share)
    for (task, method), reported in feature_sampling.REPORTED.items()
    for n_informative, (share, _) in zip(feature_sampling.INFORMATIVE, reported, strict=True)
]
#: Where our Stage B, which follows the paper's text, finds more splits on noise than the numbers
#: made with another one; `test_published_stage_b_explains_the_difference` isolates the cause where
#: it is large and trees are deep. Regression has the same sign; its cause is not isolated.
EXPLAINED = {
    ("classification", "CIF-all", 5),
    *(("classification", "CIF", n_informative) for n_informative in (2, 5, 10)),
    ("regression", "CIF", 2),
}


@pytest.mark.slow
@pytest.mark.parametrize(("task", "method", "n_informative", "reported"), DESIGNS)
def test_informative_share(task, method, n_informative, reported):
    X, y, informative = feature_sampling.design(task, n_informative)
    max_features = "sqrt" if method == "CIF" else None
    # Trees of CIF-all are large and many splits tell enough; CIF's have about one split each.
    n_estimators = 1000 if method == "CIF" else 200
    used = feature_sampling.splits(task, X, y, n_estimators, max_features=max_features)
    difference = reported - np.isin(used, informative).mean()
    if (task, method, n_informative) in EXPLAINED:
        assert 0.05 < difference < 0.11
    else:
        assert abs(difference) < 0.08


@pytest.mark.slow
def test_published_stage_b_explains_the_difference():
    """Unweighted children, repeated partitions and shared permutations give those numbers."""
    reported_share, reported_splits = feature_sampling.REPORTED["classification", "CIF-all"][2]
    share, n_splits = published_stage_b.informative_share(200, published=True)
    assert abs(share - reported_share) < 0.03
    assert abs(n_splits - reported_splits) < 0.2
    share, n_splits = published_stage_b.informative_share(200, published=False)
    assert reported_share - share > 0.05
    assert n_splits - reported_splits > 0.5
