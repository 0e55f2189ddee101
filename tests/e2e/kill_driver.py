"""A process to be killed: it tutors without pause and prints the id of each record once it is acknowledged.

Run as `python kill_driver.py HOME SEED`. Lines on stdout: `ready`, then `saved DIALOGUE TURN EPISODE`, `done RECORD`.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.reply import Reply
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.record.record import open_record
from preceptor.settings import RoleSettings, RolesSettings, Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.session import TutoringSession

UTTERANCES = ("I think 3 + 4 = 7", "ok", "maybe 12?", "what do I do next", "5 * 6 = 30 so 30", "I don't know")


class SlowTutor:
    """The builtin tutor, a sentence every few milliseconds, so that a kill can fall into the stream."""

    def __init__(self, tutor: Tutor) -> None:
        """Wrap a tutor."""
        self._tutor = tutor

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the same pieces, slowly."""
        async for part in self._tutor.reply(turn):
            await asyncio.sleep(0.004)
            yield part


async def main(home: Path, seed: int) -> None:
    """Tutor until killed."""
    chosen = random.Random(seed)
    roles = RolesSettings(tutor=RoleSettings(engine="llm", provider="none", model="none"))
    settings = Settings(home=home, roles=roles)
    maker = open_turn_maker(settings, tutor=SlowTutor(BuiltinTutor()))
    session = TutoringSession(record=open_record(settings), maker=maker, settings=settings)
    say("ready")
    for summary in session.dialogues(LOCAL_OWNER, limit=5):
        run = await session.resume(LOCAL_OWNER, summary.dialogue_id)
        if run is not None:
            say(f"done {(await run.wait()).record_id}")
    problems = session.problems(LOCAL_OWNER, limit=20)
    while True:
        dialogue_id = session.start(LOCAL_OWNER, problem_id=chosen.choice(problems).problem_id)
        for _ in range(4):
            run = await session.submit(LOCAL_OWNER, dialogue_id, chosen.choice(UTTERANCES))
            async for event in run.follow():
                if event.kind == "saved":
                    say(f"saved {dialogue_id} {event.turn} {event.episode_id}")
                elif event.kind == "done":
                    say(f"done {event.record_id}")


def say(line: str) -> None:
    """Print one line at once: what is printed is acknowledged."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
