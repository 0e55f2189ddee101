"""Chinese numerals, read and written: 十二, 三百零五, 2万, 三点五, 三分之二, 百分之五十, 一又二分之一, 半."""

from __future__ import annotations

import re
from fractions import Fraction

DIGITS: dict[str, int] = {
    **{char: value for value, char in enumerate("零一二三四五六七八九")},
    **{char: value for value, char in enumerate("零壹贰叁肆伍陆柒捌玖")},
    **{char: value for value, char in enumerate("零壹貳參肆伍陸柒捌玖")},
    "〇": 0,
    "两": 2,
    "兩": 2,
    "俩": 2,
}
SMALL_UNITS: dict[str, int] = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
LARGE_UNITS: dict[str, int] = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
CHARACTERS = "".join(dict.fromkeys([*DIGITS, *SMALL_UNITS, *LARGE_UNITS])) + "半点點又负負廿"
"""Every character a Chinese numeral may hold, beside 分之 and ASCII digits."""

_ASCII = re.compile(r"\d{1,60}(?:\.\d{1,60})?")
_LONGEST = 40
_PARTS = {"百": 100, "千": 1000, "万": 10**4}
"""Denominators said without 一: 百分之五十."""


def read_chinese(text: str) -> Fraction | None:
    """Return the value of a text that is one Chinese numeral as a whole, else `None`.

    ASCII digits may stand for any part (3万, 百分之50, 5分之3). 半 and 一半 are 1/2. A last digit that no 零
    sets apart counts in the next lower unit, as in speech: 两百五 is 250, 一万二 is 12,000.
    """
    text = text.replace(" ", "")
    if not text or len(text) > _LONGEST:
        return None
    if text[0] in "负負":
        value = read_chinese(text[1:])
        return None if value is None or value < 0 else -value
    if "分之" in text:
        return _read_fraction(text)
    if text in {"半", "一半"}:
        return Fraction(1, 2)
    if "点" in text or "點" in text:
        return _read_point(text.replace("點", "点"))
    return _read_whole(text)


def _read_fraction(text: str) -> Fraction | None:
    whole_text, joined, rest = text.rpartition("又")
    whole = read_chinese(whole_text) if joined else Fraction(0)
    below_text, _, above_text = rest.partition("分之")
    below = Fraction(_PARTS[below_text]) if below_text in _PARTS else read_chinese(below_text)
    above = read_chinese(above_text) if "分之" not in above_text else None
    if whole is None or below is None or above is None or below <= 0 or above < 0:
        return None
    if joined and (above >= below or whole.denominator != 1):
        return None
    return whole + above / below


def _read_point(text: str) -> Fraction | None:
    before, _, after = text.partition("点")
    whole = _read_whole(before)
    digits = [DIGITS.get(char, int(char) if char.isascii() and char.isdigit() else None) for char in after]
    if whole is None or not digits or any(digit is None for digit in digits):
        return None
    return whole + Fraction(int("".join(str(digit) for digit in digits)), 10 ** len(digits))


def _read_whole(text: str) -> Fraction | None:
    """Read sections from the largest unit down: (section)亿(section)万(section)."""
    text = text.replace("廿", "二十")
    total = Fraction(0)
    for char_pair, factor in (("亿億", 10**8), ("万萬", 10**4)):
        cut = max(text.rfind(char) for char in char_pair)
        if cut >= 0:
            section = _read_whole(text[:cut])
            if section is None or section == 0:
                return None
            total += section * factor
            text = text[cut + 1 :]
            if not text:
                return total
            if len(text) == 1 and text in DIGITS and text not in "零〇":
                return total + Fraction(DIGITS[text] * factor, 10)
    section = _read_section(text, inside=total > 0)
    return None if section is None else total + section


def _read_section(text: str, *, inside: bool) -> Fraction | None:
    """Read a value below 10,000; a bare run of digits (二零二六) is read digit by digit."""
    if _ASCII.fullmatch(text):
        return Fraction(text)
    if not text or any(char not in DIGITS and char not in SMALL_UNITS for char in text):
        return None
    if all(char in DIGITS for char in text):
        if inside:
            text = text.lstrip("零〇")
            return Fraction(DIGITS[text]) if len(text) == 1 else None
        if len(text) > 1 and any(char in "两兩俩" for char in text):
            return None
        return Fraction(int("".join(str(DIGITS[char]) for char in text)))
    value, digit, ceiling = 0, None, 10_000
    for place, char in enumerate(text):
        if char in DIGITS:
            if digit not in (None, 0):
                return None
            digit = DIGITS[char]
        else:
            unit = SMALL_UNITS[char]
            if unit >= ceiling or (digit is None and not (unit == 10 and place == 0)) or digit == 0:
                return None
            value, digit, ceiling = value + (digit or 1) * unit, None, unit
    if digit and ceiling >= 100 and ceiling < 10_000 and text[-2] in SMALL_UNITS:
        digit *= ceiling // 10
    return Fraction(value + (digit or 0))


def write_chinese(value: int) -> str:
    """Return a whole number of at most twelve digits in Chinese numerals: 305 is 三百零五, 12 is 十二."""
    if value < 0:
        return "负" + write_chinese(-value)
    if value >= 10**12:
        raise ValueError(f"value must be below 10^12, got {value}")
    if value == 0:
        return "零"
    written, gap = "", False
    for factor, name in ((10**8, "亿"), (10**4, "万"), (1, "")):
        section, value = divmod(value, factor)
        if section == 0:
            gap = bool(written)
            continue
        if written and (section < 1000 or gap):
            written += "零"
        written += _write_section(section) + name
        gap = False
    return written.removeprefix("一") if written.startswith("一十") else written


def _write_section(value: int) -> str:
    written, gap = "", False
    for factor, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, factor)
        if digit == 0:
            gap = bool(written)
            continue
        written += ("零" if gap else "") + "零一二三四五六七八九"[digit] + name
        gap = False
    return written
