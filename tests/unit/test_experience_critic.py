"""The builtin critic: planted replies against the gate, flags, adaptation, heads, and what it may not know."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest
from benchmarks.critic_agreement import HeldOutScore, both_out, hold_out, tutor_out
from tests.unit.planted_replies import BAD, GOOD, MOMENTS, reviewed

from preceptor.domain.dialogue import Turn
from preceptor.domain.learner_state import LearnerState, StruggleStatus
from preceptor.domain.rubric import Flag
from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_evidence import LENGTHS, gather_evidence, is_broken, spoken_part
from preceptor.experience.critic_heads import dump_heads, parse_heads, shipped_heads
from preceptor.experience.critic_heads_training import TrainingReply, fit_heads, with_evidence
from preceptor.experience.critic_move import ReplyMove, adaptation, read_move
from preceptor.experience.human_labels import LABELS, LabelledReply, read_expert_pairs, read_labelled_replies
from preceptor.experience.revision_rule import RevisionRule

CRITIC = BuiltinCritic()
RULE = RevisionRule()


def test_forty_planted_replies() -> None:
    assert len(BAD) + len(GOOD) == 40
    passed = [reply for _, moment, reply in BAD if RULE.admits(CRITIC.critique_now(reviewed(moment, reply)).scores)]
    assert 1 - len(passed) / len(BAD) >= 0.95, passed
    failed = [reply for moment, reply in GOOD if not RULE.admits(CRITIC.critique_now(reviewed(moment, reply)).scores)]
    assert 1 - len(failed) / len(GOOD) >= 0.70, failed


@pytest.mark.parametrize(
    ("kind", "flag"),
    [("dump", Flag.ANSWER_GIVEN), ("pseudo", Flag.PSEUDO_SCAFFOLDING), ("praise_wrong", Flag.MISDIAGNOSIS)],
)
def test_each_kind_of_bad_reply_gets_its_flag(kind: str, flag: Flag) -> None:
    for each, moment, reply in BAD:
        if each == kind:
            assert flag in CRITIC.critique_now(reviewed(moment, reply)).flags, reply


def test_no_good_reply_gets_a_flag() -> None:
    for moment, reply in GOOD:
        assert not CRITIC.critique_now(reviewed(moment, reply)).flags, reply


def test_caps_hold_in_the_scores() -> None:
    for _, moment, reply in BAD:
        found = CRITIC.critique_now(reviewed(moment, reply))
        caps = {
            Flag.ANSWER_GIVEN: (found.scores.scaffolding.value, 0),
            Flag.PSEUDO_SCAFFOLDING: (found.scores.scaffolding.value, 2),
            Flag.FAKE_EMPATHY: (found.scores.empathy.value, 2),
            Flag.MISDIAGNOSIS: (found.scores.attribution.value, 1),
        }
        for flag in found.flags:
            value, cap = caps[flag]
            assert value is not None
            assert value <= cap


def test_the_critic_is_not_told_who_wrote() -> None:
    assert {field.name for field in dataclasses.fields(ReviewedTurn)} == {
        "context",
        "observation",
        "reply",
        "previous_moves",
        "evidence",
    }
    assert not {"author", "tutor", "source"} & {field.name for field in dataclasses.fields(TutorEvidence)}


def test_the_async_door_gives_the_same() -> None:
    turn = reviewed(*GOOD[0])
    assert asyncio.run(CRITIC.critique(turn)) == CRITIC.critique_now(turn)


def test_adaptation_is_not_applicable_on_a_first_try() -> None:
    for moment, reply in GOOD:
        assert not CRITIC.critique_now(reviewed(moment, reply)).scores.strategy_adaptation.applicable


@pytest.mark.parametrize(
    ("reply", "least", "most"),
    [
        ("How many carp are in the pond?", 0, 0),
        ("How many of the carp are there in this pond?", 0, 2),
        ("Suppose the pond held only 9 fish and a third were carp. What would you count?", 4, 4),
    ],
)
def test_after_a_repeated_error_a_changed_strategy_scores(reply: str, least: int, most: int) -> None:
    turn = reviewed("pond_all", reply)
    history = (Turn(learner="82 carp", tutor="How many carp are in the pond?"),)
    state = LearnerState(struggle_status=StruggleStatus.REPEATED_ERROR)
    turn = dataclasses.replace(
        turn,
        context=dataclasses.replace(turn.context, history=history),
        observation=dataclasses.replace(turn.observation, state=state, repeats=1),
    )
    value = CRITIC.critique_now(turn).scores.strategy_adaptation.value
    assert value is not None
    assert least <= value <= most


def test_a_known_move_is_taken_before_the_text() -> None:
    reply, earlier = "How many boxes fill one shelf?", "Take the van and the crates into account."
    assert read_move(reply) is ReplyMove.ASK_QUANTITY
    assert adaptation(reply, earlier, "tell") == 4
    assert adaptation(reply, earlier, "ask_quantity") == 3


def test_what_follows_a_reply_is_cut_and_counts_against_it() -> None:
    reply = "Good job!\n### Student: next question please"
    assert is_broken(reply)
    assert spoken_part(reply) == "Good job!"
    assert not is_broken("What do 3 boxes hold? (Count only the full ones.)")
    assert not RULE.admits(CRITIC.critique_now(reviewed("pond_all", GOOD[4][1] + "\n### Student: 30")).scores)


def test_harsh_words_to_a_frustrated_learner_cost_empathy() -> None:
    kind = CRITIC.critique_now(reviewed("bakery_frustrated", GOOD[14][1])).scores.empathy.value
    harsh = CRITIC.critique_now(reviewed("bakery_frustrated", "Pay attention, how many hours are in the day?"))
    assert kind == 4
    assert harsh.scores.empathy.value == 0


@pytest.mark.parametrize("text", ["", "?", "👍", "x" * 5000, "答案是多少？", "\n\n###"])
def test_odd_replies_are_scored_and_do_not_pass(text: str) -> None:
    found = CRITIC.critique_now(reviewed("pond_all", text))
    assert found.percent is not None
    assert not RULE.admits(found.scores)


# -- heads ------------------------------------------------------------------------------------------------------


def _row(number: int, tutor: str, label: str, reply: str) -> TrainingReply:
    turn = reviewed("pond_all", reply)
    labelled = LabelledReply(
        reply_id=str(number),
        moment="1",
        group=str(number % 4),
        tutor=tutor,
        turn=turn,
        labels={"identification": label, "location": label, "guidance": label, "actionability": label},
    )
    return TrainingReply(reply=labelled, evidence=gather_evidence(turn))


def _rows() -> list[TrainingReply]:
    texts = {"Yes": GOOD[4][1], "To some extent": "Are you sure? Check it again.", "No": BAD[16][2]}
    return [_row(number, f"t{number % 3}", label, texts[label]) for number, label in enumerate([*LABELS] * 8, start=1)]


def test_heads_learn_and_survive_their_file() -> None:
    table = fit_heads(_rows())
    again = parse_heads(dump_heads(table))
    good, bad = (gather_evidence(reviewed("pond_all", text)) for text in (GOOD[4][1], BAD[16][2]))
    assert table.answer(good)["identification"][2] > table.answer(bad)["identification"][2]
    assert again.answer(good) == table.answer(good)
    assert sum(table.answer(good)["location"]) == pytest.approx(1.0)
    assert table.fitted_on == {str(number) for number in range(1, 25)}


def test_a_table_that_does_not_fit_its_features_is_refused() -> None:
    raw = json.loads(dump_heads(fit_heads(_rows())))
    raw["heads"]["location"]["yes"].pop()
    with pytest.raises(ValueError, match="location"):
        parse_heads(json.dumps(raw))


def test_no_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        fit_heads([])


def test_the_shipped_heads_fit_the_evidence_and_weigh_no_length() -> None:
    table = shipped_heads()
    known = gather_evidence(reviewed("pond_all", GOOD[4][1])).values
    assert set(table.features) == set(known) - LENGTHS
    assert table.card["rows"] == 1663
    assert set(table.heads) == {"identification", "location", "guidance", "actionability", "coherence", "tone"}


@pytest.mark.parametrize("keys", [tutor_out, both_out])
def test_no_head_is_fitted_on_what_it_scores(keys) -> None:  # type: ignore[no-untyped-def]
    rows = _rows()
    _assert_apart(hold_out(rows, rows, keys), rows, keys)
    apart = hold_out(rows[:3], rows, tutor_out, groups_too=True)
    groups = {row.reply.group for row in rows[:3]}
    fitted = {row.reply.reply_id for row in rows if row.reply.group not in groups}
    assert all(score.fitted_on <= fitted for score in apart)


def _assert_apart(scores: list[HeldOutScore], rows: list[TrainingReply], keys) -> None:  # type: ignore[no-untyped-def]
    by_id = {row.reply.reply_id: row for row in rows}
    assert len(scores) == len(rows)
    for score in scores:
        held = tuple(keys(score.row))
        assert score.row.reply.reply_id not in score.fitted_on
        assert score.fitted_on
        for reply_id in score.fitted_on:
            assert not any(mine == theirs for mine, theirs in zip(held, keys(by_id[reply_id]), strict=True))


@pytest.mark.data
def test_on_the_labelled_set_folds_keep_tutor_and_problem_apart(data_dir: Path) -> None:
    rows = with_evidence(read_labelled_replies(data_dir)[:120])
    _assert_apart(hold_out(rows, rows, tutor_out), rows, tutor_out)


@pytest.mark.data
def test_bridge_experts_score_above_the_novices_they_replaced(data_dir: Path) -> None:
    pairs = read_expert_pairs(data_dir / "bridge" / "bridge.jsonl")[:150]
    expert, novice = (
        [CRITIC.critique_now(getattr(pair, who)).percent or 0.0 for pair in pairs] for who in ("expert", "novice")
    )
    assert sum(expert) / len(expert) > sum(novice) / len(novice) + 3
    share = sum(RULE.admits(CRITIC.critique_now(pair.expert).scores) for pair in pairs) / len(pairs)
    assert 0.02 <= share <= 0.50


def test_every_moment_is_used() -> None:
    assert {moment for _, moment, _ in BAD} | {moment for moment, _ in GOOD} == set(MOMENTS)
