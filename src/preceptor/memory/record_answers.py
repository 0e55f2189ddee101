"""The builtin answer to a question about the learner's own record: from the block's items, and from nothing else.

No date, count or topic is named that is not in the block; where there is nothing, that is what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from preceptor.domain.token_estimate import cut_to_tokens
from preceptor.memory.block import WANTED, MemoryBlock
from preceptor.memory.block_items import EpisodeItem, Form
from preceptor.memory.record_phrases import RecordPhrases, record_phrases
from preceptor.memory.teaching import Teaching

MOST_ITEMS = 6
"""Memories in one answer. (chosen: one screen)"""
ITEM_TOKENS = 30
"""Longest quotation. (chosen: two lines)"""
_FORM_LINES: dict[Form, str] = {
    "problem": "problem",
    "you were asked": "asked",
    "the student wrote": "wrote",
    "you answered": "said",
    "the student taught you": "taught",
    "you showed a step": "showed",
    "corrected": "corrected",
}
_COUNTED = ("question", "quiz", "right", "wrong", "taught")

Found = Literal["answered", "partial", "nothing"]
"""`partial`: the time could not be read, or something was left out; `nothing`: there is no such record."""


@dataclass(frozen=True, kw_only=True)
class RecordAnswer:
    """What the learner is told of their record."""

    text: str
    """Lines; items begin with "- "."""
    language: str
    episode_ids: tuple[str, ...]
    """The memories it tells, oldest first."""
    found: Found


def answer_record(block: MemoryBlock, *, may_say: Callable[[str], bool] = lambda text: True) -> RecordAnswer:
    """Return the answer to a block's question about the record, in the language it was asked in.

    Args:
        block: Of a turn whose `record_question` is not `None`.
        may_say: Whether a memory's words may be repeated now; those that give the present problem away may not.
    """
    asked = block.record_question
    assert asked is not None
    say = record_phrases(asked.language)
    when = say.when(block.window) if block.window else None
    opening = [say.say("unread_time", phrase=cut_to_tokens(block.unread_time, 20))] if block.unread_time else []
    if block.window_is_empty:
        return _answer(say, [*opening, say.say("no_record_when", when=when)], (), "nothing")
    if asked.kind == "how_am_i_doing":
        return _impression(block, say, opening, when)
    wanted = _wanted(block.episodes, asked.kind)
    if not wanted and asked.kind == "what_taught" and block.episodes:
        opening += [say.say("no_what_taught_when", when=when) if when else say.say("no_what_taught")]
        wanted = _wanted(block.episodes, "what_done")
        asked = replace(asked, kind="what_done")
    if not wanted:
        key = f"no_{asked.kind}" if f"no_{asked.kind}" in say.lines else "no_record"
        lines = [*opening, say.say(f"{key}_when", when=when) if when else say.say(key)]
        return _answer(say, lines, (), "nothing")
    unmatched = block.asked_about and not block.matched
    if unmatched and asked.kind == "when":
        return _answer(say, [*opening, say.say("no_match")], (), "nothing")
    shown = [item for item in wanted if may_say(item.text)]
    if unmatched:
        opening += [say.say("no_match"), *([say.say("latest")] if shown else [])]
    elif shown:
        title = asked.kind if asked.kind in say.lines else "what_done"
        opening.append(say.say(f"{title}_when", when=when) if when else say.say(title))
    chosen = sorted(_first(shown, block), key=lambda item: block.episodes.index(item))
    lines = [*opening, *(f"- {_told(item, say)}" for item in chosen)]
    if asked.kind == "what_done" and not block.asked_about:
        lines += _counts(block, say, when)
    if len(shown) < len(wanted):
        lines.append(say.say("withheld", n=len(wanted) - len(shown)))
    found: Found = "partial" if block.unread_time or not chosen or len(shown) < len(wanted) else "answered"
    if unmatched:
        found = "nothing"
    return _answer(say, lines, chosen, found)


def confirm_teaching(teaching: Teaching) -> str:
    """Return what the learner is told of what they taught: the concept it went to, or the new one's name."""
    say = record_phrases(teaching.language)
    if not teaching.concept:
        return say.say("taught_unnamed")
    return say.say("taught_new" if teaching.is_new else "taught_held", concept=teaching.concept, note=teaching.note)


def back_to_task(language: str, question: str) -> str:
    """Return the way back to the question that is open, in the language of the answer before it."""
    return record_phrases(language).say("back", question=question)


def _wanted(items: Sequence[EpisodeItem], kind: str) -> list[EpisodeItem]:
    """Return what answers a kind of question; where there is none of it, work that was done is told as it is."""
    only = WANTED.get(kind)
    if only is None:
        return list(items)
    if only.verdict is not None:
        return [item for item in items if item.verdict == only.verdict]
    found = [item for item in items if item.kind in (only.kinds or ())]
    return found if found or kind != "what_done" else list(items)


def _first(items: Sequence[EpisodeItem], block: MemoryBlock) -> list[EpisodeItem]:
    """Return the most telling: those that fit the words best, else the latest."""
    relevance = dict(zip(block.episode_ids, block.similarities, strict=True))
    place = {item.episode_id: number for number, item in enumerate(block.episodes)}
    ranked = sorted(items, key=lambda item: (-relevance[item.episode_id], -place[item.episode_id]))
    return ranked[:MOST_ITEMS]


def _impression(block: MemoryBlock, say: RecordPhrases, opening: list[str], when: str | None) -> RecordAnswer:
    lines = list(opening)
    if block.beliefs:
        lines.append(say.say("impression"))
        lines += [
            f"- {say.say(one.claim, concept=one.concept, confidence=f'{one.confidence:.2f}')}"
            for one in block.beliefs[:MOST_ITEMS]
        ]
    elif block.untied_checks:
        lines.append(say.say("none_tied", n=block.untied_checks))
    counts = _counts(block, say, when)
    if not counts and not block.beliefs:
        key = "no_record_when" if when else "no_record"
        return _answer(say, [*opening, say.say(key, when=when)], (), "nothing")
    return _answer(say, [*lines, *counts], (), "partial" if block.unread_time else "answered")


def _counts(block: MemoryBlock, say: RecordPhrases, when: str | None) -> list[str]:
    comma = "，" if say.language == "zh" else "، " if say.language == "ar" else ", "
    parts = [f"{say.say(f'count_{key}')} {block.counts[key]}" for key in _COUNTED if block.counts.get(key)]
    if not parts:
        return []
    return [say.say("counts", when_or_all=when or say.say("all"), counts=comma.join(parts))]


def _told(item: EpisodeItem, say: RecordPhrases) -> str:
    text = cut_to_tokens(item.text, ITEM_TOKENS)
    key = _FORM_LINES.get(item.form) or item.verdict or "undecided"
    notes = [say.say("more", n=item.count - 1)] if item.count > 1 else []
    if item.stale:
        notes.append(say.say("stale"))
    colon, opening, closing = ("：", "（", "）") if say.language == "zh" else (": ", " (", ")")
    note = f"{opening}{'; '.join(notes)}{closing}" if notes else ""
    return f"{say.day(item.on)}{colon}{say.say(key, text=text)}{note}"


def _answer(say: RecordPhrases, lines: Sequence[str], told: Sequence[EpisodeItem], found: Found) -> RecordAnswer:
    return RecordAnswer(
        text=_joined(lines),
        language=say.language,
        episode_ids=tuple(item.episode_id for item in told),
        found=found,
    )


def _joined(lines: Sequence[str]) -> str:
    """Return the lines as markdown: a sentence after a list stands by itself and not in the list's last item."""
    out: list[str] = []
    for line in lines:
        if out and out[-1].startswith("- ") and not line.startswith("- "):
            out.append("")
        out.append(line)
    return "\n".join(out)
