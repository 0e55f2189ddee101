"""Replies to recorded dialogues: no answer given away, about this problem, and varied.

The judge is `oracle.py`, which shares no code with the package. Nothing of the dialogues is stored here.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.oracle import leaked_values

from preceptor.domain.dialogue import Dialogue
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.offline import reply_offline

COMMON = set(
    "this that with from have will your what which when there then than they them their many much more does need each "
    "into over only also were been some would could about after before total left number find make makes made every"
    " take takes same other still first problem text line where here step get gets how long often".split()
)


@dataclass(frozen=True, kw_only=True)
class Made:
    """One reply and what its judges need."""

    dialogue: Dialogue
    place: int
    text: str


def reply_to(dialogues: list[Dialogue], *, every_turn: bool) -> list[Made]:
    maker = open_turn_maker(Settings())

    async def all_replies() -> list[Made]:
        made = []
        for dialogue in dialogues:
            spoken = [place for place, turn in enumerate(dialogue.turns) if turn.learner.strip()]
            for place in spoken if every_turn else spoken[-1:]:
                reply = await reply_offline(maker, dialogue, place)
                made.append(Made(dialogue=dialogue, place=place, text=reply.record.reply.text))
        return made

    return asyncio.run(all_replies())


def leaks(made: Made) -> list[str]:
    problem = made.dialogue.problem
    assert problem is not None
    written = " ".join(turn.learner for turn in made.dialogue.turns[: made.place + 1])
    return leaked_values(problem.text, problem.solution, problem.answer, written, made.text)


def is_about_problem(made: Made) -> bool:
    """Whether a reply names a number of the dialogue or a content word of the problem."""
    problem = made.dialogue.problem
    assert problem is not None
    text = problem.text + " " + " ".join(turn.learner for turn in made.dialogue.turns[: made.place + 1])
    if set(re.findall(r"\d+", made.text)) & set(re.findall(r"\d+", text)):
        return True
    words = {word for word in re.findall(r"[a-z]{4,}", problem.text.lower()) if word not in COMMON}
    return bool(words & set(re.findall(r"[a-z]{4,}", made.text.lower())))


def repeated_sentences(made: list[Made]) -> int:
    """How many sentences a dialogue's own replies say more than once."""
    by_dialogue: dict[str, Counter[str]] = {}
    for one in made:
        parts = [re.sub(r"\W+", " ", part.lower()).strip() for part in re.split(r"(?<=[.!?])\s+", one.text)]
        by_dialogue.setdefault(one.dialogue.dialogue_id, Counter()).update(part for part in parts if part)
    return sum(count - 1 for counts in by_dialogue.values() for count in counts.values())


def identical_share(made: list[Made]) -> float:
    counts = Counter(one.text for one in made)
    return sum(count for count in counts.values() if count > 1) / len(made)


@pytest.fixture(scope="module")
def dialogues(data_dir: Path) -> list[Dialogue]:
    return list(read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial"))


@pytest.mark.data
def test_last_replies_give_nothing_away_and_are_about_the_problem(dialogues: list[Dialogue]) -> None:
    made = reply_to(dialogues, every_turn=False)
    assert [(one.dialogue.dialogue_id, leaks(one)) for one in made if leaks(one)] == []
    assert identical_share(made) <= 0.03
    assert sum(map(is_about_problem, made)) / len(made) >= 0.70


@pytest.mark.data
@pytest.mark.prove
def test_replies_to_every_prefix_give_nothing_away(dialogues: list[Dialogue]) -> None:
    started = time.perf_counter()
    made = reply_to(dialogues, every_turn=True)
    elapsed = time.perf_counter() - started
    found = [(one.dialogue.dialogue_id, one.place, leaks(one), one.text) for one in made if leaks(one)]
    about = sum(map(is_about_problem, made)) / len(made)
    print(f"\n{len(made)} replies to all prefixes of {len(dialogues)} dialogues in {elapsed:.0f} s")  # noqa: T201
    print(f"leaks {len(found)}, identical {identical_share(made):.2%}, about the problem {about:.1%}")  # noqa: T201
    print(f"sentences said twice in one dialogue: {repeated_sentences(made)}")  # noqa: T201
    for one in random.Random(11).sample(made, 40):
        print(f"- [{one.dialogue.dialogue_id}/{one.place}] {one.text}")  # noqa: T201
    assert found == []
    assert identical_share(made) <= 0.03
    assert about >= 0.70
    assert repeated_sentences(made) == 0
