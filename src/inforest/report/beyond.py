"""Which features say something that the others do not say, for the report."""

from inforest.conditional.conditional_test import conditional_test
from inforest.conditional.result import VERDICTS, ConditionalResult
from inforest.report.collect import Asked
from inforest.report.content import Beyond, Fact


def find_beyond(asked: Asked, rate: float) -> tuple[Beyond | None, str]:
    """Test each feature given all others; if that cannot be done, say why."""
    if asked.design.blocks is not None:
        return None, "the test given the others knows nothing of blocks"
    try:
        result = conditional_test(
            asked.table.values,
            asked.y,
            alpha=rate,
            task=asked.response_type.name,
            groups=asked.design.groups,
            feature_names=asked.names,
            random_state=asked.random_state,
            n_jobs=asked.n_jobs,
        )
    except ValueError as error:
        return None, str(error)
    return _section(result), ""


def _section(result: ConditionalResult) -> Beyond:
    facts = []
    for word, meaning in VERDICTS.items():
        count = int((result.verdict == word).sum())
        if count:
            facts.append(Fact(word, f"{count:,}", f"{meaning}."))
    facts.append(
        Fact(
            "error rate",
            f"{100 * result.alpha:.3g}%",
            "the share of wrong features in such a list that the test aims at, on average. It is"
            " not proven; docs/conditional.md says for which tables it was measured.",
        )
    )
    verdicts = zip(result.feature_names, result.verdict, strict=True)
    return Beyond(
        conclusion=result.conclusion,
        facts=tuple(facts),
        verdicts=tuple((str(name), str(word)) for name, word in verdicts),
    )
