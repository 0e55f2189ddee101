"""Teaching the tutor: "remember that in our class we call it …" becomes a `taught` episode and a note on the map.

Only explicit forms teach, in six languages; a question never does. A learner's note is never stored in the subject's
map: it lies in their episodes and is laid over the map for them alone. (seed: A Tutor That Remembers)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from preceptor.concepts.routing import exact
from preceptor.concepts.teaching import read_teaching, short_name, teach
from preceptor.domain.concept import ConceptMap
from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.errors import InputError
from preceptor.memory.phrase_table import LANGUAGES, likely_language
from preceptor.memory.recall import Recall
from preceptor.memory.record_questions import MAX_CHARS, record_question
from preceptor.record.episode_log import opened
from preceptor.record.kinds import body_of
from preceptor.record.memory_kinds import TaughtBody
from preceptor.stores.memory import MemoryState
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore

HELD_SCOPES = 64
"""Maps with a learner's notes kept in memory. (chosen: as the indexes of recall)"""
_FIGURE = re.compile(r"\d")
_WEAK = re.compile(
    r"^(?:please )?(?:note|keep in mind|don'?t forget)\b|^(?:por favor,? )?(?:ten en cuenta|no olvides|anota)\b"
    r"|^(?:note|n'oublie pas)\b|^(?:bitte )?(?:vergiss nicht|notiere|denk daran)\b|^(?:لا تنس|ضع في اعتبارك|سجل)"
    r"|^(?:请注意|别忘了)",
    re.IGNORECASE,
)
"""Said of a step as often as to the tutor ("don't forget that she gives some away"): they teach only what names
something."""
_NAMES_SOMETHING = re.compile(
    r"\b(?:calls?|called|means?|stands? for|llamamos|significa|appelle|signifie|nennen|bedeutet|heißt)\b"
    r"|نسمي|يعني|叫|表示|等于",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Teaching:
    """What a learner's sentence teaches."""

    language: str
    utterance: str
    """The whole sentence."""
    note: str
    concept: str
    """The concept it goes to, or the short name of a new one; "": none could be made of the words."""
    concept_id: str
    is_new: bool


def may_teach(text: str, language: str) -> bool:
    """Whether a text has the form of teaching; what it teaches needs the map. See `teaching_of`."""
    return not _is_no_form(text, language) and any(
        code in LANGUAGES and read_teaching(text, code) is not None for code in _codes(text, language)
    )


def teaching_of(text: str, concepts: ConceptMap, language: str) -> Teaching | None:
    """Return what a text teaches; `None`: it uses no explicit form, asks, or is work on a problem.

    Args:
        text: What the learner wrote.
        concepts: The subject's map with their earlier notes.
        language: As far as known, BCP 47; the text's own small words may say otherwise.

    A note with figures ("note that 3 + 4 = 7") is work, unless it names a concept of the map.
    """
    if _is_no_form(text, language):
        return None
    for code in _codes(text, language):
        request = read_teaching(text, code) if code in LANGUAGES else None
        if request is None:
            continue
        held = exact(request.concept_name, concepts, code)
        if held is None:
            try:
                name = short_name(request.concept_name, code)
            except InputError:
                name = ""
            held = exact(name, concepts, code) if name else None
        if held is None and _FIGURE.search(request.note):
            return None
        if held is None and not name:
            return Teaching(language=code, utterance=text, note=request.note, concept="", concept_id="", is_new=False)
        taught = teach(concepts, request.concept_name, request.note, language=code)
        name = taught.map.by_id[taught.concept_id].name
        return Teaching(
            language=code,
            utterance=text,
            note=request.note,
            concept=name,
            concept_id=taught.concept_id,
            is_new=taught.minted,
        )
    return None


def _is_no_form(text: str, language: str) -> bool:
    if len(text) > MAX_CHARS or record_question(text, language, learned=False) is not None:
        return True
    said = text.strip()
    return _WEAK.search(said) is not None and _NAMES_SOMETHING.search(said) is None


def _codes(text: str, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((likely_language(text, language), language.split("-")[0].lower())))


class TaughtNotes:
    """Lays what a learner taught over the subject's map. Safe to use from several threads."""

    def __init__(self, recall: Recall, episodes: EpisodeStore) -> None:
        """Keep the index, which knows the episodes of a kind at once, and the log."""
        self._recall = recall
        self._episodes = episodes
        self._lock = Lock()
        self._held: dict[Scope, tuple[tuple[str, ...], ConceptMap, ConceptMap]] = {}

    def over(self, scope: Scope, concepts: ConceptMap, state: MemoryState | None = None) -> ConceptMap:
        """Return the map with this learner's notes; without any the map itself. `state`: as in `Recall.recall`."""
        ids = self._recall.ids_of_kind(scope, "taught", state)
        if not ids:
            return concepts
        with self._lock:
            known = self._held.get(scope)
        if known is not None and known[0] == ids and known[1] is concepts:
            return known[2]
        query = EpisodeQuery(learner_id=scope.learner_id, subject_id=scope.subject_id, episode_ids=ids)
        laid = with_notes(concepts, [opened(sealed) for sealed in self._episodes.find(query)])
        with self._lock:
            while len(self._held) >= HELD_SCOPES:
                self._held.pop(next(iter(self._held)))
            self._held[scope] = (ids, concepts, laid)
        return laid


def with_notes(concepts: ConceptMap, taught: Sequence[Episode]) -> ConceptMap:
    """Return a map with the notes of `taught` episodes, oldest first; those that were erased are left out."""
    for episode in taught:
        body = body_of(episode, TaughtBody)
        if body is None or not body.concept:
            continue
        try:
            concepts = teach(
                concepts, body.concept, body.note, language=episode.language, episode_id=episode.episode_id
            ).map
        except InputError:
            continue
    return concepts
