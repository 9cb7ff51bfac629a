"""The answer in plain words: which features matter, how many are enough, how sure to be."""

from inforest._engine.short_names import shorten
from inforest.report.content import Content, Luck

_NAMED, _NAMED_TO_KEEP = 5, 7
_LETTERS = 40
#: Features that come back less often are one choice among several.
_OFTEN = 0.5
#: Features among which repeated ones are named.
_LOOKED_AT = 30


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
        was_given = content.k_curve.was_given
        question = "How well do they predict?" if was_given else "How many are enough?"
        answer.append((question, how_many(content)))
    answer.append(("How sure is that?", _how_sure(content)))
    answer.append(("What next?", _next(content)))
    return answer


def headline(content: Content) -> str:
    """Return the answer in a sentence or two: what to keep, and whether that is stable.

    It claims something only if the tests of the features one by one find something: one test with
    one level. That the held-out scores look good is no test: the best of several is by chance
    better than guessing, too. A bad score can take a claim back; the check without signal, a second
    look, adds none.

    Parameters
    ----------
    content : Content
        What was found.

    Returns
    -------
    sentence : str
        With its full stop.

    """
    p, target, curve = content.question.n_features, content.question.target, content.k_curve
    if not content.finds_something:
        if p == 1:
            return f"The only feature tells nothing about {target} for sure."
        return f"None of the {_features(p)} tells anything about {target} for sure."
    if curve is None:
        return f"{_found(content)}."
    if not curve.predicts:
        return f"{_found(content)}, but predictions from them are not clearly better than guessing."
    if curve.was_given:
        return f"{_asked_for(curve.chosen, p)}: {_scores(content)}."
    if curve.chosen == p:
        every = "the only feature" if p == 1 else f"all {_features(p)}"
        return f"Keep {every} to predict {target}.{_stability(content)}"
    these = "this one" if curve.chosen == 1 else f"these {curve.chosen:,}"
    sure = _steadiness(content) or _stability(content)
    return f"Keep {these} of {_features(p)} to predict {target}: {names_to_keep(content)}.{sure}"


def names_to_keep(content: Content) -> str:
    """Return the names of the features to keep, the first few of many.

    Parameters
    ----------
    content : Content
        With a number of features to keep.

    Returns
    -------
    names : str
        Such as "age, income and 3 more".

    """
    kept = [feature.name for feature in content.features[: content.k or 0]]
    return _listed(kept, _NAMED_TO_KEEP)


def _listed(names: list[str], most: int) -> str:
    """Return names as part of a sentence; one more than `most` is named, not counted."""
    shown = [shorten(name, _LETTERS) for name in names]
    if len(shown) > most + 1:
        return f"{', '.join(shown[:most])} and {len(shown) - most:,} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


def _stability(content: Content) -> str:
    """Return how far other rows would give the same features, as one more sentence."""
    repeats = content.stability
    if repeats is None:
        return ""
    return (
        f" The top {repeats.k:,} is {repeats.verdict}: {repeats.common:.1f} of {repeats.k:,} come"
        " back on random halves of the rows."
    )


def _frequencies(content: Content) -> list[float]:
    """Return how often each of the features to keep is in the top.

    None of them if there are more than the top has: these cannot all be in it.
    """
    k, repeats = content.k, content.stability
    if not k or repeats is None or k > repeats.k:
        return []
    return [feature.frequency or 0.0 for feature in content.features[:k]]


def _steadiness(content: Content) -> str:
    """Return how often the features to keep come back, if they are no more than the top."""
    found, repeats = _frequencies(content), content.stability
    if not found or repeats is None:
        return ""
    least, most = min(found), max(found)
    who = "it comes" if content.k == 1 else "each of them comes"
    back = f" On random halves of the rows, {who} back into the top {repeats.k:,}"
    if least == most:
        return f"{back} in {least:.0%} of the rankings."
    name = shorten(content.features[found.index(least)].name, _LETTERS)
    return f"{back} in {least:.0%} ({name}) to {most:.0%} of the rankings."


def _found(content: Content) -> str:
    """Return what the tests found, as the beginning of a sentence."""
    p, target, n = content.question.n_features, content.question.target, content.n_associated
    return f"{n:,} of {_features(p)} {_are(n)} associated with {target}"


def _asked_for(k: int, p: int) -> str:
    if k == p:
        return f"All {_features(p)} were asked for" if p > 1 else "The only feature was asked for"
    return f"The best {k:,} of {_features(p)} {'was' if k == 1 else 'were'} asked for"


def _scores(content: Content) -> str:
    """Return the held-out scores of the features kept, and of all."""
    curve = content.k_curve
    assert curve is not None
    mean, error = curve.score(curve.chosen)
    everything, its_error = curve.score(curve.k[-1])
    said = f"{curve.scoring} {mean:.3f} ± {error:.3f}"
    if curve.chosen == curve.k[-1]:
        return said
    return f"{said}; all {content.question.n_features:,}: {everything:.3f} ± {its_error:.3f}"


def _which(content: Content) -> str:
    best = content.features[:_NAMED]
    names = [f"“{feature.name}”" for feature in best]
    p = content.question.n_features
    if len(best) == 1:
        listed = f"There is one feature, {names[0]}."
    else:
        who = "From first to last:" if p == len(best) else "The first ones are"
        listed = f"{who} {', '.join(names[:-1])} and {names[-1]}."
    n = content.n_associated
    if n == 0:
        return (
            f"{listed} But tested one by one, none of the {_features(p)} is associated with the"
            " target more than chance explains: chance alone may have made this order."
        )
    return (
        f"{listed} Tested one by one, {n:,} of {_features(p)} {_are(n)} associated with the target"
        f" (adjusted p-value below {content.alpha:g})."
    )


def how_many(content: Content) -> str:
    """Return what the held-out rows say about the number of features to keep.

    Parameters
    ----------
    content : Content
        With a curve.

    Returns
    -------
    sentences : str
        The scores; that a number is enough only if it was chosen for that.

    """
    curve, p = content.k_curve, content.question.n_features
    assert curve is not None
    if curve.was_given:
        return f"{_asked_for(curve.chosen, p)}. On rows that were held out: {_scores(content)}."
    mean, error = curve.score(curve.chosen)
    everything, its_error = curve.score(curve.k[-1])
    best = "feature reaches" if curve.chosen == 1 else f"{curve.chosen:,} features reach"
    said = (
        f"On rows that were held out, the best {best} {_a(curve.scoring)} of"
        f" {mean:.3f} ± {error:.3f}"
    )
    if curve.k[-1] == 1:
        return f"{said}."
    if curve.chosen == curve.k[-1]:
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
            f" {cases} such analyses would call any feature associated."
        )
    if repeats is not None:
        parts.append(_stability(content).strip())
    if luck is not None:
        parts.append(_beside(luck, was_found=n > 0))
    if curve is not None and not curve.predicts:
        parts.append("Predictions are not clearly better than guessing.")
    parts += _doubts(content)
    parts.append(
        "An association is not a cause, and features that say the same can take each other's place"
        " in the ranking."
    )
    return " ".join(parts)


def _beside(luck: Luck, *, was_found: bool) -> str:
    """Return what the comparison with luck says; it does not decide whether there is a claim."""
    better = f"{luck.n_better:,}" if luck.n_better else "no"
    said = (
        f"Compared with forests grown to a shuffled target, {better}"
        f" feature{'s explain' if luck.n_better != 1 else ' explains'} more than luck does"
    )
    if was_found or not luck.n_better:
        return f"{said}."
    return f"{said}; that is a second look, and the answer rests on the first alone."


def _doubts(content: Content) -> list[str]:
    """Return what speaks against the ranking itself, and what could not be looked at."""
    doubts = [f"Left out: {part}." for part in content.skipped]
    kept = content.features[: content.k or 0]
    alone = [feature.name for feature in kept if feature.adjusted_p_value >= content.alpha]
    if alone and content.n_associated:
        doubts.append(
            f"Of the {len(kept):,} to keep, {len(alone):,} {_are(len(alone))} not shown to be"
            " associated with the target when tested alone: trust"
            f" {'it' if len(alone) == 1 else 'these'} least ({_listed(alone, _NAMED)})."
        )
    moved = content.sensitivity
    if content.finds_something and moved is not None and moved.changes:
        doubts.append(
            f"Which features are the top {moved.k:,} also depends on how many features the nodes of"
            " the forest may choose from: prefer those that are there either way."
        )
    usage = content.split_usage
    if content.finds_something and usage is not None and 0 < usage.n_splits < usage.n_trees:
        doubts.append(
            f"The {usage.n_trees:,} trees made only {usage.n_splits:,} splits, because the features"
            " they drew at random were seldom associated with the target: more trees would make"
            " the ranking finer."
        )
    return doubts


def _next(content: Content) -> str:
    """Return what to do with the answer."""
    if not content.finds_something:
        return (
            "Do not choose features from this order. More rows may show what these cannot; if a"
            " feature may matter only together with others, compare a model with all features to"
            " guessing."
        )
    steps = []
    curve, k = content.k_curve, content.k
    if curve is not None and not curve.predicts:
        steps.append(
            "The features that passed their tests are worth a look one by one, as findings; for"
            " predictions, more rows or other features are needed."
        )
    elif curve is not None and k is not None:
        steps.append(
            f"To use them in a model: `FeatureSelector(k={k})` in a pipeline, and cross-validate"
            " the whole pipeline, because the score above has already been used to choose."
            if not curve.was_given
            else f"To use them in a model: `FeatureSelector(k={k})` in a pipeline."
        )
    else:
        steps.append('To see how many of them a model needs, ask for it: `k="auto"`.')
    found = _frequencies(content)
    if found:
        unstable = min(found) < _OFTEN
    else:
        unstable = content.stability is not None and content.stability.verdict == "not stable"
    if unstable:
        steps.append(
            "The features kept are one choice among several that predict alike: do not read"
            " the list as the causes, and expect another list from new rows."
        )
    said = [(f.name, f.repeats) for f in content.features[:_LOOKED_AT] if f.repeats]
    if said:
        listed = "; ".join(f"{name} ({words})" for name, words in said[:_NAMED])
        more = f" and {len(said) - _NAMED:,} more" if len(said) > _NAMED else ""
        steps.append(
            f"Placed lower because a better feature already says it: {listed}{more}. If one of a"
            " pair is cheaper to measure, keep that one."
        )
    return " ".join(steps)


def p_text(p: float, content: Content) -> str:
    """Return a p-value for people; the smallest that the permutations can give is a bound.

    Parameters
    ----------
    p : float
        The p-value.
    content : Content
        What was found, which knows the smallest.

    Returns
    -------
    text : str
        Such as "0.012", "≤ 0.001".

    """
    is_bound = p <= content.least_p * (1 + 1e-9)
    if is_bound:
        return f"≤ {p:.2g}"
    return f"{p:.2g}" if p < 0.001 else f"{p:.3f}"


def _features(count: int) -> str:
    return f"{count:,} feature" if count == 1 else f"{count:,} features"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiouAEIOUR" else f"a {noun}"
