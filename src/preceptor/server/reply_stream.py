"""A running turn as server-sent events: finished blocks as sanitised HTML, the unfinished rest beside them.

The page shows the rest quietly and hands only finished blocks to its polite live region. Each event keeps the id it
has in the turn, so a browser that reconnects with `Last-Event-ID`, or a page that starts again at 0, misses nothing.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from fastapi.sse import ServerSentEvent

from preceptor.server.conversation import TurnFragments
from preceptor.server.labels import FAILURE_WORDS
from preceptor.server.render import render_reply
from preceptor.tutoring.events import TurnEvent
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.views import TurnView

_WIDE_STOPS = "。！？…」"
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


@dataclass
class ReplyText:
    """The reply as far as it has come, cut at paragraph ends."""

    text: str = ""
    n_finished: int = 0
    """Paragraphs already handed over."""

    @property
    def tail(self) -> str:
        """The paragraph that is still being written."""
        return _PARAGRAPH_END.split(self.text)[-1]

    def add(self, sentence: str) -> list[str]:
        """Append one delta and return the blocks that it finished, as HTML.

        A delta is a sentence and may come without the space before it.
        """
        apart = self.text and not self.text[-1].isspace() and not sentence[:1].isspace()
        self.text += (" " if apart and self.text[-1] not in _WIDE_STOPS else "") + sentence
        return self._newly_finished(_PARAGRAPH_END.split(self.text)[:-1])

    def close(self, whole_text: str) -> tuple[list[str], bool]:
        """Return (blocks as HTML, whether they replace what was handed over) once the whole reply is known."""
        if self.n_finished and self.text.strip() == whole_text.strip():
            return self._newly_finished(_PARAGRAPH_END.split(self.text)), False
        return [render_reply(whole_text)], True

    def _newly_finished(self, paragraphs: list[str]) -> list[str]:
        new = paragraphs[self.n_finished :]
        self.n_finished = len(paragraphs)
        return [render_reply(paragraph) for paragraph in new if paragraph.strip()]


async def stream_events(run: TurnRun, fragments: TurnFragments, *, after: int) -> AsyncIterator[ServerSentEvent]:
    """Yield the events of a turn with an id above `after`, as the page needs them.

    The turn is read from its first event, because a block may have begun before `after`.
    """
    reply = ReplyText()
    async for event in run.follow(0):
        payload = _payload(event, reply, fragments, dialogue_id=run.dialogue_id)
        if event.event_id > after:
            yield ServerSentEvent(event=event.kind, id=str(event.event_id), data=payload)


def finished_event(view: TurnView, fragments: TurnFragments, *, dialogue_id: str) -> ServerSentEvent:
    """Return the one event of a turn whose reply is already on record; it replaces whatever the page shows."""
    return ServerSentEvent(
        event="done",
        data={
            "blocks": [render_reply(view.reply or "")],
            "whole": True,
            "engine": fragments.engine(view.engine, view.rung),
            "sources": fragments.sources(
                view.sources, view.grounding, view.memory_read, dialogue_id=dialogue_id, turn=view.turn
            ),
        },
    )


def _payload(event: TurnEvent, reply: ReplyText, fragments: TurnFragments, *, dialogue_id: str) -> dict[str, object]:
    if event.kind == "reading":
        return {
            "reading": fragments.reading(event.status, event.read_as, event.reason),
            "steps": fragments.steps(event.steps),
        }
    if event.kind == "delta":
        return {"text": event.text, "blocks": reply.add(event.text), "tail": render_reply(reply.tail)}
    if event.kind == "retracted":
        reply.text, reply.n_finished = "", 0
        return {}
    if event.kind == "done":
        blocks, whole = reply.close(event.text)
        return {
            "blocks": blocks,
            "whole": whole,
            "engine": fragments.engine(event.engine, event.rung),
            "language": event.language,
            "sources": fragments.sources(
                event.sources, event.grounding, event.memory_read, dialogue_id=dialogue_id, turn=event.turn
            ),
        }
    return {"text": FAILURE_WORDS.get(event.text, FAILURE_WORDS[""])} if event.kind == "failed" else {}
