"""How an experience fared: its utility after each scored use, as a small line. Its table twin stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_LEFT, _TOP, _HEIGHT, _BOTTOM = 36, 10, 120, 20
_STEP = 44
_WIDEST = 640
_DOT = 3.5


def utility_svg(utilities: Sequence[float], scores: Sequence[float], *, prune_below: float) -> str:
    """Return an inline SVG: utility as a line, each turn's own score as a ring, the line of pruning dashed.

    Args:
        utilities: Percent; the first at admission, then after each scored use.
        scores: The score of each use, percent; one fewer than `utilities`.
        prune_below: Percent.
    """
    n = len(utilities)
    step = min(_STEP, (_WIDEST - _LEFT - 20) / max(1, n - 1))
    width = round(_LEFT + step * (n - 1) + 20) if n > 1 else _LEFT + 60
    lowest = min([*utilities, *scores, prune_below])
    bottom = max(0.0, lowest - lowest % 10 - 10)
    spots = [(_LEFT + place * step, _y(value, bottom)) for place, value in enumerate(utilities)]
    path = " ".join(f"{'M' if place == 0 else 'L'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(spots))
    dots = "".join(f'<circle class="spot" cx="{x:.1f}" cy="{y:.1f}" r="{_DOT}"/>' for x, y in spots)
    rings = "".join(
        f'<circle class="ring" cx="{_LEFT + place * step:.1f}" cy="{_y(score, bottom):.1f}" r="{_DOT}">'
        f"<title>use {place}: scored {score:.1f}</title></circle>"
        for place, score in enumerate(scores, start=1)
    )
    prune = _y(prune_below, bottom)
    said = ", ".join(f"{value:.1f}" for value in utilities)
    label = escape(f"Utility in percent, at admission and after each scored use: {said}")
    return (
        f'<svg class="utility" viewBox="0 0 {width} {_TOP + _HEIGHT + _BOTTOM}" width="{width}" '
        f'height="{_TOP + _HEIGHT + _BOTTOM}" role="img" aria-label="{label}">'
        f"{_axis(bottom, width)}"
        f'<line class="prune" x1="{_LEFT}" y1="{prune:.1f}" x2="{width}" y2="{prune:.1f}"/>'
        f'<path class="line" d="{path}"/>{rings}{dots}'
        f'<text class="from" x="{_LEFT}" y="{_TOP + _HEIGHT + 16}">admitted</text></svg>'
    )


def _axis(bottom: float, width: int) -> str:
    marks = sorted({bottom, 100.0, (bottom + 100) / 2})
    return "".join(
        f'<line class="axis" x1="{_LEFT}" y1="{_y(mark, bottom):.1f}" x2="{width}" y2="{_y(mark, bottom):.1f}"/>'
        f'<text class="value" x="{_LEFT - 6}" y="{_y(mark, bottom) + 4:.1f}">{mark:.0f}</text>'
        for mark in marks
    )


def _y(value: float, bottom: float) -> float:
    return _TOP + _HEIGHT * (100 - value) / (100 - bottom)
