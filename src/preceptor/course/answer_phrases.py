"""What is said around sentences of a course: `answer_phrases.toml`, six languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from preceptor.course.sentences import is_worked
from preceptor.course.tutor_orders import find_orders
from preceptor.domain.passage import Passage, has_pages

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")
LONGEST_HEADING = 80
"""Characters of a heading that is named. (chosen)"""
_PAGE = {"en": "p. {}", "es": "p. {}", "fr": "p. {}", "de": "S. {}", "ar": "ص {}", "zh": "第{}页"}


def spoken_language(language: str) -> str:
    """Return the language of the phrases for a tag: its own where there are any, else English."""
    code = language.split("-")[0].lower()
    return code if code in LANGUAGES else "en"


def phrase(language: str, key: str, *, said: Sequence[str] = (), turn: int = 0, **slots: object) -> str:
    """Return a phrase, a variant that was not said yet where there is one.

    Args:
        language: Tag.
        key: Section of the file.
        said: The tutor's earlier replies.
        turn: Chooses among variants.
        slots: Fill the phrase.
    """
    variants = _phrases()[spoken_language(language)][key]
    order = [variants[(turn + place) % len(variants)] for place in range(len(variants))]
    fresh = next((one for one in order if not any(one in earlier for earlier in said)), order[0])
    return fresh.format(**slots) if slots else fresh


def place_of(passage: Passage, language: str) -> str:
    """Return where a passage stands, as people say it: file, page if it has pages, and nearest heading.

    A heading that gives orders or holds a result is left out: it would stand among the tutor's own words.
    """
    code = spoken_language(language)
    parts = [passage.document_name.rsplit("/", 1)[-1]]
    if has_pages(passage.document_name):
        parts.append(_PAGE[code].format(passage.page))
    heading = " ".join(passage.heading_path[-1].split()) if passage.heading_path else ""
    if (
        heading
        and len(heading) <= LONGEST_HEADING
        and not is_worked(heading)
        and not find_orders(passage.page, heading)
    ):
        parts.append(heading)
    return ("，" if code == "zh" else ", ").join(parts)


@cache
def _phrases() -> Mapping[str, Mapping[str, list[str]]]:
    text = (resources.files(__package__) / "answer_phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
