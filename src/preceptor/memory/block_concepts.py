"""Which concepts of the subject's map a block shows: the question's own, what they build on, then the hubs."""

from __future__ import annotations

from threading import Lock

from preceptor.concepts.centrality import centrality
from preceptor.concepts.readiness import map_header, map_line
from preceptor.domain.concept import ConceptMap
from preceptor.domain.token_estimate import cut_to_tokens, estimate_tokens
from preceptor.settings import MemorySettings

HELD_MAPS = 32
"""Orders kept in memory. (chosen: two maps a held subject)"""


class ConceptLines:
    """Lines of maps; the order of a map is found once."""

    def __init__(self, settings: MemorySettings) -> None:
        """Keep how many lines of which length are wanted."""
        self._settings = settings
        self._lock = Lock()
        self._orders: dict[int, tuple[ConceptMap, str, tuple[str, ...]]] = {}

    def lines(self, concepts: ConceptMap, routed: tuple[str, ...]) -> tuple[str, ...]:
        """Return the lines for one question, the most telling first.

        Args:
            concepts: The map, with what the learner taught laid over it.
            routed: Concepts the question is about, the surest first.
        """
        wanted = dict.fromkeys(one for one in routed if one in concepts.by_id)
        for concept_id in tuple(wanted):
            wanted |= dict.fromkeys(one.concept_id for one in concepts.prerequisites(concept_id))
        wanted |= dict.fromkeys(one.concept_id for one in concepts.concepts if one.notes)
        wanted |= dict.fromkeys(self._order(concepts)[1])
        chosen = list(wanted)[: self._settings.block_map_lines]
        return tuple(_cut(map_line(concepts, one), self._settings.block_line_tokens) for one in chosen)

    def header(self, concepts: ConceptMap) -> str:
        """Return the line above a map; empty for an empty map."""
        return self._order(concepts)[0]

    def _order(self, concepts: ConceptMap) -> tuple[str, tuple[str, ...]]:
        """Return a map's header and its concepts, the hubs first."""
        with self._lock:
            held = self._orders.get(id(concepts))
            if held is not None and held[0] is concepts:
                return held[1], held[2]
        rank = centrality(concepts)
        order = tuple(sorted(rank, key=lambda one: (-rank[one], one)))
        header = map_header(concepts) if concepts.concepts else ""
        with self._lock:
            while len(self._orders) >= HELD_MAPS:
                self._orders.pop(next(iter(self._orders)))
            self._orders[id(concepts)] = (concepts, header, order)
        return header, order


def _cut(line: str, most: int) -> str:
    """Cut the gist, never what was taught or what the concept builds on."""
    places = [place for mark in (" [taught:", " (builds on:") if (place := line.find(mark)) >= 0]
    end = min(places, default=len(line))
    return cut_to_tokens(line[:end], max(most - estimate_tokens(line[end:]), most // 3)) + line[end:]
