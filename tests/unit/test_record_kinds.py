"""Each kind's payload is read back as it was written, and only in its shape."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import pytest

from preceptor.domain.claim import Claim, Operand
from preceptor.domain.episode import Episode
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.domain.observation import (
    Explanation,
    JudgedClaim,
    MisconceptionKind,
    Observation,
    Reading,
    ReadingStatus,
)
from preceptor.domain.problem import AnswerPolicy, Problem
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.errors import InputError
from preceptor.record.canonical import canonical_json
from preceptor.record.kinds import (
    BODIES,
    AnswerBody,
    Body,
    CheckBody,
    CorrectionBody,
    ErasureBody,
    HintBody,
    ModelUse,
    PromptRead,
    QuestionBody,
    RevealBody,
    SafetyFlagBody,
    SourceRead,
    TurnRecordBody,
    body_of,
    check_body,
    new_episode,
)
from preceptor.record.memory_kinds import ConsolidationBody, DenialBody, FileBody, QuizBody, TaughtBody

THIRD = Fraction(1, 3)
CLAIM = Claim(
    start=2,
    end=9,
    text="1/3 + 1",
    operands=(Operand(value=THIRD, text="1/3", unit="cup", noun="flour"), Operand(value=Fraction(1), text="1")),
    operators=("+",),
    computed=Fraction(4, 3),
    value=Fraction(4, 3),
    rounded=True,
)
JUDGED = JudgedClaim(claim=CLAIM, mark="wrong", node=2, judged_by="arithmetic", read_as="1/3 + 1")
FRAME = Frame(kind=FrameKind.CHOICE, node=1, value=THIRD, options=("add", "none of these"), own_instance=False)
OBSERVATION = Observation(
    state=LearnerState(
        emotion=Emotion.CURIOUS,
        intent=Intent.REQUEST_HINT,
        error_type=ErrorType.NOT_APPLICABLE,
        struggle_status=StruggleStatus.REGRESSION,
    ),
    error_detail="took the wrong base",
    struggle_reason="",
    reading=Reading(status=ReadingStatus.PARTLY, read_as="1/3 + 1", reason="no_number"),
    claims=(JUDGED,),
    frame=FRAME,
    newly_reached=(2,),
    reached=frozenset({2, 0, 11}),
    first_wrong_node=0,
    explanations=(Explanation(kind=MisconceptionKind.PERCENT_BASE, node=1, foreign=THIRD),),
    solved=True,
    repeats=2,
)
EXAMPLES: tuple[Body, ...] = (
    QuestionBody(
        problem=Problem(problem_id="p", text="How many?", policy=AnswerPolicy(tolerance=THIRD)), reply_language="zh"
    ),
    AnswerBody(text="", mode="stuck"),
    CheckBody(judged=JUDGED, engine="llm"),
    HintBody(rung=Rung.WORKED_PARALLEL, node=None, move=Move.WORKED_PARALLEL, asked_for=True),
    RevealBody(node=3, text="6 × 7 = 42"),
    TurnRecordBody(
        reply=Reply(text="What is ⅓?", move=Move.TELL_APART, rung=Rung.LOCATE, node=1, frame=FRAME, notes=("n",)),
        observation=OBSERVATION,
        reads={
            "course": SourceRead(status="read", ids=("a",), similarities=(0.5,)),
            "memory": SourceRead(status="off"),
        },
        engines={"tutor": "llm"},
        prompts=(PromptRead(role="tutor", name="tutor", version=3, digest="ab"),),
        models=(ModelUse(role="tutor", provider="p", model="m", input_tokens=7, cost_usd=0.001),),
        timings_ms={"observe": 1.25},
        guard=("rewritten: leak",),
        last_event_id=9,
        completed=False,
    ),
    CorrectionBody(corrected_episode_id="e", reason="I meant metres"),
    SafetyFlagBody(category="self_harm", rules=("r1",)),
    ErasureBody(scope="learner", sequences=((1, 4), (6, 6))),
    QuizBody(item="What is 3/4 + 1/8?", answer="7/8", verdict="right", quiz_id="q1", topic="fractions"),
    TaughtBody(note="a bundle is ten", utterance="Remember that a bundle is ten.", concept="Place value"),
    FileBody(name="week 3.pdf", change="replaced", page_count=12),
    ConsolidationBody(day=date(2026, 7, 12), counts={"check": 4}, checks_right=3, checks_wrong=1, topics=("area",)),
    DenialBody(belief_id="b", concept_id="c", concept="area", claim="struggles", note="I had a cold"),
)


def _stored(body: Body) -> Episode:
    """Return the episode as a database gives it back: through JSON text."""
    new = new_episode(body, learner_id="ana", subject_id="maths")
    payload = json.loads(canonical_json({"body": new.body, "summary": new.summary}))
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Episode(
        episode_id="e",
        learner_id="ana",
        subject_id="maths",
        sequence=1,
        kind=new.kind,
        kind_version=new.kind_version,
        actor=new.actor,
        provenance=new.provenance,
        language="en",
        time_zone="UTC",
        occurred_at=at,
        recorded_at=at,
        commitment="",
        previous_hash="",
        chain_hash="",
        summary=payload["summary"],
        body=payload["body"],
    )


def test_every_kind_has_an_example() -> None:
    assert {example.kind for example in EXAMPLES} == set(BODIES)


@pytest.mark.parametrize("body", EXAMPLES, ids=lambda body: body.kind)
def test_a_body_is_read_back_as_it_was_written(body: Body) -> None:
    assert body_of(_stored(body), type(body)) == body


def test_a_kind_without_a_headline_cannot_be_made() -> None:
    class Untold(Body):
        kind = "untold"

    with pytest.raises(TypeError, match="headline"):
        Untold()  # type: ignore[abstract]


def test_exact_numbers_are_stored_as_text() -> None:
    stored = _stored(EXAMPLES[5]).body
    assert stored is not None
    assert stored["reply"]["frame"]["value"] == "1/3"  # type: ignore[index]
    assert stored["observation"]["reached"] == [0, 2, 11]  # type: ignore[index]


VERSION_1: tuple[tuple[type[Body], str], ...] = (
    (AnswerBody, '{"mode":"message","text":"7"}'),
    (QuestionBody, '{"problem":{"problem_id":"p","text":"How many?"},"text":""}'),
    (HintBody, '{"node":1,"rung":2}'),
    (SafetyFlagBody, '{"category":"self_harm","severity":"urgent"}'),
    (TurnRecordBody, '{"reply":{"move":"close","text":"Done","frame":{"kind":"value","value":"7/2"}}}'),
    (
        CheckBody,
        '{"judged":{"claim":{"start":0,"end":1,"text":"7","value":"7"},"mark":"right","node":0}}',
    ),
)


@pytest.mark.parametrize(("kind", "text"), VERSION_1, ids=lambda value: getattr(value, "kind", None))
def test_payloads_written_by_version_1_are_still_read(kind: type[Body], text: str) -> None:
    check_body(kind.kind, 1, json.loads(text))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("answer", {"text": "7", "mood": "sad"}),
        ("answer", {"mode": "message"}),
        ("answer", {"text": "7", "mode": "shouted"}),
        ("hint", {"rung": 9}),
        ("turn_record", {"reply": {"text": "x", "move": "dance"}}),
        ("erasure", {"scope": "learner", "sequences": [[1, 2, 3]]}),
    ],
)
def test_a_body_in_another_shape_is_refused_without_repeating_it(kind: str, body: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"^{kind}\\.") as caught:
        check_body(kind, 1, body)
    assert "sad" not in str(caught.value)
    assert "shouted" not in str(caught.value)


def test_kinds_and_versions_of_a_later_program_pass() -> None:
    check_body("kind_of_a_later_version", 1, {"anything": 1})
    check_body("answer", 2, {"anything": 1})


def test_a_body_is_not_read_as_another_kind_or_version() -> None:
    with pytest.raises(InputError, match="expected hint version 1"):
        body_of(_stored(EXAMPLES[1]), HintBody)
    with pytest.raises(InputError, match="answer version 2"):
        body_of(replace(_stored(EXAMPLES[1]), kind_version=2), AnswerBody)
    assert body_of(replace(_stored(EXAMPLES[1]), body=None, summary=None), AnswerBody) is None


@pytest.mark.parametrize(
    ("body", "salience"),
    [
        (EXAMPLES[0], 0.35),
        (EXAMPLES[1], 0.45),
        (EXAMPLES[2], 0.7),
        (CheckBody(judged=replace(JUDGED, mark="right")), 0.6),
        (CheckBody(judged=replace(JUDGED, mark="unsure")), None),
        (EXAMPLES[3], None),
    ],
)
def test_salience_is_that_of_the_kind_and_verdict(body: Body, salience: float | None) -> None:
    """question .35, checks .7 missed and .6 passed: "A Tutor That Remembers"."""
    assert new_episode(body, learner_id="a", subject_id="s").salience == salience


def test_a_summary_is_one_short_line() -> None:
    new = new_episode(AnswerBody(text="line one\n  line two " + "x" * 500), learner_id="a", subject_id="s")
    assert new.summary.startswith("line one line two xxx")
    assert len(new.summary) == 200
    assert new_episode(AnswerBody(text="", mode="stuck"), learner_id="a", subject_id="s").summary == "[stuck]"


def test_a_turn_record_without_the_search_of_experience_is_read_as_before() -> None:
    old = {"reply": {"text": "Which part?", "move": "free"}, "reads": {"experience": {"status": "off"}}}
    record = TurnRecordBody.model_validate(old)
    assert record.reads["experience"].search is None
    assert record.reply.experience_roles == ()
