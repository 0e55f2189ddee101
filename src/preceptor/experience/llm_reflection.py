"""Observer, critic and mentor in one call of a language model: the ablation without three roles (REAT, Figure 6).

It sees the raw turn and no computed observation, which is the point of the ablation; caps stay in code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.learner_state import LearnerState
from preceptor.domain.rubric import Critique
from preceptor.domain.usage import Usage
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.llm_critic import FlagsOutput, JudgementOutput, criteria_order, judged, with_opinion
from preceptor.experience.llm_mentor import RevisionOutput, revision_of
from preceptor.experience.llm_value import one_line
from preceptor.experience.mentor import Revision
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text
from preceptor.pedagogy.llm_observer import ObservationOutput
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings


class ReflectionOutput(BaseModel):
    """What the model answers: the learner, the faults, the scores, the better reply."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    learner: ObservationOutput
    faults: FlagsOutput
    judgements: Annotated[list[JudgementOutput], Field(min_length=1, max_length=8)]
    revision_wanted: bool
    better: RevisionOutput


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """What one call says about a turn."""

    state: LearnerState
    error_detail: str
    struggle_reason: str
    critique: Critique
    """Of the reply as it was given, caps applied."""
    revision: Revision | None
    """`None`: nothing better was said."""
    engine: str
    usage: Usage | None = None


class LlmReflection:
    """Looks back on a turn in one call."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("reflection")

    async def reflect(self, turn: ReviewedTurn) -> Reflection:
        """Return state, critique and revision of one turn; `turn.observation` is not shown to the model.

        Raises:
            ModelError: The model failed or answered out of form; nothing is scored then.
        """
        answer = await self._model.structured(self.render(turn), ReflectionOutput)
        said, engine = answer.output, self._model.engine
        made = judged(said.judgements, said.faults, turn, order=criteria_order(None), engine=engine)
        revision = revision_of(said.better, engine=engine, usage=None)
        return Reflection(
            state=LearnerState(
                emotion=said.learner.emotion,
                intent=said.learner.intent,
                error_type=said.learner.error_type,
                struggle_status=said.learner.struggle_status,
            ),
            error_detail=one_line(said.learner.error_detail),
            struggle_reason=one_line(said.learner.struggle_reason),
            critique=with_opinion(made, said.revision_wanted, answer.usage),
            revision=revision if revision.reply and revision.reply != one_line(turn.reply) else None,
            engine=engine,
            usage=answer.usage,
        )

    def render(self, turn: ReviewedTurn) -> RenderedPrompt:
        """Return the prompt: the raw turn and its history."""
        context = turn.context
        return self._prompt.render(
            {
                "problem": context.problem.text,
                "solution": context.problem.solution or "",
                "history": history_text(context.history),
                "utterance": context.utterance,
                "reply": turn.reply,
            }
        )


def open_llm_reflection(settings: Settings, redactor: Redactor | None = None) -> LlmReflection:
    """Return the reflection on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmReflection(open_model(settings, "reflection", redactor))
