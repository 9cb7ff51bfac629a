"""A `Table` as Markdown, LaTeX or CSV."""

import csv
import io

from inforest_study.table import Column, Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
    "²": "$^2$",
}


def to_markdown(table: Table) -> str:
    """Return the table as GitHub's Markdown, with its title, note and what is missing."""
    lines = [f"### {table.title}", ""]
    lines.append("| " + " | ".join(_escaped(column.title) for column in table.columns) + " |")
    lines.append(
        "|" + "|".join(" ---: " if _is_number(c) else " --- " for c in table.columns) + "|"
    )
    lines += ["| " + " | ".join(map(_escaped, cells)) + " |" for cells in table.texts()]
    return "\n".join(lines + _remarks(table)) + "\n"


def to_latex(table: Table) -> str:
    """Return the table as a LaTeX table with booktabs' rules."""
    form = "".join("r" if _is_number(column) else "l" for column in table.columns)
    caption = " ".join(filter(None, [table.title + ".", table.note, table.missing]))
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{@{{}}{form}@{{}}}}",
        r"    \toprule",
        "    " + " & ".join(_latex(column.title) for column in table.columns) + r" \\",
        r"    \midrule",
        *("    " + " & ".join(map(_latex, cells)) + r" \\" for cells in table.texts()),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \caption{{{_latex(caption)}}}",
        rf"  \label{{tab:{table.key}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """Return the table's values, in full precision, as CSV with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    for row in table.rows:
        writer.writerow([row.get(column.key) for column in table.columns])
    return out.getvalue()


def _is_number(column: Column) -> bool:
    return bool(column.form)


def _remarks(table: Table) -> list[str]:
    return [line for text in (table.note, table.missing) if text for line in ("", text)]


def _escaped(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
