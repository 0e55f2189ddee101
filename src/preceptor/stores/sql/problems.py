"""The problem bank on either database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from preceptor.domain.problem import AnswerPolicy, Problem
from preceptor.errors import NotFoundError
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json
from preceptor.stores.sql.tables import PROBLEM

_POLICY = TypeAdapter(AnswerPolicy)


class SqlProblemStore:
    """`ProblemStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def add(self, problem: Problem) -> None:
        """See `ProblemStore.add`."""
        with self._database.write() as connection:
            connection.execute(insert(PROBLEM).values(**_row(problem)))

    def put_many(self, problems: Sequence[Problem]) -> int:
        """See `ProblemStore.put_many`."""
        with self._database.write() as connection:
            return sum(_put(connection, problem) for problem in problems)

    def get(self, problem_id: str) -> Problem:
        """See `ProblemStore.get`."""
        with self._database.read() as connection:
            row = connection.execute(select(PROBLEM).where(PROBLEM.c.problem_id == problem_id)).first()
        if row is None:
            raise NotFoundError(f"no problem {problem_id!r}")
        return _problem(row)

    def find(
        self,
        *,
        limit: int,
        offset: int = 0,
        subject_id: str | None = None,
        language: str | None = None,
        text: str = "",
    ) -> list[Problem]:
        """See `ProblemStore.find`."""
        chosen = select(PROBLEM)
        if subject_id is not None:
            chosen = chosen.where(PROBLEM.c.subject_id == subject_id)
        if language is not None:
            chosen = chosen.where(PROBLEM.c.language == language)
        if text:
            chosen = chosen.where(PROBLEM.c.text_folded.contains(text.casefold(), autoescape=True))
        with self._database.read() as connection:
            rows = connection.execute(chosen.order_by(PROBLEM.c.position).limit(limit).offset(offset))
            return [_problem(row) for row in rows]

    def count(self) -> int:
        """See `ProblemStore.count`."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(PROBLEM)).scalar_one())

    def remove(self, problem_id: str) -> None:
        """See `ProblemStore.remove`."""
        with self._database.write() as connection:
            connection.execute(delete(PROBLEM).where(PROBLEM.c.problem_id == problem_id))


def _put(connection: Connection, problem: Problem) -> bool:
    row = _row(problem)
    changed = connection.execute(update(PROBLEM).where(PROBLEM.c.problem_id == problem.problem_id).values(**row))
    if changed.rowcount:
        return False
    connection.execute(insert(PROBLEM).values(**row))
    return True


def _row(problem: Problem) -> dict[str, object]:
    return {
        "problem_id": problem.problem_id,
        "subject_id": problem.subject_id,
        "language": problem.language,
        "text": problem.text,
        "text_folded": problem.text.casefold(),
        "solution": problem.solution,
        "answer": problem.answer,
        "source": problem.source,
        "licence": problem.licence,
        "policy": as_json(_POLICY.dump_python(problem.policy, mode="json")),
    }


def _problem(row: Row[Any]) -> Problem:
    return Problem(
        problem_id=row.problem_id,
        subject_id=row.subject_id,
        language=row.language,
        text=row.text,
        solution=row.solution,
        answer=row.answer,
        source=row.source,
        licence=row.licence,
        policy=_POLICY.validate_json(row.policy),
    )
