"""Which engine plays a part: what the settings bind, in a course as in a problem, and half a binding is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.course_folder import SUBJECT, add_course

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import SettingsError
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.testing.scripted_model import ScriptedModel
from preceptor.tutoring.engines import builtin_tutor, open_courses, open_turn_maker
from preceptor.tutoring.session import TutoringSession

MODEL = {"provider": "here", "model": "m"}


def settings_of(home: Path, **roles: dict[str, Any]) -> Settings:
    return Settings.model_validate(
        {"home": home, "roles": roles, "providers": {"here": {"kind": "local"}},
         "course_retrieval": {"answerable_from": 0.0}}
    )  # fmt: skip


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        add_course(opened.courses)
        yield opened


@pytest.mark.parametrize(("engine", "n_asked"), [("builtin", 0), ("llm", 1)])
def test_a_course_is_answered_by_the_model_that_the_tutor_is_bound_to(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, n_asked: int
) -> None:
    model = ScriptedModel(["A queue is a line that is first in, first out [1]."])
    monkeypatch.setattr("preceptor.pedagogy.llm_course_tutor.open_model", lambda *_: model)
    settings = settings_of(tmp_path, tutor={"engine": engine, **MODEL})
    live = open_courses(settings, record, lambda: None)
    maker = open_turn_maker(
        settings, observer=BuiltinObserver(), tutor=builtin_tutor(settings), course=live.reader, course_turns=live.turns
    )
    session = TutoringSession(record=record, maker=maker, settings=settings)

    async def talk() -> str:
        dialogue_id = session.start(LOCAL_OWNER, subject_id=SUBJECT)
        done = await (await session.submit(LOCAL_OWNER, dialogue_id, "What is a queue?")).wait()
        assert done.kind == "done", done
        return dialogue_id

    reply = session.dialogue(LOCAL_OWNER, asyncio.run(talk())).turns[-1]
    assert len(model.prompts) == n_asked
    assert reply.engine == ("scripted/model" if n_asked else "builtin")


@pytest.mark.parametrize("role", ["tutor", "observer"])
@pytest.mark.parametrize("half", [{"provider": "here"}, {"model": "m"}, {}])
def test_half_a_binding_is_refused_by_its_name(tmp_path: Path, role: str, half: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match=rf"roles\.{role}: engine is llm"):
        open_turn_maker(settings_of(tmp_path, **{role: {"engine": "llm", **half}}))
