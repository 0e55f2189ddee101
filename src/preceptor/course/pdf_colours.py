"""Whether text of a PDF page has the colour of what it stands on: asked of the drawn page, on suspicion only."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

LIGHT = 200
"""A colour whose channels all reach this is looked at. (chosen: on paper it may be invisible)"""
FAINT_ALPHA = 40
"""Opacity, of 255, below which text is looked at. (chosen)"""
SAME = 12
"""Greatest difference of a channel, of 255, at which two colours look the same. (chosen)"""
MAX_OBJECTS = 3000
"""Objects of a page that are looked at for a fill. (chosen: bounds the time of a page full of paths)"""
_MAX_SIDE = 4000


class HidingColours:
    """The suspicions about one page, and its picture once there is one."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        """Look at what is filled on the page; it is drawn only when asked about."""
        self._page = page
        self._fills: set[tuple[int, int, int]] | None = None
        self._picture: NDArray[np.uint8] | None = None

    def hides(self, colour: tuple[int, int, int, int], box: Sequence[float]) -> bool:
        """Return whether text of this colour cannot be seen.

        Args:
            colour: Red, green, blue, opacity, each 0..255.
            box: Left, bottom, right, top of the text in the page's points.
        """
        if not self._is_suspect(colour) or not box[0] < box[2] or not box[1] < box[3]:
            return False
        spot = self._spot(box)
        return spot.size > 0 and int(spot.max()) - int(spot.min()) <= SAME

    def _is_suspect(self, colour: tuple[int, int, int, int]) -> bool:
        if min(colour[:3]) >= LIGHT or colour[3] < FAINT_ALPHA:
            return True
        if self._fills is None:
            self._fills = _fills(self._page)
        return any(max(abs(a - b) for a, b in zip(colour, fill, strict=False)) <= SAME for fill in self._fills)

    def _spot(self, box: Sequence[float]) -> NDArray[np.uint8]:
        if self._picture is None:
            width, height = self._page.get_size()
            if max(width, height) > _MAX_SIDE:
                return np.zeros(0, dtype=np.uint8)
            self._picture = self._page.render(scale=1, no_smoothtext=False).to_numpy()
        height, width = self._picture.shape[:2]
        corners = [self._pixel(x, y, width, height) for x, y in ((box[0], box[1]), (box[2], box[3]))]
        (xa, xb), (ya, yb) = (sorted(axis) for axis in zip(*corners, strict=True))
        spot: NDArray[np.uint8] = self._picture[max(ya, 0) : yb + 1, max(xa, 0) : xb + 1]
        if not spot.size:
            return spot
        spread: NDArray[np.uint8] = np.stack([spot.min(axis=(0, 1)), spot.max(axis=(0, 1))])
        widest = int(np.argmax(spread[1].astype(int) - spread[0].astype(int)))
        return spread[:, widest]

    def _pixel(self, x: float, y: float, width: int, height: int) -> tuple[int, int]:
        px, py = ctypes.c_int(), ctypes.c_int()
        pdfium.FPDF_PageToDevice(
            self._page.raw,
            0,
            0,
            width,
            height,
            0,
            ctypes.c_double(x),
            ctypes.c_double(y),
            ctypes.byref(px),
            ctypes.byref(py),
        )
        return px.value, py.value


def _fills(page: pypdfium2.PdfPage) -> set[tuple[int, int, int]]:
    """Return the colours of what is filled on a page."""
    found: set[tuple[int, int, int]] = set()
    channels = [ctypes.c_uint() for _ in range(4)]
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    for index in range(min(int(pdfium.FPDFPage_CountObjects(page.raw)), MAX_OBJECTS)):
        one = pdfium.FPDFPage_GetObject(page.raw, index)
        if pdfium.FPDFPageObj_GetType(one) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        pdfium.FPDFPath_GetDrawMode(one, ctypes.byref(mode), ctypes.byref(stroke))
        if mode.value and pdfium.FPDFPageObj_GetFillColor(one, *(ctypes.byref(channel) for channel in channels)):
            found.add((channels[0].value, channels[1].value, channels[2].value))
    return found
