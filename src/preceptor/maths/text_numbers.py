"""Numbers in free text, exact, with their place, unit and counted noun: digits, words, percents, money, times.

Reading only: nothing is computed here but the value of each number itself. Every language of `numerals`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd

from preceptor.maths.chinese_numerals import CHARACTERS, read_chinese
from preceptor.maths.clean_text import CleanText, clean
from preceptor.maths.number_lexicon import NUMBER_WORDS
from preceptor.maths.number_names import WORDS_AFTER, NumberKind, noun_after, unit_after
from preceptor.maths.number_words import read_number_words
from preceptor.maths.numerals import read_decimal
from preceptor.maths.units import find_unit


@dataclass(frozen=True, kw_only=True, slots=True)
class TextNumber:
    """One number in a text."""

    value: Fraction
    """Exact. A percent is its hundredth; a time of day is in hours (9:30 is 19/2)."""
    start: int
    end: int
    """Span in the text, end exclusive, with currency sign or percent mark, without unit and noun."""
    text: str
    kind: NumberKind = "number"
    """`multiplier`: "twice", "double"; `ordinal`: "3rd", "fifth", found only where asked for."""
    unit: str | None = None
    """Symbol of `units.find_unit`: "km", "$", "%"."""
    noun: str | None = None
    """The counted thing after the number, singular, lower case."""
    is_word: bool = False
    places: int = 0
    """Decimal places as printed; 2 for "3.50"."""
    fraction: bool = False
    """Written with a fraction bar or fraction words."""

    @property
    def percent(self) -> bool:
        """Whether it is written as a percent."""
        return self.kind == "percent"

    @property
    def money(self) -> bool:
        """Whether it is written as an amount of money."""
        return self.kind == "money"

    @property
    def face(self) -> Fraction:
        """The value as printed: 20 for "20%"."""
        return self.value * 100 if self.percent else self.value


_POINT = (
    r"(?:\d{1,3}(?: 000)+(?!\d|[.,]\d)|(?<=[$€£])\d{1,3}(?: \d{3})+(?!\d|[.,]\d)"
    r"|\d{1,3}(?:,\d{3})+(?![\d,]\d)(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\d\w])\.\d+)"
)
_COMMA = r"(?:\d{1,3}(?:[.,]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_COMMA_LANGUAGES = frozenset({"es", "fr", "de"})
_CURRENCY = r"(?:US|A|C)?\$|€|£|¥|₹|Rs\.?(?=\s?\d)"


@lru_cache(maxsize=8)
def _scanner(language: str) -> re.Pattern[str]:
    number = _COMMA if language in _COMMA_LANGUAGES else _POINT
    cjk = rf"|(?P<cjk>[{CHARACTERS}]+(?:分之[{CHARACTERS}\d]+)?|百分之\d+(?:\.\d+)?)" if language == "zh" else ""
    letter = "[A-Za-z]" if language == "zh" else r"[^\W\d_]"
    return re.compile(
        rf"(?P<time>\b(?:[01]?\d|2[0-4]):[0-5]\d\b(?!\s?\(|[*/=+x-]))"
        rf"|(?:(?P<cur>{_CURRENCY})\s?)?(?P<num>{number})"
        rf"(?P<ord>(?:st|nd|rd|th)\b)?"
        rf"(?P<frac>\s\d+/\d+(?![\d/.])|/\d+(?![\d/.]))?"
        rf"(?P<pct>\s?%|\s?(?:percent|per cent|por ciento|pour cent|Prozent|بالمئة|بالمائة)\b)?{cjk}"
        rf"|(?P<word>{letter}+(?:-{letter}+)*)"
    )


_MULTIPLIERS: dict[str, dict[str, int]] = {
    "en": {
        "twice": 2,
        "double": 2,
        "doubled": 2,
        "doubles": 2,
        "doubling": 2,
        "thrice": 3,
        "triple": 3,
        "tripled": 3,
        "triples": 3,
        "tripling": 3,
        "quadruple": 4,
        "quadrupled": 4,
        "quadruples": 4,
    },
    "es": {"doble": 2, "duplica": 2, "triple": 3, "cuádruple": 4},
    "fr": {"double": 2, "triple": 3, "quadruple": 4},
    "de": {"doppelt": 2, "doppelte": 2, "doppelten": 2, "dreifache": 3, "verdoppelt": 2, "verdreifacht": 3},
    "ar": {"ضعف": 2, "ضعفي": 2, "ضعفا": 2},
}
_ORDINALS = {
    name: place
    for place, name in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)
}
_PRONOUN_BEFORE = frozenset(
    """
    this that which each every no any another the other first second third last next wrong right nice good great easy
    hard
    """.split()
)
_PRONOUN_AFTER = frozenset("of another by thing way".split())
_ZH_NO_NUMBER = ("一样", "一起", "一共", "一些", "一定", "一下", "一直", "一般", "十分", "万一", "一旦", "一边", "第")
_MAX_DIGITS = 60


def find_numbers(text: str, language: str = "en", *, ordinals: bool = False) -> tuple[TextNumber, ...]:
    """Return the numbers of a text in reading order.

    Args:
        text: Free text; at most its first 20,000 characters are read.
        language: Tag whose first two letters choose number words and the decimal mark (en, es, fr, de, ar, zh).
        ordinals: Also return "3rd" and "fifth".

    A hyphen before a number is never part of it. "a/b" without spaces is one fraction where it is proper or in
    lowest terms with a small denominator, else two numbers. "one" as a pronoun is left out.
    """
    return _numbers_of(text[:20_000], language, ordinals)


@lru_cache(maxsize=256)
def _numbers_of(text: str, language: str, ordinals: bool) -> tuple[TextNumber, ...]:
    """Return the numbers of a text; a problem's are asked for ten times a turn."""
    cleaned = clean(text)
    found = scan_numbers(cleaned, language)
    return tuple(_moved(number, cleaned, text) for number in found if ordinals or number.kind != "ordinal")


def _moved(number: TextNumber, cleaned: CleanText, text: str) -> TextNumber:
    if isinstance(cleaned.offsets, range):
        return number
    start, end = cleaned.span(number.start, number.end)
    return TextNumber(
        value=number.value,
        start=start,
        end=end,
        text=text[start:end],
        kind=number.kind,
        unit=number.unit,
        noun=number.noun,
        is_word=number.is_word,
        places=number.places,
        fraction=number.fraction,
    )


def scan_numbers(
    cleaned: CleanText, language: str, *, join_fractions: bool = True, limit: int = 2_000
) -> list[TextNumber]:
    """Return the numbers of a cleaned text, ordinals too, with spans in the CLEANED text.

    Args:
        cleaned: What `clean` gives.
        language: As `find_numbers`.
        limit: Stop after so many numbers.
        join_fractions: Read "3/4" and "4 dozen" as one number; otherwise bar and dozen are left to the caller.
    """
    language = language[:2].lower()
    text = cleaned.text
    scanner = _scanner(language)
    known = NUMBER_WORDS.get(language, NUMBER_WORDS["en"])
    telling = _telling_words(language)
    numbers: list[TextNumber] = []
    place = 0
    while True:
        match = scanner.search(text, place)
        if match is None or len(numbers) == limit:
            return numbers
        place = match.end()
        word = match["word"]
        if word is not None:
            lower = word.lower()
            if telling is not None and lower not in telling and "-" not in lower:
                continue
            if not join_fractions and lower.startswith("dozen") and numbers and numbers[-1].end == match.start() - 1:
                continue
            if lower in {"a", "an"} and _next_word(text, place) not in known:
                continue
            number = _from_words(text, match, language, known)
        elif match["time"] is not None:
            number = _time(text, match)
        elif match["num"] is not None:
            number = _from_digits(text, match, language, join_fractions)
        else:
            number = _from_chinese(text, match)
        if number is not None:
            numbers.append(number)
            place = max(number.end, match.start() + 1)


@lru_cache(maxsize=8)
def _telling_words(language: str) -> frozenset[str] | None:
    """Return every word that can begin a number; `None` where a number can be part of a longer word."""
    if language in {"de", "ar", "es", "fr"}:
        return None
    words = NUMBER_WORDS.get(language, NUMBER_WORDS["en"])
    return words | _MULTIPLIERS.get(language, _MULTIPLIERS["en"]).keys() | _ORDINALS.keys() | {"a", "an"}


def _next_word(text: str, place: int) -> str:
    following = WORDS_AFTER.match(text, place)
    return following.group(1).lower() if following else ""


def _time(text: str, match: re.Match[str]) -> TextNumber:
    hours, minutes = match["time"].split(":")
    value = Fraction(int(hours)) + Fraction(int(minutes), 60)
    return TextNumber(value=value, start=match.start(), end=match.end(), text=match.group(0), kind="time")


def _from_digits(text: str, match: re.Match[str], language: str, join: bool) -> TextNumber | None:
    written = match["num"]
    start = match.start("cur") if match["cur"] else match.start("num")
    if sum(char.isdigit() for char in written) > _MAX_DIGITS:
        return None
    value = read_decimal(written, language)
    if value is None or re.search(r"[^\W\d_]{2}\^$", text[max(0, start - 3) : start]):
        return None
    mark = "," if language in _COMMA_LANGUAGES and "," in written else "."
    places = len(written.rpartition(mark)[2]) if mark in written and value.denominator != 1 else 0
    if places == 0 and re.search(r"\.\d{1,2}$", written):
        places = len(written.rpartition(".")[2])
    if match["ord"]:
        return TextNumber(value=value, start=start, end=match.end("ord"), text=match.group(0), kind="ordinal")
    end, fraction = match.end("num"), False
    if match["frac"]:
        joined = _fraction(value, match["frac"], join and text[max(0, start - 1) : start] not in {"/", "*"})
        if joined is not None:
            value, end, fraction = joined, match.end("frac"), True
    if not fraction and not match["cur"]:
        scaled = _scaled(text, match, language, dozens=join)
        if scaled is not None:
            value, end = scaled
    if match["pct"] and (not match["frac"] or fraction):
        end = match.end("pct")
        text_of = text[start:end]
        noun = noun_after(text, end)
        return TextNumber(
            value=value / 100, start=start, end=end, text=text_of, kind="percent", unit="%", noun=noun, places=places
        )
    if match["cur"]:
        scaled = _scaled(text, match, language) if not fraction else None
        value, end = scaled or (value, end)
        unit = find_unit(match["cur"].rstrip(".").lstrip("USAC")) if "$" in match["cur"] else find_unit(match["cur"])
        symbol = unit.symbol if unit else match["cur"]
        return TextNumber(
            value=value, start=start, end=end, text=text[start:end], kind="money", unit=symbol, places=places
        )
    return _with_unit(text, start, end, value, is_word=False, places=places, fraction=fraction)


def _scaled(text: str, match: re.Match[str], language: str, *, dozens: bool = True) -> tuple[Fraction, int] | None:
    """Read a scale word after digits: "2 million", "3 dozen", "5万"."""
    end = match.end("num")
    following = WORDS_AFTER.match(text, end)
    if following and text[end : end + 1] == " " and (dozens or not following.group(1).lower().startswith("dozen")):
        read = read_number_words([match["num"], following.group(1)], language)
        shrinks = read is not None and read[0] < Fraction(re.sub(r"\D", "", match["num"]) or 0)
        if read is not None and read[1] == 2 and not (shrinks and read[0] >= 1):
            return read[0], following.end()
    if text[end : end + 1] in {"万", "亿", "千"} and text[end + 1 : end + 2] not in {"克", "米", "瓦"}:
        read_value = read_chinese(match["num"] + text[end])
        if read_value is not None:
            return read_value, end + 1
    return None


def _fraction(whole: Fraction, written: str, join: bool) -> Fraction | None:
    """Read " 1/2" after a whole number, or "/4" as the rest of a fraction; `None`: it is a division."""
    if len(written) > 24:
        return None
    if written[0] == "/":
        below = int(written[1:])
        if not join or below == 0 or whole.denominator != 1:
            return None
        above = whole.numerator
        proper = 0 < above < below
        return Fraction(above, below) if proper or (below <= 12 and gcd(above, below) == 1 and below > 1) else None
    above_text, _, below_text = written.strip().partition("/")
    above, below = int(above_text), int(below_text)
    if whole.denominator != 1 or not 0 < above < below or below > 64:
        return None
    return whole + Fraction(above, below)


def _from_words(text: str, match: re.Match[str], language: str, known: frozenset[str]) -> TextNumber | None:
    word = match["word"].casefold()
    multiple = _MULTIPLIERS.get(language, _MULTIPLIERS["en"]).get(word)
    start, end = match.span("word")
    if multiple is not None:
        return TextNumber(value=Fraction(multiple), start=start, end=end, text=word, kind="multiplier", is_word=True)
    if not _may_be_number(word, language, known):
        return None
    words: list[str] = []
    ends: list[int] = []
    place = start
    while len(words) < 12:
        following = WORDS_AFTER.match(text, place) if words else match
        if following is None:
            break
        piece = following["word"] if not words else following.group(1)
        if words and not text[place : place + 1].isspace() and text[place : place + 1] != "-":
            break
        words.append(piece)
        place = following.end("word") if len(words) == 1 else following.end()
        ends.append(place)
    read = read_number_words(words, language)
    if read is None:
        if language == "en" and word in _ORDINALS:
            value = Fraction(_ORDINALS[word])
            return TextNumber(value=value, start=start, end=end, text=word, kind="ordinal", is_word=True)
        return None
    value, count = read
    if count == 1 and word in {"one", "uno", "un", "una", "une", "ein", "eine", "eins"}:
        if _is_pronoun(text, start, ends[0], word):
            return None
    return _with_unit(text, start, ends[count - 1], value, is_word=True, fraction=value.denominator != 1)


def _may_be_number(word: str, language: str, known: frozenset[str]) -> bool:
    if word in known or word in {"a", "an"}:
        return True
    if language == "de":
        return len(word) > 5 and any(piece in word for piece in ("zehn", "zig", "hundert", "tausend", "halb", "und"))
    if language in {"es", "fr", "ar"}:
        return True
    return "-" in word and word.split("-")[0] in known


def _is_pronoun(text: str, start: int, end: int, word: str) -> bool:
    if word != "one":
        return word in {"un", "una", "une", "ein", "eine"}
    before = re.search(r"([A-Za-z]+)\s*$", text[max(0, start - 20) : start])
    after = WORDS_AFTER.match(text, end)
    return bool(
        (before and before.group(1).casefold() in _PRONOUN_BEFORE)
        or (after and after.group(1).casefold() in _PRONOUN_AFTER)
    )


def _from_chinese(text: str, match: re.Match[str]) -> TextNumber | None:
    start, end = match.span("cjk")
    if any(text.startswith(word, start) for word in _ZH_NO_NUMBER[:-1]) and end - start <= 1:
        return None
    ordinal = text[start - 1 : start] == "第"
    while end > start:
        value = read_chinese(text[start:end])
        if value is not None:
            if ordinal:
                return TextNumber(value=value, start=start, end=end, text=text[start:end], kind="ordinal", is_word=True)
            return _with_unit(text, start, end, value, is_word=True, fraction=value.denominator != 1)
        end -= 1
    return None


def _with_unit(
    text: str, start: int, end: int, value: Fraction, *, is_word: bool, places: int = 0, fraction: bool = False
) -> TextNumber:
    """Return the number with the unit or noun that follows it."""
    symbol, kind = unit_after(text, end)
    noun = None if symbol or kind == "time" else noun_after(text, end)
    return TextNumber(
        value=value,
        start=start,
        end=end,
        text=text[start:end],
        kind=kind,
        unit=symbol,
        noun=noun,
        is_word=is_word,
        places=places,
        fraction=fraction,
    )
