"""A map drawn as layers: our own SVG, with a table twin. Nothing is loaded from outside, colours are CSS variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from preceptor.concepts.centrality import centrality
from preceptor.concepts.readiness import readiness
from preceptor.concepts.teaching_order import TeachingOrder, teaching_order
from preceptor.domain.concept import EXPLAINED, TAUGHT, Concept, ConceptMap

BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 168, 44, 24, 64, 24
"""Sizes in pixels; GAP_Y lies between layers, where the lines run."""
ROW_GAP = 14
"""Between the rows of one layer."""
LABEL_WIDTH = 76
"""Left of the boxes, for "layer 1"."""
_MOST_IN_ROW = 5
"""A layer with more concepts is drawn in several rows. (chosen: five boxes fit the page at their own size)"""
_NAME_CHARS = 22
_COLOURS = {"taught": "--right", "explained": "--accent", "named": "--unsure"}
_MARKS = {"taught": "★", "explained": "●", "named": "○"}
_WORDS = {"taught": "taught by a person", "explained": "explained by a file", "named": "named only"}


@dataclass(frozen=True, kw_only=True)
class BoxMark:
    """What is thought of one learner on a concept: drawn on the box's edge, apart from what is said of the material."""

    words: str
    """With a sign, at most 24 characters."""
    colour: str
    """Name of a CSS variable, such as "--right"."""


def map_title(concepts: ConceptMap) -> str:
    """Return the sentence that says what to see in the drawing."""
    order = teaching_order(concepts)
    if not order.layers:
        return "This subject has no concepts yet."
    rank = centrality(concepts)
    hub = max(concepts.concepts, key=lambda one: rank[one.concept_id])
    built_on = f"most builds on {hub.name}" if concepts.edges else "none is known to build on another"
    n_gaps = sum(one.readiness < EXPLAINED for one in concepts.concepts)
    share = readiness(concepts).coverage or 0.0
    gaps = f"{n_gaps} named but not explained" if n_gaps else "none is left unexplained"
    return (
        f"{_counted(len(concepts.concepts), 'concept')} in {_counted(len(order.layers), 'layer')}, first at the top; "
        f"{built_on}. "
        f"The material explains {share:.0%} of the map, {gaps}. "
        "This is about the material, not a learner's mastery."
    )


def draw_map(concepts: ConceptMap, *, marks: Mapping[str, BoxMark] | None = None, title: str | None = None) -> str:
    """Return the map as one SVG element: layers from top to bottom, a line from each concept up to what it builds on.

    Every box says in words and by a mark what its band is; the page sets the variables `--surface`, `--text`,
    `--muted`, `--accent`, `--right` and `--unsure`, and light values stand in where it does not.

    Args:
        concepts: The map.
        marks: Drawn on the edge of boxes, by concept id.
        title: What to see, in a sentence; `None`: `map_title`.
    """
    order = teaching_order(concepts)
    places, tops, width, height = _places(order)
    circles = {one for cycle in order.cycles for one in cycle}
    lines = "".join(
        _line(places[edge.prerequisite_id], places[edge.concept_id], edge.weight) for edge in concepts.edges
    )
    bands = "".join(_band_of_layer(layer, top, bottom, width) for layer, (top, bottom) in enumerate(tops, start=1))
    held = marks or {}
    boxes = "".join(
        _box(one, places[one.concept_id], one.concept_id in circles)
        + _mark(held.get(one.concept_id), places[one.concept_id])
        for one in concepts.concepts
    )
    said = escape(map_title(concepts) if title is None else title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="map-title" class="concept-map"><title id="map-title">{said}</title>'
        f'{bands}<g fill="none" stroke="var(--muted, #5c6470)">{lines}</g>{boxes}</svg>'
    )


def map_table(concepts: ConceptMap, *, document_names: Mapping[str, str] | None = None) -> str:
    """Return the same facts as an HTML table; `document_names` says what to call documents instead of their ids."""
    names = document_names or {}
    order = teaching_order(concepts)
    rank = centrality(concepts)
    rows = "".join(
        f'<tr><td>{layer}</td><th scope="row">{escape(one.name)}</th><td>{_band(one)}</td>'
        f"<td>{rank[one.concept_id]:.3f}</td><td>{escape(_names(concepts, one))}</td>"
        f"<td>{escape(_pages(one, names))}</td></tr>"
        for layer, ids in enumerate(order.layers, start=1)
        for one in (concepts.by_id[concept_id] for concept_id in ids)
    )
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("Layer", "Concept", "Material", "Centrality", "Builds on", "Explained on")
    )
    caption = escape(map_title(concepts))
    return f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def map_text(concepts: ConceptMap) -> str:
    """Return the layers as plain lines for a terminal."""
    order = teaching_order(concepts)
    out = [map_title(concepts)]
    for layer, ids in enumerate(order.layers, start=1):
        out.append(f"\nLayer {layer}")
        for one in (concepts.by_id[concept_id] for concept_id in ids):
            below = _names(concepts, one)
            assumed = f"  (assumes {', '.join(one.assumes)})" if one.assumes else ""
            out.append(f"  {_MARKS[_band(one)]} {one.name}{'  <- ' + below if below else ''}{assumed}")
    for cycle in order.cycles:
        out.append(f"\nCircle: {', '.join(concepts.by_id[one].name for one in cycle)} build on each other")
    out.append("\n" + "  ".join(f"{_MARKS[band]} {words}" for band, words in _WORDS.items()))
    return "\n".join(out)


def _places(
    order: TeachingOrder,
) -> tuple[Mapping[str, tuple[int, int]], Sequence[tuple[int, int]], int, int]:
    """Return each concept's corner, each layer's top and bottom, and the drawing's width and height."""
    widest = max((min(len(layer), _MOST_IN_ROW) for layer in order.layers), default=1)
    inner = widest * BOX_WIDTH + (widest - 1) * GAP_X
    places: dict[str, tuple[int, int]] = {}
    layers: list[tuple[int, int]] = []
    top = MARGIN
    for layer in order.layers:
        y = top
        for start in range(0, len(layer), _MOST_IN_ROW):
            ids = layer[start : start + _MOST_IN_ROW]
            y = top + start // _MOST_IN_ROW * (BOX_HEIGHT + ROW_GAP)
            left = MARGIN + LABEL_WIDTH + (inner - len(ids) * BOX_WIDTH - (len(ids) - 1) * GAP_X) // 2
            for column, concept_id in enumerate(ids):
                places[concept_id] = (left + column * (BOX_WIDTH + GAP_X), y)
        layers.append((top, y + BOX_HEIGHT))
        top = y + BOX_HEIGHT + GAP_Y
    height = (layers[-1][1] if layers else MARGIN) + MARGIN
    return places, layers, 2 * MARGIN + LABEL_WIDTH + inner, height


def _band_of_layer(layer: int, top: int, bottom: int, width: int) -> str:
    """Return a layer's ground and name."""
    return (
        f'<rect x="8" y="{top - 12}" width="{width - 16}" height="{bottom - top + 24}" rx="10" '
        f'fill="var(--accent-soft, #e9eff9)" opacity="0.55"/>'
        f'<text x="{MARGIN}" y="{(top + bottom) // 2 + 4}" font-size="12" '
        f'fill="var(--muted, #5c6470)">layer {layer}</text>'
    )


def _line(upper: tuple[int, int], lower: tuple[int, int], weight: float) -> str:
    x1, y1 = upper[0] + BOX_WIDTH // 2, upper[1] + BOX_HEIGHT
    x2, y2 = lower[0] + BOX_WIDTH // 2, lower[1]
    bend = max(GAP_Y // 2, abs(y2 - y1) // 2)
    curve = f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"
    return f'<path d="{curve}" stroke-width="{min(3.0, 1 + 0.5 * (weight - 1)):g}"/>'


def _box(one: Concept, place: tuple[int, int], in_circle: bool) -> str:
    x, y = place
    band = _band(one)
    name = one.name if len(one.name) <= _NAME_CHARS else one.name[: _NAME_CHARS - 1] + "…"
    colour = f"var({_COLOURS[band]}, #2456b3)"
    note = f"{band}{', in a circle' if in_circle else ''}"
    hint = escape(f"{one.name}: {one.gist}" if one.gist else one.name)
    dash = ' stroke-dasharray="5 3"' if band == "named" else ""
    return (
        f'<g><title>{hint}</title><rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="10" '
        f'fill="var(--surface, #ffffff)" stroke="{colour}" stroke-width="2"{dash}/>'
        f'<text x="{x + BOX_WIDTH // 2}" y="{y + 19}" text-anchor="middle" font-size="13" '
        f'fill="var(--text, #1d2129)">{escape(name)}</text>'
        f'<text x="{x + BOX_WIDTH // 2}" y="{y + 35}" text-anchor="middle" font-size="11" '
        f'fill="var(--muted, #5c6470)">{_MARKS[band]} {note}</text></g>'
    )


def _mark(mark: BoxMark | None, place: tuple[int, int]) -> str:
    if mark is None:
        return ""
    width = 14 + 6 * len(mark.words)
    x, y = place[0] + (BOX_WIDTH - width) // 2, place[1] + BOX_HEIGHT - 4
    return (
        f'<g><rect x="{x}" y="{y}" width="{width}" height="18" rx="9" fill="var(--surface, #ffffff)" '
        f'stroke="var({mark.colour}, #2456b3)"/><text x="{x + width // 2}" y="{y + 13}" text-anchor="middle" '
        f'font-size="11" fill="var({mark.colour}, #2456b3)">{escape(mark.words)}</text></g>'
    )


def _band(one: Concept) -> str:
    if one.readiness >= TAUGHT:
        return "taught"
    return "explained" if one.readiness >= EXPLAINED else "named"


def _names(concepts: ConceptMap, one: Concept) -> str:
    return ", ".join(other.name for other in concepts.prerequisites(one.concept_id))


def _pages(one: Concept, names: Mapping[str, str]) -> str:
    return ", ".join(f"{names.get(place.document_id, place.document_id)} p. {place.page}" for place in one.evidence[:4])


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
