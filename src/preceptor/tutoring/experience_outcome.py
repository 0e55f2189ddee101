"""What came of an experience: the critic scores the turn that used it, once the learner has the reply.

Runs in a thread of its own, so that page and terminal share it and no reply waits. Everything is read from the log:
what a killed program left unscored is found there at the next start, and a turn that was scored is not scored again.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from dataclasses import dataclass

from preceptor.errors import PreceptorError
from preceptor.experience.critic import Critic, ReviewedTurn
from preceptor.experience.repository import ExperienceRepository
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.episode_log import opened
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record
from preceptor.tutoring.live_repository import LiveRepository
from preceptor.tutoring.stored_dialogue import StoredDialogue, StoredTurn, graph_of, load_dialogue, spoken

LOOKED_BACK = 200
"""Latest turn records that a start looks through for unscored uses. (chosen: far more than one crash can leave)"""
CLOSE_WITHIN_S = 5.0
"""Longest wait for open scores when the program ends; the rest is picked up at the next start. (chosen)"""

logger = logging.getLogger("preceptor.experience")


@dataclass(frozen=True, kw_only=True)
class UsedTurn:
    """A turn whose reply used an experience."""

    learner_id: str
    dialogue_id: str
    turn: int


class OutcomeScorer:
    """Scores such turns one after another and updates the utility of what they used (A35–A37)."""

    def __init__(self, *, record: Record, repository: LiveRepository, critic: Critic) -> None:
        """Take the log, the repository and the critic; nothing runs yet."""
        self._record = record
        self._repository = repository
        self._critic = critic
        self._waiting: queue.SimpleQueue[UsedTurn | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="experience outcomes", daemon=True)

    def start(self) -> None:
        """Load the repository and score what an earlier run left, in the background."""
        self._thread.start()

    def put(self, used: UsedTurn) -> None:
        """Have a turn scored; returns at once."""
        self._waiting.put(used)

    def close(self, *, within_s: float = CLOSE_WITHIN_S) -> None:
        """Score what waits, for at most so many seconds, and end."""
        if self._thread.ident is None:
            return
        self._waiting.put(None)
        self._thread.join(within_s)
        self._stopped.set()

    def _work(self) -> None:
        with asyncio.Runner() as runner:
            for left in self._left_over():
                if not self._stopped.is_set():
                    self._score(runner, left)
            while (used := self._waiting.get()) is not None and not self._stopped.is_set():
                self._score(runner, used)

    def _left_over(self) -> list[UsedTurn]:
        """Return the latest turns that used an experience, oldest first; those scored are passed over later."""
        try:
            if self._repository.open()[0] is None:
                return []
            latest = [opened(one) for one in self._record.episodes.latest_of_kind("turn_record", limit=LOOKED_BACK)]
            found = []
            for episode in reversed(latest):
                body = body_of(episode, TurnRecordBody)
                if body is None or not body.reply.used_experience_ids or episode.dialogue_id is None:
                    continue
                if episode.turn is not None:
                    place = UsedTurn(learner_id=episode.learner_id, dialogue_id=episode.dialogue_id, turn=episode.turn)
                    found.append(place)
        except PreceptorError as error:
            logger.warning("unscored uses of experience were not looked for: %s", type(error).__name__)
            return []
        return found

    def _score(self, runner: asyncio.Runner, used: UsedTurn) -> None:
        try:
            runner.run(self._score_turn(used))
        except PreceptorError as error:
            logger.warning("a use of experience was not scored: %s", type(error).__name__)

    async def _score_turn(self, used: UsedTurn) -> None:
        """Score one turn where that is due.

        Raises:
            PreceptorError: The critic's model or the database failed; the turn stays unscored.
        """
        repository, _ = self._repository.open()
        if repository is None:
            return
        dialogue = load_dialogue(self._record.log, used.learner_id, used.dialogue_id)
        stored = next((turn for turn in dialogue.turns if turn.turn == used.turn), None)
        due = _unscored(repository, dialogue, stored)
        reviewed = _reviewed(dialogue, stored) if due else None
        if reviewed is None:
            return
        score = (await self._critic.critique(reviewed)).percent
        for experience_id in due:
            repository.record_use(experience_id, dialogue_id=used.dialogue_id, turn=used.turn, score=score)


def _unscored(repository: ExperienceRepository, dialogue: StoredDialogue, stored: StoredTurn | None) -> tuple[str, ...]:
    """Return what the turn used and has no score for yet."""
    if stored is None or stored.record is None:
        return ()
    place = (dialogue.dialogue_id, stored.turn)
    return tuple(
        experience_id
        for experience_id in stored.record.reply.used_experience_ids
        if all((use.dialogue_id, use.turn) != place for use in repository.store.uses(experience_id))
    )


def _reviewed(dialogue: StoredDialogue, stored: StoredTurn | None) -> ReviewedTurn | None:
    """Return the turn as a critic may see it: without its author; `None`: it was erased or never observed."""
    if stored is None or stored.record is None or stored.record.observation is None or stored.answer is None:
        return None
    before = tuple(turn for turn in dialogue.turns if turn.turn < stored.turn)
    context = TurnContext(
        problem=dialogue.problem,
        graph=graph_of(dialogue.problem),
        history=dialogue.history[: sum(turn.is_about_task for turn in before)],
        utterance=spoken(stored.answer, dialogue.language),
        language=dialogue.language,
    )
    return ReviewedTurn(context=context, observation=stored.record.observation, reply=stored.record.reply.text)
