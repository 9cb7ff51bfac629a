"""The study as one HTML page that needs nothing else: no network, no other file."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from inforest_study.render.text import to_csv
from inforest_study.table import Column, Table
from inforest_study.tables import Section

_TITLE = "Conditional inference forests: the study, run again"
#: Longer tables are folded up.
_FOLDED = 40
#: Longer texts are broken into lines.
_LONG = 40
#: Rows about these methods stand out.
_FOCUS = ("CIF", "inforest")
_LEGEND = (
    "Columns in soft grey are the paper's numbers; columns in italics are ours minus the paper's."
    " A click on a heading sorts; a click on a row shows which stored rows it was computed from;"
    " every table can be saved as CSV in full precision; marks in figures tell their values to the"
    " pointer."
)


@dataclass(frozen=True)
class Picture:
    """A figure as the page has it: an SVG element with a title and a caption."""

    key: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True, eq=False)
class Page:
    """All that the page says.

    Attributes
    ----------
    findings : sequence of (str, str)
        Questions and answers that come first.
    sections : sequence of Section
        The tables.
    pictures : mapping of str to Picture
        The figures by key.
    origin : mapping of str to str
        How the page was made: command, version.

    """

    findings: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    pictures: Mapping[str, Picture]
    origin: Mapping[str, str]


def to_html(page: Page) -> str:
    """Return the page as a complete document; the same results give the same document."""
    script = _resource("inforest_study.render", "study.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # Whatever a name in the results may hold: no other script runs, and nothing is fetched.
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'sha256-{digest}'"
    )
    style = _resource("inforest.report", "page.css") + _resource(
        "inforest_study.render", "study.css"
    )
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
            f"<title>{_TITLE}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{_TITLE}</h1></header>",
            "<main>",
            _findings(page.findings),
            _contents(page.sections),
            f'<p class="note">{_LEGEND}</p>',
            *(_section(section, page.pictures) for section in page.sections),
            _origin(page.origin),
            "</main>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _resource(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _findings(findings: Sequence[tuple[str, str]]) -> str:
    said = "".join(
        f"<dt>{escape(question)}</dt><dd>{escape(answer)}</dd>" for question, answer in findings
    )
    return f'<section class="answer" aria-label="In short"><dl>{said}</dl></section>'


def _contents(sections: Sequence[Section]) -> str:
    links = "".join(
        f'<li><a href="#{section.key}">{escape(section.title)}</a></li>' for section in sections
    )
    links += '<li><a href="#origin">How this was made</a></li>'
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>'


def _section(section: Section, pictures: Mapping[str, Picture]) -> str:
    own = [pictures[key] for key in section.figures if key in pictures]
    if section.missing:
        body = f'<p class="missing">Nothing to show. {escape(section.missing)}</p>'
        # The explanation of a table without rows may still be worth reading.
        body += "".join(
            f'<p class="note">{escape(t.note)}</p>' for t in section.tables[:1] if t.note
        )
    else:
        body = "\n".join([*map(_table, section.tables), *map(_picture, own)])
    return (
        f'<section id="{section.key}" aria-labelledby="{section.key}-title">'
        f'<h2 id="{section.key}-title">{escape(section.title)}</h2>'
        f"<p>{escape(section.question)}</p>\n{body}</section>"
    )


def _table(table: Table) -> str:
    head = f'<h3 id="table-{table.key}">{escape(table.title)}</h3>'
    if table.note:
        head += f'<p class="note">{escape(table.note)}</p>'
    if table.missing:
        head += f'<p class="missing">{escape(table.missing)}</p>'
    if not table.rows:
        return head + ("" if table.missing else '<p class="nothing">Nothing.</p>')
    header = "".join(map(_head, table.columns))
    body = "\n".join(
        _row(table, row, texts) for row, texts in zip(table.rows, table.texts(), strict=True)
    )
    csv = quote(to_csv(table))
    drawn = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f'<table data-key="{table.key}"><thead><tr>{header}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
        f'<div class="files"><a download="{table.key}.csv"'
        f' href="data:text/csv;charset=utf-8,{csv}">{table.key}.csv</a>'
        "<details><summary>stored rows behind it</summary>"
        f'<code id="{table.key}-source" role="status">{escape(table.source)}</code></details></div>'
    )
    if len(table.rows) > _FOLDED:
        n = len(table.rows)
        return f'{head}<details class="table"><summary>{n:,} rows</summary>{drawn}</details>'
    return head + drawn


def _head(column: Column) -> str:
    classes = " ".join(filter(None, [column.role, "" if column.form else "text"]))
    meaning = f' title="{escape(column.meaning)}"' if column.meaning else ""
    return f'<th scope="col" class="{classes}"{meaning}>{escape(column.title)}</th>'


def _row(table: Table, row: Mapping[str, Any], texts: Sequence[str]) -> str:
    first, *others = zip(table.columns, texts, strict=True)
    cells = [f'<th scope="row">{escape(first[1])}</th>']
    cells += [_cell(column, row.get(column.key), shown) for column, shown in others]
    focus = ' class="focus"' if row.get("method") in _FOCUS else ""
    return f'<tr{focus} data-source="{escape(table.source_of(row))}">{"".join(cells)}</tr>'


def _cell(column: Column, value: Any, shown: str) -> str:
    classes: list[str] = [column.role] if column.role else []
    number = ""
    if not column.form:
        classes.append("text")
        if len(shown) > _LONG:
            classes.append("long")
    elif shown != "–":
        number = f' data-value="{float(value):.10g}"'
        if column.role == "difference" and float(value):
            classes.append("plus" if float(value) > 0 else "minus")
    named = f' class="{" ".join(classes)}"' if classes else ""
    return f"<td{named}{number}>{escape(shown)}</td>"


def _picture(picture: Picture) -> str:
    # It grows and shrinks with the page up to its own size.
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', picture.svg)
    limit = f"max-width:{float(width.group(1)) * 1.7:.0f}px" if width else ""
    opening = f'<svg role="img" aria-label="{escape(picture.title)}" style="{limit}"'
    svg = re.sub(r'(<svg[^>]*?) height="[\d.]+pt"', r"\1", picture.svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) width="[\d.]+pt"', r"\1", svg, count=1)
    svg = svg.replace("<svg", opening, 1)
    return (
        f'<figure id="figure-{picture.key}"><div class="scroll drawing" tabindex="0" role="region"'
        f' aria-label="{escape(picture.title)}">{svg}</div>'
        f"<figcaption>{escape(picture.title)}. {escape(picture.caption)}</figcaption></figure>"
    )


def _origin(origin: Mapping[str, str]) -> str:
    facts = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in origin.items())
    return (
        '<section id="origin" aria-labelledby="origin-title">'
        '<h2 id="origin-title">How this was made</h2>'
        f'<dl class="facts">{facts}</dl>'
        "<p>What stands below a table names the stored rows of its numbers: the frame"
        " (<code>scores</code>, <code>runs</code> or <code>rankings</code>) and a query.</p>"
        "<pre>from inforest_study.study import Study\n\n"
        "study = Study.read(&quot;results&quot;)\n"
        "study.scores.query(&quot;method == 'CIF' and dataset == 'wine'&quot;)</pre></section>"
    )
