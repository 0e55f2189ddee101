"""The builtin observer over several turns: repeats, regression, guesses, unread streaks, carried values, replay."""

from __future__ import annotations

import asyncio
import time

from tests.unit.pedagogy_problems import graph_of, observe, problem_of

from preceptor.domain.dialogue import Turn
from preceptor.domain.learner_state import ErrorType, StruggleStatus
from preceptor.domain.observation import MisconceptionKind
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext

WALK = ("", "Please walk me through your solution.")


def test_steps_add_up_over_turns() -> None:
    first = ("24*2=48", "Good. What comes next?")
    seen = observe("loaves", "48/12 = 4 loaves", WALK, first)
    assert seen.reached == {0, 1}
    assert seen.newly_reached == (1,)
    assert seen.state.struggle_status is StruggleStatus.PROGRESSING


def test_the_same_wrong_claim_again_is_a_repeated_error() -> None:
    wrong = ("The answer is 84", "Who has fewer stamps?")
    seen = observe("stamps", "So it is 84, the answer is 84", WALK, wrong)
    assert seen.repeats == 1
    assert seen.state.struggle_status is StruggleStatus.REPEATED_ERROR
    again = observe("stamps", "The answer is 84", WALK, wrong, wrong)
    assert again.repeats == 2


def test_another_mistake_is_no_repeat() -> None:
    seen = observe("stamps", "The answer is 21", WALK, ("The answer is 84", "Who has fewer stamps?"))
    assert seen.repeats == 0


def test_a_reached_step_contradicted_is_a_regression() -> None:
    shown = ("Mia has 35 - 14 = 21 stamps", "Good. And together?")
    seen = observe("stamps", "No, Mia has 35 + 14 = 49 stamps", WALK, shown)
    assert seen.state.struggle_status is StruggleStatus.REGRESSION
    assert seen.first_wrong_node == 0


def test_a_right_answer_taken_back_is_a_regression() -> None:
    seen = observe("stamps", "Hm, the answer is 84", WALK, ("The answer is 56", "Are you sure?"))
    assert seen.state.struggle_status is StruggleStatus.REGRESSION
    assert not seen.solved


def test_bare_answers_are_counted_until_work_is_shown() -> None:
    ask = "What is your answer?"
    seen = observe("stamps", "70", ("", ask), ("40", ask), ("60", ask))
    assert seen.bare_guesses == 3
    shown = observe("stamps", "35 + 14 = 49", ("", ask), ("40", ask), ("60", ask))
    assert shown.bare_guesses == 0


def test_a_reply_to_a_question_for_one_quantity_is_no_guess() -> None:
    assert observe("loaves", "48", ("", "How many sandwiches does she make?")).bare_guesses == 0


def test_unread_turns_in_a_row_are_counted() -> None:
    seen = observe("loaves", "green", WALK, ("the sun shines", "Which number did you use?"), ("hm", "And then?"))
    assert seen.unread_streak == 3
    assert observe("loaves", "24*2=48", WALK, ("the sun shines", "Which number did you use?")).unread_streak == 0


def test_the_first_answer_is_kept() -> None:
    seen = observe("stamps", "The answer is 56", WALK, ("The answer is 84", "Who has fewer?"))
    assert seen.first_answer == 84
    assert seen.solved


def test_an_own_earlier_value_carried_on_is_named() -> None:
    history = (WALK, ("There are 24*2=46 sandwiches", "Just this one: 24 x 2?"))
    seen = observe("loaves", "The answer is 11.5", *history)
    kinds = {explanation.kind for explanation in seen.explanations}
    assert MisconceptionKind.CARRIED_VALUE in kinds


def test_many_turns_without_a_step_are_persistent_confusion() -> None:
    wrong = ("24 + 2 = 26", "What happens in each box?")
    other = ("24 + 12 = 39", "What happens in each box?")
    seen = observe("loaves", "24 - 2 = 21", WALK, wrong, other)
    assert seen.state.struggle_status is StruggleStatus.PERSISTENT_CONFUSION
    assert seen.state.error_type is ErrorType.CALCULATION_ERROR


def test_the_line_that_goes_off_first_is_the_learners_own() -> None:
    says = "Mia has 35 + 14 = 49 stamps.\nTogether they have 35 + 49 = 84 stamps.\n84"
    assert observe("stamps", says, WALK).wrong_line == "Mia has 35 + 14 = 49 stamps."


def test_what_follows_from_a_wrong_step_does_not_move_the_first_one() -> None:
    says = "24*2=48 sandwiches. Then 48*12=576 loaves. 576*3=1728. The answer is 1728."
    seen = observe("loaves", says, WALK)
    assert seen.wrong_line == "Then 48*12=576 loaves."
    assert seen.first_wrong_node == 1


def test_replay_gives_what_a_running_observer_gave() -> None:
    says = ["24 + 2 = 26", "ok", "24*2=48", "48/12=4", "The answer is 12"]
    asks = ["Hi", "And?", "Next?", "Next?", "Next?"]
    history: tuple[Turn, ...] = (Turn(learner="", tutor=asks[0]),)
    running = BuiltinObserver()
    for place, text in enumerate(says):
        context = TurnContext(problem=problem_of("loaves"), graph=graph_of("loaves"), history=history, utterance=text)
        seen = running.observe_now(context)
        assert seen == BuiltinObserver().observe_now(context)
        history = (*history, Turn(learner=text, tutor=asks[min(place + 1, 4)]))
    assert seen.solved
    assert seen.reached == {0, 1, 2}


def test_dialogues_of_one_observer_do_not_mix() -> None:
    observer = BuiltinObserver()
    graph, problem = graph_of("loaves"), problem_of("loaves")
    one = (Turn(learner="", tutor="Hi"), Turn(learner="24*2=48", tutor="Next?"))
    two = (Turn(learner="", tutor="Hi"), Turn(learner="24+2=26", tutor="Next?"))
    contexts = [TurnContext(problem=problem, graph=graph, history=h, utterance="ok") for h in (one, two)]
    seen = [asyncio.run(observer.observe(context)) for context in (*contexts, *contexts)]
    assert [sorted(each.reached) for each in seen] == [[0], [], [0], []]


def test_a_long_hostile_utterance_takes_no_time() -> None:
    started = time.process_time()
    observe("loaves", "1+" * 4000 + "1 = 3", WALK)
    observe("loaves", "(" * 4000 + "2" + ")" * 4000, WALK)
    observe("loaves", "9" * 5000 + "^" + "9" * 5000, WALK)
    assert time.process_time() - started < 30
