"""What is kept of a turn: flags and how grave they are, models' notes, what was taught, pages cited, the stance."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.domain.grounding import Citation, Grounding, GroundingStatus
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.usage import Usage
from preceptor.memory.record_answers import Found
from preceptor.memory.teaching import Teaching
from preceptor.record.kinds import new_episode
from preceptor.safety.screen import Screening
from preceptor.tutoring.live_memory import stance_of
from preceptor.tutoring.reads import MemoryRead, Read
from preceptor.tutoring.turn import TurnTrace
from preceptor.tutoring.turn_record import record_body, turn_episodes

USAGE = Usage(
    role="tutor", engine="local", model="m", prompt="tutor", prompt_version=1, prompt_digest="0" * 12, duration_ms=5,
)  # fmt: skip
NOTE = Teaching(
    language="en", utterance="remember that a queue is a line", note="a queue is a line", concept="queue",
    concept_id="c1", is_new=True,
)  # fmt: skip


def reply(**more: Any) -> Reply:
    return Reply(**{"text": "Well?", "move": Move.FREE, "engine": "local", **more})


def kept(trace: TurnTrace, *, asked_for_help: bool = False) -> list[NewEpisode]:
    make = partial(new_episode, learner_id="ana", subject_id="maths", dialogue_id="d", turn=1)
    return turn_episodes(trace, make, asked_for_help=asked_for_help, last_event_id=4, record_id="r")


@pytest.mark.parametrize(
    ("screening", "flag"),
    [
        (Screening(kind="distress", category="severe_distress", severity=1), ("severe_distress", "notice")),
        (Screening(kind="distress", category="self_harm", severity=2), ("self_harm", "urgent")),
        (Screening(kind="abuse", severity=3), ("abuse", "urgent")),
        (Screening(kind="none"), None),
    ],
)
def test_what_may_cost_a_life_is_urgent(screening: Screening, flag: tuple[str, str] | None) -> None:
    made = kept(TurnTrace(screening=screening, reply=reply()))
    flags = [(one.body["category"], one.body["severity"]) for one in made if one.kind == "safety_flag"]
    assert flags == ([flag] if flag else [])
    assert (made[-1].kind, made[-1].episode_id) == ("turn_record", "r")


def test_help_is_kept_with_whether_it_was_asked_for() -> None:
    hinted = TurnTrace(reply=reply(rung=Rung.LOCATE, node=2, move=Move.CANNOT_FOLLOW))
    hint, flag, _ = kept(hinted, asked_for_help=True)
    assert (hint.body["rung"], hint.body["node"], hint.body["asked_for"]) == (2, 2, True)
    assert (flag.body["category"], flag.body["severity"]) == ("cannot_follow", "notice")
    assert [one.kind for one in kept(TurnTrace(reply=reply(move=Move.REVEAL)))] == ["reveal", "turn_record"]
    assert [one.kind for one in kept(TurnTrace(reply=reply()))] == ["turn_record"]


@pytest.mark.parametrize(
    ("retries", "dropped", "notes"),
    [(0, (), ()), (2, (), ("2 retries",)), (1, ("seed",), ("seed refused", "1 retries"))],
)
def test_what_a_model_call_went_through_is_noted(
    retries: int, dropped: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    usage = Usage(**{**vars(USAGE), "retries": retries, "dropped": dropped})
    body = record_body(TurnTrace(reply=reply(usage=usage)), last_event_id=0)
    assert [one.notes for one in body.models] == [notes]
    assert [one.name for one in body.prompts] == ["tutor"]


@pytest.mark.parametrize(
    ("taught", "kinds"),
    [
        (NOTE, ["taught", "turn_record"]),
        (Teaching(**{**vars(NOTE), "concept": ""}), ["turn_record"]),
        (None, ["turn_record"]),
    ],
)
def test_what_was_taught_is_kept_where_it_belongs_to_a_concept(taught: Teaching | None, kinds: list[str]) -> None:
    read = Read(status="read", memory=MemoryRead(taught=taught))
    made = kept(TurnTrace(reads={"memory": read}, reply=reply()))
    assert [one.kind for one in made] == kinds
    if taught is NOTE:
        assert (made[0].concept_ids, made[0].body["note"]) == (("c1",), "a queue is a line")


def grounded(status: GroundingStatus, *pages: int) -> Reply:
    citations = tuple(
        Citation(
            marker=place, passage_id=f"p{place}", document_id="d", document_name="a.md", page=page,
            page_fingerprint="f", start=0, end=3, quote="abc",
        )
        for place, page in enumerate(pages, start=1)
    )  # fmt: skip
    return reply(grounding=Grounding(status=status, citations=citations))


def test_a_page_cited_twice_is_evidence_once() -> None:
    made = kept(TurnTrace(reply=grounded("grounded", 2, 5, 2)))
    assert made[-1].evidence == tuple(Evidence(document_id="d", page=page, fingerprint="f") for page in (2, 5))


@pytest.mark.parametrize(
    ("said", "found", "stance"),
    [
        (None, None, None),
        (reply(), None, None),
        (reply(move=Move.RECORD_ANSWER), "answered", "answered"),
        (reply(move=Move.RECORD_ANSWER), "partial", "partial"),
        (reply(move=Move.RECORD_ANSWER), "nothing", "cannot"),
        (reply(move=Move.RECORD_ANSWER), None, None),
        (reply(), "nothing", None),
        (grounded("grounded", 1), "nothing", "answered"),
        (grounded("mostly_ungrounded"), None, "partial"),
        (grounded("not_in_course"), None, "cannot"),
        (grounded("none_needed"), None, None),
    ],
)
def test_the_stance_is_the_records_where_it_was_asked_else_the_files(
    said: Reply | None, found: Found | None, stance: str | None
) -> None:
    reads = {"memory": Read(status="read", memory=MemoryRead(found=found))}
    assert stance_of(TurnTrace(reads=reads, reply=said)) == stance
    if found is None:
        assert stance_of(TurnTrace(reply=said)) == stance
