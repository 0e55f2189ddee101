"""The simulator: true routes, wrong ideas, honest labels, reproducible dialogues, and what the runner counts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import anyio
import pytest

from preceptor.domain.claim import Claim
from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import JudgedClaim, Mark
from preceptor.domain.problem import Problem
from preceptor.lab.simulation.another_route import another_route
from preceptor.lab.simulation.calculation import Calculation, Quantity, needed_nodes, value_of, write
from preceptor.lab.simulation.learner import LearnerClaim, LearnerMove
from preceptor.lab.simulation.results import run_scripted, summarise, table, transcript_text
from preceptor.lab.simulation.run import Transcript, TutorAnswer, run_dialogue
from preceptor.lab.simulation.scripted import SCRIPTED_LEARNERS, scripted_learner
from preceptor.lab.simulation.spelled import spell
from preceptor.lab.simulation.voice import phrase_tables
from preceptor.lab.simulation.wrong_idea import choose_wrong_idea
from preceptor.maths.step_graph import StepGraph, build_step_graph

ROLLS = (
    "A baker fills 6 trays with 24 rolls each and sells 100 rolls. How many rolls are left?",
    "The baker makes 6*24=<<6*24=144>>144 rolls.\nAfter the sale 144-100=<<144-100=44>>44 rolls are left.\n#### 44",
    "44",
)
BIKE = (
    "A bike costs $240. Mia gets 25% off and pays $15 more for a lock. How much does she pay?",
    "The discount is 240*25/100=<<240*25/100=60>>60 dollars.\nThe bike is 240-60=<<240-60=180>>180 dollars.\n"
    "She pays 180+15=<<180+15=195>>195 dollars.\n#### 195",
    "195",
)
PENS = (
    "Sam buys 4 pens at $3 each and 4 books at $7 each. How much does he spend?",
    "The pens cost 4*3=<<4*3=12>>12 dollars.\nThe books cost 4*7=<<4*7=28>>28 dollars.\n"
    "In all he spends 12+28=<<12+28=40>>40 dollars.\n#### 40",
    "40",
)
SIGNS = {"+": "+", "-": "-", "*": "*", "/": "/", "^": "^"}


def worked(rows: tuple[str, str, str]) -> tuple[Problem, StepGraph]:
    text, solution, answer = rows
    graph = build_step_graph(text, solution, answer)
    assert graph is not None
    return Problem(problem_id=answer, text=text, solution=solution, answer=answer), graph


PROBLEMS = [worked(rows) for rows in (ROLLS, BIKE, PENS)]


class AskingTutor:
    """Asks for the value of the first step whose value has not been written yet."""

    def __init__(self, problem: Problem, graph: StepGraph) -> None:
        self._graph = graph
        self._seen: set[Fraction] = set()
        self._turn = 0

    async def take(self, utterance: str) -> TutorAnswer:
        self._turn += 1
        self._seen |= {Fraction(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", utterance)}
        self._seen |= {node.value for node in self._graph.nodes if spell(node.value) in utterance}
        missing = [node.index for node in self._graph.nodes if node.value not in self._seen]
        frame = Frame(kind=FrameKind.VALUE, node=missing[0] if missing else None)
        return TutorAnswer(text=f"Question number {self._turn} is about step {missing[:1]}?", frame=frame)


async def open_asking(problem: Problem, graph: StepGraph) -> tuple[AskingTutor, None]:
    return AskingTutor(problem, graph), None


def talk(name: str, seed: int, problem: Problem, graph: StepGraph) -> Transcript:
    async def run() -> Transcript:
        learner = scripted_learner(name, seed=seed, problem_id=problem.problem_id)
        return await run_dialogue(learner, problem, graph, AskingTutor(problem, graph))

    return anyio.run(run)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Fraction(0), "zero"),
        (Fraction(17), "seventeen"),
        (Fraction(42), "forty-two"),
        (Fraction(205), "two hundred five"),
        (Fraction(2200), "two thousand two hundred"),
        (Fraction(1_000_015), "one million fifteen"),
        (Fraction(3, 4), "three quarters"),
        (Fraction(5, 2), "two point five"),
        (Fraction(1, 2), "one half"),
        (Fraction(-6), "minus six"),
    ],
)
def test_numbers_are_spelled_in_english(value: Fraction, words: str) -> None:
    assert spell(value) == words


def test_brackets_stand_where_they_are_needed_only() -> None:
    two, three, four = (Quantity(value=Fraction(number)) for number in (2, 3, 4))
    inner = Calculation(operator="-", left=three, right=two)
    assert write(Calculation(operator="-", left=four, right=inner), SIGNS) == "4 - (3 - 2)"
    assert write(Calculation(operator="-", left=inner, right=four), SIGNS) == "3 - 2 - 4"
    assert write(Calculation(operator="*", left=four, right=inner), SIGNS) == "4 * (3 - 2)"
    assert value_of(Calculation(operator="/", left=four, right=Calculation(operator="-", left=two, right=two))) is None


def test_only_steps_that_the_answer_needs_count() -> None:
    text = "Ann has 3 bags with 4 nuts and 2 red hats. How many nuts does she have?"
    graph = build_step_graph(text, "Hats <<2+2=4>>4.\nShe has <<3*4=12>>12 nuts.\n#### 12", "12")
    assert graph is not None
    assert needed_nodes(graph)[-1] == 1


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("problem", "graph"), PROBLEMS, ids=["rolls", "bike", "pens"])
def test_every_line_of_another_route_is_true_and_the_last_is_the_answer(
    problem: Problem, graph: StepGraph, seed: int
) -> None:
    route = another_route(graph, random.Random(seed))
    for step in route:
        assert eval(write(step.calculation, SIGNS, lambda number: f"({number})")) == pytest.approx(float(step.value))
    assert [step.final for step in route] == [False] * (len(route) - 1) + [True]
    assert route[-1].value == graph.answer


def test_another_route_leaves_the_reference() -> None:
    _, graph = PROBLEMS[2]
    reference = {"4 * 3", "4 * 7", "12 + 28"}
    routes = {tuple(write(s.calculation, SIGNS) for s in another_route(graph, random.Random(i))) for i in range(20)}
    assert len(routes) >= 4
    assert any("4 * (3 + 7)" in line or "3 + 7" in line for route in routes for line in route)
    assert sum(bool(set(route) - reference) for route in routes) >= 3


@pytest.mark.parametrize("seed", range(20))
def test_a_wrong_idea_is_wrong_and_stands_at_no_step(seed: int) -> None:
    for _, graph in PROBLEMS:
        idea = choose_wrong_idea(graph, random.Random(seed))
        assert idea is not None
        assert idea.final != graph.answer
        assert idea.value not in {node.value for node in graph.nodes}


def test_there_are_twelve_learners_with_six_wordings_for_each_act() -> None:
    assert len(SCRIPTED_LEARNERS) == 12
    short = [
        (table, act) for table, acts in phrase_tables().items() for act, said in acts.items() if len(set(said)) < 6
    ]
    assert short == []


@pytest.mark.parametrize("name", SCRIPTED_LEARNERS)
def test_the_same_seed_gives_the_same_dialogue_and_another_seed_another(name: str) -> None:
    problem, graph = PROBLEMS[1]
    said = [tuple(turn.move.text for turn in talk(name, seed, problem, graph).turns) for seed in (3, 3, 4)]
    assert said[0] == said[1]
    assert said[0] != said[2]


@pytest.mark.parametrize("name", SCRIPTED_LEARNERS)
@pytest.mark.parametrize("seed", range(5))
def test_every_claim_is_labelled_with_the_truth(name: str, seed: int) -> None:
    for problem, graph in PROBLEMS:
        transcript = talk(name, seed, problem, graph)
        assert 1 <= len(transcript.turns) <= 15
        for turn in transcript.turns:
            for claim in turn.move.claims:
                assert 0 <= claim.start < claim.end <= len(turn.move.text)
                if claim.final and claim.on_route:
                    assert claim.value == graph.answer
                if claim.on_route is False and claim.node is not None and claim.value == graph.nodes[claim.node].value:
                    pytest.fail(f"{name}: {turn.move.text!r} is labelled wrong but is the step's value")


@pytest.mark.parametrize("name", ["bare numbers", "words only", "algebra", "slips", "Spanish", "final answer only"])
def test_learners_who_work_solve_most_problems_when_asked_good_questions(name: str) -> None:
    solved = sum(talk(name, seed, problem, graph).solved for seed in range(6) for problem, graph in PROBLEMS)
    assert solved >= 15


def test_working_learners_begin_with_something_wrong() -> None:
    for name in ("bare numbers", "algebra", "Spanish", "words only"):
        first = [talk(name, seed, *PROBLEMS[1]).turns[0].move for seed in range(8)]
        assert all(any(claim.on_route is not True for claim in move.claims) for move in first)


def test_other_way_learner_never_says_anything_false_and_always_solves() -> None:
    for seed in range(10):
        for problem, graph in PROBLEMS:
            transcript = talk("right by another way", seed, problem, graph)
            assert transcript.solved
            assert transcript.wrong_claims == 0


def test_bare_numbers_learner_writes_numbers_only_and_words_learner_writes_none() -> None:
    for problem, graph in PROBLEMS:
        bare = [turn.move for turn in talk("bare numbers", 1, problem, graph).turns if turn.move.claims]
        assert all(re.fullmatch(r"[\d,./ =?!]+", move.text) for move in bare)
        words = talk("words only", 1, problem, graph)
        assert not any(re.search(r"\d", turn.move.text) for turn in words.turns)


def test_agreeing_learner_never_solves() -> None:
    for problem, graph in PROBLEMS:
        assert not talk("agrees, changes nothing", 2, problem, graph).solved


class SayingLearner:
    """Says given moves."""

    name = "saying"

    def __init__(self, moves: list[LearnerMove]) -> None:
        self._moves = moves

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        return self._moves[sum(1 for turn in dialogue if turn.learner)]


class SayingTutor:
    """Says given answers."""

    def __init__(self, answers: list[TutorAnswer]) -> None:
        self._answers = answers

    async def take(self, utterance: str) -> TutorAnswer:
        return self._answers.pop(0)


def judged(start: int, end: int, value: int, mark: Mark, *, by_arithmetic: bool = False) -> JudgedClaim:
    claim = Claim(start=start, end=end, text="", value=Fraction(value))
    return JudgedClaim(claim=claim, mark=mark, judged_by="arithmetic" if by_arithmetic else "reference")


def said(text: str, *claims: LearnerClaim, ended: bool = False) -> LearnerMove:
    return LearnerMove(text=text, ended=ended, act="step", claims=claims)


def stated(value: int, *, on_route: bool | None, end: int = 11, final: bool = False) -> LearnerClaim:
    return LearnerClaim(start=0, end=end, value=Fraction(value), on_route=on_route, arithmetic_holds=True, final=final)


def run_said(moves: list[LearnerMove], answers: list[TutorAnswer]) -> Transcript:
    problem, graph = PROBLEMS[0]

    async def run() -> Transcript:
        return await run_dialogue(
            SayingLearner(moves), problem, graph, SayingTutor(answers), leaks=lambda p, g, history, reply: "44" in reply
        )

    return anyio.run(run)


def test_runner_counts_false_marks_on_the_claim_they_stand_on() -> None:
    moves = [
        said("6 + 24 = 30", stated(30, on_route=False)),
        said("6 + 24 = 30", stated(30, on_route=False)),
        said("6 * 24 = 144", stated(144, on_route=True, end=12)),
        said("44", stated(44, on_route=True, end=2, final=True), ended=True),
    ]
    answers = [
        TutorAnswer(text="One.", claims=(judged(0, 11, 30, "right"),)),
        TutorAnswer(text="Two.", claims=(judged(0, 11, 30, "right", by_arithmetic=True),)),
        TutorAnswer(text="Three.", claims=(judged(0, 12, 144, "wrong"), judged(0, 1, 6, "wrong"))),
        TutorAnswer(text="Four.", claims=(judged(0, 2, 44, "right"),), solved=True),
    ]
    transcript = run_said(moves, answers)
    assert [(turn.false_right, turn.false_wrong) for turn in transcript.turns] == [(1, 0), (0, 0), (0, 1), (0, 0)]
    assert (transcript.false_right, transcript.false_wrong) == (1, 1)
    assert (transcript.right_claims, transcript.wrong_claims) == (2, 2)
    assert transcript.solved
    assert transcript.recognised


def test_either_mark_passes_on_a_claim_that_is_true_as_a_step_only() -> None:
    moves = [said("144", stated(144, on_route=None, end=3, final=True), ended=True)]
    for mark in ("right", "wrong"):
        transcript = run_said(moves, [TutorAnswer(text="Hm.", claims=(judged(0, 3, 144, mark),))])
        assert (transcript.false_right, transcript.false_wrong, transcript.solved) == (0, 0, False)


def test_runner_counts_leaks_and_repeated_sentences() -> None:
    moves = [said("idk"), said("idk"), said("bye", ended=True)]
    answers = [
        TutorAnswer(text="What does each tray hold? Good."),
        TutorAnswer(text="Look again. What does each  tray hold?"),
        TutorAnswer(text="It is 44. Good."),
    ]
    transcript = run_said(moves, answers)
    assert transcript.leaks == 1
    assert transcript.turns[1].repeated == ("what does each tray hold?",)
    assert transcript.repeated == 1


def test_a_solution_without_an_answer_is_refused() -> None:
    problem, graph = PROBLEMS[0]
    broken = StepGraph(nodes=graph.nodes, givens=graph.givens, answer=graph.answer, answer_node=None)

    async def run() -> None:
        await run_dialogue(SayingLearner([]), problem, broken, SayingTutor([]))

    with pytest.raises(ValueError, match="no final answer"):
        anyio.run(run)


def test_results_are_one_row_a_learner_and_a_readable_transcript() -> None:
    async def run() -> list[Transcript]:
        return await run_scripted(PROBLEMS, open_asking, seed=1, learners=["slips", "right by another way"])

    transcripts = anyio.run(run)
    rows = summarise(transcripts)
    assert [(row.learner, row.dialogues) for row in rows] == [("slips", 3), ("right by another way", 3)]
    printed = table(rows).splitlines()
    assert printed[0].startswith("| learner | dialogues | solved |")
    assert len(printed) == 4
    assert transcripts[0].turns[0].move.text in transcript_text(transcripts[0])


@pytest.mark.data
def test_other_way_learner_is_right_on_real_problems(data_dir: Path) -> None:
    lines = (data_dir / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()[:150]
    routes = usable = 0
    for line in lines:
        row = json.loads(line)
        gold = row["answer"].rsplit("####", 1)[1].strip()
        graph = build_step_graph(row["question"], row["answer"], gold)
        if graph is None or graph.answer_node is None or graph.inconsistent:
            continue
        usable += 1
        route = another_route(graph, random.Random(1))
        routes += bool(route)
        for step in route:
            text = write(step.calculation, SIGNS, lambda number: f"({number})")
            assert eval(text.replace("%", "/100").replace("^", "**")) == pytest.approx(float(step.value))
        assert not route or route[-1].value == Fraction(gold.replace(",", "").replace("$", ""))
    assert usable >= 130
    assert routes / usable >= 0.7
