"""Claims and clauses in free text."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.claim import ClauseKind
from preceptor.maths.claims import read_claims
from preceptor.maths.clauses import read_clauses


@pytest.mark.parametrize(
    ("text", "computed", "value"),
    [
        ("14 x 3 = 42", 42, 42),
        ("14 times 3 is 42", 42, 42),
        ("multiply 14 bags by 3 to get 42", 42, 42),
        ("subtract 5 from 20 to get 15", 15, 15),
        ("adding 5 and 3 gives 8", 8, 8),
        ("half of 30 is 15", 15, 15),
        ("2(45) = 90", 90, 90),
        ("90 divided by 1/3 = 270", 270, 270),
        ("3 boxes * 26 pens/box = 78 pens", 78, 78),
        ("$50/sq m * 20 sq m = $1000", 1000, 1000),
        ("1/4 * 300m = 75m", 75, 75),
        ("20% of 50 = 10", 10, 10),
        ("50 + 20% = 60", 60, 60),
        ("$2 + 50 cents = $2.50", Fraction(5, 2), Fraction(5, 2)),
        ("8:20 - 7:50 = 30 minutes", 30, 30),
        ("1 + 6 = 7th floor", 7, 7),
        ("48 / 12 = 4 dozen", 4, 4),
        ("201 = 200 + 2", 202, 201),
        ("7 x 80 = 540", 560, 540),
    ],
)
def test_one_equation_is_computed(text: str, computed: Fraction, value: Fraction) -> None:
    (claim,) = read_claims(text)
    assert (claim.computed, claim.value) == (computed, value)
    assert claim.true is (computed == value)


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("7 / 3 = 2.33", True),
        ("7 / 3 = 2.34", False),
        ("15 / 4 = 4", True),
        ("9 + 9 = 17", False),
        ("200 * 1 = 201", False),
        ("9 / 4 = 3, rounded up", True),
        ("9 / 4 = 3", False),
    ],
)
def test_rounding_is_allowed_to_the_last_printed_digit_only(text: str, true: bool) -> None:
    assert read_claims(text)[0].true is true


def test_chains_are_checked_link_by_link() -> None:
    claims = read_claims("8 + 4 = 3 x 4 = 12")
    assert [(claim.computed, claim.value) for claim in claims] == [(Fraction(12), Fraction(12))] * 2


def test_a_running_total_is_not_a_false_equation() -> None:
    assert [claim.true for claim in read_claims("5 + 3 = 8 + 2 = 10")] == [True, True]


def test_an_unknown_is_solved_and_later_values_are_held_against_it() -> None:
    first, second = read_claims("3x + 5 = 20, so x = 6")
    assert (first.unknown, first.value, first.true) == ("x", Fraction(5), None)
    assert (second.unknown, second.value, second.true) == ("x", Fraction(6), False)


def test_a_letter_beside_a_number_is_not_dropped() -> None:
    (claim,) = read_claims("so the parcels weigh 3p + 5")
    assert (claim.unknown, claim.value, claim.operators) == ("p", None, ("*", "+"))


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("not 14, it is 15", [15]),
        ("I said 14 but it should be 15", [15]),
        ("14, I mean 15", [15]),
        ("It is 15 instead of 14", [15]),
        ("so there are 14 plums", [14]),
    ],
)
def test_what_is_taken_back_does_not_stand(text: str, standing: list[int]) -> None:
    assert [claim.value for claim in read_claims(text) if not claim.withdrawn] == standing


def test_questions_claim_nothing_but_a_bare_number_is_hedged() -> None:
    assert read_claims("Is it 14?") == ()
    (claim,) = read_claims("14?")
    assert (claim.value, claim.hedged) == (Fraction(14), True)


@pytest.mark.parametrize(
    "text",
    [
        "one round of golf for $5",
        "3 friends with 4 bags each",
        "three less than half as many as 12, which is 6 - 3 = 3",
        "3/5 of the rest equals 15",
    ],
)
def test_ordinary_sentences_are_not_read_as_false_arithmetic(text: str) -> None:
    assert all(claim.true is not False for claim in read_claims(text))


def test_chinese_words_make_an_equation() -> None:
    first, second = read_claims("二十四乘以二等于四十八,所以有48个", "zh")
    assert (first.computed, first.value, second.value) == (Fraction(48),) * 3


@pytest.mark.parametrize(
    ("text", "language", "kinds"),
    [
        ("Oh I see, so 14 + 3 = 17", "en", [ClauseKind.ACKNOWLEDGEMENT, ClauseKind.CLAIM]),
        ("I would subtract the rest", "en", [ClauseKind.OPERATION]),
        ("I should have added the 3", "en", [ClauseKind.CORRECTION]),
        ("What is a dozen?", "en", [ClauseKind.QUESTION]),
        ("maybe, I don't know", "en", [ClauseKind.HEDGE, ClauseKind.AFFECT]),
        ("she has 14 bags", "en", [ClauseKind.QUOTATION]),
        ("my dog is brown", "en", [ClauseKind.OTHER]),
        ("no entiendo", "es", [ClauseKind.AFFECT]),
        ("d'accord", "fr", [ClauseKind.ACKNOWLEDGEMENT]),
        ("warum ist das so?", "de", [ClauseKind.QUESTION]),
        ("لا أعرف", "ar", [ClauseKind.AFFECT]),
        ("不知道", "zh", [ClauseKind.AFFECT]),
    ],
)
def test_clause_kinds(text: str, language: str, kinds: list[ClauseKind]) -> None:
    given = [Fraction(14), Fraction(3)]
    assert [kind for kind, _, _ in read_clauses(text, language, given=given)] == kinds


@given(st.text(alphabet="0123456789 .,/%$-+x=()^abntwo≈½三", max_size=400))
def test_any_text_is_read_quickly(text: str) -> None:
    started = time.process_time()
    claims = read_claims(text)
    assert time.process_time() - started < 5
    assert all(0 <= claim.start < claim.end <= len(text) for claim in claims)


@pytest.mark.parametrize("text", ["(" * 400, "1+(" * 200, "9" * 4000, "2^" * 200 + "2", "9^9^9^9", "1 " * 2000])
def test_hostile_shapes_end(text: str) -> None:
    started = time.process_time()
    read_claims(text)
    assert time.process_time() - started < 5


@given(st.integers(1, 9999), st.integers(1, 9999), st.sampled_from("+-*"))
def test_right_sums_hold_and_slips_do_not(left: int, right: int, sign: str) -> None:
    result = {"+": left + right, "-": left - right, "*": left * right}[sign]
    assert read_claims(f"{left} {sign} {right} = {result}")[0].true is True
    assert read_claims(f"{left} {sign} {right} = {result + 1}")[0].true is False


def test_a_rate_per_hour_may_be_taken_over_minutes() -> None:
    assert read_claims("$240/hour x 30 minutes = $120")[0].true is True


def test_an_unknown_after_a_word_is_seen() -> None:
    (claim,) = read_claims("it should be x + 5 - 3 = 12")
    assert (claim.unknown, claim.value) == ("x", Fraction(10))
