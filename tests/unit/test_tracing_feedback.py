"""Feedback names the place and never the rest; the oracle here knows the solution and shares no code with the guard."""

from __future__ import annotations

import re
import string
import tomllib
from importlib import resources

import pytest
from benchmarks.trace_oracle import every_run
from tests.unit.tracing_messy import ASTAR, MESSY, Messy

from preceptor.domain.frame import FrameKind
from preceptor.domain.reply import Move, Rung
from preceptor.safety.screen import screen
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.dialogue_trace import check, feedback, read_trace
from preceptor.tracing.faults import TraceFault
from preceptor.tracing.feedback import trace_feedback
from preceptor.tracing.phrases.loader import load_trace_phrases, trace_phrase
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.trace_leak import find_trace_leak, trace_secrets
from preceptor.tracing.trace_reader import read_trace as read_text

RUNGS = (Rung.NUDGE, Rung.LOCATE, Rung.NEXT_SUBSTEP, Rung.WORKED_PARALLEL)
WRONG = [messy for messy in MESSY if messy.status == "wrong"]
MISSED = "1. S: open A(8), B(10)\n2. A: open B(10), C(11)\n"


def verdict_of(problem_text: str, text: str) -> TraceVerdict:
    problem = parse_problem(problem_text)
    assert problem.algorithm is not None
    return check_trace(read_text(text, problem, problem.algorithm), problem, CourseRules())


def solution_numbers(messy: Messy) -> set[int]:
    """Every g, h-sum and cost of every run, by plain enumeration."""
    problem = parse_problem(messy.problem)
    assert problem.algorithm is not None
    edges = {node: [(other, int(cost)) for other, cost in listed] for node, listed in problem.neighbours.items()}
    h = {node: int(problem.h(node) or 0) for node in edges}
    goal = next(iter(problem.goals), None)
    costed = problem.algorithm.value in {"ucs", "astar", "dijkstra"}
    numbers: set[int] = set()
    for run in every_run(edges, h, problem.start, goal, problem.algorithm.value, {}):
        for row in run.rows:
            for node, (g, _) in row.waiting.items():
                numbers |= {g, g + h[node] if problem.algorithm.value == "astar" else g} if costed else set()
    return numbers


@pytest.mark.parametrize("messy", WRONG, ids=lambda messy: messy.name)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("rung", RUNGS)
def test_no_reply_holds_a_value_or_a_name_that_the_learner_has_not_written(
    messy: Messy, language: str, rung: Rung
) -> None:
    reply = trace_feedback(verdict_of(messy.problem, messy.text), rung, language)
    plain = re.sub(r"\b(?:step|Line) [\d, ]+|第 [\d, ]+ [步行]", " ", reply.text)
    written = {int(number) for number in re.findall(r"\d+", messy.text)}
    numbers = {int(number) for number in re.findall(r"\d+", plain)}
    assert not numbers & (solution_numbers(messy) - written)
    names = set(parse_problem(messy.problem).neighbours)
    said = [name for name in re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", plain) if name in names]
    assert len(set(said)) <= 1
    assert all(name.casefold() in re.sub(r"[^\w]", " ", messy.text.casefold()) for name in said)


def test_missed_update_is_asked_about_at_exactly_that_node() -> None:
    reply = trace_feedback(verdict_of(ASTAR, MISSED), Rung.LOCATE)
    assert reply.text == (
        "Everything before step 2 is right. In step 2, look at B. "
        "Is there now another way to reach it, and what does that mean for its value?"
    )
    assert (reply.move, reply.rung) == (Move.QUESTION_OPERAND, Rung.LOCATE)
    assert reply.frame is not None
    assert (reply.frame.kind, reply.frame.value) == (FrameKind.VALUE, None)


def test_nudge_names_no_node_and_the_parallel_another_graph() -> None:
    verdict = verdict_of(ASTAR, MISSED)
    nudge = trace_feedback(verdict, Rung.NUDGE)
    assert "B" not in nudge.text
    parallel = trace_feedback(verdict, Rung.WORKED_PARALLEL)
    assert not re.search(r"\b[SABCG]\b", parallel.text)
    assert parallel.frame is not None
    assert not parallel.frame.own_instance


def test_missing_node_is_not_named() -> None:
    verdict = verdict_of(ASTAR, "1. S: open A(8)\n")
    assert verdict.fault is not None
    assert verdict.fault.node == "B"
    assert all(not re.search(r"\bB\b", trace_feedback(verdict, rung).text) for rung in RUNGS)


def test_guard_finds_what_must_not_be_said() -> None:
    secrets = trace_secrets(verdict_of(ASTAR, MISSED))
    for text, evidence in (("B gets f = 8, C f = 12.", "C"), ("its g is 3", "3"), ("next is G", "G"), ("S, A, B", "A")):
        assert find_trace_leak(text, secrets, asked="B") == evidence, text
    for text in ("In step 3, look at B.", "B has f = 10 in your list", "Line 3, 8 was not read."):
        assert find_trace_leak(text, secrets, asked="B") is None, text


def test_a_node_asked_about_must_have_been_written() -> None:
    secrets = trace_secrets(verdict_of(ASTAR, "1. S: open A(8)\n"))
    assert find_trace_leak("Where is B?", secrets, asked="B") == "B"


def test_a_phrase_that_would_leak_gives_way_to_a_weaker_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(language: str, section: str, name: str) -> str:
        return "It is G with 8." if section in {"locate", "substep"} else trace_phrase(language, section, name)

    monkeypatch.setattr("preceptor.tracing.feedback.trace_phrase", leaky)
    reply = trace_feedback(verdict_of(ASTAR, MISSED), Rung.NEXT_SUBSTEP)
    assert reply.rung is Rung.NUDGE
    assert "G" not in reply.text


def test_statuses_without_a_fault_have_their_own_words() -> None:
    for text, move in (("S A B C G", Move.CLOSE), ("S A", Move.CONFIRM_AND_ADVANCE), ("dunno", Move.CANNOT_FOLLOW)):
        reply = trace_feedback(verdict_of(ASTAR, text), Rung.LOCATE)
        assert (reply.move, reply.rung) == (move, Rung.NONE)
        assert not re.search(r"\d", reply.text)


def test_unread_lines_are_said() -> None:
    reply = trace_feedback(verdict_of(ASTAR, "1. S\n2. ~~~\n3. B\n"), Rung.NUDGE)
    assert "Line 2 could not be read" in reply.text


def test_the_dialogue_calls_give_the_same_reply() -> None:
    problem = parse_problem(ASTAR)
    verdict = check(read_trace(MISSED, problem), problem)
    assert feedback(verdict, Rung.LOCATE) == trace_feedback(verdict_of(ASTAR, MISSED), Rung.LOCATE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_fault_has_words_in_each_language_and_none_alarms(language: str) -> None:
    phrases = load_trace_phrases(language)
    assert {fault.value for fault in TraceFault} == set(phrases["locate"]) == set(phrases["substep"])
    english = load_trace_phrases("en")
    assert {name: set(lines) for name, lines in phrases.items()} == {name: set(one) for name, one in english.items()}
    for section, lines in phrases.items():
        for name, line in lines.items():
            fields = {field for _, field, _, _ in string.Formatter().parse(line) if field}
            ours = {field for _, field, _, _ in string.Formatter().parse(english[section][name]) if field}
            assert fields == ours, (section, name)
            assert not re.search(r"(?<![A-Za-z])(?:[A-Z]|a)(?![A-Za-z])", line), line
            assert not screen(line, language).stops_tutoring


def test_phrase_files_are_those_of_the_languages() -> None:
    folder = resources.files("preceptor.tracing.phrases")
    found = {file.name for file in folder.iterdir() if file.name.endswith(".toml")}
    assert found == {"en.toml", "zh.toml"}
    assert all(tomllib.loads(folder.joinpath(name).read_text(encoding="utf-8")) for name in found)


def test_a_language_without_phrases_gets_english() -> None:
    assert trace_feedback(verdict_of(ASTAR, MISSED), Rung.NUDGE, "fr").text.startswith("Everything before step 2")


def test_a_node_closed_too_soon_is_not_named_where_it_comes_next() -> None:
    verdict = verdict_of(ASTAR, "1. S: open A(8), B(10); closed: S, A\n")
    assert verdict.fault is not None
    assert (verdict.fault.kind, verdict.fault.node) == (TraceFault.WRONG_CLOSED, "A")
    assert not re.search(r"\bA\b", trace_feedback(verdict, Rung.LOCATE).text)
    later = verdict_of(ASTAR, "1. S: open A(8), B(10); closed: S, C\n")
    assert re.search(r"\bC\b", trace_feedback(later, Rung.LOCATE).text)
