"""A tutoring session without engines or database: it says what a test has written, when the test lets it.

It has the front door of `tutoring.session.TutoringSession` and remembers what it was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from preceptor.course.open_courses import OpenCourses
from preceptor.domain.principal import Principal
from preceptor.domain.problem import Problem
from preceptor.errors import BusyError, InputError, NotFoundError
from preceptor.record.safety_queue import FlaggedTurn
from preceptor.stores.consents import Consent
from preceptor.tutoring.cited_pages import CitedPage
from preceptor.tutoring.events import RailStep, TurnEvent
from preceptor.tutoring.hint_reason import HintReason
from preceptor.tutoring.sources import SourceView
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.views import DialogueSummary, DialogueView, HelpAtStep, TurnView

STARTED_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class ScriptedTurn:
    """What the tutor does in one turn."""

    sentences: tuple[str, ...] = ("What would you work out first?",)
    """Sent one by one as deltas; the reply is all of them."""
    pause_s: float = 0.0
    """Before each sentence, seconds."""
    status: str = "read"
    read_as: str = ""
    reason: str | None = None
    steps: tuple[RailStep, ...] = ()
    rung: int = 0
    solved: bool = False
    fails_as: str = ""
    """Name of the error that breaks the reply off after its sentences; empty: it is finished."""
    retracts: bool = False
    """The first sentence is taken back before the others are sent."""
    sources: tuple[SourceView, ...] = ()
    grounding: str = ""
    trace_state: dict[str, Any] | None = None


@dataclass
class _Kept:
    view: DialogueView
    learner_id: str
    script: list[ScriptedTurn] = field(default_factory=list)


class ScriptedInstructorDesk:
    """The instructor's view of a scripted session; remembers which transcripts were opened."""

    def __init__(
        self, kept: Mapping[str, _Kept], *, flagged: Sequence[FlaggedTurn], hint_reasons: Sequence[HintReason]
    ) -> None:
        self._kept, self._flagged, self._hint_reasons = kept, list(flagged), tuple(hint_reasons)
        self.opened: list[tuple[str, str]] = []
        """(reader, dialogue_id) of every flagged transcript opened."""

    def flagged(self, principal: Principal, *, limit: int = 100) -> list[FlaggedTurn]:
        """Return the flags given at the start."""
        return self._flagged[:limit]

    def open_flagged(self, principal: Principal, *, learner_id: str, dialogue_id: str) -> DialogueView:
        """Return a flagged transcript and remember that it was opened."""
        if not any((flag.learner_id, flag.dialogue_id) == (learner_id, dialogue_id) for flag in self._flagged):
            raise NotFoundError(f"no flagged dialogue {dialogue_id!r}")
        self.opened.append((principal.learner_id, dialogue_id))
        return self._kept[dialogue_id].view

    def hint_reasons(
        self, principal: Principal, dialogue_id: str, *, learner_id: str | None = None
    ) -> tuple[HintReason, ...]:
        """Return the reasons given at the start."""
        if not principal.may_instruct:
            raise InputError("why a hint was given is the instructor's to see")
        return self._hint_reasons

    def cited_pages(self, principal: Principal, subject_id: str, *, limit: int) -> tuple[CitedPage, ...]:
        """Return none: nothing is cited here."""
        return ()


class ScriptedSession:
    """Plays `script` turn by turn in every dialogue; after its end the last turn again."""

    def __init__(
        self,
        *,
        problems: Sequence[Problem] = (),
        script: Sequence[ScriptedTurn] = (ScriptedTurn(),),
        opening: str | None = None,
        flagged: Sequence[FlaggedTurn] = (),
        course_files: OpenCourses | None = None,
        hint_reasons: Sequence[HintReason] = (),
        use_for_teaching: bool | None = False,
    ) -> None:
        """Take the problem bank and what the tutor will do; `use_for_teaching` is `None` for a learner never asked."""
        self._consents: dict[str, Consent] = {}
        self._use_for_teaching = use_for_teaching
        self.course_files = course_files
        self._problems = list(problems)
        self._script = list(script)
        self._opening = opening
        self._kept: dict[str, _Kept] = {}
        self._runs: dict[str, TurnRun] = {}
        self.asked: list[tuple[str, str]] = []
        """(mode, utterance) of every message, oldest first."""
        self.instructor_desk = ScriptedInstructorDesk(self._kept, flagged=flagged, hint_reasons=hint_reasons)

    def problems(self, principal: Principal, *, search: str = "", limit: int = 50, offset: int = 0) -> list[Problem]:
        """Return the problems whose text contains `search`, whatever its case."""
        found = [problem for problem in self._problems if search.casefold() in problem.text.casefold()]
        return found[offset : offset + limit]

    def start(
        self,
        principal: Principal,
        *,
        problem_id: str | None = None,
        text: str | None = None,
        answer: str | None = None,
        language: str | None = None,
        subject_id: str | None = None,
        time_zone: str | None = None,
    ) -> str:
        """Begin a dialogue."""
        if subject_id is not None and self.course_files is not None and text is None:
            problem_id, text = None, self.course_files.store.course(subject_id).title
        if (problem_id is None) == (text is None):
            raise InputError("give either problem_id or text, not both and not neither")
        dialogue_id = f"dialogue-{len(self._kept) + 1}"
        problem = next((known for known in self._problems if known.problem_id == problem_id), None)
        if problem_id is not None and problem is None:
            raise NotFoundError(f"no problem {problem_id!r}")
        language = language or "en"
        opening = TurnView(turn=0, learner="", mode="message", reply=self._opening, engine="builtin", language=language)
        view = DialogueView(
            dialogue_id=dialogue_id,
            problem_id=problem_id or (f"course:{subject_id}" if subject_id else "own"),
            problem_text=problem.text if problem else text or "",
            subject_id=subject_id or "maths",
            language=language,
            turns=(opening,) if self._opening else (),
            rung=0,
            solved=False,
            guarded=problem is not None or answer is not None,
            notice=None if problem is not None or answer is not None else "no_reference",
        )
        self._kept[dialogue_id] = _Kept(view=view, learner_id=principal.learner_id, script=list(self._script))
        return dialogue_id

    def dialogue(self, principal: Principal, dialogue_id: str) -> DialogueView:
        """Return one dialogue."""
        return self._of(principal, dialogue_id).view

    def dialogues(self, principal: Principal, *, limit: int = 100) -> list[DialogueSummary]:
        """Return the learner's dialogues, newest first."""
        mine = [kept.view for kept in self._kept.values() if kept.learner_id == principal.learner_id]
        return [
            DialogueSummary(
                dialogue_id=view.dialogue_id, title=view.problem_text[:80], last_at=STARTED_AT, solved=view.solved
            )
            for view in reversed(mine)
        ]

    def teaching_consent(self, principal: Principal) -> Consent | None:
        """Return what was decided, else what the script says of every learner."""
        if principal.learner_id in self._consents or self._use_for_teaching is None:
            return self._consents.get(principal.learner_id)
        return Consent(learner_id=principal.learner_id, use_for_teaching=self._use_for_teaching, decided_at=STARTED_AT)

    def decide_teaching(self, principal: Principal, *, use_for_teaching: bool) -> Consent:
        """Keep a learner's decision."""
        made = Consent(learner_id=principal.learner_id, use_for_teaching=use_for_teaching, decided_at=STARTED_AT)
        self._consents[principal.learner_id] = made
        return made

    def running(self, principal: Principal, dialogue_id: str) -> TurnRun | None:
        """Return the dialogue's latest run."""
        return self._runs.get(dialogue_id)

    async def submit(
        self,
        principal: Principal,
        dialogue_id: str,
        utterance: str,
        *,
        mode: str = "message",
        time_zone: str | None = None,
    ) -> TurnRun:
        """Keep the message, then play the next scripted turn."""
        kept = self._of(principal, dialogue_id)
        running = self._runs.get(dialogue_id)
        if running is not None and not running.finished:
            raise BusyError("another reply of this dialogue is still being made")
        self.asked.append((mode, utterance))
        turn = kept.view.turns[-1].turn + 1 if kept.view.turns else 1
        new = TurnView(turn=turn, learner=utterance, mode=mode, reply=None, language=kept.view.language)
        kept.view = replace(kept.view, turns=(*kept.view.turns, new), pending=True)
        return await self._begin(kept)

    async def resume(self, principal: Principal, dialogue_id: str) -> TurnRun | None:
        """Play the turn of a message without a reply again."""
        kept = self._of(principal, dialogue_id)
        running = self._runs.get(dialogue_id)
        if running is not None and not running.finished:
            return running
        return await self._begin(kept) if kept.view.pending else None

    def _of(self, principal: Principal, dialogue_id: str) -> _Kept:
        kept = self._kept.get(dialogue_id)
        if kept is None or kept.learner_id != principal.learner_id:
            raise NotFoundError(f"no dialogue {dialogue_id!r}")
        return kept

    async def _begin(self, kept: _Kept) -> TurnRun:
        scripted = kept.script.pop(0) if len(kept.script) > 1 else kept.script[0]
        run = TurnRun(dialogue_id=kept.view.dialogue_id, turn=kept.view.turns[-1].turn)
        self._runs[kept.view.dialogue_id] = run
        await run.publish(TurnEvent(event_id=0, kind="saved", turn=run.turn, episode_id="e1"))
        run.task = asyncio.create_task(self._play(kept, run, scripted))
        return run

    async def _play(self, kept: _Kept, run: TurnRun, scripted: ScriptedTurn) -> None:
        reading = TurnEvent(
            event_id=0,
            kind="reading",
            turn=run.turn,
            status=scripted.status,
            read_as=scripted.read_as,
            reason=scripted.reason,
            steps=scripted.steps,
        )
        await run.publish(reading)
        for position, sentence in enumerate(scripted.sentences):
            await asyncio.sleep(scripted.pause_s)
            await run.publish(TurnEvent(event_id=0, kind="delta", turn=run.turn, text=sentence))
            if scripted.retracts and position == 0:
                await run.publish(TurnEvent(event_id=0, kind="retracted", turn=run.turn))
        if scripted.fails_as:
            await run.publish(TurnEvent(event_id=0, kind="failed", turn=run.turn, text=scripted.fails_as))
            return
        text = "".join(scripted.sentences[1 if scripted.retracts else 0 :])
        self._keep_reply(kept, scripted, text)
        await run.publish(
            TurnEvent(
                event_id=0,
                kind="done",
                turn=run.turn,
                text=text,
                rung=scripted.rung,
                engine="builtin",
                record_id="r1",
                language=kept.view.language,
                sources=scripted.sources,
                grounding=scripted.grounding,
                trace_state=scripted.trace_state,
            )
        )

    def _keep_reply(self, kept: _Kept, scripted: ScriptedTurn, text: str) -> None:
        last = replace(
            kept.view.turns[-1],
            reply=text,
            rung=scripted.rung,
            engine="builtin",
            status=scripted.status,
            read_as=scripted.read_as,
            reason=scripted.reason,
            steps=scripted.steps,
            sources=scripted.sources,
            grounding=scripted.grounding,
            trace_state=scripted.trace_state,
        )
        right = [step for step in scripted.steps if step.mark == "right"]
        solved_steps = tuple(HelpAtStep(step=step.text, hints=kept.view.rung) for step in right)
        kept.view = replace(
            kept.view,
            turns=(*kept.view.turns[:-1], last),
            rung=scripted.rung,
            solved=kept.view.solved or scripted.solved,
            help_trend=(*kept.view.help_trend, *solved_steps),
            pending=False,
        )
