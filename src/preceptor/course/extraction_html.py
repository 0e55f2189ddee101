"""HTML: the text a browser would show, block by block. Nothing is fetched and nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree, html

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits
from preceptor.course.extraction_page import PageWriter, decode_text
from preceptor.errors import InputError

_SKIPPED = frozenset(
    "script style template noscript head svg iframe object embed canvas audio video select nav footer".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure form header "
    "hr html li main ol p pre section summary table tbody td tfoot th thead tr ul caption".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDING = (
    ("display: none", re.compile(r"display\s*:\s*none", re.IGNORECASE)),
    ("visibility: hidden", re.compile(r"visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)),
    (
        "size 0",
        re.compile(
            r"font-size\s*:\s*(?:0*\.?0+|[01](?:\.\d+)?px|0?\.\d+(?:em|rem|pt|px))\s*(?:[a-z%]*)\s*(?:;|$|!)", re.I
        ),
    ),
    ("opacity 0", re.compile(r"opacity\s*:\s*0(?:\.0\d*)?\s*(?:;|$|!)", re.IGNORECASE)),
    ("off the page", re.compile(r"(?:left|top|text-indent|right)\s*:\s*-\d{4,}", re.IGNORECASE)),
)
_COLOUR = re.compile(r"(?<![-\w])color\s*:\s*([^;!]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_ATTRIBUTE_STYLE = re.compile(r"style\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ATTRIBUTE_HIDDEN = re.compile(r"(?:^|\s)hidden(?:\s|=|$)", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE_SELECTOR = re.compile(r"^(?:[a-z]\w*)?[.#][\w-]+$", re.IGNORECASE)
_WHITES = {"white", "#fff", "#ffffff", "rgb(255,255,255)", "transparent", "rgba(0,0,0,0)", "#fefefe", "#fdfdfd"}
_MAX_DEPTH = 200


def style_hides(style: str, background: str | None = None) -> str | None:
    """Return why a style shows nothing, or `None`.

    Args:
        style: CSS declarations.
        background: The background the element stands on where it is known; `None`: white.
    """
    for why, pattern in _HIDING:
        if pattern.search(style):
            return why
    colour = _COLOUR.search(style)
    if colour is None:
        return None
    own = _BACKGROUND.search(style)
    text = re.sub(r"\s", "", colour.group(1)).lower()
    behind = re.sub(r"\s", "", own.group(1)).lower() if own else background
    if text == behind or (text in _WHITES and (behind is None or behind in _WHITES)):
        return "the colour of its background"
    return None


def hiding(attributes: str) -> str | None:
    """Return why an element with these attributes, as source text, shows nothing."""
    if _ATTRIBUTE_HIDDEN.search(attributes):
        return "hidden"
    style = _ATTRIBUTE_STYLE.search(attributes)
    return style_hides(style.group(1) or style.group(2) or "") if style else None


class HtmlExtractor:
    """`Extractor` for .html."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        if b"\x00" in content[:100_000] and _encoding(content) != "utf-16":
            raise InputError("is not HTML: it holds binary data")
        # libxml2 would load converters from files, which this process may not open.
        plain = content.decode(_encoding(content), errors="replace").lstrip("\ufeff").encode("utf-8")
        parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False)
        try:
            tree = html.document_fromstring(plain, parser=parser)
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            raise InputError("is empty or damaged: no HTML can be read from it") from error
        writer = PageWriter(1)
        rules = _hiding_rules(tree)
        body = tree.find("body")
        walk = _Walk(writer, rules)
        walk.visit(tree if body is None else body, None, 0)
        walk.flush()
        return ExtractedDocument(pages=(writer.finish(limits.max_page_chars),))


def _encoding(content: bytes) -> str:
    declared = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,20})", content[:4096], re.IGNORECASE)
    if decode_text(content)[1] is None:
        return "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if declared:
        name = declared.group(1).decode("ascii")
        try:
            "".encode(name)
        except LookupError:
            return "cp1252"
        return name
    return "cp1252"


class _Walk:
    """One pass over the tree."""

    def __init__(self, writer: PageWriter, rules: dict[str, str]) -> None:
        self._writer, self._rules = writer, rules
        self._text: list[str] = []
        self._is_cell = False

    def visit(self, element: etree._Element, background: str | None, depth: int) -> None:
        """Write an element's text; its tail is the parent's."""
        if not isinstance(element.tag, str):
            self._remark(element)
            return
        tag = element.tag.lower()
        if tag in _SKIPPED or depth > _MAX_DEPTH:
            return
        style = element.get("style") or ""
        why = self._why_hidden(element, style, background)
        if why is not None:
            hidden = " ".join("".join(str(part) for part in element.itertext()).split())
            if hidden:
                self._writer.report("hidden_text", f"text that a page would not show was left out ({why})", hidden)
            return
        own = _BACKGROUND.search(style)
        background = re.sub(r"\s", "", own.group(1)).lower() if own else background
        self._write(element, tag, background, depth)

    def _write(self, element: etree._Element, tag: str, background: str | None, depth: int) -> None:
        if tag in _HEADINGS:
            self.flush()
            self._writer.add_heading("".join(self._inside(element, background, depth)), _HEADINGS[tag])
            return
        if tag == "pre":
            self.flush()
            self._writer.add("".join(self._inside(element, background, depth)))
            return
        if tag == "br":
            self._text.append("\n")
            return
        if tag == "img" and element.get("alt"):
            self._text.append(f" {element.get('alt')} ")
            return
        block = tag in _BLOCKS
        cell = tag in ("td", "th")
        if cell and self._is_cell:
            self._text.append(" | ")
        elif block and not cell:
            self.flush()
        if tag == "li":
            self._text.append("- ")
        self._children(element, background, depth)
        if cell:
            self._is_cell = True
        elif block:
            self.flush()

    def _children(self, element: etree._Element, background: str | None, depth: int) -> None:
        self._text.append(_folded(element.text))
        for child in element:
            self.visit(child, background, depth + 1)
            self._text.append(_folded(child.tail))

    def _inside(self, element: etree._Element, background: str | None, depth: int) -> list[str]:
        """Return an element's visible text apart from what is being written."""
        outer, self._text = self._text, []
        self._text.append(element.text or "")
        for child in element:
            self.visit(child, background, depth + 1)
            self._text.append(child.tail or "")
        inner, self._text = self._text, outer
        return inner

    def flush(self) -> None:
        """End a block."""
        lines = (" ".join(line.split()) for line in "".join(self._text).split("\n"))
        text = "\n".join(line for line in lines if line)
        if text not in ("", "-"):
            self._writer.add(text, separator="\n" if text.startswith("- ") else "\n\n")
        self._text.clear()
        self._is_cell = False

    def _why_hidden(self, element: etree._Element, style: str, background: str | None) -> str | None:
        if element.get("hidden") is not None:
            return "hidden"
        if element.tag == "input":
            return None
        named = [f".{name}" for name in (element.get("class") or "").split()] + [f"#{element.get('id')}"]
        for name in named:
            if name in self._rules:
                return self._rules[name]
        if element.tag == "font" and (element.get("color") or "").lower() in _WHITES:
            style = f"color: {element.get('color')}; {style}"
        return style_hides(style, background) if style else None

    def _remark(self, element: etree._Element) -> None:
        text = " ".join((element.text or "").split())
        if len(text.split()) >= 3 and not text.startswith("[if "):
            self._writer.report("comment", "a remark beside the text was left out", text)


def _folded(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")


def _hiding_rules(tree: etree._Element) -> dict[str, str]:
    """Return the classes and ids that the page's own style sheets hide."""
    found: dict[str, str] = {}
    for selectors, declarations in _rules_of(tree):
        why = style_hides(declarations)
        if why is None:
            continue
        for selector in selectors.split(","):
            name = selector.strip()
            if _SIMPLE_SELECTOR.match(name):
                found[name[re.search(r"[.#]", name).start() :]] = why  # type: ignore[union-attr]
    return found


def _rules_of(tree: etree._Element) -> Iterator[tuple[str, str]]:
    for sheet in tree.iter("style"):
        for found in _RULE.finditer((sheet.text or "")[:200_000]):
            yield found.group(1), found.group(2)
