"""Nothing of a problem and nothing of a learner gets into experience distilled from recorded dialogues.

Counted here by other code than the validator's: plain word sequences and capitalised words of all dialogues together.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from preceptor.domain.dialogue import Dialogue
from preceptor.experience.abstract_text import LEARNER_CONTENT, LEARNER_SPAN
from preceptor.experience.dialogue_reviews import builtin_roles
from preceptor.experience.turn_review import ReviewRule
from preceptor.experience.turn_reviewer import TurnReviewer
from preceptor.pedagogy.dialogue_formats import read_dialogues

PLAIN = set(
    "the a an and or of in to is are was were it that this for with on at by as be you i he she they we".split()
)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold())


def runs(sequence: list[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(sequence[start:] for start in range(length)), strict=False)


def spoken(dialogue: Dialogue) -> Iterator[str]:
    if dialogue.problem:
        yield from (dialogue.problem.text, dialogue.problem.solution or "")
    for turn in dialogue.turns:
        yield from (turn.learner, turn.tutor or "")


def names_in(dialogues: Iterable[Dialogue]) -> set[str]:
    """Words that stand with a capital inside a sentence, and never without one in all dialogues."""
    capital: set[str] = set()
    small: set[str] = set()
    for dialogue in dialogues:
        for text in spoken(dialogue):
            capital |= {word.casefold() for word in re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", text)}
            small |= set(re.findall(r"\b[a-z]+", text))
    return capital - small


def entries(dialogues: Iterable[Dialogue]) -> Iterator[tuple[str, ...]]:
    """Every text of every candidate, with the gate off: more than ever enters a repository."""
    reviewer = TurnReviewer(builtin_roles(), ReviewRule(gate=False, rounds=1))
    for dialogue in dialogues:
        found = asyncio.run(reviewer.review(dialogue))
        for turn in found.turns:
            if turn.candidate is not None:
                yield (turn.candidate.sentence, *turn.candidate.value.texts())


def offences(dialogues: list[Dialogue]) -> tuple[int, set[object]]:
    """Return how many entries were made, and every word sequence, name or digit in them that is somebody's."""
    learner = [words(turn.learner) for dialogue in dialogues for turn in dialogue.turns]
    spans = {run for sequence in learner for run in runs(sequence, LEARNER_SPAN)}
    content = {
        run for sequence in learner for run in runs([word for word in sequence if word not in PLAIN], LEARNER_CONTENT)
    }
    names = names_in(dialogues)
    made, found = 0, set[object]()
    for texts in entries(dialogues):
        made += 1
        for text in texts:
            sequence = words(text)
            found |= set(runs(sequence, LEARNER_SPAN)) & spans
            found |= set(runs([word for word in sequence if word not in PLAIN], LEARNER_CONTENT)) & content
            found |= set(sequence) & names
            found |= set(re.findall(r"\d", text))
    return made, found


def read(data_dir: Path, most: int | None) -> list[Dialogue]:
    mathdial = read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial")
    bridge = read_dialogues(str(data_dir / "bridge" / "bridge.jsonl"), "bridge")
    return [*islice(mathdial, most), *islice(bridge, most)]


def test_entries_hold_nothing_of_anybody(data_dir: Path) -> None:
    made, found = offences(read(data_dir, 12))
    assert made > 15
    assert found == set()


@pytest.mark.prove
def test_entries_of_all_dialogues_hold_nothing_of_anybody(data_dir: Path) -> None:
    made, found = offences(read(data_dir, None))
    assert made > 500
    assert found == set()
