"""The learner's own record as sources of a reply: each recalled episode, with its date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from preceptor.domain.reply import Reply
from preceptor.record.episode_log import opened
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore
from preceptor.tutoring.sources import SourceView
from preceptor.tutoring.stored_dialogue import StoredDialogue
from preceptor.tutoring.views import DialogueView


def memory_sources(episodes: EpisodeStore, learner_id: str, ids: Sequence[str]) -> dict[str, SourceView]:
    """Return id → source of a learner's episodes; what was erased is no source any more."""
    if not ids:
        return {}
    query = EpisodeQuery(learner_id=learner_id, episode_ids=tuple(dict.fromkeys(ids)))
    found = [opened(sealed) for sealed in episodes.find(query)]
    return {
        one.episode_id: SourceView(
            kind="memory",
            title=one.summary,
            episode_id=one.episode_id,
            on=one.occurred_at.astimezone(ZoneInfo(one.time_zone)).date().isoformat(),
        )
        for one in found
        if one.summary is not None
    }


def reply_sources(episodes: EpisodeStore, learner_id: str, reply: Reply) -> tuple[SourceView, ...]:
    """Return the episodes that a reply rests on, in its order."""
    return tuple(memory_sources(episodes, learner_id, reply.memory_ids).values())


def with_memory_sources(
    view: DialogueView, stored: StoredDialogue, episodes: EpisodeStore, learner_id: str
) -> DialogueView:
    """Return the view with the episodes that each reply rests on behind its files."""
    told = {turn.turn: turn.record.reply.memory_ids for turn in stored.turns if turn.record}
    known = memory_sources(episodes, learner_id, [one for ids in told.values() for one in ids])
    if not known:
        return view
    turns = [
        replace(turn, sources=(*turn.sources, *(known[one] for one in told.get(turn.turn, ()) if one in known)))
        for turn in view.turns
    ]
    return replace(view, turns=tuple(turns))
