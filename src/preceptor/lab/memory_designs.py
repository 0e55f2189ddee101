"""Four ways of giving a tutor a past, with one budget: what each puts into the prompt for a question.

retrieval       no memory: passages of the course fill the whole budget
window          the last twenty turns, in order, then passages
window_filled   as many last turns as memory's share holds, so that twenty is no straw man; not one of the four
episodes        ranked recall alone, then passages
full            the memory block as the product builds it, then passages
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from preceptor.course.retrieval import CourseRetrieval
from preceptor.domain.episode import Episode
from preceptor.domain.token_estimate import estimate_tokens
from preceptor.lab.memory_histories import History, Question
from preceptor.lab.memory_loading import Loaded, scope_of
from preceptor.memory.block import ACTIVITY, BlockBuilder, MemoryBlock
from preceptor.memory.block_items import EpisodeItem, episode_item, form_of, said
from preceptor.memory.block_lines import EPISODES, episode_line, time_lines
from preceptor.memory.episode_text import verdict_of
from preceptor.memory.teaching import TaughtNotes
from preceptor.memory.time_phrases import zone_of
from preceptor.settings import Settings

DesignName = Literal["retrieval", "window", "window_filled", "episodes", "full"]
DESIGNS: tuple[DesignName, ...] = ("retrieval", "window", "episodes", "full")
"""The seed's four."""
ALL_DESIGNS: tuple[DesignName, ...] = ("retrieval", "window", "window_filled", "episodes", "full")
WINDOW_TURNS = 20
"""(seed: A Tutor That Remembers)"""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What reaches the prompt for one question under one design."""

    memory: str
    """Memory's text; empty: none."""
    passages: tuple[str, ...]
    episode_ids: frozenset[str]
    """Every episode that the prompt tells of."""
    collapsed: dict[str, int]
    """How many identical episodes an id stands for, where more than itself."""
    stale_ids: frozenset[str]
    """Those that carry the note on a changed file."""
    no_record: bool
    """It is said that there is no record of the time that was asked about."""
    tokens: int
    """Of both, estimated."""
    wall_ms: float
    cpu_ms: float
    block: MemoryBlock | None = None
    """The product's block, where the design has one."""


@dataclass(frozen=True, kw_only=True)
class _Told:
    episode_id: str
    count: int = 1
    stale: bool = False


@dataclass(frozen=True, kw_only=True)
class _Memory:
    text: str = ""
    told: tuple[_Told, ...] = ()
    no_record: bool = False
    block: MemoryBlock | None = None


class Designs:
    """All designs over one store. Budgets are the product's: memory's share and the course's, together the total."""

    def __init__(self, store: Loaded, settings: Settings) -> None:
        """Open what the designs read."""
        self._store = store
        self._settings = settings.memory
        self._memory_tokens = settings.tutoring.memory_tokens
        self.total_tokens = settings.tutoring.memory_tokens + settings.tutoring.course_tokens
        self._histories = {history.key: history for history in store.histories}
        self._course = CourseRetrieval(store.record.courses)
        self._courses = {course.subject_id for course in store.record.courses.courses()}
        self._blocks = BlockBuilder(
            store.recall,
            store.memory_rows,
            store.memory.maps,
            TaughtNotes(store.recall, store.record.episodes),
            settings.memory,
            beliefs=store.memory.beliefs,
            budget=self._memory_tokens,
        )

    def show(self, design: DesignName, question: Question) -> Shown:
        """Return what one design puts into the prompt."""
        history = self._histories[question.key]
        wall, cpu = time.perf_counter(), time.process_time()
        memory = _Memory()
        match design:
            case "retrieval":
                pass
            case "window":
                memory = self._window(history, WINDOW_TURNS)
            case "window_filled":
                memory = self._window(history, None)
            case "episodes":
                memory = self._episodes(history, question)
            case "full":
                memory = self._full(history, question)
        used = estimate_tokens(memory.text)
        passages = self._passages(question, self.total_tokens - used)
        return Shown(
            memory=memory.text,
            passages=passages,
            episode_ids=frozenset(item.episode_id for item in memory.told),
            collapsed={item.episode_id: item.count for item in memory.told if item.count > 1},
            stale_ids=frozenset(item.episode_id for item in memory.told if item.stale),
            no_record=memory.no_record,
            tokens=used + sum(map(estimate_tokens, passages)),
            wall_ms=(time.perf_counter() - wall) * 1000,
            cpu_ms=(time.process_time() - cpu) * 1000,
            block=memory.block,
        )

    def _passages(self, question: Question, budget: int) -> tuple[str, ...]:
        if question.subject not in self._courses:
            return ()
        found = self._course.search(question.subject, question.text, language=question.language)
        kept: list[str] = []
        for one in found.passages:
            budget -= estimate_tokens(one.passage.text)
            if budget < 0:
                break
            kept.append(one.passage.text)
        return tuple(kept)

    def _window(self, history: History, turns: int | None) -> _Memory:
        """Return the end of the conversation, verdicts included, as the page shows it; no dates, as in a chat."""
        episodes = self._store.record.log.list(
            history.learner, subject_id=history.subject, kinds=sorted(ACTIVITY), newest_first=True, limit=400
        )
        left, seen, lines, items = self._memory_tokens, list[object](), list[str](), list[_Told]()
        for episode in episodes:
            turn = (episode.dialogue_id, episode.turn)
            if turn not in seen:
                seen.append(turn)
            line = _line(episode)
            left -= estimate_tokens(line + "\n")
            if left < 0 or (turns is not None and len(seen) > turns):
                break
            lines.append(line)
            items.append(_Told(episode_id=episode.episode_id))
        return _Memory(text="\n".join(reversed(lines)), told=tuple(items))

    def _episodes(self, history: History, question: Question) -> _Memory:
        """Return ranked recall and nothing else: no beliefs, no map, no branch for questions about the record."""
        scope, zone = scope_of(history), zone_of(history.time_zone)
        recalled = self._store.recall.recall(
            scope,
            question.text,
            now=question.asked_at,
            time_zone=history.time_zone,
            language=question.language,
            limit=max(self._settings.block_episodes, self._settings.block_record_episodes),
            kinds=ACTIVITY,
        )
        status = self._store.memory_rows.verifications(scope, [one.episode.episode_id for one in recalled.episodes])
        today = question.asked_at.astimezone(zone).date()
        items = sorted(
            (
                episode_item(
                    one, zone, status[one.episode.episode_id].status if one.episode.episode_id in status else None
                )
                for one in recalled.episodes
            ),
            key=lambda item: item.on,
        )
        told = time_lines(
            recalled.window,
            empty=recalled.window_is_empty,
            nothing_of_the_kind=False,
            unread=recalled.time.unread if recalled.time_use == "unread" else "",
            counts={},
        )
        lines, kept, left = list(told), list[EpisodeItem](), self._memory_tokens
        for item in items:
            line = episode_line(item, today=today, most_tokens=self._settings.block_line_tokens)
            left -= estimate_tokens(line + "\n")
            if left < 0:
                break
            lines.append(line)
            kept.append(item)
        head = [EPISODES] if kept else []
        return _Memory(text="\n".join([*head, *lines]), told=_told(kept), no_record=recalled.window_is_empty)

    def _full(self, history: History, question: Question) -> _Memory:
        block = self._blocks.build(
            scope_of(history),
            question.text,
            now=question.asked_at,
            time_zone=history.time_zone,
            language=question.language,
        )
        return _Memory(text=block.text, told=_told(block.episodes), no_record=block.window_is_empty, block=block)


def _told(items: Iterable[EpisodeItem]) -> tuple[_Told, ...]:
    return tuple(_Told(episode_id=item.episode_id, count=item.count, stale=item.stale) for item in items)


def _line(episode: Episode) -> str:
    verdict = verdict_of(episode)
    return f"{form_of(episode)}: {' '.join(said(episode).split())}" + (f": {verdict}" if verdict else "")
