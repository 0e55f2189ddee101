"""Answers: every accepted form of a value, every trap that must not be accepted, and what each policy decides."""

from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from preceptor.domain.problem import AnswerPolicy
from preceptor.maths.answers import check_answer, read_answer

EQUAL: list[tuple[str, str]] = [
    # Khan complaints 1 and 2: a leading "x =", a group mark inside a fraction
    ("8/9", "x=8/9"),
    ("8/9", "x = 8/9"),
    ("x = 8/9", "8/9"),
    ("6015/10000", "6,015/10,000"),
    ("16/625", "80/3125"),
    ("1/2", "3/6"),
    # complaint 4: percents with and without decimals
    ("1%", "1.0%"),
    ("1.0%", "1%"),
    ("0.01", "1 %"),
    ("1/4", "25 percent"),
    ("25%", "0.25"),
    ("12.5%", "1/8"),
    # complaint 6, 8: unit spacing, mixed numbers
    ("5 N m", "5 Nm"),
    ("5 N m", "5 N*m"),
    ("1.25", "1 1/4"),
    ("5/4", "1 1/4"),
    ("-5/4", "-1 1/4"),
    ("5/4", "1 and 1/4"),
    ("2.75", "2¾"),
    ("2.75", "two and three quarters"),
    # decimals, signs, grouping
    ("0.5", ".5"),
    ("0.5", "0.50"),
    ("5", "5."),
    ("5", "5.00"),
    ("-7", "−7"),
    ("-7", "minus seven"),
    ("-7", "negative 7"),
    ("-7", "- 7"),
    ("1234567", "1,234,567"),
    ("1234567", "1 234 567"),
    ("1234567", "1'234'567"),
    ("100000", "1,00,000"),
    ("1234.5", "1,234.50"),
    ("1000.5", "1.000,5"),
    ("007", "7"),
    # fractions
    ("1/2", "\\frac{1}{2}"),
    ("1/2", "\\tfrac{2}{4}"),
    ("-1/2", "-\\frac{1}{2}"),
    ("-1/2", "\\frac{-1}{2}"),
    ("1/6", "\\frac{\\frac{1}{2}}{3}"),
    ("1/2", "(1/2)"),
    ("3/4", "three quarters"),
    ("3/4", "three-fourths"),
    ("3/4", "¾"),
    ("3/4", "3 over 4"),
    ("3/4", "3 out of 4"),
    ("3/4", "3÷4"),
    ("1/3", "one third"),
    ("1/3", "0.(3)"),
    ("1/3", "0.333..."),
    ("1/3", "0.\\overline{3}"),
    ("1/6", "0.1666..."),
    # scientific
    ("0.003", "3e-3"),
    ("0.003", "3 × 10⁻³"),
    ("0.003", "3*10^-3"),
    ("0.003", "3 \\cdot 10^{-3}"),
    ("6.02*10^23", "6.02e23"),
    ("1500", "1.5E3"),
    ("8", "2**3"),
    ("8", "2^3"),
    ("8", "2³"),
    # number words and scripts
    ("205", "two hundred and five"),
    ("25", "Twenty-five"),
    ("12", "a dozen"),
    ("2000000", "2 million"),
    ("12", "doce"),
    ("12", "douze"),
    ("12", "zwölf"),
    ("25", "fünfundzwanzig"),
    ("97", "quatre-vingt-dix-sept"),
    ("305", "三百零五"),
    ("20000", "2万"),
    ("11087", "一万一千零八十七"),
    ("10分钟", "十分钟"),
    ("3.5", "三点五"),
    ("2/3", "三分之二"),
    ("0.5", "百分之五十"),
    ("1.5", "一又二分之一"),
    ("12", "１２"),
    ("12", "١٢"),
    ("12", "१२"),
    ("3.5", "٣٫٥"),
    # money
    ("$5", "5 dollars"),
    ("$5", "$5.00"),
    ("$5", "5"),
    ("5", "$5"),
    ("-5 dollars", "-$5"),
    ("$2.50", "2 dollars and 50 cents"),
    ("$0.50", "50 cents"),
    ("$0.50", "50¢"),
    ("€3.50", "3.50 €"),
    ("12元", "12 yuan"),
    ("12", "十二元"),
    ("3.5元", "3元5角"),
    ("$1,200", "1200 dollars"),
    ("$5", "\\$5"),
    ("1200 dollars", "USD 1200"),
    # units
    ("12 km", "12 kilometers"),
    ("12 km", "12000m"),
    ("3 ft", "1 yard"),
    ("1.5 h", "1 h 30 min"),
    ("1.5 hours", "90 minutes"),
    ("1.5小时", "1小时30分"),
    ("66 inches", "5 feet 6 inches"),
    ("1000 cm^3", "1 L"),
    ("60 km/h", "60 kilometers per hour"),
    ("60 km/h", "60 km per hour"),
    ("10 m/s", "36 km/h"),
    ("30 mph", "60 miles per 2 hours"),
    ("25 m^2", "25 square meters"),
    ("25 m²", "25 m2"),
    ("25平方米", "25 m^2"),
    ("90°", "90 degrees"),
    ("90", "90^\\circ"),
    ("2 cups", "2 cups of sugar"),
    ("$15 per hour", "$15/hour"),
    ("3 kg", "3 Kg"),
    ("0 m", "0 km"),
    ("3 km", "three kilometres"),
    ("12 apples", "12"),
    ("12", "12 apples"),
    ("12个", "12个苹果"),
    ("12 apples", "12 red apples"),
    # algebra
    ("2x+3", "2*x + 3"),
    ("2x+3", "3 + x*2"),
    ("2x+3", "2X+3".lower()),
    ("(x+1)(x-1)", "x^2-1"),
    ("x^2 - 1", "(x-1)*(x+1)"),
    ("x/2", "1/2 x"),
    ("x/2", "0.5x"),
    ("x/2", "\\frac{x}{2}"),
    ("x+1", "(x^2-1)/(x-1)"),
    ("x^10", "x^{10}"),
    ("xy", "y*x"),
    ("y = 2x+3", "y = 3 + 2x"),
    ("y = 2x+3", "2x+3"),
    ("2x + y = 3", "y + 2x = 3"),
    ("2x + y = 3", "4x + 2y = 6"),
    # roots and pi
    ("sqrt(12)", "2sqrt(3)"),
    ("sqrt(12)", "2√3"),
    ("sqrt(12)", "\\sqrt{12}"),
    ("sqrt(2)/2", "1/sqrt(2)"),
    ("1/(1+sqrt(2))", "sqrt(2)-1"),
    ("2", "sqrt(4)"),
    ("2", "\\sqrt[3]{8}"),
    ("2", "8^(1/3)"),
    ("sqrt(2)", "2^(1/2)"),
    ("sqrt 8", "square root of 8"),
    ("4pi", "4π"),
    ("4pi", "4\\pi"),
    ("pi/2", "0.5pi"),
    # several values
    ("{1, 2, 3}", "{3,2,1}"),
    ("{1,2}", "1, 2"),
    ("{1,2}", "\\{2, 1\\}"),
    ("1, 2", "1 and 2"),
    ("1, 2", "x = 2 or x = 1"),
    ("x=1 or x=2", "1, 2"),
    ("x = 2, -2", "x=±2"),
    ("±2", "2 or -2"),
    ("(3, 4)", "( 3 , 4 )"),
    ("(3, 4)", "(6/2, 4.0)"),
    ("(3, 4)", "x=3, y=4"),
    ("(3, 4)", "y=4, x=3"),
    ("(3, 4)", "(x, y) = (3, 4)"),
    ("3:4", "3 : 4"),
    ("3:4", "3 to 4"),
    ("3:4", "3比4"),
    ("5 R 2", "5 remainder 2"),
    ("5余2", "5 r 2"),
    ("[2, 5)", "2 <= x < 5"),
    ("x > 3", "3 < x"),
    ("x > 3", "(3, \\infty)"),
    # sentences with one answer
    ("12", "The answer is 12"),
    ("12", "Answer: 12"),
    ("12", "ans = 12"),
    ("12", "I think it's 12"),
    ("12", "It's 12!  I am sure"),
    ("12", "so she has 12 left."),
    ("12", "12, since 3 times 4 is 12"),
    ("12", "12 because 3*4=12"),
    ("12", "3*4 = 12"),
    ("12", "3 * 4 = 12 apples"),
    ("72", "48/2=24, 48+24=72"),
    ("72", "48/2 = 24 so 48 + 24 = 72"),
    ("12", "She has twelve apples."),
    ("12", "it is not 13, it is 12"),
    ("12", "12, not 13"),
    ("12", "12?"),
    ("$12", "She paid $12 in total."),
    ("12", "La respuesta es 12"),
    ("12", "Die Antwort ist 12."),
    ("12", "La réponse est 12."),
    ("12", "答案是12"),
    ("12", "答案是十二。"),
    ("12", "一共12个苹果"),
    ("12", "不是13，是12"),
    ("12", "The answer is $12$."),
    ("12", "**12**"),
    ("12", "\\boxed{12}"),
    ("12", "The answer is \\boxed{12}."),
    ("12", "12 👍"),
    ("12", "12 (twelve)"),
    ("12", "I multiplied 3 and 4 and I got 12"),
    ("12", "You get 12"),
    ("1/2", "一半"),
    ("2.5", "两个半"),
    ("2.5 hours", "两个半小时"),
    ("(2,3)", "2,3"),
    ("2,3", "3,2"),
    ("1000, 2000", "1,000, 2,000"),
    ("2^n", "2**n"),
    ("triangle", "It's a triangle."),
    ("4 cm", "It is 4 centimetres."),
    ("4 cm", "the length is 40 mm"),
    ("4 m/s", "4 ms⁻¹"),
    ("60 mph", "She drove at 60 miles per hour."),
    # words, choices, times
    ("A", "The answer is A"),
    ("5 pm", "17:00"),
    ("no solution", "∅"),
    ("{}", "{}"),
    ("∞", "infinity"),
    ("yes", "Yes."),
    ("B", "b)"),
    ("B", "(B)"),
    ("isosceles", "Isosceles"),
    ("3:45 pm", "15:45"),
    ("3:45 pm", "3:45 PM"),
    ("1.5 hours", "1:30"),
]

DIFFERENT: list[tuple[str, str]] = [
    # complaint 5: a unit on a zero must not hide a wrong value
    ("5", "0 m/A"),
    ("5 m", "0 m/A"),
    ("0 m", "0 kg"),
    ("5", "0"),
    # complaint 8: a mixed number is not its whole part
    ("1", "1 1/4"),
    ("1/4", "1 1/4"),
    ("11/4", "1 1/4"),
    ("3/4", "1 3/4"),
    ("12", "121/2"),
    # superscripts are no digits
    ("52", "5²"),
    ("10", "5²"),
    ("103", "10³"),
    ("21/2", "2½"),
    # hedges, negations, ranges
    ("12", "12 or 13"),
    ("13", "12 or 13"),
    ("12", "either 12 or 13"),
    ("12", "maybe 12, maybe 13"),
    ("12", "12 oder 13"),
    ("12", "12 o 13"),
    ("12", "12 ou 13"),
    ("12", "12或13"),
    ("12", "12或者13"),
    ("12", "twelve or thirteen"),
    ("12", "10, 11, 12, 13"),
    ("12", "11 12 13"),
    ("12", "12 apples and 13 pears"),
    ("12", "12 and 13"),
    ("12", "12; 13"),
    ("12", "12/13"),
    ("12", "It is not 12"),
    ("12", "it isn't 12"),
    ("12", "not 12 but 13"),
    ("12", "12 is wrong"),
    ("12", "definitely not 12."),
    ("12", "不是12"),
    ("12", "不是12，是13"),
    ("12", "No es 12, es 13"),
    ("12", "nicht 12, sondern 13"),
    ("12", "ce n'est pas 12"),
    ("12", "more than 12"),
    ("12", "at least 12"),
    ("12", "less than 12"),
    ("12", "between 11 and 13"),
    ("12", "x > 12"),
    ("12", "x != 12"),
    ("12", "12-13"),
    ("12", "12 to 13"),
    ("12", "12 more than 5"),
    ("0.5", "0.5 or 0.6"),
    ("12", "The answer isn't 12"),
    ("12", "the answer is definitely not 12"),
    ("12", "Anything but 12"),
    ("12", "12 is too big"),
    ("12", "10 or so"),
    ("144", "12 (twelve)"),
    ("12", "12ish"),
    ("12", "without 12"),
    ("4", "quarter to four"),
    ("12", "12 pm"),
    # nothing said
    ("12", ""),
    ("12", "   "),
    ("12", "?"),
    ("12", "..."),
    ("12", "idk"),
    ("12", "I don't know"),
    ("12", "i dont know"),
    ("12", "no idea"),
    ("12", "不知道"),
    ("12", "keine Ahnung"),
    ("0", "I don't know"),
    ("12", "yes"),
    # nearby values
    ("12", "1.2"),
    ("12", "120"),
    ("12", "1 2/3"),
    ("12", "21"),
    ("12", "12.01"),
    ("12", "-12"),
    ("0.5", "0.05"),
    ("0.5", "5%"),
    ("50%", "5%"),
    ("50%", "50"),
    ("1/3", "0.33"),
    ("2/3", "0.67"),
    ("1000000", "1,000"),
    ("1,000", "1"),
    ("1000", "1.000"),
    ("2", "x = 3"),
    ("2", "x = x"),
    ("2", "0 = 0"),
    ("2", "2x"),
    ("x", "1"),
    ("2x+3", "5x"),
    ("2x+3", "2x-3"),
    ("2x", "x^2"),
    ("2x", "2y"),
    ("x=2", "2x=4"),
    ("2", "2x = 4"),
    ("sqrt(8)", "2.83"),
    ("sqrt(8)", "sqrt(6)"),
    ("2*sqrt(2)", "sqrt(2)"),
    ("2pi", "2"),
    ("3", "sqrt(3)"),
    ("3", "2 + sqrt(3)"),
    ("(x+1)^2", "x^2+1"),
    ("13", "3*4"),
    # units
    ("12 km", "12 miles"),
    ("12 km", "12 kg"),
    ("12 km", "12 hours"),
    ("12 cm", "12 cm^2"),
    ("12 cm^2", "12 cm^3"),
    ("12 km/h", "12 km"),
    ("60 km/h", "60 m/s"),
    ("$5", "5 cents"),
    ("$5", "€5"),
    ("$5", "5 euros"),
    ("90 min", "1.5 min"),
    ("90 min", "90 hours"),
    ("1.5 h", "1 h 3 min"),
    ("90°", "90 cm"),
    ("3 kg", "3 g"),
    ("4 cm", "it is 4 meters"),
    ("4 cm", "The length is 4 mm."),
    ("60 mph", "She drove at 60 km per hour."),
    ("$5", "It costs 5 cents"),
    ("12 apples", "It weighs 13 kg"),
    # several values
    ("{1,2}", "{1,2,3}"),
    ("{1,2,3}", "{1,2}"),
    ("1, 2", "1"),
    ("1", "1, 2"),
    ("(1,2)", "(1,3)"),
    ("(1,2)", "(2,1)"),
    ("(3, 4)", "x=4, y=3"),
    ("2", "(1,2)"),
    ("2", "{2,3}"),
    ("3:4", "4:3"),
    ("3:4", "3:5"),
    ("3", "3:4"),
    ("5 R 2", "5 R 3"),
    ("5", "5 R 2"),
    ("[2, 5)", "2 < x < 5"),
    ("[2, 5)", "[2, 5]"),
    ("x > 3", "x < 3"),
    ("x > 3", "x >= 3"),
    ("x > 3", "3"),
    ("y = 2x+3", "y = 3x+2"),
    ("2x + y = 3", "2x + y = 4"),
    # sentences
    ("3", "12 because 3*4 = 12"),
    ("4", "12, because 3*4 = 12"),
    ("24", "48/2=24, 48+24=72"),
    ("13", "The answer is 12."),
    ("12", "The answer is 13."),
    ("12", "The answer is not 12"),
    ("12", "She has 3 apples left"),
    ("B", "C"),
    ("B", "(a)"),
    ("yes", "no"),
    ("3:45 pm", "3:45 am"),
    ("1/2", "1/2/2024"),
    ("1/2", "2024-1-2"),
]

UNREAD: list[tuple[str, str]] = [
    ("3/4", "3 4"),
    ("3.5", "3-1/2"),
    ("2.5", "3-1/2"),
    ("3.5", "3,5"),
    ("12", "12!"),
    ("120", "5!"),
    ("12", "about 12"),
    ("12", "≈12"),
    ("3", "3rd"),
    ("5", "5+x apples"),
    ("5", "x+5 apples"),
    ("0", "none"),
    ("20°C", "20 C"),
    ("90 min", "1:30"),
    ("22/3", "4 10/3"),
    ("12", "3*4 = 13 = 12"),
    ("12", "1\u202e2"),
    ("12", "12\x00"),
    ("12", "12\ud800"),
    ("12", "banana"),
    ("12", "1" * 61),
    ("12", "(" * 21 + "12" + ")" * 21),
    ("12", "1/0"),
    ("12", "12/"),
    ("12", "12+"),
    ("12", "((12)"),
    ("12", "2^41"),
    ("12", "10^10^10"),
    ("12", "__import__('os').getcwd() or 12"),
    ("12", "eval(12)"),
    ("12", "print(12)"),
    ("12", "<b>12</b>"),
    ("12", "\\input{12}"),
    ("12", "\\write18{12}"),
    ("12 apples", "12 oranges"),
]


@pytest.mark.parametrize(("reference", "answer"), EQUAL)
def test_every_form_of_the_value_is_accepted(reference: str, answer: str) -> None:
    assert check_answer(reference, answer).verdict == "equal"


@pytest.mark.parametrize(("reference", "answer"), DIFFERENT)
def test_what_is_not_the_value_is_refused(reference: str, answer: str) -> None:
    assert check_answer(reference, answer).verdict == "not_equal"


@pytest.mark.parametrize(("reference", "answer"), UNREAD)
def test_what_cannot_be_told_is_unread_and_says_why(reference: str, answer: str) -> None:
    verdict = check_answer(reference, answer)
    assert verdict.verdict == "unread"
    assert verdict.reason


POLICIES: list[tuple[dict[str, Any], str, str, str]] = [
    # form: complaint 3, and the reason says that the value is right
    ({"form": "reduced"}, "16/625", "16/625", "equal"),
    ({"form": "reduced"}, "16/625", "80/3125", "not_equal"),
    ({"form": "reduced"}, "1/2", "3/6", "not_equal"),
    ({"form": "reduced"}, "7/2", "3 1/2", "equal"),
    ({"form": "reduced"}, "7/2", "3 2/4", "not_equal"),
    ({"form": "reduced"}, "1/2", "0.5", "not_equal"),
    ({"form": "reduced"}, "-1/2", "-1/2", "equal"),
    ({"form": "reduced"}, "4", "4", "equal"),
    ({"form": "reduced"}, "4", "8/2", "not_equal"),
    ({"form": "reduced"}, "3:4", "6:8", "not_equal"),
    ({"form": "reduced"}, "3:4", "3:4", "equal"),
    ({"form": "mixed"}, "7/2", "3 1/2", "equal"),
    ({"form": "mixed"}, "7/2", "3-1/2", "equal"),
    ({"form": "mixed"}, "7/2", "7/2", "not_equal"),
    ({"form": "mixed"}, "7/2", "3.5", "not_equal"),
    ({"form": "mixed"}, "2/3", "2/3", "equal"),
    ({"form": "mixed"}, "3", "3", "equal"),
    ({"form": "decimal"}, "1/2", "0.5", "equal"),
    ({"form": "decimal"}, "1/2", "1/2", "not_equal"),
    ({"form": "decimal"}, "7/2", "3 1/2", "not_equal"),
    ({"form": "decimal"}, "3", "3", "equal"),
    # units
    ({"units": "required"}, "12 km", "12 km", "equal"),
    ({"units": "required"}, "12 km", "12000 m", "equal"),
    ({"units": "required"}, "12 km", "12", "not_equal"),
    ({"units": "required"}, "12", "12", "equal"),
    ({"units": "required"}, "5 m", "0 m/A", "not_equal"),
    ({"units": "forbidden"}, "12 km", "12", "equal"),
    ({"units": "forbidden"}, "12 km", "12 km", "not_equal"),
    ({"units": "optional"}, "12 km", "12", "equal"),
    ({"units": "optional"}, "12 km", "12 m", "not_equal"),
    # tolerance, converted with the unit (complaint 7) and with the percent sign (complaint 4)
    ({"tolerance": "0.01"}, "1/3", "0.333", "equal"),
    ({"tolerance": "0.0001"}, "1/3", "0.333", "not_equal"),
    ({"tolerance": "0.01"}, "2*pi", "6.28", "equal"),
    ({"tolerance": "0.001"}, "2*pi", "6.28", "not_equal"),
    ({"tolerance": "0.1"}, "12.3 kJ/mol", "12350 J/mol", "equal"),
    ({"tolerance": "0.1"}, "12.3 kJ/mol", "12.35 J/mol", "not_equal"),
    ({"tolerance": "0.1"}, "12.3 kJ/mol", "12500 J/mol", "not_equal"),
    ({"tolerance": "100"}, "12300 J/mol", "12.35 kJ/mol", "equal"),
    ({"tolerance": "1"}, "50%", "51%", "equal"),
    ({"tolerance": "1"}, "50%", "52%", "not_equal"),
    ({"tolerance": "1"}, "50%", "0.505", "equal"),
    ({"tolerance": "1"}, "12", "about 12", "equal"),
    ({"tolerance": "1"}, "12", "12 or 13", "not_equal"),
    ({"tolerance": "1"}, "12 km", "12.5 miles", "not_equal"),
    ({"tolerance": "0.01"}, "sqrt(2)", "1.41", "equal"),
    # locale
    ({"locale": "de"}, "3.5", "3,5", "equal"),
    ({"locale": "de"}, "3,5", "3 1/2", "equal"),
    ({"locale": "de"}, "1000", "1.000", "equal"),
    ({"locale": "de"}, "1", "1.000", "not_equal"),
    ({"locale": "de"}, "1000.5", "1.000,5", "equal"),
    ({"locale": "de"}, "3,5", "3, 5", "not_equal"),
    ({"locale": "de"}, "3,50 €", "3,5 Euro", "equal"),
    ({"locale": "en"}, "1", "1.000", "equal"),
    ({"locale": "en"}, "1000", "1.000", "not_equal"),
    ({"locale": "en"}, "3, 5", "3,5", "equal"),
    # percent
    ({"percent_as": "fraction"}, "50%", "50", "not_equal"),
    ({"percent_as": "fraction"}, "0.5", "50%", "equal"),
    ({"percent_as": "number"}, "50%", "50", "equal"),
    ({"percent_as": "number"}, "50", "50%", "equal"),
    ({"percent_as": "number"}, "50%", "50%", "equal"),
    ({"percent_as": "number"}, "50%", "0.5", "not_equal"),
]


@pytest.mark.parametrize(("settings", "reference", "answer", "verdict"), POLICIES)
def test_the_item_decides_by_its_policy(settings: dict[str, Any], reference: str, answer: str, verdict: str) -> None:
    if "tolerance" in settings:
        settings = {**settings, "tolerance": Fraction(settings["tolerance"])}
    result = check_answer(reference, answer, AnswerPolicy(**settings))
    assert result.verdict == verdict


def test_a_refused_form_says_that_the_value_is_right() -> None:
    assert "value is right" in check_answer("1/2", "3/6", AnswerPolicy(form="reduced")).reason
    assert "add the unit" in check_answer("12 km", "12", AnswerPolicy(units="required")).reason


READINGS = [
    ("3 1/2 km", "3 1/2 km"),
    ("3.50 km", "3.5 km"),
    ("$1,200", "$1,200"),
    ("twelve", "12"),
    ("十二元", "12元"),
    ("50 %", "50%"),
    ("2 sqrt 2", "2*sqrt(2)"),
    ("3+x+x", "2x + 3"),
    ("{2,1}", "{2, 1}"),
    ("12 or 13", "12 or 13"),
    ("x = 7/2", "x = 3 1/2"),
    ("banana!!", "banana"),
    ("((", ""),
]


@pytest.mark.parametrize(("text", "reading"), READINGS)
def test_the_reading_is_shown_in_one_canonical_writing(text: str, reading: str) -> None:
    assert read_answer(text) == reading


def test_two_numbers_side_by_side_are_asked_about() -> None:
    assert check_answer("3/4", "3 4").reason == "I could not read that as a number: did you mean 3/4 or 3 and 4?"


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.data
def test_every_case_of_the_set_comes_out_as_it_says(data_dir: Path) -> None:
    rows = _lines(data_dir / "answer_cases" / "equivalence.jsonl")
    got = {row["name"]: check_answer(row["reference"], row["answer"]).verdict for row in rows}
    assert got == {row["name"]: got[row["name"]] if row["want"] == "policy" else row["want"] for row in rows}


@pytest.mark.data
def test_hostile_answers_are_refused_quickly(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_answer("1", "2")
    for row in _lines(data_dir / "answer_cases" / "hostile.jsonl"):
        started = time.process_time()
        verdict = check_answer(row["reference"], row["answer"]).verdict
        assert time.process_time() - started < 2, row["name"]
        assert verdict != "equal", row["name"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "(" * 399,
        "-" * 399,
        "1" * 400,
        "1+" * 199 + "1",
        "2^" * 40 + "2",
        "(a+b+c+d)^40",
        "(1+sqrt(2)+sqrt(3)+sqrt(5)+sqrt(7))^40",
        "9" * 59 + "^40",
        "sqrt(" * 79 + "2" + ")" * 5,
        "\\frac{1}{" * 40,
        "1, " * 133,
        "1 m" + "*m" * 190,
        "twelve " * 57,
        "十" * 400,
        "1 " * 200,
        "x=" * 199 + "1",
        "1:2" * 130,
        "1/2/" * 99 + "1",
        "or 1 " * 80,
        "$1" * 200,
        "12 km " * 66,
        "a" * 400,
        "不是12，" * 66,
        "((((1+2)*3)^4)/5)" * 20,
        "1.1.1.1." * 50,
        "1,1," * 99,
        "% " * 199,
        "5 feet 6 inches " * 25,
    ],
)
def test_hostile_shapes_do_not_hang_and_never_match(text: str) -> None:
    check_answer("1", "2")
    started = time.process_time()
    verdict = check_answer("7777", text)
    assert time.process_time() - started < 2
    assert verdict.verdict != "equal"
