"""Numbers in free text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.maths.text_numbers import find_numbers


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("twenty-four boxes and 1,200 pens", "en", ["24", "1200"]),
        ("2 1/2 cups, 3/4 of it, 2½ more", "en", ["5/2", "3/4", "5/2"]),
        ("half a dozen eggs and 2 million ants", "en", ["6", "2000000"]),
        ("a 12-foot board on a 3-legged stool", "en", ["12", "3"]),
        ("no one saw this one or one of them", "en", []),
        ("the bus at 9:30", "en", ["19/2"]),
        ("the 3rd day of the fifth week", "en", []),
        ("it cost $80 000", "en", ["80000"]),
        ("80 quarters", "en", ["80"]),
        ("有三十五个苹果,吃了1/3,还有一半", "zh", ["35", "1/3", "1/2"]),
        ("cuesta 1.500,5 euros", "es", ["3001/2"]),
        ("fünfundzwanzig Bälle zu 3,50 Euro", "de", ["25", "7/2"]),
        ("لديه ٢٥ كتابا", "ar", ["25"]),
    ],
)
def test_values_are_read_in_order(text: str, language: str, values: list[str]) -> None:
    assert [number.value for number in find_numbers(text, language)] == [Fraction(value) for value in values]


def test_percent_money_unit_and_noun_are_told_apart() -> None:
    share, price, way, boxes = find_numbers("20% off $5.50, then 3 km with 4 red boxes")
    assert (share.percent, share.value, share.face) == (True, Fraction(1, 5), Fraction(20))
    assert (price.money, price.unit, price.places) == (True, "$", 2)
    assert (way.unit, way.noun) == ("km", None)
    assert (boxes.unit, boxes.noun) == (None, "box")


def test_spans_point_into_the_original_text() -> None:
    text = "Er hat ２½ Liter und “24” Gläser"
    assert [text[n.start : n.end] for n in find_numbers(text, "en")] == ["２½", "24"]


def test_ordinals_come_only_where_asked_for() -> None:
    assert [n.value for n in find_numbers("the 3rd of 5", ordinals=True)] == [3, 5]


@given(st.text(max_size=80), st.sampled_from(["en", "zh", "es", "fr", "de", "ar", "xx"]))
def test_any_text_is_read_with_spans_inside_it(text: str, language: str) -> None:
    for number in find_numbers(text, language):
        assert 0 <= number.start < number.end <= len(text)
