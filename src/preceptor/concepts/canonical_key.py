"""One key for every spelling of a concept's name: case, accents, scripts, articles and plurals are folded away.

A key is compared, never shown. It is no translation: names in two languages get two keys.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from preceptor.maths.noun_phrases import singular

_ARABIC_LETTERS = str.maketrans("أإآٱىةؤئ", "اااايهوي")
_STAR = re.compile(r"(?<=[A-Z])\\?\*(?![*\w])|(?<=[A-Za-z])[- ]star\b")
"""The star of "A*" and "IDA*" is part of the name; a star around a word is emphasis."""
_TATWEEL = "\u0640"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_IS_ARABIC = re.compile(r"[\u0621-\u064a]")
_IRREGULAR = {
    "vertices": "vertex",
    "vertexes": "vertex",
    "matrices": "matrix",
    "indices": "index",
    "indexes": "index",
    "axes": "axis",
    "formulae": "formula",
    "hypotheses": "hypothesis",
    "analyses": "analysis",
    "theses": "thesis",
    "bases": "basis",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "polyhedra": "polyhedron",
    "nuclei": "nucleus",
    "radii": "radius",
    "loci": "locus",
    "foci": "focus",
    "stimuli": "stimulus",
    "mitochondria": "mitochondrion",
    "bacteria": "bacterium",
    "maxima": "maximum",
    "minima": "minimum",
    "extrema": "extremum",
    "quanta": "quantum",
    "spectra": "spectrum",
    "genera": "genus",
    "parentheses": "parenthesis",
    "heuristics": "heuristic",
}
_ARTICLES: dict[str, frozenset[str]] = {
    "en": frozenset({"a", "an", "the"}),
    "es": frozenset("el la los las un una unos unas".split()),
    "fr": frozenset("le la les l un une des d du".split()),
    "de": frozenset("der die das den dem des ein eine einen einem einer eines".split()),
}
_ARABIC_PREFIXES = ("وال", "بال", "فال", "كال", "لل", "ال")


def canonical_key(name: str, language: str = "en") -> str:
    """Return a name's key: folded words in their order, parted by one space; "" for a name without letters.

    Args:
        name: As written.
        language: BCP 47 tag; its first part chooses articles and plurals of names in Latin letters.
    """
    words = key_words(name, language)
    articles = _ARTICLES.get(_primary(language), frozenset())
    while len(words) > 1 and words[0] in articles:
        words = words[1:]
    joined = " ".join(words)
    return re.sub(rf"(?<=[{_CJK}]) (?=[{_CJK}])", "", joined)


def key_words(text: str, language: str = "en") -> tuple[str, ...]:
    """Return a text's words folded as in a key, in order; each CJK character is a word of its own.

    With "" as language endings stay as they are: for what is a key already.
    """
    return tuple(folded for folded, _, _ in key_spans(text, language))


def key_spans(text: str, language: str = "en") -> tuple[tuple[str, int, int], ...]:
    """Return (folded word, start, end) of a text, spans in the text as given, end exclusive."""
    out: list[tuple[str, int, int]] = []
    primary = _primary(language)
    for match in re.finditer(rf"[{_CJK}]|[^\s{_CJK}]+", text):
        for folded in _fold(match.group(), primary):
            out.append((folded, match.start(), match.end()))
    return tuple(out)


def concept_id_of(subject_id: str, key: str) -> str:
    """Return the id of the concept with this key in a subject: the same whenever the map is built."""
    return "c" + hashlib.sha256(f"{subject_id}\x1f{key}".encode()).hexdigest()[:15]


@lru_cache(maxsize=16384)
def _fold(token: str, language: str) -> tuple[str, ...]:
    plain = re.sub(r"[’‘ʼ`´]", "'", unicodedata.normalize("NFKC", _STAR.sub("star", token)).casefold())
    plain = re.sub(r"'s\b|s'(?=\W|$)", lambda match: "s" if match.group() == "s'" else "", plain)
    decomposed = unicodedata.normalize("NFKD", plain.replace(_TATWEEL, ""))
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    bare = unicodedata.normalize("NFC", bare).translate(_ARABIC_LETTERS)
    return tuple(_singular(word, language) for word in _TOKEN.findall(bare))


def _singular(word: str, language: str) -> str:
    if not language or _IS_CJK.match(word) or word.isdigit():
        return word
    if _IS_ARABIC.match(word):
        return _arabic(word)
    if not word.isascii():
        return word
    return _SINGULARS.get(language, _english)(word)


def _english(word: str) -> str:
    return _IRREGULAR.get(word) or singular(word)


def _spanish(word: str) -> str:
    if len(word) > 4 and word.endswith("ces"):
        return word[:-3] + "z"
    if len(word) > 4 and word.endswith("es") and word[-3] in "lrndjsyz":
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] in "aeiou" else word


def _french(word: str) -> str:
    if len(word) > 4 and word.endswith(("eaux", "eux")):
        return word[:-1]
    if len(word) > 4 and word.endswith("aux"):
        return word[:-3] + "al"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _german(word: str) -> str:
    for ending in ("nen", "en", "er", "es", "e", "n", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            if ending == "nen" and not word.endswith("innen"):
                continue
            return word[: -len(ending)]
    return word


def _arabic(word: str) -> str:
    for prefix in _ARABIC_PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) >= 3:
            word = word[len(prefix) :]
            break
    if word.endswith(("ات", "ون", "ين")) and len(word) >= 5:
        return word[:-2]
    return word[:-1] if word.endswith("ه") and len(word) >= 4 else word


_SINGULARS = {"en": _english, "es": _spanish, "fr": _french, "de": _german}


def _primary(language: str) -> str:
    return language.split("-")[0].lower()
