"""A learner's trace from text, in any of five forms; a line that cannot be read is named, never judged."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from fractions import Fraction

from preceptor.errors import InputError
from preceptor.tracing.learner_trace import LearnerStep, LearnerTrace, Listing, Mention, TraceForm
from preceptor.tracing.lexicon import Segment, Token, Tokenizer, segments, words
from preceptor.tracing.mentions import read_listing, read_text
from preceptor.tracing.problem import Algorithm, TraceProblem
from preceptor.tracing.trace_tables import find_header, is_rule, read_row

MAX_CHARS = 40_000
"""Longest trace read. (chosen: ten pages)"""

MAX_GAP = 4
"""Most steps that one unread line is taken to hold. (chosen)"""

_BULLET = re.compile(
    r"^\s*(?:(?:step|iteration|iter|it|schritt|paso)\s*#?\s*\d+\s*(?:[.:)\-–]|\b)|\(?\d{1,3}[.)](?!\d)|第\s*\d+\s*步\s*[:：,，]?|\d{1,3}\s*[:：]|[-*•]\s)\s*",
    re.IGNORECASE,
)
_COPULA = re.compile(r"\b(?:is|are|was|were|gets?|wird|werden|se)\b\s*(?:then|now|next|also)?\s*$", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|nicht|never|isn't)\b\s*(?:yet\s*)?$|\?\s*$|不\s*$|没\s*$", re.IGNORECASE)
_MARKS = frozenset(".!'\"`*_")
_SENTENCE = re.compile(r"(?<=[.!?。！])\s+(?=[^\d\s])|。")


def read_trace(text: str, problem: TraceProblem, algorithm: Algorithm) -> LearnerTrace:
    """Return the trace in a learner's text.

    Args:
        text: What the learner wrote.
        problem: Its nodes are the only names that are read as nodes.
        algorithm: Says what a value without a name means.

    Raises:
        InputError: The text is longer than `MAX_CHARS`.
    """
    if len(text) > MAX_CHARS:
        raise InputError(f"a trace may have {MAX_CHARS} characters, got {len(text)}")
    return _Reader(problem, algorithm).read(text)


class _Reader:
    def __init__(self, problem: TraceProblem, algorithm: Algorithm) -> None:
        self.problem, self.algorithm = problem, algorithm
        self.tokenizer = Tokenizer(problem.neighbours)
        self.steps: list[LearnerStep] = []
        self.unread: list[int] = []
        self.partly: list[int] = []
        self.gap = 0
        self.plain: list[tuple[int, Listing]] = []
        self.bulleted = self.verbs = self.lists = self.orders = 0

    def read(self, text: str) -> LearnerTrace:
        lines = unicodedata.normalize("NFKC", text.replace("\u200b", "")).replace("\r\n", "\n").split("\n")
        header = find_header(lines, self.tokenizer)
        for number, line in enumerate(lines, start=1):
            if (
                not line.strip()
                or (header and is_rule(line, under_header=number == header.line + 1))
                or line.strip().startswith("```")
            ):
                continue
            if header and number == header.line:
                continue
            if header and number > header.line and (not header.piped or "|" in line):
                step = read_row(number, line, header, self.tokenizer, self.problem, self.algorithm)
                if step is not None:
                    self._append(step)
                    self._note_parts(step)
                    continue
            self._line(number, line)
        self._lone_closed()
        self._lists_without_name()
        return LearnerTrace(
            form=self._form(header is not None),
            steps=tuple(self.steps),
            unread_lines=tuple(sorted(set(self.unread))),
            open_lines=tuple(sorted(set(self.partly))),
            end_gap=self.gap,
        )

    def _form(self, table: bool) -> TraceForm | None:
        if not self.steps:
            return None
        if table:
            return TraceForm.TABLE
        if self.bulleted * 2 > len(self.steps):
            return TraceForm.LIST
        if self.lists and self.lists >= self.verbs:
            return TraceForm.OPEN_CLOSED
        return TraceForm.PROSE if self.verbs else TraceForm.ORDER

    def _append(self, step: LearnerStep) -> None:
        self.steps.append(replace(step, gap=self.gap))
        self.gap = 0

    def _note_parts(self, step: LearnerStep) -> None:
        for listing in (step.opened, step.closed, step.added, step.updated):
            if listing is not None and not listing.complete:
                self.partly.append(step.line)

    def _skip(self, number: int, line: str) -> None:
        """Note an unread line; one that names a node may have been a step."""
        self.unread.append(number)
        self.gap += max(self._named(line), 1 if _BULLET.match(line) else 0)

    def _named(self, text: str) -> int:
        """Return how many nodes an unread text names, up to `MAX_GAP`: it may hold so many steps."""
        return min(MAX_GAP, sum(token.kind == "node" for token in self.tokenizer.tokens(text, exact=True)))

    def _line(self, number: int, line: str) -> None:
        body = line.strip().strip("|").strip()
        bullet = _BULLET.match(body)
        numbered = bool(bullet) and not body.startswith(
            tuple(name for name in self.tokenizer.names if name.startswith("("))
        )
        if numbered and bullet:
            body = body[bullet.end() :]
        parts = [part for part in _SENTENCE.split(body) if part.strip()]
        fresh, read = numbered, False
        unread: list[str] = []
        for part in parts:
            if self._sentence(number, part, fresh=fresh):
                read = True
            else:
                unread.append(part)
                self.gap += self._named(part)
            fresh = False
        if read:
            self.bulleted += numbered
            self.partly += [number] if any(self._named(part) for part in unread) else []
        else:
            self.gap -= sum(self._named(part) for part in unread)
            self._skip(number, line)

    def _sentence(self, number: int, text: str, *, fresh: bool) -> bool:
        """Read one sentence into the current step or a new one; return whether anything was read."""
        cut = segments(text, self.tokenizer.names)
        if len(cut) == 1:
            return self._plain(number, text, fresh=fresh)
        exact = any(token.kind == "node" for token in self.tokenizer.tokens(text, exact=True))
        read = self._head(number, cut, fresh=fresh)
        step: LearnerStep | None = None if (fresh and not read) or not self.steps else self.steps[-1]
        for i, segment in enumerate(cut):
            if segment.marker in {"", "ignore"}:
                continue
            before = cut[i - 1]
            made = self._segment(number, segment, before, step, exact=exact, alone=len(cut) == 2)
            for one in made:
                if step is not None and one is not made[0]:
                    step = None
                if step is None or one.line == -1:
                    one = replace(one, line=number)
                    self._append(one)
                else:
                    self.steps[-1] = one
                step = self.steps[-1]
                self._note_parts(step)
                read = True
        return read

    def _head(self, number: int, cut: list[Segment], *, fresh: bool) -> bool:
        """Read nodes that stand before the first marker as expanded: "B: OPEN = …", "S A B path …"."""
        if _COPULA.search(cut[0].text) or cut[1].marker in {"stop", "expand", "add", "update"}:
            return False
        tokens = self.tokenizer.tokens(cut[0].text, exact=True)
        if any(token.kind == "word" and token.text not in _MARKS for token in tokens):
            return False
        return self._plain(number, cut[0].text, fresh=fresh)

    def _segment(
        self, number: int, segment: Segment, before: Segment, step: LearnerStep | None, *, exact: bool, alone: bool
    ) -> list[LearnerStep]:
        """Return the steps after a segment: the current one filled in, or new ones (line -1)."""
        marker = segment.marker
        blank = LearnerStep(line=-1)
        at = step or blank
        if marker in {"stop", "fail"}:
            if _NOT.search(before.text):
                return []
            return [replace(at, stops=True) if marker == "stop" else replace(at, fails=True)]
        listing = self._list(segment.text, exact=exact, chains=marker in {"open", "path", "expand"})
        if not listing.mentions and _empty(segment.text):
            listing = Listing()
        if marker == "cost":
            numbers = _numbers(self.tokenizer, segment.text.rsplit("=", 1)[-1])
            return [replace(at, path_cost=numbers[0])] if at.path and len(numbers) == 1 else []
        if marker == "start":
            return []
        if marker == "path":
            path = _chain(listing)
            return [replace(at, path=path)] if path else []
        if marker in {"open", "closed", "visited"}:
            return self._state(marker, segment, listing, at, blank)
        if marker == "expand":
            self.verbs += 1
            return self._expand(segment, before, listing, at, blank, exact=exact, alone=alone)
        if not listing.mentions and _COPULA.search(before.text):
            listing = self._list(f"{before.text} {segment.text}", exact=exact, chains=False)
            if before.marker == "expand":
                listing = replace(listing, mentions=listing.mentions[1:])
        if not listing.mentions and not _empty(segment.text):
            return []
        if marker == "add":
            held = at.added.mentions if at.added else ()
            return [replace(at, added=Listing(mentions=(*held, *listing.mentions), complete=listing.complete))]
        held = at.updated.mentions if at.updated else ()
        return [replace(at, updated=Listing(mentions=(*held, *listing.mentions), complete=False))]

    def _state(
        self, marker: str, segment: Segment, listing: Listing, at: LearnerStep, blank: LearnerStep
    ) -> list[LearnerStep]:
        self.lists += 1
        if not listing.mentions and not _empty(segment.text):
            return []
        if marker == "open":
            at = blank if at.opened is not None else at
            return [replace(at, opened=listing)]
        at = blank if at.closed is not None else at
        return [replace(at, closed=listing, closed_is_visited=marker == "visited")]

    def _expand(
        self,
        segment: Segment,
        before: Segment,
        listing: Listing,
        at: LearnerStep,
        blank: LearnerStep,
        *,
        exact: bool,
        alone: bool,
    ) -> list[LearnerStep]:
        owns = _heads_list(self.tokenizer.tokens(segment.text, exact=exact))
        # "A -> B, C" is a node and its list, also where A is the start and "A -> B" could begin a path
        mentions = self._list(segment.text, exact=exact, chains=False).mentions if owns else listing.mentions
        if _COPULA.search(before.text):
            earlier = self._list(before.text, exact=exact, chains=True).mentions
            mentions = earlier[-1:] or mentions
        if not mentions:
            return []
        chained = len(mentions) == 1 and bool(mentions[0].path)
        if chained and (alone or "order" in segment.word):
            mentions = tuple(Mention(node=node) for node in mentions[0].path)
        several = alone and not owns and not _COPULA.search(segment.text)
        first = blank if at.expanded is not None or at.path or at.stops else at
        made = [replace(first, expanded=mentions[0])]
        if owns and alone:
            claims = tuple(one for one in mentions[1:] if one != Mention(node=one.node))
            made = [replace(made[0], updated=Listing(mentions=claims, complete=False))] if claims else made
        if several:
            made += [replace(blank, expanded=one) for one in mentions[1:]]
        return made

    def _plain(self, number: int, text: str, *, fresh: bool) -> bool:
        """Read a line without marker words: an order of nodes, or one node with its values."""
        exact = any(token.kind == "node" for token in self.tokenizer.tokens(text, exact=True))
        tokens = self.tokenizer.tokens(text, exact=exact)
        if "|" in text and max(map(self._named, text.split("|"))) > 1:
            return False
        fresh = fresh or _heads_list(tokens)
        strange = [one for one in tokens if one.kind == "word" and one.text not in _MARKS]
        if not any(one.kind == "node" for one in tokens) or (strange and not (fresh and tokens[0].kind == "node")):
            return False
        listing = read_listing(tokens, self.algorithm, start=self.problem.start, chains=False)
        if not fresh:
            self.plain.append((number, listing))
            for mention in listing.mentions:
                self._append(LearnerStep(line=number, expanded=mention))
            return True
        first, *rest = listing.mentions
        if strange or rest:
            self.partly.append(number)
        claims = () if strange else tuple(one for one in rest if one != Mention(node=one.node))
        updated = Listing(mentions=claims, complete=False) if claims else None
        self._append(LearnerStep(line=number, expanded=first, updated=updated))
        return True

    def _list(self, text: str, *, exact: bool, chains: bool) -> Listing:
        return read_text(self.tokenizer, text, self.algorithm, start=self.problem.start, exact=exact, chains=chains)

    def _lists_without_name(self) -> None:
        """Read lines of bare nodes, the first with the start alone and others with several, as OPEN line by line."""
        if len(self.plain) < 2 or any(step.expanded is None or step.opened or step.added for step in self.steps):
            return
        if sum(len(listing.mentions) for _, listing in self.plain) != len(self.steps):
            return
        first = self.plain[0][1].mentions
        several = any(len(listing.mentions) > 1 for _, listing in self.plain[1:])
        if len(first) != 1 or first[0].node != self.problem.start or not several:
            return
        last = self.steps[-1]
        self.steps = [LearnerStep(line=number, opened=listing) for number, listing in self.plain]
        self.steps[-1] = replace(self.steps[-1], path=last.path, path_cost=last.path_cost, stops=last.stops)
        self.lists, self.verbs = len(self.steps), 0

    def _lone_closed(self) -> None:
        """Read a text that is nothing but one list of visited nodes as the order of expansion."""
        if len(self.steps) != 1:
            return
        (step,) = self.steps
        if step.closed and not (step.opened or step.expanded or step.added) and len(step.closed.mentions) > 1:
            self.steps = [LearnerStep(line=step.line, expanded=Mention(node=one.node)) for one in step.closed.mentions]
            self.steps[-1] = replace(self.steps[-1], path=step.path, path_cost=step.path_cost, stops=step.stops)
            self.lists = 0


def _heads_list(tokens: list[Token]) -> bool:
    """Return whether a node is followed by a list of its own: "A -> B, C" or "A: B 4, C 1"."""
    kinds = [token.kind for token in tokens]
    if kinds[:1] != ["node"] or len(tokens) < 3 or tokens[2].kind not in {"node", "left"}:
        return False
    if tokens[1].kind == "arrow":
        return "sep" in kinds and kinds.count("arrow") == 1
    return tokens[1].text in {":", "="}


def _numbers(tokenizer: Tokenizer, text: str) -> list[Fraction]:
    return [token.value for token in tokenizer.tokens(text) if token.kind == "num" and token.value is not None]


def _chain(listing: Listing) -> tuple[str, ...]:
    if listing.mentions and listing.mentions[0].path:
        return listing.mentions[0].path
    return tuple(one.node for one in listing.mentions)


def _empty(text: str) -> bool:
    plain = re.sub(r"^\W*\bis\b", "", text.strip().strip(":=：. ,;").casefold()).strip()
    return plain in words()["empty"] or bool(plain) and not plain.strip("{}[]() ")
