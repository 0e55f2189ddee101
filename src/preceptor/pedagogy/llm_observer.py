"""The observer role with a language model for what cannot be computed: feelings, intents and words for a difficulty.

Whatever is arithmetic comes from the builtin observer and stays as it is. A model that fails changes nothing. Offline,
where the reply is known, the same observer records what the reply does (REAT, equation 3 with r_t).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.domain.observation import Observation
from preceptor.domain.tutor_evidence import Behaviour, TutorEvidence, TutorMove
from preceptor.errors import ModelError
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text, reading_text, state_text
from preceptor.pedagogy.observer import Observer
from preceptor.pedagogy.reply_observer import ReplyObserver
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings

_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}")
"""A capitalised word inside a sentence."""
_WORD = re.compile(r"[A-Za-z]+")
_NO_MISTAKE = frozenset({ErrorType.NO_ERROR, ErrorType.NOT_APPLICABLE})


class ObservationOutput(BaseModel):
    """What the observer model answers: the descriptions first, the tags that follow from them after."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    error_detail: Annotated[str, Field(max_length=200)]
    """The mistake in general words, without numbers, names or things from the problem; empty if there is none."""
    struggle_reason: Annotated[str, Field(max_length=200)]
    """Why the learner is held up, in the same general words; empty if nothing shows it."""
    emotion: Emotion
    """How the learner sounds in this message."""
    intent: Intent
    """What the learner is doing in this message."""
    error_type: ErrorType
    """The kind of the mistake described above."""
    struggle_status: StruggleStatus
    """How this message stands to those before it."""


class ReplyOutput(BaseModel):
    """What the observer model answers about a reply: what happened first, what it was after."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    summary: Annotated[str, Field(max_length=400)]
    """What happened between learner and tutor, in general words, without judging."""
    behaviours: Annotated[list[Behaviour], Field(max_length=len(Behaviour))]
    """Everything that the reply does."""
    move: TutorMove
    """The kind of the reply."""
    meaningful: bool
    """Whether the learner said something about the matter and the reply answers it."""


class LlmObserver:
    """An observer that asks a language model for the state tags, on top of a computed observation."""

    def __init__(self, model: LanguageModel, *, base: Observer, reply_base: ReplyObserver | None = None) -> None:
        """Bind the observer.

        Args:
            model: Plays the role.
            base: Computes what can be computed of an utterance.
            reply_base: Records a reply where the model fails; `None`: the failure is raised.
        """
        self._model = model
        self._base = base
        self._reply_base = reply_base
        self._prompt = load_prompt("observer")
        self._reply_prompt = load_prompt("reply_observer")

    async def observe(self, turn: TurnContext) -> Observation:
        """Return the computed observation with the model's tags; the computed tags where the model failed."""
        computed = await self._base.observe(turn)
        prompt = self._prompt.render(
            {
                "problem": turn.problem.text,
                "solution": turn.problem.solution or "",
                "history": history_text(turn.history),
                "reading": reading_text(computed),
                "utterance": turn.utterance,
            }
        )
        try:
            answer = await self._model.structured(prompt, ObservationOutput)
        except ModelError as error:
            return replace(computed, engine=f"{computed.engine} ({self._model.engine}: {type(error).__name__})")
        said = answer.output
        return replace(
            computed,
            state=_state(said, computed),
            error_detail=_general(said.error_detail, turn) or computed.error_detail,
            struggle_reason=_general(said.struggle_reason, turn) or computed.struggle_reason,
            engine=self._model.engine,
            usage=answer.usage,
        )

    async def observe_reply(self, turn: TurnContext, observation: Observation, reply: str) -> TutorEvidence:
        """Return the record of `reply`; the computed one where the model failed and there is one.

        Raises:
            ModelError: The model failed and nothing computes this record.
        """
        prompt = self._reply_prompt.render(
            {
                "problem": turn.problem.text,
                "solution": turn.problem.solution or "",
                "history": history_text(turn.history),
                "observation": f"{reading_text(observation)}\n{state_text(observation)}",
                "utterance": turn.utterance,
                "reply": reply,
            }
        )
        try:
            answer = await self._model.structured(prompt, ReplyOutput)
        except ModelError as error:
            if self._reply_base is None:
                raise
            computed = await self._reply_base.observe_reply(turn, observation, reply)
            return replace(computed, engine=f"{computed.engine} ({self._model.engine}: {type(error).__name__})")
        said = answer.output
        return TutorEvidence(
            move=said.move,
            meaningful=said.meaningful,
            skipped_because="" if said.meaningful else "model",
            behaviours=tuple(behaviour for behaviour in Behaviour if behaviour in said.behaviours),
            summary=_general(said.summary, turn),
            engine=self._model.engine,
            usage=answer.usage,
        )


def _state(said: ObservationOutput, computed: Observation) -> LearnerState:
    """Return the model's tags, except where they contradict what was computed."""
    wrong = any(judged.mark == "wrong" for judged in computed.claims)
    contradicted = (wrong and said.error_type in _NO_MISTAKE) or (
        computed.solved and said.error_type not in _NO_MISTAKE
    )
    repeated = computed.repeats > 0
    return LearnerState(
        emotion=said.emotion,
        intent=said.intent,
        error_type=computed.state.error_type if contradicted else said.error_type,
        struggle_status=computed.state.struggle_status if repeated else said.struggle_status,
    )


def _general(text: str, turn: TurnContext) -> str:
    """Return a description if it holds no number and no name of this problem, else nothing."""
    if any(letter.isnumeric() for letter in text):
        return ""
    known = set(_WORD.findall(f"{turn.problem.text} {turn.utterance}"))
    return "" if any(name in known for name in _NAME.findall(text)) else text.strip()


def open_llm_observer(
    settings: Settings, base: Observer, redactor: Redactor | None = None, *, reply_base: ReplyObserver | None = None
) -> LlmObserver:
    """Return the observer on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmObserver(open_model(settings, "observer", redactor), base=base, reply_base=reply_base)
