"""The instructor's words: every tag, strategy and outcome is said as people say it, and no code stands on the page."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest

from preceptor.domain.experience import Strategy
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.server.experience_labels import (
    TAG_KINDS,
    is_followed,
    part_words,
    reason_words,
    state_words,
    strategy_words,
    tag_words,
)
from preceptor.tutoring.hint_reason import FoundExperience, HintReason


def found(part: str, reason: str = "") -> FoundExperience:
    return FoundExperience(
        experience_id="e1", similarity=0.8, strategy="other", part=part, reason=reason, copied_share=None,
        copied_run=None,
    )  # fmt: skip


@pytest.mark.parametrize("tags", [tags for _, _, tags in TAG_KINDS])
def test_every_tag_has_words_of_its_own(tags: type[StrEnum]) -> None:
    said = [tag_words(tag.value) for tag in tags]
    assert len(set(said)) == len(said)
    assert not any("_" in words or words != words.lower() or "n/a" in words for words in said)


def test_tags_that_say_nothing_are_not_said() -> None:
    state = LearnerState(
        error_type=ErrorType.CONCEPT_ERROR, struggle_status=StruggleStatus.FIRST_ATTEMPT, emotion=Emotion.CONFUSED,
        intent=Intent.ASK_CONCEPT,
    )  # fmt: skip
    assert state_words(state).startswith("concept error, first attempt, confused, ")
    assert "n/a" not in state_words(LearnerState()).lower()


def test_strategies_are_words() -> None:
    assert strategy_words("other") == "in its own words"
    assert strategy_words("worked_parallel") == "worked parallel"
    assert not any("_" in strategy_words(one.value) for one in Strategy)


@pytest.mark.parametrize(
    ("part", "reason", "words", "followed"),
    [
        ("chosen", "ask_for_unit", "followed: ask for unit", True),
        ("chosen", "", "followed", True),
        ("in_prompt", "other", "told to the model", True),
        ("same_move", "locate", "its move was due anyway", False),
        ("not_followed", "the learner asked", "not followed (the learner asked)", False),
        ("not_followed", "", "not followed", False),
        ("", "x", "not used", False),
    ],
)
def test_what_a_reply_made_of_an_experience_is_said_with_its_reason(
    part: str, reason: str, words: str, followed: bool
) -> None:
    assert (part_words(found(part, reason)), is_followed(found(part, reason))) == (words, followed)


@pytest.mark.parametrize(
    ("read", "because", "words"),
    [
        ("none", "below_threshold", "nothing was similar enough"),
        ("none", "a new reason", "a new reason"),
        ("off", "", "experience is not read: switched off"),
        ("off", "no entry yet", "experience is not read: no entry yet"),
        ("dropped", "", "the search took too long and was left out"),
        ("failed", "", "the search failed"),
        ("", "", "none was looked for in this turn"),
    ],
)
def test_why_no_experience_stands_behind_a_reply(read: str, because: str, words: str) -> None:
    values: dict[str, Any] = {name: "" for name in HintReason.__dataclass_fields__}
    values |= {"turn": 1, "read": read, "nothing_because": because, "found": ()}
    assert reason_words(HintReason(**values)) == words
    assert reason_words(HintReason(**{**values, "found": (found("chosen"),)})) == ""
