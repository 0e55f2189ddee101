"""Hints used before each solved step, as a small row of bars. Its table twin stands beside it in the template."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from preceptor.tutoring.views import HelpAtStep

STEP_WIDTH = 36
HINT_HEIGHT = 12.0
_BAR_WIDTH = 16
_TALLEST = 36
_NUMBER_ABOVE = 16
_NUMBER_BELOW = 16


def help_trend_svg(trend: Sequence[HelpAtStep]) -> str:
    """Return an inline SVG: one bar per solved step, in the order solved, its height the number of hints.

    A step solved without a hint is a dot on the base line, so that "none" is seen and not missing.
    """
    most = max((step.hints for step in trend), default=0)
    unit = min(HINT_HEIGHT, _TALLEST / most) if most else 0.0
    base = round(_NUMBER_ABOVE + max(4.0, most * unit))
    width, height = max(1, len(trend)) * STEP_WIDTH, base + _NUMBER_BELOW
    bars = "".join(_bar(position, step, unit, base) for position, step in enumerate(trend))
    counts = ", ".join(f"step {position}: {step.hints}" for position, step in enumerate(trend, start=1))
    return (
        f'<svg class="help-trend" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="Hints used before each solved step. {escape(counts)}">'
        f'<line class="axis" x1="0" y1="{base}" x2="{width}" y2="{base}"/>{bars}</svg>'
    )


def _bar(position: int, step: HelpAtStep, unit: float, base: int) -> str:
    middle = position * STEP_WIDTH + STEP_WIDTH // 2
    top = base - step.hints * unit
    title = f"<title>{escape(step.step)}: {step.hints}</title>"
    if step.hints:
        left = middle - _BAR_WIDTH // 2
        height = f"{base - top:g}"
        mark = f'<rect class="bar" x="{left}" y="{top:g}" width="{_BAR_WIDTH}" height="{height}" rx="3">{title}</rect>'
        value_y = top - 4
    else:
        mark = f'<circle class="none" cx="{middle}" cy="{base}" r="4">{title}</circle>'
        value_y = base - 8.0
    return (
        f'{mark}<text class="value" x="{middle}" y="{value_y:g}">{step.hints}</text>'
        f'<text class="step" x="{middle}" y="{base + _NUMBER_BELOW - 3}">{position + 1}</text>'
    )
