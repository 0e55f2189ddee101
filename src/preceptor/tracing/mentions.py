"""Lists of nodes with their values, as learners write them: B(7), B:7, B 3+4=7, (B,7,S), B(g=3,h=4,f=7), S-A-B."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from preceptor.tracing.learner_trace import Listing, Mention
from preceptor.tracing.lexicon import Token, Tokenizer
from preceptor.tracing.problem import Algorithm

_FILLER = {
    "with", "to", "is", "are", "gets", "get", "has", "at", "of", "the", "now", "node", "nodes", "its", "it",
    "on", "in", "we", "i", "mit", "auf", "ist", "sind", "den", "die", "der", "das", "knoten", "con", "el",
    "la", "los", "nodo", "nodos", "es", "value", "new", "next", "'", '"', "`", ".", "!", "*", "(", ")", "因为",
    "为", "是", "节点", "_", "’", "‘", "“", "”", "only", "just", "first", "both", "also", "but", "list", "set",
    "then", "there", "nothing", "was", "were", "will", "be", "not", "no",
}  # fmt: skip
"""Words that may stand in a list without making it partly unread."""


def read_listing(tokens: list[Token], algorithm: Algorithm, *, start: str, chains: bool) -> Listing:
    """Return the nodes of a list with their values.

    Args:
        tokens: Of one list.
        algorithm: Says what a value without a name means: g, h or f; nothing for breadth- and depth-first.
        start: The start node.
        chains: A chain that begins at the start (S-A-B) is one entry, written as its path.
    """
    reader = _Reader(algorithm, start, chains)
    reader.read(tokens, depth=0)
    return Listing(mentions=tuple(_merged(reader.mentions)), complete=reader.complete)


def read_text(
    tokenizer: Tokenizer, text: str, algorithm: Algorithm, *, start: str, exact: bool, chains: bool
) -> Listing:
    """Return the nodes in a text."""
    return read_listing(tokenizer.tokens(text, exact=exact), algorithm, start=start, chains=chains)


class _Reader:
    def __init__(self, algorithm: Algorithm, start: str, chains: bool) -> None:
        self.algorithm, self.start, self.chains = algorithm, start, chains
        self.mentions: list[Mention] = []
        self.complete = True

    def read(self, tokens: list[Token], depth: int) -> None:
        i = 0
        while i < len(tokens):
            token = tokens[i]
            if token.kind == "left":
                end = _close(tokens, i)
                inner = tokens[i + 1 : end]
                if token.text in "(<" or depth:
                    self._group(inner, depth)
                else:
                    self.read(inner, depth + 1)
                i = end + 1
            elif token.kind == "node":
                i = self._mention(tokens, i)
            else:
                if token.kind in {"num", "label", "parent"} or (
                    token.kind == "word" and token.text.casefold() not in _FILLER
                ):
                    self.complete = False
                i += 1

    def _group(self, inner: list[Token], depth: int) -> None:
        """Read a bracket that follows no node: one entry such as (B,7,S) or (7,B), or a list."""
        nodes = [i for i, token in enumerate(inner) if token.kind == "node"]
        flat = not any(token.kind == "left" for token in inner)
        items = 1 + sum(token.kind == "sep" for token in inner)
        plain = len([token for token in inner if token.kind in {"node", "num", "inf"}])
        if flat and nodes and len(nodes) <= 2 and plain > len(nodes) and (len(nodes) == 1 or items == plain):
            node = inner[nodes[0]].text
            others = [token for i, token in enumerate(inner) if i != nodes[0]]
            self.mentions.append(self._annotated(Mention(node=node), others))
        else:
            self.read(inner, depth + 1)

    def _mention(self, tokens: list[Token], i: int) -> int:
        """Read the entry that begins at a node; return the index after it."""
        chain = [tokens[i].text]
        i += 1
        while i + 1 < len(tokens) and _joins(tokens[i]) and tokens[i + 1].kind == "node":
            chain.append(tokens[i + 1].text)
            i += 2
        if self.chains and len(chain) > 1 and chain[0] == self.start:
            mention = Mention(node=chain[-1], path=tuple(chain), parent=chain[-2])
        else:
            self.mentions += [Mention(node=node) for node in chain[:-1]]
            mention = Mention(node=chain[-1])
        notes: list[Token] = []
        while i < len(tokens):
            token = tokens[i]
            if token.kind == "left":
                end = _close(tokens, i)
                if not _annotates(tokens[i + 1 : end]):
                    break
                notes += [*tokens[i + 1 : end], Token(kind="sep", text=",")]
                i = end + 1
            elif token.kind == "parent" and i + 1 < len(tokens) and tokens[i + 1].kind == "node":
                notes += tokens[i : i + 2]
                i += 2
            elif token.kind == "label" or (token.kind == "sep" and _label_next(tokens, i)):
                notes.append(token)
                i += 1
            elif token.kind in {"num", "inf", "op"} or (token.kind == "word" and token.text.casefold() in _FILLER):
                notes.append(token)
                i += 1
            else:
                break
        self.mentions.append(self._annotated(mention, notes))
        return i

    def _annotated(self, mention: Mention, notes: list[Token]) -> Mention:
        """Return a mention with the values and the parent in its notes."""
        for i, token in enumerate(notes):
            if token.kind == "node":
                mention = replace(mention, parent=token.text)
            elif token.kind == "inf":
                mention = replace(mention, unreached=True)
            elif token.kind == "word" and token.text.casefold() not in _FILLER:
                self.complete = self.complete and i > 0
        bare: list[Fraction] = []
        for label, expression in _expressions(notes):
            values = _sides(expression)
            if not values:
                continue
            last = sum(values[-1], Fraction(0))
            summed = next((side for side in values if len(side) == 2), None)
            target = label or ("f" if summed and self.algorithm is Algorithm.ASTAR else "")
            if target == "f" and summed and self.algorithm is Algorithm.ASTAR:
                mention = replace(mention, g=summed[0], h=summed[1])
            if target:
                mention = _with_value(mention, self._named(target), last)
            else:
                bare.append(last)
        return self._bare(mention, bare)

    def _bare(self, mention: Mention, bare: list[Fraction]) -> Mention:
        if self.algorithm in {Algorithm.BFS, Algorithm.DFS}:
            return mention
        if len(bare) == 1:
            name = {Algorithm.ASTAR: "f", Algorithm.GREEDY: "h"}.get(self.algorithm, "g")
            alone = mention.g is None and mention.h is None and mention.f is None
            if getattr(mention, name) is None:
                mention = replace(_with_value(mention, name, bare[0]), bare=alone and name == "f")
            return mention
        if len(bare) == 3 and self.algorithm is Algorithm.ASTAR:
            return replace(mention, g=bare[0], h=bare[1], f=bare[2])
        return mention

    def _named(self, label: str) -> str:
        """Return the value meant: f is g without a heuristic, and h where only h counts."""
        if label == "f" and self.algorithm is not Algorithm.ASTAR:
            return "h" if self.algorithm is Algorithm.GREEDY else "g"
        return label


def _with_value(mention: Mention, name: str, value: Fraction) -> Mention:
    if name == "g":
        return replace(mention, g=value)
    return replace(mention, h=value) if name == "h" else replace(mention, f=value)


def _merged(mentions: list[Mention]) -> list[Mention]:
    """Join a node to its values where they are written apart: "B, f(B) = 7"."""
    merged: list[Mention] = []
    for mention in mentions:
        if merged and merged[-1] == Mention(node=mention.node) != mention:
            merged[-1] = mention
        else:
            merged.append(mention)
    return merged


def _joins(token: Token) -> bool:
    return token.kind == "arrow" or (token.kind == "op" and token.text in "-–—")


def _label_next(tokens: list[Token], i: int) -> bool:
    """Return whether a separator stands before another value of the same node: "B g=3, h=4"."""
    return i + 1 < len(tokens) and tokens[i + 1].kind == "label"


def _annotates(inner: list[Token]) -> bool:
    """Return whether a bracket after a node holds its values or parent, not other entries."""
    nested = any(token.kind == "left" for token in inner)
    return not nested and sum(token.kind == "node" for token in inner) <= 1


def _close(tokens: list[Token], start: int) -> int:
    """Return the index of the bracket that closes the one at `start`, or the end."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += (tokens[i].kind == "left") - (tokens[i].kind == "right")
        if depth == 0:
            return i
    return len(tokens)


def _expressions(notes: list[Token]) -> list[tuple[str, list[Token]]]:
    """Return (label, tokens) of each value written: cut at labels and separators."""
    found: list[tuple[str, list[Token]]] = [("", [])]
    for i, token in enumerate(notes):
        if token.kind == "label":
            joined = found[-1][1] and found[-1][1][-1].text in {"=", "+"}
            if joined and token.text != "f":
                continue
            if not (found[-1][0] and not any(one.kind == "num" for one in found[-1][1])):
                found.append((token.text, []))
        elif token.kind in {"sep", "node", "parent"}:
            found.append(("", []))
        elif token.kind == "num" and found[-1][1] and found[-1][1][-1].kind == "num":
            found.append(("", [token]))
        elif token.kind in {"num", "op"}:
            found[-1][1].append(token)
        elif token.kind == "word" and token.text not in {"g", "h"} and i and found[-1][1]:
            found.append(("", []))
    return [one for one in found if one[1]]


def _sides(tokens: list[Token]) -> list[list[Fraction]]:
    """Return the summands of each side of an equation; empty where a number is not one."""
    sides: list[list[Fraction]] = [[]]
    for token in tokens:
        if token.kind == "num":
            if token.value is None:
                return []
            sides[-1].append(token.value)
        elif token.text in {"=", ":", "："}:
            sides.append([])
    return [side for side in sides if side]
