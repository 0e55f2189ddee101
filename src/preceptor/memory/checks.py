"""Which concept a check was about: by the step it stands at, by what is said of it at writing, or by the topic's name.

A topic that is something said ("ask me the questions") names nothing, and the learner's own words never do: such a
check stays on record and becomes no belief.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, Literal, cast

from preceptor.concepts.from_problems import concepts_of_step, maths_concepts
from preceptor.concepts.routing import topic_concept
from preceptor.domain.concept import Concept, ConceptMap
from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.memory.episode_text import is_evidence, verdict_of
from preceptor.record.episode_log import opened
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore

MapOf = Callable[[str], ConceptMap]
"""Subject → its map."""
_KINDS = ("question", "check", "quiz", "turn_record", "denial")


@dataclass(frozen=True, kw_only=True)
class CheckEvent:
    """A decided check or quiz item, and the concepts it counts for; none: it could not be tied to one."""

    episode_id: str
    sequence: int
    occurred_at: datetime
    recorded_at: datetime
    verdict: Literal["right", "wrong"]
    concept_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DenialEvent:
    """The learner said that a belief is not true."""

    episode_id: str
    sequence: int
    occurred_at: datetime
    concept_ids: tuple[str, ...]
    """The one it is about."""
    claim: Literal["understands", "struggles"]


class CheckReader:
    """Reads checks and denials off the log and ties them to concepts."""

    def __init__(self, episodes: EpisodeStore, map_of: MapOf) -> None:
        """Keep the log and where maps come from."""
        self._episodes = episodes
        self._map_of = map_of

    def of_turn(self, scope: Scope, dialogue_id: str, turn: int) -> list[CheckEvent | DenialEvent]:
        """Return the events of one turn, by sequence."""
        found = self._find(scope, dialogue_id=dialogue_id, turn=turn, kinds=_KINDS)
        return self._events(scope, found)

    def of_scope(self, scope: Scope, *, after_sequence: int = 0) -> list[CheckEvent | DenialEvent]:
        """Return the events of a scope after a link, by sequence."""
        found = self._find(scope, after_sequence=after_sequence, kinds=_KINDS)
        return self._events(scope, found)

    def _find(self, scope: Scope, **fields: Any) -> list[Episode]:
        query = EpisodeQuery(learner_id=scope.learner_id, subject_id=scope.subject_id, **fields)
        return [opened(sealed) for sealed in self._episodes.find(query)]

    def _events(self, scope: Scope, found: Sequence[Episode]) -> list[CheckEvent | DenialEvent]:
        concepts = self._map_of(scope.subject_id)
        turns = _Turns(self, scope, found)
        counted: set[tuple[str | None, int | None, str, str]] = set()
        events: list[CheckEvent | DenialEvent] = []
        for episode in sorted(found, key=lambda one: one.sequence):
            if not is_evidence(episode):
                continue
            if episode.kind == "denial":
                events.append(_denial(episode))
                continue
            verdict = verdict_of(episode)
            if verdict is None:
                continue
            tied = []
            for concept_id in _tie(episode, concepts, turns):
                key = (episode.dialogue_id, episode.turn, concept_id, verdict)
                if episode.kind == "check" and episode.turn is not None:
                    if key in counted:  # the same thing said twice in one message is one check
                        continue
                    counted.add(key)
                tied.append(concept_id)
            events.append(
                CheckEvent(
                    episode_id=episode.episode_id,
                    sequence=episode.sequence,
                    occurred_at=episode.occurred_at,
                    recorded_at=episode.recorded_at,
                    verdict=cast(Literal["right", "wrong"], verdict),
                    concept_ids=tuple(tied),
                )
            )
        return events


class _Turns:
    """What stands around checks: their dialogue's problem and their turn's record."""

    def __init__(self, reader: CheckReader, scope: Scope, found: Sequence[Episode]) -> None:
        self._reader = reader
        self._scope = scope
        self._records = {
            (one.dialogue_id, one.turn): one.body for one in found if one.kind == "turn_record" and one.body is not None
        }
        self._problems: dict[str, Mapping[str, Any] | None] = {}

    def problem(self, dialogue_id: str | None) -> Mapping[str, Any] | None:
        """Return a dialogue's problem as it stands on record, with the tutor's own reference where it has one."""
        if dialogue_id is None:
            return None
        if dialogue_id not in self._problems:
            asked = self._reader._find(self._scope, dialogue_id=dialogue_id, kinds=("question",))
            given = [one.body["problem"] for one in asked if one.body is not None and one.body.get("problem")]
            self._problems[dialogue_id] = cast(Mapping[str, Any], given[-1]) if given else None
        return self._problems[dialogue_id]

    def record(self, episode: Episode) -> Mapping[str, Any]:
        """Return the record of an episode's turn; empty where there is none."""
        return self._records.get((episode.dialogue_id, episode.turn)) or {}


def _tie(episode: Episode, concepts: ConceptMap, turns: _Turns) -> tuple[str, ...]:
    held = tuple(one for one in dict.fromkeys(episode.concept_ids) if one in concepts.by_id)
    if held:
        return held
    assert episode.body is not None
    if episode.kind == "quiz":
        topic, evaluation = str(episode.body.get("topic", "")), str(episode.body.get("item", ""))
    else:
        if _said_before(episode, turns):
            return ()
        of_step = _of_step(episode, concepts, turns)
        if of_step:
            return of_step
        topic, evaluation = "", _evaluation(turns.record(episode))
    found = topic_concept(topic, concepts, episode.language, evaluation=evaluation or None)
    return (found.concept_id,) if found is not None else ()


def _said_before(episode: Episode, turns: _Turns) -> bool:
    """Whether a right claim only says again what an earlier turn of the dialogue had reached: no new evidence."""
    judged = cast(Mapping[str, Any], (episode.body or {})["judged"])
    reached = (turns.record(episode).get("observation") or {}).get("newly_reached")
    node = judged.get("node")
    return judged.get("mark") == "right" and node is not None and reached is not None and node not in reached


def _of_step(episode: Episode, concepts: ConceptMap, turns: _Turns) -> tuple[str, ...]:
    """Return the concepts of the step that a claim stands at, or that a wrong claim went off at."""
    problem = turns.problem(episode.dialogue_id)
    if problem is None or not problem.get("solution"):
        return ()
    language = str(problem.get("language", "en"))
    graph = _graph(str(problem["text"]), str(problem["solution"]), problem.get("answer"), language)
    judged = cast(Mapping[str, Any], (episode.body or {})["judged"])
    node = judged.get("node")
    if node is None and judged.get("mark") == "wrong":
        node = (turns.record(episode).get("observation") or {}).get("first_wrong_node")
    if graph is None or not isinstance(node, int) or not 0 <= node < len(graph.nodes):
        return ()
    found = [
        one
        for one in concepts_of_step(graph.nodes[node], language=language, subject_id=episode.subject_id)
        if one.concept_id in concepts.by_id
    ]
    telling = [one for one in found if not _is_general(one)]
    return tuple(one.concept_id for one in telling or found)


def _evaluation(record: Mapping[str, Any]) -> str:
    reply = record.get("reply")
    return str(reply.get("text", "")) if isinstance(reply, Mapping) else ""


def _is_general(concept: Concept) -> bool:
    return concept.name in _general_names()


@cache
def _general_names() -> frozenset[str]:
    """Return the names of concepts that only name an operation: a step counts for what it tells beyond that."""
    return frozenset(row.names["en"] for row in maths_concepts().values() if row.general)


@lru_cache(maxsize=512)
def _graph(text: str, solution: str, answer: str | None, language: str) -> StepGraph | None:
    return build_step_graph(text, solution, answer, language)


def _denial(episode: Episode) -> DenialEvent:
    assert episode.body is not None
    return DenialEvent(
        episode_id=episode.episode_id,
        sequence=episode.sequence,
        occurred_at=episode.occurred_at,
        concept_ids=(str(episode.body["concept_id"]),),
        claim=cast(Literal["understands", "struggles"], episode.body["claim"]),
    )
