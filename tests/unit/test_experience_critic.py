"""The builtin critic: planted replies against the gate, flags, adaptation, heads, and what it may not know."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest
from benchmarks.critic_agreement import HeldOutScore, both_out, hold_out, tutor_out
from tests.unit import planted_replies_second as second
from tests.unit.planted_replies import BAD, GOOD, MOMENTS, PROBLEMS, reviewed

from preceptor.domain.dialogue import Turn
from preceptor.domain.learner_state import LearnerState, StruggleStatus
from preceptor.domain.rubric import Flag
from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_evidence import LENGTHS, gather_evidence, is_broken, spoken_part
from preceptor.experience.critic_focus import FOCUS, read_focus
from preceptor.experience.critic_heads import dump_heads, parse_heads, shipped_heads
from preceptor.experience.critic_heads_training import TrainingReply, fit_heads, with_evidence
from preceptor.experience.critic_move import ReplyMove, adaptation, read_move
from preceptor.experience.critic_worth_training import RANKED_BY, human_quality
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


def test_forty_replies_written_before_they_were_scored() -> None:
    assert len(second.BAD) + len(second.GOOD) == 40
    assert not set(second.PROBLEMS) & set(PROBLEMS)
    passed = [
        reply
        for _, moment, reply in second.BAD
        if RULE.admits(CRITIC.critique_now(second.reviewed(moment, reply)).scores)
    ]
    assert 1 - len(passed) / len(second.BAD) >= 0.95, passed
    failed = [
        reply
        for moment, reply in second.GOOD
        if not RULE.admits(CRITIC.critique_now(second.reviewed(moment, reply)).scores)
    ]
    assert 1 - len(failed) / len(second.GOOD) >= 0.70, failed
    assert {moment for _, moment, _ in second.BAD} | {moment for moment, _ in second.GOOD} == set(second.MOMENTS)


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


# -- what the reply is about, and true or false -------------------------------------------------------------------


def test_facts_of_focus_are_shares_and_say_what_follows_the_turn() -> None:
    praised = "Great work! But look at the carp: how many of the 90 fish are carp?"
    facts = read_focus(reviewed("pond_all", praised))
    assert all(0.0 <= value <= 1.0 for value in facts.values()), facts
    assert facts["focus_turns"] == facts["focus_tail_numbers"] == 1.0
    assert facts["focus_tail_topics"] > 0
    assert facts["focus_praise_share"] == pytest.approx(2 / 15)
    bare = read_focus(reviewed("pond_all", "Great work! Keep going."))
    assert bare["focus_turns"] == bare["focus_tail_topics"] == bare["focus_topical_share"] == 0.0
    assert bare["focus_like_problem"] == 0.0 < facts["focus_like_problem"]


def test_saying_the_wrong_value_is_right_is_seen() -> None:
    confirmed = read_focus(reviewed("pond_all", "Yes, 82 is correct."))
    doubted = read_focus(reviewed("pond_all", "82 is not correct."))
    assert (confirmed["focus_confirms_value"], doubted["focus_confirms_value"]) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("reply", "false"),
    [
        ("No, 90 / 3 = 40.", True),
        ("No, 90 / 3 = 30.", False),
        ("To the nearest ten 28 is rounded up, so 28 = 30 then.", False),
        ("9 x 5 tens is 45 tens, so 9 x 5 = 450 when you count tens.", False),
    ],
)
def test_rounding_and_place_value_make_no_false_equation(reply: str, false: bool) -> None:
    assert (gather_evidence(reviewed("pond_all", reply))["false_equation"] > 0) is false


@pytest.mark.parametrize(
    ("reply", "faulted"),
    [
        ("The error is in 15 * 8, check it.", 1.0),
        ("Check why the loaves come to 120 when a shop sells 15 in an hour.", 1.0),
        ("You are off by a little: think of the 8.", 0.0),
    ],
)
def test_two_numbers_of_a_right_step_make_a_misdiagnosis(reply: str, faulted: float) -> None:
    assert gather_evidence(reviewed("bakery_no_rent", reply))["faults_other_step"] == faulted


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
    assert again.worth == table.worth
    assert table.preference(good) > table.preference(bad)


def test_no_head_weighs_what_only_the_worth_may() -> None:
    table = shipped_heads()
    for head in table.heads.values():
        for name, some, yes in zip(table.features, head.some, head.yes, strict=False):
            assert not name.startswith(FOCUS) or some == yes == 0.0, name
    assert any(weight for name, weight in zip(table.features, table.worth, strict=True) if name.startswith(FOCUS))


def test_moments_without_a_difference_give_no_worth() -> None:
    same = [row for row in _rows() if row.reply.labels["location"] == "Yes"]
    table = fit_heads(same)
    assert table.worth == ()
    assert table.preference(same[0].evidence) == 0.0
    assert BuiltinCritic(heads=table).worth(same[0].evidence) > 0.5


def test_a_worth_of_another_width_is_refused() -> None:
    raw = json.loads(dump_heads(fit_heads(_rows())))
    raw["worth"].pop()
    with pytest.raises(ValueError, match="worth"):
        parse_heads(json.dumps(raw))


def test_order_is_the_worth_and_dismissal_lowers_it() -> None:
    good, bad = (CRITIC.critique_now(reviewed("pond_all", text)) for text in (GOOD[4][1], BAD[16][2]))
    assert good.order is not None
    assert bad.order is not None
    assert 0 < bad.order < 0.2 < good.order < 1


def test_human_quality_is_the_sum_of_four_answers() -> None:
    row = _rows()[0].reply
    yes = dataclasses.replace(row, labels=dict.fromkeys(RANKED_BY, "Yes"))
    assert human_quality(yes) == 4.0
    assert human_quality(dataclasses.replace(row, labels={**yes.labels, "location": "To some extent"})) == 3.5
    assert human_quality(dataclasses.replace(row, labels={"location": "Yes"})) is None


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
