"""Text to safe HTML: maths, money, and nothing that loads or runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.server.render import MAX_FORMULA_CHARS, formula_html, has_formula, render_plain, render_reply

ACTIVE_TAGS = {
    "script", "img", "iframe", "object", "embed", "svg", "style", "link", "meta", "form", "input", "button", "video",
    "audio", "source", "base", "textarea", "annotation-xml", "mglyph", "maction", "semantics",
}  # fmt: skip
LOADING_ATTRIBUTES = {"src", "srcset", "style", "background", "poster", "data", "action", "formaction", "xlink:href"}


class Danger(HTMLParser):
    """Collects what a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ACTIVE_TAGS:
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in LOADING_ATTRIBUTES:
                self.found.append(f"{tag} {name}")
            if name == "href" and (tag != "a" or not re.match(r"https?://", value or "")):
                self.found.append(f"{tag} href={value}")


def dangers(html: str) -> list[str]:
    parser = Danger()
    parser.feed(html)
    parser.close()
    return parser.found


@pytest.mark.parametrize(
    "text", ["$5 and $6", "from $5 to $10", "$3.50 - $1.50 = $2", "It is 5$ or 6$.", "a stray $$ here"]
)
@pytest.mark.parametrize("render", [render_reply, render_plain])
def test_money_stays_money(text: str, render: Callable[[str], str]) -> None:
    html = render(text)
    assert "<math" not in html
    assert text in html


def test_money_and_a_formula_in_one_sentence() -> None:
    html = render_reply("from $5 to $10 per $x$")
    assert "from $5 to $10 per <math><mi>x</mi></math>" in html


@pytest.mark.parametrize(
    "text",
    [r"so $\frac{1}{2}$ of it", r"so \(\frac{1}{2}\) of it", r"so \[\frac{1}{2}\]", "so\n\n$$\n\\frac{1}{2}\n$$"],
)
@pytest.mark.parametrize("render", [render_reply, render_plain])
def test_each_way_to_write_a_formula_becomes_mathml(text: str, render: Callable[[str], str]) -> None:
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in render(text)


def test_a_formula_in_a_code_span_is_left_alone() -> None:
    assert r"<code>\(x\)</code>" in render_reply(r"type `\(x\)`")


def test_a_formula_that_cannot_be_read_is_shown_as_typed() -> None:
    assert render_reply(r"$\frac{1$") == '<p><code class="formula-source">\\frac{1</code></p>\n'


def test_a_formula_nested_so_deeply_that_the_converter_would_crash_is_shown_as_typed() -> None:
    deep = "{" * 20_000 + "x" + "}" * 20_000
    assert "formula-source" in formula_html(deep)
    assert "<math" in formula_html("{" * (MAX_FORMULA_CHARS // 2 - 1) + "x" + "}" * (MAX_FORMULA_CHARS // 2 - 1))


def test_aligned_equations_keep_their_columns_without_inline_styles_or_numbers() -> None:
    html = render_reply(r"$\begin{align}a&=b\\c&=d\end{align}$")
    assert 'class="m-right"' in html
    assert " style=" not in html
    assert "(1)" not in html


def test_a_picture_is_left_out_and_named() -> None:
    html = render_reply("see ![a graph](http://example.org/x.png)")
    assert "example.org" not in html
    assert "[picture left out: a graph]" in html


def test_a_link_shows_its_address_and_opens_without_a_referrer() -> None:
    html = render_reply("[a good page](https://example.org/a?b=1)")
    assert ">https://example.org/a?b=1</a>" in html
    assert 'rel="noopener noreferrer nofollow"' in html
    assert html.index("a good page") < html.index("<a ")


def test_a_link_that_runs_code_is_no_link() -> None:
    assert "<a" not in render_reply("[x](javascript:alert(1)) [y](data:text/html,z) [z](/learn) [w](//evil.example)")


def test_learner_text_is_not_markdown() -> None:
    html = render_plain("*3* 4\n# 5\n[a](http://example.org)")
    assert "*3* 4\n# 5\n[a](http://example.org)" in html


def test_headings_of_a_reply_stay_below_those_of_the_page() -> None:
    assert "<h3>" in render_reply("# Plan")


def test_a_preview_is_offered_only_where_there_is_a_formula() -> None:
    assert has_formula(r"I think \(x^2\)")
    assert not has_formula("it costs $5 or $6")


HOSTILE = [
    "<img src=http://evil.example/a.png>",
    "<script>alert(1)</script>",
    "![x](http://evil.example/a.png)",
    "[![x](http://evil.example/a.png)](http://evil.example)",
    r"$\text{<img src=x onerror=alert(1)>}$",
    r"$\href{javascript:alert(1)}{x}$",
    r"\(\style{background:url(http://evil.example)}{x}\)",
    r"$\unicode{x3c}script$",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<svg onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](  javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x](http://a'onmouseover='alert(1))",
    '[x](http://a"onmouseover="alert(1))',
    '<http://a"onclick=alert(1)>',
    "`<img src=x>`",
    "```html\n<img src=x>\n```",
    "|<img src=x>|\n|-|\n|<script>|",
    "&lt;img src=x&gt; &#60;script&#62;",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("render", [render_reply, render_plain])
def test_hostile_text_loads_and_runs_nothing(text: str, render: Callable[[str], str]) -> None:
    assert dangers(render(text)) == []


PIECES = st.one_of(
    st.sampled_from(HOSTILE),
    st.sampled_from(
        ["$", "$$", r"\(", r"\)", r"\[", r"\]", "`", "```\n", "\n\n", "> ", "- ", "<", ">", '"', "'", "\x00", "&"]
    ),
    st.sampled_from([r"\text{", "}", r"\frac", r"\mathrm{", r"\color{red}", "![", "](", ")", "<!--", "-->", "]]>"]),
    st.text(max_size=12),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=12))
def test_no_mixture_of_markup_loads_or_runs_anything(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert dangers(render_reply(text)) == []
    assert dangers(render_plain(text)) == []


@pytest.mark.parametrize(
    "unit", [">", "[", "$", "*a", "$a$", "`", r"\(", "![a](", "|", "a\n", "<", "- ", "$$\n", "{", "_a*"]
)
def test_a_message_of_the_greatest_length_is_rendered_at_once(unit: str) -> None:
    text = (unit * 4000)[:4000]
    started = time.perf_counter()
    render_reply(text)
    render_plain(text)
    assert time.perf_counter() - started < 20
