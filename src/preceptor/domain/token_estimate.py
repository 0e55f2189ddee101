"""How many tokens a text costs in a prompt, without any model's tokenizer."""

from __future__ import annotations

import math
import re

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7ff]")


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens: one for each CJK character, else one for four characters.

    An estimate, since each model counts differently; it errs on the high side for English prose.
    """
    if text.isascii():
        return math.ceil(len(text) / 4)
    wide = len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / 4)


def cut_to_tokens(text: str, most: int) -> str:
    """Return a text on one line, cut to about `most` tokens with "…" where something was cut off."""
    line = " ".join(text.split())
    if estimate_tokens(line) <= most:
        return line
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(line[:middle]) <= most - 1 else (low, middle - 1)
    kept = line[:low]
    shorter = kept.rsplit(" ", 1)[0]
    return (shorter if len(shorter) * 3 > len(kept) * 2 else kept).rstrip(" ,;:") + "…"
