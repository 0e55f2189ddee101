"""Tokens of a text that may hold arithmetic: numbers, signs, parentheses, words, unknowns, punctuation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import gcd
from typing import Literal

from preceptor.maths.clean_text import CleanText
from preceptor.maths.text_numbers import TextNumber, scan_numbers
from preceptor.maths.units import find_unit

TokenKind = Literal["number", "sign", "open", "close", "equal", "about", "word", "unknown", "stop", "end"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One token, with its span in the cleaned text."""

    kind: TokenKind
    text: str
    start: int
    end: int
    number: TextNumber | None = None


MAX_NUMBERS = 200
"""Numbers of one text that are read; what follows them is not."""
END = Token(kind="end", text="", start=0, end=0)
_PIECE = re.compile(
    r"(?P<word>[^\W\d_]{2,}\^[23](?!\d)|[^\W\d_]+(?:['-][^\W\d_]+)*)|(?P<about>≈|~=|~)|(?P<equal>[<>]?==?>?|-->?|→)"
    r"|(?P<sign>\*\*|[-+*/^])|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<stop>[.,;:!?\n\"$%<>|。，；：！？、])"
)
_DECLARED = re.compile(
    r"\b[Ll]et(?:'s)?(?:\s+(?:us\s+)?(?:say|call|assume)?)?\s+[\"']?([A-Za-z])[\"']?\b|"
    r"(?<![\w.'$] )(?<![\w.'])([A-HJ-Zb-hj-z])\s*[=+*/]|[=+*/]\s*([b-hj-z])(?![\w'])|\d([xyznp])(?![A-Za-z])|"
    r"\b([xyXY])\s*-\s*\d|(?<=[a-z] )([xyznpXYZ])\s*[=+*/]"
)
_SIGN_WORDS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "mas": "+",
    "más": "+",
    "menos": "-",
    "por": "*",
    "moins": "-",
    "fois": "*",
    "mal": "*",
    "geteilt": "/",
    "加": "+",
    "减": "-",
    "乘": "*",
    "除以": "/",
    "زائد": "+",
    "ناقص": "-",
}
_EQUAL_WORDS = frozenset({"equals", "equal", "等于", "是", "igual", "égale", "egale", "gleich", "يساوي"})
_TAKE_AWAY = re.compile(r"(?<=\d)\s+take\s+away\s+(?=[$€£]?\d)", re.IGNORECASE)
_CJK_SIGNS = re.compile(r"除以|乘以|加上|减去|等于|[加减乘]")


def unknowns_of(text: str) -> frozenset[str]:
    """Return the letters that a cleaned text uses as unknowns."""
    names = {group for match in _DECLARED.finditer(text) for group in match.groups() if group}
    return frozenset(names - {"a", "I", "i"} | ({"a"} & set(re.findall(r"\blet\s+(a)\s+(?:be|=)", text))))


def tokens_of(cleaned: CleanText, language: str = "en", names: frozenset[str] = frozenset()) -> list[Token]:
    """Return the tokens of a cleaned text; signs written as words are signs where numbers stand around them.

    Args:
        cleaned: What `clean` gives.
        language: Tag; chooses number words and the decimal mark.
        names: Letters that earlier text uses as unknowns.
    """
    text = _TAKE_AWAY.sub(lambda found: "-".center(len(found.group())), cleaned.text)
    names = names | unknowns_of(text)
    numbers = scan_numbers(cleaned, language, join_fractions=False, limit=MAX_NUMBERS)
    if len(numbers) == MAX_NUMBERS:
        text = text[: numbers[-1].end]
    tokens: list[Token] = []
    place = 0
    for number in numbers:
        if number.start < place or (number.kind == "ordinal" and not _is_result(text, number)):
            continue
        tokens += _between(text, place, number.start, names)
        tokens.append(Token(kind="number", text=number.text, start=number.start, end=number.end, number=number))
        place = number.end
    tokens += _between(text, place, len(text), names)
    return _with_signs(_join_fractions(tokens, text), language)


def _is_result(text: str, number: TextNumber) -> bool:
    """Whether "6th" is the result of a sum: "1 + 5 = 6th floor"."""
    return not number.is_word and text[max(0, number.start - 3) : number.start].rstrip().endswith("=")


def _between(text: str, start: int, end: int, names: frozenset[str]) -> list[Token]:
    tokens: list[Token] = []
    for match in _PIECE.finditer(text, start, end):
        kind = match.lastgroup
        written = match.group(0)
        if kind == "word" and len(written) > 1 and not written.isascii() and _CJK_SIGNS.search(written):
            tokens += _chinese(match)
            continue
        if kind == "word" and len(written) == 1 and written in names and not _is_unit_letter(text, match, names):
            kind = "unknown"
        elif (
            kind == "word"
            and len(written) == 1
            and written.isascii()
            and text[match.start() - 1 : match.start()].isdigit()
        ):
            kind = "word" if find_unit(written) is not None else "unknown"
        if kind == "sign" and written == "**":
            written = "^"
        if kind == "equal" and written in {"->", "-->", "→", "=>"}:
            kind = "stop"
        tokens.append(Token(kind=kind, text=written, start=match.start(), end=match.end()))  # type: ignore[arg-type]
    return tokens


def _chinese(match: re.Match[str]) -> list[Token]:
    """Cut the signs out of a run of Chinese characters."""
    tokens: list[Token] = []
    place, text = match.start(), match.string
    for found in _CJK_SIGNS.finditer(text, match.start(), match.end()):
        if found.start() > place:
            tokens.append(Token(kind="word", text=text[place : found.start()], start=place, end=found.start()))
        written = found.group(0)
        sign = {"除以": "/", "等于": "="}.get(written) or {"加": "+", "减": "-", "乘": "*"}[written[0]]
        kind: TokenKind = "equal" if sign == "=" else "sign"
        tokens.append(Token(kind=kind, text=sign, start=found.start(), end=found.end()))
        place = found.end()
    if place < match.end():
        tokens.append(Token(kind="word", text=text[place : match.end()], start=place, end=match.end()))
    return tokens


def _is_unit_letter(text: str, match: re.Match[str], names: frozenset[str]) -> bool:
    """Whether a letter after a number is its unit ("5 m"), not a factor ("5x")."""
    letter = match.group(0)
    after_digit = bool(re.search(r"\d\s?$", text[max(0, match.start() - 2) : match.start()]))
    return after_digit and letter not in "xyznXYZN" and find_unit(letter) is not None and letter not in names


def _join_fractions(tokens: list[Token], text: str) -> list[Token]:
    """Make one number of "3/4": unspaced, proper, in lowest terms, small, and no part of a longer quotient."""
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        trio = tokens[place : place + 3]
        before = tokens[place - 1] if place else END
        after = tokens[place + 3] if place + 3 < len(tokens) else END
        if (
            len(trio) == 3
            and trio[0].kind == trio[2].kind == "number"
            and trio[1].text == "/"
            and trio[2].start - trio[0].end == 1
            and before.text != "/"
            and after.text not in {"/", "^"}
        ):
            above, below = trio[0].number, trio[2].number
            assert above is not None
            assert below is not None
            a, b = above.value, below.value
            plain = above.kind == "number" and a.denominator == b.denominator == 1 and not above.unit
            if plain and 0 < a < b <= 20 and gcd(int(a), int(b)) == 1 and below.kind in {"number", "money"}:
                number = TextNumber(
                    value=a / b,
                    start=above.start,
                    end=below.end,
                    text=text[above.start : below.end],
                    unit=below.unit,
                    noun=below.noun,
                    fraction=True,
                )
                joined.append(Token(kind="number", text=number.text, start=number.start, end=number.end, number=number))
                place += 3
                continue
        joined.append(tokens[place])
        place += 1
    return joined


_STARTS = frozenset({"number", "open", "unknown"})


def _with_signs(tokens: list[Token], language: str) -> list[Token]:
    """Turn words and letters into signs where they join numbers."""
    signed: list[Token] = []
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else END
        before = signed[-1] if signed else END
        lower = token.text.casefold()
        if lower == "x" and token.kind in {"word", "unknown"}:
            times = before.kind in {"number", "close", "word"} and (
                after.kind in {"number", "open"}
                or after.text == "$"
                or (after.kind == "unknown" and before.kind == "number")
            )
            token = _as(token, "sign", "*") if times else _as(token, "unknown" if token.kind == "unknown" else "word")
        elif token.kind == "word" and lower in _SIGN_WORDS:
            if after.kind in _STARTS or after.text.casefold() in {"the", "by", "those", "these", "los", "las", "les"}:
                token = _as(token, "sign", _SIGN_WORDS[lower])
        elif token.kind == "word" and lower in {"multiplied", "divided", "dividido", "divisé", "dividiert"}:
            if after.text.casefold() in {"by", "por", "entre", "par", "durch"}:
                token = _as(token, "sign", "*" if lower == "multiplied" else "/")
        elif token.kind == "word" and lower in {"by", "por", "par", "durch", "entre"} and before.kind == "sign":
            continue
        elif token.kind == "word" and lower in _EQUAL_WORDS and (lower != "equal" or after.text.casefold() == "to"):
            token = _as(token, "equal", "=")
        elif lower == "to" and before.kind == "equal":
            continue
        elif (
            token.kind == "word"
            and lower in {"squared", "cubed"}
            and before.kind in {"number", "close", "unknown", "word"}
        ):
            token = _as(token, "word", lower)
        signed.append(token)
    return signed


def _as(token: Token, kind: TokenKind, text: str | None = None) -> Token:
    return Token(kind=kind, text=text or token.text, start=token.start, end=token.end, number=token.number)
