"""What may be a concept's name: no heading of the file's furniture, no caption, no sentence, no utterance."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

MAX_WORDS = 6
"""(chosen: "breadth first search of a graph" passes, a sentence does not)"""
MAX_CJK_CHARS = 12
"""(chosen: the same in a script without spaces)"""
MAX_CHARS = 64
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_NUMBERING = re.compile(
    r"^\s*(?:\d+(?:\.\d+)*[.):]?\s+(?=\D)|[ivxIVX]+[.)]\s+|[a-zA-Z][)]\s+|第?[一二三四五六七八九十]+[、.．]\s*|[-–—•*#]+\s+)"
)
_SENTENCE = re.compile(r"[.!?…。！？；;:：؟،](?:\s|$)|[,，、]|\s[–—]\s|\n")
_FORMULA = re.compile(r"[=<>≤≥\\{}|^$\[\]]|\d\s*[+*/×÷]\s*\d|https?:|www\.|\.\w{2,4}$|\(\s*\)")
_LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")


@dataclass(frozen=True, kw_only=True)
class NameWords:
    """The words of one language, folded."""

    furniture: frozenset[str]
    furniture_start: frozenset[str]
    order: frozenset[str]
    function: frozenset[str]
    plain: frozenset[str]
    utterance: re.Pattern[str]


def name_words(language: str) -> NameWords:
    """Return the words of a language, English for one that has none."""
    primary = language.split("-")[0].lower()
    return _tables()[primary if primary in _LANGUAGES else "en"]


def fold_name(text: str) -> str:
    """Return a text in lower case without accents, with one space between words and no mark but in formulas."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold().replace("\u0640", ""))
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    bare = unicodedata.normalize("NFC", bare).translate(_ARABIC).replace("ß", "ss")
    bare = re.sub(r"(?<=[a-z])['’](?=(?:s|t|m|ve|re|ll|d)\b)", "", bare)
    return " ".join(re.sub(r"[^\w¿¡]+|_", " ", bare).split())


def clean_name(text: str) -> str:
    """Return a name without numbering, emphasis marks, closing colon and outer quotes; nothing else is changed."""
    text = re.sub(r"(?<!\w)[*_`]+|(?<![A-Z*])[*_`]+(?!\w)|\*{2,}", "", text.strip().replace("\\*", "*"))
    text = _NUMBERING.sub("", text)
    return " ".join(text.strip(" \t\n:：.。,;\"'“”„«»()[]—–-").split())


def refusal(name: str, language: str = "en") -> str | None:
    """Return why a name is no concept's, in words; `None`: it may be one.

    Args:
        name: As `clean_name` gives it, or raw.
        language: Of the file; English words are looked for in every language, since files mix them.
    """
    folded = fold_name(name)
    if not re.search(r"[^\W\d_]", folded):
        return "holds no word"
    if len(name) > MAX_CHARS or "\n" in name.strip():
        return f"longer than {MAX_CHARS} characters"
    primary = language.split("-")[0].lower()
    tables = [name_words(primary)] + ([name_words("en")] if primary != "en" else [])
    bare = _without_article(re.sub(r"^[\d. ]+|[\d. ]+$", "", folded), primary)
    for words in tables:
        reason = _furniture(folded, bare, words)
        if reason:
            return reason
    if _SENTENCE.search(name.strip().rstrip(".:")):
        return "reads like a sentence"
    if _FORMULA.search(name):
        return "is a formula or an address"
    cjk = len(_CJK.findall(name))
    if cjk > MAX_CJK_CHARS or (not cjk and len(folded.split()) > MAX_WORDS):
        return "too long for a name"
    return _sentence_like(folded, cjk > 0, tables[0], primary)


def is_utterance(text: str, language: str = "en") -> bool:
    """Return whether a text is something someone says in a dialogue: such a topic never becomes a belief.

    Every language's signs are tried on a text in Latin letters: learners write in another language than the course.
    """
    folded = fold_name(text)
    if text.strip().endswith(("?", "？", "؟", "!", "！")) or not folded:
        return True
    primary = language.split("-")[0].lower()
    tried = (primary,) if _CJK.search(text) or not folded.isascii() else ("en", "es", "fr", "de")
    if len(folded.split()) < 3 and primary in tried:
        tried = (primary,)
    return any(name_words(one).utterance.search(folded) for one in {primary, *tried})


def _furniture(folded: str, bare: str, words: NameWords) -> str | None:
    if folded in words.furniture or bare in words.furniture:
        return "is a section title"
    numbered = "|".join(sorted(map(re.escape, words.furniture_start), key=len, reverse=True))
    if re.match(rf"(?:{numbered})(?:\s*\d|\s+[ivx]+\b|\s+[a-z]\b|\s*[一二三四五六七八九十]+\s*[章节部单课讲])", folded):
        return "is a chapter heading or a caption"
    if re.match(rf"ال(?:{numbered})\s*(?:\d|الاول|الثاني|الثالث|الرابع)", folded):
        return "is a chapter heading or a caption"
    return "too general to be a concept" if bare in words.plain else None


def _sentence_like(folded: str, cjk: bool, words: NameWords, primary: str) -> str | None:
    if cjk:
        if any(folded.startswith(order) for order in words.order):
            return "tells the reader to do something"
        if folded[0] in _CJK_NO_START or folded[-1] in _CJK_NO_END:
            return "begins or ends with a function word"
        return "reads like a sentence" if re.search(r"[我你它这那]|可以|应该|是一|不是", folded) else None
    parts = folded.split()
    if parts[0] in words.order:
        return "tells the reader to do something"
    if parts[-1] in words.function or (parts[0] in words.function and len(parts) == 1):
        return "begins or ends with a function word"
    if len(parts) == 1 and len(parts[0]) < 2:
        return "a single letter"
    inner = sum(part in words.function for part in parts)
    verb = any(part in _VERBS.get(primary, _VERBS["en"]) for part in parts)
    spoken = len(parts) > 2 and words.utterance.search(folded) is not None
    return "reads like a sentence" if inner > 2 or verb or spoken or parts[0] in _SUBJECTS else None


def _without_article(folded: str, primary: str) -> str:
    if primary == "ar":
        return " ".join(word[2:] if word.startswith("ال") and len(word) > 4 else word for word in folded.split())
    return re.sub(r"^(?:the|an?|el|la|los|las|les?|une?|der|die|das|eine?) (?=\w)", "", folded).strip()


_ARABIC = str.maketrans("أإآٱىةؤئ", "اااايهوي")
_CJK_NO_START = frozenset("的了是和与或但我你他她它这那也都就还把被")
_CJK_NO_END = frozenset("的了是在和与或但也都就从到对把被会能要其该此以而及等们")
_VERBS: dict[str, frozenset[str]] = {
    "en": frozenset("is are was were be been has have had does did can could will would should may must".split()),
    "es": frozenset("es son fue era hay tiene tienen puede pueden debe".split()),
    "fr": frozenset("est sont etait etaient ont peut peuvent doit faut".split()),
    "de": frozenset("ist sind war waren hat haben wird werden kann konnen muss".split()),
    "ar": frozenset("كان كانت يكون تكون يمكن يجب".split()),
}
_SUBJECTS = frozenset(
    "this that these those it they we you i he she there here "
    "esto eso ellos nosotros ce cette il elle nous vous on "
    "dies dieser diese dieses es wir sie ich هذا هذه ذلك تلك هو هي نحن".split()
)


@cache
def _tables() -> dict[str, NameWords]:
    raw = tomllib.loads((resources.files(__package__) / "names.toml").read_text(encoding="utf-8"))
    return {
        language: NameWords(
            furniture=_words(rows["furniture"]),
            furniture_start=_words(rows["furniture_start"]),
            order=_words(rows["order"]),
            function=_words(rows["function"]),
            plain=_words(rows["plain"]),
            utterance=re.compile(rows["utterance"].replace("\n", "")),
        )
        for language, rows in raw.items()
    }


def _words(rows: str) -> frozenset[str]:
    return frozenset(word.strip() for word in rows.split("|"))
