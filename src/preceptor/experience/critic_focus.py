"""What a reply is about at its moment: how like it is to what stands there, and what follows once it disagrees.

Likenesses, shares, and whether something is there: they tell the replies to one moment apart; the worth weighs them.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache

from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_talk import topic_words
from preceptor.maths.claims import read_claims
from preceptor.maths.step_graph import StepNode
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.content_words import content_words
from preceptor.pedagogy.dialogue_formats import UNKNOWN_PROBLEM

_SENTENCE = re.compile(r"[^.!?\n]+(?:\.\d[^.!?\n]*)*[.!?]*")
_TURN = re.compile(
    r"\b(?:but|however|though|although|remember|recall|keep in mind|note that|not quite|actually|instead|rather"
    r"|look (?:again|back)|closer look|double-?check|re-?check|let's (?:re\w+|take another|look|check))\b",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"\b(?:great|good|excellent|nice|amazing|wonderful|fantastic|awesome|perfect|correct|right track|well done"
    r"|effort|job|almost|close)\b",
    re.IGNORECASE,
)
_NOT_NUMBER = re.compile(
    r"\b(?:not|n't|instead of|rather than|isn't|aren't|wasn't|subtracting|why (?:are|did) you)\W+(?:\w+\W+){0,2}?\$?\d",
    re.IGNORECASE,
)
_CONFIRM = re.compile(
    r"\b(?:correct(?:ly)?|right|exactly|yes|perfect|indeed|great|good job|well done)\b", re.IGNORECASE
)
_COUNTER = re.compile(r"\b(?:but|however|not|n't|instead|wrong|incorrect|mistake|error|check|remember)\b|n't", re.I)
_GENERIC_STEP = re.compile(
    r"\b(?:your (?:calculation|answer|solution|work|reasoning|approach|steps?|thinking)|this problem|the problem"
    r"|the question|your (?:understanding|explanation))\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|when|since|because|given that|knowing that)\b", re.IGNORECASE)


FOCUS = "focus_"
"""How the names of these facts begin. The worth weighs them; a head does not: there they tell who writes so more than
how good it is, and the excess of AI tutors over human ones grew by 2 to 6 points."""


def read_focus(turn: ReviewedTurn) -> dict[str, float]:
    """Return what a reply is about: name → number in [0, 1]."""
    found = {
        **_likenesses(turn),
        **_after_the_turn(turn),
        **_last_question(turn),
        **_about_values(turn),
        **_next_step(turn),
    }
    return {f"{FOCUS}{name}": value for name, value in found.items()}


def _texts(turn: ReviewedTurn) -> tuple[str, str, str, str]:
    """Return problem, learner, reference and the tutor's last reply as text."""
    context = turn.context
    problem = "" if context.problem.text == UNKNOWN_PROBLEM else context.problem.text
    said = (context.history[-1].tutor or "") if context.history else ""
    return problem, context.utterance, context.problem.solution or "", said


def _likenesses(turn: ReviewedTurn) -> dict[str, float]:
    problem, learner, solution, said = _texts(turn)
    asked = _parts(problem)[-1] if problem else ""
    reply = turn.reply
    topics = topic_words(reply)
    return {
        "like_problem": _cosine(topics, topic_words(problem)),
        "like_learner": _cosine(topics, topic_words(learner)),
        "like_solution": _cosine(topics, topic_words(solution)),
        "like_last_reply": _cosine(topics, topic_words(said)),
        "like_asked": _cosine(topics, topic_words(asked)),
        "letters_problem": _letters(reply, problem),
        "letters_learner": _letters(reply, learner),
        "letters_solution": _letters(reply, solution),
        "letters_last_reply": _letters(reply, said),
        "learner_covered": len(topics & topic_words(learner)) / max(len(topic_words(learner)), 1),
        "run_problem": _longest_run(reply, problem),
        "run_learner": _longest_run(reply, learner),
        "run_solution": _longest_run(reply, solution),
    }


def _after_the_turn(turn: ReviewedTurn) -> dict[str, float]:
    problem, learner, solution, said = _texts(turn)
    found = list(_TURN.finditer(turn.reply))
    tail = turn.reply[found[0].end() :] if found else ""
    known = topic_words(" ".join((problem, learner, solution, said)))
    spoken = topic_words(tail)
    sentences = _parts(turn.reply)
    praised = [part for part in sentences if _PRAISE.search(part) and not topic_words(part) and not _values(part)]
    words = max(len(turn.reply.split()), 1)
    return {
        "turns": float(bool(found)),
        "tail_topics": min(len(spoken & known), 4) / 4,
        "tail_foreign": len(spoken - known) / max(len(spoken), 1),
        "tail_numbers": float(bool(_values(tail))),
        "tail_learner": min(len(spoken & topic_words(learner)), 3) / 3,
        "tail_problem_only": float(bool(spoken & (topic_words(problem) - topic_words(learner)))),
        "tail_generic": float(bool(found) and not spoken & known and not _values(tail)),
        "praise_share": sum(len(part.split()) for part in praised) / words,
        "topical_share": sum(len(part.split()) for part in sentences if topic_words(part) & known) / words,
        "generic_step": float(_GENERIC_STEP.search(turn.reply) is not None),
    }


def _last_question(turn: ReviewedTurn) -> dict[str, float]:
    problem, learner, solution, said = _texts(turn)
    questions = [part for part in _parts(turn.reply) if part.rstrip().endswith("?")]
    last = questions[-1] if questions else ""
    known = topic_words(" ".join((problem, learner, solution, said)))
    spoken = topic_words(last)
    numbers = _values(last)
    return {
        "question_known": len(spoken & known) / max(len(content_words(last)), 1),
        "question_bare": float(bool(last) and not spoken & known and not numbers),
        "question_learner_numbers": float(bool(numbers & _values(learner))),
        "question_public_numbers": float(bool(numbers & (_values(problem) | _values(said)))),
        "question_new_topics": float(bool(spoken & (known - topic_words(learner)))),
        "question_repeats": _cosine(content_words(last), content_words(said)),
        "question_like_asked": _cosine(spoken, topic_words(_parts(problem)[-1] if problem else "")),
        "question_condition": float(_CONDITION.search(last) is not None),
        "question_first": float(bool(questions) and questions[0] == next(iter(_parts(turn.reply)), "")),
    }


def _about_values(turn: ReviewedTurn) -> dict[str, float]:
    problem, learner, _, said = _texts(turn)
    judged = [one for one in turn.observation.claims if not one.claim.withdrawn and one.claim.value is not None]
    wrong = {one.claim.value for one in judged if one.mark == "wrong"}
    final = judged[-1].claim.value if judged else None
    graph = turn.context.graph
    known = {node.value for node in graph.nodes} if graph else set()
    claims = [claim for claim in read_claims(turn.reply) if claim.true is not None and not claim.withdrawn]
    learnt = {claim.value for claim in read_claims(learner)}
    confirmed = [part for part in _parts(turn.reply) if _CONFIRM.search(part) and not _COUNTER.search(part)]
    reply = _values(turn.reply)
    public = _values(problem) | _values(learner) | _values(said)
    return {
        "negates_number": float(_NOT_NUMBER.search(turn.reply) is not None),
        "names_final_value": float(final is not None and final in reply),
        "confirms_value": float(any(_values(part) & (wrong or {final}) for part in confirmed)),
        "echoes_wrong_claim": float(any(claim.value in wrong for claim in claims)),
        "echoes_claim": float(any(claim.value in learnt for claim in claims)),
        "reference_equation": float(any(claim.value in known for claim in claims)),
        "other_equation": float(any(claim.value not in known and claim.value not in learnt for claim in claims)),
        "public_number_share": len(reply & public) / max(len(reply), 1),
        "two_numbers": float(any(len(_values(part) & public) >= 2 for part in _parts(turn.reply))),
    }


def _next_step(turn: ReviewedTurn) -> dict[str, float]:
    """Whether the reply speaks of the step that is due: the one that went off, or the first one not reached."""
    step = _due(turn)
    if step is None:
        return dict.fromkeys(("due_operands", "due_topics", "due_asked", "due_told", "elsewhere"), 0.0)
    reply = turn.reply
    operands = {operand.value for operand in step.operands}
    words = topic_words(f"{step.noun or ''} {step.text}")
    asked = " ".join(part for part in _parts(reply) if part.rstrip().endswith("?"))
    graph = turn.context.graph
    others = [node for node in graph.nodes if node.index != step.index] if graph else []
    here = _cosine(topic_words(reply), words)
    there = max((_cosine(topic_words(reply), topic_words(f"{one.noun or ''} {one.text}")) for one in others), default=0)
    return {
        "due_operands": len(_values(reply) & operands) / max(len(operands), 1),
        "due_topics": here,
        "due_asked": _cosine(topic_words(asked), words),
        "due_told": float(step.value in _values(reply) and step.value not in _values(turn.context.utterance)),
        "elsewhere": max(0.0, there - here),
    }


def _due(turn: ReviewedTurn) -> StepNode | None:
    graph, observation = turn.context.graph, turn.observation
    if graph is None:
        return None
    if observation.first_wrong_node is not None and observation.first_wrong_node < len(graph.nodes):
        return graph.nodes[observation.first_wrong_node]
    return next((node for node in graph.nodes if node.index not in observation.reached), None)


@lru_cache(maxsize=512)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in _SENTENCE.findall(text) if part.strip()) or (text,)


@lru_cache(maxsize=1024)
def _values(text: str) -> frozenset[Fraction]:
    return frozenset(number.value for number in find_numbers(text))


def _cosine(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / math.sqrt(len(first) * len(second)) if first and second else 0.0


def _letters(first: str, second: str) -> float:
    """Return the cosine of the sets of four-letter runs."""
    return _cosine(_grams(first), _grams(second))


@lru_cache(maxsize=256)
def _grams(text: str) -> frozenset[str]:
    plain = re.sub(r"[^a-z]+", " ", text.casefold())
    return frozenset(plain[at : at + 4] for at in range(len(plain) - 3))


def _longest_run(reply: str, other: str) -> float:
    """Return the logarithm of the longest run of words that both have, at most 8 words."""
    words, there = re.findall(r"[^\W_]+", reply.casefold()), re.findall(r"[^\W_]+", other.casefold())
    for size in range(8, 1, -1):
        runs = {tuple(there[at : at + size]) for at in range(len(there) - size + 1)}
        if any(tuple(words[at : at + size]) in runs for at in range(len(words) - size + 1)):
            return math.log2(size) / 3
    return 0.0
