"""One episode as the word index holds it: a few fixed numbers, then concepts, then words as numbers.

    fixed (40 bytes)   occurred_at, digest of the repeat, digest of the dialogue, salience, actor, kind, language,
                       flags, count of concepts
    concepts           one 32-bit digest each
    words              one 32-bit number each, in order, silent words left out

No readable text is kept; whoever has the database can still guess words from their numbers, so an entry goes with its
episode's payload.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.episode import Episode
from preceptor.memory.word_forms import word_form, word_number, word_table
from preceptor.record.search_words import word_runs

LAYOUT = 1
"""Raised when entries are packed or their words cut in another way: indexes are then made anew."""
HEADER = np.dtype(
    [
        ("occurred_us", "<i8"),
        ("repeat", "<u8"),
        ("dialogue", "<u8"),
        ("salience", "<f4"),
        ("actor", "<u4"),
        ("kind", "u1"),
        ("language", "u1"),
        ("flags", "<u2"),
        ("concepts", "<u4"),
    ]
)
KINDS = (
    "", "question", "answer", "check", "reveal", "turn_record", "correction", "quiz", "taught", "file", "consolidation",
)  # fmt: skip
"""Numbered for good: only added to. "" stands for a kind not known here."""
LANGUAGES = ("", "en", "es", "fr", "de", "ar", "zh")
"""Numbered for good. "" stands for a language whose endings are not known here."""
NARRATION = 1
"""Flag: a question about the record, or the tutor's answer to one. Never recalled as a memory."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def pack_entry(episode: Episode, text: str, *, narration: bool) -> bytes:
    """Return the entry of one episode.

    Args:
        episode: As the log holds it.
        text: The words that find it.
        narration: It asks or tells what is on record.
    """
    language = language_code(episode.language)
    words = _spoken(text, language)
    header = np.zeros(1, dtype=HEADER)
    header["occurred_us"] = microseconds(episode.occurred_at)
    header["repeat"] = repeat_digest(episode, text)
    header["dialogue"] = digest64(episode.dialogue_id) if episode.dialogue_id else 0
    header["salience"] = np.nan if episode.salience is None else episode.salience
    header["actor"] = zlib.crc32(episode.actor.casefold().encode())
    header["kind"] = KINDS.index(episode.kind) if episode.kind in KINDS else 0
    header["language"] = LANGUAGES.index(language)
    header["flags"] = NARRATION if narration else 0
    header["concepts"] = len(episode.concept_ids)
    concepts = np.array([concept_number(name) for name in episode.concept_ids], dtype="<u4")
    return header.tobytes() + concepts.tobytes() + np.array(words, dtype="<u4").tobytes()


def unpack_entries(
    contents: Sequence[bytes],
) -> tuple[NDArray[np.void], NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Return (headers, words, their entries' rows, concepts, their entries' rows) of many entries."""
    joined = np.frombuffer(b"".join(contents), dtype="<u4")
    sizes = np.fromiter(map(len, contents), dtype=np.int64, count=len(contents)) // 4
    starts = np.cumsum(sizes) - sizes
    width = HEADER.itemsize // 4
    places = starts[:, None] + np.arange(width)
    fixed = np.frombuffer(joined[places].tobytes(), dtype=HEADER)
    n_concepts = fixed["concepts"].astype(np.int64)
    all_rows = np.arange(len(contents))
    concept_rows = np.repeat(all_rows, n_concepts)
    first = np.cumsum(n_concepts) - n_concepts
    concept_places = (starts + width - first)[concept_rows] + np.arange(len(concept_rows))
    is_word = np.ones(len(joined), dtype=np.bool_)
    is_word[places] = False
    is_word[concept_places] = False
    return fixed, joined[is_word], np.repeat(all_rows, sizes - width - n_concepts), joined[concept_places], concept_rows


def language_code(language: str) -> str:
    """Return the language's first part where its endings are known, else ""."""
    code = language.split("-")[0].lower()
    return code if code in LANGUAGES else ""


def concept_number(concept_id: str) -> int:
    """Return the 32-bit number that stands for a concept."""
    return zlib.crc32(concept_id.encode())


def digest64(text: str) -> int:
    """Return a 64-bit digest of a text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def microseconds(at: datetime) -> int:
    """Return a time as microseconds since 1970, UTC."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def repeat_digest(episode: Episode, text: str) -> int:
    """Return what identical episodes share: kind, mark and words, whatever their case and punctuation."""
    mark = (episode.summary or "").split(":", 1)[0] if episode.kind in {"check", "quiz"} else ""
    return digest64("\0".join((episode.kind, mark, *word_runs(text))))


def _spoken(text: str, language: str) -> list[int]:
    table = word_table(language) if language else None
    silent = table.silent if table else frozenset()
    return [word_number(word_form(word, language)) for word in word_runs(text) if word not in silent]
