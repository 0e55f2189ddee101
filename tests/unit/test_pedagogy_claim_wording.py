"""What is shown back to a learner: as it was understood, and never with a number that they did not write."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from tests.unit.pedagogy_problems import observe

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import Observation
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import problem_of, read_dialogues
from preceptor.pedagogy.turn_context import TurnContext

WALK = ("", "Please walk me through your solution.")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_WORDS = {word: value for value, word in enumerate(_SMALL.split())}
_PARTS = {
    "half": Fraction(1, 2),
    "halves": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
    "fourth": Fraction(1, 4),
    "fifth": Fraction(1, 5),
    "sixth": Fraction(1, 6),
    "eighth": Fraction(1, 8),
    "tenth": Fraction(1, 10),
}
_DIGITS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|\.\d+")


def numbers_in(text: str) -> set[Fraction]:
    """Read digits only; a reader of its own, so that a fault of the package's does not hide itself."""
    return {Fraction(piece.replace(",", "")) for piece in _DIGITS.findall(text)}


def words_in(text: str) -> set[Fraction]:
    """Read small number words, tens with units, and the parts that they count."""
    found: set[Fraction] = set()
    lower = text.casefold()
    for word, value in _WORDS.items():
        if re.search(rf"\b{word}", lower):
            found.add(Fraction(value))
    for word, part in _PARTS.items():
        if word in lower:
            found |= {part, Fraction(part.denominator), *map(Fraction, range(1, part.denominator))}
    scales = {"twice": 2, "double": 2, "triple": 3, "dozen": 12, "once": 1, "pair": 2, "couple": 2, "thrice": 3}
    scales |= {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
    scales |= {"ninety": 90, "hundred": 100, "thousand": 1000, "million": 10**6}
    found |= {Fraction(value) for word, value in scales.items() if word in lower}
    tens = r"(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](one|two|three|four|five|six|seven|eight|nine)"
    found |= {Fraction(scales[ten] + _WORDS[one]) for ten, one in re.findall(tens, lower)}
    return found


def unsaid(seen: Observation, said: str) -> list[tuple[str, Fraction]]:
    """Return (what is shown, number in it that the utterance does not hold)."""
    shown = [seen.reading.read_as, *(judged.read_as for judged in seen.claims)]
    known = numbers_in(said) | words_in(said)
    scaled = {value * scale for value in known for scale in (10**3, 10**6) if re.search("thousand|million|k\\b", said)}
    return [(text, value) for text in shown for value in numbers_in(text) - known - scaled]


@pytest.mark.parametrize(
    ("problem", "says", "shown"),
    [
        ("loaves", "24 x 2 = 48 sandwiches", "24 × 2 = 48 sandwiches"),
        ("loaves", "24 times 2 is forty-eight", "24 × 2 = 48"),
        ("loaves", "I would multiply 24 by 2", "24 × 2"),
        ("coat", "x + 20 = 80", "x + 20 = 80"),
        ("coat", "20 + x = 80, so x = 60", "x = 60"),
        ("coat", "so 25% of 80", "25% × 80"),
        ("fair", "3(4) + 2 + 7", "3 × 4 + 2 + 7"),
        ("fair", "3(4) + 2(1) = 12 + 2", "3(4) + 2(1) = 12 + 2"),
        ("ribbon", "3x = 96", "3x = 96"),
        ("ribbon", "half of 96", "0.5 × 96"),
    ],
)
def test_a_claim_is_shown_without_a_number_that_was_not_written(problem: str, says: str, shown: str) -> None:
    seen = observe(problem, says, WALK)
    assert seen.reading.read_as == shown
    assert unsaid(seen, says) == []


def test_a_long_line_is_cut_between_words() -> None:
    says = "3x + " + " + ".join("1234" for _ in range(30)) + " = y"
    for judged in observe("ribbon", says, WALK).claims:
        assert numbers_in(judged.read_as) <= {Fraction(3), Fraction(1234)}


def test_a_picked_option_shows_no_number_of_the_tutor() -> None:
    frame = Frame(kind=FrameKind.CHOICE, options=("24 sandwiches", "48 sandwiches"))
    seen = observe("loaves", "the second one", ("", "24 sandwiches or 48 sandwiches?"), frame=frame)
    assert seen.reading.read_as == "the second one"


@pytest.mark.data
def test_no_mathdial_turn_is_shown_with_a_number_that_was_not_written(data_dir: Path) -> None:
    """Every second dialogue of MathDial, every turn; number words and digits are read by this file's own reader."""
    observer = BuiltinObserver()
    turns = 0
    found: list[tuple[str, int, tuple[str, Fraction]]] = []
    for number, dialogue in enumerate(read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial")):
        if number % 2:
            continue
        problem = problem_of(dialogue)
        graph = build_step_graph(problem.text, problem.solution, problem.answer) if problem.solution else None
        for place, turn in enumerate(dialogue.turns):
            if not turn.learner.strip():
                continue
            context = TurnContext(problem=problem, graph=graph, history=dialogue.turns[:place], utterance=turn.learner)
            turns += 1
            shown = unsaid(observer.observe_now(context), turn.learner)
            found += [(dialogue.dialogue_id, place, one) for one in shown]
    assert turns > 500
    assert found == []
