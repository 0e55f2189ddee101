"""Words that terminal output uses for marks and hint rungs."""

from __future__ import annotations

MARKS = {"right": "✓ right", "wrong": "✗ look again", "unsure": "? not sure"}
RUNGS = {1: "a nudge", 2: "where to look", 3: "the next small step", 4: "a similar one worked out"}
