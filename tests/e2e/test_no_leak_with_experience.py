"""Recorded dialogues, replied to with and without experience, side by side: leaks, length, and what was followed.

Every turn is told of one strategy after another, at every rung of help in turn, so that each is tried where it may do
harm. The judge is `oracle.py`, which shares no code with the package. Nothing of the dialogues is stored here.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.e2e.oracle import leaked_values

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.experience import Strategy
from preceptor.domain.observation import Observation
from preceptor.domain.reply import Reply, Rung
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import ExperienceAdvice
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.offline import context_at
from preceptor.tutoring.reads import Read
from preceptor.tutoring.turn import TurnMaker, TurnTrace

STRATEGIES = list(Strategy)


class EveryStrategy:
    """Finds one strategy after another."""

    def __init__(self) -> None:
        self._asked = 0

    async def read(self, turn: TurnContext, observation: Observation) -> Read:
        self._asked += 1
        strategy = STRATEGIES[self._asked % len(STRATEGIES)]
        advice = ExperienceAdvice(
            experience_id=strategy.value, strategy=strategy.value, text="what to do", source="made"
        )
        return Read(status="read", ids=(strategy.value,), advice=(advice,))


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One turn, replied to both ways."""

    dialogue: Dialogue
    place: int
    rung: Rung
    without: Reply
    with_it: Reply
    refusals: int


def pairs_of(dialogues: list[Dialogue], *, every_turn: bool) -> list[Pair]:
    settings = Settings()
    bare, told = open_turn_maker(settings), open_turn_maker(settings, experience=EveryStrategy())

    async def make() -> list[Pair]:
        found: list[Pair] = []
        for dialogue in dialogues:
            assert dialogue.problem is not None
            spoken = [place for place, turn in enumerate(dialogue.turns) if turn.learner.strip()]
            for place in spoken if every_turn else spoken[len(spoken) // 2 : len(spoken) // 2 + 1]:
                rung = Rung(len(found) // len(STRATEGIES) % 5)
                context = context_at(dialogue, place, dialogue.problem)
                without, _ = await reply(bare, context, rung)
                with_it, refusals = await reply(told, context, rung)
                pair = Pair(
                    dialogue=dialogue, place=place, rung=rung, without=without, with_it=with_it, refusals=refusals
                )
                found.append(pair)
        return found

    return asyncio.run(make())


async def reply(maker: TurnMaker, context: TurnContext, rung: Rung) -> tuple[Reply, int]:
    trace = TurnTrace()
    async for _ in maker.run(context, trace, rungs=dict.fromkeys(range(-1, 60), rung)):
        pass
    assert trace.reply is not None
    return trace.reply, len(trace.refusals)


def leaks(pair: Pair, text: str) -> list[str]:
    problem = pair.dialogue.problem
    assert problem is not None
    written = " ".join(turn.learner for turn in pair.dialogue.turns[: pair.place + 1])
    return leaked_values(problem.text, problem.solution, problem.answer, written, text)


def bare(reply: Reply) -> Reply:
    return replace(reply, used_experience_ids=(), experience_roles=(), notes=())


def check(pairs: list[Pair]) -> None:
    assert [pair.with_it.text for pair in pairs if leaks(pair, pair.with_it.text)] == []
    for pair in pairs:
        if not pair.with_it.used_experience_ids:
            assert bare(pair.with_it) == bare(pair.without)
        assert pair.with_it.rung <= max(pair.without.rung, min(pair.rung + 1, 4))


@pytest.fixture(scope="module")
def dialogues(data_dir: Path) -> list[Dialogue]:
    return list(read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial"))


@pytest.mark.data
def test_no_strategy_gives_anything_away_in_sixty_dialogues(dialogues: list[Dialogue]) -> None:
    pairs = pairs_of(dialogues[:60], every_turn=False)
    check(pairs)
    assert any(pair.with_it.used_experience_ids for pair in pairs)


@pytest.mark.data
@pytest.mark.prove
def test_no_strategy_gives_anything_away_at_any_prefix(dialogues: list[Dialogue]) -> None:
    pairs = pairs_of(dialogues, every_turn=True)
    followed = [pair for pair in pairs if pair.with_it.used_experience_ids]
    parts = Counter((role.part) for pair in pairs for role in pair.with_it.experience_roles)
    by_strategy = Counter(pair.with_it.used_experience_ids[0] for pair in followed)
    words = [
        sum(len(reply.text.split()) for reply in replies) / len(followed)
        for replies in ([pair.without for pair in followed], [pair.with_it for pair in followed])
    ]
    lost = [
        sum(bool(leaks(pair, text)) for pair, text in texts)
        for texts in (
            [(pair, pair.without.text) for pair in pairs],
            [(pair, pair.with_it.text) for pair in pairs],
        )
    ]
    print(f"\n{len(pairs)} turns, {len(followed)} replies changed by experience")  # noqa: T201
    print(f"leaks without {lost[0]}, with {lost[1]}; words of changed replies {words[0]:.1f} → {words[1]:.1f}")  # noqa: T201
    print(f"refused by the guard {sum(pair.refusals for pair in pairs)}; parts {dict(parts)}")  # noqa: T201
    print(f"followed: {dict(by_strategy)}")  # noqa: T201
    reasons = Counter(
        role.reason.split(":")[0]
        for pair in pairs
        for role in pair.with_it.experience_roles
        if role.part == "not_followed"
    )
    print(f"not followed: {dict(reasons)}")  # noqa: T201
    for pair in followed[:: max(1, len(followed) // 30)]:
        print(f"- [{pair.with_it.used_experience_ids[0]}] {pair.with_it.text}")  # noqa: T201
    check(pairs)
