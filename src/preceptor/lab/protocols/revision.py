"""What a scripted learner makes of words about its work: chances to see a mistake, and to spoil what was right.

The numbers are chosen, not taken from learners: who sees a mistake more likely when its place is named improves by
construction. The protocol with them checks that feedback names the right place, leaks nothing and does no harm.
"""

from __future__ import annotations

import hashlib
import random
import re

UNAIDED = 0.15
"""Chance to see a mistake when looking again with no place named. (chosen)"""
PLACE_NAMED = 0.6
"""When the step is named. (chosen)"""
DETAIL_NAMED = 0.8
"""When the step is named and what in it is wrong: the node, the numbers. (chosen)"""
SPOILS = 0.08
"""Chance to change something that was right, when told to look again with no place named. (chosen)"""
MISLED = 0.5
"""Chance to change something that was right, when its place is named as if it were wrong. (chosen)"""

_PRAISE = re.compile(r"\b(?:good|great|right|correct|well done)\b|正确|很好", re.IGNORECASE)
_LOOK_AGAIN = re.compile(r"\b(?:check|again|once more|look)\b|检查|再", re.IGNORECASE)


def asks_to_look_again(said: str) -> bool:
    """Return whether words ask for another look, wherever."""
    return bool(_LOOK_AGAIN.search(said))


def praises(said: str) -> bool:
    """Return whether words call the work good: then a question how to check it does not call it wrong."""
    return bool(_PRAISE.search(said))


def learner_chances(task_id: str, number: int, seed: int) -> random.Random:
    """Return one learner's own source of chance: the same for the same task, number and seed."""
    digest = hashlib.sha256(f"{seed}|{task_id}|{number}".encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))
