"""A prompt's older section of assessment results beside the block: a model believes the first statement it reads.

The block stands ahead of such a section. One that says only that nothing is recorded is left out, since it was once
read as "you have not answered anything yet". (seed: A Tutor That Remembers, one turn within a budget)
"""

from __future__ import annotations

import re

from preceptor.memory.block import MemoryBlock

BRIDGE = (
    "The section below counts formal assessments only. What this student was asked and answered in conversation stands "
    "in your memory above; where the two differ, both are true of what they count."
)
_NOTHING = re.compile(
    r"\b(?:no|none|zero|0)\b[^.;]*\b(?:attempts?|results?|quiz(?:zes)?|assessments?|tests?|scores?|records?|recorded|"
    r"data|grades?)\b|\bnothing\b[^.;]*\brecorded\b|\bnot (?:yet )?(?:attempted|taken|recorded|available)\b"
    r"|\bhas(?:n't| not)\b[^.;]*\b(?:attempted|taken|answered)\b|^(?:none|n/?a|nothing|-)(?: yet)?$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(?:[=#*\-_\s]*[A-Z][A-Z \d/&-]+[=#*\-_:\s]*|#+ .*|[^.!?]{1,60}:|[=*_\-\s]+)$")


def assessment_section(section: str, block: MemoryBlock) -> str:
    """Return what of an assessment section goes into the prompt, to stand after the block; "": nothing.

    Args:
        section: As an older system words it.
        block: This turn's; where it is empty the section stays as it is.
    """
    if not section.strip() or not block.text:
        return section
    return "" if says_nothing_recorded(section) else f"{BRIDGE}\n{section}"


def says_nothing_recorded(section: str) -> bool:
    """Whether a section says that nothing is recorded and nothing else; headings do not count."""
    sentences = [
        sentence.strip()
        for line in section.splitlines()
        if line.strip() and not (_HEADING.match(line.strip()) and not _NOTHING.search(line))
        for sentence in re.split(r"(?<=[.!;])\s+", line)
        if sentence.strip()
    ]
    return bool(sentences) and all(_NOTHING.search(one) for one in sentences)
