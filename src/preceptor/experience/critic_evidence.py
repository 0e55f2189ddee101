"""What can be computed about a reply before anybody judges it: numbers, claims, overlaps, question forms, cues.

Every value is a plain number under a name; the heads weigh them and the builtin critic's flags are read from them.
Nothing learnt from a corpus is in here, and no word of the learner leaves it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from preceptor.domain.dialogue import Turn
from preceptor.domain.learner_state import Emotion, ErrorType, StruggleStatus
from preceptor.domain.observation import Observation, ReadingStatus
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_cues import read_cues
from preceptor.experience.critic_focus import read_focus
from preceptor.experience.critic_step import read_step
from preceptor.experience.critic_talk import topic_words
from preceptor.experience.critic_tone import read_tone
from preceptor.maths.claims import read_claims
from preceptor.maths.leak import NO_LEAK, find_leak
from preceptor.maths.leak_reveal import find_reveal
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.content_words import content_words, sentence_at
from preceptor.pedagogy.dialogue_formats import UNKNOWN_PROBLEM

_SENTENCE = re.compile(r"[^.!?\n]+(?:\.\d[^.!?\n]*)*[.!?]*")
_SCRIPT = re.compile(
    r"#{2,}|\n\s*-{3,}|[(\[](?:note|this)\b[^)]*\b(?:instruction|tutor|assistant|student|user|response)"
    r"|\n\s*(?:user|assistant|tutor|student|instruction)\b[^\n]{0,20}:",
    re.IGNORECASE,
)
_INEXACT = re.compile(
    r"\b(?:round\w*|about|approx\w*|roughly|nearly|almost|tens|hundreds|thousands|itself|closer)\b", re.I
)
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


LENGTHS = frozenset(
    {
        "log_words",
        "very_short",
        "short",
        "long",
        "sentences",
        "questions",
        "question_words",
        "log_new_words",
        "log_shared_public",
        "log_shared_problem",
        "log_shared_learner",
    }
)
"""Facts that mostly say how long a reply is; no head may weigh them."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Named facts about one reply."""

    values: Mapping[str, float]
    """Name → number: 0 or 1 for what is there or not, shares in [0, 1], logarithms of counts."""

    def __getitem__(self, name: str) -> float:
        """Return one fact."""
        return self.values[name]

    def has(self, *names: str) -> bool:
        """Whether all of these are there."""
        return all(self.values[name] > 0 for name in names)


def gather_evidence(turn: ReviewedTurn) -> Evidence:
    """Return what can be computed about a reply."""
    broken = is_broken(turn.reply)
    turn = replace(turn, reply=spoken_part(turn.reply))
    cues = {name: float(there) for name, there in read_cues(turn.reply).items()}
    values: dict[str, float] = {
        "broken_text": float(broken),
        **cues,
        **{name: float(there) for name, there in read_tone(turn.reply).items()},
        **_form(turn.reply),
        **_words(turn),
        **_topics(turn),
        **_numbers(turn),
        **_state(turn.observation),
        **_disclosure(turn),
        **read_focus(turn),
    }
    values.update(_combined(values))
    return Evidence(values=values)


def is_broken(reply: str) -> bool:
    """Whether a reply goes on after its end: with a script of other speakers, or a note on itself."""
    return _SCRIPT.search(reply) is not None


def spoken_part(reply: str) -> str:
    """Return the reply up to where a script or a note begins; all of it where that is the whole."""
    cut = _SCRIPT.search(reply)
    return reply[: cut.start()].strip() or reply if cut else reply


def _form(reply: str) -> dict[str, float]:
    words = _WORD.findall(reply)
    sentences = [sentence for sentence in _SENTENCE.findall(reply) if sentence.strip()]
    questions = [sentence for sentence in sentences if sentence.rstrip().endswith("?")]
    ending = reply.rstrip(" \"'”)")
    return {
        "log_words": math.log1p(len(words)),
        "very_short": float(len(words) <= 6),
        "short": float(len(words) <= 14),
        "long": float(len(words) >= 45),
        "sentences": min(len(sentences), 6) / 6,
        "questions": min(len(questions), 3) / 3,
        "has_question": float(bool(questions)),
        "ends_in_question": float(ending.endswith("?")),
        "only_questions": float(bool(questions) and len(questions) == len(sentences)),
        "question_words": math.log1p(sum(len(_WORD.findall(question)) for question in questions)),
    }


def _words(turn: ReviewedTurn) -> dict[str, float]:
    context = turn.context
    reply = content_words(turn.reply)
    problem = content_words(_problem_text(turn))
    learner = content_words(context.utterance)
    earlier = content_words(" ".join(entry.learner for entry in context.history))
    tutor = [entry.tutor or "" for entry in context.history]
    said = content_words(tutor[-1]) if tutor else frozenset()
    solution = content_words(context.problem.solution or "")
    public = problem | learner | earlier | content_words(" ".join(tutor))
    size = max(len(reply), 1)
    return {
        "share_of_problem": len(reply & problem) / size,
        "share_of_learner": len(reply & learner) / size,
        "share_of_solution": len(reply & solution) / size,
        "share_of_last_reply": len(reply & said) / size,
        "share_new": len(reply - public) / size,
        "log_shared_problem": math.log1p(len(reply & problem)),
        "log_shared_learner": math.log1p(len(reply & learner)),
        "log_shared_public": math.log1p(len(reply & public)),
        "log_new_words": math.log1p(len(reply - public)),
        "shares_nothing": float(not reply & public),
        "repeats_last_reply": _likeness(reply, said),
        "repeats_any_reply": max((_likeness(reply, content_words(text)) for text in tutor), default=0.0),
        "copies_learner": _copied(turn.reply, context.utterance),
        "copies_problem": _copied(turn.reply, _problem_text(turn)),
        "problem_known": float(bool(_problem_text(turn))),
    }


def _topics(turn: ReviewedTurn) -> dict[str, float]:
    """What the reply and its questions are about, next to what the dialogue is about."""
    context = turn.context
    sentences = [part for part in _SENTENCE.findall(turn.reply) if part.strip()]
    reply = topic_words(turn.reply)
    questions = topic_words(" ".join(part for part in sentences if part.rstrip().endswith("?")))
    learner = topic_words(context.utterance)
    matter = topic_words(_problem_text(turn)) | topic_words(context.problem.solution or "")
    talk = " ".join(f"{entry.learner} {entry.tutor or ''}" for entry in context.history)
    known = matter | learner | topic_words(talk)
    personal = re.search(r"\b(?:you|your|you're|you've|we|let's|us|our|i)\b", turn.reply, re.IGNORECASE)
    return {
        "foreign_topics": math.log1p(len(reply - known)),
        "foreign_share": len(reply - known) / max(len(reply), 1),
        "mostly_foreign": float(len(reply - known) > len(reply & known)),
        "known_topics": math.log1p(min(len(reply & known), 6)),
        "no_known_topic": float(not reply & known),
        "learner_topics": math.log1p(min(len(reply & learner), 5)),
        "question_topics": math.log1p(min(len(questions & known), 4)),
        "question_beyond_learner": float(bool(questions & (known - learner))),
        "question_foreign": float(bool(questions - known)),
        "impersonal": float(personal is None and not questions),
    }


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 0.0


def _copied(reply: str, other: str) -> float:
    """Return the share of the reply's three-word runs that the other text has."""
    runs, known = _runs(reply), _runs(other)
    return len(runs & known) / len(runs) if runs else 0.0


def _runs(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[^\W_]+", text.casefold())
    return {tuple(words[place : place + 3]) for place in range(len(words) - 2)}


def _problem_text(turn: ReviewedTurn) -> str:
    text = turn.context.problem.text
    return "" if text == UNKNOWN_PROBLEM else text


def _values(text: str) -> set[Fraction]:
    return {number.value for number in find_numbers(text)}


def _numbers(turn: ReviewedTurn) -> dict[str, float]:
    context, graph = turn.context, turn.context.graph
    reply = _values(turn.reply)
    problem, learner = _values(_problem_text(turn)), _values(context.utterance)
    earlier = _values(" ".join(entry.learner for entry in context.history))
    tutor = _values(" ".join(entry.tutor or "" for entry in context.history))
    steps = {node.value for node in graph.nodes} if graph else set()
    public = problem | learner | earlier | tutor
    claims = [claim for claim in read_claims(turn.reply) if not claim.withdrawn]
    exact = [claim for claim in claims if not _INEXACT.search(sentence_at(turn.reply, claim.start, claim.end))]
    asked = _values(" ".join(part for part in _SENTENCE.findall(turn.reply) if part.rstrip().endswith("?")))
    return {
        "numbers": math.log1p(len(reply)),
        "no_number": float(not reply),
        "learner_numbers": math.log1p(len(reply & learner - problem)),
        "earlier_numbers": math.log1p(len(reply & earlier - learner - problem)),
        "problem_numbers": math.log1p(len(reply & problem)),
        "step_numbers": math.log1p(len(reply & steps - problem)),
        "new_step_numbers": math.log1p(len(reply & steps - public)),
        "new_numbers": math.log1p(len(reply - public)),
        "new_wrong_numbers": math.log1p(len(reply - public - steps)) if steps else 0.0,
        "asks_with_number": float(bool(asked)),
        "equations": math.log1p(sum(claim.true is not None for claim in claims)),
        "false_equation": float(any(claim.true is False for claim in exact)),
        "open_calculation": float(any(claim.value is None and claim.operators for claim in claims)),
        **read_step(turn, reply),
    }


def _state(observation: Observation) -> dict[str, float]:
    state = observation.state
    wrong = any(judged.mark == "wrong" and not judged.claim.withdrawn for judged in observation.claims)
    right = any(judged.mark == "right" and not judged.claim.withdrawn for judged in observation.claims)
    struggle = state.struggle_status
    return {
        "learner_wrong": float(wrong or state.error_type not in (ErrorType.NO_ERROR, ErrorType.NOT_APPLICABLE)),
        "learner_right": float(right and not wrong),
        "learner_solved": float(observation.solved),
        "learner_unread": float(observation.reading.status is ReadingStatus.UNREAD),
        "learner_unclear": float(state.error_type is ErrorType.NOT_APPLICABLE),
        "learner_repeats": float(observation.repeats > 0 or struggle is StruggleStatus.REPEATED_ERROR),
        "learner_first": float(struggle is StruggleStatus.FIRST_ATTEMPT),
        "learner_frustrated": float(state.emotion is Emotion.FRUSTRATED),
        "learner_confused": float(state.emotion is Emotion.CONFUSED),
        "learner_progress": float(struggle is StruggleStatus.PROGRESSING),
    }


def _disclosure(turn: ReviewedTurn) -> dict[str, float]:
    problem = turn.context.problem
    text = _problem_text(turn)
    told = (*turn.context.history, Turn(learner=turn.context.utterance))
    reveal = find_reveal(turn.reply, problem_text=text, answer=problem.answer, solution=problem.solution, history=told)
    hint = find_reveal(
        turn.reply, problem_text=text, answer=problem.answer, solution=problem.solution, history=told, lenient=True
    )
    leak = NO_LEAK
    if problem.solution is not None or problem.answer is not None:
        leak = find_leak(
            turn.reply,
            problem_text=text,
            graph=turn.context.graph,
            answer=problem.answer,
            solution=problem.solution,
            history=told,
            reached=turn.observation.reached,
        )
    return {
        "reveals": float(reveal.kind != "none"),
        "reveals_falsely": float(reveal.kind != "none" and reveal.falsehood),
        "hints_answer": float(hint.kind != "none"),
        "leaks_answer": float(leak.kind == "final_answer"),
        "leaks_step": float(leak.kind == "unreached_step"),
    }


def _combined(values: Mapping[str, float]) -> dict[str, float]:
    """Facts that count only together."""
    corrects = max(values["corrects"], values["contrasts"], values["says_actually"], values["doubts"])
    partial = max(values["credits_effort"], values["credits_part"])
    affirms = max(values["affirms_first"], values["calls_right"], values["praises"]) * (1 - partial)
    turns = max(corrects, partial, values["asks_recheck"], values["reminds"], values["should_be"], values["gives_hint"])
    asks = max(values["has_question"], values["asks_can_you"], values["imperative_first"])
    points = max(float(values["question_topics"] > 0), values["asks_with_number"], values["asks_quantity"])
    on_topic = min(1.0, values["share_of_problem"] + values["share_of_learner"])
    pointed = values["has_question"] * (1 - values["shares_nothing"]) * (1 - values["asks_recheck"])
    return {
        "affirms": affirms,
        "turns_against": turns,
        "approves": affirms * (1 - turns) * (1 - points),
        "approves_wrong": affirms * (1 - turns) * (1 - points) * values["learner_wrong"],
        "approves_then_points": affirms * (1 - turns) * points,
        "points": points,
        "points_unaffirmed": points * (1 - affirms),
        "flat": (1 - turns) * (1 - points),
        "partial_credit_only": partial * (1 - corrects) * (1 - points),
        "affirms_only": affirms * (1 - corrects),
        "affirms_and_stops": affirms * (1 - corrects) * (1 - asks),
        "affirms_wrong": affirms * (1 - corrects) * values["learner_wrong"],
        "affirms_right": affirms * (values["learner_right"] or values["learner_solved"]),
        "affirms_then_asks": affirms * (1 - corrects) * asks,
        "praise_and_correction": affirms * corrects,
        "corrects_any": corrects,
        "corrects_and_asks": corrects * asks,
        "corrects_wrong": corrects * values["learner_wrong"],
        "corrects_right": corrects * values["learner_right"],
        "asks_any": asks,
        "moves_on": max(values["lets_move_on"], values["next_problem"]),
        "moves_on_alone": max(values["lets_move_on"], values["next_problem"]) * (1 - corrects),
        "on_topic": on_topic,
        "pointed_question": pointed,
        "pointed_to_wrong_step": pointed * max(values["names_step_operands"], values["names_wrong_value"]),
        "pointed_on_problem": pointed * values["share_of_problem"],
        "short_question": values["ends_in_question"] * values["short"],
        "quantity_question": values["has_question"] * values["asks_quantity"],
        "bare_recheck": values["asks_recheck"] * (1 - values["has_question"]) * values["short"],
        "bare_doubt": values["doubts"] * values["short"] * values["no_number"],
        "tells": (1 - values["has_question"])
        * max(float(values["equations"] > 0), values["should_be"], values["explains_why"]),
        "tells_result": (1 - values["ends_in_question"]) * max(values["reveals"], values["leaks_step"]),
        "answers_own_question": values["has_question"] * (1 - values["ends_in_question"]) * values["reveals"],
        "off_topic": float(on_topic < 0.1) * (1 - values["corrects"]) * float(values["learner_numbers"] == 0),
        "topical_question": values["question_topics"] * (1 - values["mostly_foreign"]),
        "topical_question_unaffirmed": values["question_topics"] * (1 - affirms),
        "affirms_topical_question": values["question_topics"] * affirms * (1 - corrects),
        "foreign_uncorrected": values["mostly_foreign"] * (1 - corrects),
        "topical_correction": corrects * values["known_topics"],
        "impersonal_uncorrected": values["impersonal"] * (1 - corrects),
        "empty_talk": values["no_known_topic"] * values["no_number"],
        "empty_talk_uncorrected": values["no_known_topic"] * values["no_number"] * (1 - corrects),
        "topical_or_number": max(1 - values["no_known_topic"], float(values["learner_numbers"] > 0)),
        "corrects_no_number": corrects * values["no_number"],
        "corrects_with_number": corrects * (1 - values["no_number"]),
        "corrects_on_problem": corrects * values["share_of_problem"],
        "corrects_learner_words": corrects * values["share_of_learner"],
        "affirms_on_topic": affirms * (1 - corrects) * on_topic,
    }
