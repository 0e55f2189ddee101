"""What the tutor remembers of one learner's subject, for learner and instructor: each belief with its evidence."""

from __future__ import annotations

from collections import Counter

from preceptor.domain.belief import Belief
from preceptor.domain.scope import Scope
from preceptor.memory.consolidation import NEVER_COUNTED, local_day
from preceptor.memory.episode_text import is_evidence, verdict_of
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.memory.self_model import belief_json, calibration_json, working_set
from preceptor.record.episode_log import opened
from preceptor.stores.protocols import EpisodeQuery


def report(memory: LearnerMemory, scope: Scope) -> dict[str, object]:
    """Return the report as JSON: beliefs with evidence, what changed, months, calibration, citations, limits.

    It is made from the rows as they are now, not from the last night's self-model, so it needs no night.
    """
    concepts = memory.maps.map(scope.subject_id)
    rows = memory.beliefs.rows(scope)
    heads = [one for one in rows if one.superseded_by is None]
    calibration = memory.nightly.calibration(scope)
    tally = memory.beliefs.tally(scope)
    return {
        "learner_id": scope.learner_id,
        "subject_id": scope.subject_id,
        "checks": {"on_record": tally.on_record, "tied": tally.tied, "words": tally.words},
        "beliefs": [belief_json(one, concepts) for one in memory.beliefs.shown(scope)],
        "denied": [belief_json(one, concepts) for one in heads if one.reason == "not_true"],
        "changes": [belief_json(one, concepts) for one in rows if _changed(one, rows)],
        "months": _months(memory, scope),
        "calibration": calibration_json(calibration),
        "limits": list(calibration.limits),
        "citations": dict(memory.record.nights.verification_counts(scope)),
        "working_set": [one.name for one in working_set(concepts, heads, size=memory.settings.working_set)],
    }


def _changed(one: Belief, rows: tuple[Belief, ...]) -> bool:
    """Whether a row claims something else than the row before it in its chain."""
    before = [older for older in rows if older.superseded_by == one.belief_id]
    return bool(before) and before[0].claim != one.claim


def _months(memory: LearnerMemory, scope: Scope) -> list[dict[str, object]]:
    """Return what there is on record of each month of the learner's, oldest first; empty months have no entry."""
    query = EpisodeQuery(learner_id=scope.learner_id, subject_id=scope.subject_id)
    kinds: dict[str, Counter[str]] = {}
    verdicts: dict[str, Counter[str | None]] = {}
    for sealed in memory.record.episodes.find(query):
        episode = opened(sealed)
        if episode.kind in NEVER_COUNTED or not is_evidence(episode):
            continue
        month = local_day(episode).strftime("%Y-%m")
        kinds.setdefault(month, Counter())[episode.kind] += 1
        verdicts.setdefault(month, Counter())[verdict_of(episode)] += 1
    return [
        {
            "month": month,
            "counts": dict(sorted(kinds[month].items())),
            "checks_right": verdicts[month]["right"],
            "checks_wrong": verdicts[month]["wrong"],
        }
        for month in sorted(kinds)
    ]
