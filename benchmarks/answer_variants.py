"""Random values, many ways to write each, and near misses of each: written here, not by the product's own writers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One pair with its verdict known by construction."""

    kind: str
    value_id: int
    """Variants of one value share it: the cluster."""
    reference: str
    answer: str
    equal: bool


_ENGLISH = "zero one two three four five six seven eight nine ten eleven twelve".split()
_CHINESE = "零一二三四五六七八九"
_FULL_WIDTH = str.maketrans("0123456789.-/%", "０１２３４５６７８９．－／％")
_ARABIC = str.maketrans("0123456789.", "٠١٢٣٤٥٦٧٨٩٫")


def _whole(source: random.Random) -> tuple[Fraction, list[str]]:
    value = source.randint(2, 99_999)
    forms = [
        str(value),
        f"{value:,}",
        f"{value}.0",
        f"+{value}",
        f"x = {value}",
        f"${value}$",
        f"\\boxed{{{value}}}",
        f"The answer is {value}.",
        f"She has {value} apples left",
        f"{value * 6}/6",
        f"{value - 1} + 1",
        str(value).translate(_FULL_WIDTH),
        str(value).translate(_ARABIC),
        f"{value}, because {value - 1} + 1 = {value}",
        f"{value - 1} + 1 = {value}",
    ]
    if value <= 12:
        forms.append(_ENGLISH[value])
    if value < 100:
        tens, ones = divmod(value, 10)
        written = (_CHINESE[tens] if tens > 1 else "") + ("十" if tens else "") + (_CHINESE[ones] if ones else "")
        forms += [written, f"答案是{value}"]
    return Fraction(value), forms


def _fraction(source: random.Random) -> tuple[Fraction, list[str]]:
    below = source.randint(2, 60)
    value = source.randint(0, 20) + Fraction(source.randint(1, below - 1), below)
    whole, above = divmod(value.numerator, value.denominator)
    forms = [
        f"{value.numerator}/{value.denominator}",
        f"{value.numerator * 3}/{value.denominator * 3}",
        f"\\frac{{{value.numerator}}}{{{value.denominator}}}",
        f"$\\dfrac{{{value.numerator}}}{{{value.denominator}}}$",
        f"({value.numerator}) / ({value.denominator})",
        f"{value.numerator}÷{value.denominator}",
        f"n={value.numerator}/{value.denominator}",
    ]
    if whole:
        forms += [f"{whole} {above}/{value.denominator}", f"{whole}\\frac{{{above}}}{{{value.denominator}}}"]
        forms.append(f"{whole} and {above}/{value.denominator}")
    return value, forms


def _decimal(source: random.Random) -> tuple[Fraction, list[str]]:
    hundredths = source.randint(1, 9_999_999)
    text = f"{hundredths // 100}.{hundredths % 100:02d}"
    forms = [text, text + "0", f"{hundredths}/100", f"{hundredths}%", f"{hundredths}e-2", f"{hundredths} × 10⁻²"]
    forms += [text.translate(_FULL_WIDTH), f"{hundredths // 100:,}.{hundredths % 100:02d}"]
    return Fraction(hundredths, 100), forms


def _length(source: random.Random) -> tuple[Fraction, list[str]]:
    metres = source.randint(1, 50_000)
    km = f"{metres // 1000}.{metres % 1000:03d}"
    return Fraction(metres), [
        f"{metres} m",
        f"{metres}m",
        f"{km} km",
        f"{metres * 100} cm",
        f"{metres} metres",
        f"{metres}米",
    ]


def _money(source: random.Random) -> tuple[Fraction, list[str]]:
    cents = source.randint(101, 999_999)
    text = f"{cents // 100}.{cents % 100:02d}"
    forms = [f"${text}", f"{text} dollars", f"{cents} cents", f"${cents // 100:,}.{cents % 100:02d}", f"\\${text}"]
    return Fraction(cents, 100), forms


_KINDS: dict[str, Callable[[random.Random], tuple[Fraction, list[str]]]] = {
    "whole": _whole,
    "fraction": _fraction,
    "decimal": _decimal,
    "length": _length,
    "money": _money,
}
_UNITS = {"length": " m", "money": " dollars"}


def _near_misses(value: Fraction, kind: str, source: random.Random) -> list[str]:
    """Write values that are not this one, and hedges that hold it."""
    unit = _UNITS.get(kind, "")
    steps = [Fraction(1), Fraction(-1), Fraction(1, 10), Fraction(10), -value * 2, value * 9, value]
    other = value + source.choice(steps)
    written = f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)
    wrong = f"{other.numerator}/{other.denominator}" if other.denominator != 1 else str(other.numerator)
    misses = [
        f"{wrong}{unit}",
        f"{written} or {wrong}",
        f"It is not {written}, it is {wrong}",
        f"{written}, {wrong}",
        f"({written}, {wrong})",
        f"{wrong}, because {written} + 1 = {wrong}" if other == value + 1 else f"more than {written}",
        f"({written}) + x",
        "I don't know",
        "",
    ]
    if unit:
        misses += [f"{written} kg", f"{written} hours"]
    if value.denominator == 1 and value > 9:
        misses += [f"1 {written}/{int(value) + 1}", f"{written}^2", f"{written}%"]
    return misses


def make_variants(n_values: int, *, seed: int) -> list[Variant]:
    """Return pairs for so many random values: every form against every other's first, and near misses."""
    source = random.Random(seed)
    variants: list[Variant] = []
    for place in range(n_values):
        kind = list(_KINDS)[place % len(_KINDS)]
        value, forms = _KINDS[kind](source)
        reference = source.choice(forms[:3])
        variants += [Variant(kind=kind, value_id=place, reference=reference, answer=form, equal=True) for form in forms]
        variants += [
            Variant(kind=kind, value_id=place, reference=reference, answer=miss, equal=False)
            for miss in _near_misses(value, kind, source)
        ]
    return variants


_PIECES = (
    "0 1 9 12 1,000 .5 3/4 ½ + - * / ^ ( ) [ ] { } = < > % $ x y pi sqrt sin or not 十 万 km m^2 : , . ; "
    "\\frac \\sqrt ² e9 ! ~"
).split()


def make_noise(n_texts: int, *, seed: int) -> list[str]:
    """Return random strings of mathematical pieces, to look for crashes and hangs."""
    source = random.Random(seed)
    return [
        source.choice(["", " "]).join(source.choice(_PIECES) for _ in range(source.randint(1, 120)))[:400]
        for _ in range(n_texts)
    ]
