"""Whether the tutor's confidence is a probability: predicted against what came true, as a small drawing."""

from __future__ import annotations

from html import escape

from preceptor.memory.calibration import Calibration

_SIDE, _LEFT, _TOP, _BELOW, _RIGHT = 220, 40, 12, 36, 24
_SMALLEST, _LARGEST = 4.0, 11.0
_MARKS = (0.0, 0.5, 1.0)


def calibration_svg(calibration: Calibration) -> str:
    """Return an inline SVG: one dot a bucket, larger for more checks; on the dashed line the tutor is as sure as right.

    Buckets without a prediction are left out; the table beside it says which.
    """
    held = [one for one in calibration.buckets if one.n]
    most = max((one.n for one in held), default=1)
    dots = ""
    said = []
    for one in held:
        if one.mean_predicted is None or one.share_right is None:
            continue
        x, y = _x(one.mean_predicted), _y(one.share_right)
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * (one.n / most) ** 0.5
        title = f"predicted {one.mean_predicted:.2f}, right {one.share_right:.2f}, {one.n} checks"
        said.append(title)
        dots += f'<circle class="spot" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{title}</title></circle>'
    label = escape("Share of right checks against what was predicted. " + ("; ".join(said) or "No prediction yet"))
    width, height = _LEFT + _SIDE + _RIGHT, _TOP + _SIDE + _BELOW
    return (
        f'<svg class="calibration" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{label}">{_axes()}'
        f'<line class="even" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>{dots}</svg>'
    )


def _axes() -> str:
    lines = "".join(
        f'<line class="axis" x1="{_x(0)}" y1="{_y(mark)}" x2="{_x(1)}" y2="{_y(mark)}"/>'
        f'<text class="value" x="{_LEFT - 6}" y="{_y(mark) + 4:.0f}" text-anchor="end">{mark:.0%}</text>'
        f'<text class="value" x="{_x(mark)}" y="{_TOP + _SIDE + 16}" text-anchor="middle">{mark:.0%}</text>'
        for mark in _MARKS
    )
    middle = _x(0.5)
    return f'{lines}<text class="name" x="{middle}" y="{_TOP + _SIDE + 32}" text-anchor="middle">predicted</text>'


def _x(share: float) -> float:
    return round(_LEFT + share * _SIDE, 1)


def _y(share: float) -> float:
    return round(_TOP + (1 - share) * _SIDE, 1)
