"""Distilling in a running program: after enough new meaningful turns of learners who allow it, in the background."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from preceptor.domain.dialogue import Dialogue
from preceptor.errors import BusyError, PreceptorError
from preceptor.experience.distillation import DistillationProgress, funnel_of
from preceptor.experience.distillation_opening import OpenDistillation
from preceptor.experience.turn_reviewer import answered_turns, graph_of_problem, turn_digest
from preceptor.pedagogy.builtin_evidence import observe_reply_now
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import problem_of
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.tutoring.live_repository import LiveRepository
from preceptor.tutoring.log_dialogues import dialogues_for_teaching, linked_dialogue
from preceptor.tutoring.teaching_consent import allows_teaching

CLOSE_WITHIN_S = 5.0
"""Seconds that closing waits for a distillation under way; it goes on at the next start. (chosen)"""
logger = logging.getLogger("preceptor.experience")


@dataclass(frozen=True, kw_only=True)
class DistillationRun:
    """How the latest distillation of this program went, or how far it is."""

    status: Literal["none", "waiting", "running", "done", "failed"] = "none"
    """`waiting`: it was asked for and begins when the count of earlier turns is through."""
    n_dialogues: int = 0
    progress: DistillationProgress = DistillationProgress()
    funnel: Mapping[str, int] = field(default_factory=dict)
    """Where every turn of these dialogues ended, earlier runs included; empty until it is done."""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    failed_as: str = ""
    """Name of the error."""

    @property
    def under_way(self) -> bool:
        """Whether it waits or runs."""
        return self.status in ("waiting", "running")


@dataclass(frozen=True, kw_only=True)
class AnsweredTurn:
    """A turn that got its reply."""

    learner_id: str
    dialogue_id: str
    turn: int


class DistillationSchedule:
    """Counts such turns one after another and distils once enough came together. One thread, started by `start`."""

    def __init__(
        self,
        settings: Settings,
        record: Record,
        repository: LiveRepository,
        *,
        distil: Callable[[Iterable[Dialogue]], None] | None = None,
    ) -> None:
        """Take the log and the repository; nothing runs yet.

        Args:
            settings: `experience.distil_every_turns`, engines and thresholds.
            record: The log and who allows it.
            repository: Shared with the live turn where it is loaded.
            distil: `None`: into the repository.
        """
        self._settings = settings
        self._record = record
        self._repository = repository
        self._distil = distil or self._into_repository
        self._observer = BuiltinObserver()
        self._new: set[tuple[str, int]] = set()
        self._waiting: queue.SimpleQueue[AnsweredTurn | Literal["now"] | None] = queue.SimpleQueue()
        self._latest = DistillationRun()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="experience distillation", daemon=True)

    def start(self) -> None:
        """Count what an earlier run left, then wait for turns, in the background."""
        self._thread.start()

    def put(self, turn: AnsweredTurn) -> None:
        """Have a turn counted; returns at once."""
        self._waiting.put(turn)

    @property
    def latest(self) -> DistillationRun:
        """The latest run of this program."""
        return self._latest

    def distil_now(self) -> bool:
        """Have everything distilled that is allowed; returns at once: `False` where a run is under way already.

        Raises:
            BusyError: The thread has ended, by `close` or an unforeseen error.
        """
        if self._thread.ident is not None and not self._thread.is_alive():
            raise BusyError("the background work of this program has ended: start the program again, then distil")
        if self._latest.under_way:
            return False
        self._latest = DistillationRun(status="waiting", began_at=self._record.clock())
        self._waiting.put("now")
        return True

    def close(self, *, within_s: float = CLOSE_WITHIN_S) -> None:
        """End; a distillation under way is left where it is after so many seconds, and goes on at the next start."""
        if self._thread.ident is None:
            return
        self._stopped.set()
        self._waiting.put(None)
        self._thread.join(within_s)

    def count(self, turn: AnsweredTurn) -> bool:
        """Count one turn where its learner allows it and it is meaningful; return whether a distillation was run.

        Raises:
            PreceptorError: The database failed, or the repository cannot be opened.
        """
        if not allows_teaching(self._record, turn.learner_id):
            return False
        dialogue = linked_dialogue(self._record, turn.learner_id, turn.dialogue_id)
        if self._is_meaningful(dialogue, turn.turn):
            self._new.add((dialogue.dialogue_id, turn.turn))
        return self._distil_if_due()

    def _work(self) -> None:
        try:
            for dialogue in dialogues_for_teaching(self._record):
                if self._stopped.is_set():
                    return
                self._new |= {(dialogue.dialogue_id, place) for place in self._not_done(dialogue)}
            self._distil_if_due()
        except PreceptorError as error:
            logger.warning("undistilled turns were not counted: %s", type(error).__name__)
        while (turn := self._waiting.get()) is not None and not self._stopped.is_set():
            try:
                if turn == "now":
                    self._run()
                else:
                    self.count(turn)
            except PreceptorError as error:
                logger.warning("a distillation did not run: %s", type(error).__name__)

    def _not_done(self, dialogue: Dialogue) -> list[int]:
        done = self._record.distilled.digests(dialogue.dialogue_id)
        waiting = [place for place in answered_turns(dialogue) if (place, turn_digest(dialogue, place)) not in done]
        return [place for place in waiting if self._is_meaningful(dialogue, place)]

    def _is_meaningful(self, dialogue: Dialogue, place: int) -> bool:
        """Whether a turn counts, by the builtin observer: counting asks no model."""
        if place not in answered_turns(dialogue):
            return False
        problem = problem_of(dialogue)
        context = TurnContext(
            problem=problem,
            graph=graph_of_problem(problem),
            history=dialogue.turns[:place],
            utterance=dialogue.turns[place].learner,
            language=problem.language,
        )
        observation = self._observer.observe_now(context)
        return observe_reply_now(context, observation, dialogue.turns[place].tutor or "").meaningful

    def _distil_if_due(self) -> bool:
        if len(self._new) < self._settings.experience.distil_every_turns:
            return False
        self._run()
        return True

    def _run(self) -> None:
        """Distil, and keep how it went.

        Raises:
            PreceptorError: It failed; what was done stays done.
        """
        self._latest = DistillationRun(status="running", began_at=self._record.clock())
        failed_as = "an unforeseen error"
        try:
            self._distil(dialogues_for_teaching(self._record))
            failed_as = ""
        except PreceptorError as error:
            failed_as = type(error).__name__
            raise
        finally:
            status: Literal["done", "failed"] = "failed" if failed_as else "done"
            self._latest = replace(self._latest, status=status, failed_as=failed_as, ended_at=self._record.clock())
        self._new.clear()

    def _into_repository(self, dialogues: Iterable[Dialogue]) -> None:
        chosen = list(dialogues)
        self._latest = replace(self._latest, n_dialogues=len(chosen))
        run = OpenDistillation(
            self._settings,
            self._record.experiences,
            self._record.distilled,
            concurrency=1,
            batch="log",
            repository=self._repository.open()[0],
        )
        asyncio.run(run.run(chosen, self._note))
        tally = self._record.distilled.tally([dialogue.dialogue_id for dialogue in chosen])
        self._latest = replace(self._latest, funnel=funnel_of(tally))

    def _note(self, progress: DistillationProgress) -> None:
        self._latest = replace(self._latest, progress=progress)
