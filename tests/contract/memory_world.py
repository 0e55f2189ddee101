"""A small world for tests of memory: a record on a given database, a clock to turn, and ways to add what happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from preceptor.domain.claim import Claim
from preceptor.domain.concept import ConceptMap
from preceptor.domain.episode import Episode
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.kinds import AnswerBody, Body, CheckBody, TurnRecordBody, new_episode
from preceptor.record.memory_kinds import QuizBody
from preceptor.record.record import Record
from preceptor.record.record_key import RecordKey
from preceptor.settings import MemorySettings
from preceptor.stores.sql.database import Database
from preceptor.testing.fixed_clock import FixedClock

ANA = Scope(learner_id="ana", subject_id="maths")
BEN = Scope(learner_id="ben", subject_id="maths")
ANA_PHYSICS = Scope(learner_id="ana", subject_id="physics")
START = datetime(2026, 3, 2, 10, tzinfo=UTC)


@dataclass
class World:
    """One record and its memory."""

    database: Database
    settings: MemorySettings = field(default_factory=MemorySettings)
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))

    def __post_init__(self) -> None:
        self.record = Record(self.database, RecordKey(bytes(32)), self.clock)
        self.memory = LearnerMemory(self.record, self.settings)
        self.beliefs = self.memory.beliefs
        self.nightly = self.memory.nightly

    @property
    def map(self) -> ConceptMap:
        return self.memory.maps.map("maths")

    def concept(self, name: str) -> str:
        """Return the id of a concept by its name."""
        return next(one.concept_id for one in self.map.concepts if one.name == name)

    def pass_time(self, **elapsed: float) -> None:
        self.clock.advance(timedelta(**elapsed))

    def add(self, body: Body, scope: Scope = ANA, **fields: Any) -> Episode:
        return self.record.log.append(
            new_episode(body, learner_id=scope.learner_id, subject_id=scope.subject_id, **fields)
        )

    def say(self, words: str, scope: Scope = ANA, **fields: Any) -> Episode:
        fields.setdefault("dialogue_id", "d")
        return self.add(AnswerBody(text=words), scope, **fields)

    def quiz(
        self, topic: str, right: bool = True, scope: Scope = ANA, *, item: str = "How many?", **fields: Any
    ) -> Episode:
        """Add a graded item; its topic is what ties it to a concept."""
        body = QuizBody(item=item, answer="4", verdict="right" if right else "wrong", topic=topic)
        return self.add(body, scope, **fields)

    def check(self, mark: str, scope: Scope = ANA, *, reply: str = "", turn: int = 1, **fields: Any) -> Episode:
        """Add a judged claim in a dialogue, and the tutor's reply to it."""
        fields.setdefault("dialogue_id", "d")
        claim = Claim(start=0, end=1, text="4", value=Fraction(4))
        judged = JudgedClaim(claim=claim, mark=mark, node=fields.pop("node", None))  # type: ignore[arg-type]
        made = self.add(CheckBody(judged=judged), scope, turn=turn, **fields)
        if reply:
            self.add(TurnRecordBody(reply=Reply(text=reply, move=Move.FREE)), scope, turn=turn, **fields)
        return made

    def check_percent(self, right: bool, times: int = 1, scope: Scope = ANA) -> list[Episode]:
        """Add quiz items on percent and let the tutor learn from them, one by one."""
        made = []
        for _ in range(times):
            made.append(self.quiz("percent", right, scope))
            self.beliefs.catch_up(scope)
        return made

    def believed(self, scope: Scope = ANA) -> list[tuple[str, str, float | None]]:
        names = {one.concept_id: one.name for one in self.map.concepts}
        return [(names[one.concept_id], one.claim, one.confidence) for one in self.beliefs.current(scope)]
