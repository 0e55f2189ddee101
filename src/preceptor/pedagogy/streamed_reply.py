"""A model's reply while it streams, cut to its first sentences and one question.

Whether it gives something away is the guard's business.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from preceptor.domain.usage import Usage
from preceptor.errors import ModelOutputError
from preceptor.models.language_model import Completion, LanguageModel
from preceptor.prompts.loader import RenderedPrompt

_SENTENCE_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s)|[。！？]+[”’）」]*")
_QUESTION = re.compile(r"[?？]")
_SPEAKER = re.compile(r"\s*(?:tutor|teacher|assistant)\s*[:：]\s*", re.IGNORECASE)
_LONGEST_SPEAKER = 14


class StreamedReply:
    """One reply of a model; for one pass through `pieces`."""

    def __init__(self, model: LanguageModel, prompt: RenderedPrompt, *, most: int) -> None:
        """Keep what is asked; nothing is sent before `pieces` is read.

        Args:
            model: Who is asked.
            prompt: What is sent.
            most: Sentences let through, at least 1.
        """
        self._model, self._prompt = model, prompt
        self._gate = SentenceGate(most=most)
        self.usage: Usage | None = None
        """What the model used; `None` until it has answered, and where it was stopped before it said so."""

    @property
    def text(self) -> str:
        """What was let through so far, without blanks at its ends."""
        return self._gate.text.strip()

    @property
    def cut(self) -> bool:
        """Whether it was ended at its question or at its last sentence allowed."""
        return self._gate.full

    async def pieces(self) -> AsyncGenerator[str]:
        """Yield the reply as it comes.

        Raises:
            ModelError: The model failed or broke off; pieces already yielded are not a whole reply.
            ModelOutputError: It said nothing.
        """
        async with aclosing(self._model.stream(self._prompt, enough=lambda _: self._gate.full)) as parts:
            async for part in parts:
                if isinstance(part, Completion):
                    self.usage = part.usage
                elif said := self._gate.feed(part):
                    yield said
        if rest := self._gate.finish():
            yield rest
        if not self.text:
            raise ModelOutputError(f"{self._model.engine} said nothing to the learner")


class SentenceGate:
    """Lets a streamed text through up to its first question or `most` sentences; a speaker's label is dropped."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self.text = ""
        """What was let through."""
        self.full = False
        """Nothing more is let through."""
        self._raw = ""
        self._begun = False
        self._searched = 0
        self._sentences = 0

    def feed(self, piece: str) -> str:
        """Return what may be said of the text so far and was not returned before."""
        if self.full:
            return ""
        self._raw += piece
        if not self._begun:
            if len(self._raw.lstrip()) < _LONGEST_SPEAKER:
                return ""
            self._begin()
        return self._let_through()

    def finish(self) -> str:
        """Return the rest, once no piece follows."""
        if self.full:
            return ""
        if not self._begun:
            self._begin()
        return self._let_through()

    def _begin(self) -> None:
        self._begun = True
        label = _SPEAKER.match(self._raw)
        self._raw = (self._raw[label.end() :] if label else self._raw).lstrip()

    def _let_through(self) -> str:
        end = len(self._raw)
        for found in _SENTENCE_END.finditer(self._raw, self._searched):
            self._sentences += 1
            self._searched = found.end()
            if self._sentences == self._most or _QUESTION.search(found.group()):
                self.full = True
                end = found.end()
                break
        said = self._raw[len(self.text) : end]
        self.text += said
        return said
