"""The order in which a page is read: pieces of lines become lines, columns are read one after the other.

A gutter is a left edge that many pieces share, with dense lines of text on both sides. A table has such an edge too,
but its cells are short or stand far apart: it is read row by row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

MIN_COLUMN_LINES = 4
"""Fewest lines of a column. (chosen)"""
MIN_COLUMN_FILL = 0.55
"""Least part of a column's width that its median line fills. (chosen: prose fills it, table cells do not)"""
MIN_COLUMN_CHARS = 12
"""Fewest characters of a column's median line. (chosen)"""
MAX_LOOSE_SHARE = 0.34
"""Greatest share of wide gaps between a column's lines. (chosen: labels beside longer cells stand apart)"""
MAX_COLUMNS_DEEP = 3


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A run of characters on one line; coordinates in points from the page's top left corner."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    """Height of the type, points."""
    bold: bool

    @property
    def middle(self) -> float:
        """Half way down."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line as it is read."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool
    block: int
    """Lines of one column between two wide ones share a number."""
    is_row: bool = False
    """Of several cells that stand apart."""


def reading_order(pieces: Sequence[Piece]) -> list[Line]:
    """Return a page's lines in the order they are read."""
    out: list[Line] = []
    _order([piece for piece in pieces if piece.text.strip()], out, MAX_COLUMNS_DEEP)
    return out


def _order(pieces: list[Piece], out: list[Line], depth: int) -> None:
    gutter = _gutter(pieces) if depth else None
    block = out[-1].block + 1 if out else 0
    if gutter is None:
        out += [_line(row, block) for row in _rows(pieces)]
        return
    band: list[Piece] = []
    for row in _rows([piece for piece in pieces if _crosses(piece, gutter)]):
        top = min(piece.top for piece in row)
        above = [piece for piece in pieces if not _crosses(piece, gutter) and piece.middle < top and piece not in band]
        band_now = above
        band += above
        _sides(band_now, gutter, out, depth)
        out.append(_line(row, out[-1].block + 1 if out else 0))
    rest = [piece for piece in pieces if not _crosses(piece, gutter) and piece not in band]
    _sides(rest, gutter, out, depth)


def _sides(pieces: list[Piece], gutter: float, out: list[Line], depth: int) -> None:
    """Read what lies between two wide lines: left, then right; too little of it is read row by row."""
    left = [piece for piece in pieces if piece.x0 < gutter - 1]
    right = [piece for piece in pieces if piece.x0 >= gutter - 1]
    if not left or not right or min(len(left), len(right)) < 2:
        if pieces:
            block = out[-1].block + 1 if out else 0
            out += [_line(row, block) for row in _rows(pieces)]
        return
    _order(left, out, depth - 1)
    _order(right, out, depth - 1)


def _crosses(piece: Piece, gutter: float) -> bool:
    return piece.x0 < gutter - 1 and piece.x1 > gutter + 1


def _gutter(pieces: Sequence[Piece]) -> float | None:
    """Return the left edge of the best second column, or `None`."""
    if len(pieces) < 2 * MIN_COLUMN_LINES:
        return None
    left, right = min(piece.x0 for piece in pieces), max(piece.x1 for piece in pieces)
    width = right - left
    edges = Counter(round(piece.x0 / 2) * 2.0 for piece in pieces)
    found: list[tuple[int, float]] = []
    for edge, n in edges.items():
        if n < MIN_COLUMN_LINES or not left + 0.15 * width < edge < right - 0.15 * width:
            continue
        gutter = edge - 1.5
        score = _columns(pieces, gutter, left, right)
        if score:
            found.append((score, gutter))
    return max(found)[1] if found else None


def _columns(pieces: Sequence[Piece], gutter: float, left: float, right: float) -> int:
    """Return in how many lines a gutter parts two columns of text; 0: it is none."""
    one = [piece for piece in pieces if piece.x1 <= gutter + 1]
    two = [piece for piece in pieces if piece.x0 >= gutter - 1]
    if min(len(one), len(two)) < MIN_COLUMN_LINES:
        return 0
    crossing = [piece for piece in pieces if _crosses(piece, gutter)]
    top = max(min(piece.top for piece in one), min(piece.top for piece in two))
    bottom = min(max(piece.bottom for piece in one), max(piece.bottom for piece in two))
    inside = sum(top < piece.middle < bottom for piece in crossing)
    shared = min(sum(top - 1 <= piece.middle <= bottom + 1 for piece in side) for side in (one, two))
    if shared < MIN_COLUMN_LINES or inside > shared / 2:
        return 0
    edge = max(piece.x1 for piece in one)
    if not _is_prose(one, edge - left) or not _is_prose(two, right - gutter):
        return 0
    return shared - inside


def _is_prose(pieces: Sequence[Piece], width: float) -> bool:
    lines = [_line(row, 0) for row in _rows(pieces)]
    if width <= 0 or median(line.x1 - line.x0 for line in lines) < MIN_COLUMN_FILL * width:
        return False
    if median(len(line.text) for line in lines) < MIN_COLUMN_CHARS and not _is_dense_script(lines):
        return False
    gaps = [after.top - before.top for before, after in zip(lines, lines[1:], strict=False)]
    height = median(line.size for line in lines) or 1.0
    return sum(gap > 2.4 * height for gap in gaps) <= MAX_LOOSE_SHARE * len(gaps)


def _is_dense_script(lines: Sequence[Line]) -> bool:
    text = "".join(line.text for line in lines)
    return (
        sum("\u3000" < char < "\u9fff" for char in text) > len(text) / 2
        and median(map(len, (x.text for x in lines))) >= 6
    )


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return pieces that stand on one line together, from top to bottom, each row from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: (piece.middle, piece.x0)):
        if rows and _on_one_line(rows[-1], piece):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.x0) for row in rows]


def _on_one_line(row: Sequence[Piece], piece: Piece) -> bool:
    largest = max(row, key=lambda one: one.size)
    shared = min(largest.bottom, piece.bottom) - max(largest.top, piece.top)
    return shared > 0.4 * min(largest.bottom - largest.top, piece.bottom - piece.top) or (
        abs(largest.middle - piece.middle) < 0.35 * max(largest.size, piece.size)
    )


def _line(row: Sequence[Piece], block: int) -> Line:
    parts: list[str] = []
    end: float | None = None
    cells = 1
    size = max(_weighted_sizes(row).items(), key=lambda item: item[1])[0]
    for piece in row:
        gap = 0.0 if end is None else piece.x0 - end
        if gap > 1.6 * piece.size:
            cells += 1
        if end is not None and gap > 0.18 * piece.size and not parts[-1].endswith(" "):
            parts.append(" ")
        parts.append(piece.text)
        end = piece.x1 if end is None else max(end, piece.x1)
    letters = sum(len(piece.text.strip()) for piece in row)
    return Line(
        text=" ".join("".join(parts).split()),
        x0=min(piece.x0 for piece in row),
        x1=max(piece.x1 for piece in row),
        top=min(piece.top for piece in row),
        bottom=max(piece.bottom for piece in row),
        size=size,
        bold=sum(len(piece.text.strip()) for piece in row if piece.bold) > 0.9 * letters,
        block=block,
        is_row=cells > 1,
    )


def _weighted_sizes(row: Sequence[Piece]) -> Counter[float]:
    sizes: Counter[float] = Counter()
    for piece in row:
        sizes[round(piece.size, 1)] += len(piece.text.strip()) or 1
    return sizes
