"""Takes personal data out of a text before a provider outside this machine sees it, and puts it back in the reply.

Implements `models.redactor.Redactor`. The numbers of a word problem must pass untouched: a wrongly replaced number
changes the problem. So a run of digits is personal only by its form (an international prefix, a check digit) or by
the words beside it ("call me", "account"), never by its length alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from preceptor.safety.personal_data import PERSONAL_KINDS, PersonalKind

_OPEN, _CLOSE = "⟦", "⟧"
_PLACEHOLDER = re.compile(r"[⟦〚]\s*([A-Z]+_\d+)\s*[⟧〛]|\[{1,2}\s*([A-Z]+_\d+)\s*\]{1,2}")
"""Models sometimes write a placeholder with other brackets."""

_WORD_NAMES = frozenset(
    "will may mark grace hope joy bill frank rose april june august art dean grant chase drew pat sue jack penny "
    "dollar ray gene guy rich rob bob max sunny star sky summer autumn winter ben can sum add".split()
)
"""First names that are words too: written small, they are left alone."""


class PersonalDataRedactor:
    """Replaces e-mail, phone, address, account numbers, personal links and the profile's names by placeholders."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Keep what the profile says.

        Args:
            names: Full or first names; each part of two letters or more is looked for too.
        """
        self._names = _name_pattern(names)

    def redact(self, text: str) -> tuple[str, Mapping[str, str]]:
        """Return the text with placeholders like ⟦NAME_1⟧, and placeholder → what it stands for.

        The same value gets the same placeholder. What already looks like a placeholder loses its brackets.
        """
        found: dict[tuple[str, str], str] = {}
        counts: dict[str, int] = {}

        def placeholder(label: str, value: str) -> str:
            key = (label, value)
            if key not in found:
                counts[label] = counts.get(label, 0) + 1
                found[key] = f"{_OPEN}{label}_{counts[label]}{_CLOSE}"
            return found[key]

        text = text.replace(_OPEN, "[").replace(_CLOSE, "]")
        for kind in PERSONAL_KINDS:
            text = _replace(text, kind, placeholder)
        if self._names is not None:
            text = self._names.sub(lambda hit: _name(hit.group(), placeholder), text)
        return text, {written: value for (_, value), written in found.items()}

    def restore(self, text: str, mapping: Mapping[str, str]) -> str:
        """Return the text with every placeholder of `mapping` replaced; others are left as they are."""

        def value(hit: re.Match[str]) -> str:
            return mapping.get(f"{_OPEN}{hit.group(1) or hit.group(2)}{_CLOSE}", hit.group())

        return _PLACEHOLDER.sub(value, text) if mapping else text


def _replace(text: str, kind: PersonalKind, placeholder: Callable[[str, str], str]) -> str:
    def one(hit: re.Match[str]) -> str:
        value = hit.group(kind.group)
        if not kind.valid(value):
            return hit.group()
        start, end = hit.start(kind.group) - hit.start(), hit.end(kind.group) - hit.start()
        whole = hit.group()
        tail = value[len(value.rstrip(".,;:!?")) :] if kind.label in {"URL", "EMAIL"} else ""
        return whole[:start] + placeholder(kind.label, value.removesuffix(tail) if tail else value) + tail + whole[end:]

    return kind.pattern.sub(one, text)


def _name(written: str, placeholder: Callable[[str, str], str]) -> str:
    if written.islower() and written in _WORD_NAMES:
        return written
    return placeholder("NAME", written)


def _name_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds every name and each of its parts, longest first; `None` where there is none."""
    parts: set[str] = set()
    for name in names:
        whole = " ".join(name.split())
        parts.update(part for part in [whole, *whole.split()] if len(part) >= 2)
    if not parts:
        return None
    ordered = sorted(parts, key=lambda part: (-len(part), part))
    body = "|".join(r"\s+".join(map(re.escape, part.split())) for part in ordered)
    cjk = "|".join(re.escape(part) for part in ordered if re.search(r"[\u3400-\u9fff]", part))
    edged = rf"(?<![^\W_])(?:{body})(?![^\W_])"
    return re.compile(f"{cjk}|{edged}" if cjk else edged, re.IGNORECASE)
