"""Teaching the map: a person's note goes to the concept it names, or to a new one with a short name.

Only explicit forms teach; a question never does. The map given is not changed: a new one is returned, so that what a
learner taught can be laid over the subject's map for that learner alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from preceptor.concepts.canonical_key import canonical_key, concept_id_of
from preceptor.concepts.concept_name import clean_name, fold_name, name_words, refusal
from preceptor.concepts.routing import exact
from preceptor.domain.concept import TAUGHT, Concept, ConceptMap, ConceptNote
from preceptor.errors import InputError

MAX_NOTE_CHARS = 400
MAX_MINTED_WORDS = 4
_FORMS: dict[str, str] = {
    "en": r"(?:please )?(?:remember|note|keep in mind|don'?t forget)(?: that|:)\s+(?P<a>.+)"
    r"|(?:please )?(?:remember)\s+(?P<r>.+)|(?:please )?treat (?P<x>.+?) as (?P<y>.+)|from now on,?\s+(?P<b>.+)"
    r"|(?P<c>in (?:our|my) class,? we (?:call|say|write|use) .+)",
    "es": r"(?:por favor,? )?(?:recuerda|acuérdate de|ten en cuenta|no olvides|anota)(?: que|:)\s+(?P<a>.+)"
    r"|trata (?P<x>.+?) como (?P<y>.+)|de ahora en adelante,?\s+(?P<b>.+)",
    "fr": r"(?:rappelle-toi|souviens-toi|retiens|n'oublie pas|note)(?: que| qu'|:)\s*(?P<a>.+)"
    r"|(?:considère|traite) (?P<x>.+?) comme (?P<y>.+)|désormais,?\s+(?P<b>.+)",
    "de": r"(?:bitte )?(?:merk dir|merke dir|denk daran|vergiss nicht|notiere)(?:,? dass|:|,)\s+(?P<a>.+)"
    r"|behandle (?P<x>.+?) (?:als|wie) (?P<y>.+)|ab jetzt,?\s+(?P<b>.+)",
    "ar": r"(?:تذكر|تذكّر|تذكري|لا تنس|ضع في اعتبارك|سجل)(?: أن| ان| أنّ|:)?\s+(?P<a>.+)"
    r"|(?:عامل|اعتبر) (?P<x>.+?) (?:على أنه|على أنها|كأنه|مثل) (?P<y>.+)",
    "zh": r"(?:请)?(?:记住|记得|别忘了|请注意)[，,：:]?\s*(?P<a>.+)"
    r"|(?:把|将)(?P<x>.+?)(?:当作|当成|看作|视为)(?P<y>.+)|从现在起[，,]?\s*(?P<b>.+)",
}
_LINKS = re.compile(
    r"\s+(?:is|are|means?|equals?|stands? for|as|says?|es|son|significa|est|sont|signifie|ist|sind|bedeutet|heißt|"
    r"هو|هي|يعني)\s+"
    r"|(?:就是|是|叫做|叫|等于|表示)"
)
_CALLS = re.compile(
    r"\b(?:we|they|people|nosotros|on|wir)?\s*(?:call|say|write|use|llamamos|appelle|nennen)\s+(?P<t>.+)"
    r"|\bwir\s+(?:(?:den|die|das|eine?n?)\s+)?(?P<w>\w+)\s+(?:\S+\s+)+nennen\b"
    r"|نسمي\s+(?P<u>.+)|(?:我们)?(?:管|把)(?P<v>.+?)叫",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class TeachingRequest:
    """What a person asks the tutor to remember."""

    note: str
    """Without the words that ask."""
    concept_name: str
    """The part that names what it is about: a name of a map is looked for in it, else it is shortened."""


@dataclass(frozen=True, kw_only=True)
class Taught:
    """A map after a note."""

    map: ConceptMap
    concept_id: str
    minted: bool
    """A new concept was made."""


def read_teaching(text: str, language: str) -> TeachingRequest | None:
    """Return what a text teaches, or `None`: it uses no explicit form, or it asks."""
    said = " ".join(text.split())
    if not said or said.endswith(("?", "？", "؟")) or said.startswith("¿"):
        return None
    primary = language.split("-")[0].lower()
    for one in dict.fromkeys((primary, "en")):
        form = _FORMS.get(one)
        match = re.match(form, said, re.IGNORECASE) if form else None
        if match is None:
            continue
        found = {name: part.strip(" .。！!") for name, part in match.groupdict().items() if part}
        if "x" in found:
            return TeachingRequest(note=f"{found['x']} = {found['y']}"[:MAX_NOTE_CHARS], concept_name=found["x"])
        note = next(iter(found.values()))
        if _asks(note, one) or ("r" in found and _LINKS.search(note) is None):
            return None
        return TeachingRequest(note=note[:MAX_NOTE_CHARS], concept_name=_about(note))
    return None


def teach(
    concepts: ConceptMap, concept_name: str, note: str, *, language: str = "en", episode_id: str | None = None
) -> Taught:
    """Return the map with a note on the concept it names, which is then ready: 1.0.

    Args:
        concepts: The map to add to; it stays as it is.
        concept_name: An exact name, or the words that hold one; without one a concept is minted from them at the
            taught layer, with at most `MAX_MINTED_WORDS` words, never a sentence.
        note: What was taught, at most `MAX_NOTE_CHARS` characters.
        language: Of the name and the note.
        episode_id: The episode that records it.

    Raises:
        InputError: The note is empty or too long, or no name can be made of the words.
    """
    if not note.strip() or len(note) > MAX_NOTE_CHARS:
        raise InputError(f"a taught note must be 1..{MAX_NOTE_CHARS} characters, got {len(note)}")
    taught = ConceptNote(text=note, episode_id=episode_id)
    name = ""
    held = exact(concept_name, concepts, language)
    if held is None:
        name = short_name(concept_name, language)
        held = exact(name, concepts, language)
    if held is not None:
        new = replace(held, readiness=TAUGHT, notes=(*held.notes, taught))
        nodes = tuple(new if one.concept_id == held.concept_id else one for one in concepts.concepts)
        return Taught(map=replace(concepts, concepts=nodes), concept_id=held.concept_id, minted=False)
    key = canonical_key(name, language)
    new = Concept(
        concept_id=concept_id_of(concepts.subject_id, key),
        subject_id=concepts.subject_id,
        name=name,
        key=key,
        language=language,
        layer="taught",
        readiness=TAUGHT,
        notes=(taught,),
        provenance=("taught",),
    )
    return Taught(map=replace(concepts, concepts=(*concepts.concepts, new)), concept_id=new.concept_id, minted=True)


def short_name(words: str, language: str) -> str:
    """Return a name of at most `MAX_MINTED_WORDS` words made from the beginning of a text.

    Raises:
        InputError: The text holds no word that may name a concept.
    """
    first = clean_name(_LINKS.split(words.strip(), maxsplit=1)[0])
    parts = re.split(r"[,.;:،؛，。；：]", first)[0].split()
    loose = name_words(language).function
    while parts and fold_name(parts[0]) in loose:
        parts = parts[1:]
    # "the mitochondria the powerhouse of the cell": the name ends where the next phrase begins.
    ends = [place for place, part in enumerate(parts) if place and fold_name(part) in loose]
    parts = parts[: min([MAX_MINTED_WORDS, *ends])]
    while parts and fold_name(parts[-1]) in loose | {"of", "de", "von"}:
        parts = parts[:-1]
    name = " ".join(parts)[:12] if language.startswith("zh") else " ".join(parts)
    if not name or refusal(name, language) is not None:
        raise InputError(f"{words[:80]!r} names no concept: say what the note is about in one to four words")
    return name


def _about(note: str) -> str:
    called = _CALLS.search(note)
    if called:
        return next(part for part in called.groupdict().values() if part)
    return _LINKS.split(note, maxsplit=1)[0].strip() or note


def _asks(note: str, language: str) -> bool:
    """Return whether "remember …" goes on with a question word: "remember what we said about it"."""
    return fold_name(note).split(" ")[0] in _QUESTION_WORDS.get(language, frozenset())


_QUESTION_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset("what how why when where which who whose if".split()),
    "es": frozenset("que como cuando donde cual".split()),
    "fr": frozenset("comment pourquoi quand ou quel quelle".split()),
    "de": frozenset("was wie warum wann wo welche".split()),
}
