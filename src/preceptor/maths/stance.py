"""How the writer stands to what is written: asked, hedged, or taken back. Works on cleaned text and spans only."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from preceptor.maths.cue_words import HEDGE, QUESTION, cue

_SENTENCE = re.compile(r"[^.!?\n。！？]*(?:\.(?=\d)[^.!?\n。！？]*)*[.!?\n。！？]*")
_OR_PAIR = re.compile(r"\d\s*(?:or|o|ou|oder|أو|或者?|还是)\s*\d", re.IGNORECASE)
_BEFORE_NEGATED = re.compile(
    r"(?:\bnot|n't|\bnever|\binstead of|\brather than|\bno es|\bno son|\ben vez de|\ben lugar de|\bpas|\bau lieu de"
    r"|\bnicht"
    r"|\bstatt|\banstatt|ليس|بدلا من|不是|而不是)\s+(?:just |only |really |the |be |equal to |\$|el |la |le |die "
    r"|der )*[\"'$]?$",
    re.IGNORECASE,
)
_SAID_FIRST = re.compile(
    r"\b(?:i|we) (?:said|thought|wrote|put|had|got|did|calculated|used|answered|guessed)\b|\bmy (?:answer"
    r"|first answer) was\b"
    r"|\bdije\b|\bpuse\b|\bj'ai dit\b|\bich (?:sagte|dachte|schrieb)\b|我(?:说|写|以为|算成)",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:but|however|when|though)\b.{0,60}?\b(?:should|supposed|meant|actually|correct|right|is|it's)\b"
    r"|\bshould(?:'ve| have)"
    r"|\bbut (?:it|that) (?:should|is)\b|\bit should\b|\bpero\b|\bmais\b|\baber\b|\bdebería\b|但|应该",
    re.IGNORECASE,
)
_REPAIR = re.compile(
    r"\b(?:i mean|i meant|no wait|wait|sorry|oops|actually|scratch that|correction|let me (?:fix|correct) that"
    r"|make that"
    r"|my mistake|that'?s (?:not right|wrong)|mejor dicho|perdón|quise decir|je veux dire|pardon|ich meine|moment)\b"
    r"|(?:^|[,.;!?]\s*)no,|不对|等等|我是说|算错了",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(cue(QUESTION, language)), re.compile(cue(HEDGE, language))


@dataclass(frozen=True, kw_only=True)
class Stance:
    """Sentences of one text, and which of them ask or hedge."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    questions: tuple[bool, ...]
    hedges: tuple[bool, ...]

    def _sentence(self, place: int) -> int:
        return max(0, bisect_right(self.starts, place) - 1)

    def is_question(self, place: int) -> bool:
        """Whether the character stands in a question."""
        return bool(self.starts) and self.questions[self._sentence(place)]

    def is_bare_question(self, place: int) -> bool:
        """Whether its question is nothing but numbers and signs: "12?", "24 x 2 = 48?"."""
        index = self._sentence(place)
        words = re.findall(r"[^\W\d_]{2,}", self.text[self.starts[index] : self.ends[index]])
        return len(words) <= 1

    def is_hedged(self, place: int) -> bool:
        """Whether the character stands in a sentence that hedges."""
        return bool(self.starts) and self.hedges[self._sentence(place)]

    def withdrawn(self, spans: Sequence[tuple[int, int]]) -> frozenset[int]:
        """Return which of the claims at these spans the same text takes back.

        Negated ("not 12", "instead of 12"), said before and turned from ("I said 12 but it should be 13"), or
        repaired at once ("12, I mean 13"; "12. Wait, 13").
        """
        taken: set[int] = set()
        for place, (start, end) in enumerate(spans):
            if _BEFORE_NEGATED.search(self.text[max(0, start - 40) : start]):
                taken.add(place)
                continue
            if place + 1 == len(spans):
                continue
            following = spans[place + 1][0]
            between = self.text[end : min(following, end + 91)]
            if len(between) <= 90 and _REPAIR.search(between) and not _SAID_FIRST.search(between):
                taken.add(place)
                continue
            head = self.text[max(self.starts[self._sentence(start)], start - 120) : start]
            said = _SAID_FIRST.search(head)
            if said and not re.search(r"\d", head[said.end() :]) and _TURN.search(self.text[end : end + 120]):
                taken.add(place)
        return frozenset(taken)


def read_stance(text: str, language: str = "en") -> Stance:
    """Return the stance of a cleaned text."""
    question, hedge = _patterns(language[:2].lower())
    starts: list[int] = []
    ends: list[int] = []
    questions: list[bool] = []
    hedges: list[bool] = []
    for match in _SENTENCE.finditer(text):
        sentence = match.group(0)
        if not sentence.strip():
            continue
        lower = sentence.strip().lower()
        starts.append(match.start())
        ends.append(match.end())
        asks = "?" in sentence or "？" in sentence or ("=" not in sentence and bool(question.search(lower[:40])))
        questions.append(asks and not lower.endswith((".", "!")))
        hedges.append(bool(hedge.search(lower)) or bool(_OR_PAIR.search(sentence)))
    return Stance(text=text, starts=tuple(starts), ends=tuple(ends), questions=tuple(questions), hedges=tuple(hedges))
