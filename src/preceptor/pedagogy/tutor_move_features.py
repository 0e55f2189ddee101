"""What can be counted about a reply before its kind of move is told: cues, form, numbers, what it shares with whom."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction

from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.content_words import content_words
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move_cues import COMMON_WORDS, MOVE_CUES, cues_of
from preceptor.pedagogy.tutor_move_manner import habit_features, manner_features
from preceptor.pedagogy.tutor_move_shape import shape_features

_SENTENCE = re.compile(r"[^.!?\n]+(?:\.\d[^.!?\n]*)*[.!?]*")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def move_features(reply: str, context: TurnContext) -> dict[str, float]:
    """Return the named facts that the head weighs; every value lies between 0 and about 4.

    Runs of a shape are named only where there are any, habits only where the tutor spoke before; every other name is
    always there.
    """
    text = reply.strip().replace("’", "'")
    words = {word for word in _WORD.findall(text.casefold())}
    values = {
        **cues_of(text),
        **{f"word_{word}": float(word in words) for word in sorted(COMMON_WORDS)},
        **_form(text),
        **_numbers(text, context),
        **_shares(text, context),
        **_place(context),
    }
    values.update(_combined(values))
    values.update(shape_features(text, context))
    values.update(manner_features(reply))
    values.update(habit_features(context.history))
    return values


def _form(text: str) -> dict[str, float]:
    words = _WORD.findall(text)
    sentences = [part for part in _SENTENCE.findall(text) if part.strip()]
    questions = [part for part in sentences if part.rstrip().endswith("?")]
    asked = " ".join(questions)
    return {
        "log_words": math.log1p(len(words)),
        "very_short": float(len(words) <= 4),
        "short": float(len(words) <= 9),
        "long": float(len(words) >= 30),
        "sentences": min(len(sentences), 5) / 5,
        "has_question": float(bool(questions)),
        "ends_in_question": float(text.rstrip(" \"'”)").endswith("?")),
        "only_questions": float(bool(questions) and len(questions) == len(sentences)),
        "question_share": len(_WORD.findall(asked)) / max(len(words), 1),
        "told_words": math.log1p(len(words) - len(_WORD.findall(asked))),
        **{
            f"q_{name}": float(bool(questions) and bool(MOVE_CUES[name].search(asked)))
            for name in (
                "asks_how_many",
                "asks_what_is",
                "asks_why",
                "asks_think",
                "asks_if",
                "names_operation",
                "says_you",
                "says_we",
                "bare_number",
                "each_word",
                "total_word",
                "left_word",
                "mean_word",
            )
        },
    }


def _values(text: str) -> set[Fraction]:
    return {number.value for number in find_numbers(text)}


def _numbers(text: str, context: TurnContext) -> dict[str, float]:
    found = _values(text)
    problem, learner = _values(context.problem.text), _values(context.utterance)
    earlier = _values(" ".join(f"{turn.learner} {turn.tutor or ''}" for turn in context.history))
    graph = context.graph
    steps = {node.value for node in graph.nodes} if graph else set()
    answer = graph.answer if graph else None
    public = problem | learner | earlier
    return {
        "n_numbers": math.log1p(len(found)),
        "no_number": float(not found),
        "problem_numbers": math.log1p(len(found & problem)),
        "learner_numbers": math.log1p(len(found & learner - problem)),
        "earlier_numbers": math.log1p(len(found & earlier - learner - problem)),
        "new_numbers": math.log1p(len(found - public)),
        "new_step_numbers": math.log1p(len((found & steps) - public)),
        "new_other_numbers": math.log1p(len(found - public - steps)),
        "step_numbers": math.log1p(len(found & steps - problem)),
        "says_answer": float(answer is not None and answer in found),
        "says_new_answer": float(answer is not None and answer in found - public),
        "learner_has_answer": float(answer is not None and answer in learner),
        "earlier_has_answer": float(answer is not None and answer in earlier),
        "learner_has_step": float(bool(learner & steps - problem)),
        "learner_no_number": float(not learner),
    }


def _shares(text: str, context: TurnContext) -> dict[str, float]:
    reply = content_words(text)
    problem, learner = content_words(context.problem.text), content_words(context.utterance)
    solution = content_words(context.problem.solution or "")
    size = max(len(reply), 1)
    return {
        "share_problem": len(reply & problem) / size,
        "share_learner": len(reply & learner) / size,
        "share_solution": len(reply & solution - problem) / size,
        "share_new": len(reply - problem - learner) / size,
        "no_topic": float(not reply & (problem | learner)),
    }


def _place(context: TurnContext) -> dict[str, float]:
    spoken = sum(bool(turn.learner.strip()) for turn in context.history) + bool(context.utterance.strip())
    said = context.utterance
    return {
        "opening": float(spoken == 0),
        "first_reply": float(spoken == 1),
        "second_reply": float(spoken == 2),
        "turn_number": math.log1p(spoken),
        "learner_long": float(len(said) > 250),
        "learner_asks": float("?" in said),
        "learner_oh": float(
            bool(re.search(r"\b(?:oh|i see|you're right|you are right|makes sense|i understand)\b", said, re.I))
        ),
        "learner_confused": float(
            bool(re.search(r"\b(?:confus\w+|not sure|don't (?:know|understand)|unsure)\b", said, re.I))
        ),
        "learner_thanks": float(bool(re.search(r"\bthank", said, re.I))),
    }


def _combined(values: Mapping[str, float]) -> dict[str, float]:
    """Facts that count only together."""
    praise = max(values["opens_right"], values["opens_praise"], values["praises"], values["calls_right"])
    asks = values["has_question"]
    return {
        "praise": praise,
        "praise_only": praise * (1 - asks) * values["short"],
        "praise_after_answer": praise * max(values["learner_has_answer"], values["earlier_has_answer"]) * (1 - asks),
        "praise_then_asks": praise * asks,
        "tells_no_question": (1 - asks) * max(values["tells_need"], values["tells_should"], values["has_equation"]),
        "tells_equation": values["has_equation"] * (1 - values["ends_in_question"]),
        "equation_then_asks": values["has_equation"] * values["ends_in_question"],
        "tells_new_step": float(values["new_step_numbers"] > 0) * (1 - values["ends_in_question"]),
        "number_question": asks * values["q_bare_number"],
        "quantity_question": asks * values["q_asks_how_many"],
        "quantity_with_number": asks * values["q_asks_how_many"] * values["q_bare_number"],
        "quantity_after_praise": asks * values["q_asks_how_many"] * praise,
        "short_question": values["only_questions"] * values["short"],
        "statement": (1 - asks) * (1 - praise),
        "statement_with_number": (1 - asks) * (1 - values["no_number"]),
        "statement_operation": (1 - asks) * values["names_operation"],
        "question_operation": asks * values["names_operation"],
        "first_walk": values["first_reply"] * max(values["asks_walk"], values["asks_show_work"]),
        "opening_walk": values["opening"] * max(values["asks_walk"], values["asks_show_work"]),
        "later_walk": (1 - values["opening"]) * max(values["asks_walk"], values["asks_show_work"]),
        "greets_opening": values["opening"] * values["greets"],
        "recheck_no_number": values["asks_recheck"] * values["no_number"],
        "corrects_and_asks": values["corrects"] * asks,
        "corrects_and_tells": values["corrects"] * (1 - asks),
        "no_topic_question": asks * values["no_topic"],
        "no_topic_statement": (1 - asks) * values["no_topic"],
    }
