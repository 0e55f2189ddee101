"""The builtin distiller: says an admitted turn in the words of `teaching_words`, which belong to no problem."""

from __future__ import annotations

from dataclasses import replace

from preceptor.domain.experience import ExperienceValue
from preceptor.domain.observation import ReadingStatus
from preceptor.experience.abstract_text import find_faults
from preceptor.experience.distiller import AdmittedTurn, Distilled
from preceptor.experience.mentor import Revision
from preceptor.experience.teaching_account import describe_value, strategy_of


class BuiltinDistiller:
    """Distils by tables; no model. A turn that was not read is dropped."""

    async def distil(self, admitted: AdmittedTurn) -> Distilled | None:
        """See `Distiller.distil`."""
        return self.distil_now(admitted)

    def distil_now(self, admitted: AdmittedTurn) -> Distilled | None:
        """Return the value of an admitted turn; `None`: the learner was not read, or the reply was not observed."""
        turn, revision = admitted.turn, admitted.revision
        if turn.observation.reading.status is ReadingStatus.UNREAD or turn.evidence is None:
            return None
        strategy = revision.strategy if revision else strategy_of(turn.observation, turn.evidence)
        value = describe_value(
            turn, admitted.critique, strategy, sentence=admitted.sentence, original=admitted.original_critique
        )
        return Distilled(value=_with_mentor(value, revision))


def _with_mentor(value: ExperienceValue, revision: Revision | None) -> ExperienceValue:
    """Return the value with what a model's mentor wrote, where that is free of numbers and names."""
    if revision is None or revision.engine == "builtin":
        return value
    template = revision.template if revision.template and not find_faults(revision.template) else ""
    pitfalls = tuple(text for text in revision.pitfalls if not find_faults(text))
    handling = revision.struggle_handling
    return replace(
        value,
        response_template=template or value.response_template,
        undesirable_behaviours=pitfalls or value.undesirable_behaviours,
        struggle_handling=handling if handling and not find_faults(handling) else value.struggle_handling,
    )
