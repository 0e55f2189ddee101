"""The distiller role: from one admitted turn to words that belong to no problem and to no learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.experience import ExperienceValue
from preceptor.domain.rubric import Critique
from preceptor.domain.usage import Usage
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.mentor import Revision


@dataclass(frozen=True, kw_only=True)
class AdmittedTurn:
    """A turn whose reply passed the gate, as it was given or revised."""

    turn: ReviewedTurn
    """With the admitted reply and the observer's record of that reply."""
    critique: Critique
    """Of the admitted reply."""
    sentence: str
    """The abstract sentence of the difficulty: the key of the experience, made as a live turn makes its own."""
    revision: Revision | None = None
    """The revision that was admitted; `None`: the reply passed as it was given."""
    original: ReviewedTurn | None = None
    """The turn with the reply as it was given, where it was revised."""
    original_critique: Critique | None = None
    """Of the reply as it was given, where it was revised."""


@dataclass(frozen=True, kw_only=True)
class Distilled:
    """What a distiller makes of an admitted turn."""

    value: ExperienceValue
    engine: str = "builtin"
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""


class Distiller(Protocol):
    """Rewrites an admitted turn as v_e.

    Source: REAT, equation 7: problem-agnostic, with the snapshot of the error and the course of the struggle.
    """

    async def distil(self, admitted: AdmittedTurn) -> Distilled | None:
        """Return the value, or `None` where nothing can be learnt from the turn (the learner was not read).

        The validator of `abstract_text` decides afterwards; a value that names the problem is rejected whole.

        Raises:
            ModelError: The model behind it failed.
        """
        ...
