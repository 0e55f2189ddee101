"""The tutor role played by a language model: one prompt, with and without anything retrieved (A3).

The reply is cut to three sentences and one question while it streams (`streamed_reply.py`). Whether it gives something
away is the guard's business.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.learner_state import Intent
from preceptor.domain.reply import ExperienceRole, Move, Reply, Rung
from preceptor.domain.usage import Usage
from preceptor.errors import ModelOutputError
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text, reading_text, state_text
from preceptor.pedagogy.streamed_reply import StreamedReply
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings

MAX_SENTENCES = 3
_NOTES = re.compile(
    r"\b(?:emotion|intent|error type|struggle|understood|difficulty|held up by|claim)\s*:|\bjudged by\b|\bhelp_level\b"
    r"|\b[A-Z][a-z]+_[A-Z][a-z]+\b|</?[a-z_]+>",
    re.IGNORECASE,
)
"""Labels of `llm_inputs.py`, names of tags, values of the state schema."""
_ASKS_FOR_HELP = frozenset({Intent.REQUEST_HINT, Intent.ASK_ANSWER})


class SmallReplyOutput(BaseModel):
    """What a model in this process answers: free text of such a model is of no use, and its numbers are wrong.

    Lengths stand in the patterns, because the library holds to a pattern and then no longer to a length beside it;
    no pattern allows what JSON must escape, because the library then refuses its own output.
    """

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    noticed: Annotated[str, Field(pattern=r'^[^0-9½⅓⅔¼¾<>{}\[\]:;*_#|=+"\\\n]{3,100}$')]
    """What the learner just did, in a few words without numbers."""
    reply: Annotated[str, Field(pattern=r'^[^0-9½⅓⅔¼¾<>{}\[\]:;?*_#|=+"\\\n]{10,200}\?$')]
    """What you say to the learner: one or two short sentences without any number, the last one a question."""


class LlmTutor:
    """A tutor that asks a language model for its reply."""

    def __init__(self, model: LanguageModel, *, highest_rung: Rung = Rung.WORKED_PARALLEL) -> None:
        self._model = model
        self._highest_rung = highest_rung
        self._prompt = load_prompt("tutor")

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply as it comes, then the whole of it.

        Raises:
            ModelError: The model failed or broke off; pieces already yielded are not a whole reply.
        """
        rung = self._rung(turn)
        prompt = self.render(turn, rung)
        if self._model.small:
            answer = await self._model.structured(prompt, SmallReplyOutput)
            self._require_discreet(answer.output.reply)
            yield answer.output.reply
            yield self._whole(turn, answer.output.reply, answer.usage, rung=rung, cut=False)
            return
        streamed = StreamedReply(self._model, prompt, most=MAX_SENTENCES)
        async with aclosing(streamed.pieces()) as pieces:
            async for piece in pieces:
                yield piece
        self._require_discreet(streamed.text)
        yield self._whole(turn, streamed.text, streamed.usage, rung=rung, cut=streamed.cut)

    def _require_discreet(self, text: str) -> None:
        """Refuse a reply that reads the tutor's notes out: tags are never shown to a learner (A9)."""
        if _NOTES.search(text):
            raise ModelOutputError(f"{self._model.engine} read its notes out to the learner")

    def render(self, turn: TutorTurn, rung: Rung) -> RenderedPrompt:
        """Return the prompt of a turn; what was not retrieved leaves its field empty and nothing else changes."""
        context = turn.context
        return self._prompt.render(
            {
                "reply_language": context.language,
                "problem": context.problem.text,
                "solution": _solution(turn),
                "experience": "\n\n".join(f"Strategy: {advice.strategy}\n{advice.text}" for advice in turn.experience),
                "experience_source": "\n".join(advice.source for advice in turn.experience),
                "memory": turn.memory,
                "course": turn.course,
                "history": history_text(context.history),
                "reading": f"{reading_text(turn.observation)}\n{state_text(turn.observation)}",
                "help_level": str(int(rung)),
                "refused": "\n".join(turn.avoid),
                "utterance": context.utterance,
            }
        )

    def _rung(self, turn: TutorTurn) -> Rung:
        """One rung more where the learner is stuck, wrong or asks; none where they get on by themselves."""
        seen = turn.observation
        needed = turn.stuck or seen.first_wrong_node is not None or seen.state.intent in _ASKS_FOR_HELP
        if not needed:
            return Rung.NONE
        return Rung(min(turn.rung + 1, self._highest_rung))

    def _whole(self, turn: TutorTurn, text: str, usage: Usage | None, *, rung: Rung, cut: bool) -> Reply:
        notes = [f"{name} refused" for name in usage.dropped] if usage else []
        if usage and usage.repairs:
            notes.append(f"asked again for its form: {usage.repairs}")
        if cut:
            notes.append("ended at its question or third sentence")
        roles = tuple(
            ExperienceRole(experience_id=advice.experience_id, part="in_prompt", reason=advice.strategy)
            for advice in turn.experience
        )
        return Reply(
            text=text,
            move=Move.FREE,
            rung=rung,
            node=turn.observation.first_wrong_node,
            engine=self._model.engine,
            language=turn.context.language,
            used_experience_ids=tuple(role.experience_id for role in roles),
            experience_roles=roles,
            notes=(*notes, *(f"experience {role.experience_id}: {role.part}" for role in roles)),
            usage=usage,
        )


def _solution(turn: TutorTurn) -> str:
    problem = turn.context.problem
    lines = [part for part in (problem.solution, f"Answer: {problem.answer}" if problem.answer else None) if part]
    return "\n".join(lines)


def open_llm_tutor(settings: Settings, redactor: Redactor | None = None) -> LlmTutor:
    """Return the tutor on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmTutor(open_model(settings, "tutor", redactor), highest_rung=Rung(settings.tutoring.highest_rung))
