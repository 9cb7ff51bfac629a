"""Text that a terminal or a log can show without doing anything else."""


def printable(text: str) -> str:
    r"""Return the text with characters that are not shown as their escapes.

    A column's name may hold sequences that clear the screen, write to the clipboard or disguise a
    link, or letters that no file can hold.

    Examples
    --------
    >>> from inforest._engine.printable import printable
    >>> print(printable("blood \x1b[2J pressure"))
    blood \x1b[2J pressure

    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def printable_lines(text: str) -> str:
    """Return the same of a text whose line breaks are our own."""
    return "\n".join(map(printable, text.split("\n")))


def _escape(character: str) -> str:
    return ascii(character)[1:-1]
