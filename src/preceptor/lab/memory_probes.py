"""Questions that invite a false memory: about times, topics and mistakes that are not on record.

Each asks for a time nothing may come from but itself. Many claim that something was done then; most of these times are
empty. A design that tells of anything else, and a reply that names what is not there, is caught by id and by string.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from preceptor.lab.memory_designs import Designs
from preceptor.lab.memory_generator import Made
from preceptor.lab.memory_histories import History, Question
from preceptor.lab.memory_question_maker import QuestionMaker
from preceptor.lab.memory_replies import ReplyCheck
from preceptor.lab.memory_scoring import Scorer
from preceptor.memory.record_answers import answer_record
from preceptor.memory.time_phrases import TimeWindow

LONG_AGO = 2019
"""A year before every history."""
_WITH_YEAR = {"es": "{month} de {year}", "zh": "{year}年{month}"}


@dataclass(frozen=True, kw_only=True)
class Probed:
    """What one probe found."""

    question: Question
    false: tuple[str, ...]
    """Ids from outside, and what the reply names that is not so; empty: no false memory."""
    replied: bool
    """The builtin tutor answered from the record; false: it took the question for another kind."""
    said_so: bool | None
    """Where nothing is on record: whether that was said; `None`: something is."""


def probes(made: Sequence[Made], *, seed: int, count: int) -> tuple[Question, ...]:
    """Return so many probes, spread over the histories; fewer where these hold fewer.

    Both sets of wordings are used: no phrase is left out because it is hard.
    """
    found: list[Question] = []
    for number, one in enumerate(made):
        rng = random.Random(f"{seed}/probes/{number}")
        for wordings in ("questions", "held_out"):
            maker = QuestionMaker(one, rng, prefix=f"probe-{wordings[0]}", wordings=wordings)
            found += _of_history(maker)
    random.Random(f"{seed}/chosen").shuffle(found)
    return tuple(found[:count])


def _of_history(maker: QuestionMaker) -> Iterator[Question]:
    words = maker.words
    for month in maker.empty_months():
        window, values = maker.window(month), {"month": maker.named(month)}
        for text in (*words.month, *words.got_wrong_month):
            yield maker.ask("empty_month", text.format(**values), window)
        for text in words.presuming:
            concept = maker.rng.choice(maker.deck.concepts).name
            yield maker.ask("empty_month", text.format(concept=concept, **values), window)
    for month in maker.months():
        window = maker.window(month)
        touched = {concept for entry in maker.inside(window) for concept in entry.concepts}
        untouched = [one.name for one in maker.deck.concepts if one.name not in touched]
        if touched and untouched:
            text = maker.rng.choice(words.presuming)
            concept = maker.rng.choice(untouched)
            yield maker.ask("active_month", text.format(concept=concept, month=maker.named(month)), window)
        year = _WITH_YEAR.get(maker.deck.language, "{month} {year}").format(month=maker.named(month), year=LONG_AGO)
        text = maker.rng.choice((*words.month, *words.got_wrong_month)).format(month=year)
        yield maker.ask("empty_month", text, maker.window((LONG_AGO, month[1])))
    yesterday = maker.today() - timedelta(days=1)
    day = TimeWindow(first_day=yesterday, last_day=yesterday, time_zone=maker.history.time_zone)
    for text in words.yesterday:
        yield maker.ask("empty_month" if not maker.inside(day) else "active_month", text, day)
    for text in words.last_week:
        yield maker.ask("last_week", text, maker.last_week())


def probe(designs: Designs, histories: Sequence[History], questions: Sequence[Question]) -> tuple[Probed, ...]:
    """Ask every probe of the full memory, and let the builtin tutor answer where it would."""
    scorer = Scorer(histories)
    checks = {history.key: ReplyCheck(history) for history in histories}
    found: list[Probed] = []
    for question in questions:
        shown = designs.show("full", question)
        scored = scorer.score(question, shown, "full")
        false = [one for one in scored.details if one.split(" ")[0] in {"outside", "foreign", "narration"}]
        block, replied = shown.block, False
        said = shown.no_record
        if block is not None and block.record_question is not None:
            answer = answer_record(block)
            replied = True
            false += [f"reply: {one}" for one in checks[question.key].faults(question, block, answer)]
            said = answer.found == "nothing"
        found.append(
            Probed(
                question=question,
                false=tuple(false),
                replied=replied,
                said_so=said if question.says_no_record else None,
            )
        )
    return tuple(found)
