"""An episode as it is exported."""

from __future__ import annotations

from dataclasses import asdict

from preceptor.domain.episode import Episode
from preceptor.stores.instants import instant_text


def episode_json(episode: Episode) -> dict[str, object]:
    """Return the whole envelope as JSON, with summary and body, `null` once erased."""
    return {
        **asdict(episode),
        "occurred_at": instant_text(episode.occurred_at),
        "recorded_at": instant_text(episode.recorded_at),
    }
