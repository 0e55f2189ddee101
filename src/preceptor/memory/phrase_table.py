"""The rows of `phrases/<language>.toml`, compiled; and which of the languages a question is most likely in."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

from preceptor.memory.word_forms import word_table
from preceptor.record.search_words import word_runs

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")
"""Languages whose time phrases and record questions are read."""
_CHINESE = "一二三四五六七八九十两"
_PLACE = re.compile(r"\{(month|weekday|year|day|n)\}")


@dataclass(frozen=True, kw_only=True)
class PhraseTable:
    """One language's phrases. All patterns are for folded text."""

    language: str
    months: tuple[str, ...]
    """Twelve patterns."""
    weekdays: tuple[str, ...]
    """Seven patterns, Monday first."""
    numbers: dict[str, int]
    doubtful: re.Pattern[str] | None
    """Month names that are also other words."""
    month_cues: re.Pattern[str] | None
    """What before a doubtful name makes it a month; matches at the end of the text before it."""
    day_order: str
    time: tuple[tuple[str, re.Pattern[str]], ...]
    vague: re.Pattern[str]
    us: frozenset[str]
    """Folded words of one of the two who talk; in Chinese single characters."""
    us_endings: re.Pattern[str] | None
    """Words that say so by their ending, where verbs need no pronoun."""
    record: tuple[tuple[str, re.Pattern[str]], ...]
    record_silent: frozenset[str]


@cache
def phrase_table(language: str) -> PhraseTable:
    """Return one language's phrases.

    Raises:
        KeyError: The language is none of `LANGUAGES`.
    """
    if language not in LANGUAGES:
        raise KeyError(language)
    file = resources.files(__package__).joinpath("phrases", f"{language}.toml")
    raw = tomllib.loads(fold(file.read_text(encoding="utf-8")))
    numbers = dict(_number(item) for item in raw["numbers"].split(","))
    tens = dict(_number(item) for item in raw["tens"].split(",")) if "tens" in raw else {}
    numbers |= tens | {
        f"{ten}{between}{one}": tens[ten] + numbers[one]
        for ten in tens
        for one in numbers
        for between in " -"
        if numbers[one] < 10 and one.isalpha()
    }
    numeral = rf"[{_CHINESE}]{{1,3}}"  # whole: of 二十天 the end 十天 alone is another time
    places = {
        "month": "|".join(raw["months"]),
        "weekday": "|".join(raw["weekdays"]),
        "year": r"(?:19|20)\d\d",
        "day": rf"\d{{1,2}}|{numeral}" if language == "zh" else r"\d{1,2}",
        "n": r"\d{1,3}|" + (numeral if language == "zh" else "|".join(sorted(numbers, key=len, reverse=True))),
    }
    bounded = language != "zh"
    return PhraseTable(
        language=language,
        months=tuple(raw["months"]),
        weekdays=tuple(raw["weekdays"]),
        numbers=numbers,
        doubtful=re.compile(raw["doubtful"]) if raw["doubtful"] else None,
        month_cues=re.compile(rf"(?:^|\W)(?:{raw['month_cues']})\s*$") if raw["month_cues"] else None,
        day_order=raw["day_order"],
        time=tuple((kind, _compiled(pattern, places, bounded, language)) for kind, pattern in raw["time"]),
        vague=_compiled(raw["vague"], places, bounded, language),
        us=frozenset(fold(raw["us"]).split()),
        us_endings=re.compile(raw["us_endings"]) if "us_endings" in raw else None,
        record=tuple((kind, _compiled(pattern, places, bounded, language)) for kind, pattern in raw["record"]),
        record_silent=frozenset(word_runs(raw["record_silent"])),
    )


def fold(text: str) -> str:
    """Return a text in lower case without accents, Arabic alefs alike, digits as 0–9, one character for each."""
    if text.isascii():
        return text.lower()
    return "".join(map(_folded, text))


def likely_language(text: str, given: str) -> str:
    """Return the language of `LANGUAGES` a question is most likely in: by its script, else by its small words.

    Args:
        text: The question.
        given: The language it is said to be in, BCP 47; kept unless another has more small words in the text.
    """
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        for language, script in (("ar", "ARABIC"), ("zh", "CJK")):
            if sum(_script(letter) == script for letter in letters) * 3 > len(letters):
                return language
    code = given.split("-")[0].lower()
    words = word_runs(text)
    counts = {language: _small_words(words, language) for language in ("en", "es", "fr", "de")}
    best = max(counts, key=lambda language: (counts[language], language == code))
    return code if code in counts and counts[code] >= counts[best] else best


def is_about_us(text: str, given: str) -> bool:
    """Whether a text speaks of the learner or the tutor, in the language it is most likely in."""
    language = likely_language(text, given)
    if language not in LANGUAGES:
        return False
    folded, table = fold(text), phrase_table(language)
    if language == "zh":
        return any(word in folded for word in table.us)
    words = re.findall(r"[^\W\d_]+", folded)
    endings = table.us_endings
    return not table.us.isdisjoint(words) or (endings is not None and any(map(endings.fullmatch, words)))


def _small_words(words: list[str], language: str) -> int:
    table = word_table(language)
    return sum(word in table.silent for word in words) if table else 0


@cache
def _script(letter: str) -> str:
    """Return the first word of a letter's name: its script."""
    return unicodedata.name(letter, "").split(" ")[0]


@cache
def _folded(character: str) -> str:
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    lower = unicodedata.normalize("NFKD", character)[:1].lower()
    return lower if len(lower) == 1 else character


def _number(item: str) -> tuple[str, int]:
    word, _, value = item.strip().partition("=")
    return fold(word), int(value or 1)


def _compiled(pattern: str, places: dict[str, str], bounded: bool, language: str) -> re.Pattern[str]:
    seen: dict[str, int] = {}

    def named(found: re.Match[str]) -> str:
        name = found.group(1)
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}{seen[name]}>{places[name]})"

    body = _PLACE.sub(named, pattern)
    if not bounded:
        return re.compile(body)
    prefix = "[وفبل]?" if language == "ar" else ""
    return re.compile(rf"(?<!\w){prefix}(?:{body})(?!\w)")
