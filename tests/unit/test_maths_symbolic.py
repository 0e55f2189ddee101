"""The symbolic checker: believed only where it says equal, killed when it is late, deaf to learner text."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from preceptor.maths.answers import check_answer
from preceptor.maths.expression_grammar import parse
from preceptor.maths.symbolic import ProcessSymbolicChecker, write_latex


@pytest.fixture(scope="module")
def checker() -> Iterator[ProcessSymbolicChecker]:
    with ProcessSymbolicChecker(timeout_s=20, start_timeout_s=60) as checker:
        checker.warm()
        yield checker


SAME = [
    ("sin(x)^2 + cos(x)^2", "1"),
    ("sqrt(3 + 2*sqrt(2))", "1 + sqrt(2)"),
    ("tan(x)", "sin(x)/cos(x)"),
    ("root(16, 3)", "2*root(2, 3)"),
    ("sin(pi/6)", "1/2"),
    ("2^x * 2^y", "2^(x+y)"),
    ("log(100)", "2"),
]


@pytest.mark.parametrize(("reference", "answer"), SAME)
def test_identities_are_accepted(checker: ProcessSymbolicChecker, reference: str, answer: str) -> None:
    assert check_answer(reference, answer).verdict == "unread"
    assert check_answer(reference, answer, symbolic=checker).verdict == "equal"


@pytest.mark.parametrize(
    ("reference", "answer"), [("sin(x)", "cos(x)"), ("sin(x)", "x"), ("sqrt(3+2*sqrt(2))", "sqrt(2)"), ("2^x", "x^2")]
)
def test_different_functions_are_told_apart_without_the_child(reference: str, answer: str) -> None:
    assert check_answer(reference, answer).verdict == "not_equal"


def test_its_no_is_not_believed(checker: ProcessSymbolicChecker) -> None:
    assert not checker.equal(parse("sin(x)"), parse("cos(x)"))


def test_units_never_reach_it(checker: ProcessSymbolicChecker) -> None:
    assert check_answer("sin(1) m", "sin(1) cm", symbolic=checker).verdict != "equal"


def test_it_answers_from_any_thread(checker: ProcessSymbolicChecker) -> None:
    said: list[bool] = []
    threads = [
        threading.Thread(target=lambda: said.append(checker.equal(parse("sin(pi/6)"), parse("1/2")))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [True, True, True]


def test_a_late_child_is_killed_and_the_next_answer_is_served() -> None:
    slow = (
        parse("(sin(x)+cos(y)+sqrt(z+tan(x)))^40"),
        parse("(cos(y)+sin(x)+sqrt(tan(x)+z))^39*(sin(x)+cos(y)+sqrt(z+tan(x)))"),
    )
    with ProcessSymbolicChecker(timeout_s=0.001, start_timeout_s=60) as checker:
        started = time.monotonic()
        assert not checker.equal(*slow)
        first = checker._child
        checker._timeout_s = 20
        assert checker.equal(parse("sin(pi/6)"), parse("1/2"))
        assert checker._child is first
        assert time.monotonic() - started < 60


def test_the_child_inherits_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRECEPTOR_SECRET_PROBE", "s3cret")
    with ProcessSymbolicChecker(start_timeout_s=60) as checker:
        checker.warm()
        child = checker._child
        assert child is not None
        assert child.ready(60)
        environment = Path(f"/proc/{child._process.pid}/environ").read_bytes()
    assert b"s3cret" not in environment
    assert b"HOME" not in environment


def test_closing_leaves_no_process() -> None:
    checker = ProcessSymbolicChecker()
    checker.warm()
    children = [child._process for child in (checker._child, checker._spare) if child is not None]
    checker.close()
    assert [process.alive for process in children] == [False, False]


def test_only_text_written_from_the_tree_leaves_the_process() -> None:
    assert write_latex(parse("2 1/2 + sin(x)^2")) == (
        "\\left(\\frac{5}{2}+\\left(\\sin\\left(x\\right)\\right)^{2}\\right)"
    )
