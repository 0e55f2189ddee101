"""What the tutor can talk about at this point: the step in question, what is public, what stays hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.domain.observation import JudgedClaim
from preceptor.maths.numerals import format_number
from preceptor.maths.step_graph import StepGraph, StepNode
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.claim_wording import in_a_row
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.pedagogy.wording import Wanted, goal_of, plural, quote_for, wanted, with_noun

MAX_CLAIM = 60
"""Longest claim said back, characters."""
_SIGNS = {"*": "×", "/": "÷", "+": "+", "-": "-", "^": "^"}


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """One turn seen from the worked solution."""

    turn: TutorTurn
    graph: StepGraph
    node: StepNode | None
    """The step to talk about: the first one off the reference, else the next one not reached."""
    hidden: frozenset[Fraction]
    """Values of the solution that the learner has not written and that do not stand in the text."""
    public: frozenset[Fraction]
    """Values of the text and of the learner's messages. A step reached by implication makes its value no public one."""

    @property
    def is_last(self) -> bool:
        """Whether the step in question is the one that answers the problem."""
        return self.node is not None and self.node.index == self.graph.answer_node

    @property
    def wanted(self) -> Wanted | None:
        """Return what the step counts, in words; the words for steps before the last are English only."""
        if self.node is None or (not self.is_last and not self.turn.context.language.startswith("en")):
            return None
        return wanted(self.graph, self.node, self.turn.context.problem.text)

    @property
    def goal(self) -> str | None:
        """Return the problem's own question."""
        return goal_of(self.turn.context.problem.text)

    def given_operands(self) -> list[Operand]:
        """Return the quantities of the text that the step uses."""
        if self.node is None:
            return []
        return [self.graph.givens[place] for place in self.node.givens if place is not None]

    def unused_given(self) -> Operand | None:
        """Return a quantity that the step uses and the learner's claims of this turn do not."""
        used = {operand.value for judged in self.turn.observation.claims for operand in (*judged.claim.operands,)}
        operands = self.given_operands()
        return next((operand for operand in operands if operand.value not in used), operands[0] if operands else None)

    def quote(self) -> str | None:
        """Return the sentence of the problem that matters at this step."""
        given = self.unused_given()
        if given is not None:
            found = quote_for(self.turn.context.problem.text, given)
            if found:
                return found
        for operand in self.graph.givens:
            found = quote_for(self.turn.context.problem.text, operand)
            if found:
                return found
        return None

    def about(self) -> str | None:
        """Return the plural noun that the step is about."""
        given = self.unused_given()
        noun = (self.node.noun if self.node else None) or (given.noun if given else None)
        return plural(noun) if noun and noun.isascii() and noun.isalpha() else None

    def operands_text(self) -> str | None:
        """Return the step's public operands in words: "48 clips and 2"; `None` where fewer than two are public."""
        if self.node is None:
            return None
        parts = [
            self._operand_text(place, operand)
            for place, source, operand in zip(self.node.givens, self.node.inputs, self.node.operands, strict=True)
            if operand.value in self.public and (place is not None or source is not None)
        ]
        unique = list(dict.fromkeys(parts))
        joint = "和" if self.turn.context.language.startswith("zh") else " and "
        return joint.join((", ".join(unique[:-1]), unique[-1])) if len(unique) > 1 else None

    def _operand_text(self, place: int | None, operand: Operand) -> str:
        """Return a given as the text writes it ("25%"), anything else as a number with its noun."""
        if place is not None and any(letter.isdigit() for letter in self.graph.givens[place].text):
            given = self.graph.givens[place]
            noun = given.noun if given.noun and given.noun.isascii() and "%" not in given.text else None
            return f"{given.text} {plural(noun) if given.value != 1 else noun}" if noun else given.text
        return with_noun(operand.value, unit=operand.unit, noun=operand.noun, language=self.turn.context.language)

    def step_expression(self) -> str | None:
        """Return the step's calculation without its result where every operand is public: "48 ÷ 2"."""
        node = self.node
        if node is None or self.is_last or len(node.operators) != 1 or len(node.operands) != 2:
            return None
        if any(operand.value not in self.public for operand in node.operands):
            return None
        left, right = (format_number(operand.value) for operand in node.operands)
        return f"{left} {_SIGNS.get(node.operators[0], node.operators[0])} {right}"

    def worked_step(self) -> str | None:
        """Return the step in question with its result: "65 ÷ 5 = 13 bags"."""
        node = self.node
        if node is None or not node.operands or len(node.operators) != len(node.operands) - 1:
            return None
        parts = [format_number(node.operands[0].value)]
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            parts += [_SIGNS.get(operator, operator), format_number(operand.value)]
        value = with_noun(node.value, unit=node.unit, noun=node.noun, language=self.turn.context.language)
        return f"{' '.join(parts)} = {value}"

    def last_agreed(self) -> str | None:
        """Return the reached value that the step builds on, else the latest reached one, with its noun."""
        reached = self.turn.observation.reached
        inputs = [place for place in (self.node.inputs if self.node else ()) if place is not None and place in reached]
        index = inputs[-1] if inputs else (max(reached) if reached else None)
        if index is None or index >= len(self.graph.nodes):
            return None
        node = self.graph.nodes[index]
        return with_noun(node.value, unit=node.unit, noun=node.noun, language=self.turn.context.language)

    def gives_away(self, line: str) -> bool:
        """Whether a line states a hidden value, in digits or words."""
        return any(
            number.value in self.hidden or number.face in self.hidden
            for number in find_numbers(line, self.turn.context.language)
        )


def needed_nodes(graph: StepGraph, reached: frozenset[int] = frozenset()) -> list[int]:
    """Return, in order, the steps that the answer rests on; all of them where the answer's step is not known.

    What only reached steps rest on is left out: nobody asks for the way to what is found.
    """
    if graph.answer_node is None:
        return [node.index for node in graph.nodes]
    needed: set[int] = set()
    waiting = [graph.answer_node]
    while waiting:
        index = waiting.pop()
        if index in needed:
            continue
        needed.add(index)
        if index in reached:
            continue
        waiting += [place for place in graph.nodes[index].inputs if place is not None]
    return sorted(needed)


def next_node(graph: StepGraph, reached: frozenset[int]) -> StepNode | None:
    """Return the first step not reached whose inputs are, else the first not reached at all."""
    needed = [index for index in needed_nodes(graph, reached) if index not in reached]
    open_steps = [graph.nodes[index] for index in needed or needed_nodes(graph) if index not in reached]
    for node in open_steps:
        if all(place is None or place in reached for place in node.inputs):
            return node
    return open_steps[0] if open_steps else None


def look(turn: TutorTurn, graph: StepGraph) -> Outlook:
    """Return this turn's outlook."""
    observation = turn.observation
    public = {operand.value for operand in graph.givens}
    said = [earlier.learner for earlier in turn.context.history] + [turn.context.utterance]
    for text in (turn.context.problem.text, *said):
        for number in find_numbers(text, turn.context.language):
            public |= {number.value, number.face}
    hidden = {node.value for node in graph.nodes} - public
    if graph.answer is not None:
        hidden |= {graph.answer} - public
    node = None
    if observation.first_wrong_node is not None and observation.first_wrong_node < len(graph.nodes):
        node = graph.nodes[observation.first_wrong_node]
    if node is None:
        node = next_node(graph, observation.reached)
    return Outlook(turn=turn, graph=graph, node=node, hidden=frozenset(hidden), public=frozenset(public))


def claim_text(judged: JudgedClaim) -> str:
    """Return a claim as it can be said back.

    Its reading, where every number of that stands in the learner's own words; else those words; where they are long,
    the calculation they tell.
    """
    written = {number.face for number in find_numbers(judged.claim.text)}
    read = {number.face for number in find_numbers(judged.read_as)}
    if judged.read_as and read <= written:
        return shortened(judged.read_as)
    expression = expression_text(judged)
    if len(judged.claim.text) > MAX_CLAIM and expression:
        value = judged.claim.value
        return f"{expression} = {format_number(value)}" if value is not None and value in written else expression
    return shortened(judged.claim.text)


def shortened(text: str) -> str:
    """Return a text on one line, cut at a word where it is longer than MAX_CLAIM characters."""
    line = re.sub(r"\s+", " ", text.strip())
    return line if len(line) <= MAX_CLAIM else line[:MAX_CLAIM].rsplit(" ", 1)[0] + " …"


def expression_text(judged: JudgedClaim) -> str | None:
    """Return the calculation of a claim without its result: "7 × 80"; `None` for a bare value."""
    claim = judged.claim
    if not claim.operators:
        return None
    row = in_a_row(claim)
    if row is not None and len(set(claim.operators) & {"+", "-"}) * len(set(claim.operators) & {"*", "/"}) == 0:
        parts = [format_number(row[0].value)]
        for operator, operand in zip(claim.operators, row[1:], strict=True):
            parts += [_SIGNS.get(operator, operator), format_number(operand.value)]
        return " ".join(parts)
    left = claim.text.rsplit("=", 1)[0].strip()
    return left if 0 < len(left) <= 60 else None
