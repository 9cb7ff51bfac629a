"""Colours of all figures: light ones, and dark ones where matplotlib's style has light text."""

from typing import NamedTuple


class Colours(NamedTuple):
    """What each colour is for."""

    ink: str  #: lines and notes
    quiet: str  #: what is not pointed out
    strong: str  #: what is
    good: str
    paper: str  #: behind text that stands over something else
    panel: str  #: the inside of a box
    faint: str  #: lines behind all others
    box: str
    curve: str


_LIGHT = Colours(
    *("#44546a", "#8895a7", "#b5413a", "#2f7d5b"),
    *("white", "#f4f6f8", "#dde3ea", "#a9c7e8", "#1f6feb"),
)
_DARK = Colours(
    *("#b4c1d2", "#76859a", "#ff8b80", "#55c79b"),
    *("#12161c", "#1f2732", "#343d49", "#31609f", "#6ea8fe"),
)


def colours() -> Colours:
    """Return the colours that go with the text of matplotlib's present style.

    Returns
    -------
    colours : Colours
        Of light figures if text is dark, of dark figures if text is light.

    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(rcParams["text.color"])
    is_dark = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
    return (_DARK if is_dark else _LIGHT)._replace(paper=rcParams["axes.facecolor"])
