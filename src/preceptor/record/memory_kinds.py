"""The kinds of episode that the learner's memory adds: quiz items, what was taught, files, the day's note."""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Literal

from preceptor.domain.episode import SALIENCE, Provenance
from preceptor.record.body import Body, one_line


class QuizBody(Body):
    """One graded item of a quiz or practice."""

    kind: ClassVar[str] = "quiz"
    actor: ClassVar[str] = "tutor"
    provenance: ClassVar[Provenance] = "tutor"

    item: str
    """The question as it was put."""
    answer: str
    """What the learner gave."""
    verdict: Literal["right", "wrong"] | None
    """`None`: not graded."""
    quiz_id: str | None = None
    topic: str = ""
    """The item's topic in the quiz's own words; "" where it names none."""

    def headline(self) -> str:
        """Return verdict and item."""
        return one_line(f"{self.verdict or 'not graded'}: {self.item}")

    def salience(self) -> float | None:
        """Return the salience of a passed or missed item; `None` where nothing was decided."""
        return {"right": SALIENCE["quiz_passed"], "wrong": SALIENCE["quiz_missed"]}.get(self.verdict or "")


class TaughtBody(Body):
    """What a person told the tutor to keep."""

    kind: ClassVar[str] = "taught"
    actor: ClassVar[str] = "learner"
    provenance: ClassVar[Provenance] = "learner"

    note: str
    """What is to be kept, in their words."""
    utterance: str
    """The whole sentence that taught it."""
    concept: str
    """The name of the concept it was attached to, or of the new one."""
    is_new_concept: bool = False

    def headline(self) -> str:
        """Return the note."""
        return one_line(self.note)


class FileBody(Body):
    """A file of the subject arrived, was replaced or removed; its fingerprint stands in the episode's evidence."""

    kind: ClassVar[str] = "file"
    actor: ClassVar[str] = "instructor"
    provenance: ClassVar[Provenance] = "system"

    name: str
    change: Literal["added", "replaced", "removed"] = "added"
    page_count: int | None = None

    def headline(self) -> str:
        """Return change and name."""
        return one_line(f"{self.change}: {self.name}")


class ConsolidationBody(Body):
    """One day of one learner's subject, counted by the nightly loop without a model."""

    kind: ClassVar[str] = "consolidation"
    actor: ClassVar[str] = "system"
    provenance: ClassVar[Provenance] = "system"

    day: date
    """The day in the learner's time zone."""
    counts: dict[str, int]
    """Kind → episodes; never of this kind."""
    checks_right: int = 0
    checks_wrong: int = 0
    topics: tuple[str, ...] = ()
    headlines: tuple[str, ...] = ()
    """Summaries of the most salient episodes, at most five."""
    episode_ids: tuple[str, ...] = ()
    """The episodes behind `headlines`."""

    def headline(self) -> str:
        """Return day and counts."""
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(self.counts.items()))
        return one_line(f"{self.day.isoformat()}: {counts}")


class DenialBody(Body):
    """The learner says that what the tutor believes of them is not true."""

    kind: ClassVar[str] = "denial"
    actor: ClassVar[str] = "learner"
    provenance: ClassVar[Provenance] = "learner"

    belief_id: str
    """The row they saw."""
    concept_id: str
    concept: str
    """The concept's name as they saw it."""
    claim: Literal["understands", "struggles"]
    note: str = ""
    """What they said about it."""

    def headline(self) -> str:
        """Return what is denied, and their words."""
        return one_line(f"not true: {self.claim} {self.concept}{f' ({self.note})' if self.note else ''}")
