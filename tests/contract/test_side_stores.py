"""Problem bank, drafts and access log on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from preceptor.domain.problem import AnswerPolicy, Problem
from preceptor.errors import DuplicateError, NotFoundError
from preceptor.stores.protocols import Access, TurnDraft
from preceptor.stores.sql.access_log import SqlAccessLog
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.problems import SqlProblemStore
from preceptor.stores.sql.turn_drafts import SqlTurnDraftStore

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def problems(database: Database) -> SqlProblemStore:
    return SqlProblemStore(database)


def _problem(problem_id: str, text: str = "How many?", language: str = "en") -> Problem:
    return Problem(problem_id=problem_id, text=text, language=language)


def test_a_problem_comes_back_as_it_was_stored(problems: SqlProblemStore) -> None:
    policy = AnswerPolicy(form="mixed", units="required", tolerance=Fraction(1, 300), locale="de", percent_as="number")
    stored = Problem(
        problem_id="p1",
        text="Wie viel ist 1,5 + ½?",
        solution="1,5 + ½ = 2",
        answer="2",
        language="de",
        source="us",
        licence="Apache-2.0",
        subject_id="physics",
        policy=policy,
    )
    problems.add(stored)
    assert problems.get("p1") == stored


def test_a_problem_s_id_is_taken_once(problems: SqlProblemStore) -> None:
    problems.add(_problem("p1", "first"))
    with pytest.raises(DuplicateError):
        problems.add(_problem("p1", "second"))
    assert (problems.get("p1").text, problems.count()) == ("first", 1)


def test_importing_again_replaces_and_keeps_the_place(problems: SqlProblemStore) -> None:
    assert problems.put_many([_problem("p1", "first"), _problem("p2", "second")]) == 2
    assert problems.put_many([_problem("p1", "changed"), _problem("p3", "third")]) == 1
    assert [found.text for found in problems.find(limit=9)] == ["changed", "second", "third"]


def test_an_unknown_problem_is_not_found(problems: SqlProblemStore) -> None:
    with pytest.raises(NotFoundError, match="'p9'"):
        problems.get("p9")


def test_problems_are_found_by_text_language_and_subject(problems: SqlProblemStore) -> None:
    problems.put_many(
        [
            _problem("1", "100% of ÄPFEL"),
            _problem("2", "1000 apples"),
            _problem("3", "苹果有多少", "zh"),
            replace(_problem("4"), subject_id="physics"),
        ]
    )

    def found(**narrow: str) -> str:
        return "".join(item.problem_id for item in problems.find(limit=9, **narrow))  # type: ignore[arg-type]

    assert found(text="äpfel") == "1"
    assert found(text="100%") == "1"
    assert found(text="苹果") == found(language="zh") == "3"
    assert found(subject_id="physics") == "4"
    assert [item.problem_id for item in problems.find(limit=2, offset=1)] == ["2", "3"]


def test_a_removed_problem_is_gone_and_removing_it_again_is_no_error(problems: SqlProblemStore) -> None:
    problems.add(_problem("p1"))
    problems.remove("p1")
    problems.remove("p1")
    assert problems.count() == 0


def test_a_draft_is_replaced_read_and_dropped_in_its_scope(database: Database) -> None:
    drafts = SqlTurnDraftStore(database)
    first = TurnDraft(learner_id="ana", dialogue_id="d1", turn=2, text="What", last_event_id=1, updated_at=NOON)
    second = replace(first, text="What is ½?", last_event_id=2, events=({"event_id": 2, "text": "½"},))
    drafts.put(first)
    drafts.put(second)
    assert drafts.get("ana", "d1", 2) == second
    assert drafts.list_for_learner("ana") == [second]
    assert drafts.get("ben", "d1", 2) is None
    assert drafts.get("ana", "d1", 3) is None
    drafts.drop("ben", "d1", 2)
    assert drafts.get("ana", "d1", 2) == second
    drafts.drop("ana", "d1", 2)
    assert drafts.list_for_learner("ana") == []


def test_accesses_are_kept_in_order_and_by_dialogue(database: Database) -> None:
    accesses = SqlAccessLog(database)
    made = [
        Access(reader_id=reader, learner_id="ana", dialogue_id="d1", accessed_at=NOON) for reader in ("owner", "other")
    ]
    for access in made:
        accesses.add(access)
    assert accesses.list_for_dialogue("ana", "d1") == made
    assert accesses.list_for_dialogue("ana", "d2") == accesses.list_for_dialogue("ben", "d1") == []
