"""The answer in plain words: which features matter, how many are enough, how sure to be."""

from inforest.report.content import Content

_NAMED = 5


def short_answer(content: Content) -> list[tuple[str, str]]:
    """Return a few sentences, each with the question that it answers.

    Parameters
    ----------
    content : Content
        What was found.

    Returns
    -------
    answer : list of (str, str)
        Question and answer.

    """
    answer = [("Which features matter?", _which(content))]
    if content.k_curve is not None:
        answer.append(("How many are enough?", _how_many(content)))
    answer.append(("How sure is that?", _how_sure(content)))
    return answer


def headline(content: Content) -> str:
    """Return the answer in one sentence."""
    p = content.question.n_features
    if content.n_associated == 0 and not (content.k_curve and content.k_curve.predicts):
        return (
            f"None of the {_features(p)} tells anything about {content.question.target} for sure."
        )
    if content.k is None:
        return (
            f"{content.n_associated:,} of {_features(p)} {_are(content.n_associated)} associated"
            f" with {content.question.target}."
        )
    if content.k == p:
        return f"All {_features(p)} are worth keeping to predict {content.question.target}."
    verb = "is" if content.k == 1 else "are"
    return f"{content.k:,} of {_features(p)} {verb} enough to predict {content.question.target}."


def _which(content: Content) -> str:
    best = content.features[:_NAMED]
    names = [f"“{feature.name}”" for feature in best]
    p = content.question.n_features
    if len(best) == 1:
        listed = f"There is one feature, {names[0]}."
    else:
        listed = f"The first ones are {', '.join(names[:-1])} and {names[-1]}."
    n = content.n_associated
    if n == 0:
        return (
            f"{listed} But tested one by one, none of the {_features(p)} is associated with the"
            " target more than chance explains: take the order with a grain of salt."
        )
    return (
        f"{listed} Tested one by one, {n:,} of {_features(p)} {_are(n)} associated with the target"
        f" (adjusted p-value below {content.alpha:g})."
    )


def _how_many(content: Content) -> str:
    curve = content.k_curve
    assert curve is not None
    p = content.question.n_features
    mean, error = curve.score(curve.chosen)
    everything, its_error = curve.score(curve.k[-1])
    said = (
        f"On rows that were held out, the best {_features(curve.chosen)} reach"
        f" {_a(curve.scoring)} of {mean:.3f} ± {error:.3f}"
    )
    if curve.chosen == p:
        return f"{said}; no smaller number does as well."
    return f"{said}; all {p:,} reach {everything:.3f} ± {its_error:.3f}."


def _how_sure(content: Content) -> str:
    n, curve, luck, repeats = (
        content.n_associated,
        content.k_curve,
        content.null_check,
        content.stability,
    )
    parts = []
    if n:
        cases = f"{100 * content.alpha:g} of 100"
        parts.append(
            "That there is something to find is hardly chance: if there were nothing, at most"
            f" {cases} such analyses would report any feature."
        )
    if luck is not None:
        better = f"{luck.n_better:,}" if luck.n_better else "no"
        parts.append(
            f"Compared with forests grown to a shuffled target, {better}"
            f" feature{'s explain' if luck.n_better != 1 else ' explains'} more than luck does."
        )
    if repeats is not None:
        parts.append(
            f"The top {repeats.k:,} is {repeats.verdict}: on random halves of the rows,"
            f" {repeats.common:.1f} of {repeats.k:,} come back."
        )
    if curve is not None and not curve.predicts:
        parts.append("Predictions are not clearly better than guessing.")
    parts += _doubts(content)
    parts.append(
        "An association is not a cause, and features that say the same can take each other's place"
        " in the ranking."
    )
    return " ".join(parts)


def _doubts(content: Content) -> list[str]:
    """Return what speaks against the ranking itself."""
    doubts = []
    kept = content.features[: content.k or 0]
    n_alone = sum(feature.adjusted_p_value >= content.alpha for feature in kept)
    if n_alone and content.n_associated:
        doubts.append(
            f"Of the {len(kept):,} to keep, {n_alone:,} {_are(n_alone)} not associated with the"
            f" target when tested alone: trust {'it' if n_alone == 1 else 'these'} least."
        )
    usage = content.split_usage
    if usage is not None and 0 < usage.n_splits < usage.n_trees:
        doubts.append(
            f"The {usage.n_trees:,} trees made only {usage.n_splits:,} splits, because the features"
            " they drew at random were seldom associated with the target: more trees would make"
            " the ranking finer."
        )
    return doubts


def _features(count: int) -> str:
    return f"{count:,} feature" if count == 1 else f"{count:,} features"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiouAEIOUR" else f"a {noun}"
