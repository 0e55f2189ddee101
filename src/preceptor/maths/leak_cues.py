"""Wording by which a reply answers a question: results, conclusions, quotations, denials. English."""

from __future__ import annotations

import re


def _any(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


_ADVERBS = r"(?:(?:actually|just|only|exactly|about|indeed|simply|equal to)\s+)*"
_OPEN = r"[$€£\"']?$"

ASKS = re.compile(
    r"\b"
    + _any(
        r"what|which|why|where|try|does|is it|are there|have you",
        r"how (?:many|much|do|did|can|would|could|about)",
        r"(?:can|could|would|do|did) you",
        r"(?:is|should|would|does)n't",
    )
    + r"\b",
    re.IGNORECASE,
)
"""Where the asking part of a sentence begins."""

NEGATED = re.compile(r"(?:\bnot|n't|\bnever|instead of|rather than|than|without)\s+(?:\w+\s+)?[$€£]?$", re.IGNORECASE)
OPERATOR_AFTER = re.compile(
    r"\s*(?:[\w%]+\s)?"
    + _any(
        r"[-+*/×÷x^]\s*[$(]?\d",
        r"(?:times|plus|minus|divided|multiplied)\b",
        r"and (?:then )?(?:add|subtract)",
    )
)
OPERATOR_BEFORE = re.compile(
    _any(
        r"[-+*/×÷^(]\s*|\dx\s*|\d\s+x\s+",
        r"\b(?:times|plus|minus|by|add|adding|subtract|subtracting|multiply|multiplying|divide|dividing|from|of|between"
        r"|multiplied|with)\s+(?:the\s+)?(?:total\s+)?",
    )
    + r"[$€£]?$",
    re.IGNORECASE,
)
RESULT_BEFORE = re.compile(
    _any(
        "=",
        ":",
        r"\b"
        + _any(
            r"is|are|be|was|were|have|has|to|at|for|as|only|just|actually|answer|in total|(?:up|left) with",
            r"equals?|equal to|gives?|giving|get|gets|makes?|making|leaves?|leaving|total of|totals?",
            r"becomes?|needs?|results? in|means?|spends?|costs?|takes?|pays?|earns?",
        ),
    )
    + r"\s*(?:(?:actually|just|only|exactly|about|equal to|a total of|the|up to|now|still|would be|really|another)\s+)*"
    + _OPEN,
    re.IGNORECASE,
)
STRONG = re.compile(
    _any(
        r"\b(?:answer|result|total|solution|value|product|sum|difference|quotient)\b[^.?!]{0,60}?"
        r"(?:\bis|\bare|\bequals?|\bbe|:|=)",
        r"\bshould (?:be|get|have|equal)|\bis actually|\b(?:would|will|must) be|\b(?:we|you) (?:\w+ )?(?:get|have)|=",
        r"\bgives?(?: you| us)?|\bequals?|\bwhich (?:is|means)|\b(?:that|it)(?:'s| is)|\bmakes|\bleaves?",
        r"\bround(?:s|ed)?(?: up| down)? to|\bnot \S+ but",
    )
    + r"\s*"
    + _ADVERBS
    + _OPEN,
    re.IGNORECASE,
)
"""Words that present what follows as a result."""

ANSWER_IS = re.compile(
    r"\b(?<!your )(?:answer|result|(?:grand |final )?total|total (?:\w+ ){1,4})\s*(?:\w+\s+){0,3}?"
    r"(?:is|should be|would be|will be|must be|equals?|comes to|=|:)\s*" + _ADVERBS + _OPEN,
    re.IGNORECASE,
)
CALLED_IT = re.compile(
    r"\b(?:it|that|this|answer)(?: is|'s| would be| should be| will be| equals| gives)\s+" + _ADVERBS + _OPEN,
    re.IGNORECASE,
)
CONCLUDES = re.compile(
    r"\b(?:so|therefore|thus|hence|making|in total|altogether|final|means|needs?|would be|should be|giving|leaving)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(
    r"\b(?:you (?:\w+ )?(?:said|say|think|thought|got|wrote|found|calculated|have|had|gave)|your)\b[^,.!?]{0,60}$"
)
DEFINES = re.compile(
    r"\b(?:is|are|has|have|means|called|equals|represents|stands for)\b\s+"
    r"(?:(?:indeed|actually|just|also|not just|really)\s+)*(?P<rest>.*)",
    re.IGNORECASE,
)
TALK = frozenset(
    ["correct", "right", "start", "good", "great", "try", "think", "actually", "remember", "close", "indeed"]
)
"""Content words that speak about the learner's attempt, not about the matter."""
