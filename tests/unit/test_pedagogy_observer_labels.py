"""Marks and readings against turns labelled by hand (tests/labels): precision first, then coverage and unread rates."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.observation import JudgedClaim, Observation
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import problem_of, read_dialogues
from preceptor.pedagogy.turn_context import TurnContext

LABELS = Path(__file__).parents[1] / "labels"
FILES = {"mathdial": "mathdial/dialogues.jsonl", "bridge": "bridge/bridge.jsonl"}
SETS = tuple(FILES)


@dataclass
class Tally:
    """Counts over one labelled set."""

    marks: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(mark, "agrees" | "differs" | "unlabelled") → claims."""
    labelled: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    frames: Counter[bool] = field(default_factory=Counter)
    solved: Counter[tuple[str | None, bool]] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)

    def precision(self, mark: str) -> float:
        """Return the share of labelled claims with this mark whose label agrees."""
        agrees, differs = self.marks[mark, "agrees"], self.marks[mark, "differs"]
        return agrees / (agrees + differs) if agrees + differs else 1.0

    def report(self, name: str) -> str:
        """Return the figures in words."""
        lines = [f"{name}: precision of ✓ {self.precision('right'):.3f}, of ✗ {self.precision('wrong'):.3f}"]
        lines += [f"  {mark} {how}: {count}" for (mark, how), count in sorted(self.marks.items())]
        lines += [f"  labelled {mark}: {self.covered[mark]} of {self.labelled[mark]} marked" for mark in self.labelled]
        lines += [f"  unread {form}: {self.unread[form]} of {count}" for form, count in sorted(self.forms.items())]
        lines.append(f"  unread in all: {self.unread.total()} of {self.forms.total()}")
        lines.append(f"  frame kind as labelled: {self.frames[True]} of {self.frames.total()}")
        lines += [f"  final answer {final}, solved {solved}: {n}" for (final, solved), n in self.solved.items()]
        return "\n".join([*lines, *self.differing])


def _observed(
    dialogue: Dialogue, place: int, graphs: dict[str, StepGraph | None], observer: BuiltinObserver
) -> Observation:
    problem = problem_of(dialogue)
    if dialogue.dialogue_id not in graphs:
        graph = build_step_graph(problem.text, problem.solution, problem.answer) if problem.solution else None
        graphs[dialogue.dialogue_id] = graph
    return observer.observe_now(
        TurnContext(
            problem=problem,
            graph=graphs[dialogue.dialogue_id],
            history=dialogue.turns[:place],
            utterance=dialogue.turns[place].learner,
        )
    )


def _agreement(judged: JudgedClaim, label: dict[str, Any], marks: dict[Fraction, set[str]]) -> str:
    value = judged.claim.value
    assert value is not None
    faces = [value, value * 100, value / 10**6] if judged.claim.unit == "%" or value >= 10**6 else [value]
    found = next((marks[face] for face in faces if face in marks), None)
    if found is None:
        return "unlabelled"
    if judged.mark in found:
        return "agrees"
    last = list(marks)[-1]
    wrong_answer = judged.mark == "wrong" and label["final"] == "wrong" and value == last
    return "agrees" if wrong_answer else "differs"


def _tally(name: str, data_dir: Path) -> Tally:
    tally = Tally()
    dialogues = {dialogue.dialogue_id: dialogue for dialogue in read_dialogues(str(data_dir / FILES[name]), name)}
    observer, graphs = BuiltinObserver(), dict[str, StepGraph | None]()
    for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        seen = _observed(dialogues[label["dialogue_id"]], label["turn"], graphs, observer)
        marks: dict[Fraction, set[str]] = {}
        for claim in label["claims"]:
            marks.setdefault(Fraction(claim["value"]), set()).add(claim["mark"])
        shown: set[Fraction] = set()
        for judged in seen.claims:
            if judged.mark == "unsure" or judged.claim.value is None:
                continue
            how = _agreement(judged, label, marks)
            tally.marks[judged.mark, how] += 1
            shown.add(judged.claim.value)
            if how == "differs":
                tally.differing.append(f"  differs: {label['dialogue_id']} turn {label['turn']} {judged.mark}")
        for value, names in marks.items():
            if len(names) == 1:
                (mark,) = names
                tally.labelled[mark] += 1
                tally.covered[mark] += value in shown
        tally.forms[label["form"]] += 1
        tally.unread[label["form"]] += seen.reading.status == "unread"
        tally.frames[seen.frame is not None and seen.frame.kind == label["frame"]] += 1
        tally.solved[label["final"], seen.solved] += 1
    return tally


@pytest.fixture(scope="module")
def tallies(data_dir: Path) -> dict[str, Tally]:
    """Both sets, counted once."""
    return {name: _tally(name, data_dir) for name in SETS}


def test_there_are_enough_labels_and_no_text() -> None:
    counts = {}
    for name in SETS:
        labels = [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        counts[name] = len({(label["dialogue_id"], label["turn"]) for label in labels})
        assert all(set(label) & {"text", "utterance", "learner", "tutor"} == set() for label in labels)
    assert counts == {"mathdial": 200, "bridge": 100}


@pytest.mark.parametrize("mark", ["right", "wrong"])
def test_marks_are_precise_over_both_sets(mark: str, tallies: dict[str, Tally]) -> None:
    agrees = sum(tally.marks[mark, "agrees"] for tally in tallies.values())
    differs = sum(tally.marks[mark, "differs"] for tally in tallies.values())
    report = "\n".join(tally.report(name) for name, tally in tallies.items())
    sys.stdout.write(report)
    assert agrees >= 60, report
    assert agrees / (agrees + differs) >= 0.98, report


def test_a_wrong_final_answer_is_never_called_solved(tallies: dict[str, Tally]) -> None:
    assert tallies["mathdial"].solved["wrong", True] == 0


def test_few_turns_stay_unread(tallies: dict[str, Tally]) -> None:
    mathdial = tallies["mathdial"]
    assert mathdial.unread.total() / mathdial.forms.total() <= 0.15, mathdial.report("mathdial")


def test_frames_are_mostly_read_as_labelled(tallies: dict[str, Tally]) -> None:
    for name, tally in tallies.items():
        assert tally.frames[True] / tally.frames.total() >= 0.85, tally.report(name)
