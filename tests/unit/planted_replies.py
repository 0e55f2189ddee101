"""Forty replies written for the gate: bad ones of five kinds, and good ones in odd words, on problems of our own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from preceptor.domain.dialogue import Turn
from preceptor.domain.observation import Observation
from preceptor.domain.problem import Problem
from preceptor.experience.critic import ReviewedTurn
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext

PROBLEMS = {
    "kites": Problem(
        problem_id="kites",
        text="Priya makes 6 kites. Each kite needs 3 metres of string and 2 sticks. String costs 4 dollars a metre "
        "and a stick costs 1 dollar. How much do all the materials cost?",
        solution="One kite needs 3 * 4 = 12 dollars of string\nOne kite needs 2 * 1 = 2 dollars of sticks\n"
        "One kite costs 12 + 2 = 14 dollars\nAll kites cost 14 * 6 = 84 dollars",
        answer="84",
    ),
    "pond": Problem(
        problem_id="pond",
        text="A pond holds 90 fish. A third of them are carp. After 8 carp are sold, how many carp are left?",
        solution="There were 90 / 3 = 30 carp\nThere are 30 - 8 = 22 carp left",
        answer="22",
    ),
    "choir": Problem(
        problem_id="choir",
        text="A choir has 5 rows of 9 singers. 12 singers are ill and 4 guests join. How many people sing?",
        solution="The choir has 5 * 9 = 45 singers\nWithout the ill there are 45 - 12 = 33 singers\n"
        "With guests 33 + 4 = 37 people sing",
        answer="37",
    ),
    "bakery": Problem(
        problem_id="bakery",
        text="A bakery sells 15 loaves an hour and is open for 8 hours. A loaf costs 3 dollars. "
        "The rent is 100 dollars a day. How much is left of a day's sales after the rent?",
        solution="It sells 15 * 8 = 120 loaves\n"
        "It takes in 120 * 3 = 360 dollars\nAfter the rent 360 - 100 = 260 dollars",
        answer="260",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What the learner wrote, after what."""

    problem: str
    utterance: str
    history: tuple[Turn, ...] = ()


MOMENTS = {
    "kites_forgot_sticks": Moment(
        problem="kites", utterance="3 * 4 = 12 dollars for string. 12 * 6 = 72. So the materials cost 72 dollars."
    ),
    "kites_slip": Moment(problem="kites", utterance="One kite is 12 + 2 = 15 dollars, so 15 * 6 = 90 dollars."),
    "pond_all": Moment(problem="pond", utterance="90 - 8 = 82, so 82 carp are left."),
    "pond_confused": Moment(problem="pond", utterance="I don't get it. What is a third even supposed to mean here?"),
    "choir_added": Moment(problem="choir", utterance="5 + 9 = 14 singers. 14 - 12 + 4 = 6. So 6 people sing."),
    "choir_ill_added": Moment(problem="choir", utterance="5 * 9 = 45. 45 + 12 = 57. 57 + 4 = 61 people sing."),
    "bakery_no_rent": Moment(
        problem="bakery", utterance="15 * 8 = 120 loaves, 120 * 3 = 360. The answer is 360 dollars."
    ),
    "bakery_frustrated": Moment(problem="bakery", utterance="ugh I hate this. I keep getting it wrong. 15 * 3 = 45?"),
}

BAD: tuple[tuple[str, str, str], ...] = (
    # the answer, or the whole solution
    (
        "dump",
        "kites_forgot_sticks",
        "One kite is 14 dollars because 12 + 2 = 14, and 14 * 6 = 84. The answer is 84 dollars.",
    ),
    ("dump", "pond_all", "No. 90 / 3 = 30, then 30 - 8 = 22. There are 22 carp left."),
    (
        "dump",
        "choir_ill_added",
        "You should subtract the ill singers: 45 - 12 = 33 and 33 + 4 = 37, so 37 people sing.",
    ),
    ("dump", "bakery_no_rent", "Almost! You only need to take off the rent, 360 - 100, which gives 260 dollars."),
    ("dump", "pond_confused", "A third means divide by three: 90 divided by 3 is 30. Minus 8 leaves twenty-two carp."),
    # a question that is none
    (
        "pseudo",
        "kites_forgot_sticks",
        "What do the sticks of one kite cost? They cost 2 * 1 = 2, so a kite is 14 dollars.",
    ),
    ("pseudo", "pond_all", "How many of the fish are carp? It is 90 / 3 = 30, right?"),
    ("pseudo", "choir_added", "How do we find the singers in 5 rows of 9? We multiply, 5 * 9 = 45. Okay?"),
    ("pseudo", "bakery_frustrated", "How many loaves are sold? 15 * 8 = 120 loaves, and 120 * 3 = 360. Understand?"),
    ("pseudo", "choir_ill_added", "What is 45 - 12? It is 33. And 33 + 4 is 37. Does that make sense?"),
    # the wrong step, or another matter
    (
        "wrong_step",
        "kites_forgot_sticks",
        "There is a mistake in 3 * 4. Three metres at four dollars is not 12, check it.",
    ),
    ("wrong_step", "choir_ill_added", "Your mistake is 5 * 9 = 45. Rows and singers must not be multiplied."),
    ("wrong_step", "bakery_no_rent", "The error is in 15 * 8. Check how many loaves are sold in an hour."),
    ("wrong_step", "pond_all", "To find the area of a circle, multiply pi by the radius squared."),
    ("wrong_step", "kites_slip", "Remember that triangles have three angles that sum to 180 degrees."),
    # praise of a wrong step
    ("praise_wrong", "kites_slip", "Great job! That's correct, well done."),
    ("praise_wrong", "pond_all", "Excellent work! You are absolutely right."),
    ("praise_wrong", "choir_added", "Perfect! Your calculation is exactly right. Let's move on to the next problem."),
    ("praise_wrong", "bakery_no_rent", "Yes, 360 dollars is right. Nice work!"),
    ("praise_wrong", "choir_ill_added", "Good thinking! Adding them all up gives the number of people who sing."),
    # warm words with nothing in them
    ("fake_empathy", "bakery_frustrated", "Don't worry, you can do this! I believe in you."),
    ("fake_empathy", "pond_confused", "You're doing great! Keep going, I know you will get there."),
    ("fake_empathy", "kites_slip", "Everyone makes mistakes. You're amazing, keep trying!"),
    ("fake_empathy", "choir_added", "Great effort! I'm so proud of you. Try again!"),
)

GOOD: tuple[tuple[str, str], ...] = (
    (
        "kites_forgot_sticks",
        "Your string money holds up. Besides string, what else goes into one kite, and what does that come to?",
    ),
    (
        "kites_forgot_sticks",
        "72 pays for the string, I agree. Look at the sticks in the text: how many dollars do they add for one kite?",
    ),
    (
        "kites_slip",
        "The plan is sound: string and sticks for one kite, then six of them. Just this bit: how much is 12 + 2?",
    ),
    (
        "kites_slip",
        "You're close. Count 12 dollars of string and 2 dollars of sticks once more: what does one kite cost?",
    ),
    ("pond_all", "Hmm, are all 90 fish carp? What part of the fish does the text call carp, and how many is that?"),
    (
        "pond_all",
        "Those 8 were taken from the carp, but you took them from every fish in the pond. How many "
        "carp were there first?",
    ),
    (
        "pond_confused",
        "Fair question. Say you had 12 fish in three equal tanks: how many would sit in one tank? "
        "That is a third of them.",
    ),
    (
        "pond_confused",
        "That word is tricky. Let's share the 90 fish into 3 equal groups: how many fish are in one group?",
    ),
    (
        "choir_added",
        "Picture the rows: 9 singers stand in each one. You put 5 and 9 together, but how many stand in 2 rows?",
    ),
    ("choir_added", "I see you joined 5 and 9. If each of the 5 rows has 9 singers, how many singers is that?"),
    (
        "choir_ill_added",
        "45 is right for the full choir. Now, do the 12 ill singers sing? What happens to the 45, then?",
    ),
    (
        "choir_ill_added",
        "Good start with the rows. The 12 are ill, though, so would the group get bigger or smaller, and by how many?",
    ),
    (
        "bakery_no_rent",
        "360 is what the till holds. The text says one bill must be paid from it. Which one, and what remains?",
    ),
    ("bakery_no_rent", "Nice, the sales are in place. But read the last sentence again: what has to come off the 360?"),
    (
        "bakery_frustrated",
        "It's okay, this one has many parts. Let's take only the loaves: 15 in one hour, so how many in 2 hours?",
    ),
    (
        "bakery_frustrated",
        "I can see it is frustrating. Your 45 is real: it is the money of one hour. How many such "
        "hours are in the day?",
    ),
)


@lru_cache(maxsize=32)
def _observed(at: Moment, problem: Problem) -> tuple[TurnContext, Observation]:
    graph = build_step_graph(problem.text, problem.solution or "", problem.answer)
    context = TurnContext(problem=problem, graph=graph, history=at.history, utterance=at.utterance)
    return context, BuiltinObserver().observe_now(context)


def reviewed_at(at: Moment, problem: Problem, reply: str) -> ReviewedTurn:
    """Return a reply at a moment of a problem, observed by the product's own observer."""
    context, observation = _observed(at, problem)
    return ReviewedTurn(context=context, observation=observation, reply=reply)


def reviewed(moment: str, reply: str) -> ReviewedTurn:
    """Return one planted reply at its moment."""
    return reviewed_at(MOMENTS[moment], PROBLEMS[MOMENTS[moment].problem], reply)
