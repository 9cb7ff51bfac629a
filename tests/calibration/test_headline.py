"""The report's headline: where there is nothing to find, it seldom claims anything."""

from dataclasses import replace

import numpy as np
import pytest

from bands import assert_count_at_most
from inforest.report import make_report
from inforest.report.answer import headline
from report_content import example

ALPHA, N_SETS = 0.05, 150


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_noise_makes_no_headline(task):
    """However good the held-out scores are, which on noise is frequent."""
    good_scores = example(8).k_curve
    assert good_scores.predicts
    n_claims = 0
    for seed in range(N_SETS):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(40, 8))
        y = rng.permutation(np.arange(40) % 2) if task == "classification" else rng.normal(size=40)
        content = make_report(
            X, y, task=task, k=None, n_estimators=1, alpha=ALPHA, checks=False, random_state=seed
        ).content
        sentence = headline(replace(content, k_curve=good_scores, k=good_scores.chosen))
        n_claims += not sentence.startswith("None of the 8 features")
    assert n_claims > 0
    assert_count_at_most(n_claims, N_SETS, ALPHA)
