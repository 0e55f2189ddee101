"""What a turn record keeps of its search of a course."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class PassageFound(BaseModel):
    """One passage of a course that was found, with what each stage gave it; `None`: the stage was off."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    passage_id: str
    score: float
    """By which it was ranked."""
    dense: float | None = None
    words: float | None = None
    fused: float | None = None
    mmr: float | None = None
    concepts: float | None = None
    rerank: float | None = None
    late: float | None = None
    boost: float = 0.0


class CourseSearch(BaseModel):
    """What a course was asked, and what there was to choose from."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    profile: str
    revision: int | None = None
    """Of the course as it was searched."""
    answerable: float | None = None
    """Calibrated probability that the course holds the answer; `None`: nothing to judge by."""
    in_course: bool = False
    n_searched: int = 0
    """Passages of the course."""
    found: tuple[PassageFound, ...] = ()
    """Best first; those beyond `SourceRead.ids` were not shown to the tutor."""
    unknown_words: tuple[str, ...] = ()
    stages_off: dict[str, str] = {}
    """Stage → why it did not run."""
    timings_ms: dict[str, float] = {}
