"""A report's content as one HTML page that needs nothing else: no network, no other file."""

import csv
import io
import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files

from inforest.report.answer import headline, how_many, p_text, short_answer
from inforest.report.columns_section import columns_section
from inforest.report.content import Content, Fact, RankedFeature, RiskGroups, Section, Sensitive
from inforest.report.explanations import LIMITS, meanings
from inforest.report.figures import (
    bar_figure,
    k_curve_figure,
    luck_figure,
    percent,
    shorten,
    survival_figure,
)

#: Features in the table; the others follow as plain text.
_IN_TABLE = 200
#: Bytes that the list of all others may take.
_LIST_SIZE = 1_000_000
_IN_FIGURE = 20
_LETTERS = 80
#: Longer names are cut everywhere.
_MOST_LETTERS = 300


def render(content: Content) -> str:
    """Return the page.

    Parameters
    ----------
    content : Content
        What the page says.

    Returns
    -------
    html : str
        A complete document. Everything that came from the data is escaped.

    """
    script = _resource("page.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # Whatever a name in the data may hold: no other script runs, and nothing is fetched.
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'sha256-{digest}'"
    )
    title = f"Which features matter for {_name(content.question.target)}?"
    parts = _parts(content)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="generator" content="inforest">',
            '<link rel="icon" href="data:,">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{_resource('page.css')}</style>",
            "</head>",
            "<body>",
            "<header>",
            f"<h1>{escape(title)}</h1>",
            f'<p class="soft">{escape(_subtitle(content))}</p>',
            "</header>",
            "<main>",
            _answer(content),
            _contents(parts),
            *(
                f'<section id="{key}" aria-labelledby="{key}-title">'
                f'<h2 id="{key}-title">{escape(heading)}</h2>\n{body}</section>'
                for key, heading, body in parts
            ),
            "</main>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _resource(name: str) -> str:
    return files("inforest.report").joinpath(name).read_text(encoding="utf-8")


def _parts(content: Content) -> list[tuple[str, str, str]]:
    """Return identifier, heading and body of each section that has something to say."""
    parts = [("ranking", "The ranking", _ranking(content))]
    if content.beyond is not None:
        heading = "Which features say what the others do not?"
        parts.insert(0, ("beyond", heading, _section(content.beyond)))
    if content.columns:
        parts.append(("columns", "What the columns hold", columns_section(content)))
    if content.k_curve is not None:
        parts.append(("how-many", "How many features to keep", _how_many(content)))
    if content.risk_groups is not None:
        parts.append(("survival", "Survival by predicted risk", _survival(content.risk_groups)))
    if content.stability is not None:
        parts.append(("stability", "Would it come out the same again?", _stability(content)))
    if content.sensitivity is not None:
        heading = "Does it depend on a setting of the forest?"
        parts.append(("sensitivity", heading, _sensitivity(content.sensitivity)))
    if content.split_usage is not None:
        parts.append(("splits", "What the trees used", _split_usage(content)))
    if content.null_check is not None:
        parts.append(("nothing", "What if there were nothing to find?", _null_check(content)))
    parts.append(("question", "What was asked", _question(content)))
    parts.append(("meaning", "What the numbers mean, and what they do not", _meaning(content)))
    parts.append(("repeat", "How to repeat this", _repeat(content)))
    return parts


def _subtitle(content: Content) -> str:
    asked = content.question
    return (
        f"{asked.data}: {asked.n_rows:,} rows, {asked.n_features:,} features, {asked.task}."
        f" {content.provenance.created}"
    ).strip()


def _answer(content: Content) -> str:
    said = "".join(
        f"<dt>{escape(question)}</dt><dd>{_with_code(answer)}</dd>"
        for question, answer in short_answer(content)
    )
    return (
        '<section class="answer" aria-label="In short">'
        f'<p class="headline">{escape(headline(content))}</p><dl>{said}</dl></section>'
    )


def _with_code(words: str) -> str:
    """Return words for a page; what is between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def _contents(parts: Iterable[tuple[str, str, str]]) -> str:
    links = "".join(f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title, _ in parts)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _ranking(content: Content) -> str:
    shown = content.features[:_IN_TABLE]
    rest = content.features[_IN_TABLE:]
    first = shown[0]
    heads = [("rank", "ascending"), ("feature", "ascending"), ("importance", "descending")]
    of = f" ({content.statistic})" if content.statistic else ""
    heads += [(f"p{of}", "ascending"), ("adjusted p", "ascending")]
    if first.frequency is not None:
        heads.append((_in_top(content), "descending"))
    if first.split_share is not None:
        heads.append(("splits", "descending"))
    repeats = any(feature.repeats for feature in shown)
    if repeats:
        heads.append(("repeats", "ascending"))
    header = "".join(_head(label, direction) for label, direction in heads)
    largest = max(max(feature.importance for feature in shown), 1e-300)
    body = "\n".join(
        _row(place, feature, content, largest, repeats=repeats)
        for place, feature in enumerate(shown, start=1)
    )
    less = ", less what features further up already say" if content.redundancy else ""
    intro = (
        "Best first. Importance is what splits on the feature tell about the target, as a share of"
        f" the whole{less}. Features in soft grey have an"
        f" adjusted p-value of {content.alpha:g} or more."
    )
    if content.k is not None and content.finds_something:
        kept = "one to keep is" if content.k == 1 else f"{content.k:,} to keep are"
        intro += f" The {kept} in bold."
    table = (
        f'<p>{intro}</p><div class="scroll" tabindex="0" role="region"'
        ' aria-label="Ranking of the features"><table id="ranking-table">'
        f"<thead><tr>{header}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )
    return table + (_rest(rest) if rest else "")


def _head(label: str, direction: str) -> str:
    name = ' class="name"' if label == "feature" else ""
    if label == "repeats":
        name = ' class="name wide"'
    if label == "splits" or label.partition(" ")[0] == "p":
        name = ' class="wide"'
    # As long as no script sorts, the table is sorted by rank.
    is_sorted = ' aria-sort="ascending"' if label == "rank" else ""
    return f'<th scope="col" data-first="{direction}"{name}{is_sorted}>{escape(label)}</th>'


def _in_top(content: Content) -> str:
    return f"in top {content.stability.k:,}" if content.stability else "in top"


def _row(
    place: int, feature: RankedFeature, content: Content, largest: float, *, repeats: bool
) -> str:
    # What noise puts first is not worth keeping.
    kept = content.k is not None and content.finds_something and place <= content.k
    below = feature.adjusted_p_value >= content.alpha
    classes = " ".join(["kept"] * kept + ["below"] * below)
    bar = f'<span class="bar" style="width:{100 * feature.importance / largest:.1f}%"></span>'
    cells = [
        _cell(place, str(place)),
        f'<th scope="row" class="name">{_named(feature.name)}</th>',
        _cell(feature.importance, f"{feature.importance:.4f}{bar}"),
        _cell(feature.p_value, p_text(feature.p_value, content), "wide"),
        _cell(feature.adjusted_p_value, p_text(feature.adjusted_p_value, content)),
    ]
    cells += [
        _cell(share, percent(share), kind)
        for share, kind in ((feature.frequency, ""), (feature.split_share, "wide"))
        if share is not None
    ]
    if repeats:
        cells.append(f'<td class="name wide">{_named(feature.repeats)}</td>')
    return f'<tr class="{classes}">{"".join(cells)}</tr>'


def _cell(value: float, shown: str, kind: str = "") -> str:
    """Return a cell; those of the kind "wide" are not there on a phone."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<td data-value="{value:.6g}"{of_kind}>{shown}</td>'


def _name(name: str) -> str:
    return shorten(name, _MOST_LETTERS)


def _named(name: str) -> str:
    """Return a name for the table; the whole of a long one shows up under the pointer."""
    if len(name) <= _LETTERS:
        return escape(name)
    return f'<span title="{escape(_name(name))}">{escape(shorten(name, _LETTERS))}</span>'


def _rest(features: tuple[RankedFeature, ...]) -> str:
    """Return the features below the table as CSV, as many as fit."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["rank", "feature", "importance", "p_value", "adjusted_p_value", "repeats"])
    n_listed = 0
    for place, feature in enumerate(features, start=_IN_TABLE + 1):
        if out.tell() > _LIST_SIZE:
            break
        writer.writerow(
            [place, _name(feature.name), f"{feature.importance:.4g}", f"{feature.p_value:.4g}",
             f"{feature.adjusted_p_value:.4g}", _name(feature.repeats)]
        )  # fmt: skip
        n_listed += 1
    cut = "" if n_listed == len(features) else f" (the first {n_listed:,} of them)"
    return (
        f"<details><summary>The other {len(features):,} features as text{cut}</summary>"
        f'<pre class="data" tabindex="0">{escape(out.getvalue())}</pre></details>'
    )


def _how_many(content: Content) -> str:
    curve = content.k_curve
    assert curve is not None
    caption = (
        f"{curve.scoring[0].upper()}{curve.scoring[1:]} of a {curve.model}, in"
        f" {curve.n_folds}-fold cross-validation, with one standard error up and down."
        " In every fold the features were ranked anew without"
        " the held-out rows. The point at the right end is all features."
    )
    rule = "The number was given, not chosen by the curve."
    if not curve.was_given:
        rule = (
            "The chosen number is the smallest whose score is within one standard error of the"
            " best."
        )
    return (
        f"<p>{escape(how_many(content))} {rule}</p>"
        f"<figure>{k_curve_figure(curve)}<figcaption>{escape(caption)}</figcaption></figure>"
        f"{_k_table(content)}"
    )


def _survival(found: RiskGroups) -> str:
    half = found.last / 2
    rows = "".join(
        f'<tr><th scope="row">{group.name}</th><td>{group.n_rows:,}</td>'
        f"<td>{group.n_events:,}</td><td>{percent(group.survival_at(half))}</td></tr>"
        for group in found.groups
    )
    left_out = ""
    if found.n_left_out:
        one = found.n_left_out == 1
        left_out = (
            f" {found.n_left_out:,} row{' is' if one else 's are'} in no group, because every tree"
            f" has seen {'it' if one else 'them'}: more trees would leave out fewer."
        )
    return (
        "<p>The trees that have not seen a row predict its risk. By these risks the rows were"
        f" parted into three groups of the same size.{left_out} Take two rows of which it is known"
        " which one had the event first: it is the one with the higher risk in"
        f" {percent(found.concordance)} of such pairs (concordance {found.concordance:.3f};"
        " a guess has 50 %).</p>"
        f"<figure>{survival_figure(found)}<figcaption>Kaplan and Meier’s estimate of the share of"
        " each group that has not had the event by a time. It takes censoring for independent of"
        " the event.</figcaption></figure>"
        '<details><summary>The numbers of this figure</summary><div class="scroll"><table><thead>'
        '<tr><th scope="col">group</th><th scope="col">rows</th><th scope="col">events</th>'
        f'<th scope="col">left at time {half:g}</th></tr></thead><tbody>{rows}</tbody></table>'
        "</div></details>"
    )


def _k_table(content: Content) -> str:
    """Return the curve's numbers, for those who cannot see it."""
    curve = content.k_curve
    assert curve is not None
    mark = " (asked for)" if curve.was_given else " (chosen)"
    rows = "".join(
        f'<tr><th scope="row">{k:,}{mark if k == curve.chosen else ""}</th>'
        f"<td>{mean:.4f}</td><td>{error:.4f}</td></tr>"
        for k, mean, error in zip(curve.k, curve.mean, curve.error, strict=True)
    )
    return (
        "<details><summary>The numbers of this figure</summary>"
        '<div class="scroll"><table><thead><tr><th scope="col">features</th>'
        f'<th scope="col">score</th><th scope="col">standard error</th></tr></thead><tbody>{rows}'
        "</tbody></table></div></details>"
    )


def _section(section: Section) -> str:
    return f'<p class="conclusion">{escape(section.conclusion)}</p>{_facts(section.facts)}'


def _facts(facts: Iterable[Fact]) -> str:
    items = "".join(
        f"<dt>{escape(fact.name)}</dt><dd>{escape(fact.value)}"
        + (f'<span class="soft">{escape(fact.meaning)}</span>' if fact.meaning else "")
        + "</dd>"
        for fact in facts
    )
    return f'<dl class="facts">{items}</dl>' if items else ""


def _stability(content: Content) -> str:
    assert content.stability is not None
    best = content.features[:_IN_FIGURE]
    drawn = ""
    if best[0].frequency is not None:
        image = bar_figure(
            [feature.name for feature in best],
            [feature.frequency or 0.0 for feature in best],
            f"How often each of the first {len(best)} features was among the best on random halves"
            " of the rows; the same numbers are in the ranking.",
        )
        drawn = (
            f"<figure>{image}<figcaption>How often each feature was among the best when the ranking"
            " was made again on random halves of the rows.</figcaption></figure>"
        )
    return _section(content.stability) + drawn


def _sensitivity(found: Sensitive) -> str:
    return (
        "<p>At every node a forest draws some features at random and chooses among them. How many"
        " it draws is a setting, <code>max_features</code>; the ranking was made again with other"
        f" values of it.</p>{_section(found)}"
    )


def _split_usage(content: Content) -> str:
    assert content.split_usage is not None
    best = content.features[:_IN_FIGURE]
    drawn = ""
    if any(feature.split_share for feature in best):
        image = bar_figure(
            [feature.name for feature in best],
            [feature.split_share or 0.0 for feature in best],
            f"Shares of all splits of the first {len(best)} features.",
        )
        drawn = (
            f"<figure>{image}<figcaption>Share of all splits in the forest, in the order of the"
            " ranking.</figcaption></figure>"
        )
    return _section(content.split_usage) + drawn


def _null_check(content: Content) -> str:
    check = content.null_check
    assert check is not None
    return (
        "<p>The target was shuffled, so that nothing in the table has to do with it any more, and"
        f" a forest was grown again, {len(check.by_luck)} times. What it finds there is luck.</p>"
        f"{_section(check)}<figure>{luck_figure(check, _IN_FIGURE)}<figcaption>How much of the"
        " target's spread the splits on each feature explain. The small ticks below are the best"
        " feature of each shuffled target; what is right of the dashed line is better than luck."
        "</figcaption></figure>"
    )


def _question(content: Content) -> str:
    asked = content.question
    facts = [
        Fact("table", asked.data, ""),
        Fact("target", _name(asked.target), ""),
        Fact("task", asked.task, ""),
        Fact("rows", f"{asked.n_rows:,}", ""),
        Fact("features", f"{asked.n_features:,}", "Columns that were ranked."),
    ]
    if asked.facts:
        facts.append(Fact("events", asked.facts, ""))
    if asked.classes:
        counted = ", ".join(f"{_name(label)}: {count:,}" for label, count in asked.classes[:20])
        more = len(asked.classes) - 20
        facts.append(Fact("classes", counted + (f" and {more} more" if more > 0 else ""), ""))
    if asked.notices:
        items = "".join(f"<li>{escape(note)}</li>" for note in asked.notices)
        done = f"<p>What was done to the table before:</p><ul>{items}</ul>"
    else:
        done = "<p>All rows and columns were used as they are.</p>"
    together = "".join(f"<p>{escape(words)}</p>" for words in asked.design)
    return _facts(facts) + done + together


def _meaning(content: Content) -> str:
    defined = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(words)}</dd>" for name, words in meanings(content)
    )
    listed = "".join(f"<li>{escape(words)}</li>" for words in LIMITS)
    return (
        f'<dl class="facts">{defined}</dl><p class="conclusion">Not guaranteed:</p>'
        f"<ul>{listed}</ul>"
    )


def _repeat(content: Content) -> str:
    made = content.provenance
    facts = [
        Fact("seed", str(made.seed), ""),
        *(Fact(name, value, "") for name, value in made.settings),
    ]
    versions = ", ".join(f"{name} {version}" for name, version in made.versions)
    facts.append(Fact("versions", versions, ""))
    return (
        f"<pre>{escape(made.command)}</pre>{_facts(facts)}"
        "<p>The same command, data, seed and versions give the same numbers on any number of"
        " processors.</p>"
    )
