"""Histories with known truth: a learner's months with one subject, quiet months and changed files included.

Nothing here knows how memory works: it writes what happened, in words of our own, and `memory_question_maker` asks
about what was written. The same seed gives the same histories.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from preceptor.lab.memory_deck import LANGUAGES, Deck, DeckConcept, deck
from preceptor.lab.memory_histories import CitedPage, CourseDocument, Entry, History, MapConcept
from preceptor.memory.time_phrases import month_days

ZONES = (
    "Europe/Berlin", "America/Bogota", "Asia/Shanghai", "Africa/Cairo", "Pacific/Auckland", "Asia/Kolkata",
    "America/Los_Angeles", "Pacific/Kiritimati", "Europe/Paris", "America/St_Johns",
)  # fmt: skip
"""From UTC-8 to UTC+14, half hours and summer time included."""
MONTHS = 9
"""Months a history reaches back; fewer than twelve, so that a month's name has one meaning."""
ACTIVE_SHARE = 0.6
"""Of the months in between. (chosen)"""
OLDER_SHARE = 0.35
"""Of the histories that have one more month, a year before a quiet one. (chosen)"""
CHANGED_SHARE = 0.7
"""Of the histories of which a file was replaced or removed. (chosen)"""
FIRST_HALF = 4
"""Concepts of the first of the two files."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A history and when its questions are asked."""

    history: History
    asked_at: datetime


@dataclass
class _Writer:
    """Writes one history, episode by episode."""

    deck: Deck
    zone: ZoneInfo
    rng: random.Random
    prefix: str
    versions: dict[str, int]
    entries: list[Entry] = field(default_factory=list)
    dialogues: int = 0

    def add(self, at: datetime, kind: str, text: str, **more: object) -> None:
        number = len(self.entries) + 1
        values = {"episode_id": f"{self.prefix}-{number}", "kind": kind, "text": text, "at": at, **more}
        self.entries.append(Entry.model_validate(values))

    def cited(self, concept: DeckConcept) -> CitedPage:
        name, page = place_of(self.deck, concept.name)
        return CitedPage(name=name, page=page, fingerprint=fingerprint(name, page, self.versions[name]))


def generate(*, seed: int, n_histories: int) -> tuple[Made, ...]:
    """Return histories: languages and time zones in turn, each learner with one subject, some with two.

    Args:
        seed: The same seed gives the same histories.
        n_histories: 1 or more.
    """
    made: list[Made] = []
    for number in range(n_histories):
        rng = random.Random(f"{seed}/{number}")
        language = LANGUAGES[number % len(LANGUAGES)]
        # Every seventh learner is the one before them, with another subject: scopes must hold apart.
        learner = f"learner-{number - 1 if number % 7 == 6 else number}"
        made.append(_history(deck(language), learner, f"h{number}", ZONES[(number * 7 + number // 10) % 10], rng))
    return tuple(made)


def place_of(subject: Deck, concept: str) -> tuple[str, int]:
    """Return (file, page) that explains a concept: two files, one page a concept."""
    number = [one.name for one in subject.concepts].index(concept)
    part, page = divmod(number, FIRST_HALF)
    return f"{part + 1}-{subject.file}", page + 1


def fingerprint(name: str, page: int, version: int) -> str:
    """Return what stands for a page's content."""
    return f"{name}/{page}/v{version}"


def _history(subject: Deck, learner: str, prefix: str, zone_name: str, rng: random.Random) -> Made:
    zone = ZoneInfo(zone_name)
    today = date(2026, 1, 1) + timedelta(days=rng.randrange(300))
    asked_at = datetime.combine(today, time(rng.randrange(8, 21), rng.randrange(60)), zone)
    months = _months_before(today, MONTHS)
    active = sorted({months[0], *(month for month in months[1:-1] if rng.random() < ACTIVE_SHARE), months[-1]})
    quiet = [month for month in months if month not in active]
    if not quiet:
        quiet = [active.pop(len(active) // 2)]
    writer = _Writer(
        deck=subject,
        zone=zone,
        rng=rng,
        prefix=prefix,
        versions={name: 1 for name in {place_of(subject, one.name)[0] for one in subject.concepts}},
    )
    days: list[date] = []
    if rng.random() < OLDER_SHARE:
        year, month = rng.choice(quiet)
        days += _days_in(year - 1, month, 2, rng)
    for year, month in active:
        days += _days_in(year, month, rng.randrange(2, 5), rng)
    days += [monday_before(today) + timedelta(days=rng.randrange(7))] if rng.random() < 0.6 else []
    days = sorted({day for day in days if day < today - timedelta(days=1)})
    _write(writer, days)
    return Made(history=_finished(writer, learner, zone_name), asked_at=asked_at)


def monday_before(today: date) -> date:
    """Return the Monday of the week before a day's."""
    return today - timedelta(days=today.weekday() + 7)


def _months_before(today: date, count: int) -> list[tuple[int, int]]:
    """Return the (year, month) before today's, oldest first; today's own is left out."""
    last = today.year * 12 + today.month - 1
    return [((last - back) // 12, (last - back) % 12 + 1) for back in range(count, 0, -1)]


def _days_in(year: int, month: int, count: int, rng: random.Random) -> list[date]:
    first, last = month_days(year, month)
    inner = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    days = set(rng.sample(inner, count))
    if rng.random() < 0.4:
        days.add(rng.choice((first, last)))
    return sorted(days)


def _write(writer: _Writer, days: Sequence[date]) -> None:
    rng, subject = writer.rng, writer.deck
    for number, name in enumerate(sorted(writer.versions)):
        at = datetime.combine(days[0], time(0, number), writer.zone)
        writer.add(at, "file", name, document=_file(writer, name), change="added", dialogue=None)
    changing = rng.choice(sorted(writer.versions)) if rng.random() < CHANGED_SHARE else None
    change_day = days[len(days) * 2 // 3] if changing else None
    taught_days = set(rng.sample(days, min(len(days), rng.randrange(3))))
    narration_days = set(rng.sample(days[1:], min(len(days) - 1, rng.randrange(1, 4))))
    for day in days:
        # Around midnight at the ends of a month a wrong time zone would give another month.
        hours = (
            (0, 5) if day.day == 1 else (23, 15) if (day + timedelta(days=1)).day == 1 else (rng.randrange(7, 21), 0)
        )
        at = datetime.combine(day, time(*hours), writer.zone)
        _dialogue(writer, at, rng.sample(subject.concepts, rng.choice((1, 1, 2))))
        if day in taught_days:
            _teach(writer, rng.choice(subject.concepts))
        if day in narration_days:
            _narrate(writer)
        if changing is not None and day == change_day:
            removed = rng.random() < 0.3
            if not removed:
                writer.versions[changing] += 1
            writer.add(
                _later(writer), "file", changing, document=_file(writer, changing),
                change="removed" if removed else "replaced",
            )  # fmt: skip
            if removed:
                writer.versions[changing] = 0


def _file(writer: _Writer, name: str) -> CitedPage:
    return CitedPage(name=name, fingerprint=fingerprint(name, 1, writer.versions[name]))


def _later(writer: _Writer, seconds: int = 40) -> datetime:
    return writer.entries[-1].at + timedelta(seconds=seconds)


def _dialogue(writer: _Writer, at: datetime, concepts: Sequence[DeckConcept]) -> None:
    """One sitting: each concept is asked about, answered with its page, and claims on it are checked."""
    rng = writer.rng
    writer.dialogues += 1
    dialogue = f"{writer.prefix}-d{writer.dialogues}"
    seconds = 0

    def say(kind: str, text: str, **more: object) -> None:
        nonlocal seconds
        seconds += rng.randrange(15, 40)
        writer.add(at + timedelta(seconds=seconds), kind, text, dialogue=dialogue, **more)

    for concept in concepts:
        about = {"concepts": (concept.name,)}
        say("question", rng.choice(concept.asks), **about)
        name, _ = place_of(writer.deck, concept.name)
        cited = {"document": writer.cited(concept)} if writer.versions[name] and rng.random() < 0.8 else {}
        say("reply", rng.choice(concept.replies), **about, **cited)
        if rng.random() < 0.6:
            say("answer", rng.choice(writer.deck.listen))
            say("reply", rng.choice(writer.deck.tutor_talk))
        for _ in range(rng.randrange(1, 4)):
            right = rng.random() < 0.55
            claim = rng.choice(concept.right if right else concept.wrong)
            say("answer", claim, **about)
            verdict = "right" if right else "wrong"
            say("quiz" if rng.random() < 0.2 else "check", claim, verdict=verdict, **about)


def _teach(writer: _Writer, concept: DeckConcept) -> None:
    text = writer.rng.choice(writer.deck.questions.taught)
    text = text.format(concept=concept.name, nick=writer.rng.choice(writer.deck.nicks))
    writer.add(
        _later(writer), "taught", text, concepts=(concept.name,), dialogue=f"{writer.prefix}-d{writer.dialogues}"
    )


def _narrate(writer: _Writer) -> None:
    """The learner asks about a month and is told something; what was told is no memory, and need not even be true."""
    rng, questions = writer.rng, writer.deck.questions
    month = rng.choice(writer.deck.months)
    writer.dialogues += 1
    dialogue = f"{writer.prefix}-d{writer.dialogues}"
    asked = rng.choice(questions.month).format(month=month)
    told = rng.choice(questions.narration).format(month=month, concept=rng.choice(writer.deck.concepts).name)
    writer.add(_later(writer, 90), "answer", asked, dialogue=dialogue, narration=True)
    writer.add(_later(writer), "reply", told, dialogue=dialogue, narration=True)


def _finished(writer: _Writer, learner: str, zone_name: str) -> History:
    subject, rng = writer.deck, writer.rng
    texts: dict[str, list[str]] = {}
    for one in subject.concepts:
        lines = [one.name, one.definition]
        # Not every file says in so many words what builds on what.
        lines += [
            rng.choice(subject.builds).format(concept=one.name, prerequisite=prerequisite)
            for prerequisite in one.builds_on
            if rng.random() < 0.5
        ]
        texts.setdefault(place_of(subject, one.name)[0], []).append("\n\n".join([*lines, *one.right]))
    return History(
        learner=learner,
        subject=f"{subject.subject} ({writer.prefix})",
        time_zone=zone_name,
        language=subject.language,
        episodes=tuple(writer.entries),
        concepts=tuple(
            MapConcept(
                name=one.name,
                definition=one.definition,
                builds_on=one.builds_on,
                document=place_of(subject, one.name)[0],
                page=place_of(subject, one.name)[1],
            )
            for one in subject.concepts
        ),
        documents=tuple(
            CourseDocument(
                name=name,
                pages=tuple(pages),
                fingerprints=tuple(fingerprint(name, page, writer.versions[name]) for page in range(1, len(pages) + 1)),
            )
            for name, pages in sorted(texts.items())
            if writer.versions[name]
        ),
    )
