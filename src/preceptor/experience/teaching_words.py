"""The words in which builtin engines say what was done about a difficulty: tables, no problem and no learner in them.

Our own wording. Each entry is a part of a sentence that `teaching_account` puts together by situation, kind of
misconception, move and state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from preceptor.domain.experience import Strategy
from preceptor.domain.learner_state import Emotion, Intent, StruggleStatus
from preceptor.domain.observation import MisconceptionKind
from preceptor.domain.reply import Move
from preceptor.domain.rubric import Dimension, Flag


@dataclass(frozen=True, kw_only=True)
class StrategyWords:
    """What a strategy comes to."""

    does: str
    """Follows "the tutor"."""
    steps: tuple[str, ...]
    template: str
    good: str
    """Why it helps."""
    pitfall: str
    next: Strategy
    """What to try where it does not help."""


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """What a misconception needs."""

    aim: str
    """Follows "so that the learner"."""
    look: str
    """What to look at; a noun phrase."""
    pitfall: str


STRATEGIES: Mapping[Strategy, StrategyWords] = {
    Strategy.STRUCTURE_FIRST: StrategyWords(
        does="asks how the quantities belong together before anything is calculated",
        steps=(
            "Ask what happens in the situation, in words and without a calculation.",
            "Let the learner say which quantity depends on which.",
        ),
        template="Before you calculate: what happens to [the quantity in question] in the situation?",
        good="the relation is settled before an operation is chosen",
        pitfall="Naming the operation, which leaves the learner nothing to decide.",
        next=Strategy.SMALLER_NUMBERS,
    ),
    Strategy.ANALOGY: StrategyWords(
        does="brings an everyday case with the same structure",
        steps=(
            "Choose a familiar case that works in the same way.",
            "Let the learner solve it, then ask what is the same here.",
        ),
        template="Think of [a familiar case of the same kind]. What would you do there, and what is the same here?",
        good="what is known from daily life carries the idea",
        pitfall="Explaining the analogy to the end instead of letting the learner use it.",
        next=Strategy.WORKED_PARALLEL,
    ),
    Strategy.SMALLER_NUMBERS: StrategyWords(
        does="asks for the same step in a tiny case",
        steps=(
            "Make up a tiny case with the same relation.",
            "Let the learner answer it, then hand the own step back.",
        ),
        template="Suppose it were only [a tiny case]. How would you find it there?",
        good="the size of the values no longer hides the relation",
        pitfall="Going back to the own values before the tiny case is understood.",
        next=Strategy.WORKED_PARALLEL,
    ),
    Strategy.WORKED_PARALLEL: StrategyWords(
        does="works a similar case out and hands the own step back",
        steps=("Show a similar case with every step.", "Ask the learner to do the same with the own quantities."),
        template="In a similar case: [the worked case]. What does that step look like with your quantities?",
        good="the learner sees a whole step without losing the own one",
        pitfall="Working out the learner's own step as well.",
        next=Strategy.ASK_TO_EXPLAIN,
    ),
    Strategy.ASK_TO_EXPLAIN: StrategyWords(
        does="asks how the value was found",
        steps=("Say back what the learner wrote.", "Ask how that value was found, and wait."),
        template="You have [the learner's value]. How did you get it?",
        good="the learner's own account shows where it goes off",
        pitfall="Asking for reasons a second time when the first time brought nothing.",
        next=Strategy.QUESTION_QUANTITY,
    ),
    Strategy.DECOMPOSE: StrategyWords(
        does="takes the next small part and asks only for that",
        steps=("Keep what is settled.", "Ask for the single next quantity it leads to."),
        template="You know [what is settled]. What does that give for [the next quantity]?",
        good="one small question at a time keeps the work with the learner",
        pitfall="Asking for several parts in one breath.",
        next=Strategy.CLASHING_FACT,
    ),
    Strategy.ISOLATE_COMPUTATION: StrategyWords(
        does="leaves the plan alone and takes the single calculation out",
        steps=(
            "Say that the plan may stand.",
            "Put the single calculation in front of the learner, without its result.",
        ),
        template="Your plan may stand. Look at this part alone: [the calculation]. What is it?",
        good="a slip is treated as a slip, the plan is not put in doubt",
        pitfall="Questioning the whole method because of a slip.",
        next=Strategy.SMALLER_NUMBERS,
    ),
    Strategy.QUESTION_QUANTITY: StrategyWords(
        does="asks what a quantity of the calculation stands for",
        steps=(
            "Pick the quantity that does not fit.",
            "Ask what it stands for in the situation, and what was needed instead.",
        ),
        template="In [the learner's calculation], what does [the quantity] stand for?",
        good="the meaning of the quantity, not the rule, is what is looked at",
        pitfall="Saying which quantity belongs there.",
        next=Strategy.CLASHING_FACT,
    ),
    Strategy.CLASHING_FACT: StrategyWords(
        does="points to a statement of the task that clashes with the result",
        steps=(
            "Find the statement that the result cannot live with.",
            "Ask what that statement says about the quantity.",
        ),
        template="It says [the statement]. What does that mean for [the quantity in question]?",
        good="the task itself, not the tutor, contradicts the result",
        pitfall="Asking for another look without saying where.",
        next=Strategy.SMALLER_NUMBERS,
    ),
    Strategy.ACKNOWLEDGE_AND_NORMALISE: StrategyWords(
        does="says that this is a hard place for many and makes the next step smaller",
        steps=("Take the feeling up in a few plain words.", "Offer a smaller next step at once."),
        template="This part is hard for many. Let us take only [a smaller step].",
        good="the difficulty is made ordinary and the work goes on",
        pitfall="Comfort without a next step.",
        next=Strategy.DECOMPOSE,
    ),
    Strategy.COMPARE_ATTEMPTS: StrategyWords(
        does="asks what changed between the first attempt and this one",
        steps=("Put the first attempt beside the new one.", "Ask what made the difference."),
        template="Your first attempt was [the first result]. What did you see differently this time?",
        good="the learner names the turning point",
        pitfall="Closing with praise alone.",
        next=Strategy.ASK_TO_EXPLAIN,
    ),
    Strategy.OTHER: StrategyWords(
        does="answers to what the learner wrote and asks on",
        steps=("Answer to what the learner wrote.", "Ask for the next small thing."),
        template="About [what the learner wrote]: what would be the next small step?",
        good="the answer keeps to what the learner wrote",
        pitfall="Leaving the learner's own words aside.",
        next=Strategy.DECOMPOSE,
    ),
}

KINDS: Mapping[MisconceptionKind, KindWords] = {
    MisconceptionKind.WRONG_OPERATION: KindWords(
        aim="sees what the situation does before an operation is chosen",
        look="whether the quantity grows, shrinks, repeats or is shared",
        pitfall="Saying which operation is right.",
    ),
    MisconceptionKind.SWAPPED_OPERANDS: KindWords(
        aim="sees which quantity is taken from which",
        look="the order in which the situation names the quantities",
        pitfall="Only turning the order round for the learner.",
    ),
    MisconceptionKind.FOREIGN_QUANTITY: KindWords(
        aim="asks what each quantity stands for before it is used",
        look="the quantity that belongs to another part of the situation",
        pitfall="Listing which information is not needed.",
    ),
    MisconceptionKind.MISSING_QUANTITY: KindWords(
        aim="finds the information that was not used yet",
        look="the statement that the calculation leaves out",
        pitfall="Adding the missing quantity for the learner.",
    ),
    MisconceptionKind.DOUBLED_QUANTITY: KindWords(
        aim="sees how often the quantity really occurs",
        look="the quantity that is counted again",
        pitfall="Taking the extra part off for the learner.",
    ),
    MisconceptionKind.UNIT_NOT_CONVERTED: KindWords(
        aim="names the unit of each quantity before combining them",
        look="the units on both sides",
        pitfall="Converting the unit without asking.",
    ),
    MisconceptionKind.PERCENT_BASE: KindWords(
        aim="says of what whole the percentage is taken",
        look="the whole that the percentage refers to",
        pitfall="Giving the percentage rule without the whole.",
    ),
    MisconceptionKind.ONE_ITEM_MISSED: KindWords(
        aim="lists every part before adding them",
        look="the part that the total leaves out",
        pitfall="Naming the missing part.",
    ),
    MisconceptionKind.COMPARISON_INVERTED: KindWords(
        aim="says in own words which of both is larger",
        look="the comparison and who it is about",
        pitfall="Reading the comparison out the right way round.",
    ),
    MisconceptionKind.ROUNDING_DIRECTION: KindWords(
        aim="asks whether a part of a whole is possible here",
        look="what the situation allows for the rest",
        pitfall="Quoting the rounding rule.",
    ),
    MisconceptionKind.STOPPED_EARLY: KindWords(
        aim="compares the value with what is asked",
        look="the question of the task beside the value",
        pitfall="Doing the remaining step.",
    ),
    MisconceptionKind.ONE_STEP_TOO_MANY: KindWords(
        aim="sees at which point the question was already answered",
        look="what the value before the last step stood for",
        pitfall="Only saying that it is too much.",
    ),
    MisconceptionKind.CARRIED_VALUE: KindWords(
        aim="goes back to where the value came from",
        look="the earlier value that everything builds on",
        pitfall="Correcting the last step while the earlier value stays.",
    ),
    MisconceptionKind.ARITHMETIC_SLIP: KindWords(
        aim="finds the slip without giving up the plan",
        look="the single calculation",
        pitfall="Giving the right result.",
    ),
}

SLIPPED = KindWords(
    aim="finds the slip without giving up the plan",
    look="the single calculation that does not hold",
    pitfall="Giving the right result.",
)
OFF_PLAN = KindWords(
    aim="sees what the worked out quantity is good for",
    look="what is asked beside what was worked out",
    pitfall="Laying out the whole plan.",
)
STUCK = KindWords(
    aim="finds a first thing to work out",
    look="what can be found from what is given",
    pitfall="Starting the solution for the learner.",
)
SEVERAL = KindWords(
    aim="shows by the answer which of the possible mistakes it was",
    look="what tells the possible mistakes apart",
    pitfall="Settling on a cause before the learner has said more.",
)

STRATEGY_OF_MOVE: Mapping[Move, Strategy] = {
    Move.ASK_NEXT_QUANTITY: Strategy.DECOMPOSE,
    Move.CONFIRM_AND_ADVANCE: Strategy.DECOMPOSE,
    Move.RETURN_TO_AGREED: Strategy.DECOMPOSE,
    Move.ISOLATE_COMPUTATION: Strategy.ISOLATE_COMPUTATION,
    Move.QUESTION_OPERAND: Strategy.QUESTION_QUANTITY,
    Move.ASK_UNIT: Strategy.QUESTION_QUANTITY,
    Move.QUESTION_DIRECTION: Strategy.STRUCTURE_FIRST,
    Move.PLANNING_QUESTION: Strategy.STRUCTURE_FIRST,
    Move.MEANING_OF_PHRASE: Strategy.STRUCTURE_FIRST,
    Move.CLASHING_FACT: Strategy.CLASHING_FACT,
    Move.SMALLER_CASE: Strategy.SMALLER_NUMBERS,
    Move.WORKED_PARALLEL: Strategy.WORKED_PARALLEL,
    Move.TELL_APART: Strategy.ASK_TO_EXPLAIN,
    Move.ASK_FOR_WORK: Strategy.ASK_TO_EXPLAIN,
    Move.COMPARE_FIRST_TRY: Strategy.COMPARE_ATTEMPTS,
}
"""What a move of the builtin tutor is called in an experience; others are `OTHER`."""

STRUGGLES: Mapping[StruggleStatus, tuple[str, str]] = {
    StruggleStatus.FIRST_ATTEMPT: ("at the first attempt", "If it comes again, do not repeat the question:"),
    StruggleStatus.REPEATED_ERROR: ("after it was questioned before", "As it came before, change the move now; next,"),
    StruggleStatus.PERSISTENT_CONFUSION: (
        "without finding a way in",
        "As no way in was found, make the step smaller; next,",
    ),
    StruggleStatus.PROGRESSING: (
        "while other steps already hold",
        "Keep the steps that hold in view; if it comes again,",
    ),
    StruggleStatus.REGRESSION: ("going back on a step that held", "Go back to the step that held before; then,"),
    StruggleStatus.NOT_APPLICABLE: ("", "If this brings nothing,"),
}
"""How the struggle stands, and how its handling begins."""

EMOTIONS: Mapping[Emotion, str] = {
    Emotion.CONFUSED: "and sounds unsure",
    Emotion.FRUSTRATED: "and is losing patience",
    Emotion.NEUTRAL: "",
    Emotion.CONFIDENT: "and is sure of it",
    Emotion.CURIOUS: "and wants to know more",
    Emotion.RELIEVED: "and is relieved",
}
INTENTS: Mapping[Intent, str] = {
    Intent.ASK_ANSWER: "while asking for the answer",
    Intent.REQUEST_HINT: "while asking for a hint",
    Intent.ASK_CONCEPT: "while asking about the idea",
    Intent.ASK_EXPLANATION: "while asking for an explanation",
    Intent.CONFIRM_UNDERSTANDING: "while claiming to have understood",
    Intent.GUESSING: "without showing any work",
    Intent.DEBUGGING: "",
    Intent.OFF_TOPIC: "",
}

EXCELLENT: Mapping[Dimension, str] = {
    Dimension.SCAFFOLDING: "the key inference stays with the learner",
    Dimension.ATTRIBUTION: "it names the very place where it goes off",
    Dimension.EMPATHY: "it takes up what the learner did",
    Dimension.TEACHING_FOCUS: "it keeps to the obstacle at hand",
    Dimension.STRATEGY_ADAPTATION: "it changes the move after the trouble went on",
}
WEAK: Mapping[Dimension, tuple[str, str]] = {
    Dimension.SCAFFOLDING: ("pseudo_scaffolding", "Doing the step for the learner, or asking and then answering."),
    Dimension.ATTRIBUTION: ("weak_diagnosis", "A correction that does not say where it goes off."),
    Dimension.EMPATHY: ("superficial_empathy", "A verdict without a word on what the learner did."),
    Dimension.TEACHING_FOCUS: ("loss_of_focus", "Turning to other matters while the obstacle stays."),
    Dimension.STRATEGY_ADAPTATION: ("rigidity", "The same kind of question after it did not help."),
}
"""Dimension → code of the flaw, and the flaw as a pitfall."""
FLAGGED: Mapping[Flag, tuple[str, str]] = {
    Flag.ANSWER_GIVEN: ("answer_giving", "Giving the answer away."),
    Flag.PSEUDO_SCAFFOLDING: ("pseudo_scaffolding", "Asking and answering in the same breath."),
    Flag.FAKE_EMPATHY: ("superficial_empathy", "Praise that has nothing of this turn in it."),
    Flag.MISDIAGNOSIS: ("weak_diagnosis", "Taking what is wrong for right, or the other way round."),
}
"""Flag → code of the flaw, and the flaw as a pitfall."""
