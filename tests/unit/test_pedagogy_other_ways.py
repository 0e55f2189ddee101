"""What another way, an old answer and a lone right answer are marked as; talk that closes is no riddle."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.unit.pedagogy_problems import graph_of, observe

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Intent
from preceptor.domain.observation import Observation, ReadingStatus
from preceptor.maths.claims import read_claims
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.intent import is_affirmation
from preceptor.pedagogy.partial_work import partial_values

WALK = ("", "Please walk me through your solution.")


def asked(name: str, says: str, node: int, *before: tuple[str, str]) -> Observation:
    """Observe a reply to a recorded question for the value of a step."""
    frame = Frame(kind=FrameKind.VALUE, node=node, value=graph_of(name).nodes[node].value)
    return observe(name, says, *(before or (WALK,)), frame=frame)


def marks(seen: Observation) -> list[str]:
    return [judged.mark for judged in seen.claims]


# -- parts of another way ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "says", "node"),
    [
        ("fair", "12 + 2 = 14", 1),
        ("fair", "12 + 7 = 19", 1),
        ("fair", "2 + 7 = 9", 1),
        ("coat", "0.25 * 80 = 20", 1),
    ],
)
def test_a_true_part_of_the_step_asked_for_is_never_crossed(name: str, says: str, node: int) -> None:
    assert "wrong" not in marks(asked(name, says, node))


def test_a_part_becomes_right_when_it_leads_on() -> None:
    assert marks(asked("fair", "12 + 2 = 14, then 14 + 7 = 21", 1)) == ["right", "right"]
    later = observe("fair", "14 + 7 = 21", WALK, ("12 + 2 = 14", "And then?"))
    assert marks(later) == ["right"]
    assert later.solved


def test_a_bare_part_in_place_of_the_whole_stays_wrong() -> None:
    assert marks(asked("fair", "14", 1)) == ["wrong"]


def test_a_true_calculation_that_is_no_part_stays_wrong() -> None:
    assert marks(asked("stamps", "35 + 14 = 49", 0)) == ["wrong"]


def test_parts_of_a_product_of_a_sum_are_those_of_its_terms() -> None:
    graph = build_step_graph(
        "A bag holds 7 red and 5 blue beads. There are 3 bags. How many beads are there?",
        "A bag holds 7+5=12 beads.\nThere are 12*3=36 beads.",
        "36",
    )
    assert graph is not None
    assert {Fraction(21), Fraction(15), Fraction(12), Fraction(36)} <= partial_values(graph)
    assert Fraction(2) not in partial_values(graph)


# -- the answer, and answers that were not it ----------------------------------------------------------------


@pytest.mark.parametrize("says", ["56", "then 56", "is it 56?", "56 stamps"])
def test_a_lone_right_answer_is_right_whatever_was_asked(says: str) -> None:
    seen = asked("stamps", says, 0, ("84", "How many stamps does Mia have?"))
    assert marks(seen) == ["right"]
    assert seen.solved


def test_a_lone_right_answer_is_no_result_of_an_earlier_slip() -> None:
    frame = Frame(kind=FrameKind.VALUE, value=Fraction(47))
    seen = observe("stamps", "56", ("33 + 14 = 48", "What does 33 + 14 come to?"), frame=frame)
    assert marks(seen) == ["right"]


def test_a_number_that_also_stands_elsewhere_is_not_taken_for_the_answer() -> None:
    seen = asked("ribbon", "96", 0)
    assert not seen.solved


@pytest.mark.parametrize("says", ["right, then 12 is my answer", "ok so it is 12 like I said", "yes, so 12"])
def test_an_old_wrong_answer_said_again_is_not_ticked(says: str) -> None:
    seen = asked("ribbon", says, 0, ("", "What is your answer?"), ("12", "How long is one piece?"))
    assert "right" not in marks(seen)
    assert not seen.solved


@pytest.mark.parametrize("says", ["12", "12 cm", "96 / 8 = 12"])
def test_the_step_asked_for_is_ticked_where_the_reply_says_more_than_before(says: str) -> None:
    seen = asked("ribbon", says, 0, ("", "What is your answer?"), ("12", "How long is one piece?"))
    assert marks(seen) == ["right"]


def test_a_result_carried_out_is_the_step_of_its_calculation() -> None:
    seen = asked("loaves", "new equation: x = 24 * 2, x = 48", 1)
    assert marks(seen) == ["right", "right"]


def test_another_step_than_the_one_asked_for_is_not_crossed() -> None:
    assert marks(asked("coat", "60", 0)) == ["unsure"]


def test_a_step_said_unasked_is_not_crossed_as_an_answer() -> None:
    assert marks(observe("coat", "60")) == ["unsure"]
    assert marks(observe("coat", "the answer is 60")) == ["wrong"]


# -- words about the talk ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "says", ["The answer: 67", "My answer: 67", "Total = 67", "result: 67", "it is 67 like I said", "Antwort: 67"]
)
def test_words_about_the_talk_count_nothing(says: str) -> None:
    (claim,) = read_claims(says)
    assert claim.value == 67
    assert claim.noun is None


def test_a_counted_thing_before_a_colon_is_kept() -> None:
    (claim,) = read_claims("eggs: 67")
    assert claim.noun == "egg"


# -- talk that closes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "says",
    [
        "ah ok, good point",
        "right, I see now",
        "thanks, bye",
        "gotcha, thanks",
        "fair enough",
        "yes of course",
        "I get it, thanks",
        "nice one",
        "great, see you tomorrow",
        "vale, adiós",
        "merci, au revoir",
        "danke, tschüss",
        "谢谢，再见",
    ],
)
def test_agreement_and_leave_are_no_unread_turn(says: str) -> None:
    seen = observe("loaves", says, WALK)
    assert (seen.reading.status, seen.reading.reason) == (ReadingStatus.PARTLY, "agreement_only")
    assert seen.state.intent is Intent.CONFIRM_UNDERSTANDING
    assert seen.unread_streak == 0


@pytest.mark.parametrize("says", ["not good", "I don't see", "hm", "no", "that is 12", ""])
def test_doubt_and_numbers_are_no_agreement(says: str) -> None:
    assert not is_affirmation(says)


def test_a_long_row_of_small_words_is_read_at_once() -> None:
    assert not is_affirmation("it is see you i see thank you " * 130 + "?x")
