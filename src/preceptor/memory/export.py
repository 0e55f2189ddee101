"""Everything that is kept about one learner, as JSON objects: what they may ask for."""

from __future__ import annotations

from collections.abc import Iterator

from preceptor.record.episode_json import episode_json
from preceptor.record.record import Record
from preceptor.stores.instants import instant_text


def export_learner(record: Record, learner_id: str) -> Iterator[dict[str, object]]:
    """Yield what is kept about a learner, in every subject: a heading, the episodes, then every other row.

    Each object's `about` says what it is: "export", "episode", or the name of its table. Vectors and index entries come
    as base64 text. What a course or another learner's record holds is not in it.
    """
    yield {"about": "export", "learner_id": learner_id, "exported_at": instant_text(record.clock())}
    for episode in record.log.walk(learner_id):
        yield {"about": "episode", **episode_json(episode)}
    for table, row in record.learner_rows.walk(learner_id):
        yield {"about": table, **row}
