"""The value of an experience as a language model writes it, and the check that nothing of a problem is left in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.experience import ExperienceValue, Strategy
from preceptor.errors import ModelOutputError
from preceptor.experience.abstract_text import NOWHERE, Surroundings, find_faults

Sentence = Annotated[str, Field(max_length=300)]
Short = Annotated[list[Sentence], Field(max_length=6)]


class ValueOutput(BaseModel):
    """What helped with a difficulty, in words that belong to no problem and to no learner."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    triggering_difficulty: Sentence
    """The difficulty that called for it."""
    applied_strategy: Sentence
    """What the tutor did about it."""
    scaffolding_steps: Short
    """The steps of the help, in order."""
    response_template: Sentence
    """How such a reply can sound, gaps in square brackets."""
    premium_practice: Sentence
    """What made it good."""
    undesirable_behaviours: Short
    """Common pitfalls in this situation."""
    struggle_handling: Sentence
    """What to do where the struggle goes on."""
    strategy: Strategy
    """Which of these it is; other if none."""

    def value(self) -> ExperienceValue:
        """Return it as the domain keeps it, each text on one line."""
        return ExperienceValue(
            triggering_difficulty=one_line(self.triggering_difficulty),
            applied_strategy=one_line(self.applied_strategy),
            scaffolding_steps=lines(self.scaffolding_steps),
            response_template=one_line(self.response_template),
            premium_practice=one_line(self.premium_practice),
            undesirable_behaviours=lines(self.undesirable_behaviours),
            struggle_handling=one_line(self.struggle_handling),
            strategy=self.strategy,
        )


def value_text(value: ExperienceValue) -> str:
    """Return a value as plain lines for a prompt."""
    named = (
        ("difficulty", (value.triggering_difficulty,)),
        ("strategy", (value.applied_strategy,)),
        ("step", value.scaffolding_steps),
        ("template", (value.response_template,)),
        ("what made it good", (value.premium_practice,)),
        ("pitfall", value.undesirable_behaviours),
        ("if the struggle goes on", (value.struggle_handling,)),
        ("kind", (value.strategy.value,)),
    )
    return "\n".join(f"{name}: {text}" for name, texts in named for text in texts if text)


def require_abstract(texts: Sequence[str], role: str, around: Surroundings = NOWHERE) -> None:
    """Refuse a model's texts that hold something of a problem.

    Raises:
        ModelOutputError: A text holds it; the message names the kinds of fault, never the words.
    """
    kinds = sorted({fault.kind for text in texts for fault in find_faults(text, around)})
    if kinds:
        raise ModelOutputError(f"the {role}'s words are not abstract: {', '.join(kinds)}")


def one_line(text: str) -> str:
    """Return a text with single spaces."""
    return " ".join(text.split())


def lines(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that say something, each once and on one line."""
    return tuple(dict.fromkeys(line for line in map(one_line, texts) if line))
