"""A small history of one learner for tests of the block, and the builder over it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from preceptor.concepts.canonical_key import canonical_key
from preceptor.concepts.vectors import ConceptVectors
from preceptor.domain.belief import Belief
from preceptor.domain.concept import EXPLAINED, BuildsOn, Concept, ConceptMap
from preceptor.domain.episode import Episode
from preceptor.domain.problem import Problem
from preceptor.domain.scope import Scope
from preceptor.memory.block import BlockBuilder, MemoryBlock
from preceptor.memory.recall import Recall
from preceptor.memory.teaching import TaughtNotes
from preceptor.models.embedder import Embedder
from preceptor.record.kinds import AnswerBody, Body, QuestionBody, new_episode
from preceptor.record.memory_kinds import QuizBody, TaughtBody
from preceptor.record.record import Record, open_record
from preceptor.settings import MemorySettings, Settings

ANA = Scope(learner_id="ana", subject_id="cells")
NOW = datetime(2026, 9, 20, 9, tzinfo=UTC)
JULY = datetime(2026, 7, 12, 10, tzinfo=UTC)


def concept(name: str) -> Concept:
    """Return a concept that a file explains."""
    return Concept(
        concept_id=name.lower(),
        subject_id="cells",
        name=name,
        key=canonical_key(name, "en"),
        language="en",
        readiness=EXPLAINED,
        gist=f"{name} is a part of the cell.",
    )


CELLS = ConceptMap(
    subject_id="cells",
    concepts=tuple(map(concept, ("Membrane", "Cytoplasm", "Mitochondria"))),
    edges=(
        BuildsOn(concept_id="cytoplasm", prerequisite_id="membrane"),
        BuildsOn(concept_id="mitochondria", prerequisite_id="cytoplasm"),
    ),
)


class OneMap:
    """The same map for every subject, without vectors."""

    def map(self, subject_id: str) -> ConceptMap:
        """Return it."""
        return CELLS

    def vectors(self, concepts: ConceptMap) -> ConceptVectors | None:
        """Return none."""
        return None


class Held:
    """Beliefs as a test gives them."""

    def __init__(self, *beliefs: Belief) -> None:
        self._beliefs = beliefs

    def current(self, scope: Scope) -> Sequence[Belief]:
        """Return those of the scope."""
        return [one for one in self._beliefs if one.learner_id == scope.learner_id]

    def rows(self, scope: Scope) -> Sequence[Belief]:
        """Return the same."""
        return self.current(scope)


class History:
    """A record with a builder over it."""

    def __init__(
        self, home: Path, *beliefs: Belief, embedder: Embedder | None = None, budget: int = 1200, **settings: Any
    ) -> None:
        self.record: Record = open_record(Settings(home=home), lambda: NOW)
        chosen = MemorySettings(**settings)
        recall = Recall(self.record.episodes, self.record.memory, embedder, chosen)
        self.builder = BlockBuilder(
            recall,
            self.record.memory,
            OneMap(),
            TaughtNotes(recall, self.record.episodes),
            chosen,
            beliefs=Held(*beliefs),
            embedder=embedder,
            budget=budget,
        )

    def add(self, body: Body, at: datetime = JULY, *, scope: Scope = ANA, **fields: Any) -> Episode:
        """Append one episode."""
        fields.setdefault("dialogue_id", "d1")
        return self.record.log.append(
            new_episode(body, learner_id=scope.learner_id, subject_id=scope.subject_id, occurred_at=at, **fields)
        )

    def july(self) -> list[Episode]:
        """Append a problem, a question, a missed item, an item passed three times, and in September a note."""
        found = [
            self.add(QuestionBody(problem=Problem(problem_id="p", text="Name the parts of the cell."))),
            self.add(AnswerBody(text="Can we go over the cytoplasm again?"), JULY + timedelta(minutes=1), turn=1),
            self.add(
                QuizBody(item="Where is energy released?", answer="in the membrane", verdict="wrong"),
                JULY + timedelta(minutes=2),
                turn=2,
            ),
        ]
        for place in range(3):
            item = QuizBody(item="What is around the cell?", answer="a membrane", verdict="right")
            found.append(self.add(item, JULY + timedelta(minutes=3 + place), turn=3 + place))
        note = "in our class we call the mitochondria the powerhouse of the cell"
        found.append(
            self.add(
                TaughtBody(note=note, utterance=f"Remember that {note}", concept="Mitochondria"),
                NOW - timedelta(days=2),
                dialogue_id="d2",
                turn=1,
            )
        )
        return found

    def ask(self, question: str, *, scope: Scope = ANA, language: str = "en", zone: str = "UTC") -> MemoryBlock:
        """Return the block for a question of today."""
        return self.builder.build(scope, question, now=NOW, time_zone=zone, language=language)


def belief(concept_id: str, claim: str = "understands", confidence: float = 0.72) -> Belief:
    """Return a belief about Ana."""
    return Belief(
        belief_id=f"b-{concept_id}", learner_id=ANA.learner_id, subject_id=ANA.subject_id, concept_id=concept_id,
        claim="understands" if claim == "understands" else "struggles", confidence=confidence, provenance="tutor",
        reason="check", valid_from=JULY, recorded_at=JULY,
    )  # fmt: skip
