"""Did the prompt hold what the record holds, and nothing from outside? By ids and strings; no model judges.

An entry of `required_ids` is found when any of its alternatives is told, or an episode that is told stands for it as a
repeat ("and 3 more like it"). A question passes when every entry is found, nothing forbidden is told, what changed
carries its note, and where there is nothing, that is said.

The two windows are the conversation itself and claim nothing about a time: what they hold from outside, and what the
tutor narrated, is counted as false ids and not held against them, so that they are no straw men.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from preceptor.lab.memory_designs import DesignName, Shown
from preceptor.lab.memory_histories import Entry, History, Question, edge_of

Fault = Literal["missing", "outside", "foreign", "narration", "no_note", "not_said", "said_wrongly"]
"""missing: something required is not told; outside: told, from a time that was not asked about; foreign: of another
history; narration: told of telling; no_note: its file changed and no note says so; not_said: there is nothing and that
is not said; said_wrongly: it is said that there is nothing, and there is something."""
UNDATED: frozenset[DesignName] = frozenset({"window", "window_filled"})
"""Designs that are not failed for what lies outside the time asked about."""
_SENTENCE = re.compile(r"[.!?。！？؟\n]+")


@dataclass(frozen=True, kw_only=True)
class Scored:
    """One question under one design."""

    question_id: str
    kind: str
    cluster: str
    """The learner: what is one person's hangs together."""
    design: DesignName
    n_required: int
    n_found: int
    faults: tuple[Fault, ...]
    """Each once; empty: passed."""
    details: tuple[str, ...]
    """The ids behind them."""
    n_false: int
    """Ids that may not be told: outside, foreign or narration."""
    tokens: int
    wall_ms: float
    cpu_ms: float

    @property
    def passed(self) -> bool:
        """Whether everything was as it must be."""
        return not self.faults


class Scorer:
    """Scores questions about these histories."""

    def __init__(self, histories: Sequence[History]) -> None:
        """Index what is true."""
        self._entries: dict[tuple[str, str], Mapping[str, Entry]] = {
            history.key: {entry.episode_id: entry for entry in history.episodes} for history in histories
        }
        self._definitions = {
            history.key: {one.name: one.definition or "" for one in history.concepts} for history in histories
        }

    def score(self, question: Question, shown: Shown, design: DesignName) -> Scored:
        """Return what one prompt is worth."""
        entries = self._entries[question.key]
        told = self._with_repeats(entries, shown)
        missing = [group for group in question.required if not self._is_found(group, told, shown, question)]
        found: dict[Fault, list[str]] = {
            "missing": [group[0] for group in missing],
            "outside": [
                one
                for one in sorted(shown.episode_ids)
                if one in entries and question.forbidden_window.holds(entries[one].at)
            ],
            "foreign": [one for one in sorted(shown.episode_ids) if one not in entries],
            "narration": [one for one in sorted(shown.episode_ids) if one in entries and entries[one].narration],
            "no_note": sorted((shown.episode_ids & set(question.stale_ids)) - shown.stale_ids),
            "not_said": ["no record"] if question.says_no_record and not shown.no_record else [],
            "said_wrongly": ["no record"] if shown.no_record and question.required_ids else [],
        }
        forgiven = {"outside", "narration"} if design in UNDATED else set()
        return Scored(
            question_id=question.question_id,
            kind=question.kind,
            cluster=question.learner,
            design=design,
            n_required=len(question.required),
            n_found=len(question.required) - len(missing),
            faults=tuple(fault for fault, ids in found.items() if ids and fault not in forgiven),
            details=tuple(f"{fault} {one}" for fault, ids in found.items() for one in ids),
            n_false=len({*found["outside"], *found["foreign"], *found["narration"]}),
            tokens=shown.tokens,
            wall_ms=shown.wall_ms,
            cpu_ms=shown.cpu_ms,
        )

    @staticmethod
    def _with_repeats(entries: Mapping[str, Entry], shown: Shown) -> set[str]:
        """Return what is told: the ids, and for one that stands for repeats every identical episode."""
        told = set(shown.episode_ids)
        stands_for = {
            (entry.kind, entry.text, entry.verdict)
            for one in shown.collapsed
            if (entry := entries.get(one)) is not None
        }
        told |= {one for one, entry in entries.items() if (entry.kind, entry.text, entry.verdict) in stands_for}
        return told

    def _is_found(self, group: Sequence[str], told: set[str], shown: Shown, question: Question) -> bool:
        for wanted in group:
            edge = edge_of(wanted)
            if edge is not None:
                if shows_edge(shown, *edge):
                    return True
            elif wanted.startswith("concept:"):
                name = wanted.removeprefix("concept:")
                if shows_concept(shown, name, self._definitions[question.key][name]):
                    return True
            elif wanted in told:
                return True
        return False


def shows_edge(shown: Shown, concept: str, prerequisite: str) -> bool:
    """Return whether a prompt says that a concept builds on another: a line of the map, or a sentence with both names.

    The map's line must have the right direction; a sentence of a passage is given the benefit of the doubt.
    """
    for line in shown.memory.splitlines():
        head, mark, builds = line.removeprefix("- ").partition(" (builds on: ")
        if mark and _named(concept, head) and head.casefold().startswith(concept.casefold()):
            if any(one.strip(" )").casefold() == prerequisite.casefold() for one in builds.split(", ")):
                return True
    return any(
        _named(concept, sentence) and _named(prerequisite, sentence)
        for passage in shown.passages
        for sentence in _SENTENCE.split(passage)
    )


def shows_concept(shown: Shown, name: str, definition: str) -> bool:
    """Return whether a prompt says what a concept is: the map's line with more than the name, or the definition."""
    for line in shown.memory.splitlines():
        head = line.removeprefix("- ")
        if line.startswith("- ") and head.casefold().startswith(f"{name}:".casefold()) and len(head) > len(name) + 2:
            return True
    return bool(definition) and any(definition in passage for passage in shown.passages)


def _named(name: str, text: str) -> bool:
    return name.casefold() in text.casefold()
