"""What of an episode can be recalled: the words said in it, never the solution behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from preceptor.domain.episode import Episode

NEVER_RECALLED = frozenset({"hint", "safety_flag", "erasure"})
"""Kinds that are no memory of work: bookkeeping, and what only the instructor sees."""


def episode_text(episode: Episode) -> str | None:
    """Return the words that find an episode; `None` where it is not to be recalled at all.

    Not recalled: what is itself recalled text (provenance `recalled`), the kinds of `NEVER_RECALLED`, and what was
    erased. A kind this version does not know is found by its summary.
    """
    if episode.body is None or episode.provenance == "recalled" or episode.kind in NEVER_RECALLED:
        return None
    read = _TEXTS.get(episode.kind)
    text = read(episode.body) if read is not None else episode.summary or ""
    return text.strip() or None


def is_evidence(episode: Episode) -> bool:
    """Whether an episode may support a belief or be counted: not what recall said, nor a note about notes."""
    return episode.body is not None and episode.provenance != "recalled" and episode.kind != "consolidation"


def verdict_of(episode: Episode) -> str | None:
    """Return "right" or "wrong" for a check or quiz item that was decided; else `None`."""
    if episode.body is None:
        return None
    if episode.kind == "quiz":
        verdict = episode.body.get("verdict")
    elif episode.kind == "check":
        judged = episode.body.get("judged")
        verdict = judged.get("mark") if isinstance(judged, Mapping) else None
    else:
        return None
    return str(verdict) if verdict in {"right", "wrong"} else None


def _question(body: Mapping[str, Any]) -> str:
    problem = body.get("problem")
    return str(problem["text"]) if problem else str(body.get("text", ""))


def _check(body: Mapping[str, Any]) -> str:
    judged = body["judged"]
    said, read_as = str(judged["claim"]["text"]), judged.get("read_as")
    return said if not read_as or read_as == said else f"{said} {read_as}"


def _consolidation(body: Mapping[str, Any]) -> str:
    return " ".join([*body.get("topics", ()), *body.get("headlines", ())])


_TEXTS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "question": _question,
    "answer": lambda body: str(body.get("text", "")),
    "check": _check,
    "reveal": lambda body: str(body.get("text", "")),
    "turn_record": lambda body: str(body["reply"]["text"]),
    "correction": lambda body: f"{body.get('reason', '')} {body.get('replacement') or ''}",
    "quiz": lambda body: f"{body['item']} {body['answer']} {body.get('topic', '')}",
    "taught": lambda body: f"{body['note']} {body['concept']}",
    "file": lambda body: str(body["name"]),
    "consolidation": _consolidation,
}
