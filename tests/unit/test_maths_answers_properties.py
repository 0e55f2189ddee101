"""Properties of the answer checker: forms of one value agree, near values never do, no text breaks it."""

from __future__ import annotations

import time
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.domain.problem import AnswerPolicy
from preceptor.maths.answers import check_answer, read_answer
from preceptor.maths.numerals import number_forms

VALUES = st.builds(
    Fraction, st.integers(min_value=-20_000, max_value=20_000), st.integers(min_value=1, max_value=60)
).filter(lambda value: abs(value) != 1)
STEPS = st.builds(Fraction, st.integers(min_value=1, max_value=50), st.sampled_from([1, 2, 3, 10, 100]))
POLYNOMIALS = st.lists(st.integers(min_value=-9, max_value=9), min_size=2, max_size=4).filter(lambda row: any(row[1:]))
PIECES = st.sampled_from(
    "0 1 12 3/4 1,000 .5 ½ ² + - * / ^ ( ) [ ] { } = < > % $ € x y pi sqrt or not 十 万 分之 km m^2 apples "
    ": , . ; ! ? \\frac{ } \\sqrt e9 ± ≈ twelve and a half".split()
)


def _written(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


@given(VALUES)
@settings(deadline=None)
def test_every_form_of_a_value_equals_it(value: Fraction) -> None:
    verdicts = {form: check_answer(_written(value), form).verdict for form in number_forms(value)}
    assert set(verdicts.values()) == {"equal"}, verdicts


@given(VALUES, VALUES)
@settings(deadline=None)
def test_forms_of_another_value_never_equal_it(value: Fraction, other: Fraction) -> None:
    verdicts = {form: check_answer(_written(value), form).verdict for form in number_forms(other)}
    assert value == other or "equal" not in verdicts.values(), verdicts


@given(VALUES, STEPS)
@settings(deadline=None)
def test_a_perturbed_value_is_refused(value: Fraction, step: Fraction) -> None:
    assert check_answer(_written(value), _written(value + step)).verdict == "not_equal"
    assert check_answer(f"{_written(value)} km", f"{_written(value - step)} km").verdict == "not_equal"


@given(VALUES, STEPS)
@settings(deadline=None)
def test_tolerance_is_the_bound(value: Fraction, step: Fraction) -> None:
    policy = AnswerPolicy(tolerance=step)
    assert check_answer(_written(value), _written(value + step), policy).verdict == "equal"
    assert check_answer(_written(value), _written(value + step * Fraction(101, 100)), policy).verdict == "not_equal"


@given(VALUES, STEPS)
@settings(deadline=None)
def test_a_hedge_never_equals_one_of_its_values(value: Fraction, step: Fraction) -> None:
    one, other = _written(value), _written(value + step)
    for text in (
        f"{one} or {other}",
        f"{other} or {one}",
        f"not {one}, {other}",
        f"{one}, {other}",
        f"more than {one}",
    ):
        assert check_answer(one, text).verdict != "equal", text


@given(POLYNOMIALS, POLYNOMIALS)
@settings(deadline=None)
def test_polynomials_are_equal_exactly_where_their_coefficients_are(left: list[int], right: list[int]) -> None:
    def written(row: list[int]) -> str:
        return " + ".join(f"({size})*x^{power}" for power, size in enumerate(row))

    def plain(row: list[int]) -> list[int]:
        return row[:1] + plain(row[1:]) if any(row) else []

    verdict = check_answer(written(left), written(right)).verdict
    assert verdict == ("equal" if plain(left) == plain(right) else "not_equal")


@given(st.integers(min_value=2, max_value=200), st.integers(min_value=2, max_value=200))
@settings(deadline=None)
def test_square_roots_multiply(left: int, right: int) -> None:
    assert check_answer(f"sqrt({left})*sqrt({right})", f"sqrt({left * right})").verdict == "equal"
    assert check_answer(f"sqrt({left})", f"sqrt({left + right})").verdict == "not_equal"


@given(st.one_of(st.text(max_size=500), st.lists(PIECES, max_size=90).map("".join), st.lists(PIECES).map(" ".join)))
@settings(max_examples=400, deadline=None)
def test_no_text_breaks_or_hangs_it(text: str) -> None:
    started = time.process_time()
    assert check_answer("123457", text).verdict in {"equal", "not_equal", "unread"}
    assert check_answer(text, "123457").verdict in {"equal", "not_equal", "unread"}
    assert time.process_time() - started < 2


@given(st.text(alphabet="0123456789+-*/^().,=x %$", max_size=40))
@settings(max_examples=300, deadline=None)
def test_a_read_answer_equals_itself(text: str) -> None:
    if read_answer(text):
        assert check_answer(text, text).verdict != "not_equal" or not any(char.isdigit() for char in text)
