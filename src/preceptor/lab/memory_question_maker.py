"""Questions from a history's own records: what must be shown follows from what was written, and from nothing else.

Edges: `edge:A->B` says that A builds on B, so B is what to revise before A. The seed's benchmark had this reversed for
a long time; a test of its own holds it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from preceptor.lab.memory_deck import Deck, DeckQuestions, Wordings, deck
from preceptor.lab.memory_generator import Made, monday_before
from preceptor.lab.memory_histories import Entry, ForbiddenWindow, Question, QuestionKind
from preceptor.memory.time_phrases import TimeWindow, month_days

MONTHS_BACK = 11
"""Months whose name, without a year, means exactly one month."""


class QuestionMaker:
    """Asks one history."""

    def __init__(self, made: Made, rng: random.Random, *, prefix: str = "q", wordings: Wordings = "questions") -> None:
        """Keep the history; ids of questions begin with the prefix."""
        self.history, self.asked_at = made.history, made.asked_at
        self.deck: Deck = deck(made.history.language)
        self.words: DeckQuestions = getattr(self.deck, wordings)
        self.rng = rng
        self._prefix = prefix
        self._count = 0

    def questions(self) -> Iterator[Question]:
        """Yield questions of every kind the history can be asked."""
        words, rng = self.words, self.rng
        for text in rng.sample(words.got_wrong, 2):
            yield from self.got_wrong(text, None)
        wrong_months = [one for one in self.months() if self._wrong(window=self.window(one))]
        for month in rng.sample(wrong_months, min(1, len(wrong_months))):
            yield from self.got_wrong(self._of_month(rng.choice(words.got_wrong_month), month), self.window(month))
        founded = [one for one in self.history.concepts if one.builds_on]
        for concept, text in zip(
            rng.sample(founded, min(2, len(founded))), (rng.choice(words.prerequisite) for _ in range(2)), strict=False
        ):
            yield self.prerequisite(concept.name, text.format(concept=concept.name))
        concept = rng.choice(self.history.concepts)
        yield self._question(
            "explain", rng.choice(words.explain).format(concept=concept.name), required=[(f"concept:{concept.name}",)]
        )
        active = [one for one in self.months() if self.topics(self.window(one))]
        for month in rng.sample(active, min(3, len(active))):
            yield self.about("active_month", self._of_month(rng.choice(words.month), month), self.window(month))
        for month in rng.sample(self.empty_months(), min(2, len(self.empty_months()))):
            yield self.about("empty_month", self._of_month(rng.choice(words.month), month), self.window(month))
        for name, stale in self._changed():
            text = rng.choice(words.changed_source).format(concept=name)
            yield self._question("changed_source", text, required=[stale], stale=stale)
        yield self.about("last_week", rng.choice(words.last_week), self.last_week())

    def got_wrong(self, text: str, window: TimeWindow | None) -> Iterator[Question]:
        """Yield the question after every wrong check, once a mistake; nothing where there is none."""
        required = self._wrong(window=window)
        if required:
            yield self._question("got_wrong", text, required=required, window=window)

    def prerequisite(self, concept: str, text: str) -> Question:
        """Return the question after what a concept builds on: those that are to be learnt before it."""
        (found,) = [one for one in self.history.concepts if one.name == concept]
        return self._question("prerequisite", text, required=[(f"edge:{concept}->{name}",) for name in found.builds_on])

    def about(self, kind: QuestionKind, text: str, window: TimeWindow) -> Question:
        """Return the question after a time: every topic of it must be there, or that there is no record."""
        topics = self.topics(window)
        return self._question(kind, text, required=topics, window=window, says_no_record=not self.inside(window))

    def months(self) -> list[tuple[int, int]]:
        """Return the (year, month) that a month's bare name means now, the present one left out."""
        today = self.asked_at.date()
        last = today.year * 12 + today.month - 1
        return [((last - back) // 12, (last - back) % 12 + 1) for back in range(1, MONTHS_BACK + 1)]

    def empty_months(self) -> list[tuple[int, int]]:
        """Return those of `months` in which nothing at all is on record."""
        return [one for one in self.months() if not self.inside(self.window(one))]

    def inside(self, window: TimeWindow) -> list[Entry]:
        """Return what lies in a window."""
        starts_at, ends_at = window.starts_at, window.ends_at
        return [entry for entry in self.history.episodes if starts_at <= entry.at < ends_at]

    def topics(self, window: TimeWindow) -> list[tuple[str, ...]]:
        """Return for each concept touched in a window the episodes that touch it; questions about the record do not."""
        found: dict[str, list[str]] = {}
        for entry in self.inside(window):
            for concept in () if entry.narration else entry.concepts:
                found.setdefault(concept, []).append(entry.episode_id)
        return [tuple(ids) for ids in found.values()]

    def window(self, month: tuple[int, int]) -> TimeWindow:
        """Return a month in the learner's zone."""
        first, last = month_days(*month)
        return TimeWindow(first_day=first, last_day=last, time_zone=self.history.time_zone)

    def last_week(self) -> TimeWindow:
        """Return the Monday to Sunday before this week."""
        monday = monday_before(self.today())
        return TimeWindow(first_day=monday, last_day=monday + timedelta(days=6), time_zone=self.history.time_zone)

    def today(self) -> date:
        """Return the day of asking in the learner's zone."""
        return self.asked_at.astimezone(ZoneInfo(self.history.time_zone)).date()

    def ask(self, kind: QuestionKind, text: str, window: TimeWindow) -> Question:
        """Return a question that requires nothing, of a window that nothing else may come from."""
        return self._question(kind, text, required=[], window=window, says_no_record=not self.inside(window))

    def named(self, month: tuple[int, int]) -> str:
        """Return a month's name."""
        return self.deck.months[month[1] - 1]

    def _of_month(self, text: str, month: tuple[int, int]) -> str:
        return text.format(month=self.named(month), concept=self.rng.choice(self.deck.concepts).name)

    def _wrong(self, *, window: TimeWindow | None) -> list[tuple[str, ...]]:
        mistakes: dict[str, list[str]] = {}
        for entry in self.history.episodes if window is None else self.inside(window):
            if entry.verdict == "wrong":
                mistakes.setdefault(entry.text, []).append(entry.episode_id)
        return [tuple(ids) for ids in mistakes.values()]

    def _changed(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (concept, replies whose page is no more what it was) where the latest reply on it is one of them."""
        now = {fingerprint for document in self.history.documents for fingerprint in document.fingerprints}
        for concept in self.history.concepts:
            replies = [
                entry
                for entry in self.history.episodes
                if entry.kind == "reply" and concept.name in entry.concepts and not entry.narration
            ]
            stale = [one for one in replies if one.document is not None and one.document.fingerprint not in now]
            if stale and replies[-1] is stale[-1]:
                yield concept.name, tuple(one.episode_id for one in stale)

    def _question(
        self,
        kind: QuestionKind,
        text: str,
        *,
        required: Sequence[tuple[str, ...]],
        window: TimeWindow | None = None,
        says_no_record: bool = False,
        stale: Iterable[str] = (),
    ) -> Question:
        self._count += 1
        forbidden = {} if window is None else {"before": window.starts_at, "from": window.ends_at}
        return Question(
            question_id=f"{self._prefix}-{self.history.subject.rsplit('(', 1)[-1].rstrip(')')}-{self._count}",
            learner=self.history.learner,
            subject=self.history.subject,
            kind=kind,
            text=text,
            language=self.history.language,
            asked_at=self.asked_at,
            required_ids=tuple(one[0] if len(one) == 1 else one for one in required),
            forbidden_window=ForbiddenWindow.model_validate(forbidden),
            says_no_record=says_no_record,
            stale_ids=tuple(stale),
        )


def make_questions(made: Sequence[Made], *, seed: int, wordings: Wordings = "questions") -> tuple[Question, ...]:
    """Return the questions of all histories; the same seed gives the same ones.

    Args:
        made: The histories.
        seed: Of the choice of wordings, months and concepts.
        wordings: `held_out`: those that no fault was mended by.
    """
    return tuple(
        question
        for number, one in enumerate(made)
        for question in QuestionMaker(
            one,
            random.Random(f"{seed}/questions/{number}"),
            prefix="q" if wordings == "questions" else "held",
            wordings=wordings,
        ).questions()
    )
