"""Names of features that fit into a table or a figure."""


def shorten(name: str, letters: int) -> str:
    """Return a name with its end cut off if it is longer.

    Parameters
    ----------
    name : str
        Any text.
    letters : int
        How many fit, at least one.

    Returns
    -------
    short : str
        At most so many letters, the last one "…" if any are missing.

    Examples
    --------
    >>> from inforest._engine.short_names import shorten
    >>> shorten("temperature", 8)
    'tempera…'

    """
    return name if len(name) <= letters else name[: letters - 1] + "…"


def for_figure(name: str, letters: int) -> str:
    r"""Return a short name that matplotlib shows as it is, and does not read as a formula.

    Parameters
    ----------
    name : str
        Any text.
    letters : int
        How many fit.

    Returns
    -------
    label : str
        With every dollar sign escaped.

    Examples
    --------
    >>> from inforest._engine.short_names import for_figure
    >>> print(for_figure("cost in US$", 20))
    cost in US\$

    """
    return shorten(name, letters).replace("$", r"\$")
