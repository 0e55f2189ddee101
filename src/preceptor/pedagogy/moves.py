"""One method a situation: what the tutor does there, with the words it needs.

Source of the choices: what moved real learners on (one countable quantity, a changed or smaller case; never
"why" or "check again" twice, never a question without a quantity after a step that is off).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import Explanation, JudgedClaim, MisconceptionKind
from preceptor.domain.reply import Move, Rung
from preceptor.pedagogy.outlook import claim_text, expression_text, shortened
from preceptor.pedagogy.parallel_case import STORIES
from preceptor.pedagogy.situation import open_calculation, right_claim, rung_after, slipped, wrong_claim
from preceptor.pedagogy.turn_words import TurnWords, format_value, states_value
from preceptor.pedagogy.wording import with_noun


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A reply before it is put together."""

    move: Move
    parts: tuple[str, ...]
    rung: Rung = Rung.NONE
    node: int | None = None
    frame: Frame | None = None


_ASK_FOR_KIND: dict[MisconceptionKind, tuple[Move, tuple[str, ...], FrameKind]] = {
    MisconceptionKind.WRONG_OPERATION: (Move.QUESTION_DIRECTION, ("ask.direction", "ask.fact"), FrameKind.OPERATION),
    MisconceptionKind.COMPARISON_INVERTED: (Move.QUESTION_DIRECTION, ("ask.direction", "ask.fact"), FrameKind.CHOICE),
    MisconceptionKind.SWAPPED_OPERANDS: (Move.QUESTION_OPERAND, ("ask.fact", "ask.counts"), FrameKind.EXPLAIN),
    MisconceptionKind.FOREIGN_QUANTITY: (Move.QUESTION_OPERAND, ("ask.operand", "ask.fact"), FrameKind.EXPLAIN),
    MisconceptionKind.MISSING_QUANTITY: (Move.CLASHING_FACT, ("ask.missing", "ask.fact"), FrameKind.VALUE),
    MisconceptionKind.DOUBLED_QUANTITY: (Move.QUESTION_OPERAND, ("ask.operand", "ask.fact"), FrameKind.EXPLAIN),
    MisconceptionKind.ONE_ITEM_MISSED: (Move.CLASHING_FACT, ("ask.missing", "ask.fact"), FrameKind.VALUE),
    MisconceptionKind.UNIT_NOT_CONVERTED: (Move.ASK_UNIT, ("ask.unit",), FrameKind.EXPLAIN),
    MisconceptionKind.PERCENT_BASE: (Move.QUESTION_OPERAND, ("ask.percent", "ask.fact"), FrameKind.EXPLAIN),
    MisconceptionKind.ROUNDING_DIRECTION: (Move.CLASHING_FACT, ("ask.rounding",), FrameKind.EXPLAIN),
    MisconceptionKind.STOPPED_EARLY: (Move.ASK_NEXT_QUANTITY, ("ask.stopped", "ask.goal"), FrameKind.VALUE),
    MisconceptionKind.ONE_STEP_TOO_MANY: (Move.CLASHING_FACT, ("ask.too_many",), FrameKind.EXPLAIN),
    MisconceptionKind.CARRIED_VALUE: (Move.RETURN_TO_AGREED, ("ask.agreed", "ask.fact"), FrameKind.VALUE),
    MisconceptionKind.ARITHMETIC_SLIP: (Move.ISOLATE_COMPUTATION, ("ask.slip", "ask.apart"), FrameKind.VALUE),
}


class MoveMaker(TurnWords):
    """Makes the draft for one turn on a problem whose worked solution is known."""

    def draft(self, move: Move, *parts: str, rung: Rung = Rung.NONE, frame: Frame | None = None) -> Draft:
        """Put a draft together for the step in question."""
        return Draft(move=move, parts=parts, rung=Rung(min(rung, self.highest_rung)), node=self.node, frame=frame)

    def value_text(self, judged: JudgedClaim) -> str:
        """Return a claim's value with what it counts where the learner wrote that value, else the learner's words.

        A value that was computed here, not written there, must not be handed over.
        """
        claim = judged.claim
        if claim.value is None or not states_value(judged):
            return re.sub(r"\s+", " ", claim.text.strip()).replace(" / ", " ÷ ")[:60]
        return with_noun(claim.value, unit=claim.unit, noun=claim.noun, language=self.turn.context.language)

    def answer_text(self) -> str | None:
        """Return the final answer with what it counts, where the learner has written it."""
        outlook = self.outlook
        if outlook is None or outlook.graph.answer is None or outlook.graph.answer not in outlook.public:
            return None
        place = outlook.graph.answer_node
        step = outlook.graph.nodes[place] if place is not None else None
        return with_noun(outlook.graph.answer, unit=step.unit if step else None, noun=step.noun if step else None)

    def opening(self) -> Draft:
        """The tutor speaks first."""
        return self.draft(Move.GREET, self.say("say.greet"), self.next_question("ask.begin"), frame=self.value_frame())

    def solved(self) -> Draft:
        """The final answer is right: confirm, then compare with the first try or check."""
        claim = right_claim(self.observation)
        if claim is not None and (unfinished := self.unfinished(claim)):
            return unfinished
        value = self.value_text(claim) if claim else None
        first = self.first_try(claim)
        confirm = self.say("say.finished", value=value)
        ask = self.say("ask.compare", first=first) if first else self.say("ask.check")
        frame = Frame(kind=FrameKind.EXPLAIN)
        return self.draft(Move.COMPARE_FIRST_TRY if first else Move.CLOSE, confirm, ask, frame=frame)

    def finished(self) -> Draft:
        """The problem was solved before: no new task about it."""
        return self.draft(Move.CLOSE, self.say("say.done", "ask.check", value=self.answer_text()))

    def advance(self) -> Draft:
        """A step was reached: name the value just won, ask for what it unlocks."""
        claim = right_claim(self.observation)
        if claim is not None and (unfinished := self.unfinished(claim)):
            return unfinished
        confirm = self.say("ack.right", value=self.value_text(claim)) if claim else self.say("ack.still")
        return self.draft(Move.CONFIRM_AND_ADVANCE, confirm, self.next_question("ask.next"), frame=self.value_frame())

    def unfinished(self, judged: JudgedClaim) -> Draft | None:
        """A right calculation without its result: the learner works it out, not the tutor."""
        if states_value(judged):
            return None
        expression = expression_text(judged) or shortened(judged.claim.text).replace(" / ", " ÷ ")
        frame = Frame(kind=FrameKind.VALUE, value=judged.claim.computed, node=judged.node)
        ask = self.say("ask.result", "ask.slip", expr=expression)
        return self.draft(Move.ISOLATE_COMPUTATION, self.say("ack.plan", expr=expression), ask, frame=frame)

    def slip(self) -> Draft:
        """The plan may hold, one calculation does not: isolate it."""
        judged = slipped(self.observation)
        assert judged is not None
        expression = expression_text(judged)
        if self.observation.repeats >= 2:
            return self.parallel()
        opener = self.say("ack.plan", expr=expression) if judged.node is not None else self.heard(judged)
        frame = Frame(kind=FrameKind.VALUE, value=judged.claim.computed, node=judged.node)
        ask = self.say("ask.slip", "ask.apart", expr=expression, claim=claim_text(judged))
        return self.draft(Move.ISOLATE_COMPUTATION, opener, ask, rung=Rung.LOCATE, frame=frame)

    def wrong_step(self) -> Draft:
        """True or bare, but off the reference: a move by what explains it and by how often it came."""
        judged = wrong_claim(self.observation)
        if self.observation.repeats >= 3:
            return self.parallel()
        if self.observation.repeats == 2:
            return self.smaller_case()
        if judged is None:
            return self.locate(Move.CLASHING_FACT)
        explanations = self.observation.explanations
        if self.observation.repeats == 1:
            return self.locate(Move.CLASHING_FACT, judged)
        kinds = {explanation.kind for explanation in explanations}
        if len(kinds) == 1:
            return self.for_explanation(judged, explanations[0])
        if not judged.claim.operators and len(kinds) != 1:
            opener = self.say("ack.said", claim=self.value_text(judged))
            ask = self.say("ask.apart", claim=self.value_text(judged))
            return self.draft(Move.TELL_APART, opener, ask, frame=Frame(kind=FrameKind.OPERATION, node=self.node))
        return self.locate(Move.CLASHING_FACT, judged)

    def for_explanation(self, judged: JudgedClaim, explanation: Explanation) -> Draft:
        """One misconception explains the claim: the move for its kind."""
        if explanation.kind is MisconceptionKind.ARITHMETIC_SLIP and judged.claim.true:
            return self.locate(Move.CLASHING_FACT, judged)
        move, keys, frame_kind = _ASK_FOR_KIND[explanation.kind]
        ask = self.say(
            *keys,
            "ask.fact",
            "ask.step",
            foreign=format_value(explanation.foreign),
            claim=self.value_text(judged),
            expr=expression_text(judged),
            value_about=self.value_text(judged),
        )
        frame = Frame(kind=frame_kind, node=self.node, value=self.value_frame().value)
        return self.draft(move, self.opener_for(judged), ask, rung=Rung.LOCATE, frame=frame)

    def locate(self, move: Move, judged: JudgedClaim | None = None) -> Draft:
        """Point to the fact of the text that clashes and ask for the quantity in it."""
        opener = self.opener_for(judged) if judged else self.say("ack.still")
        ask = self.say("ask.fact", "ask.agreed", "ask.step", "ask.phrase")
        return self.draft(move, opener, ask, rung=Rung.LOCATE, frame=self.value_frame())

    def opener_for(self, judged: JudgedClaim) -> str:
        """Name what is right about a claim that is off, else say it back."""
        expression = expression_text(judged)
        if judged.claim.true and expression:
            return self.say("ack.holds", "ack.heard", expr=claim_text(judged), claim=claim_text(judged))
        return self.heard(judged)

    def heard(self, judged: JudgedClaim) -> str:
        """Say a claim back."""
        if judged.claim.operators:
            return self.say("ack.heard", claim=claim_text(judged))
        return self.say("ack.said", claim=self.value_text(judged))

    def unsure(self) -> Draft:
        """No verdict: a calculation that does not hold is asked for again, else what it counts or where it leads."""
        off = open_calculation(self.observation, self.turn.context.utterance)
        if off is not None and (ask := self.say("ask.slip", expr=expression_text(off))):
            frame = Frame(kind=FrameKind.VALUE, value=off.claim.computed, node=off.node)
            graph = self.turn.context.graph
            is_step_value = any(node.value == off.claim.value for node in (graph.nodes if graph else ()))
            opener = "" if is_step_value else self.heard(off)  # said back, a hidden value would look confirmed
            return self.draft(Move.ISOLATE_COMPUTATION, opener, ask, frame=frame)
        judged = self.observation.claims[-1]
        if self.turn.check_requested and judged.claim.true:
            opener = self.say("ack.holds", expr=claim_text(judged))
        else:
            opener = ""
        keys = (
            ("ask.counts", "ask.agreed", "ask.fact")
            if len(self.turn.context.history) % 2
            else ("ask.fact", "ask.counts")
        )
        ask = self.say(*keys, "ask.step", claim=self.value_text(judged))
        if not opener and self.value_text(judged) not in ask:
            opener = self.heard(judged)
        return self.draft(Move.RETURN_TO_AGREED, opener, ask, frame=self.value_frame())

    def hint(self) -> Draft:
        """Climb the ladder: nudge, where to look, the next small step, a similar one worked out."""
        rung = rung_after(self.turn, Rung.NUDGE, highest=self.highest_rung)
        if rung is Rung.WORKED_PARALLEL:
            return self.parallel()
        if rung is Rung.NEXT_SUBSTEP:
            return self.next_substep()
        if rung is Rung.LOCATE:
            ask = self.say("ask.fact", "ask.phrase", "ask.step")
            return self.draft(Move.CLASHING_FACT, self.say("ack.still"), ask, rung=rung, frame=self.value_frame())
        ask = self.next_question("ask.begin", "ask.next")
        return self.draft(Move.ASK_NEXT_QUANTITY, self.say("ack.still"), ask, rung=rung, frame=self.value_frame())

    def next_substep(self) -> Draft:
        """Give the calculation of the next step, never of the last one."""
        expression = self.outlook.step_expression() if self.outlook else None
        if expression:
            ask = self.say("ask.compute", "ask.step", expr=expression)
        else:
            ask = self.say("ask.step", "ask.fact", "ask.phrase")
        return self.draft(
            Move.ASK_NEXT_QUANTITY, self.say("ack.still"), ask, rung=Rung.NEXT_SUBSTEP, frame=self.value_frame()
        )

    def parallel(self) -> Draft:
        """Work a similar case out with other numbers, then hand the step back."""
        case = self.invented_case()
        story = self.say(f"story.{STORIES[case.operator]}", **case.slots)
        lead = self.say("say.parallel", story=_lower_first(story).rstrip("."))
        ask = self.next_question("story.closing")
        rung = Rung(min(Rung.WORKED_PARALLEL, self.highest_rung))
        return self.draft(Move.WORKED_PARALLEL, _stop(lead), ask, rung=rung, frame=self.value_frame())

    def smaller_case(self) -> Draft:
        """Ask the same operation on a tiny invented case."""
        case = self.invented_case()
        story = self.say(f"story.small_{STORIES[case.operator]}", **case.slots)
        ask = self.say("say.smaller", story=_lower_first(story))
        frame = Frame(kind=FrameKind.VALUE, value=case.result, own_instance=False, node=self.node)
        opener = self.say("ack.still") or self.taken_up()
        return self.draft(Move.SMALLER_CASE, opener, ask, rung=Rung.NEXT_SUBSTEP, frame=frame)

    def taken_up(self) -> str:
        """Take up the learner's claim that is off before another story begins; "" where there is none."""
        judged = wrong_claim(self.observation)
        return self.opener_for(judged) if judged is not None and judged.mark != "right" else ""

    def after_small_case(self) -> Draft:
        """The small case was answered: carry it over."""
        claim = self.observation.claims[-1]
        confirm = self.say("ack.right", value=self.value_text(claim))
        ask = self.next_question("story.closing", "ask.next")
        return self.draft(Move.CONFIRM_AND_ADVANCE, confirm, ask, frame=self.value_frame())

    def decline(self) -> Draft:
        """Asked for the answer: decline, and make the next step smaller."""
        step = self.hint() if self.turn.rung < Rung.NEXT_SUBSTEP else self.locate(Move.DECLINE_ANSWER)
        return self.draft(
            Move.DECLINE_ANSWER, self.say("say.decline"), step.parts[-1], rung=step.rung, frame=step.frame
        )

    def back_to_task(self) -> Draft:
        """Off topic: one sentence back, then the step in question."""
        ask = self.next_question("ask.begin", "ask.next")
        return self.draft(Move.BACK_TO_TASK, self.say("say.back"), ask, frame=self.value_frame())

    def ask_for_work(self) -> Draft:
        """Several bare guesses: ask for work before another is judged."""
        frame = Frame(kind=FrameKind.OPERATION, node=self.node)
        pointer = self.say("ask.fact", "ask.step", "ask.phrase") if self.observation.bare_guesses % 2 == 0 else ""
        work = self.say("ask.work", "ask.form", **self.example_slots())
        return self.draft(Move.ASK_FOR_WORK, pointer if not work else work, frame=frame)

    def nothing_to_check(self) -> Draft:
        """Asked to check, but no calculation is there."""
        ask = self.next_question("ask.begin", "ask.next")
        return self.draft(Move.REQUEST_FORM, self.say("say.nothing_to_check"), ask, frame=self.value_frame())

    def answer_question(self) -> Draft:
        """The learner's own question is answered from the text, or declined, before a new one."""
        quote = self.text_about_question()
        answer = self.say("say.in_text", quote=quote) if quote else self.say("say.not_in_text")
        ask = self.next_question("ask.begin", "ask.next")
        return self.draft(Move.ANSWER_QUESTION, answer, ask, frame=self.value_frame())

    def affirmed(self) -> Draft:
        """Agreement is no evidence: ask for the next number."""
        ask = self.next_question("ask.affirm", "ask.next")
        return self.draft(Move.ASK_NEXT_QUANTITY, ask, frame=self.value_frame())

    def quoted(self) -> Draft:
        """Only given quantities were repeated: ask for what can be computed from them."""
        ask = self.next_question("ask.step", "ask.begin")
        return self.draft(Move.ASK_NEXT_QUANTITY, ask, frame=self.value_frame())

    def unread(self) -> Draft:
        """Say what was read and ask narrowly; choices; one phrase; then a parallel or the instructor."""
        streak = self.observation.unread_streak
        read = self.observation.reading.read_as
        opener = self.say("say.partly", claim=read) if read else self.say("say.unread")
        if streak <= 1:
            ask = self.say("ask.form", **self.example_slots())
            return self.draft(Move.REQUEST_FORM, opener, ask, frame=self.value_frame())
        if streak == 2:
            options = self.choice_options()
            if options:
                ask = self.say("ask.choices", options=_join_options(options))
                frame = Frame(kind=FrameKind.CHOICE, node=self.node, options=tuple(options))
                return self.draft(Move.OFFER_CHOICES, opener, ask, frame=frame)
        if streak <= self.unread_limit:
            ask = self.say("ask.agreed", "ask.phrase") if self.observation.reached else self.say("ask.phrase")
            return self.draft(Move.MEANING_OF_PHRASE, self.say("ack.still"), ask, frame=self.value_frame())
        if streak == self.unread_limit + 1:
            return self.parallel()
        return self.draft(Move.CANNOT_FOLLOW, self.say("say.cannot"), self.say("ask.phrase", "ask.fact"))

    def last_resort(self) -> str:
        """Return something true about this problem when every variant is used up."""
        for key in ("ask.phrase", "ask.fact", "ask.step", "ask.goal", "ask.work", "say.cannot"):
            line = self.say(key)
            if line:
                return line
        return self.speaker.say("say.cannot", slots={}) or "…"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _stop(text: str) -> str:
    return text if not text or text[-1] in ".?!" else text + "."


def _join_options(options: list[str]) -> str:
    return ", ".join(options[:-1]) + ", or " + options[-1]
