"""Reviewing many dialogues at a time: several calls of a model at once, or several processes for builtin engines.

Reviews come out in the order of the dialogues, whatever finishes first.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from concurrent.futures import Future, ProcessPoolExecutor

from preceptor.domain.dialogue import Dialogue
from preceptor.experience.abstract_sentence import BuiltinRewriter
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.builtin_distiller import BuiltinDistiller
from preceptor.experience.builtin_mentor import BuiltinMentor
from preceptor.experience.turn_review import DialogueReview, ReviewRule, Roles
from preceptor.experience.turn_reviewer import TurnReviewer
from preceptor.pedagogy.builtin_observer import BuiltinObserver

AHEAD = 4
"""Dialogues under way for each that may run at once: enough that none waits for the slowest. (chosen)"""

Done = Callable[[str], Collection[tuple[int, str]]]
"""Dialogue id → (turn, digest) of what is done."""


def builtin_roles(*, rewrites: bool = True) -> Roles:
    """Return the builtin engines of every role."""
    critic = BuiltinCritic()
    return Roles(
        observer=BuiltinObserver(),
        critic=critic,
        mentor=BuiltinMentor(critic=critic),
        distiller=BuiltinDistiller(),
        rewriter=BuiltinRewriter() if rewrites else None,
        engines=tuple((role, "builtin") for role in ("observer", "critic", "mentor", "distiller", "rewriter")),
    )


async def review_together(
    dialogues: Iterable[Dialogue], reviewer: TurnReviewer, done: Done, *, concurrency: int
) -> AsyncIterator[DialogueReview]:
    """Yield reviews with at most `concurrency` dialogues under way at once: for roles that wait for a model."""
    under_way: deque[asyncio.Task[DialogueReview]] = deque()
    try:
        for dialogue in dialogues:
            if len(under_way) >= concurrency:
                yield await under_way.popleft()
            under_way.append(asyncio.ensure_future(reviewer.review(dialogue, done(dialogue.dialogue_id))))
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()


async def review_in_processes(
    dialogues: Iterable[Dialogue],
    done: Done,
    *,
    processes: int,
    rule: ReviewRule | None = None,
    rewrites: bool = True,
    batch: str = "",
    simulated: bool = False,
) -> AsyncIterator[DialogueReview]:
    """Yield reviews by builtin engines, computed in several processes."""
    context = multiprocessing.get_context("spawn")
    arguments = (rule or ReviewRule(), rewrites, batch, simulated)
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_start_worker, initargs=arguments)
    under_way: deque[Future[DialogueReview]] = deque()
    try:
        for dialogue in dialogues:
            if len(under_way) >= processes * AHEAD:
                yield await asyncio.wrap_future(under_way.popleft())
            under_way.append(pool.submit(_review, dialogue, tuple(done(dialogue.dialogue_id))))
        while under_way:
            yield await asyncio.wrap_future(under_way.popleft())
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_WORKERS: list[TurnReviewer] = []
"""This process's reviewer, made once."""


def _start_worker(rule: ReviewRule, rewrites: bool, batch: str, simulated: bool) -> None:
    _WORKERS[:] = [TurnReviewer(builtin_roles(rewrites=rewrites), rule, batch=batch, simulated=simulated)]


def _review(dialogue: Dialogue, done: tuple[tuple[int, str], ...]) -> DialogueReview:
    return asyncio.run(_WORKERS[0].review(dialogue, done))
