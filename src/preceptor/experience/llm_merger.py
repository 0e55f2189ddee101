"""The merger role played by a language model: two experiences become one that holds for both (REAT, equation 12)."""

from __future__ import annotations

from pydantic import ConfigDict

from preceptor.domain.experience import Experience
from preceptor.errors import ModelOutputError
from preceptor.experience.llm_value import Sentence, ValueOutput, one_line, require_abstract, value_text
from preceptor.experience.repository_merger import Merge
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings


class MergeOutput(ValueOutput):
    """What the merger model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    sentence: Sentence
    """The difficulty that both describe, in one sentence that begins with "The learner"."""


class LlmMerger:
    """A merger that asks a language model; the state of the merged entry is that of the known one."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("merger")

    async def merge(self, known: Experience, candidate: Experience) -> Merge:
        """Return the merged words.

        Raises:
            ModelError: The model failed, said no difficulty, or left something of a problem in its words.
        """
        prompt = self._prompt.render({"first": _text(known), "second": _text(candidate)})
        answer = await self._model.structured(prompt, MergeOutput)
        value, sentence = answer.output.value(), one_line(answer.output.sentence)
        if not sentence or not value.applied_strategy:
            raise ModelOutputError(f"{self._model.engine} merged to nothing")
        require_abstract((sentence, *value.texts()), "merger")
        return Merge(state=known.state, sentence=sentence, value=value, engine=self._model.engine)


def _text(experience: Experience) -> str:
    return f"learner: {experience.sentence}\n{value_text(experience.value)}"


def open_llm_merger(settings: Settings, redactor: Redactor | None = None) -> LlmMerger:
    """Return the merger on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmMerger(open_model(settings, "merger", redactor))
