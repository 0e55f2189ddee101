"""Values that a text gives away without writing them: place values, single digits, neighbours, elimination, codes."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from preceptor.maths.leak_mentions import Mention, MentionForm, find_mentions
from preceptor.maths.number_lexicon import NUMBER_WORDS

_PLACES: dict[str, Fraction | int] = {
    **dict.fromkeys(("one", "ones", "unit", "units", "个", "unidades", "unités", "einer"), 1),
    **dict.fromkeys(("ten", "tens", "decenas", "dizaines", "zehner"), 10),
    **dict.fromkeys(("hundred", "hundreds", "centenas", "centaines", "hunderter"), 100),
    **dict.fromkeys(("thousand", "thousands", "millares", "milliers", "tausender"), 1000),
    **dict.fromkeys(("tenth", "tenths"), Fraction(1, 10)),
    **dict.fromkeys(("hundredth", "hundredths"), Fraction(1, 100)),
}
_NUMBER = r"(?:\d+|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_PLACE_PAIR = re.compile(rf"\b({_NUMBER})\s+({'|'.join(sorted(_PLACES, key=len, reverse=True))})\b", re.IGNORECASE)
_PLACE_JOIN = re.compile(r"\s*(?:,?\s*(?:and|plus|y|et|und|with)\b|[,+&])?\s*(?:a\s+)?", re.IGNORECASE)
_SINGLE = {word: str(number) for number, word in enumerate("zero one two three four five six seven eight nine".split())}
_SINGLE_RUN = re.compile(
    rf"(?<![\w.,])(?:\d|{'|'.join(_SINGLE)})(?:(?:[ \u00a0]|-)(?:\d|{'|'.join(_SINGLE)}))+(?![\w]|[.,]\d|\s*[-+*/=])",
    re.IGNORECASE,
)
_DIGIT_TALK = re.compile(
    r"\bdigits?\b|followed by|(?:starts?|begins?|ends?|ending|starting|beginning) (?:with|in|on)\b|backwards"
    r"|reversed?\b|spelled|spell\b|right to left|back to front|read it|put (?:them|it) together|side by side"
    r"|next to each other",
    re.IGNORECASE,
)
_SINGLE_TOKEN = re.compile(rf"(?<![\w.,-])(?:\d|{'|'.join(_SINGLE)})(?![\w]|[.,]\d)", re.IGNORECASE)
_DIGIT_GAP = re.compile(
    r"(?:[\s,;:'\"]|\b(?:a|an|and|then|the|is|are|it|its|followed|by|with|in|on|to|of|as|digit|digits|first|second|third"
    r"|last|next|tens|ones|units|hundreds|place|column|comes|starts|begins|ends|ending|which|after|that)\b){1,24}"
)
_REVERSAL = re.compile(
    r"backwards|reversed?\b|right to left|back to front|mirror|swap(?:ped)? (?:its|the) digits|rückwärts|al revés"
    r"|à l'envers|倒过来",
    re.IGNORECASE,
)
_NEIGHBOURS: tuple[tuple[re.Pattern[str], int], ...] = (
    (
        re.compile(
            r"(?:\bone|\b1) (?:more|bigger|greater|larger|higher|up) (?:than|from)\s+(?:\w+\s+)?$", re.IGNORECASE
        ),
        1,
    ),
    (re.compile(r"(?:\bone|\b1) (?:less|fewer|smaller|lower|down) (?:than|from)\s+(?:\w+\s+)?$", re.IGNORECASE), -1),
    (re.compile(r"(?:comes|(?:just|right|directly|immediately)) (?:after|above|past)\s+$", re.IGNORECASE), 1),
    (re.compile(r"next (?:whole |counting )?number (?:after|to)\s+$", re.IGNORECASE), 1),
    (re.compile(r"(?:just|right|directly|immediately|comes) (?:before|below|under)\s+$", re.IGNORECASE), -1),
)
_PLUS_ONE = re.compile(r"\s+plus (?:one|1)\b", re.IGNORECASE)
_MINUS_ONE = re.compile(r"\s+(?:minus|less) (?:one|1)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\bbetween|\bin the middle of|\bzwischen|\bentre|在)\s*(?:\w+\s)?$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|&|y|et|und|和|与|,)\s*", re.IGNORECASE)
_THE_BETWEEN = re.compile(
    r"\b(?:number|one|value|integer) (?:that (?:is|lies) )?(?:in )?(?:between|the middle)\b", re.IGNORECASE
)
_NOT_BEFORE = re.compile(r"(?:\bnot|n't|neither|nor|\bno)\W+(?:\w+\s+)?$", re.IGNORECASE)
_ONLY_LEFT = re.compile(
    r"\b(?:only|other|remaining|last) (?:one|option|choice|possibility|number|value)\b|\bnumber between\b"
)
_TOKEN = re.compile(r"[A-Za-z0-9+/]{3,}={0,2}")
_ROMAN = re.compile(r"(?<![\w'])(?=[MDCLXVI]{2,})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![\w'])")
_ROMAN_VALUE = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
_BASED = re.compile(r"\b0([xXbBoO])([0-9a-fA-F]+)\b|\b([01]{3,24})\b(?=[^.?!]*\bbinary\b)")
_SPACED = re.compile(r"(?<!\w)(?:[^\W\d_][ .\-_*]{1,3}){2,}[^\W\d_](?!\w)")
_DECODED = re.compile(r"[\d\s.,/$%=:-]+|[A-Za-z\s-]+")
_WORD_PAIR = re.compile(r"[A-Za-z]{3,}(?:-[A-Za-z]{3,})?")
_ENGLISH = NUMBER_WORDS["en"]
_LEET = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i"})


def find_disguised(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the values that a text gives away without writing them out; `mentions` are its plain numbers."""
    yield from _place_values(text)
    yield from _single_digits(text)
    yield from _neighbours(text, mentions)
    yield from _reversed(text, mentions)
    yield from _roman(text)
    yield from _encoded(text)


def _mention(value: Fraction | int, start: int, end: int, form: MentionForm) -> Mention:
    return Mention(values=frozenset({Fraction(value)}), start=start, end=end, form=form)


def _place_values(text: str) -> Iterator[Mention]:
    """Read "4 tens and 8 ones" as 48."""
    chain: list[re.Match[str]] = []
    for match in [*_PLACE_PAIR.finditer(text), None]:
        if match and chain and _PLACE_JOIN.fullmatch(text[chain[-1].end() : match.start()]):
            chain.append(match)
            continue
        if len(chain) > 1 or (chain and chain[0].group(2).lower() in {"tens", "zehner", "decenas", "dizaines"}):
            total = sum((_small(pair.group(1)) * _PLACES[pair.group(2).lower()] for pair in chain), Fraction(0))
            yield _mention(total, chain[0].start(), chain[-1].end(), "place_value")
        chain = [match] if match else []


def _small(written: str) -> Fraction:
    lower = written.lower()
    if lower.isdigit():
        return Fraction(lower[:12])
    return Fraction(_SINGLE.get(lower) or {"ten": 10, "eleven": 11, "twelve": 12}[lower])


def _single_digits(text: str) -> Iterator[Mention]:
    """Read "4 8", "four-eight" and "the digits are a 4 followed by an 8" as 48 and, read backwards, 84."""
    for match in _SINGLE_RUN.finditer(text):
        digits = [_digit(token.group()) for token in _SINGLE_TOKEN.finditer(text.replace("-", " "), *match.span())]
        yield from _joined(digits, match.start(), match.end())
    for sentence in re.finditer(r"[^.?!\n]+(?:\.\d[^.?!\n]*)*", text):
        if _DIGIT_TALK.search(sentence.group()):
            tokens = list(_SINGLE_TOKEN.finditer(text, *sentence.span()))
            for size in range(2, min(len(tokens), 6) + 1):
                for first in range(len(tokens) - size + 1):
                    part = tokens[first : first + size]
                    if all(_DIGIT_GAP.fullmatch(text, one.end(), two.start()) for one, two in pairwise(part)):
                        yield from _joined([_digit(token.group()) for token in part], part[0].start(), part[-1].end())


def _digit(written: str) -> str:
    return _SINGLE.get(written.lower(), written)


def _joined(digits: Sequence[str], start: int, end: int) -> Iterator[Mention]:
    if 1 < len(digits) <= 15:
        for run in ("".join(digits), "".join(reversed(digits))):
            yield _mention(int(run), start, end, "digit_by_digit")


def _neighbours(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Read "one more than 47", "between 47 and 49", "not 47, not 49, the number between" as 48."""
    whole = [mention for mention in mentions if mention.value.denominator == 1 and mention.form != "neighbour"]
    for mention in whole:
        before = text[max(0, mention.start - 48) : mention.start]
        for pattern, difference in _NEIGHBOURS:
            found = pattern.search(before)
            if found:
                start = mention.start - len(before) + found.start()
                yield _mention(mention.value + difference, start, mention.end, "neighbour")
        for pattern, difference in ((_PLUS_ONE, 1), (_MINUS_ONE, -1)):
            after = pattern.match(text, mention.end)
            if after:
                yield _mention(mention.value + difference, mention.start, after.end(), "neighbour")
    for low, high in pairwise(whole):
        if abs(high.value - low.value) == 2:
            start, end = low.start, high.end
            named = _BETWEEN.search(text[max(0, start - 24) : start]) and _AND.fullmatch(text[low.end : high.start])
            if named or _THE_BETWEEN.search(text):
                yield _mention((high.value + low.value) / 2, start, end, "neighbour")
    yield from _eliminated(text, whole)


def _eliminated(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Read "not 46, 47 or 49, only one option is left" as the gap in the row of excluded numbers."""
    excluded = [mention for mention in mentions if _NOT_BEFORE.search(text[max(0, mention.start - 24) : mention.start])]
    if len(excluded) < 2 or not _ONLY_LEFT.search(text):
        return
    row = sorted({mention.value for mention in excluded})
    for low, high in pairwise(row):
        if high - low == 2:
            yield _mention(low + 1, excluded[0].start, excluded[-1].end, "neighbour")


def _reversed(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    if _REVERSAL.search(text):
        for mention in mentions:
            written = text[mention.start : mention.end]
            if written.isdigit() and len(written) > 1:
                yield _mention(int(written[::-1]), mention.start, mention.end, "encoded")
    for match in _WORD_PAIR.finditer(text):
        word = match.group()[::-1]
        if match.group().lower() != "net":
            yield from _hidden(word, match.start(), match.end())
        yield from _hidden(codecs.encode(match.group(), "rot13"), match.start(), match.end())


def _roman(text: str) -> Iterator[Mention]:
    for match in _ROMAN.finditer(text):
        values = [_ROMAN_VALUE[char] for char in match.group()]
        total = sum(-value if value < after else value for value, after in pairwise([*values, 0]))
        if total > 1:
            yield _mention(total, match.start(), match.end(), "encoded")


def _encoded(text: str) -> Iterator[Mention]:
    """Read base64, hexadecimal, binary, letters moved by 13, spaced-out and digit-for-letter words."""
    for match in _BASED.finditer(text):
        base = {"x": 16, "b": 2, "o": 8}[match.group(1).lower()] if match.group(1) else 2
        try:
            yield _mention(int(match.group(2) or match.group(3), base), match.start(), match.end(), "encoded")
        except ValueError:
            continue
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) % 4 == 0 or "=" in token or len(token) > 5:
            yield from _hidden(_base64(token), match.start(), match.end())
        if sum(map(str.isalpha, token)) > 1 and not token.isalpha():
            word = token.translate(_LEET)
            yield from _hidden(word if word.isalpha() else "", match.start(), match.end())
    for match in _SPACED.finditer(text):
        for gaps in (r"[ ._*]", r"[ .\-_*]"):
            yield from _hidden(re.sub(gaps, "", match.group()), match.start(), match.end())


def _base64(token: str) -> str:
    stripped = token.rstrip("=")
    try:
        decoded = base64.b64decode(stripped + "=" * (-len(stripped) % 4), validate=True).decode("ascii")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return decoded if _DECODED.fullmatch(decoded) else ""


def _hidden(text: str, start: int, end: int) -> Iterator[Mention]:
    """Yield what a decoded text mentions, at the span of its code."""
    if not any(part in _ENGLISH for part in re.split(r"[\s-]", text.lower())) and not any(map(str.isdigit, text)):
        return
    for inner in find_mentions(text):
        yield Mention(values=inner.values, start=start, end=end, form="encoded")
