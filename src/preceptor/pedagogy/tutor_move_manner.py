"""How a tutor writes, and what the same tutor asked and told before.

What one teacher calls probing the next calls focus; manner and earlier replies tell a part of whose words these are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from preceptor.domain.dialogue import Turn
from preceptor.pedagogy.tutor_move_cues import cues_of
from preceptor.pedagogy.tutor_move_shape import LONGEST, plain_shape

HABIT = "habit "
"""What the name of a run of the tutor's earlier replies begins with."""
_MANNER: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "lower_start": r"^\s*[a-z]",
        "no_mark_at_end": r"[^.?!\s]\s*$",
        "full_stop_at_end": r"\.\s*$",
        "question_at_end": r"\?\s*$",
        "exclaims": r"!",
        "marks_in_a_row": r"!!|\?\?|\.\.",
        "space_before_mark": r" [,.?!]",
        "no_space_after_mark": r"[a-z][,.?!][A-Za-z]",
        "double_space": r"  ",
        "dash": r" - ",
        "colon": r"[;:]",
        "capitals": r"\b[A-Z]{3,}\b",
        "lower_i": r"\bi\b",
        "new_line": r"\n",
        "quotes": r'["“”]',
        "brackets": r"[()]",
        "apostrophe": r"[a-z]['’][a-z]",
        "comma": r",",
        "okay": r"(?i)^\W*okay",
        "ok": r"(?i)^\W*ok\b",
        "lower_after_stop": r"[.?!] +[a-z]",
        "money": r"[$£€]",
        "star": r"\d ?\* ?\d",
        "letter_times": r"\d ?x ?\d",
        "equals": r"=",
        "please": r"(?i)\bplease\b",
        "name_first": r"^(?:Hi|Hello|Hey)? ?[A-Z][a-z]+,? ",
    }.items()
}
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def manner_features(reply: str) -> dict[str, float]:
    """Return how a reply is written: 1 for each trait it has, and its length in hundreds of characters (at most 4)."""
    return {
        **{f"manner_{name}": float(bool(pattern.search(reply))) for name, pattern in _MANNER.items()},
        "manner_length": min(len(reply) / 100, 4.0),
    }


def habit_features(history: Sequence[Turn]) -> dict[str, float]:
    """Return what the tutor's earlier replies had, averaged over them, and 1 for each run of their plain shape.

    Empty where the tutor has not spoken yet.
    """
    earlier = [_traits(turn.tutor) for turn in history if turn.tutor]
    if not earlier:
        return {}
    means = {f"habit_{name}": sum(traits[name] for traits, _ in earlier) / len(earlier) for name in earlier[0][0]}
    return {**means, **{run: 1.0 for _, runs in earlier for run in runs}}


@lru_cache(maxsize=256)
def _traits(reply: str) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """Return traits and runs of one earlier reply; kept, since each later turn of the dialogue asks again."""
    text = reply.strip().replace("’", "'")
    tokens = plain_shape(reply)
    runs = {
        HABIT + " ".join(tokens[start : start + size])
        for size in range(1, LONGEST + 1)
        for start in range(len(tokens) - size + 1)
    }
    traits = {**manner_features(reply), **cues_of(text), "log_words": math.log1p(len(_WORD.findall(text)))}
    return traits, tuple(sorted(runs))
