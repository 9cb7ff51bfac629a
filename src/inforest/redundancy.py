"""Rankings without repetition: a feature counts less the better those before it replace it."""

from inforest.ranking.redundancy import StrengthChoice, choose_strength, rerank

__all__ = ["StrengthChoice", "choose_strength", "rerank"]
