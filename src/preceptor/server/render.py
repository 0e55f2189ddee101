"""Text to safe HTML: the only place where a reply or a learner's message becomes markup.

Markdown and LaTeX in, an allow-list of tags out. Maths becomes MathML on the server, money stays money, pictures
are left out, a link shows its address. Knows nothing of dialogues or requests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

import math_core
import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

MAX_FORMULA_CHARS = 600
"""Longer formulas are shown as they were typed. The converter recurses: at a depth of 20,000 it took the whole
process down, and 600 characters cannot nest deeper than 300."""

_MATHML = {
    "math", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace", "msqrt", "mstyle",
    "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "menclose", "mmultiscripts",
    "mprescripts", "merror",
}  # fmt: skip
_PROSE = {
    "p", "br", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "h3", "h4", "h5", "h6",
    "table", "thead", "tbody", "tr", "th", "td", "span", "a",
}  # fmt: skip
_MATHML_ATTRIBUTES = {
    "math": {"display"},
    "mo": {"stretchy", "lspace", "rspace", "fence", "separator", "largeop", "movablelimits", "minsize", "maxsize"},
    "mfrac": {"linethickness", "displaystyle"},
    "mtable": {"displaystyle", "scriptlevel"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
    "mspace": {"width", "height", "depth"},
    "menclose": {"notation"},
    "mi": {"mathvariant"},
    "a": {"href", "target"},
    "ol": {"start"},
}
_CLEANER = nh3.Cleaner(
    tags=_PROSE | _MATHML,
    clean_content_tags={"script", "style"},
    attributes=_MATHML_ATTRIBUTES,
    allowed_classes={
        "mtd": {"m-right", "m-left", "m-ruled"},
        "span": {"link-label", "left-out", "formula-source", "formula-block"},
        "code": {"formula-source"},
        "p": {"learner-text"},
        "th": {"right", "center"},
        "td": {"right", "center"},
    },
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)
_DATE_FIRST = re.compile(r"(?m)^(\s*(?:[-*+]\s+)?\d{1,2})\.(?=\s+[^\W\d_]+\s+\d{4}\s*[:,;])")
"""A date at the beginning of a line, "14. September 2026": markdown would read its day as the number of a list."""
_CONVERTER = math_core.LatexToMathML(fancy_error=False, max_expansions=50)


def formula_html(latex: str, *, display: bool = False) -> str:
    """Return a formula as MathML, or its source in a code span where it cannot be read; never raises on input.

    Numbered environments lose their numbers: nothing in a conversation refers to them.
    """
    source = re.sub(r"\\(begin|end)\{(align|equation|gather)\}", r"\\\1{\2*}", latex.strip())
    if not source or len(source) > MAX_FORMULA_CHARS:
        return _source_html(source)
    try:
        mathml: str = _CONVERTER.convert_with_local_state(source, displaystyle=display)
    except math_core.LatexError:
        return _source_html(source)
    return _columns_as_classes(mathml)


def render_reply(markdown: str) -> str:
    """Return a tutor's reply (markdown with maths) as sanitised HTML."""
    dated = _DATE_FIRST.sub(r"\1\\.", markdown.replace("\x00", ""))
    return _CLEANER.clean(_REPLY.render(dated))


def render_plain(text: str) -> str:
    """Return a learner's message or a problem's text as sanitised HTML: plain text, line breaks kept, and maths."""
    return _CLEANER.clean(_PLAIN.render(text.replace("\x00", "")))


def has_formula(text: str) -> bool:
    """Whether `render_plain` finds maths in the text, which is when a preview is worth showing."""
    tokens = _PLAIN.parse(text.replace("\x00", ""))
    inner = [child for token in tokens for child in (token.children or [])]
    return any(token.type.startswith("math") for token in [*tokens, *inner])


def _source_html(source: str) -> str:
    return f'<code class="formula-source">{escape(source)}</code>'


def _columns_as_classes(mathml: str) -> str:
    """Turn the converter's inline styles of table cells, which the page's policy forbids, into classes."""

    def as_class(match: re.Match[str]) -> str:
        names = [name for mark, name in _CELL_STYLES if mark in match.group(1)]
        return f'<mtd class="{" ".join(names)}">' if names else "<mtd>"

    return re.sub(r'<mtd style="([^"]*)">', as_class, mathml)


_CELL_STYLES = (("text-align: right", "m-right"), ("text-align: left", "m-left"), ("border-top", "m-ruled"))
_BRACKETS = {"(": (r"\)", "math_inline"), "[": (r"\]", "math_inline_double")}


def _bracket_maths(state: StateInline, silent: bool) -> bool:
    r"""Read `\(…\)` and `\[…\]` before backslash escapes do; code spans are left alone."""
    start = state.pos
    if state.src[start] != "\\" or start + 1 >= state.posMax or state.src[start + 1] not in _BRACKETS:
        return False
    closing, token_type = _BRACKETS[state.src[start + 1]]
    end = state.src.find(closing, start + 2, min(state.posMax, start + 2 + MAX_FORMULA_CHARS))
    if end < 0 or not state.src[start + 2 : end].strip():
        return False
    if not silent:
        token = state.push(token_type, "math", 0)
        token.content = state.src[start + 2 : end]
        token.markup = "\\" + state.src[start + 1]
    state.pos = end + 2
    return True


def _render_formula(content: str, options: dict[str, Any]) -> str:
    return formula_html(content, display=bool(options.get("display_mode")))


def _inline_formula(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType
) -> str:
    return formula_html(tokens[position].content)


def _display_formula(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType
) -> str:
    return f'<span class="formula-block">{formula_html(tokens[position].content, display=True)}</span>'


def _left_out_picture(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType
) -> str:
    words = escape(tokens[position].content.strip())
    return f'<span class="left-out">[picture left out{": " + words if words else ""}]</span>'


def _link_start(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType
) -> str:
    if tokens[position].markup == "autolink":
        return f'<a href="{escape(str(tokens[position].attrs.get("href", "")))}" target="_blank">'
    return '<span class="link-label">'


def _link_end(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType
) -> str:
    """Close the label and show the address itself as the link, so that nobody follows one unseen."""
    if tokens[position].markup == "autolink":
        return "</a>"
    address = _opening_address(tokens, position)
    shown = escape(address)
    link = f'<a href="{shown}" target="_blank">{shown}</a>' if urlsplit(address).scheme in {"http", "https"} else ""
    return f"</span> ({link})" if link else "</span>"


def _opening_address(tokens: Sequence[Token], position: int) -> str:
    for token in reversed(tokens[:position]):
        if token.type == "link_open":
            return str(token.attrs.get("href", ""))
    return ""


def _heading(renderer: RendererHTML, tokens: Sequence[Token], position: int, options: OptionsDict, env: EnvType) -> str:
    """Keep a reply's headings below the page's own."""
    level = min(6, max(3, int(tokens[position].tag[1]) + 2))
    return f"<h{level}>" if tokens[position].nesting == 1 else f"</h{level}>\n"


def _add_maths(parser: MarkdownIt) -> MarkdownIt:
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
        renderer=_render_formula,
    )
    parser.inline.ruler.before("escape", "bracket_maths", _bracket_maths)
    for name in ("math_inline",):
        parser.add_render_rule(name, _inline_formula)
    for name in ("math_inline_double", "math_block"):
        parser.add_render_rule(name, _display_formula)
    return parser


def _reply_parser() -> MarkdownIt:
    parser = _add_maths(MarkdownIt("commonmark", {"html": False}).enable("table"))
    parser.add_render_rule("image", _left_out_picture)
    parser.add_render_rule("link_open", _link_start)
    parser.add_render_rule("link_close", _link_end)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    return parser


def _plain_parser() -> MarkdownIt:
    return _add_maths(MarkdownIt("zero", {"html": False}))


_REPLY = _reply_parser()
_PLAIN = _plain_parser()
