"""Every number that a text mentions, over-read on purpose: digits, words of six languages, disguised writings.

A learner must not be able to read a value out of a reply that this reader does not see; so what may be a number is
one, and an ambiguous writing ("1.000", "75%") has several values. Reading for judging a learner is `text_numbers`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from preceptor.maths.chinese_numerals import CHARACTERS, read_chinese
from preceptor.maths.clean_text import CleanText, clean
from preceptor.maths.number_lexicon import NUMBER_WORDS
from preceptor.maths.number_words import read_number_words

MentionForm = Literal[
    "digits", "fraction", "percent", "words", "place_value", "digit_by_digit", "encoded", "neighbour", "unit"
]


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A number standing in a text."""

    values: frozenset[Fraction]
    """Every value the writing may have; signs are dropped."""
    start: int
    end: int
    """Character span in the text, end exclusive."""
    form: MentionForm

    @property
    def value(self) -> Fraction:
        """The largest reading: for "75%" 75, for a space-grouped "1 200" 1200."""
        return max(self.values)


_DIGITS = re.compile(
    r"\d{1,3}(?:[,.' \u00a0\u202f]\d{3}){1,12}(?!\d)(?:[.,]\d{1,12})?|\d{1,40}(?:[.,]\d{1,12})?|(?<!\d)\.\d{1,12}"
)
_PERCENT = re.compile(
    r"\s?(?:%|percent\b|per cent\b|por ciento\b|pour cent\b|prozent\b|في المئة|في المائة|بالمئة|بالمائة)", re.IGNORECASE
)
_SPLITTING = re.compile(r"\*\*|__|`|~~|[\ufe0e\ufe0f\u20e3\u0300-\u036f]")
_CENTS = re.compile(r"\s?(?:cents?\b|¢|pence\b)", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_LABEL_BEFORE = re.compile(r"\b(?:step|line|hint|part|question|turn|grade|schritt|paso|étape)\s*#?$", re.IGNORECASE)
_LIST_BEFORE = re.compile(r"(?:^|\n)\s*[*(-]?\s*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_GERMAN = re.compile(r"(?:zig|ssig|ßig|zehn|hundert|tausend)", re.IGNORECASE)
_COLLIDING = frozenset(
    "once cent cents six elf mil son quart quarts tiers demi seize elle acht media medio dos uno un une".split()
)
"""Number words of another language that are ordinary English words or fragments."""
_ENGLISH = re.compile(r"\b(?:the|is|of|and|to|what|how|you|your|are|that|this|in|with|do|it)\b", re.IGNORECASE)
_CHINESE = re.compile(f"[{CHARACTERS}分之\\d]+")
_TALK_NOUN = re.compile(
    r"\s+(?:\w+\s+)?(?:numbers|quantities|values|steps|parts|things|facts|lines|ways|sentences|questions|answers|amounts|"
    r"examples|choices|options|clues|pieces of information|ideas|figures|words|operations|kinds)\b",
    re.IGNORECASE,
)
_ONE_BEFORE = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|makes?|leaves?|gets?|got|gives?|have|has|only|exactly|just|answer)|[:=])[\s*_]*$",
    re.IGNORECASE,
)
_ONE_NOT_AFTER = re.compile(
    r"\s+(?:of|more|way|thing|step|that|which|to|who|another|by|at|number|quantity|part|piece|fact|question|small|smaller|"
    r"simple|last|first|final|idea|line|sentence|word|other|side|detail|reason|place|you|we|i|less|fewer)\b",
    re.IGNORECASE,
)
_ONE_AFTER = re.compile(r"\s+(?:\w+\s+)?(?:left|remains?|each|apiece)\b", re.IGNORECASE)
_ONES = frozenset({"one", "uno", "una", "un", "une", "ein", "eine", "einen", "eins", "واحد", "واحدة"})


def readable(text: str) -> CleanText:
    """Return a text with one writing per sign (`clean`), without marks that may split a number: "**4**8", keycaps."""
    cleaned = clean(text)
    if not _SPLITTING.search(cleaned.text):
        return cleaned
    dropped = {place for match in _SPLITTING.finditer(cleaned.text) for place in range(*match.span())}
    kept = [place for place in range(len(cleaned.text)) if place not in dropped]
    return CleanText(
        text="".join(cleaned.text[place] for place in kept),
        offsets=(*(cleaned.offsets[place] for place in kept), len(text)),
    )


def find_mentions(text: str) -> list[Mention]:
    """Return the plain numbers in a text, in reading order; a fraction is listed beside its two parts."""
    cleaned = readable(text)
    found = [*_digit_mentions(cleaned.text), *_word_mentions(cleaned.text), *_chinese_mentions(cleaned.text)]
    return sorted((_moved(mention, cleaned) for mention in found), key=lambda mention: (mention.start, -mention.end))


def _moved(mention: Mention, cleaned: CleanText) -> Mention:
    start, end = cleaned.span(mention.start, mention.end)
    return Mention(values=mention.values, start=start, end=end, form=mention.form)


def _digit_mentions(text: str) -> Iterator[Mention]:
    previous: list[Mention] = []
    for match in _DIGITS.finditer(text):
        start, end = match.span()
        if _is_label(text, start, end):
            continue
        values = set(_digit_values(match.group()))
        form: MentionForm = "digits"
        if _PERCENT.match(text, end):
            values |= {value / 100 for value in values}
            form = "percent"
        if _CENTS.match(text, end):
            values |= {value / 100 for value in values}
        elif "." in match.group() and text[max(0, start - 2) : start].strip()[-1:] in {"$", "€", "£"}:
            values |= {value * 100 for value in values if value < 1}
        mention = Mention(values=frozenset(values), start=start, end=end, form=form)
        yield mention
        previous = [*previous[-1:], mention]
        yield from _fraction(text, previous)


def _fraction(text: str, last_two: list[Mention]) -> Iterator[Mention]:
    """Join "3/4", and "1 3/4" with a whole number before it."""
    if len(last_two) < 2:
        return
    above, below = last_two
    if not re.fullmatch(r"\)?\s?/\s?\(?", text[above.end : below.start]) or min(below.values) == 0:
        return
    value = above.value / below.value
    start = above.start
    yield Mention(values=frozenset({value}), start=start, end=below.end, form="fraction")
    whole = re.search(r"(\d{1,9})(?:\s|-|\sand\s|\s?\+\s?)$", text[max(0, start - 16) : start])
    if whole and value < 1:
        yield Mention(
            values=frozenset({int(whole.group(1)) + value}),
            start=max(0, start - 16) + whole.start(),
            end=below.end,
            form="fraction",
        )


def _digit_values(written: str) -> Iterator[Fraction]:
    """Yield the readings of digits: "1.000" is 1 and 1000, "1 200" is 1200, 1 and 200, "3,5" is 3.5, 3 and 5."""
    digits = re.sub(r"\D", "", written)
    marks = re.sub(r"\d", "", written)
    groups = re.split(r"\D", written)
    grouped = all(len(group) == 3 for group in groups[1:]) and bool(groups[0])
    if not marks or grouped:
        yield Fraction(digits)
    if marks and marks[-1] in ".," and marks.count(marks[-1]) == 1:
        yield Fraction("".join(groups[:-1]) + "." + groups[-1] if groups[0] else "0." + groups[-1])
    if (marks == "," and not grouped) or " " in marks or "\u00a0" in marks:
        yield from (Fraction(group) for group in groups if group)


def _is_label(text: str, start: int, end: int) -> bool:
    """Tell "3rd", "step 3" and the "3." of a list from a quantity."""
    if _ORDINAL.match(text, end):
        return True
    before = text[max(0, start - 14) : start]
    if _LABEL_BEFORE.search(before):
        return True
    return bool(re.match(r"[.)]\s+\S", text[end : end + 3])) and bool(
        _LIST_BEFORE.search("\n" + before if start < 14 else before)
    )


def _word_mentions(text: str) -> Iterator[Mention]:
    tokens = list(_WORD.finditer(text))
    english = bool(_ENGLISH.search(text))
    taken: set[tuple[int, int, Fraction]] = set()
    for language in NUMBER_WORDS:
        place = 0
        while place < len(tokens):
            read = _read_at(text, tokens, place, language) if _may_start(tokens[place], language, english) else None
            place += 1
            if read is None:
                continue
            mention, used = read
            place += used - 1
            key = (mention.start, mention.end, mention.value)
            if key not in taken:
                taken.add(key)
                yield mention


def _may_start(token: re.Match[str], language: str, english: bool) -> bool:
    lower = token.group().casefold()
    if language != "en" and english and lower in _COLLIDING:
        return False
    if language == "de" and _GERMAN.search(lower):
        return True
    if language == "ar":
        return "\u0600" <= lower[0] <= "\u06ff"
    plain = {lower, *lower.split("-")} | ({_unaccented(lower)} if not lower.isascii() else set())
    return not plain.isdisjoint(NUMBER_WORDS[language])


def _unaccented(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))


def _read_at(text: str, tokens: list[re.Match[str]], place: int, language: str) -> tuple[Mention, int] | None:
    """Return the number that starts at a word, and how many words it takes."""
    run = [tokens[place].group()]
    for before, after in pairwise(tokens[place : place + 16]):
        if not re.fullmatch(r"\s{1,2}|\s?-\s?", text[before.end() : after.start()]):
            break
        run.append(after.group())
    if place and tokens[place - 1].group().lower() in {"a", "an", "un", "une", "ein", "eine"}:
        found = read_number_words([tokens[place - 1].group(), *run], language)
        found = (found[0], found[1] - 1) if found and found[1] > 1 else read_number_words(run, language)
    else:
        found = read_number_words(run, language)
    if found is None:
        return None
    value, used = found
    start, end = tokens[place].start(), tokens[place + used - 1].end()
    if _is_talk(text, start, end, value):
        return None
    values = {value}
    if _PERCENT.match(text, end) or _CENTS.match(text, end):
        values.add(value / 100)
    return Mention(values=frozenset(values), start=start, end=end, form="words"), used


def _is_talk(text: str, start: int, end: int, value: Fraction) -> bool:
    """Tell a number word from a pronoun ("this one") and from a count of the talk itself ("these two numbers")."""
    if text[start:end].casefold() in _ONES:
        if _ONE_AFTER.match(text, end):
            return False
        return not _ONE_BEFORE.search(text[max(0, start - 20) : start]) or bool(_ONE_NOT_AFTER.match(text, end))
    return value.denominator == 1 and 2 <= value <= 10 and bool(_TALK_NOUN.match(text, end))


def _chinese_mentions(text: str) -> Iterator[Mention]:
    for match in _CHINESE.finditer(text):
        run = match.group()
        if run.isdigit():
            continue
        start, end = match.span()
        if run in {"一", "点", "又", "分", "之", "半"} and (
            run != "一" or not re.search(r"(?:是|为|等于|得|=)$", text[max(0, start - 3) : start])
        ):
            if run != "半":
                continue
        value = read_chinese(run)
        for cut in range(1, len(run)) if value is None else ():
            value = read_chinese(run[cut:]) or read_chinese(run[:-cut])
            if value is not None:
                break
        if value is not None:
            yield Mention(values=frozenset({abs(value)}), start=start, end=end, form="words")
