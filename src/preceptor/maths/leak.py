"""Does a reply give away the final answer, or the value of a step that the learner has not reached?

The live guard's notion: a value nobody has mentioned must not be readable from the reply in any form, not even in a
question or among choices. Naming an operation is no leak ("add 30 and 18", "what is 30 + 18?"): the learner still
computes; `find_last_step` tells whether that hands over the last step. How human raters label "reveals the answer"
is another, milder notion: `leak_reveal`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from preceptor.domain.dialogue import Turn
from preceptor.maths.clean_text import CleanText
from preceptor.maths.leak_disguises import find_disguised
from preceptor.maths.leak_expressions import find_expressions
from preceptor.maths.leak_mentions import Mention, find_mentions, readable
from preceptor.maths.leak_secrets import Secrets, gather_secrets, operands_of
from preceptor.maths.leak_units import find_quantities, said_in_unit
from preceptor.maths.leak_wording import asserted_as_answer, asserts_words, endorsed, is_answer_slot, stated_answers
from preceptor.maths.step_graph import StepGraph

LeakKind = Literal["none", "final_answer", "unreached_step"]


@dataclass(frozen=True, kw_only=True)
class Leak:
    """What a reply gives away; `kind` is "none" where it gives nothing away."""

    kind: LeakKind = "none"
    evidence: str = ""
    """The words of the reply (with `sent`) that do it."""
    form: str = ""
    """How: digits, fraction, percent, words, place_value, digit_by_digit, encoded, neighbour, unit, assertion,
    equation, expression, word_answer, endorsement, last_step."""
    start: int = 0
    end: int = 0
    """Character span in the reply, end exclusive; 0 where the evidence begins in what was sent before."""
    value: Fraction | None = None
    falsehood: bool = False
    """A wrong value is called the answer: worse than a leak."""


NO_LEAK = Leak()


def find_leak(
    reply: str,
    *,
    problem_text: str,
    graph: StepGraph | None,
    answer: str | None,
    solution: str | None,
    history: Sequence[Turn],
    reached: frozenset[int] | None = None,
    sent: str = "",
    secrets: Secrets | None = None,
) -> Leak:
    """Return the worst leak in a reply: the final answer before a step's value, the earlier before the later.

    Args:
        reply: A whole reply, or its next sentence.
        problem_text: What the learner sees; the numbers in it are public.
        graph: The worked solution's steps; `None`: only the final answer is guarded.
        answer: The final answer as its author wrote it, a number or words; `None`: taken from graph or solution.
        solution: The worked solution.
        history: The dialogue so far, the turn being answered last with `tutor=None`. What the learner wrote is
            public, what an earlier reply said is not.
        reached: Indexes of the nodes that the learner has reached; `None`: judged from what they wrote. An answer
            whose node is reached and that the learner wrote is no secret any more. The value of a step reached in
            other words, by naming its operation or by a later result, stays secret until the learner writes it:
            computing it is still theirs.
        sent: Sentences of this reply that are out already: a value spread over two sentences is found, and only
            what ends in `reply` is reported.
        secrets: What `gather_secrets` gives for the same arguments, where the caller has it.
    """
    secrets = secrets or gather_secrets(
        problem_text=problem_text, graph=graph, answer=answer, solution=solution, history=history, reached=reached
    )
    text = f"{sent} {reply}" if sent else reply
    offset = len(text) - len(reply)
    read = readable(text)
    leaks = [_moved(leak, text, read) for leak in _leaks(read.text, secrets, graph, reached)]
    found = [leak for leak in leaks if leak.end > offset]
    if not found:
        return NO_LEAK
    worst = min(found, key=lambda leak: (leak.kind != "final_answer", leak.falsehood, leak.start))
    return replace(worst, start=max(0, worst.start - offset), end=worst.end - offset)


def _moved(leak: Leak, text: str, read: CleanText) -> Leak:
    start, end = read.span(leak.start, leak.end)
    return replace(leak, start=start, end=end, evidence=text[start:end].strip())


def find_last_step(
    reply: str,
    *,
    problem_text: str,
    graph: StepGraph | None,
    answer: str | None,
    solution: str | None,
    history: Sequence[Turn],
    reached: frozenset[int] | None = None,
    secrets: Secrets | None = None,
) -> Leak:
    """Return the computation in a reply that gives the final answer and that the learner has not written.

    Stricter than `find_leak`, for a course in which the learner's own last step is never handed over. Arguments as
    there; the form is "last_step".
    """
    secrets = secrets or gather_secrets(
        problem_text=problem_text, graph=graph, answer=answer, solution=solution, history=history, reached=reached
    )
    for expression in find_expressions(reply):
        if expression.value in secrets.answers and operands_of(expression) not in secrets.computed:
            return _leak(reply, "final_answer", "last_step", expression.start, expression.end, expression.value)
    return NO_LEAK


def _leak(
    text: str, kind: LeakKind, form: str, start: int, end: int, value: Fraction | None, *, falsehood: bool = False
) -> Leak:
    return Leak(
        kind=kind, evidence=text[start:end].strip(), form=form, start=start, end=end, value=value, falsehood=falsehood
    )


def _leaks(text: str, secrets: Secrets, graph: StepGraph | None, reached: frozenset[int] | None) -> Iterator[Leak]:
    plain = find_mentions(text)
    yield from _mentioned(text, plain, secrets)
    yield from _converted(text, plain, secrets)
    yield from _asserted(text, plain, secrets)
    yield from _computed(text, secrets, graph, reached)
    if secrets.words:
        yield from _worded(text, secrets)
    yield from _false(text, plain, secrets, graph)


def _mentioned(text: str, plain: Sequence[Mention], secrets: Secrets) -> Iterator[Leak]:
    """Values nobody has mentioned yet."""
    if not secrets.hidden_answers and not secrets.hidden_steps:
        return
    known = [mention for mention in plain if mention.form == "fraction" and mention.values <= secrets.public]
    problem = secrets.problem.casefold()
    for mention in (*plain, *find_disguised(text, plain)):
        if any(outer.start <= mention.start and mention.end <= outer.end for outer in known):
            continue
        if mention.form == "neighbour" and text[mention.start : mention.end].casefold() in problem:
            continue
        for kind, values in (("final_answer", secrets.hidden_answers), ("unreached_step", secrets.hidden_steps)):
            hit = mention.values & values
            if hit and not (mention.form == "fraction" and _is_own_division(text, mention, secrets)):
                yield _leak(text, kind, mention.form, mention.start, mention.end, max(hit))  # type: ignore[arg-type]
                break


def _is_own_division(text: str, mention: Mention, secrets: Secrets) -> bool:
    """Whether what reads as a fraction is a division that the learner set up, without its result."""
    return any(
        expression.start <= mention.start
        and mention.end <= expression.end
        and operands_of(expression) in secrets.computed
        for expression in find_expressions(text)
    )


def _converted(text: str, plain: Sequence[Mention], secrets: Secrets) -> Iterator[Leak]:
    """Secret quantities said in another unit; a quantity of the problem or of the learner is free."""
    if not secrets.answer_units and not secrets.step_units:
        return
    quantities = find_quantities(text, plain)
    known = f"{secrets.problem}\n{secrets.learner}".casefold()
    for unit in dict.fromkeys((*secrets.answer_units, *(unit for _, unit in secrets.step_units))):
        steps = {value for value, other in secrets.step_units if other == unit} - secrets.public
        answers = secrets.hidden_answers if unit in secrets.answer_units else frozenset()
        for mention in said_in_unit(text, quantities, unit):
            if text[mention.start : mention.end].casefold() in known:
                continue
            for kind, values in (("final_answer", answers), ("unreached_step", steps)):
                hit = mention.values & values
                if hit:
                    yield _leak(text, kind, "unit", mention.start, mention.end, max(hit))  # type: ignore[arg-type]
                    break


def _asserted(text: str, plain: Sequence[Mention], secrets: Secrets) -> Iterator[Leak]:
    """An answer that equals a public number, said to be the answer."""
    for mention in plain:
        hit = mention.values & secrets.answers & secrets.public
        if hit and asserted_as_answer(text, mention.start, mention.end):
            yield _leak(text, "final_answer", "assertion", mention.start, mention.end, max(hit))


def _computed(text: str, secrets: Secrets, graph: StepGraph | None, reached: frozenset[int] | None) -> Iterator[Leak]:
    """Equations that end in a secret though public value, and computations that are called the answer."""
    open_steps = {
        tuple(sorted(operand.value for operand in node.operands)): node.value
        for node in (graph.nodes if graph else ())
        if (reached is None or node.index not in reached) and node.operands
    }
    for expression in find_expressions(text):
        operands = operands_of(expression)
        if expression.value in secrets.answers and is_answer_slot(text, expression.start):
            yield _leak(text, "final_answer", "expression", expression.start, expression.end, expression.value)
        if expression.result is None or expression.result != expression.value or operands in secrets.computed:
            continue
        if expression.value in secrets.answers:
            yield _leak(text, "final_answer", "equation", expression.start, expression.result_end, expression.value)
        elif open_steps.get(operands) == expression.value and expression.value in secrets.steps:
            yield _leak(text, "unreached_step", "equation", expression.start, expression.result_end, expression.value)


def _worded(text: str, secrets: Secrets) -> Iterator[Leak]:
    """An answer in words: any mention where it is new, an assertion where it is not."""
    span = asserts_words(text, secrets.words, known=f"{secrets.problem}\n{secrets.learner}")
    if span is not None:
        yield _leak(text, "final_answer", "word_answer", span[0], span[1], None)


def _false(text: str, plain: Sequence[Mention], secrets: Secrets, graph: StepGraph | None) -> Iterator[Leak]:
    """A wrong value that is called the answer, or the learner's wrong result that is called right."""
    if not secrets.answers:
        return
    known = {node.value for node in graph.nodes} if graph else set()
    for mention in plain:
        if mention.values & (secrets.answers | known):
            continue
        wrong = stated_answers(text, mention.start, mention.end)
        if not wrong and graph is not None and secrets.last_stated in mention.values:
            wrong = endorsed(text, mention.start, mention.end)
        if wrong:
            yield _leak(text, "final_answer", "endorsement", mention.start, mention.end, mention.value, falsehood=True)
