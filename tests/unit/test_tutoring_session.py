"""The session: everything on record, one running turn a dialogue, nothing lost when a part fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from preceptor.domain.episode import Episode
from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.errors import BusyError, InputError, NotFoundError
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.record.kinds import RevealBody, TurnRecordBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import ServerSettings, Settings, TutoringSettings
from preceptor.tutoring.engines import builtin_tutor, open_turn_maker
from preceptor.tutoring.events import TurnEvent
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.turn import TurnMode

OTHER = Principal(learner_id="other", roles=frozenset({"learner"}))


class Waiting:
    """A tutor that waits until it is let go."""

    def __init__(self, inner: Tutor) -> None:
        self.go = asyncio.Event()
        self._inner = inner

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        await self.go.wait()
        async for part in self._inner.reply(turn):
            yield part


class Broken:
    """A tutor with a fault that nobody foresaw."""

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        yield "Let us see. "
        raise RuntimeError("a fault in the tutor")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture
def record(settings: Settings) -> Iterator[Record]:
    with open_record(settings) as opened:
        yield opened


def session_on(record: Record, settings: Settings, tutor: Tutor | None = None) -> TutoringSession:
    return TutoringSession(record=record, maker=open_turn_maker(settings, tutor=tutor), settings=settings)


def start(session: TutoringSession) -> str:
    return session.start(LOCAL_OWNER, problem_id=session.problems(LOCAL_OWNER, limit=1)[0].problem_id)


async def say(session: TutoringSession, dialogue_id: str, text: str, mode: TurnMode = "message") -> TurnEvent:
    return await (await session.submit(LOCAL_OWNER, dialogue_id, text, mode=mode)).wait()


def kinds(record: Record, dialogue_id: str) -> list[str]:
    return [episode.kind for episode in record.log.list(LOCAL_OWNER.learner_id, dialogue_id=dialogue_id)]


def test_a_dialogue_opens_with_the_tutor_and_is_on_record(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    view = session.dialogue(LOCAL_OWNER, dialogue_id)
    assert view.turns[0].learner == ""
    assert view.turns[0].reply
    assert kinds(record, dialogue_id) == ["question", "turn_record"]


def test_one_turn_is_stored_message_first_then_checks_and_record(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    done = asyncio.run(say(session, dialogue_id, "3 + 4 = 8"))
    assert done.kind == "done"
    assert kinds(record, dialogue_id)[2:] == ["answer", "check", "hint", "turn_record"]
    assert record.verify().intact


def test_the_view_never_holds_solution_answer_or_tags(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    shown = repr(session.dialogue(LOCAL_OWNER, start(session)))
    assert problem.solution is not None
    assert problem.solution.splitlines()[0] not in shown
    assert "First_Attempt" not in shown


def test_a_second_message_waits_for_the_first_reply(record: Record, settings: Settings) -> None:
    async def two() -> None:
        tutor = Waiting(builtin_tutor(settings))
        session = session_on(record, settings, tutor)
        dialogue_id = start(session)
        run = await session.submit(LOCAL_OWNER, dialogue_id, "hello")
        with pytest.raises(BusyError):
            await session.submit(LOCAL_OWNER, dialogue_id, "hello?")
        tutor.go.set()
        await run.wait()
        await say(session, dialogue_id, "now")
        assert kinds(record, dialogue_id).count("answer") == 2

    asyncio.run(two())


def test_a_message_without_a_reply_is_pending_and_gets_one(record: Record, settings: Settings) -> None:
    async def broken_off() -> str:
        session = session_on(record, settings, Waiting(builtin_tutor(settings)))
        dialogue_id = start(session)
        run = await session.submit(LOCAL_OWNER, dialogue_id, "5 * 6 = 30")
        assert run.task is not None
        run.task.cancel()
        return dialogue_id

    dialogue_id = asyncio.run(broken_off())
    session = session_on(record, settings)
    assert session.dialogue(LOCAL_OWNER, dialogue_id).pending

    async def resumed() -> TurnEvent:
        run = await session.resume(LOCAL_OWNER, dialogue_id)
        assert run is not None
        return await run.wait()

    assert asyncio.run(resumed()).kind == "done"
    assert not session.dialogue(LOCAL_OWNER, dialogue_id).pending


def test_a_fault_that_nobody_foresaw_ends_the_turn_and_leaves_it_to_be_resumed(
    record: Record, settings: Settings
) -> None:
    broken = session_on(record, settings, Broken())
    dialogue_id = start(broken)

    async def talk() -> tuple[TurnEvent, TurnEvent]:
        failed = await asyncio.wait_for(say(broken, dialogue_id, "I do not know"), timeout=60)
        run = await session_on(record, settings).resume(LOCAL_OWNER, dialogue_id)
        assert run is not None
        return failed, await run.wait()

    failed, done = asyncio.run(talk())
    assert (failed.kind, done.kind) == ("failed", "done")


def test_events_can_be_followed_again_from_any_of_them(record: Record, settings: Settings) -> None:
    async def follow() -> None:
        session = session_on(record, settings)
        run = await session.submit(LOCAL_OWNER, start(session), "5 * 6 = 30")
        first = [event async for event in run.follow()]
        again = [event async for event in run.follow(after=2)]
        assert [event.event_id for event in first] == list(range(1, len(first) + 1))
        assert first[0].kind == "saved"
        assert first[-1].kind == "done"
        assert again == first[2:]

    asyncio.run(follow())


def test_another_learner_sees_nothing_of_a_dialogue(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    with pytest.raises(NotFoundError):
        session.dialogue(OTHER, dialogue_id)
    assert session.dialogues(OTHER) == []


@pytest.mark.parametrize(
    ("text", "names"), [("", "empty"), ("a\x00b", "NUL"), ("x" * 4001, "4000 characters, this one has 4001")]
)
def test_a_message_that_cannot_be_stored_is_refused_by_name(
    record: Record, settings: Settings, text: str, names: str
) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    with pytest.raises(InputError, match=names):
        asyncio.run(say(session, dialogue_id, text))
    assert kinds(record, dialogue_id) == ["question", "turn_record"]


def test_a_message_and_a_problem_may_be_as_long_as_the_limit_says(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    assert asyncio.run(say(session, start(session), "so " * 1333 + "4")).kind == "done"
    longest = "x" * 4000
    assert session.dialogue(LOCAL_OWNER, session.start(LOCAL_OWNER, text=f" {longest}\n")).problem_text == longest
    with pytest.raises(InputError, match="1 to 4000 characters, got 4001"):
        session.start(LOCAL_OWNER, text=f"{longest}x")


def test_the_days_limit_is_named(record: Record, settings: Settings) -> None:
    limited = settings.model_copy(update={"server": ServerSettings(turns_per_day=2)})
    session = session_on(record, limited)
    dialogue_id = start(session)
    for _ in range(2):
        asyncio.run(say(session, dialogue_id, "ok"))
    with pytest.raises(BusyError, match="limit of 2"):
        asyncio.run(say(session, dialogue_id, "ok"))


def test_distress_is_flagged_for_the_instructor_and_opening_it_is_on_record(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    done = asyncio.run(say(session, dialogue_id, "I'm so dumb, I want to die lol"))
    assert done.move == Move.CARE.value
    assert [flag.dialogue_id for flag in session.instructor_desk.flagged(LOCAL_OWNER)] == [dialogue_id]
    with pytest.raises(InputError):
        session.instructor_desk.flagged(OTHER)
    session.instructor_desk.open_flagged(LOCAL_OWNER, learner_id=LOCAL_OWNER.learner_id, dialogue_id=dialogue_id)
    assert len(record.accesses.list_for_dialogue(LOCAL_OWNER.learner_id, dialogue_id)) == 1


def stuck_to_the_end(record: Record, settings: Settings) -> tuple[str, list[TurnEvent], list[Episode]]:
    session = session_on(record, settings)
    dialogue_id = start(session)
    events = [asyncio.run(say(session, dialogue_id, "", "stuck")) for _ in range(6)]
    return dialogue_id, events, list(record.log.list(LOCAL_OWNER.learner_id, dialogue_id=dialogue_id))


def test_hints_climb_and_nothing_is_revealed_by_default(record: Record, settings: Settings) -> None:
    _, events, episodes = stuck_to_the_end(record, settings)
    assert [event.rung for event in events] == [1, 2, 3, 4, 4, 4]
    assert "reveal" not in [episode.kind for episode in episodes]


def test_a_reveal_that_the_instructor_allows_is_logged_as_one(record: Record, settings: Settings) -> None:
    open_settings = settings.model_copy(update={"tutoring": TutoringSettings(allow_reveal=True)})
    _, events, episodes = stuck_to_the_end(record, open_settings)
    assert [event.move for event in events[:4]].count("reveal") == 0
    assert events[4].move == "reveal"
    shown = [body_of(episode, RevealBody) for episode in episodes if episode.kind == "reveal"]
    assert shown
    assert shown[0] is not None
    assert "=" in shown[0].text


def test_nothing_is_revealed_to_who_is_not_stuck(record: Record, settings: Settings) -> None:
    session = session_on(record, settings.model_copy(update={"tutoring": TutoringSettings(allow_reveal=True)}))
    dialogue_id = start(session)
    for _ in range(4):
        asyncio.run(say(session, dialogue_id, "", "stuck"))
    assert asyncio.run(say(session, dialogue_id, "hm, let me think")).move != "reveal"
    assert "reveal" not in kinds(record, dialogue_id)


@pytest.mark.parametrize(
    ("text", "answer", "notice"),
    [
        ("Ana has 4 boxes with 12 pens each. How many pens does she have?", None, "no_reference"),
        ("Ana has 4 boxes with 12 pens each. How many pens does she have?", "48", None),
    ],
)
def test_a_learner_is_told_where_there_is_no_reference(
    record: Record, settings: Settings, text: str, answer: str | None, notice: str | None
) -> None:
    session = session_on(record, settings)
    dialogue_id = session.start(LOCAL_OWNER, text=text, answer=answer)
    assert session.dialogue(LOCAL_OWNER, dialogue_id).notice == notice


@pytest.mark.parametrize(
    ("solution", "notice"), [("4 * 12 = 50 pens.\n50", "reference_inconsistent"), ("4 * 12 = 48 pens.\n48", None)]
)
def test_a_learner_is_told_where_a_reference_contradicts_itself(
    record: Record, settings: Settings, solution: str, notice: str | None
) -> None:
    text = "Ana has 4 boxes with 12 pens each. How many pens does she have?"
    record.problems.put_many([Problem(problem_id="pens", text=text, solution=solution, answer=solution[-2:])])
    session = session_on(record, settings)
    assert session.dialogue(LOCAL_OWNER, session.start(LOCAL_OWNER, problem_id="pens")).notice == notice


def test_the_turn_record_says_what_was_read_and_by_whom(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    dialogue_id = start(session)
    done = asyncio.run(say(session, dialogue_id, "3 + 4 = 7"))
    body = body_of(record.log.get(LOCAL_OWNER.learner_id, done.record_id or ""), TurnRecordBody)
    assert body is not None
    assert {name: read.status for name, read in body.reads.items()} == {
        "memory": "off",
        "course": "off",
        "experience": "off",
    }
    assert body.engines == {"tutor": "builtin", "observer": "builtin"}
    assert body.observation is not None
    assert {"safety", "observe", "guard", "compose", "total"} <= body.timings_ms.keys()


def test_what_stands_in_the_answer_box_is_read_as_the_answer(record: Record, settings: Settings) -> None:
    session = session_on(record, settings)
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    dialogue_id = start(session)
    assert problem.answer is not None
    asyncio.run(say(session, dialogue_id, problem.answer, "answer"))
    view = session.dialogue(LOCAL_OWNER, dialogue_id)
    assert view.solved
    assert view.turns[-1].learner == problem.answer
    assert view.turns[-1].mode == "answer"


def test_with_only_an_answer_known_it_is_recognised_and_the_way_is_not_judged(
    record: Record, settings: Settings
) -> None:
    session = session_on(record, settings)
    text = "Ana has 4 boxes with 12 pens each and 7 loose pens. How many pens does she have?"
    dialogue_id = session.start(LOCAL_OWNER, text=text, answer="55")
    asyncio.run(say(session, dialogue_id, "4 * 12 = 48"))
    assert session.dialogue(LOCAL_OWNER, dialogue_id).turns[-1].steps[0].mark == "unsure"
    assert not session.dialogue(LOCAL_OWNER, dialogue_id).solved
    asyncio.run(say(session, dialogue_id, "55", "answer"))
    assert session.dialogue(LOCAL_OWNER, dialogue_id).solved
