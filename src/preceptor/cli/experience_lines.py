"""How `preceptor experience` prints entries, decisions and figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import LearnerState
from preceptor.experience.repository_report import ALL_STATES, RepositoryReport
from preceptor.experience.retrieval import Retrieved
from preceptor.stores.experiences import ExperienceDecision, ExperienceUse
from preceptor.stores.instants import instant_text

_BECAUSE = {
    "no_difficulty": "; nothing to search with",
    "cannot_be_compared": "; the embedder cannot read this text",
    "no_candidates": "; no entry is for such a state",
    "below_threshold": "; none is similar enough",
    "": "",
}


def tags(state: LearnerState) -> str:
    """Return the four tags in one short text."""
    return f"[{state.error_type}, {state.struggle_status}, {state.emotion}, {state.intent}]"


def shortened(sentence: str) -> str:
    """Return a sentence that fits on a line."""
    return sentence if len(sentence) <= 90 else sentence[:89] + "…"


def described(entry: Experience, children: list[str]) -> Iterator[str]:
    """Yield an entry's lines."""
    value, made = entry.value, entry.provenance
    state = f"{entry.status} ({entry.status_reason})" if entry.status_reason else entry.status
    yield f"{entry.experience_id}  {state}; utility {entry.utility:.1f} after {entry.scored_uses} scored uses"
    yield tags(entry.state)
    parts: list[tuple[str, str | tuple[str, ...]]] = [
        ("difficulty", entry.sentence),
        ("called for by", value.triggering_difficulty),
        ("strategy", f"{value.strategy}: {value.applied_strategy}"),
        ("steps", value.scaffolding_steps),
        ("template", value.response_template),
        ("good practice", value.premium_practice),
        ("pitfalls", value.undesirable_behaviours),
        ("if it goes on", value.struggle_handling),
    ]
    for label, text in parts:
        for line in (text,) if isinstance(text, str) else text:
            if line:
                yield f"{label:14} {line}"
    origin = "simulated learners" if made.simulated else "dialogues"
    sources = ", ".join(f"{source.dialogue_id} turn {source.turn}" for source in made.sources) or "erased"
    yield f"made by {made.made_by} from {origin}: {sources}; S* {made.admission_percent:.2f}, {made.rounds} rounds"
    if made.parents:
        yield f"merged from {', '.join(made.parents)}"
    if children:
        yield f"merged into {', '.join(children)}"


def decision_line(line: ExperienceDecision) -> str:
    """Return one line of the audit log in words."""
    compared = ""
    if line.similarity is not None:
        compared = f", {line.similarity:.3f} to {line.other_id} (threshold {line.threshold})"
    reason = f": {line.reason}" if line.reason else ""
    return f"{instant_text(line.decided_at)}  {line.candidate_id} {line.outcome}{compared}{reason}"


def decision_json(line: ExperienceDecision) -> dict[str, Any]:
    """Return one line of the audit log as a JSON object."""
    return {**asdict(line), "decided_at": instant_text(line.decided_at)}


def use_json(use: ExperienceUse) -> dict[str, Any]:
    """Return one use as a JSON object."""
    return {**asdict(use), "used_at": instant_text(use.used_at)}


def retrieved_json(found: Retrieved) -> dict[str, Any]:
    """Return a search as a JSON object."""
    return {
        "query": found.query.text,
        "level": found.level,
        "candidates": found.n_candidates,
        "best_similarity": found.best_similarity,
        "threshold": found.threshold,
        "embedder": found.embedder,
        "chosen": [
            {"experience_id": entry.experience_id, "similarity": similarity, "sentence": entry.sentence}
            for entry, similarity in zip(found.chosen, found.similarities, strict=True)
        ],
        "nothing_because": found.nothing_because,
        "duration_ms": round(found.duration_ms, 3),
    }


def retrieved_line(found: Retrieved) -> str:
    """Return how a search went."""
    best = "none" if found.best_similarity is None else f"{found.best_similarity:.3f}"
    level = "no state filter" if found.level is None else f"filter level {found.level}"
    return (
        f"{len(found.chosen)} of {found.n_candidates} candidates ({level}); best {best}, threshold "
        f"{found.threshold:.3f} by {found.embedder}{_BECAUSE[found.nothing_because]}"
    )


def report_lines(report: RepositoryReport) -> Iterator[str]:
    """Yield the figures of a repository."""
    yield f"{report.n_active} active, {report.n_disabled} disabled, {report.n_superseded} superseded"
    limits = report.thresholds
    yield (
        f"compared by {report.embedder}: tau {limits.tau:.3f}, merge {limits.tau_merge:.3f}, "
        f"duplicate {limits.tau_dup:.3f} ({limits.origin})"
    )
    if report.n_active:
        share = 100 * report.n_distinct_sentences / report.n_active
        yield f"{report.n_distinct_sentences} distinct sentences ({share:.0f} %)"
    if report.mean_similarity is not None:
        yield f"mean similarity of two entries {report.mean_similarity:.3f}"
    yield f"{report.n_states} of {ALL_STATES} states have an entry, {report.n_states_with_enough} have enough"
    if report.mean_utility is not None:
        yield f"mean utility {report.mean_utility:.1f}; {report.n_scored_uses} scored uses"
    yield from (f"funnel    {name:24} {n}" for name, n in report.funnel.items())
    yield from (f"decision  {name:24} {n}" for name, n in sorted(report.outcomes.items()))
    yield from (f"state     {name:44} {n}" for name, n in report.by_error_and_struggle.items())
