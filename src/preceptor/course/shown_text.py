"""A sentence of a file as a reader sees it: marks of Markdown taken out, every word and sign of it kept."""

from __future__ import annotations

import re

_MARKDOWN = (".md", ".markdown")
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\s+\"[^\"\n]*\")?\)"), r"\1"),
    (re.compile(r"(?<![\w*])\*\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"), r"\1"),
    (re.compile(r"`([^`\n]+)`"), r"\1"),
    (re.compile(r"\\([-*_#.!+|>~`])"), r"\1"),
)
"""Links, emphasis, code and escapes. What stands between letters or digits stays (2*3,
snake_case), and so do double underscores: they are names of Python more often than emphasis."""


def shown_text(text: str, document_name: str) -> str:
    """Return a text as it is shown, blanks joined; only files of Markdown have marks to lose.

    Args:
        text: A span of a page.
        document_name: Tells the format by its ending.
    """
    if document_name.lower().endswith(_MARKDOWN):
        for pattern, kept in _RULES:
            text = pattern.sub(kept, text)
    return " ".join(text.split())
