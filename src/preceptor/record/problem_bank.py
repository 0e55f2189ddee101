"""The problems that come with the program: our own, so that a fresh install has something to work on."""

from __future__ import annotations

import json
from importlib.resources import files

from preceptor.domain.problem import Problem
from preceptor.errors import DuplicateError
from preceptor.record.problem_formats import parse_problem
from preceptor.stores.protocols import ProblemStore


def sample_problems() -> tuple[Problem, ...]:
    """Return the problems of `sample_problems.jsonl`, in its order."""
    lines = files("preceptor.record").joinpath("sample_problems.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(parse_problem(json.loads(line), "jsonl") for line in lines if line.strip())


def add_samples(store: ProblemStore) -> int:
    """Store the sample problems where the bank is empty; return how many were added."""
    if store.count():
        return 0
    try:
        return store.put_many(sample_problems())
    except DuplicateError:
        return 0  # another program started at the same moment and was first
