"""The readings of a calculation under which what was stated as its result may hold: percent, unit, scale, rounding."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from preceptor.maths.chains import LinkKind
from preceptor.maths.expression import Binary, Expression, Leaf, evaluate, rounds_to
from preceptor.maths.units import convert, find_unit

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}


def best_reading(first: Expression, second: Expression, stated: Fraction, plain: Fraction) -> Fraction:
    """Return the reading of an ambiguous expression that gives the stated value, else the plain one.

    Percents may be meant of the left operand (50 + 20% = 60) or by their face (20/50*100 = 40%), and operands of
    one kind in two units may be meant as one sum ($2 + 50 cents = $2.50).
    """
    readings = [evaluate(first, percent_of_left=True)] if first.percents else []
    if second.percents and not first.percents:
        readings.append(plain / 100)
    if first.percents:
        faces = [o.value * 100 if i in first.percents else o.value for i, o in enumerate(first.operands)]
        readings.append(evaluate(first, operands=faces))
    converted = _in_one_unit(first, second)
    if converted is not None:
        readings.append(evaluate(first, operands=converted))
    if any("dozen" in (operand.noun or "") for operand in (*first.operands, *second.operands)):
        dozens = [operand.value * (12 if operand.noun == "dozen" else 1) for operand in first.operands]
        readings.append(evaluate(first, operands=dozens))
    named = second.operands[0].text.casefold() if len(second.operands) == 1 else ""
    readings += [plain * scale for word, scale in _SCALES.items() if word in named]
    tree = first.tree
    if isinstance(tree, Binary) and tree.right == Leaf(0):
        readings.append(evaluate(replace(first, tree=tree.left)))
    if stated in readings:
        return stated
    places = max(second.places, default=0) + (2 if second.percents else 0)
    near = [value for value in readings if value is not None and rounds_to(value, stated, places)]
    return near[0] if near and places else plain


def _in_one_unit(first: Expression, second: Expression) -> list[Fraction] | None:
    """Return the operands of a sum in the result's unit; `None`: no conversion is called for."""
    units = {operand.unit for operand in first.operands if operand.unit}
    if not units or (set(first.operators) - {"+", "-"} and sum(bool(o.unit) for o in first.operands) > 1):
        return None
    named = second.operands[0].unit if second.operands else None
    target = find_unit(named or sorted(units)[0])
    if target is None or (len(units) == 1 and named in units):
        return None
    values: list[Fraction] = []
    for operand in first.operands:
        source = find_unit(operand.unit) if operand.unit else None
        value = convert(operand.value, source, target) if source else operand.value
        if value is None:
            return None
        values.append(value)
    return values


def is_rounding(computed: Fraction, stated: Fraction, second: Expression, link: LinkKind, text: str) -> bool:
    """Whether the stated value is the computed one, rounded as the text says or as its last digit allows."""
    places = max(second.places, default=0)
    if second.compound or second.unknowns:
        return False
    unit = Fraction(1, 10**places)
    if second.percents:
        unit /= 100
    scaled, target = computed / unit, stated / unit
    if link == "up" or (link == "about" and _says(text, second, "up")):
        return target == ceil(scaled)
    if link == "down" or (link == "about" and _says(text, second, "down")):
        return target == floor(scaled)
    if link == "about":
        return abs(computed - stated) <= max(abs(computed) / 20, unit / 2)
    if scaled.denominator != 1 and rounds_to(scaled, target, 0):
        return places > 0 or computed.denominator != 1
    near = text[second.end : second.end + 60].casefold() + text[max(0, second.start - 60) : second.start].casefold()
    if any(
        cue in near
        for cue in ("round", "at least", "whole", "cannot have", "can't have", "remain", "left over", "leftover")
    ):
        return target in {floor(scaled), ceil(scaled)} and computed.denominator != 1
    return places >= 2 and computed > 0 and target == floor(scaled)


def _says(text: str, second: Expression, direction: str) -> bool:
    near = text[max(0, second.start - 30) : second.end + 30].casefold()
    return f"round {direction}" in near or f"rounded {direction}" in near or f"rounding {direction}" in near
