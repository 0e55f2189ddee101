"""The builtin tutor: one move a turn, chosen by situation, said in varied plain sentences.

It never decides what is right; the observation does. It never says a value the learner has not reached:
every sentence is checked against the hidden values before it is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Emotion
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.pedagogy.moves import Draft, MoveMaker
from preceptor.pedagogy.outlook import look
from preceptor.pedagogy.phrases.loader import PHRASE_LANGUAGES, language_limit, load_phrases
from preceptor.pedagogy.planning import PlanningMoves
from preceptor.pedagogy.situation import Situation, situation_of
from preceptor.pedagogy.speaker import Speaker, normal_form
from preceptor.pedagogy.strategy import Chosen, follow
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.pedagogy.wording import sentences_of


class BuiltinTutor:
    """Answers from the observation and the worked solution's graph; no model."""

    def __init__(self, *, bare_guess_limit: int = 3, unread_limit: int = 3, highest_rung: int = 4) -> None:
        """Take the limits of `settings.tutoring`."""
        self._bare_guess_limit = bare_guess_limit
        self._unread_limit = unread_limit
        self._highest_rung = highest_rung

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply sentence by sentence, then whole."""
        whole = self.compose(turn)
        for sentence in sentences_of(whole.text):
            yield sentence if whole.language == "zh" else sentence + " "
        yield whole

    def reveal(self, turn: TutorTurn) -> Reply | None:
        """Return the step in question with its result, for instructors who allow that; `None`: no step is known."""
        graph = turn.context.graph
        outlook = look(turn, graph) if graph is not None and graph.nodes and graph.inconsistent is None else None
        shown = outlook.worked_step() if outlook is not None else None
        if outlook is None or outlook.node is None or shown is None:
            return None
        spoken = _spoken(turn)
        speaker = Speaker(
            load_phrases(spoken),
            said=[earlier.tutor for earlier in turn.context.history if earlier.tutor],
            seed_text=turn.context.problem.text,
            turn=len(turn.context.history),
            refuse=lambda line: False,
        )
        parts = (speaker.say("say.reveal", slots={"claim": shown}), speaker.say("ask.after_reveal", slots={}))
        return Reply(
            text=" ".join(part for part in parts if part),
            move=Move.REVEAL,
            rung=Rung.WORKED_PARALLEL,
            node=outlook.node.index,
            frame=Frame(kind=FrameKind.EXPLAIN, node=outlook.node.index),
            language=spoken,
        )

    def compose(self, turn: TutorTurn) -> Reply:
        """Return the whole reply to one turn."""
        language = turn.context.language.split("-")[0].lower()
        moves = self._moves(turn)
        situation = situation_of(turn, bare_guess_limit=self._bare_guess_limit)
        chosen = Chosen(draft=self._choose(situation, moves), moves=moves, roles=())
        if turn.experience:
            chosen = follow(turn, situation, chosen.draft, moves, partial(self._moves, turn))
        draft = chosen.draft
        text = self._text(turn, draft, chosen.moves)
        if language not in PHRASE_LANGUAGES:
            limit = language_limit(language)
            text = text if any(limit in earlier for earlier in _said(turn)) else f"{limit} {text}"
        return Reply(
            text=text,
            move=draft.move,
            rung=draft.rung,
            node=draft.node,
            frame=draft.frame or Frame(kind=FrameKind.OPEN),
            language=_spoken(turn),
            used_experience_ids=tuple(role.experience_id for role in chosen.roles if role.part == "chosen"),
            experience_roles=chosen.roles,
            notes=tuple(f"experience {role.experience_id}: {role.part}: {role.reason}" for role in chosen.roles),
        )

    def _moves(self, turn: TutorTurn) -> MoveMaker:
        """Return a maker of moves for this turn, with a speaker that has said nothing yet."""
        graph = turn.context.graph
        usable = graph is not None and bool(graph.nodes) and graph.inconsistent is None
        maker = MoveMaker if usable else PlanningMoves
        moves = maker(turn, highest_rung=self._highest_rung, unread_limit=self._unread_limit)
        moves.speaker = Speaker(
            load_phrases(_spoken(turn)),
            said=_said(turn),
            seed_text=turn.context.problem.text + _first_words(turn),
            turn=len(turn.context.history),
            refuse=moves.gives_away,
        )
        return moves

    def _choose(self, situation: Situation, moves: MoveMaker) -> Draft:
        make = {
            Situation.OPENING: moves.opening,
            Situation.SOLVED: moves.solved,
            Situation.FINISHED: moves.finished,
            Situation.ASKS_ANSWER: moves.decline,
            Situation.OFF_TOPIC: moves.back_to_task,
            Situation.BARE_GUESSES: moves.ask_for_work,
            Situation.SMALL_CASE_ANSWERED: moves.after_small_case,
            Situation.SLIP: moves.slip,
            Situation.OFF_REFERENCE_ERROR: moves.wrong_step,
            Situation.STEP_REACHED: moves.advance,
            Situation.STUCK: moves.hint,
            Situation.NOTHING_TO_CHECK: moves.nothing_to_check,
            Situation.ASKS_QUESTION: moves.answer_question,
            Situation.UNSURE_CLAIM: moves.unsure,
            Situation.UNREAD: moves.unread,
            Situation.ACKNOWLEDGED: moves.affirmed,
            Situation.QUOTED: moves.quoted,
        }[situation]
        return make()

    def _text(self, turn: TutorTurn, draft: Draft, moves: MoveMaker) -> str:
        parts = [part for part in draft.parts if part]
        feeling = {Emotion.FRUSTRATED: "ack.frustrated", Emotion.CONFUSED: "ack.confused"}.get(
            turn.observation.state.emotion
        )
        if feeling and len(parts) < 3 and draft.move not in {Move.CLOSE, Move.CANNOT_FOLLOW, Move.GREET}:
            comfort = "" if _comforted(turn, moves.speaker, feeling) else moves.speaker.say(feeling, slots={})
            parts = [comfort, *parts] if comfort else parts
        if not parts:
            parts = [moves.last_resort()]
        return ("" if _spoken(turn) == "zh" else " ").join(part.strip() for part in parts)


def _spoken(turn: TutorTurn) -> str:
    """Return the language of the phrases: the session's where there are phrases for it, else English."""
    language = turn.context.language.split("-")[0].lower()
    return language if language in PHRASE_LANGUAGES else "en"


def _said(turn: TutorTurn) -> list[str]:
    """Return what must not be said again."""
    said = [earlier.tutor for earlier in turn.context.history if earlier.tutor]
    return [*said, *turn.context.said, *(refused.split(": ", 1)[-1] for refused in turn.avoid)]


def _comforted(turn: TutorTurn, speaker: Speaker, feeling: str) -> bool:
    """Whether the reply before met the same feeling: said every time, it is a formula."""
    last = turn.context.history[-1].tutor if turn.context.history else None
    said = {normal_form(sentence) for sentence in sentences_of(last or "")}
    return not said.isdisjoint(normal_form(line) for line in speaker.variants(feeling))


def _first_words(turn: TutorTurn) -> str:
    """Return how the dialogue began: it makes the choice of variants this dialogue's own."""
    opening = next((earlier.tutor for earlier in turn.context.history if earlier.tutor), "")
    said = [earlier.learner for earlier in turn.context.history] + [turn.context.utterance]
    return opening + next((text for text in said if text.strip()), "")
