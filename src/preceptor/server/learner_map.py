"""One learner's concept map: what the material says in each box, what the tutor thinks of the learner on its edge."""

from __future__ import annotations

from html import escape

from preceptor.concepts.drawing import BoxMark, draw_map
from preceptor.concepts.teaching_order import teaching_order
from preceptor.domain.concept import CONFIRMED, EXPLAINED, TAUGHT, Concept
from preceptor.server.memory_labels import CLAIM_SIGNS, CLAIM_WORDS, confidence_words
from preceptor.tutoring.memory_views import BeliefView, LearnerMap

_COLOURS = {"understands": "--right", "struggles": "--unsure"}
_HEADS = ("Layer", "Concept", "The material", "What your tutor thinks", "Builds on")
_MARK_WORDS = {"understands": "✓ going well", "struggles": "↻ another look"}


def learner_map_title(held: LearnerMap) -> str:
    """Return what to see in the drawing."""
    concepts = held.concepts
    if not concepts.concepts:
        return "You have not worked on any concept of this map yet."
    layers = len(teaching_order(concepts).layers)
    n = len(concepts.concepts)
    thought = sum(one in concepts.by_id for one in held.beliefs)
    about = "of none your tutor thinks anything yet" if not thought else f"of {thought} your tutor has a picture"
    return (
        f"{n} concept{'' if n == 1 else 's'} in {layers} layer{'' if layers == 1 else 's'}, what comes first at the "
        f"top; {about}."
    )


def learner_map_svg(held: LearnerMap) -> str:
    """Return the map as an inline SVG."""
    marks = {
        concept_id: BoxMark(words=_MARK_WORDS[one.claim], colour=_COLOURS[one.claim])
        for concept_id, one in held.beliefs.items()
        if one.claim in _COLOURS
    }
    return draw_map(held.concepts, marks=marks, title=learner_map_title(held))


def learner_map_table(held: LearnerMap, *, calibrated: bool) -> str:
    """Return the same facts as an HTML table, the two numbers in two columns.

    Args:
        held: The map.
        calibrated: Whether confidence may be said as a number.
    """
    concepts = held.concepts
    rows = "".join(
        f'<tr><td>{layer}</td><th scope="row">{escape(one.name)}</th><td>{_material(one)}</td>'
        f"<td>{escape(_thought(held.beliefs.get(one.concept_id), calibrated=calibrated))}</td>"
        f"<td>{escape(', '.join(below.name for below in concepts.prerequisites(one.concept_id)))}</td></tr>"
        for layer, ids in enumerate(teaching_order(concepts).layers, start=1)
        for one in (concepts.by_id[concept_id] for concept_id in ids)
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    caption = escape(learner_map_title(held))
    return f"<table><caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _material(one: Concept) -> str:
    if one.readiness >= TAUGHT:
        words = "you or your instructor explained it" if one.notes else "explained by a person"
    elif one.readiness >= CONFIRMED:
        words = "explained, and confirmed by a check"
    else:
        words = "explained in a file" if one.readiness >= EXPLAINED else "named only"
    return f"{words} ({one.readiness:.2f})"


def _thought(belief: BeliefView | None, *, calibrated: bool) -> str:
    if belief is None:
        return "nothing yet"
    sure = confidence_words(belief, calibrated=calibrated) or f"place {belief.rank} of surest first"
    return f"{CLAIM_SIGNS[belief.claim]} {CLAIM_WORDS[belief.claim]} ({sure})"
