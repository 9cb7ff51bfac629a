"""The section of a report about columns that are categories or have gaps."""

from html import escape

from inforest.report.answer import p_text
from inforest.report.content import ColumnFacts, Content
from inforest.report.figures import percent, shorten

#: Columns in the table, categories whose levels are listed, levels of each, letters of a name.
_COLUMNS, _CATEGORIES, _LEVELS, _LETTERS = 200, 30, 30, 60


def columns_section(content: Content) -> str:
    """Return the kinds of the columns, how much is missing, and the levels of categories."""
    shown = content.columns[:_COLUMNS]
    rest = len(content.columns) - len(shown)
    more = f"<p>{rest:,} columns further down are not shown.</p>" if rest else ""
    listed = [column for column in content.columns if column.levels][:_CATEGORIES]
    levels = "".join(_levels(column) for column in listed)
    if levels:
        levels = _order_words(listed) + levels
    return _intro(content) + _table(content, shown) + more + levels


def _intro(content: Content) -> str:
    holed = [column for column in content.columns if column.missing]
    if not holed:
        return "<p>No value is missing. A category is one feature, however many levels it has.</p>"
    telling = [column.name for column in holed if _tells(column, content)]
    words = f"{len(holed):,} of {len(content.columns):,} columns have missing values."
    if telling:
        names = ", ".join(shorten(name, _LETTERS) for name in telling[:5])
        rest = f" and {len(telling) - 5} more" if len(telling) > 5 else ""
        words += f" That a value is missing has itself to do with the target: {names}{rest}."
    else:
        words += " No test shows that a missing value has itself to do with the target."
    return (
        f"<p>{escape(words)} No row was left out because of them, and nothing was filled in: the"
        " trees send missing values where they belong. A category is one feature, however many"
        " levels it has.</p>"
    )


def _tells(column: ColumnFacts, content: Content) -> bool:
    return column.p_missing is not None and column.p_missing < content.alpha


def _table(content: Content, columns: tuple[ColumnFacts, ...]) -> str:
    has_gaps = any(column.missing for column in content.columns)
    heads = ["feature", "kind", *(["missing", "p of absence"] if has_gaps else [])]
    header = "".join(
        f'<th scope="col"{" class=name" if head in heads[:2] else ""}>{head}</th>' for head in heads
    )
    rows = "".join(_row(column, content, has_gaps=has_gaps) for column in columns)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="What the columns hold">'
        f"<table><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(column: ColumnFacts, content: Content, *, has_gaps: bool) -> str:
    cells = f'<td class="name">{escape(column.kind)}</td>'
    if has_gaps:
        p = "" if column.p_missing is None else p_text(column.p_missing, content)
        strong = _tells(column, content)
        share = percent(column.missing) if column.missing else "none"
        cells += f"<td>{share}</td><td>{f'<strong>{p}</strong>' if strong else p}</td>"
    name = escape(shorten(column.name, _LETTERS))
    return f'<tr><th scope="row" class="name">{name}</th>{cells}</tr>'


def _order_words(listed: list[ColumnFacts]) -> str:
    if not any(level.response for column in listed for level in column.levels):
        return "<p>The levels of each category, by name.</p>"
    return (
        "<p>The levels of each category, in the order of the target in their rows: a split sends"
        " the levels at one end of such an order to the left, the others to the right.</p>"
    )


def _levels(column: ColumnFacts) -> str:
    shown = column.levels
    cut = ""
    if len(shown) > _LEVELS:
        half = _LEVELS // 2
        cut = f"<p>The first and the last {half} of {len(shown):,}:</p>"
        shown = shown[:half] + shown[-half:]
    has_response = any(level.response for level in column.levels)
    rows = "".join(
        f'<tr><th scope="row" class="name">{escape(shorten(level.level, _LETTERS))}</th>'
        + f'<td class="name">{escape(shorten(level.response, _LETTERS))}</td>' * has_response
        + f"<td>{level.n_rows:,}</td></tr>"
        for level in shown
    )
    target = '<th scope="col" class="name">target</th>' * has_response
    return (
        f"<details><summary>{escape(shorten(column.name, _LETTERS))} ({len(column.levels):,}"
        f' levels)</summary>{cut}<div class="scroll"><table><thead><tr><th scope="col"'
        f' class="name">level</th>{target}<th scope="col">rows</th>'
        f"</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )
