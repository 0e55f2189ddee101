"""A GGUF that runs in this process: xllamacpp's own server on a random loopback port, behind a random key.

The server speaks the OpenAI protocol and holds answers to a JSON schema, so that everything else is as with any
provider.
"""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_ai.models import Model

from preceptor.errors import MissingExtraError, ModelError
from preceptor.models.catalogue import CATALOGUE
from preceptor.models.provider import vendor_model
from preceptor.settings import ProviderSettings

CONTEXT_TOKENS = 8192
"""Prompt and answer together. (chosen: the longest prompt of the context budget, with a history)"""
REPEAT_PENALTY = 1.1
"""Small models fall into loops without it. (chosen: seen with the smallest of the catalogue)"""
_QUIET = -1
_servers: dict[Path, LocalServer] = {}
_lock = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class LocalServer:
    """A loaded model and how it is reached."""

    base_url: str
    api_key: SecretStr
    server: Any
    """Kept alive with the model; it stops when this is let go."""


def gguf_path(home: Path, model: str) -> Path:
    """Return the file of a known model, or of one that the owner put into the models folder.

    Raises:
        ModelError: It is not there; the message says how to get it.
    """
    known = CATALOGUE.get(model)
    path = home / "models" / (f"{model}/{known.files[0].path}" if known else model)
    if path.suffix != ".gguf" or not path.is_file():
        how = f"run `preceptor model fetch {model}`" if known else "put the file there, or see `preceptor model list`"
        raise ModelError(f"the local model {model!r} is not at {path}: {how}")
    return path


def local_model(home: Path, model: str, *, timeout_s: float) -> Model[Any]:
    """Return a pydantic-ai model for a GGUF, loading it on first use; one copy a process.

    Args:
        home: The folder of PRECEPTOR_HOME.
        model: A known model's name, or the name of a .gguf file in the models folder.
        timeout_s: Longest silence, seconds.

    Raises:
        MissingExtraError: The extra `local` is not installed.
        ModelError: The file is not there or cannot be loaded.
    """
    path = gguf_path(home, model)
    with _lock:
        if path not in _servers:
            _servers[path] = _start(path)
        running = _servers[path]
    row = ProviderSettings(kind="openai", base_url=running.base_url, api_key=running.api_key)
    return vendor_model("local", row, model, timeout_s=timeout_s)


def _start(path: Path) -> LocalServer:
    library = _library()
    key = secrets.token_urlsafe(32)
    parameters = library.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    for threads in (parameters.cpuparams, parameters.cpuparams_batch):
        threads.n_threads = max(1, os.cpu_count() or 1)
        threads.poll = 0
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.endpoint_props = False
    parameters.warmup = False
    parameters.verbosity = _QUIET
    parameters.sampling.penalty_repeat = REPEAT_PENALTY
    try:
        server = library.Server(parameters)
    except RuntimeError as error:
        raise ModelError(f"{path}: the model could not be loaded") from error
    return LocalServer(base_url=f"{server.listening_address}/v1", api_key=SecretStr(key), server=server)


def _library() -> Any:
    """Import xllamacpp with threads that sleep while they wait: spinning, they take a busy machine's cores."""
    environ = os.environ  # noqa: TID251  read by the library's OpenMP at import; not a setting of ours
    environ.setdefault("OMP_WAIT_POLICY", "passive")
    environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtraError(
            "a model in this process needs the extra 'local': pip install 'preceptor[local]'"
        ) from error
    return xllamacpp
