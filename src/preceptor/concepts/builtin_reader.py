"""The concept reader without a model: marked terms, definitions, glossaries, headings and how often the file uses them.

A name needs one plain sign that the author introduces it; frequency alone makes no concept.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from preceptor.concepts.canonical_key import canonical_key, key_words
from preceptor.concepts.concept_name import clean_name, fold_name, name_words, refusal
from preceptor.concepts.definitions import definitions_in
from preceptor.concepts.material_text import EMPHASISED, MARKED, Line, lines_of, sentences_of, unmarked
from preceptor.concepts.prerequisites import TermUse, assumed_in, builds_on, named_in
from preceptor.concepts.reader import MAX_CONCEPTS, Material
from preceptor.domain.concept import ConceptReading, ReadConcept, RefusedName

ENGINE = "builtin"
_WEIGHTS = {
    "entry": 5.0,
    "called": 4.0,
    "marked": 3.0,
    "topic": 3.0,
    "heading": 2.0,
    "subject": 2.0,
    "repeated": 2.0,
    "emphasised": 1.0,
    "title": 1.0,
}
"""What each sign is worth. (chosen by reading the concepts of three texts; never fitted)"""
LEAST_SCORE = 3.0
"""One marked term, or two weaker signs. (chosen)"""
_RANKS = {"entry": 10, "called": 8, "subject": 6, "section": 4, "marked": 3, "emphasised": 1}
_DEFINES, _EXPLAINS, _TELLS = 5, 4, 2
"""From which rank a sentence says what the concept is (edges are read from it), explains it, may stand as the gist."""
MAX_GIST_CHARS = 200
MAX_DEFINITION_CHARS = 320
FEW = 4
"""A file that introduces fewer concepts also gives the phrases it keeps repeating. (chosen: in a file that marks its
terms, what else is repeated belongs to its stories)"""
LEAST_REPEATS, MOST_REPEATED = 7, 4
_MOST_TRIED = 50
_GERUNDS = frozenset("solving using finding understanding introducing writing implementing applying graphing".split())
_APPLIED = frozenset("application applications problem problems example examples aplicaciones anwendungen".split())


@dataclass
class _Candidate:
    key: str
    names: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)
    place: int = 10**12
    """Where it is first introduced."""
    pages: list[int] = field(default_factory=list)
    definition: str | None = None
    definition_rank: int = 0
    definition_place: int = 10**12

    def score(self, uses: int) -> float:
        signs = sum(_WEIGHTS[sign] * min(2.0, 1 + 0.25 * (n - 1)) for sign, n in self.signs.items())
        return signs + min(2.0, math.log2(1 + uses) / 3)


class BuiltinConceptReader:
    """Reads a file's concepts by its own wording; the same file always gives the same concepts."""

    async def read(self, material: Material) -> ConceptReading:
        """See `ConceptReader.read`; needs no model and raises nothing."""
        return read_concepts(material)


def read_concepts(material: Material) -> ConceptReading:
    """Return what the builtin reader finds in a file."""
    lines = lines_of(material)
    body = _Uses(lines, material.language)
    found: dict[str, _Candidate] = {}
    refused: dict[str, str] = {}
    topic = next((line for line in lines if line.kind == "heading"), None)
    sections = _first_sentences(lines, material.language)
    for line in lines:
        for name, sign, sentence, place in _signs(line, material.language, body, is_topic=line is topic):
            if sign in {"heading", "topic"}:
                sentence = sections.get((line.place, canonical_key(name, material.language)))
            reason = refusal(name, material.language)
            key = canonical_key(name, material.language)
            if reason or not key:
                refused.setdefault(name, reason or "holds no word")
                continue
            _note(found.setdefault(key, _Candidate(key=key)), name, sign, line, sentence, place)
    kept = _kept(found, body, material.language)
    if len(kept) < FEW:
        _add_repeated(found, lines, material.language)
        kept = _kept(found, body, material.language)
    kept.sort(key=lambda one: one.place)
    return ConceptReading(
        subject_id=material.subject_id,
        document_id=material.document_id,
        fingerprint=material.fingerprint,
        language=material.language,
        engine=ENGINE,
        concepts=_with_edges(kept, body, lines, material.language),
        page_fingerprints={page.page: page.fingerprint for page in material.pages},
        refused=tuple(RefusedName(name=name, reason=reason) for name, reason in refused.items()),
    )


def _kept(found: dict[str, _Candidate], body: _Uses, language: str) -> list[_Candidate]:
    """Return the candidates with signs enough, the surest first, at most the bound."""
    scored = sorted(((one.score(body.count(one.key)), one) for one in found.values()), key=lambda pair: -pair[0])
    kept = [one for score, one in scored if score >= LEAST_SCORE and _is_used(one, body)]
    return [one for one in kept if not _joins_two(one, found, language)][:MAX_CONCEPTS]


class _Uses:
    """How often, and where first, the file's running text uses a key."""

    def __init__(self, lines: Iterable[Line], language: str) -> None:
        self._words: list[str] = []
        self._places: list[int] = []
        self._at: dict[str, list[int]] = {}
        self._known: dict[str, tuple[int, int | None]] = {}
        for line in lines:
            if line.kind == "heading":
                continue
            # A name never runs over the end of a line: "" parts the lines.
            for word in (*key_words(unmarked(f"{line.term or ''} {line.text}"), language), ""):
                self._at.setdefault(word, []).append(len(self._words))
                self._words.append(word)
                self._places.append(line.place)

    def count(self, key: str) -> int:
        """Return how often a key stands in the text as whole words."""
        return self._look(key)[0]

    def first(self, key: str) -> int | None:
        """Return the place of the line that first uses a key."""
        return self._look(key)[1]

    def _look(self, key: str) -> tuple[int, int | None]:
        if key not in self._known:
            words = list(key_words(key, ""))
            starts = self._at.get(words[0], []) if words else []
            hits = [start for start in starts if self._words[start : start + len(words)] == words]
            self._known[key] = len(hits), self._places[hits[0]] if hits else None
        return self._known[key]


def _signs(line: Line, language: str, body: _Uses, *, is_topic: bool) -> Iterable[tuple[str, str, str | None, int]]:
    """Yield (name, sign, the sentence that explains it, place) for everything a line may introduce."""
    if line.kind == "heading":
        for name in heading_names(line.text, language):
            if body.count(canonical_key(name, language)) >= (1 if is_topic else 2):
                yield name, "topic" if is_topic else "heading", None, line.place
        return
    if line.exercise:
        return
    if line.kind == "title":
        yield clean_name(line.text), "title", None, line.place
        return
    if line.term:
        yield line.term, "entry", f"{line.term}: {unmarked(line.text)}", line.place
    for sentence in sentences_of(line):
        marked = [clean_name(next(filter(None, match.groups()))) for match in MARKED.finditer(sentence.text)]
        emphasised = [clean_name(next(filter(None, match.groups()))) for match in EMPHASISED.finditer(sentence.text)]
        defined = definitions_in(sentence.text, language)
        plain = unmarked(sentence.text)
        for name in marked:
            # In Chinese two bold characters are more often stressed than introduced.
            loud = language.startswith("zh") and len(name) < 3
            yield name, "emphasised" if loud else "marked", plain, sentence.place
        for name in emphasised:
            yield name, "emphasised", plain, sentence.place
        stressed = {canonical_key(name, language) for name in (*marked, *emphasised)}
        for one in defined:
            # "a number is a …" of a subject that is not marked counts only where the file goes on using the name.
            key = canonical_key(one.name, language)
            if one.strong or key in stressed or body.count(key) >= 3:
                yield one.name, "called" if one.strong else "subject", plain, sentence.place


def _first_sentences(lines: Iterable[Line], language: str) -> dict[tuple[int, str], str]:
    """Return for (a heading's place, a key in it) the first sentence of its section that names the key."""
    out: dict[tuple[int, str], str] = {}
    open_keys: dict[str, int] = {}
    for line in lines:
        if line.kind == "heading":
            open_keys = {canonical_key(name, language): line.place for name in heading_names(line.text, language)}
            continue
        if line.kind != "prose" or not open_keys or line.exercise:
            continue
        for sentence in sentences_of(line):
            plain = unmarked(sentence.text)
            if plain.endswith(("?", "？", "؟", ":", "：")):
                continue
            for key in named_in(plain, [key for key in open_keys if key], language):
                out[open_keys.pop(key), key] = plain
    return out


def heading_names(heading: str, language: str) -> tuple[str, ...]:
    """Return the names in a heading: without its leading verb, article and number, cut at "and"."""
    name = clean_name(heading)
    words = name.split()
    orders = name_words(language).order
    while len(words) > 1 and (fold_name(words[0]) in orders or _is_gerund(words[0], language)):
        words = words[1:]
        while len(words) > 1 and fold_name(words[0]) in {"a", "an", "the", "to", "with", "of", "del", "de"}:
            words = words[1:]
    while len(words) > 1 and fold_name(words[-1]) in _APPLIED:
        words = words[:-1]
    parts = re.split(r"\s+(?:and|y|et|und|with|using|con|avec|mit)\s+|、|与|和", " ".join(words), flags=re.IGNORECASE)
    return tuple(part for part in (clean_name(part) for part in parts) if part and len(part.split()) <= 4)


def _is_gerund(word: str, language: str) -> bool:
    return language.startswith("en") and word.casefold() in _GERUNDS


def _add_repeated(found: dict[str, _Candidate], lines: Iterable[Line], language: str) -> None:
    """Add phrases of two or three words without function words that the running text uses again and again."""
    words = name_words(language)
    loose = words.function | words.order | words.plain | frozenset("of de du des del".split())
    counts: Counter[str] = Counter()
    seen: dict[str, tuple[str, Line]] = {}
    for line in lines:
        if line.kind == "heading" or line.exercise:
            continue
        for clause in re.split(r"[^\w\s'’-]+", unmarked(line.text)):
            parts = clause.split()
            for size in (2, 3):
                for start in range(len(parts) - size + 1):
                    name = " ".join(parts[start : start + size])
                    if not any(fold_name(part) in loose or len(part) < 3 for part in parts[start : start + size]):
                        key = canonical_key(name, language)
                        counts[key] += 1
                        seen.setdefault(key, (name, line))
    taken = 0
    for key, n in counts.most_common(_MOST_TRIED):
        if n < LEAST_REPEATS or taken == MOST_REPEATED:
            break
        longer = max((m for other, m in counts.items() if key != other and f" {key} " in f" {other} "), default=0)
        name, line = seen[key]
        if (
            longer < n * 0.8
            and key not in found
            and refusal(name, language) is None
            and name.replace(" ", "").isalpha()
        ):
            taken += 1
            one = found.setdefault(key, _Candidate(key=key))
            _note(one, name.lower() if language != "de" else name, "repeated", line, None, line.place)


def _joins_two(one: _Candidate, found: dict[str, _Candidate], language: str) -> bool:
    """Return whether a name is two names joined by "and", one of which stands for itself."""
    name = one.names.most_common(1)[0][0]
    parts = re.split(r"\s+(?:and|y|e|et|und|&)(?: other)?\s+|、|与|和", name)
    return len(parts) > 1 and any(canonical_key(part, language) in found for part in parts)


def _note(one: _Candidate, name: str, sign: str, line: Line, sentence: str | None, place: int) -> None:
    one.names[name] += 1
    rank_sign = "section" if sign in {"heading", "topic"} else sign
    one.signs[sign] += 1
    one.place = min(one.place, place)
    if line.page not in one.pages:
        one.pages.append(line.page)
    rank = _RANKS.get(rank_sign, 0)
    if rank and sentence and re.search(r"\d", sentence):
        rank -= 3 if sign == "called" else 1  # "the 80 is called the base" speaks of an example
    if sentence and rank > one.definition_rank:
        one.definition, one.definition_rank, one.definition_place = sentence, rank, place


def _is_used(one: _Candidate, body: _Uses) -> bool:
    """Refuse what stands in the file once: a name it introduces and never uses again is an aside."""
    return one.signs["entry"] > 0 or body.count(one.key) >= 2


def _with_edges(kept: list[_Candidate], body: _Uses, lines: Iterable[Line], language: str) -> tuple[ReadConcept, ...]:
    uses = [
        TermUse(
            key=one.key,
            place=min(one.place, first if (first := body.first(one.key)) is not None else one.place),
            introduced=one.place,
            definition=one.definition if one.definition_rank >= _DEFINES else None,
        )
        for one in kept
    ]
    edges = builds_on(uses, language)
    assumed = assumed_in(lines, uses, language)
    names = {one.key: _shown(one, language) for one in kept}
    return tuple(
        ReadConcept(
            name=names[one.key],
            gist=_cut(one.definition, MAX_GIST_CHARS) if one.definition_rank >= _TELLS else None,
            definition=_cut(one.definition, MAX_DEFINITION_CHARS) if one.definition_rank >= _DEFINES else None,
            explained=one.definition_rank >= _EXPLAINS,
            builds_on=tuple(names[key] for key in edges[one.key]),
            assumes=assumed.get(one.key, ()),
            pages=tuple(sorted(one.pages)),
        )
        for one in kept
    )


def _shown(one: _Candidate, language: str) -> str:
    """Return the spelling to show: the most frequent, and of equals the one in lower case, then the shortest."""
    best = max(one.names.items(), key=lambda item: (item[1], item[0][:1].islower(), -len(item[0]), item[0]))[0]
    words = best.split()
    articles = {"a", "an", "the", "el", "la", "los", "las", "le", "les", "der", "die", "das"}
    return " ".join(words[1:]) if len(words) > 1 and words[0].casefold() in articles else best


def _cut(text: str | None, limit: int) -> str | None:
    if text is None or len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0] + "…"
