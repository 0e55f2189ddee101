"""Symbolic equality for what has no exact value here, asked of math-verify in a child process that can be killed.

Learner text never reaches the child: it gets LaTeX written from our own expression tree. The child starts lazily
with an empty environment, under limits on memory, processor time and files; one spare is kept warm, so that
after a time-out the next answer is served at once. Only "equal" is believed. Works from any thread.
"""

from __future__ import annotations

import json
import threading
import time
from types import TracebackType
from typing import Protocol

from preceptor.child_process import ChildDiedError, ChildProcess, ChildTooSlowError
from preceptor.maths.expression_grammar import Binary, Call, Mixed, Name, Neg, Node, Num, Percent

REQUEST_TIMEOUT_S = 2.0
"""Longest wait for one verdict, seconds; then the child is killed. (chosen: a learner waits for it)"""
START_TIMEOUT_S = 10.0
"""Longest wait for a child that is still starting, seconds; measured 1.2 s on two idle cores. (chosen)"""
MAX_LATEX = 2000


class SymbolicChecker(Protocol):
    """Says whether two expressions are surely the same."""

    def equal(self, reference: Node, answer: Node) -> bool:
        """Return True if they are the same for all values of their names; False: not known."""
        ...


class ProcessSymbolicChecker:
    """Asks math-verify in a killable child process."""

    def __init__(self, *, timeout_s: float = REQUEST_TIMEOUT_S, start_timeout_s: float = START_TIMEOUT_S) -> None:
        self._timeout_s, self._start_timeout_s = timeout_s, start_timeout_s
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._spare: _Child | None = None

    def warm(self) -> None:
        """Start the child and its spare, without waiting for them."""
        with self._lock:
            self._child = self._child or _Child()
            self._spare = self._spare or _Child()

    def equal(self, reference: Node, answer: Node) -> bool:
        """Return True if math-verify finds them the same in time; False: not known."""
        pair = [write_latex(reference), write_latex(answer)]
        if max(len(text) for text in pair) > MAX_LATEX:
            return False
        with self._lock:
            if self._child is None or not self._child.alive:
                self._drop()
            child = self._child or _Child()
            self._child = child
            started = child.ready(self._start_timeout_s)
            self._spare = self._spare or _Child()
            said = child.ask(pair, self._timeout_s) if started else None
            if said is None:
                self._drop()
            return said is True

    def close(self) -> None:
        """Kill both children."""
        with self._lock:
            for child in (self._child, self._spare):
                if child is not None:
                    child.kill()
            self._child = self._spare = None

    def _drop(self) -> None:
        """Kill the child and let the spare take its place."""
        if self._child is not None:
            self._child.kill()
        self._child, self._spare = self._spare, None

    def __enter__(self) -> ProcessSymbolicChecker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Child:
    """The child that compares, and what is said to it."""

    def __init__(self) -> None:
        self._process = ChildProcess("preceptor.maths.symbolic_child")
        self._ready = False

    @property
    def alive(self) -> bool:
        return self._process.alive

    def ready(self, timeout_s: float) -> bool:
        """Wait for the child's first line."""
        self._ready = self._ready or self._line(timeout_s) == b'{"ready": true}'
        return self._ready

    def ask(self, pair: list[str], timeout_s: float) -> bool | None:
        """Return the child's verdict; `None`: too late, or it died."""
        try:
            self._process.write(json.dumps(pair).encode() + b"\n")
        except ChildDiedError:
            return None
        line = self._line(timeout_s)
        return None if line is None else line == b'{"equal": true}'

    def _line(self, timeout_s: float) -> bytes | None:
        try:
            return self._process.read_line(time.monotonic() + timeout_s, most=MAX_LATEX)
        except (ChildTooSlowError, ChildDiedError):
            return None

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


_LATEX_FUNCTIONS = {name: f"\\{name}" for name in "sin cos tan cot sec csc arcsin arccos arctan ln log exp".split()}


def write_latex(node: Node) -> str:
    """Return a tree as LaTeX with every operand in braces or brackets."""
    match node:
        case Num(value=value):
            if value.denominator == 1:
                return str(value.numerator)
            return f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
        case Mixed(whole=whole, above=above, below=below):
            return f"\\frac{{{whole * below + above}}}{{{below}}}"
        case Name(name=name):
            return {"pi": "\\pi", "inf": "\\infty"}.get(name, name)
        case Neg(arg=arg):
            return f"\\left(-{write_latex(arg)}\\right)"
        case Percent(arg=arg):
            return f"\\frac{{{write_latex(arg)}}}{{100}}"
        case Binary(op="/", left=left, right=right):
            return f"\\frac{{{write_latex(left)}}}{{{write_latex(right)}}}"
        case Binary(op="^", left=left, right=right):
            return f"\\left({write_latex(left)}\\right)^{{{write_latex(right)}}}"
        case Binary(op=op, left=left, right=right):
            sign = " \\cdot " if op == "*" else op
            return f"\\left({write_latex(left)}{sign}{write_latex(right)}\\right)"
        case Call(function="sqrt", args=args):
            return f"\\sqrt{{{write_latex(args[0])}}}"
        case Call(function="root", args=args):
            return f"\\sqrt[{write_latex(args[1])}]{{{write_latex(args[0])}}}"
        case Call(function="abs", args=args):
            return f"\\left|{write_latex(args[0])}\\right|"
        case Call(function=function, args=args):
            return f"{_LATEX_FUNCTIONS[function]}\\left({write_latex(args[0])}\\right)"
