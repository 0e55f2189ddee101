"""Prompt files: one TOML per role, checked when loaded, filled in when rendered.

A prompt has a `system` text without inputs (so that it never changes between turns) and a `user` text in which
every input stands inside the tag of its own name. Knows nothing of roles or providers.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from preceptor.errors import PromptError

_INPUT = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")
_DIGEST_LENGTH = 12


@dataclass(frozen=True, kw_only=True)
class PromptImage:
    """A picture that goes with a prompt."""

    media_type: str
    """Such as "image/png"."""
    content: bytes


@dataclass(frozen=True, kw_only=True)
class RenderedPrompt:
    """A prompt with its inputs filled in, ready to be sent."""

    name: str
    version: int
    digest: str
    """SHA-256 of the prompt file, first 12 hex digits."""
    system: str
    user: str
    images: tuple[PromptImage, ...] = ()
    """Pictures after the user text; nothing can take personal data out of them, so consent covers them whole."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt file as read."""

    name: str
    version: int
    digest: str
    inputs: tuple[str, ...]
    system: str
    user: str

    def render(self, inputs: Mapping[str, str]) -> RenderedPrompt:
        """Return the prompt with every input in its place.

        No input can open or close a tag of this prompt: what would is written with another bracket.

        Raises:
            PromptError: The names given and the names declared differ.
        """
        if set(inputs) != set(self.inputs):
            wrong = sorted(set(inputs) ^ set(self.inputs))
            raise PromptError(f"prompt {self.name}: inputs given and declared differ in {', '.join(wrong)}")
        user = _INPUT.sub(lambda found: self._defuse(inputs[found.group(1)]), self.user)
        return RenderedPrompt(name=self.name, version=self.version, digest=self.digest, system=self.system, user=user)

    def _defuse(self, text: str) -> str:
        names = "|".join(re.escape(name) for name in self.inputs)
        tag = re.compile(rf"<(?=\s*/?\s*(?:{names})\b)|<(?=\|)", re.IGNORECASE)
        """Also `<|`: chat templates write their turn marks with it."""
        return tag.sub("\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", text)


def parse_prompt(name: str, raw: bytes) -> Prompt:
    """Return a prompt from the bytes of its file.

    Raises:
        PromptError: The file is not such a TOML, an input is declared and not used or used and not declared,
            stands outside its tag, or stands in the system text.
    """
    try:
        table = tomllib.loads(raw.decode("utf-8"))
        version, inputs, system, user = (table.pop(key) for key in ("version", "inputs", "system", "user"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError) as error:
        raise PromptError(f"prompt {name}: {error}") from error
    if table:
        raise PromptError(f"prompt {name}: unknown keys {', '.join(sorted(table))}")
    if _INPUT.search(system):
        raise PromptError(f"prompt {name}: the system text must not have inputs")
    used = _INPUT.findall(user)
    if sorted(used) != sorted(inputs):
        raise PromptError(f"prompt {name}: declared inputs {sorted(inputs)}, used {sorted(used)}")
    for one in used:
        if not re.search(rf"<{one}>\s*\{{\{{\s*{one}\s*\}}\}}\s*</{one}>", user):
            raise PromptError(f"prompt {name}: input {one} must stand alone inside <{one}>")
    digest = hashlib.sha256(raw).hexdigest()[:_DIGEST_LENGTH]
    return Prompt(
        name=name, version=version, digest=digest, inputs=tuple(inputs), system=system.strip(), user=user.strip()
    )


@cache
def load_prompt(name: str) -> Prompt:
    """Return the prompt file of that name in this folder.

    Raises:
        PromptError: There is none, or it is wrong.
    """
    file = files("preceptor.prompts").joinpath(f"{name}.toml")
    if not file.is_file():
        raise PromptError(f"no prompt file {name}.toml")
    return parse_prompt(name, file.read_bytes())
