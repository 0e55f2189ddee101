"""Units: phrases are read, factors are exact, different measures never convert."""

from __future__ import annotations

from fractions import Fraction

import pytest

from preceptor.maths.units import UNIT_NAMES, convert, find_unit

CONVERSIONS = [
    # Exact by definition: the inch (1959), the US gallon (231 cubic inches), the avoirdupois pound, SI.
    ("12", "km", "m", "12000"),
    ("3", "feet", "inches", "36"),
    ("1", "mile", "yards", "1760"),
    ("1", "inch", "cm", "2.54"),
    ("1", "gallon", "cups", "16"),
    ("1", "gallon", "in^3", "231"),
    ("1", "L", "cm^3", "1000"),
    ("1", "lb", "kg", "0.45359237"),
    ("1", "pound", "ounces", "16"),
    ("1.5", "hours", "min", "90"),
    ("1", "week", "hours", "168"),
    ("2", "years", "months", "24"),
    ("20", "mph", "miles per hour", "20"),
    ("36", "km/h", "m/s", "10"),
    ("25", "cm^2", "cm²", "25"),
    ("1", "square feet", "square inches", "144"),
    ("1", "平方米", "平方厘米", "10000"),
    ("1", "公顷", "m²", "10000"),
    ("60", "千米/小时", "公里每小时", "60"),
    ("1", "dollar", "cents", "100"),
    ("3", "元", "角", "30"),
    ("5", "Nm", "N m", "5"),
    ("1", "kJ/mol", "J/mol", "1000"),
    ("1", "kilómetro", "metros", "1000"),
    ("1", "Stunde", "Minuten", "60"),
    ("1", "heure", "minutes", "60"),
    ("1", "كيلومتر", "متر", "1000"),
    ("1", "quadratmeter", "mètres carrés", "1"),
]


@pytest.mark.parametrize(("value", "source", "target", "expected"), CONVERSIONS)
def test_conversion_is_exact(value: str, source: str, target: str, expected: str) -> None:
    left, right = find_unit(source), find_unit(target)
    assert left is not None
    assert right is not None
    assert convert(Fraction(value), left, right) == Fraction(expected)


@pytest.mark.parametrize(
    ("left", "right"),
    [("km", "kg"), ("m", "m^2"), ("dollars", "euros"), ("km/h", "h"), ("°C", "°F"), ("month", "day"), ("m/A", "m")],
)
def test_different_measures_do_not_convert(left: str, right: str) -> None:
    source, target = find_unit(left), find_unit(right)
    assert source is not None
    assert target is not None
    assert convert(Fraction(1), source, target) is None


@pytest.mark.parametrize("text", ["apples", "pies", "M", "are", "a", "", "square", "m^9", "km/", "m/" * 40, "12"])
def test_what_is_no_unit_is_none(text: str) -> None:
    assert find_unit(text) is None


def test_every_name_in_the_table_is_found() -> None:
    assert len({unit.symbol for name in UNIT_NAMES if (unit := find_unit(name))}) >= 60
    assert all(find_unit(name) for name in UNIT_NAMES)
