"""A few shapes as SVG text. Colours come from the page's style sheet through classes."""

from collections.abc import Iterable
from html import escape


def element(tag: str, text: str = "", **attributes: object) -> str:
    """Return an element; `text` is taken as it is, attributes are escaped.

    Underscores in attributes' names become hyphens, and one at the end is dropped (`class_`).

    Examples
    --------
    >>> from inforest.report.svg import element
    >>> element("rect", class_="bar", x=1.234, title_text="a<b")
    '<rect class="bar" x="1.23" title-text="a&lt;b"/>'

    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{text}</{tag}>" if text else f"<{tag}{written}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return escape(str(value))


def text(words: str, x: float, y: float, *, anchor: str = "start", class_: str = "label") -> str:
    """Return words at a place."""
    return element("text", escape(words), x=x, y=y, text_anchor=anchor, class_=class_)


def hover(shape: str, words: str) -> str:
    """Return a shape that tells something when the pointer rests on it."""
    return element("g", f"<title>{escape(words)}</title>{shape}")


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """Return a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def polyline(points: Iterable[tuple[float, float]], class_: str) -> str:
    """Return a line through points."""
    written = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", points=written, class_=class_)


def figure(shapes: Iterable[str], width: float, height: float, described: str) -> str:
    """Return an SVG image that grows and shrinks with the page, with words for who cannot see."""
    return element(
        "svg",
        "".join(shapes),
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=described,
        class_="figure",
        # Without this, an image narrower than the page would be blown up.
        style=f"max-width:{width * 1.25:g}px",
    )
