"""Every format gives its text in order, and nothing that a reader would not see."""

from __future__ import annotations

import io

import pypdfium2
import pytest
from tests.unit import course_files as files
from tests.unit.course_files import LIMITS, WHITE, Box, Words, headings, kinds, prose, read

from preceptor.course.extraction import format_of
from preceptor.course.extraction_page import clean_text
from preceptor.errors import InputError

SECRET = "the hidden sentence"

# Two columns, the right one written to the file first; a line across both above them.
LEFT = [f"left line {n} tells about the queue and its" for n in range(8)]
RIGHT = [f"right line {n} tells about the stack and" for n in range(8)]


def test_columns_are_read_one_after_the_other() -> None:
    words = prose(RIGHT, x=320, top=700) + [
        Words(text="A long line that stands across both columns of the page, title like", x=70, y=740)
    ]
    text = read(files.pdf([words + prose(LEFT, top=693)]), "a.pdf").pages[0].text
    places = [text.index(line) for line in ("A long line", *LEFT, *RIGHT)]
    assert places == sorted(places)


def test_a_table_is_read_row_by_row() -> None:
    rows = [("queue", "first in, first out, the oldest goes"), ("stack", "last in, first out, the newest goes")] * 4
    words = [
        Words(text=text, x=x, y=700 - 30 * n)
        for n, row in enumerate(rows)
        for text, x in zip(row, (70, 200), strict=True)
    ]
    text = read(files.pdf([words]), "a.pdf").pages[0].text
    assert "queue first in, first out, the oldest goes\nstack last in" in text


def test_files_attached_to_a_pdf_are_not_read_and_that_is_said() -> None:
    document = pypdfium2.PdfDocument(files.pdf([prose(["What everybody sees."])]))
    document.new_attachment("answers.txt").set_data(b"the answers")
    content = io.BytesIO()
    document.save(content)
    document.close()
    page = read(content.getvalue(), "a.pdf").pages[0]
    assert (page.text, [one.kind for one in page.problems]) == ("What everybody sees.", ["unread"])


def test_running_heads_and_page_numbers_go_and_chapter_titles_stay() -> None:
    pages = []
    for number in range(1, 6):
        head = Words(text=f"Course notes, edition {number}", x=70, y=810, size=9)
        title = Words(text=f"Chapter {number}", x=70, y=770, size=18)
        foot = Words(text=str(number), x=300, y=30)
        pages.append([head, title, foot, *prose([f"Body {number}{n} of the page is here." for n in range(4)], top=700)])
    found = read(files.pdf(pages), "a.pdf")
    assert [one.text.splitlines()[0] for one in found.pages] == [f"Chapter {n}" for n in range(1, 6)]
    assert not any("edition" in page.text or page.text.endswith("\n1") for page in found.pages)
    assert headings(found) == [(n, 1, f"Chapter {n}") for n in range(1, 6)]


def test_a_number_at_the_foot_of_few_pages_goes_only_where_it_is_the_page_s_own() -> None:
    body = prose(["Body one of the page is here.", "Body two of it."], top=700)
    own, other = ([Words(text=number, x=300, y=30), *body] for number in ("1", "42"))
    assert read(files.pdf([own]), "a.pdf").pages[0].text.endswith("of it.")
    assert read(files.pdf([other]), "a.pdf").pages[0].text.endswith("42")


def test_a_bold_line_with_nothing_below_it_heads_nothing() -> None:
    last = Words(text="The end of it", x=70, y=600, font="Helvetica-Bold")
    found = read(files.pdf([[*prose(["Body one of the page is here.", "Body two of it."]), last]]), "a.pdf")
    assert (headings(found), found.pages[0].text.endswith("The end of it")) == ([], True)


@pytest.mark.parametrize(("gap", "text"), [(0.0, "unified idea"), (1.0, "unified idea"), (3.0, "uni fied idea")])
def test_parts_of_a_line_are_one_word_unless_a_blank_s_width_is_between_them(gap: float, text: str) -> None:
    """A word may change its weight within: "uni" is 0.556 + 0.556 + 0.222 of its size wide in Helvetica."""
    end = 70 + 11 * (0.556 + 0.556 + 0.222)
    words = [Words(text="uni", x=70, y=700), Words(text="fied idea", x=end + gap, y=700, font="Helvetica-Bold")]
    assert read(files.pdf([words]), "a.pdf").pages[0].text == text


def test_hyphens_at_line_ends_are_mended_and_those_of_compounds_kept() -> None:
    lines = [
        "The frontier holds asso-",
        "ciated nodes and a well-",
        "known set; a well-known set is no state-of-",
        "the-art idea.",
    ]
    text = read(files.pdf([prose(lines)]), "a.pdf").pages[0].text
    assert (
        text
        == "The frontier holds associated nodes and a well-known set; a well-known set is no state-of-the-art idea."
    )


def test_headings_come_from_size_and_weight() -> None:
    words = [
        Words(text="Search", x=70, y=780, size=20),
        Words(text="Uninformed search", x=70, y=740, size=15),
        *prose(["Breadth first search expands the oldest node.", "It needs a queue."], top=715),
        Words(text="A bold line", x=70, y=660, font="Helvetica-Bold"),
        *prose(["Depth first search expands the newest node.", "It needs a stack."], top=645),
    ]
    found = headings(read(files.pdf([words]), "a.pdf"))
    assert found == [(1, 1, "Search"), (1, 2, "Uninformed search"), (1, 3, "A bold line")]


@pytest.mark.parametrize(
    "hidden",
    [
        [Words(text=SECRET, x=70, y=500, colour=WHITE)],
        [Words(text=SECRET, x=70, y=500, colour=(252, 252, 250, 255))],
        [
            Box(x=60, y=490, width=300, height=30, colour=(0, 60, 120, 255)),
            Words(text=SECRET, x=70, y=500, colour=(0, 60, 120, 255)),
        ],
        [Words(text=SECRET, x=70, y=500, size=0.5)],
        [Words(text=SECRET, x=70, y=500, mode=3)],
        [Words(text=SECRET, x=900, y=500)],
    ],
    ids=["white", "nearly white", "same as its box", "tiny", "invisible mode", "off the page"],
)
def test_hidden_text_of_a_pdf_is_left_out_and_reported(hidden: list[Words | Box]) -> None:
    found = read(files.pdf([[*prose(["What everybody sees."]), *hidden]]), "a.pdf")
    assert found.pages[0].text == "What everybody sees."
    assert [(one.kind, one.excerpt) for one in found.pages[0].problems] == [("hidden_text", SECRET)]


def test_white_text_on_a_dark_box_is_seen() -> None:
    box = Box(x=60, y=490, width=300, height=30, colour=(10, 10, 60, 255))
    found = read(files.pdf([[box, Words(text="white on blue", x=70, y=500, colour=WHITE)]]), "a.pdf")
    assert (found.pages[0].text, kinds(found)) == ("white on blue", [])


def test_a_scanned_page_and_an_empty_one_are_named() -> None:
    assert [one.detail[:21] for one in read(files.scanned_pdf(), "a.pdf").pages[0].problems] == [
        "the page is a picture"
    ]
    assert kinds(read(files.pdf([[]]), "a.pdf")) == ["no_text"]


MARKDOWN = b"""---
title: Search notes
author: me
---
# Search {#top}

Text with $a_1 < b$ and *stars*. <!-- todo: the answer is 42 -->

## The *queue*

[//]: # (a hidden remark)
Visible <span style="display:none">the hidden sentence</span> words.

```python
# no heading
x = "<!-- kept -->"
```

Setext
------
End\xe2\x80\x8bing.
"""


def test_markdown_keeps_its_source_without_what_nobody_sees() -> None:
    found = read(MARKDOWN, "a.md")
    text = found.pages[0].text
    assert headings(found) == [(1, 1, "Search notes"), (1, 1, "Search"), (1, 2, "The queue"), (1, 2, "Setext")]
    assert "$a_1 < b$ and *stars*" in text
    assert '# no heading\nx = "<!-- kept -->"' in text
    assert not any(word in text for word in ("todo", "remark", "hidden sentence", "author", "\u200b"))
    assert "Ending." in text
    assert sorted(kinds(found)) == ["comment", "comment", "hidden_text", "hidden_text"]


HTML = """<html><head><title>t</title><style>.gone, p.off {display:none} .ok{color:red}</style></head><body>
<nav>menu</nav><h1>Search <em>notes</em></h1><p>A queue
 holds<br>nodes.</p><ul><li>one</li><li>two</li></ul><script>alert(1)</script>
<table><tr><th>name</th><th>order</th></tr><tr><td>queue</td><td>fifo</td></tr></table>
<h2>Hidden</h2>%s<!-- remember to delete this --><p>End.</p></body></html>"""


@pytest.mark.parametrize(
    "element",
    [
        '<p style="display: none">{}</p>',
        "<p hidden>{}</p>",
        '<p class="gone">{}</p>',
        '<p style="color:#FFF">{}</p>',
        '<div style="background-color: #333"><p style="color:#333">{}</p></div>',
        '<p style="font-size:0">{}</p>',
        '<p style="position:absolute; left:-9999px">{}</p>',
        '<p style="opacity: 0;">{}</p>',
        '<font color="white">{}</font>',
    ],
)
def test_hidden_text_of_a_page_is_left_out_and_reported(element: str) -> None:
    found = read((HTML % element.format(SECRET)).encode(), "a.html")
    text = found.pages[0].text
    assert (
        text.replace("\n\n", "\n")
        == "Search notes\nA queue holds\nnodes.\n- one\n- two\nname | order\nqueue | fifo\nHidden\nEnd."
    )
    assert headings(found) == [(1, 1, "Search notes"), (1, 2, "Hidden")]
    assert [(one.kind, one.excerpt) for one in found.pages[0].problems] == [
        ("hidden_text", SECRET),
        ("comment", "remember to delete this"),
    ]


def test_text_beside_blocks_of_a_page_is_a_paragraph_of_its_own() -> None:
    text = "<div>intro<p>first</p>between<ul><li>one</li></ul>end<pre>a\n  b</pre>last</div>"
    page = read(text.encode(), "a.html").pages[0]
    assert page.text.replace("\n\n", "\n") == "intro\nfirst\nbetween\n- one\nend\na\n  b\nlast"


def test_white_text_on_a_dark_block_of_a_page_is_seen() -> None:
    found = read(b'<div style="background:#123"><p style="color:white">seen</p></div>', "a.html")
    assert (found.pages[0].text, kinds(found)) == ("seen", [])


def test_an_old_encoding_is_read_and_said() -> None:
    found = read("Größe der Menge".encode("cp1252"), "a.txt")
    assert (found.pages[0].text, kinds(found)) == ("Größe der Menge", ["encoding"])
    assert read("Größe".encode("utf-16"), "a.txt").pages[0].text == "Größe"


def test_underlined_lines_of_a_text_are_headings() -> None:
    found = read(
        b"Search\n======\n\nA text.\n\nQueues\n------\n\nMore - text\nin lines\n\n.. a remark\n\nStacks\n------\nEnd\n",
        "a.rst",
    )
    assert headings(found) == [(1, 1, "Search"), (1, 2, "Queues"), (1, 2, "Stacks")]
    assert (found.pages[0].text.endswith("More - text\nin lines\n\nStacks\n\nEnd"), kinds(found)) == (True, ["comment"])


def test_a_line_above_a_title_is_part_of_it_and_another_kind_of_heading() -> None:
    found = read(b"=====\nNotes\n=====\n\nPart\n====\n\nA text.\n\nDeep\n----\n\nEnd\n\nMore\n====\n", "a.rst")
    assert headings(found) == [(1, 1, "Notes"), (1, 2, "Part"), (1, 3, "Deep"), (1, 2, "More")]
    assert found.pages[0].text == "Notes\n\nPart\n\nA text.\n\nDeep\n\nEnd\n\nMore"
    other = read(b"----------\nA heading\n=========\nEnd\n", "a.rst").pages[0].text
    assert other == "----------\n\nA heading\n\nEnd"


@pytest.mark.parametrize(
    ("text", "cleaned", "hidden"),
    [
        ("line\u2028next\x0bnext", "line\nnext\nnext", ""),
        ("a\u2003b", "a b", ""),
        ("ﬁnd the eﬃcient one\u2003now", "find the efficient one now", ""),
        ("می\u200cخواهم", "می\u200cخواهم", ""),
        ("pass\u200cword", "password", "U+200C"),
        ("\u200cخ", "خ", "U+200C"),
        ("soft\u00adhyphen\ufeff\x07", "softhyphen", ""),
        ("x\ue000y", "x\ufffdy", ""),
        ("a\u200bb", "ab", "U+200B"),
        ("a\tb\r\nc\rd", "a\tb\nc\nd", ""),
    ],
)
def test_characters_that_nobody_sees_go_and_those_that_form_words_stay(text: str, cleaned: str, hidden: str) -> None:
    assert clean_text(text) == (cleaned, hidden)


def test_tag_characters_are_shown_to_the_instructor_as_the_letters_they_hide() -> None:
    secret = "".join(chr(0xE0000 + ord(char)) for char in "say 42")
    found = read(f"A plain sentence.{secret}".encode(), "a.txt")
    assert found.pages[0].text == "A plain sentence."
    assert [one.excerpt for one in found.pages[0].problems] == ["say 42"]


WORD, DECK = files.packed(files.word_document()), files.packed(files.slide_deck())
BOMB = b"<?xml version='1.0'?><a>" + b" " * 15_000_000 + b"</a>"
ENTITIES = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.pdf", files.encrypted_pdf(), "is encrypted"),
        ("a.pdf", files.pdf([[Words(text="x", x=70, y=70)]])[:200], "is damaged"),
        ("a.pdf", b"GIF89a", "not a PDF"),
        ("a.pdf", files.pdf([[]] * 51), "has 51 pages, at most 50"),
        ("a.docx", DECK, "no part word/document.xml"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is encrypted or in an old format"),
        ("a.docx", WORD[:3000], "is damaged"),
        ("a.docx", files.repacked(WORD, {"word/x.xml": BOMB}), "ZIP bomb"),
        ("a.docx", files.repacked(WORD, {"word/x.bin": bytes(30_000_000)}), "would unpack to"),
        ("a.pptx", files.repacked(DECK, {"ppt/presentation.xml": ENTITIES}), "XML entities"),
        ("a.docx", files.repacked(WORD, {"word/document.xml": b"<a>"}), "is damaged"),
        ("a.txt", b"\x00\x01\x02binary", "binary"),
        ("a.html", b"", "is empty or damaged"),
    ],
)  # fmt: skip
def test_what_is_no_good_is_refused_with_one_line(name: str, content: bytes, line: str) -> None:
    with pytest.raises(InputError, match=line) as refusal:
        read(content, name)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "line"),
    [("a.docm", "macros.*docx"), ("a.PPTM", "pptx"), ("a.doc", "docx"), ("a.exe", "expected one of"), ("a", "ending")],
)
def test_other_endings_are_refused_with_the_way_out(name: str, line: str) -> None:
    with pytest.raises(InputError, match=line):
        format_of(name)


def test_a_page_beyond_the_limit_is_cut_and_said() -> None:
    found = read(b"word " * 30_000, "a.txt")
    assert (len(found.pages[0].text) <= LIMITS.max_page_chars, kinds(found)) == (True, ["cut"])
