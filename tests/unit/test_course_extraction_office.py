"""Word files and slide decks give their text in order, and nothing that a reader would not see."""

from __future__ import annotations

from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor
from pptx.dml.color import RGBColor as SlideColour
from pptx.oxml.ns import qn
from pptx.util import Emu
from tests.unit import course_files as files
from tests.unit.course_files import headings, kinds, read

SECRET = "the hidden sentence"


def test_a_word_file_gives_headings_tables_and_lists_and_no_hidden_run() -> None:
    document = files.word_document()
    document.add_heading("Search", 1)
    paragraph = document.add_paragraph("A queue ")
    paragraph.add_run("HIDDEN1").font.hidden = True
    paragraph.add_run("HIDDEN2").font.color.rgb = RGBColor(255, 255, 255)
    paragraph.add_run("HIDDEN3").font.size = Pt(1)
    run = paragraph.add_run("holds nodes.")
    document.add_comment(run, text="ask the author", author="x", initials="x")
    table = document.add_table(rows=2, cols=2)
    for place, cell in enumerate(("name", "order", "queue", "fifo")):
        table.cell(place // 2, place % 2).text = cell
    document.add_heading("Stacks", 2)
    found = read(files.packed(document), "a.docx")
    assert found.pages[0].text == "Search\n\nA queue holds nodes.\n\nname | order\nqueue | fifo\n\nStacks"
    assert headings(found) == [(1, 1, "Search"), (1, 2, "Stacks")]
    assert [(one.kind, one.excerpt) for one in found.pages[0].problems] == [
        ("hidden_text", "HIDDEN1HIDDEN2HIDDEN3"),
        ("comment", "ask the author"),
    ]


SHADE = '<w:shd {} w:val="clear" w:color="auto" w:fill="{}"/>'
TEXT_BOX = (
    '<mc:AlternateContent {} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:{}><w:txbxContent><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:txbxContent></mc:{}></mc:AlternateContent>"
)


def test_text_is_hidden_on_the_ground_it_stands_on() -> None:
    document = files.word_document()
    dark = document.add_paragraph()
    dark._p.get_or_add_pPr().append(parse_xml(SHADE.format(nsdecls("w"), "1A2B3C")))
    dark.add_run("White on dark is seen.").font.color.rgb = RGBColor(255, 255, 255)
    dark.add_run("HIDDEN1").font.color.rgb = RGBColor(0x1A, 0x2B, 0x3C)
    plain = document.add_paragraph("And this.")
    plain.add_run("HIDDEN2").font.color.rgb = RGBColor(255, 255, 255)
    cell = document.add_table(rows=1, cols=1).cell(0, 0)
    cell._tc.get_or_add_tcPr().append(parse_xml(SHADE.format(nsdecls("w"), "1A2B3C")))
    cell.paragraphs[0].add_run("In a cell.").font.color.rgb = RGBColor(255, 255, 255)
    cell.paragraphs[0].add_run("HIDDEN3").font.color.rgb = RGBColor(0x1A, 0x2B, 0x3C)
    found = read(files.packed(document), "a.docx").pages[0]
    assert found.text == "White on dark is seen.\n\nAnd this.\n\nIn a cell."
    assert "".join(one.excerpt for one in found.problems) == "HIDDEN1HIDDEN2HIDDEN3"


def test_a_text_box_is_read_once_although_the_file_holds_it_twice() -> None:
    document = files.word_document()
    run = document.add_paragraph("Before. ").add_run()
    for kind, text in (("Choice", "In a box."), ("Fallback", "For old programs.")):
        run._r.append(parse_xml(TEXT_BOX.format(nsdecls("w"), kind, text, kind)))
    assert read(files.packed(document), "a.docx").pages[0].text == "Before. In a box."


def test_a_deck_gives_a_page_a_slide_and_no_hidden_slide() -> None:
    deck = files.slide_deck()
    first, second = (deck.slides.add_slide(deck.slide_layouts[1]) for _ in range(2))
    first.shapes.title.text_frame.text = "Search"
    frame = first.placeholders[1].text_frame
    frame.text = "A queue holds nodes."
    white = frame.add_paragraph().add_run()
    white.text = SECRET
    white.font.color.rgb = SlideColour.from_string("FFFFFF")  # type: ignore[no-untyped-call]
    away = first.shapes.add_textbox(Emu(-5_000_000), Emu(0), Emu(1_000_000), Emu(500_000))
    away.text_frame.text = "far off"
    first.notes_slide.notes_text_frame.text = "say this aloud"
    second.shapes.title.text_frame.text = "The solution"
    second._element.set("show", "0")
    found = read(files.packed(deck), "a.pptx")
    assert [page.text for page in found.pages] == ["Search\n\nA queue holds nodes.", ""]
    assert headings(found) == [(1, 1, "Search")]
    assert sorted((one.kind, one.excerpt) for page in found.pages for one in page.problems) == [
        ("comment", "say this aloud"),
        ("hidden_text", "The solution"),
        ("hidden_text", "far off"),
        ("hidden_text", SECRET),
    ]


def a_slide() -> tuple[Any, Any]:
    """A deck and its one slide, with nothing on it."""
    deck = files.slide_deck()
    return deck, deck.slides.add_slide(deck.slide_layouts[6])


def written(slide: Any, text: str, *, left: int = 0, top: int = 0) -> Any:
    """Put a text box on a slide, 500,000 wide and high; return its run."""
    box = slide.shapes.add_textbox(Emu(left), Emu(top), Emu(500_000), Emu(500_000))
    run = box.text_frame.paragraphs[0].add_run()
    run.text = text
    run.font.bold = True
    return run


def test_what_lies_off_a_slide_on_any_side_is_hidden() -> None:
    deck, slide = a_slide()
    written(slide, "In the middle.", left=1_000_000, top=1_000_000)
    written(slide, "Half off.", left=-400_000, top=-400_000)
    for text, left, top in (
        ("left", -500_000, 0),
        ("above", 0, -500_000),
        ("right", deck.slide_width, 0),
        ("below", 0, deck.slide_height),
    ):
        written(slide, text, left=left, top=top)
    page = read(files.packed(deck), "a.pptx").pages[0]
    assert page.text == "Half off.\n\nIn the middle."
    assert {one.excerpt for one in page.problems} == {"left", "above", "right", "below"}


def test_text_in_the_colour_of_its_slide_or_of_none_is_hidden() -> None:
    deck, slide = a_slide()
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = SlideColour.from_string("1A2B3C")  # type: ignore[no-untyped-call]
    for place, (text, colour) in enumerate((("White.", "FFFFFF"), ("same", "1A2B3C"), ("clear", "FFFFFF"))):
        run = written(slide, text, top=600_000 * place)
        run.font.color.rgb = SlideColour.from_string(colour)  # type: ignore[no-untyped-call]
    alpha = run._r.rPr.find(qn("a:solidFill"))[0].makeelement(qn("a:alpha"), {"val": "9999"})
    run._r.rPr.find(qn("a:solidFill"))[0].append(alpha)
    page = read(files.packed(deck), "a.pptx").pages[0]
    assert page.text == "White."
    assert {one.excerpt for one in page.problems} == {"same", "clear"}
    alpha.set("val", "10000")
    assert read(files.packed(deck), "a.pptx").pages[0].text == "White.\n\nclear"


def test_macros_in_a_plain_ending_are_left_out_and_said() -> None:
    document = files.word_document()
    document.add_paragraph("Plain text.")
    content = files.repacked(files.packed(document), {"word/vbaProject.bin": b"macro"})
    found = read(content, "a.docx")
    assert (found.pages[0].text, kinds(found)) == ("Plain text.", ["macros"])
