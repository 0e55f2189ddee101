"""Numerals: one clean writing of digits and signs, decimals of both conventions, and every way to write a value.

Pure tables and functions on exact fractions. Words are in `number_words`, Chinese in `chinese_numerals`; both
readers are reached from here.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

from preceptor.maths.chinese_numerals import read_chinese, write_chinese
from preceptor.maths.number_lexicon import NUMBER_WORDS
from preceptor.maths.number_words import read_number_words

__all__ = [
    "NUMBER_WORDS",
    "format_number",
    "normalise",
    "number_forms",
    "read_chinese",
    "read_decimal",
    "read_number_words",
    "write_chinese",
    "write_english",
]

_SIGNS = {
    **dict.fromkeys("‐‑‒–—―−﹣－⁻₋", "-"),
    **dict.fromkeys("×✕✖⋅∙·∗＊", "*"),
    **dict.fromkeys("÷∕⁄／", "/"),
    **dict.fromkeys("‘’‛′＇", "'"),
    **dict.fromkeys("“”„‟″＂", '"'),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u061c", ""),
    "٫": ".",
    "٬": ",",
    "،": ",",
    "؛": ";",
    "٪": "%",
    "∶": ":",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "√": "sqrt",
    "−": "-",
}


def normalise(text: str) -> str:
    """Return a text with one writing for each digit and sign; words, case and line breaks are kept.

    Superscripts become `^2` and vulgar fractions ` 1/2` BEFORE NFKC, which would turn 5² into 52 and 2½ into
    21/2. Then full-width forms, Arabic-Indic and other decimal digits, all dashes, × · ÷ and quotes become
    ASCII; zero-width characters go. Bidirectional overrides stay, for the caller to refuse.
    """
    pieces: list[str] = []
    in_superscript = False
    for char in text:
        decomposition = unicodedata.decomposition(char) if char > "\x7f" else ""
        superscript = _superscript(decomposition)
        if superscript:
            pieces.append(superscript if in_superscript else "^" + superscript)
            in_superscript = True
            continue
        in_superscript = False
        if decomposition.startswith("<fraction>"):
            pieces.append(_vulgar(decomposition, after_digit=bool(pieces) and pieces[-1][-1:].isdigit()))
        else:
            pieces.append(_SIGNS.get(char, char))
    text = unicodedata.normalize("NFKC", "".join(pieces))
    return "".join(_SIGNS.get(char, _ascii_digit(char)) for char in text)


def _superscript(decomposition: str) -> str:
    if not decomposition.startswith("<super>"):
        return ""
    char = chr(int(decomposition.split()[1], 16))
    return {"−": "-"}.get(char, char) if char.isdigit() or char in "+-−n" else ""


def _vulgar(decomposition: str, *, after_digit: bool) -> str:
    written = "".join(chr(int(code, 16)) for code in decomposition.split()[1:]).replace("⁄", "/")
    return (" " if after_digit else "") + written


def _ascii_digit(char: str) -> str:
    if char > "\x7f" and unicodedata.category(char) == "Nd":
        return str(unicodedata.decimal(char))
    return char


_MAX_DIGITS = 60
_POINT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:[ \u00a0\u202f']\d{3})+|\d+)?(?:\.\d*)?")
_COMMA = re.compile(r"(?:\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[ \u00a0\u202f']\d{3})+|\d+)?(?:,\d*)?")
_COMMA_LOCALES = {"de", "es", "fr", "it", "pt", "nl", "pl", "ru"}


def read_decimal(text: str, locale: str = "en") -> Fraction | None:
    """Return the value of an unsigned number in digits, as a whole text, else `None`.

    Args:
        text: Already normalised. Groups of three may be parted by the locale's mark, a space or an apostrophe;
            the Indian 1,00,000 is read too. ".5" and "5." are read, "." is not. At most 60 digits.
        locale: `en`, `zh` and others: 1,000.5; `de`, `es`, `fr` …: 1.000,5. A writing that only the other
            convention allows ("1.000,5" in `en`) is read by that one; "3,5" in `en` is a pair, not a number,
            and "1.000" is 1 in `en` and 1000 in `de`.
    """
    if sum(char.isdigit() for char in text) > _MAX_DIGITS or not any(char.isdigit() for char in text):
        return None
    comma_first = locale[:2] in _COMMA_LOCALES
    for pattern, decimal in ((_COMMA, ","), (_POINT, ".")) if comma_first else ((_POINT, "."), (_COMMA, ",")):
        if not pattern.fullmatch(text):
            continue
        if not comma_first and decimal == "," and "." not in text and " " not in text and "'" not in text:
            return None
        whole, _, part = text.partition(decimal)
        return Fraction((re.sub(r"[^0-9]", "", whole) or "0") + "." + (part or "0"))
    return None


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_FRACTION_NAMES = {
    2: ("half", "halves"),
    3: ("third", "thirds"),
    4: ("quarter", "quarters"),
    5: ("fifth", "fifths"),
    6: ("sixth", "sixths"),
    7: ("seventh", "sevenths"),
    8: ("eighth", "eighths"),
    9: ("ninth", "ninths"),
    10: ("tenth", "tenths"),
    12: ("twelfth", "twelfths"),
}


def write_english(value: int) -> str:
    """Return a whole number below 10^15 in words: 205 is "two hundred and five", 21 is "twenty-one"."""
    if value < 0:
        return "minus " + write_english(-value)
    if value < 20:
        return _SMALL[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_SMALL[value % 10]}" if value % 10 else "")
    if value < 1000:
        rest = f" and {write_english(value % 100)}" if value % 100 else ""
        return f"{_SMALL[value // 100]} hundred{rest}"
    for scale, name in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if value >= 1000 * scale:
            break
        if value >= scale:
            remainder = value % scale
            join = " and " if 0 < remainder < 100 else " "
            tail = join + write_english(remainder) if remainder else ""
            return f"{write_english(value // scale)} {name}{tail}"
    raise ValueError(f"value must be below 10^15, got {value}")


def decimal_places(value: Fraction) -> int | None:
    """Return how many decimal places write a value exactly; `None`: no finite number does."""
    below, places = value.denominator, 0
    while below % 10 == 0:
        below, places = below // 10, places + 1
    while below % 5 == 0:
        below, places = below // 5, places + 1
    while below % 2 == 0:
        below, places = below // 2, places + 1
    return places if below == 1 else None


def _decimal_text(value: Fraction, places: int) -> str:
    digits = str(abs(value) * 10**places).rjust(places + 1, "0")
    cut = len(digits) - places
    return ("-" if value < 0 else "") + digits[:cut] + ("." + digits[cut:] if places else "")


def _grouped(digits: str, mark: str) -> str:
    sign = "-" if digits.startswith("-") else ""
    whole, point, part = digits.removeprefix("-").partition(".")
    groups: list[str] = []
    while len(whole) > 3:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    return sign + mark.join([whole, *groups]) + point + part


def mixed_text(value: Fraction) -> str:
    """Return "3 1/2", "-3 1/2", "3/4" or "12"."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    whole, rest = divmod(size.numerator, size.denominator)
    if rest == 0:
        return f"{sign}{whole}"
    part = f"{rest}/{size.denominator}"
    return f"{sign}{whole} {part}" if whole else sign + part


def format_number(value: Fraction, language: str = "en", *, as_fraction: bool = False) -> str:
    """Return a value as a learner reads it: "1,200", "0.75"; "3 1/3" where no short decimal is exact.

    Args:
        value: Exact.
        language: BCP 47 tag; its decimal comma and group mark are used ("1.200,5" in German).
        as_fraction: Write "3 1/2" where the decimal "3.5" would be exact too.
    """
    places = decimal_places(value)
    if (as_fraction and value.denominator != 1) or places is None or places > 6:
        return mixed_text(value)
    written = _grouped(_decimal_text(value, places), ",")
    if language[:2] in _COMMA_LOCALES:
        return written.translate({ord(","): ".", ord("."): ","})
    return written


def number_forms(value: Fraction) -> tuple[str, ...]:
    """Return every usual writing of a value, without repeats, plainest first.

    Digits, with group marks, decimal where finite (also money's two places), fraction, mixed number, percent of
    a proper fraction, and words in English and Chinese. A reader of text compares after `normalise`, casefolded.
    """
    forms: list[str] = []
    places = decimal_places(value)
    if places is not None and places <= 12:
        plain = _decimal_text(value, places)
        forms += [plain, _grouped(plain, ","), _grouped(plain, " ")]
        if places in (0, 1):
            padded = _decimal_text(value, places).partition(".")
            money = f"{padded[0]}.{padded[2].ljust(2, '0')}"
            forms += [money, _grouped(money, ",")]
        if plain.startswith("0."):
            forms.append(plain[1:])
    if value.denominator != 1:
        forms += [f"{value.numerator}/{value.denominator}", mixed_text(value), *_fraction_words(value)]
        percent = decimal_places(value * 100)
        if 0 < abs(value) < 1 and percent is not None and percent <= 2:
            forms.append(_decimal_text(value * 100, percent) + "%")
    elif abs(value) < 10**12:
        forms += [*_english_forms(int(value)), write_chinese(int(value))]
        if abs(value) == 2:
            forms.append(write_chinese(int(value)).replace("二", "两"))
    return tuple(dict.fromkeys(forms))


def _english_forms(value: int) -> list[str]:
    words = write_english(value)
    spaced = words.replace("-", " ")
    forms = [words, spaced, words.replace(" and ", " "), spaced.replace(" and ", " ")]
    if value == 12:
        forms.append("a dozen")
    return forms


def _fraction_words(value: Fraction) -> list[str]:
    size = abs(value)
    whole, above = divmod(size.numerator, size.denominator)
    below, sign = size.denominator, ("minus " if value < 0 else "")
    forms: list[str] = []
    if below in _FRACTION_NAMES and whole < 10**12:
        one, many = _FRACTION_NAMES[below]
        parts = [f"{_SMALL[above]} {many}"] if above > 1 else [f"a {one}", f"one {one}"]
        if below == 4:
            parts += [part.replace("quarter", "fourth") for part in parts]
        forms += [f"{sign}{write_english(whole)} and {part}" if whole else sign + part for part in parts]
    if below < 10**6 and whole < 10**6:
        part = f"{write_chinese(below)}分之{write_chinese(above)}"
        head = f"{write_chinese(whole)}又" if whole else ""
        forms.append(("负" if value < 0 else "") + head + part)
    return forms
