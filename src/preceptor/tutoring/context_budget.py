"""How much of each memory fits into one prompt. Unused shares flow on to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from preceptor.domain.token_estimate import estimate_tokens as estimate_tokens
from preceptor.pedagogy.tutor import ExperienceAdvice
from preceptor.settings import TutoringSettings


@dataclass(frozen=True, kw_only=True)
class Context:
    """The three texts that go into the prompt, cut to their shares."""

    memory: str
    course: str
    experience: str
    tokens: int
    """Estimated tokens of all three."""


def fit_advice(advice: Sequence[ExperienceAdvice], kept: str) -> tuple[ExperienceAdvice, ...]:
    """Return what is left of the advice after its text was cut; what lost all but its source is left out.

    Args:
        advice: Best first.
        kept: What `fit` kept of `advice_text(advice)`.
    """
    left = len(kept.splitlines())
    found: list[ExperienceAdvice] = []
    for one in advice:
        lines = one.text.splitlines()
        room = min(left - 1, len(lines))
        if room < 1:
            break
        found.append(replace(one, text="\n".join(lines[:room])))
        left -= room + 1
    return tuple(found)


def advice_text(advice: Sequence[ExperienceAdvice]) -> str:
    """Return advice as lines: each entry's source, then its text."""
    return "\n".join(f"{one.source}\n{one.text}" for one in advice)


def fit(*, memory: str, course: str, experience: str, settings: TutoringSettings) -> Context:
    """Cut the texts to their shares, whole lines only; what one leaves unused the next may use."""
    spare = 0
    kept: list[str] = []
    for text, share in (
        (memory, settings.memory_tokens),
        (course, settings.course_tokens),
        (experience, settings.experience_tokens),
    ):
        part, used = _whole_lines(text, share + spare)
        spare += share - used
        kept.append(part)
    return Context(
        memory=kept[0], course=kept[1], experience=kept[2], tokens=sum(estimate_tokens(part) for part in kept)
    )


def _whole_lines(text: str, budget: int) -> tuple[str, int]:
    used = 0
    lines: list[str] = []
    for line in text.splitlines():
        cost = estimate_tokens(line + "\n")
        if used + cost > budget:
            break
        lines.append(line)
        used += cost
    return "\n".join(lines), used
