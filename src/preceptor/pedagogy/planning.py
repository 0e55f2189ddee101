"""Moves where no worked solution can be relied on: arithmetic, units and use of the text; never the method."""

from __future__ import annotations

from preceptor.domain.claim import Operand
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.reply import Move, Rung
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.moves import Draft, MoveMaker
from preceptor.pedagogy.outlook import claim_text, expression_text
from preceptor.pedagogy.situation import right_claim, slipped
from preceptor.pedagogy.wording import goal_of, quote_for, with_noun


class PlanningMoves(MoveMaker):
    """Asks planning questions; says right or off about arithmetic only."""

    def slots(self) -> dict[str, str | None]:
        """Return what the text alone offers."""
        text = self.turn.context.problem.text
        givens = self.givens()
        quote = None
        if givens:
            place = len(self.turn.context.history) % len(givens)
            quote = quote_for(text, givens[place])
        pair = [
            with_noun(given.value, unit=given.unit, noun=given.noun, language=self.turn.context.language)
            for given in givens[:2]
        ]
        return {"goal": goal_of(text), "quote": quote, "givens": " and ".join(pair) if len(pair) > 1 else None}

    def givens(self) -> list[Operand]:
        """Return the quantities of the problem's text."""
        found = find_numbers(self.turn.context.problem.text, self.turn.context.problem.language)
        return [Operand(value=number.value, text=number.text, unit=number.unit, noun=number.noun) for number in found]

    def gives_away(self, line: str) -> bool:
        """Nothing is known that could be given away."""
        return False

    @property
    def node(self) -> int | None:
        """There are no steps to name."""
        return None

    def value_frame(self) -> Frame:
        """Ask openly."""
        return Frame(kind=FrameKind.OPEN)

    def next_question(self, *keys: str, **more: str | None) -> str:
        """Ask a planning question."""
        return self.say("ask.plan", "ask.phrase", **more)

    def notice(self) -> str:
        """Say once what is checked here, and why not more."""
        graph = self.turn.context.graph
        return self.say("say.inconsistent" if graph is not None and graph.inconsistent else "say.no_reference")

    def opening(self) -> Draft:
        """Greet, say what can be checked, ask for a plan."""
        return self.draft(Move.GREET, self.say("say.greet"), self.notice(), self.next_question())

    def advance(self) -> Draft:
        """A true calculation: say that it holds, ask what it counts."""
        return self.unsure()

    def solved(self) -> Draft:
        """The answer is known and was found; without a worked solution nothing is said about the way."""
        graph = self.turn.context.graph
        if graph is None or graph.answer is None or graph.inconsistent:
            return self.unsure()
        claim = right_claim(self.observation)
        confirm = self.say("say.finished", value=self.value_text(claim)) if claim else ""
        return self.draft(Move.CLOSE, confirm, self.say("ask.check"), frame=Frame(kind=FrameKind.EXPLAIN))

    def wrong_step(self) -> Draft:
        """Only arithmetic is judged here."""
        return self.slip() if slipped(self.observation) else self.unsure()

    def unsure(self) -> Draft:
        """Confirm the arithmetic, never the method, and ask a planning question."""
        judged: JudgedClaim | None = self.observation.claims[-1] if self.observation.claims else None
        if judged is None:
            return self.affirmed()
        holds = judged.claim.true is True and expression_text(judged) is not None
        opener = self.say("ack.holds", expr=claim_text(judged)) if holds else self.heard(judged)
        ask = self.say("ask.counts", claim=claim_text(judged)) if len(self.turn.context.history) % 2 else ""
        return self.draft(Move.PLANNING_QUESTION, opener, ask or self.next_question())

    def affirmed(self) -> Draft:
        """Ask for a plan."""
        return self.draft(Move.PLANNING_QUESTION, self.notice(), self.next_question())

    def quoted(self) -> Draft:
        """Quantities were repeated: ask how they belong together."""
        return self.draft(Move.PLANNING_QUESTION, self.next_question())

    def hint(self) -> Draft:
        """Without a solution the ladder ends at the text: a plan, then the place to look, then a parallel."""
        if self.turn.rung >= Rung.LOCATE:
            return self.parallel()
        rung = Rung.LOCATE if self.turn.rung else Rung.NUDGE
        return self.draft(Move.PLANNING_QUESTION, self.next_question(), rung=rung, frame=Frame(kind=FrameKind.OPEN))

    def locate(self, move: Move, judged: JudgedClaim | None = None) -> Draft:
        """Point to a sentence of the text."""
        return self.draft(move, self.say("ask.phrase", "ask.plan"), rung=Rung.LOCATE)

    def last_resort(self) -> str:
        """Return a planning question, or send the learner to the instructor."""
        return self.say("ask.plan", "ask.phrase", "say.cannot") or "…"
