"""One embedder for everything that a running program compares: opened at first need, once.

A message is embedded once a turn, though memory and course both ask for it: what was asked lately is remembered.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from preceptor.models.embedder import Embedder, Vector, open_embedder
from preceptor.models.token_embedder import TokenEmbedder, TokenVectors
from preceptor.settings import Settings

REMEMBERED = 2048
"""Single texts whose vectors are kept, 1.5 KB each. (chosen: the messages of an hour, and the few hundred sentences
that the builtin observer describes difficulties with)"""


class SharedEmbedder:
    """Gives the settings' embedder; safe to call from several threads."""

    def __init__(self, settings: Settings) -> None:
        """Open nothing yet."""
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: tuple[Embedder | None] | None = None

    def __call__(self) -> Embedder | None:
        """Return the embedder; `None`: there is none, and words must do.

        Raises:
            SettingsError, ModelError, MissingExtraError: It is named and cannot be opened.
        """
        with self._lock:
            if self._opened is None:
                found = open_embedder(self._settings)
                self._opened = (None if found is None else RememberingTokenEmbedder(found, found),)
            return self._opened[0]


@dataclass
class _Known:
    """The vector of one text, made by the first who asks while the others wait."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    made: tuple[Vector | None] | None = None


class RememberingEmbedder:
    """`Embedder` that makes the vector of a single text once, also where two threads ask at the same time.

    Different texts do not wait for each other.
    """

    def __init__(self, inner: Embedder) -> None:
        """Keep the embedder that makes vectors."""
        self._inner = inner
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, _Known] = OrderedDict()

    @property
    def fingerprint(self) -> str:
        """As the inner one's: vectors are the same."""
        return self._inner.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it was made for, BCP 47."""
        return self._inner.languages

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        """Return one vector a text, or `None` where it must not be judged; see `Embedder.embed`."""
        declared = language is None or language.split("-")[0].lower() in self.languages
        if len(texts) != 1 or not declared:
            return self._inner.embed(texts, language=language)
        key = hashlib.blake2b(texts[0].encode(), digest_size=16).digest()  # no learner's words are kept
        with self._lock:
            known = self._known.setdefault(key, _Known())
            self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        with known.lock:
            if known.made is None:
                known.made = (self._inner.embed(texts, language=language)[0],)
            return [known.made[0]]


class RememberingTokenEmbedder(RememberingEmbedder):
    """The same over an embedder that gives token vectors, which are not kept: only a course asks for them, once."""

    def __init__(self, inner: Embedder, tokens: TokenEmbedder) -> None:
        """Keep the embedder; `tokens` is the same one, as what it also is."""
        super().__init__(inner)
        self._tokens = tokens

    def embed_tokens(self, texts: Sequence[str], *, language: str | None = None) -> list[TokenVectors | None]:
        """Return the tokens of each text; see `TokenEmbedder.embed_tokens`."""
        return self._tokens.embed_tokens(texts, language=language)
