"""The builtin mentor and distiller: better by the critic, silent where nothing was read, abstract and varied."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

import pytest

from preceptor.domain.experience import Strategy
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.rubric import Critique, Dimension, RubricScores, Score
from preceptor.experience.abstract_text import find_faults, surroundings_of
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.builtin_distiller import BuiltinDistiller
from preceptor.experience.builtin_mentor import NO_REVISION, BuiltinMentor
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.distiller import AdmittedTurn
from preceptor.experience.mentor import Revision
from preceptor.experience.revision_rule import RevisionRule
from preceptor.experience.teaching_words import EXCELLENT, KINDS, STRATEGIES, STRATEGY_OF_MOVE
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_evidence import observe_reply_now
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.strategy import MOVE_OF
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn

TEXT = "Nora fills 6 crates with 14 jars each and gives 20 jars away. How many jars are left?"
SOLUTION = "6 crates hold 6 * 14 = 84 jars.\nAfter giving 20 away, 84 - 20 = 64 jars are left."
PROBLEM = Problem(problem_id="jars", text=TEXT, solution=SOLUTION, answer="64")
BAD = ("The answer is 64 jars.", "Great job! That is exactly right.", "Try again.")
UTTERANCES = ("6 + 14 = 20 jars", "6 * 14 = 74 jars", "84 + 20 = 104 jars", "It is 84 jars, I am sure.")


def reviewed(utterance: str, reply: str) -> ReviewedTurn:
    graph = build_step_graph(TEXT, SOLUTION, "64", "en")
    context = TurnContext(problem=PROBLEM, graph=graph, history=(), utterance=utterance)
    observation = BuiltinObserver().observe_now(context)
    evidence = observe_reply_now(context, observation, reply)
    return ReviewedTurn(context=context, observation=observation, reply=reply, evidence=evidence)


def judged(turn: ReviewedTurn) -> Critique:
    return BuiltinCritic().critique_now(turn)


def revise(turn: ReviewedTurn, *earlier: tuple[Revision, Critique]) -> Revision:
    made = BuiltinMentor().revise_now(turn, judged(turn), earlier=earlier)
    assert made is not None
    return made


@pytest.mark.parametrize("utterance", UTTERANCES)
@pytest.mark.parametrize("reply", BAD)
def test_a_bad_reply_gets_a_better_one_by_the_critic(utterance: str, reply: str) -> None:
    turn = reviewed(utterance, reply)
    before = judged(turn).percent
    after = judged(replace(turn, reply=revise(turn).reply)).percent
    assert before is not None
    assert after is not None
    assert after > before


def rescored(turn: ReviewedTurn, reply: str) -> Critique:
    evidence = observe_reply_now(turn.context, turn.observation, reply)
    return judged(replace(turn, reply=reply, evidence=evidence))


def test_a_revision_tells_the_first_three_dimensions_that_are_better_and_no_other() -> None:
    n_better, n_left_out = Counter[int](), 0
    for utterance, reply in product(UTTERANCES, BAD):
        turn = reviewed(utterance, reply)
        made = revise(turn)
        before, after = judged(turn).scores, rescored(turn, made.reply).scores
        values = {one: (before.of(one).value or 0, after.of(one).value or 0) for one in Dimension}
        better = [one for one, (then, now) in values.items() if now > then]
        assert [one for one in Dimension if EXCELLENT[one] in made.addresses] == better[:3], (utterance, reply)
        n_better[len(better)] += 1
        n_left_out += any(then == now > 0 for then, now in values.values())
    assert n_better[4] > 0, "some have more that is better than is told"
    assert n_left_out > 0, "some have a dimension that is as it was"


def test_a_revision_that_makes_nothing_better_addresses_nothing() -> None:
    turn = reviewed(UTTERANCES[0], BAD[0])
    made = BuiltinMentor().revise_now(turn, rescored(turn, revise(turn).reply))
    assert made is not None
    assert made.addresses == ""


@pytest.mark.parametrize("utterance", UTTERANCES)
def test_the_revision_never_states_what_the_learner_has_not_reached(utterance: str) -> None:
    assert "64" not in revise(reviewed(utterance, BAD[0])).reply


def test_the_flaws_of_the_old_reply_are_named() -> None:
    assert "answer_giving" in {flaw.code for flaw in revise(reviewed(UTTERANCES[0], BAD[0])).flaws}
    assert "weak_diagnosis" in {flaw.code for flaw in revise(reviewed(UTTERANCES[0], BAD[1])).flaws}


def test_another_round_offers_another_reply() -> None:
    turn = reviewed(UTTERANCES[0], BAD[0])
    first = revise(turn)
    second = revise(turn, (first, judged(turn)))
    third = revise(turn, (first, judged(turn)), (second, judged(turn)))
    assert len({first.reply, second.reply, third.reply}) == 3


class ListedTutor:
    """Offers listed replies in turn, and remembers with what help it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = replies
        self.asked: list[TutorTurn] = []

    def compose(self, turn: TutorTurn) -> Reply:
        self.asked.append(turn)
        return self._replies[min(len(self.asked), len(self._replies)) - 1]


class ListedCritic:
    """Gives listed scores by reply."""

    def __init__(self, **scores: tuple[int, int, int, int]) -> None:
        self._scores = scores

    def critique_now(self, turn: ReviewedTurn) -> Critique:
        given = [Score.of(value) for value in self._scores.get(turn.reply, (1, 1, 1, 1))]
        parts = dict(zip(("scaffolding", "attribution", "empathy", "teaching_focus"), given, strict=True))
        return Critique(scores=RubricScores(**parts, strategy_adaptation=Score.not_applicable("first")))


def offered(tutor: ListedTutor, turn: ReviewedTurn, **scores: tuple[int, int, int, int]) -> Revision | None:
    critic = ListedCritic(**scores)
    mentor = BuiltinMentor(critic=critic, tutor=tutor)  # type: ignore[arg-type]
    return mentor.revise_now(turn, critic.critique_now(turn))


@pytest.mark.parametrize("move", sorted(NO_REVISION))
def test_a_reply_that_says_nothing_about_the_matter_is_no_revision(move: Move) -> None:
    assert offered(ListedTutor(Reply(text="Hm.", move=move)), reviewed(UTTERANCES[0], BAD[2])) is None


def test_the_reply_that_was_given_is_no_revision_of_itself() -> None:
    turn = reviewed(UTTERANCES[0], BAD[2])
    assert offered(ListedTutor(Reply(text=turn.reply, move=Move.ASK_NEXT_QUANTITY)), turn) is None


def test_the_revision_without_a_weak_side_is_chosen_before_one_with_more_in_all() -> None:
    tutor = ListedTutor(
        Reply(text="strong", move=Move.ASK_NEXT_QUANTITY), Reply(text="even", move=Move.ASK_NEXT_QUANTITY)
    )
    made = offered(tutor, reviewed(UTTERANCES[0], BAD[2]), strong=(4, 4, 4, 1), even=(3, 3, 3, 3))
    assert made is not None
    assert made.reply == "even"


def test_a_mistake_made_again_is_located_and_a_first_one_is_not() -> None:
    for repeats, rung in ((0, Rung.NONE), (2, Rung.LOCATE)):
        turn = reviewed(UTTERANCES[0], BAD[2])
        tutor = ListedTutor(Reply(text="Which part?", move=Move.ASK_NEXT_QUANTITY))
        offered(tutor, replace(turn, observation=replace(turn.observation, repeats=repeats)))
        assert {asked.rung for asked in tutor.asked} == {rung}


def test_a_turn_that_was_not_read_gets_no_revision() -> None:
    turn = reviewed("blorp", BAD[2])
    assert BuiltinMentor().revise_now(turn, judged(turn)) is None


@pytest.mark.parametrize("utterance", UTTERANCES)
@pytest.mark.parametrize("reply", BAD)
def test_what_a_revision_teaches_carries_nothing_of_the_problem(utterance: str, reply: str) -> None:
    made = revise(reviewed(utterance, reply))
    around = surroundings_of(PROBLEM, [utterance], [reply])
    texts = [made.template, *made.strategy_notes, *made.pitfalls, made.struggle_handling, made.addresses]
    assert [fault for text in texts if text for fault in find_faults(text, around)] == []


def distilled(utterance: str, reply: str) -> tuple[str, ...]:
    turn = reviewed(utterance, reply)
    made = BuiltinDistiller().distil_now(
        AdmittedTurn(turn=turn, critique=judged(turn), sentence="The learner slipped.")
    )
    assert made is not None
    return made.value.texts()


def test_a_value_varies_with_mistake_and_with_what_the_reply_did() -> None:
    ask = "How many jars are in one crate?"
    assert distilled(UTTERANCES[0], ask) != distilled(UTTERANCES[1], ask)
    assert distilled(UTTERANCES[0], ask) != distilled(UTTERANCES[0], "What does each mean in the text?")


def test_what_was_not_read_or_not_observed_is_not_distilled() -> None:
    unread = reviewed("blorp", BAD[2])
    blind = replace(reviewed(UTTERANCES[0], BAD[2]), evidence=None)
    for turn in (unread, blind):
        admitted = AdmittedTurn(turn=turn, critique=judged(turn), sentence="The learner slipped.")
        assert BuiltinDistiller().distil_now(admitted) is None


def test_every_sentence_of_the_tables_is_abstract() -> None:
    texts = [
        text
        for words in STRATEGIES.values()
        for text in (words.does, *words.steps, words.template, words.good, words.pitfall)
    ]
    texts += [text for words in KINDS.values() for text in (words.aim, words.look, words.pitfall)]
    assert {text: find_faults(text) for text in texts if find_faults(text)} == {}


def test_every_strategy_that_the_tutor_can_follow_has_words_and_a_next_one() -> None:
    assert set(STRATEGIES) == set(Strategy)
    assert all(words.next is not strategy for strategy, words in STRATEGIES.items())
    assert set(STRATEGY_OF_MOVE.values()) <= {*MOVE_OF, Strategy.OTHER}


def test_most_routed_replies_of_real_tutors_get_a_revision_that_passes_the_gate(data_dir: Path) -> None:
    from preceptor.experience.critic_histogram import reviewed_turns
    from preceptor.pedagogy.dialogue_formats import read_dialogues

    observer, critic, rule, mentor = BuiltinObserver(), BuiltinCritic(), RevisionRule(), BuiltinMentor()
    passed = routed = 0
    for dialogue in islice(read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial"), 12):
        for _, turn in reviewed_turns(dialogue, observer):
            before = critic.critique_now(turn)
            if not turn.observation.error_detail or not rule.needs_revision(before.scores):
                continue
            made = mentor.revise_now(turn, before)
            routed += 1
            passed += made is not None and rule.admits(critic.critique_now(replace(turn, reply=made.reply)).scores)
    assert routed > 5
    assert passed > 0.5 * routed
