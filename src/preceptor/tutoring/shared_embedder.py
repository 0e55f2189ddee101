"""One embedder for everything that a running program compares: opened at first need, once."""

from __future__ import annotations

import threading

from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import Settings


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
                self._opened = (open_embedder(self._settings),)
            return self._opened[0]
