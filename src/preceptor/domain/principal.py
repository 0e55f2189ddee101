"""Who is asking: every store call takes its scope from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PrincipalRole = Literal["learner", "instructor", "researcher"]


@dataclass(frozen=True, kw_only=True)
class Principal:
    """One person at one entry point (command line, loopback page, token session)."""

    learner_id: str
    """Whose log is written and read by default."""
    roles: frozenset[PrincipalRole]
    """The loopback owner holds all three; a token session is only ever the learner."""

    @property
    def may_instruct(self) -> bool:
        """Whether instructor pages and commands are open to this principal."""
        return "instructor" in self.roles


LOCAL_OWNER = Principal(learner_id="local", roles=frozenset({"learner", "instructor", "researcher"}))
"""The one person of a fresh install, at the keyboard of the machine."""
