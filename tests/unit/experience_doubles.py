"""A small embedder and candidates for tests of the experience repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from preceptor.domain.experience import (
    Experience,
    ExperienceProvenance,
    ExperienceValue,
    SourceTurn,
    new_experience,
)
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.models.embedder import Vector
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite
from preceptor.stores.sql.experiences import SqlExperienceStore

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STATE = LearnerState(
    emotion=Emotion.CONFUSED,
    intent=Intent.REQUEST_HINT,
    error_type=ErrorType.LOGIC_ERROR,
    struggle_status=StruggleStatus.REPEATED_ERROR,
)


class AngleEmbedder:
    """Puts each sentence at an angle in a plane: the cosine of two is that of the difference."""

    fingerprint = "angles"
    languages = ("en",)
    dimensions = 2

    def __init__(self, degrees: Mapping[str, float]) -> None:
        self._degrees = degrees

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector | None:
        if text not in self._degrees:
            return None
        angle = np.deg2rad(self._degrees[text])
        return np.array([np.cos(angle), np.sin(angle)], np.float32)


def open_store(folder: Path) -> SqlExperienceStore:
    return SqlExperienceStore(Database(open_sqlite(folder / "preceptor.sqlite3")))


def candidate(
    sentence: str,
    *,
    state: LearnerState = STATE,
    turn: int = 0,
    dialogue: str = "d1",
    embedder: str = "angles",
    pitfalls: tuple[str, ...] = (),
    percent: float = 95.0,
    strategy: str = "asks what each part counts",
) -> Experience:
    return new_experience(
        state=state,
        sentence=sentence,
        embedder=embedder,
        value=ExperienceValue(
            triggering_difficulty=sentence, applied_strategy=strategy, undesirable_behaviours=pitfalls
        ),
        provenance=ExperienceProvenance(
            sources=(SourceTurn(dialogue_id=dialogue, turn=turn),), admission_percent=percent, batch="b1"
        ),
        created_at=NOON,
    )
