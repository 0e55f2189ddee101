"""The distiller role played by a language model: an admitted turn in words that belong to no problem (REAT, eq. 7)."""

from __future__ import annotations

from preceptor.domain.observation import ReadingStatus
from preceptor.errors import ModelOutputError
from preceptor.experience.abstract_text import Surroundings, surroundings_of
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.distiller import AdmittedTurn, Distilled
from preceptor.experience.llm_review import record_text
from preceptor.experience.llm_value import ValueOutput, require_abstract
from preceptor.experience.mentor import Revision
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings


class LlmDistiller:
    """A distiller that asks a language model and refuses words of the problem or the learner."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("distiller")

    async def distil(self, admitted: AdmittedTurn) -> Distilled | None:
        """Return the value; `None` where the learner was not read: nothing is known then of what it helped with.

        Raises:
            ModelError: The model failed, said no strategy, or left something of problem or learner in its words.
        """
        turn = admitted.turn
        if turn.observation.reading.status is ReadingStatus.UNREAD:
            return None
        answer = await self._model.structured(self.render(admitted), ValueOutput)
        value = answer.output.value()
        if not value.applied_strategy:
            raise ModelOutputError(f"{self._model.engine} distilled nothing")
        require_abstract(value.texts(), "distiller", around_turn(turn))
        return Distilled(value=value, engine=self._model.engine, usage=answer.usage)

    def render(self, admitted: AdmittedTurn) -> RenderedPrompt:
        """Return the prompt of an admitted turn: the difficulty, the dialogue, the reply, the mentor's notes."""
        turn = admitted.turn
        return self._prompt.render(
            {
                "difficulty": admitted.sentence,
                "history": history_text(turn.context.history),
                "observation": record_text(turn),
                "utterance": turn.context.utterance,
                "reply": turn.reply,
                "notes": _notes(admitted.revision),
            }
        )


def around_turn(turn: ReviewedTurn) -> Surroundings:
    """Return what must not be carried over from the dialogue up to this turn."""
    context = turn.context
    learner = [*(entry.learner for entry in context.history), context.utterance]
    tutor = [*(entry.tutor for entry in context.history if entry.tutor), turn.reply]
    return surroundings_of(context.problem, learner, tutor)


def _notes(revision: Revision | None) -> str:
    if revision is None:
        return ""
    named = (
        ("template", (revision.template,)),
        ("note", revision.strategy_notes),
        ("pitfall", revision.pitfalls),
        ("if the struggle goes on", (revision.struggle_handling,)),
        ("kind", (revision.strategy.value,)),
    )
    return "\n".join(f"{name}: {text}" for name, texts in named for text in texts if text)


def open_llm_distiller(settings: Settings, redactor: Redactor | None = None) -> LlmDistiller:
    """Return the distiller on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmDistiller(open_model(settings, "distiller", redactor))
