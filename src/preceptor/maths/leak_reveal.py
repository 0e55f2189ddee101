"""Does a reply reveal the answer to the question on the table, as a human rater would say?

Milder than the live guard (`leak`): a number that is only asked about, used as an operand or denied reveals nothing,
and a result that the learner has named already does once the reply confirms it by stating it. Harder in one point:
the question on the table may be the tutor's last one ("what is 36 + 42?"), and a WRONG result or a definition that
answers it reveals, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak import NO_LEAK, Leak
from preceptor.maths.leak_cues import (
    ANSWER_IS,
    ASKS,
    CALLED_IT,
    CONCLUDES,
    DEFINES,
    NEGATED,
    OPERATOR_AFTER,
    OPERATOR_BEFORE,
    QUOTED,
    RESULT_BEFORE,
    STRONG,
    TALK,
)
from preceptor.maths.leak_expressions import find_expressions
from preceptor.maths.leak_mentions import Mention, find_mentions
from preceptor.maths.leak_question import SENTENCE, OpenQuestion, content_words, open_question


def find_reveal(
    reply: str,
    *,
    problem_text: str,
    answer: str | None,
    solution: str | None,
    history: Sequence[Turn],
    lenient: bool = False,
) -> Leak:
    """Return how a reply reveals the answer to the question on the table; kind "none" or "final_answer".

    Args:
        reply: The whole reply.
        problem_text: Empty where no problem was given: the question is then the tutor's last one.
        answer: The final answer; `None`: taken from the solution, or computed from the tutor's question.
        solution: The worked solution.
        history: The dialogue so far, the turn being answered last.
        lenient: Report weak signs too (form "hint"): the answer in a question or as an operand, a known answer as
            some result, a statement that takes up a third of the question. More recall, less precision.
    """
    question = open_question(problem_text=problem_text, answer=answer, solution=solution, history=history)
    for start, statement in _statements(reply):
        for leak in _revealed(statement, question):
            return Leak(
                kind="final_answer",
                evidence=statement[leak.start : leak.end].strip(),
                form=leak.form,
                start=start + leak.start,
                end=start + leak.end,
                value=leak.value,
                falsehood=bool(question.values) and leak.value not in question.values,
            )
    return _hinted(reply, question) if lenient else NO_LEAK


def _hinted(reply: str, question: OpenQuestion) -> Leak:
    """Return the first weak sign that a reply reveals the answer."""
    for mention in find_mentions(reply):
        before = _before(reply, mention.start)
        if NEGATED.search(before):
            continue
        if mention.values & question.values and (
            not mention.values & question.said or (RESULT_BEFORE.search(before) and not QUOTED.search(before))
        ):
            return Leak(
                kind="final_answer",
                evidence=reply[mention.start : mention.end],
                form="hint",
                start=mention.start,
                end=mention.end,
                value=mention.value,
            )
    for start, statement in _statements(reply):
        for leak in _answered_in_words(statement, question, share=3) if not question.values else ():
            return Leak(
                kind="final_answer",
                evidence=statement[leak.start : leak.end].strip(),
                form="hint",
                start=start + leak.start,
                end=start + leak.end,
            )
    return NO_LEAK


def _before(text: str, start: int) -> str:
    """Return what stands before a place, as far as wording can reach."""
    return text[max(0, start - 240) : start]


def _statements(reply: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences that state something, and what stands before the question in one that asks."""
    for match in SENTENCE.finditer(reply):
        sentence = match.group()
        if "?" in sentence[-3:]:
            asked = ASKS.search(sentence)
            sentence = sentence[: asked.start()] if asked else ""
        if sentence.strip():
            yield match.start(), sentence


def _revealed(statement: str, question: OpenQuestion) -> Iterator[Leak]:
    for expression in find_expressions(statement):
        stated = expression.result is not None and expression.result == expression.value
        if stated and expression.value in question.values and not QUOTED.search(_before(statement, expression.start)):
            yield Leak(
                kind="final_answer",
                form="equation",
                start=expression.start,
                end=expression.result_end,
                value=expression.value,
            )
    for mention in find_mentions(statement):
        if NEGATED.search(_before(statement, mention.start)):
            continue
        form = _number_form(statement, mention, question)
        if form:
            yield Leak(kind="final_answer", form=form, start=mention.start, end=mention.end, value=mention.value)
    if not question.values:
        yield from _answered_in_words(statement, question)


def _number_form(statement: str, mention: Mention, question: OpenQuestion) -> str:
    """Return how a number answers the question; empty: it does not."""
    before = _before(statement, mention.start)
    if _is_operand(statement, mention):
        return ""
    counted = bool(content_words(statement[mention.end : mention.end + 24]) & question.wanted)
    strong = bool(STRONG.search(before))
    if mention.values & question.values:
        if not mention.values & question.said:
            return "digits"
        concludes = bool(CONCLUDES.search(before)) and _repeats(statement, question)
        return "assertion" if strong or concludes or (counted and RESULT_BEFORE.search(before)) else ""
    called = ANSWER_IS.search(before)
    if called and not QUOTED.search(before):
        return "falsehood" if not mention.values & question.given or called.group().startswith("answer") else ""
    if not question.values and CALLED_IT.search(before) and mention.values != question.last_said:
        return "result"
    if mention.values & question.said or not strong:
        return ""
    return "result" if _repeats(before, question) or (counted and CONCLUDES.search(before)) else ""


def _repeats(clause: str, question: OpenQuestion) -> bool:
    """Tell whether a clause holds at least half of the question's content words."""
    return len(question.words) > 1 and 2 * len(content_words(clause) & question.words) >= len(question.words)


def _is_operand(statement: str, mention: Mention) -> bool:
    before = _before(statement, mention.start)
    if OPERATOR_AFTER.match(statement, mention.end):
        return True
    return bool(OPERATOR_BEFORE.search(before)) and not RESULT_BEFORE.search(before)


def _answered_in_words(statement: str, question: OpenQuestion, *, share: int = 2) -> Iterator[Leak]:
    """A statement that repeats one in `share` of the question's content words and adds something new to it."""
    match = DEFINES.search(statement)
    if not match or not question.words:
        return
    clause = content_words(statement)
    new = clause - question.words - question.last_words - TALK
    if new and share * len(clause & question.words) >= len(question.words):
        yield Leak(kind="final_answer", form="word_answer", start=match.start(), end=match.end("rest"))
