"""Numerals: digits of every script, number words, Chinese numerals, and every way to write a value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.maths.numerals import (
    format_number,
    normalise,
    number_forms,
    read_chinese,
    read_decimal,
    read_number_words,
    write_chinese,
    write_english,
)

WORDS: list[tuple[str, str, str, int]] = [
    ("en", "twelve", "12", 1),
    ("en", "two hundred and five", "205", 4),
    ("en", "Two Hundred Five", "205", 3),
    ("en", "three and a half", "7/2", 4),
    ("en", "twelve and three quarters", "51/4", 4),
    ("en", "a dozen eggs", "12", 2),
    ("en", "half a dozen", "6", 3),
    ("en", "half", "1/2", 1),
    ("en", "a third of it", "1/3", 2),
    ("en", "three-fourths", "3/4", 1),
    ("en", "twenty-five apples", "25", 1),
    ("en", "one two", "1", 1),
    ("en", "twenty and five", "20", 1),
    ("en", "2 million", "2000000", 2),
    ("en", "2 and a half", "5/2", 4),
    ("en", "zero point two five", "1/4", 4),
    ("en", "one thousand two hundred thirty four", "1234", 6),
    ("en", "fifteen hundred", "1500", 2),
    ("en", "one hundred and two sevenths", "702/7", 5),
    ("en", "one hundred and twenty-one hundredths", "10021/100", 5),
    ("en", "one hundred two sevenths", "102/7", 4),
    ("es", "doscientos cinco", "205", 2),
    ("es", "treinta y dos", "32", 3),
    ("es", "veintidós", "22", 1),
    ("es", "dos mil quinientos", "2500", 3),
    ("es", "tres y medio", "7/2", 3),
    ("es", "tres cuartos", "3/4", 2),
    ("fr", "quatre-vingt-dix-sept", "97", 1),
    ("fr", "soixante et onze", "71", 3),
    ("fr", "quatre cent vingt", "420", 3),
    ("fr", "mille neuf cent quatre-vingt-quatre", "1984", 4),
    ("fr", "deux et demi", "5/2", 3),
    ("de", "fünfundzwanzig", "25", 1),
    ("de", "eintausendzweihundertvierunddreißig", "1234", 1),
    ("de", "dreieinhalb", "7/2", 1),
    ("de", "drei Viertel", "3/4", 2),
    ("ar", "مئتان وخمسة", "205", 2),
    ("ar", "خمسة وعشرون", "25", 2),
    ("ar", "ثلاثة عشر", "13", 2),
    ("ar", "ثلاثمئة", "300", 1),
    ("ar", "نصف", "1/2", 1),
]


@pytest.mark.parametrize(("language", "text", "value", "n_words"), WORDS)
def test_number_words_are_read(language: str, text: str, value: str, n_words: int) -> None:
    assert read_number_words(text.split(), language) == (Fraction(value), n_words)


@pytest.mark.parametrize("text", ["third", "double", "once", "a", "an apple", "12", "and", "", "apples"])
def test_words_that_are_no_number_are_not_read(text: str) -> None:
    assert read_number_words(text.split()) is None


CHINESE = [
    ("十二", "12"),
    ("三百零五", "305"),
    ("两", "2"),
    ("半", "1/2"),
    ("2万", "20000"),
    ("3.5万", "35000"),
    ("一万二千三百四十五", "12345"),
    ("一亿零三", "100000003"),
    ("一万二", "12000"),
    ("两百五", "250"),
    ("一千零五十", "1050"),
    ("三点五", "7/2"),
    ("三分之二", "2/3"),
    ("百分之五十", "1/2"),
    ("百分之50", "1/2"),
    ("一又二分之一", "3/2"),
    ("负三", "-3"),
    ("二零二六", "2026"),
]


@pytest.mark.parametrize(("text", "value"), CHINESE)
def test_chinese_numerals_are_read(text: str, value: str) -> None:
    assert read_chinese(text) == Fraction(value)


@pytest.mark.parametrize("text", ["三个", "五十十", "万", "百", "分之二", "点五点", "", "三分之零分之二"])
def test_what_is_no_chinese_numeral_is_not_read(text: str) -> None:
    assert read_chinese(text) is None


DECIMALS: list[tuple[str, str, str | None]] = [
    ("1,200", "en", "1200"),
    ("1 000 000", "en", "1000000"),
    ("1,00,000", "en", "100000"),
    (".625", "en", "5/8"),
    ("12.0", "en", "12"),
    ("1.000,5", "en", "2001/2"),
    ("1,000.5", "de", "2001/2"),
    ("3,5", "en", None),
    ("3,5", "de", "7/2"),
    ("1.000", "en", "1"),
    ("1.000", "de", "1000"),
    ("12,34", "en", None),
    (".", "en", None),
    ("1" * 61, "en", None),
]


@pytest.mark.parametrize(("text", "locale", "value"), DECIMALS)
def test_decimals_follow_the_locale(text: str, locale: str, value: str | None) -> None:
    assert read_decimal(text, locale) == (None if value is None else Fraction(value))


CLEAN = [
    ("5²", "5^2"),
    ("10⁻³", "10^-3"),
    ("x¹²", "x^12"),
    ("2½", "2 1/2"),
    ("½", "1/2"),
    ("－３．５", "-3.5"),
    ("٣٫٥", "3.5"),
    ("−5", "-5"),
    ("3×10³", "3*10^3"),
    ("6÷2", "6/2"),
    ("1\u200b2", "12"),
    ("℃", "°C"),
]


@pytest.mark.parametrize(("text", "clean"), CLEAN)
def test_digits_and_signs_get_one_writing(text: str, clean: str) -> None:
    assert normalise(text) == clean


def test_numbers_are_written_for_the_reader() -> None:
    assert format_number(Fraction(1200)) == "1,200"
    assert format_number(Fraction(3, 4)) == "0.75"
    assert format_number(Fraction(10, 3)) == "3 1/3"
    assert format_number(Fraction(-7, 2), as_fraction=True) == "-3 1/2"
    assert format_number(Fraction(2401, 2), "de") == "1.200,5"


def test_forms_of_a_value_cover_digits_fractions_and_words() -> None:
    assert {"1200", "1,200", "one thousand two hundred", "一千二百"} <= set(number_forms(Fraction(1200)))
    assert {"3.5", "7/2", "3 1/2", "three and a half"} <= set(number_forms(Fraction(7, 2)))
    assert {"0.75", ".75", "3/4", "75%", "three quarters", "四分之三"} <= set(number_forms(Fraction(3, 4)))


@given(st.integers(min_value=0, max_value=10**11))
@settings(deadline=None)
def test_words_and_chinese_are_read_back(value: int) -> None:
    words = write_english(value).split()
    assert read_number_words(words) == (Fraction(value), len(words))
    assert read_chinese(write_chinese(value)) == value


@given(st.text(max_size=60))
@settings(deadline=None)
def test_no_text_breaks_a_reader(text: str) -> None:
    clean = normalise(text)
    read_chinese(clean)
    read_decimal(clean)
    for language in ("en", "es", "fr", "de", "ar"):
        read_number_words(clean.split(), language)
