"""The figures of a report, drawn from its content."""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from inforest.report import svg
from inforest.report.content import KCurve, Luck, RiskGroups

#: Narrow, so that letters stay readable on a phone.
_WIDTH = 480.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 14.0, 46.0
_LETTERS = 26
#: Of figures with bars: where they begin, how long they may be, and the height of a row.
_BARS, _ROOM, _ROW = 196.0, 226.0, 24.0


def shorten(name: str, letters: int = _LETTERS) -> str:
    """Return a name that fits, with an ellipsis in its middle if it was longer."""
    if len(name) <= letters:
        return name
    half = (letters - 1) // 2
    return f"{name[: letters - 1 - half]}…{name[-half:]}"


def k_curve_figure(curve: KCurve) -> str:
    """Draw the score against the number of features, with one standard error up and down."""
    height = 300.0
    low = min(m - e for m, e in zip(curve.mean, curve.error, strict=True))
    high = max(m + e for m, e in zip(curve.mean, curve.error, strict=True))
    ticks = nice_ticks(low, high)
    low, high = ticks[0], ticks[-1]
    last = log10(curve.k[-1]) or 1.0

    def x(k: float) -> float:
        return _LEFT + 12 + (_WIDTH - _LEFT - _RIGHT - 24) * log10(k) / last

    def y(score: float) -> float:
        return _TOP + (height - _TOP - _BOTTOM) * (high - score) / (high - low)

    shapes = []
    for tick in ticks:
        shapes.append(svg.line(_LEFT, y(tick), _WIDTH - _RIGHT, y(tick), "grid"))
        shapes.append(svg.text(f"{tick:.6g}", _LEFT - 6, y(tick) + 5, anchor="end"))
    for k in _spread(curve.k, x):
        shapes.append(svg.text(f"{k:,}", x(k), height - _BOTTOM + 20, anchor="middle"))
    shapes.append(
        svg.text(
            "number of features kept (best first)", _WIDTH / 2 + 20, height - 6, anchor="middle"
        )
    )
    shapes.append(svg.line(x(curve.chosen), _TOP, x(curve.chosen), height - _BOTTOM, "mark"))
    word = "asked for" if curve.was_given else "chosen"
    side = "end" if x(curve.chosen) > _WIDTH * 0.6 else "start"
    shift = -6 if side == "end" else 6
    shapes.append(
        svg.text(
            f"{word}: {curve.chosen:,}", x(curve.chosen) + shift, height - _BOTTOM - 8,
            anchor=side, class_="strong label",
        )
    )  # fmt: skip
    points = list(zip(curve.k, curve.mean, curve.error, strict=True))
    shapes.append(svg.polyline(((x(k), y(mean)) for k, mean, _ in points), "curve"))
    for k, mean, error in points:
        bar = svg.line(x(k), y(mean - error), x(k), y(mean + error), "error")
        dot = svg.element(
            "circle", cx=x(k), cy=y(mean), r=6.0 if k == curve.chosen else 4.0,
            class_="chosen" if k == curve.chosen else "dot",
        )  # fmt: skip
        noun = "feature" if k == 1 else "features"
        shapes.append(svg.hover(bar + dot, f"{k:,} {noun}: {mean:.4g} ± {error:.2g}"))
    best, all_features = curve.score(curve.chosen), curve.score(curve.k[-1])
    described = (
        f"Curve of the {curve.scoring} against the number of features. With"
        f" {curve.chosen} ({word}): {best[0]:.3g}; with all {curve.k[-1]}: {all_features[0]:.3g}."
    )
    return svg.figure(shapes, _WIDTH, height, described)


def survival_figure(found: RiskGroups) -> str:
    """Draw the share of each risk group that has not had the event, against time."""
    height, bottom = 300.0, 46.0
    ticks = [tick for tick in nice_ticks(0, found.last) if tick <= found.last * (1 + 1e-9)]

    def x(time: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * time / (found.last or 1.0)

    def y(share: float) -> float:
        return _TOP + (height - _TOP - bottom) * (1 - share)

    shapes = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        shapes.append(svg.line(_LEFT, y(share), _WIDTH - _RIGHT, y(share), "grid"))
        shapes.append(svg.text(f"{share:.0%}", _LEFT - 6, y(share) + 5, anchor="end"))
    for tick in ticks:
        anchor = "end" if tick == ticks[-1] else "middle"
        shapes.append(svg.text(f"{tick:g}", x(tick), height - bottom + 20, anchor=anchor))
    shapes.append(svg.text("time", _WIDTH / 2 + 20, height - 6, anchor="middle"))
    for i, group in enumerate(found.groups):
        points, share = [(x(0.0), y(1.0))], 1.0
        for time, left in zip(group.time, group.survival, strict=True):
            points += [(x(time), y(share)), (x(time), y(left))]
            share = left
        points.append((x(found.last), y(share)))
        words = f"{group.name}: {group.n_rows:,} rows, {group.n_events:,} events"
        shapes.append(svg.hover(svg.polyline(points, f"curve risk-{i}"), words))
        # The key is in the corner that curves leave free: they start at the top left.
        top = _TOP + 14 + 20 * i
        shapes.append(svg.line(_WIDTH - 176, top, _WIDTH - 152, top, f"curve risk-{i}"))
        shapes.append(svg.text(f"{group.name} ({group.n_rows:,})", _WIDTH - 146, top + 5))
    described = "Share of rows without the event against time. At half of the time: " + ", ".join(
        f"{group.name} {percent(group.survival_at(found.last / 2))}" for group in found.groups
    )
    return svg.figure(shapes, _WIDTH, height, described + ".")


def bar_figure(names: Sequence[str], shares: Sequence[float], described: str) -> str:
    """Draw shares between 0 and 1 as horizontal bars with their names."""
    shapes, height = _bars(names, shares, max(max(shares, default=0.0), 1e-12))
    return svg.figure(shapes, _WIDTH, height, described)


def luck_figure(check: Luck, n_shown: int) -> str:
    """Draw what features explain, where luck ends (dashed), and each best feature by luck."""
    names, values = zip(*check.importances[:n_shown], strict=True)
    largest = max(*values, *check.by_luck, check.threshold, 1e-12)
    shapes, height = _bars(names, values, largest)
    x = _BARS + _ROOM * check.threshold / largest
    shapes.append(
        svg.hover(
            svg.line(x, 0, x, height, "mark"),
            f"better than luck: more than {percent(check.threshold)}",
        )
    )
    for value in check.by_luck:
        x = _BARS + _ROOM * value / largest
        tick = svg.line(x, height + 4, x, height + 18, "tick")
        shapes.append(svg.hover(tick, f"best feature of a shuffled target: {percent(value)}"))
    shapes.append(svg.text("by luck", _BARS - 8, height + 16, anchor="end"))
    described = (
        f"Bars of what the first {len(names)} features explain, from {percent(max(values))} down to"
        f" {percent(min(values))}. With shuffled targets the best feature explained at most"
        f" {percent(max(check.by_luck))}."
    )
    return svg.figure(shapes, _WIDTH, height + 24, described)


def _bars(names: Sequence[str], values: Sequence[float], largest: float) -> tuple[list[str], float]:
    """Return a row per name with a bar and the value in per cent, and how high they are."""
    shapes = []
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        top, length = _ROW * i, _ROOM * value / largest
        parts = [
            svg.text(shorten(name), _BARS - 8, top + 17, anchor="end"),
            svg.element(
                "rect", x=_BARS, y=top + 4, width=max(length, 1.0), height=_ROW - 8, class_="bar"
            ),
            svg.text(percent(value), _BARS + length + 6, top + 17),
        ]
        shapes.append(svg.hover("".join(parts), f"{name}: {percent(value)}"))
    return shapes, _ROW * len(names)


def percent(share: float) -> str:
    """Return a share in per cent with as many digits as people read.

    Examples
    --------
    >>> from inforest.report.figures import percent
    >>> [percent(share) for share in (1.0, 0.1234, 0.01234, 0.00004, 0.0)]
    ['100 %', '12 %', '1.2 %', '< 0.1 %', '0 %']

    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 or share == 0 else f"{100 * share:.1f} %"


def nice_ticks(low: float, high: float, n: int = 4) -> list[float]:
    """Return round numbers at equal distances that enclose low and high.

    Examples
    --------
    >>> from inforest.report.figures import nice_ticks
    >>> nice_ticks(0.87, 0.98)
    [0.85, 0.9, 0.95, 1.0]

    """
    if high - low < 1e-12:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / n
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * (1 - 1e-9))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    digits = max(0, 2 - floor(log10(step)))
    return [round(step * i, digits) for i in range(first, last + 1)]


def _spread(values: Sequence[int], place: Callable[[float], float]) -> list[int]:
    """Return the values whose labels do not touch; the first and the last always stay."""
    shown = [values[0]]
    for value in values[1:-1]:
        if place(value) - place(shown[-1]) > 34 and place(values[-1]) - place(value) > 40:
            shown.append(value)
    return [*shown, values[-1]] if len(values) > 1 else shown
