"""Reads one learner turn: claims against the pending question and the worked solution, then tags and progress."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from preceptor.domain.claim import Claim, ClauseKind, Operand
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import Explanation, MisconceptionKind, Observation
from preceptor.domain.problem import Problem
from preceptor.maths.claims import ReadClaim, read_claims_with_trees
from preceptor.maths.clauses import read_clauses
from preceptor.maths.step_graph import StepGraph
from preceptor.maths.text_numbers import find_numbers
from preceptor.maths.told_calculation import join_told
from preceptor.pedagogy.attempt_line import account_line, wrong_line
from preceptor.pedagogy.content_words import content_words
from preceptor.pedagogy.error_description import describe_error, describe_struggle
from preceptor.pedagogy.final_answer import (
    asks_for_answer,
    asks_for_work,
    closing_finals,
    final_claims,
    goal_question,
    named_finals,
)
from preceptor.pedagogy.frame_reading import asked_for
from preceptor.pedagogy.judging import Standing, Utterance, Verdict, judge, wrong_key
from preceptor.pedagogy.misconceptions import OPEN_KINDS, ErrorTable, ErrorTables, explain_calculation
from preceptor.pedagogy.progress import Progress, count_wrong
from preceptor.pedagogy.reading_status import read_status
from preceptor.pedagogy.state_tags import TurnSigns, tag_turn
from preceptor.pedagogy.turn_findings import BARE_WORDS, Question, TurnFindings, is_off, is_slip
from preceptor.pedagogy.worlds import GraphWorlds, OwnResult, WorldsOfGraphs

_KEPT_RESULTS = 24
_GIVEN_WORDS = 2
"""A reply with more words beside one quantity of the problem only repeats it."""


class TurnReader:
    """Reads turns of one dialogue, one after the other."""

    def __init__(
        self, *, problem: Problem, graph: StepGraph | None, language: str, worlds: WorldsOfGraphs, tables: ErrorTables
    ) -> None:
        """Look up what the worked solution gives; `worlds` and `tables` are kept by the caller."""
        self._problem = problem
        self._graph = graph
        self._language = language
        self._worlds: GraphWorlds | None = worlds.of(graph) if graph is not None else None
        self._judged = graph is not None and not graph.inconsistent
        self._tables = tables
        self._givens = self._quantities()
        self._goal = goal_question(problem.text)

    def _quantities(self) -> frozenset[Fraction]:
        if self._graph is not None:
            return frozenset(given.value for given in self._graph.givens)
        return frozenset(number.value for number in find_numbers(self._problem.text, self._problem.language))

    def read(self, text: str, before: Progress, question: Question) -> tuple[Observation, Progress]:
        """Return the record of one utterance and the learner's standing after it."""
        utterance = self._utterance(text, question)
        verdicts = self._judge(utterance, before, question.frame)
        kept = [
            verdict
            for verdict in verdicts
            if not verdict.read.claim.withdrawn and not self._is_quotation(verdict, utterance, question.frame)
        ]
        reached = self._reached(kept)
        explanations = self._explain(kept, before, reached)
        turn = TurnFindings(
            text=text, question=question, before=before, all=verdicts, kept=kept, explanations=explanations
        )
        account = account_line(turn, self._graph if self._judged else None, self._language)
        after = self._after(turn, reached, account)
        return self._observation(turn, reached, after, wrong_line(turn, account)), after

    # -- claims -----------------------------------------------------------------------------------------

    def _utterance(self, text: str, question: Question) -> Utterance:
        reads = tuple(join_told(self._claims(text), text))
        claims = [read.claim for read in reads]
        finals = final_claims(
            text,
            claims,
            goal=self._goal,
            asks_for_answer=self._asks_for_answer(question),
            asks_otherwise=question.frame.kind is FrameKind.VALUE and not self._asks_for_answer(question),
            asks_for_work=asks_for_work(question.said) and question.frame.kind is FrameKind.EXPLAIN,
            givens=self._givens,
        )
        if not question.frame.own_instance:
            finals = frozenset()
        if not question.said.strip():
            finals -= self._steps_alone(claims) - named_finals(text, claims)
        standing = sum(1 for claim in claims if not claim.withdrawn)
        return Utterance(
            text=text,
            reads=reads,
            finals=finals,
            named_finals=self._named(text, claims, finals, question),
            language=self._language,
            asked=asked_for(question.said) if question.frame.kind is FrameKind.VALUE and standing == 1 else None,
        )

    def _steps_alone(self, claims: Sequence[Claim]) -> frozenset[int]:
        """Return the bare values that are a step's: said unasked, they may be meant as just that."""
        nodes = self._graph.nodes if self._graph is not None else ()
        values = {node.value for node in nodes if node.value != (self._graph.answer if self._graph else None)}
        return frozenset(place for place, claim in enumerate(claims) if not claim.operators and claim.value in values)

    def _named(self, text: str, claims: Sequence[Claim], finals: frozenset[int], question: Question) -> frozenset[int]:
        """Return the final answers that are so beyond doubt: called so, asked for, or closing the whole way."""
        work = asks_for_work(question.said) and question.frame.kind is FrameKind.EXPLAIN
        closing = frozenset(
            place
            for place in closing_finals(text, claims, finals, goal=self._goal, asks_for_work=work)
            if claims[place].value not in self._givens
        )
        return (named_finals(text, claims) | self._bare_finals(text, claims, question) | closing) & finals

    def _bare_finals(self, text: str, claims: Sequence[Claim], question: Question) -> frozenset[int]:
        """Return the one bare value of a short reply to a question for the answer: it is called the answer."""
        standing = [place for place, claim in enumerate(claims) if not claim.withdrawn]
        words = len(re.findall(r"[^\W\d_]{2,}", text))
        if len(standing) != 1 or words > BARE_WORDS or not question.said or not self._asks_for_answer(question):
            return frozenset()
        return frozenset(standing)

    def _claims(self, text: str) -> tuple[ReadClaim, ...]:
        """Return the claims; a short question that is a guess ("is it 12?", "it is 11?") is a hedged claim."""
        reads = read_claims_with_trees(text, self._language)
        words = re.findall(r"[^\W\d_]+", text)
        if reads or not text.rstrip().endswith(("?", "？", "؟")) or len(words) > BARE_WORDS:
            return reads
        start = re.search(r"[-($€£]?\d", text)
        if start is None:
            return reads
        plain = " " * start.start() + re.sub(r"[?？؟]", " ", text[start.start() :])
        return tuple(
            replace(read, claim=replace(read.claim, hedged=True))
            for read in read_claims_with_trees(plain, self._language)
        )

    def _asks_for_answer(self, question: Question) -> bool:
        if question.recorded:
            frame = question.frame
            last = self._graph.answer_node if self._graph else None
            return frame.kind is FrameKind.VALUE and frame.node is not None and frame.node == last
        if question.frame.kind is FrameKind.EXPLAIN:
            return False
        if not question.said.strip() or asks_for_answer(question.said):
            return True
        wanted = content_words(self._goal)
        return len(wanted) >= 2 and len(wanted & content_words(question.said)) >= 0.75 * len(wanted)

    def _judge(self, utterance: Utterance, before: Progress, frame: Frame) -> list[Verdict]:
        table = self._asked_errors(frame)
        return judge(
            utterance,
            self._worlds if self._judged and frame.own_instance else None,
            frame=frame,
            standing=Standing(
                reached=before.reached,
                results=before.results,
                wrong=before.wrong_keys,
                refused=before.refused,
                unproven=before.unproven,
                step_errors=table.step_errors(frame.node) if table and frame.node is not None else frozenset(),
                parts=table.parts if table else frozenset(),
            ),
        )

    def _asked_errors(self, frame: Frame) -> ErrorTable | None:
        """Return the table of what goes wrong, where the tutor asks for a step of the worked solution."""
        graph = self._graph
        if graph is None or not self._judged or frame.node is None or not 0 <= frame.node < len(graph.nodes):
            return None
        return self._tables.of(graph, self._problem.text)

    def _is_quotation(self, verdict: Verdict, utterance: Utterance, frame: Frame) -> bool:
        """Whether a claim only repeats a quantity of the problem."""
        claim = verdict.read.claim
        if claim.operators or claim.unknown or verdict.final or verdict.mark != "unsure":
            return False
        if claim.value not in self._givens or not self._givens:
            return False
        words = len(re.findall(r"[^\W\d_]{2,}", utterance.text))
        return not (frame.kind is FrameKind.VALUE and len(utterance.reads) == 1 and words <= _GIVEN_WORDS)

    def _reached(self, verdicts: Sequence[Verdict]) -> frozenset[int]:
        """Return the steps shown in this turn; a calculation shows the steps it was put together from."""
        if self._graph is None or not self._judged:
            return frozenset()
        found: set[int] = set()
        for verdict in verdicts:
            if verdict.mark != "right" or verdict.node is None:
                continue
            found.add(verdict.node)
            if verdict.match.support == "calculation":
                found |= self._below(verdict.node)
        return frozenset(found)

    def _below(self, node: int) -> set[int]:
        assert self._graph is not None
        below: set[int] = set()
        waiting = [node]
        while waiting:
            for source in self._graph.nodes[waiting.pop()].inputs:
                if source is not None and source not in below:
                    below.add(source)
                    waiting.append(source)
        return below

    # -- what went off ----------------------------------------------------------------------------------

    def _explain(self, verdicts: Sequence[Verdict], before: Progress, now: frozenset[int]) -> tuple[Explanation, ...]:
        """Return what explains the first thing that is off in this turn."""
        graph = self._graph
        if graph is None or not self._judged:
            return ()
        reached = before.reached | now
        slip = next((verdict for verdict in verdicts if is_slip(verdict)), None)
        if slip is not None:
            return self._explain_slip(slip, graph)
        asked = next((verdict for verdict in verdicts if verdict.mark == "wrong" and verdict.at is not None), None)
        if asked is not None and asked.at is not None and asked.read.claim.value is not None:
            return self._tables.of(graph, self._problem.text).explain_step(asked.read.claim.value, asked.at)
        final = next((verdict for verdict in reversed(verdicts) if verdict.final and verdict.mark == "wrong"), None)
        of_answer: tuple[Explanation, ...] = ()
        if final is not None and final.read.claim.value is not None:
            table = self._tables.of(graph, self._problem.text)
            own = sorted(before.wrong_values - {final.read.claim.value})[:4]
            of_answer = table.explain(final.read.claim.value, reached=reached, own=own)
        for verdict in verdicts:
            if is_off(verdict):
                of_step = explain_calculation(verdict.read.claim, graph, problem=self._problem.text, reached=reached)
                if final is None and any(item.kind in OPEN_KINDS for item in of_step):
                    continue
                agreed = tuple(item for item in of_step if any(other.node == item.node for other in of_answer))
                if agreed or of_step:
                    return agreed or (of_answer if 0 < len(of_answer) < len(of_step) else of_step)
        return of_answer

    def _explain_slip(self, slip: Verdict, graph: StepGraph) -> tuple[Explanation, ...]:
        """Return the step whose calculation went wrong, where the calculation is a step's."""
        close = slip.match.node if slip.match.node is not None else next(iter(slip.match.close), None)
        return () if close is None else (Explanation(kind=MisconceptionKind.ARITHMETIC_SLIP, node=close),)

    def _first_wrong_node(self, turn: TurnFindings, reached: frozenset[int]) -> int | None:
        graph = self._graph
        if graph is None or not self._judged or not turn.is_wrong:
            return None
        if turn.explanations:
            return turn.explanations[0].node
        asked = next((verdict.at for verdict in turn.kept if verdict.mark == "wrong" and verdict.at is not None), None)
        if asked is not None:
            return asked
        open_steps = [node for node in graph.nodes if node.index not in reached | turn.before.reached]
        ready = [node for node in open_steps if all(place is None or place in reached for place in node.inputs)]
        return (ready or open_steps)[0].index if open_steps else graph.answer_node

    # -- the record -------------------------------------------------------------------------------------

    def _observation(self, turn: TurnFindings, newly: frozenset[int], after: Progress, line: str | None) -> Observation:
        before, frame = turn.before, turn.question.frame
        reached = before.reached | newly
        clauses = self._clauses(turn)
        state = tag_turn(self._signs(turn, newly), before)
        judged = tuple(verdict.as_judged(self._language, turn.text) for verdict in turn.kept)
        reading = read_status(
            turn.text,
            claims=judged,
            quoted=len(turn.kept) < len(turn.all),
            clauses=clauses,
            frame=frame,
            intent=state.intent,
            language=self._language,
        )
        detail = describe_error(
            turn.explanations,
            self._graph,
            slipped=turn.slipped,
            wrong=turn.is_wrong,
            line=line or "",
            said=turn.text,
            problem=self._problem.text,
            language=self._language,
        )
        struggle = describe_struggle(state, reading, after, error_detail=detail)
        return Observation(
            state=state,
            error_detail=detail,
            struggle_reason=struggle,
            reading=reading,
            claims=judged,
            frame=frame,
            newly_reached=tuple(sorted(newly - before.reached)),
            reached=reached,
            first_wrong_node=self._first_wrong_node(turn, newly),
            explanations=turn.explanations,
            solved=turn.solved,
            first_answer=after.first_answer,
            wrong_line=line,
            repeats=turn.repeats,
            bare_guesses=after.bare_guesses,
            unread_streak=after.unread_streak,
        )

    def _clauses(self, turn: TurnFindings) -> tuple[ClauseKind, ...]:
        found = read_clauses(
            turn.text,
            self._language,
            given=sorted(self._givens),
            claims=[verdict.read.claim for verdict in turn.all],
        )
        return tuple(kind for kind, _, _ in found)

    def _signs(self, turn: TurnFindings, newly: frozenset[int]) -> TurnSigns:
        return TurnSigns(
            utterance=turn.text,
            has_claim=any(not verdict.read.claim.withdrawn for verdict in turn.kept),
            bare_guess=turn.is_bare_answer and turn.before.bare_guesses > 0 and not turn.solved,
            slipped=turn.slipped,
            repeated_slip=turn.slipped and turn.repeats > 0,
            wrong=turn.is_wrong,
            right=any(verdict.mark == "right" for verdict in turn.kept),
            newly_reached=bool(newly - turn.before.reached),
            repeats=turn.repeats,
            regressed=turn.regressed,
            read=bool(turn.kept),
            explanations=turn.explanations,
        )

    def _after(self, turn: TurnFindings, newly: frozenset[int], account: str | None) -> Progress:
        before = turn.before
        wrong_now = frozenset(
            wrong_key(verdict.read.claim)
            for verdict in turn.kept
            if verdict.mark == "wrong" and verdict.read.claim.value is not None
        )
        answer = next((verdict.read.claim.value for verdict in reversed(turn.kept) if verdict.final), None)
        missed = [verdict for verdict in turn.kept if verdict.mark != "right"]
        refused = {verdict.read.claim.value for verdict in missed if verdict.final}
        unproven = {verdict.read.claim.value for verdict in missed if not verdict.read.claim.operators}
        won = bool(newly - before.reached) or turn.solved
        nothing_read = not turn.kept and len(turn.kept) == len(turn.all) and turn.is_unread(self._language)
        return Progress(
            turns=before.turns + 1,
            reached=before.reached | newly,
            results=(*before.results, *self._results(turn))[-_KEPT_RESULTS:],
            wrong=count_wrong(before.wrong, wrong_now),
            first_answer=before.first_answer if before.first_answer is not None else answer,
            refused=before.refused | {value for value in refused if value is not None},
            unproven=before.unproven | {value for value in unproven if value is not None},
            account_line=None if turn.solved else account or before.account_line,
            solved=before.solved or turn.solved,
            errors=before.errors + turn.is_wrong,
            stuck=0 if won else before.stuck + 1,
            unread_streak=before.unread_streak + 1 if nothing_read else 0,
            bare_guesses=before.bare_guesses + 1 if turn.is_bare_answer else 0,
        )

    def _results(self, turn: TurnFindings) -> list[OwnResult]:
        if self._worlds is None:
            return []
        found: list[OwnResult] = []
        for verdict in turn.kept:
            claim = verdict.read.claim
            if claim.value is None or claim.withdrawn or verdict.mark == "wrong":
                continue
            known = self._worlds.nodes[verdict.node] if verdict.node is not None else verdict.match.worlds
            if known is not None and known[0] == claim.value and None not in known:
                operand = Operand(value=claim.value, text=claim.text[-20:], unit=claim.unit, noun=claim.noun)
                roots = verdict.match.roots | ({verdict.node} if verdict.node is not None else frozenset())
                found.append(OwnResult(operand=operand, worlds=known, roots=roots))
        return found
