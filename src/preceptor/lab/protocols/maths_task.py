"""A word problem as a two-round task: a solution line by line, graded by its values, answered by the live turn."""

from __future__ import annotations

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.lab.protocols.transitions import Grade, grade_of
from preceptor.lab.protocols.two_round import Feedback
from preceptor.lab.simulation.calculation import needed_nodes, of_node
from preceptor.lab.simulation.maker_tutor import MakerTutor
from preceptor.maths.first_wrong_step import compare, judge
from preceptor.maths.leak import find_leak
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.record.problem_bank import sample_problems
from preceptor.tutoring.turn import TurnMaker


class MathsTask:
    """One word problem with its worked solution."""

    def __init__(self, problem: Problem, maker: TurnMaker, *, tutor_engine: str) -> None:
        """Read the worked solution.

        Raises:
            InputError: It cannot be read, contradicts itself, or gives no final answer.
        """
        graph = build_step_graph(problem.text, problem.solution or "", problem.answer, problem.language)
        if graph is None or graph.answer_node is None or graph.inconsistent:
            raise InputError(f"problem {problem.problem_id}: its worked solution gives no answer to grade by")
        self.problem, self.graph, self.tutor_engine = problem, graph, tutor_engine
        self.needed = needed_nodes(graph)
        self._maker = maker

    @property
    def task_id(self) -> str:
        """The problem's id, marked as maths."""
        return f"maths-{self.problem.problem_id}"

    @property
    def text(self) -> str:
        """The problem's text."""
        return self.problem.text

    @property
    def language(self) -> str:
        """The problem's."""
        return self.problem.language

    def grade(self, work: str) -> Grade:
        """Return the share of the needed values that the work states by true arithmetic.

        Correct: the final value is the answer and no step's arithmetic is false. Not applicable: no value is read.
        """
        steps = [line for line in work.splitlines() if line.strip()]
        comparison = compare(self.graph, steps, self.language)
        if comparison.final is None:
            return grade_of(None, correct=False)
        stated = {value.number for value in comparison.values if not value.false}
        right = sum(self.graph.nodes[node].value in stated for node in self.needed)
        correct = comparison.final_right and judge(comparison).index is None
        return grade_of(right / len(self.needed), correct=correct)

    async def feedback(self, work: str) -> Feedback:
        """Return the live turn's reply, screened by the guard against the final answer and steps not reached."""
        tutor = MakerTutor(self._maker, self.problem, self.graph, language=self.language)
        text = (await tutor.take(work)).text
        leak = find_leak(
            text,
            problem_text=self.problem.text,
            graph=self.graph,
            answer=self.problem.answer,
            solution=self.problem.solution,
            history=[Turn(learner=work)],
        )
        return Feedback(text=text, leak=None if leak.kind == "none" else f"{leak.kind}: {leak.evidence}")


def writable(graph: StepGraph) -> bool:
    """Return whether every needed step is a calculation that a scripted learner can write."""
    return all(of_node(graph.nodes[node]) is not None for node in needed_nodes(graph))


def sample_maths_tasks(maker: TurnMaker, *, tutor_engine: str, language: str = "en") -> list[MathsTask]:
    """Return our own problems in one language whose worked solution can be graded by and written line by line."""
    found = []
    for problem in sample_problems():
        graph = build_step_graph(problem.text, problem.solution or "", problem.answer, problem.language)
        readable = graph is not None and graph.answer_node is not None and not graph.inconsistent
        if problem.language == language and graph is not None and readable and writable(graph):
            found.append(MathsTask(problem, maker, tutor_engine=tutor_engine))
    return found
