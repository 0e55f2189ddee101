"""The words that the moves of one turn can use: slots for the phrases, and what must not be said."""

from __future__ import annotations

from fractions import Fraction

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import JudgedClaim
from preceptor.maths.numerals import format_number
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.outlook import Outlook, look
from preceptor.pedagogy.parallel_case import STORIES, ParallelCase, invent_case
from preceptor.pedagogy.speaker import Speaker
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.pedagogy.wording import inside_a_sentence, quote_for


class TurnWords:
    """The words of one turn on a problem whose worked solution is known."""

    speaker: Speaker

    def __init__(self, turn: TutorTurn, *, highest_rung: int, unread_limit: int) -> None:
        """Look at the turn; the speaker is set by the caller, which needs `gives_away` first."""
        self.turn = turn
        self.observation = turn.observation
        self.highest_rung = highest_rung
        self.unread_limit = unread_limit
        self.outlook: Outlook | None = None
        if turn.context.graph is not None and turn.context.graph.nodes:
            self.outlook = look(turn, turn.context.graph)

    def gives_away(self, line: str) -> bool:
        """Whether a line states a value the learner has not reached."""
        return self.outlook is not None and self.outlook.gives_away(line)

    def say(self, *keys: str, **more: str | None) -> str:
        """Say one line of the given situations with this turn's slots."""
        return self.speaker.say(*keys, slots=self.slots() | more)

    def slots(self) -> dict[str, str | None]:
        """Return the words that lines can use at this point."""
        outlook = self.outlook
        if outlook is None:
            return {}
        asked = outlook.wanted
        question = asked.question if asked else None
        return {
            "wanted": inside_a_sentence(question) if question else None,
            "wanted_noun": _noun_of(question),
            "goal": outlook.goal,
            "quote": outlook.quote(),
            "about": outlook.about(),
            "operands": outlook.operands_text(),
            "value": outlook.last_agreed(),
            "reference": outlook.last_agreed(),
            "line": self.own_line(),
        }

    def own_line(self) -> str | None:
        """Return "your line" in the reply's language, where the learner has written one in this dialogue."""
        said = [turn.learner for turn in self.turn.context.history]
        if not self.observation.claims and not any(letter.isdigit() for text in said for letter in text):
            return None
        return "你的算式" if self.turn.context.language.startswith("zh") else "your line"

    @property
    def node(self) -> int | None:
        """Return the step in question."""
        return self.outlook.node.index if self.outlook and self.outlook.node else None

    def value_frame(self) -> Frame:
        """Return the frame of a question for the value of the step in question."""
        step = self.outlook.node if self.outlook else None
        return Frame(kind=FrameKind.VALUE, node=self.node, value=step.value if step else None)

    def next_question(self, *keys: str, **more: str | None) -> str:
        """Ask for the step in question; the last one in the problem's own words."""
        if self.outlook is not None and self.outlook.is_last:
            return self.say("ask.goal", *keys, "ask.step", "ask.fact", "ask.phrase", **more)
        return self.say(*keys, "ask.step", "ask.fact", "ask.phrase", "ask.goal", **more)

    def first_try(self, now: JudgedClaim | None) -> str | None:
        """Return the learner's first final answer where it was another one, as text of the learner's own."""
        first = self.observation.first_answer
        if first is None or now is None or now.claim.value == first:
            return None
        return format_value(first)

    def invented_case(self) -> ParallelCase:
        """Return numbers for a case with the step's operation, none of them in the problem or its solution."""
        outlook = self.outlook
        avoid: frozenset[Fraction] = frozenset()
        operator = "+"
        if outlook is not None:
            avoid = outlook.hidden | outlook.public
            if outlook.node is not None and outlook.node.operators:
                operator = next((sign for sign in outlook.node.operators if sign in STORIES), "+")
        seed = f"{self.turn.context.problem.text}|{len(self.turn.context.history)}"
        return invent_case(operator, avoid=avoid, seed_text=seed)

    def example_slots(self) -> dict[str, str | None]:
        """Return an example of the form, with numbers that are not from this problem."""
        case = self.invented_case()
        return {"example": case.equation, "example_noun": f"{case.c} km"}

    def choice_options(self) -> list[str]:
        """Return choices made from quantities on the table, with "none of these"."""
        operands = self.outlook.operands_text() if self.outlook else None
        if not operands:
            return []
        return [
            f"adding {operands}",
            "taking the smaller from the larger",
            "multiplying them",
            "dividing them",
            "none of these",
        ]

    def text_about_question(self) -> str | None:
        """Return the problem's sentence that shares most content words with the learner's question."""
        words = {word for word in _words(self.turn.context.utterance) if len(word) > 3}
        graph = self.turn.context.graph
        best: tuple[int, str | None] = (1, None)
        for given in graph.givens if graph else ():
            quote = quote_for(self.turn.context.problem.text, given)
            if quote:
                best = max(best, (len(words & set(_words(quote))), quote), key=lambda pair: pair[0])
        return best[1]


def states_value(judged: JudgedClaim) -> bool:
    """Whether the learner wrote the claim's value, rather than an expression that gives it."""
    value = judged.claim.value
    return value is not None and value in {number.face for number in find_numbers(judged.claim.text)}


def format_value(value: Fraction | None) -> str | None:
    """Return a number as text; `None` stays `None`."""
    return format_number(value) if value is not None else None


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalpha() else " " for letter in text.lower()).split()


def _noun_of(question: str | None) -> str | None:
    if not question:
        return None
    for opening, instead in (("how many ", "the number of "), ("what is ", ""), ("how much is ", "")):
        if question.startswith(opening) and not question.endswith("that makes"):
            return instead + question.removeprefix(opening)
    return None
