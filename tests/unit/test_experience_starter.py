"""The experience that comes with the program: what it is, that it is added once, and that it can be made again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.experience_doubles import AngleEmbedder

from preceptor.cli.main import cli
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.experience.experience_export import parse_experience
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_words import LEXICAL
from preceptor.experience.starter import (
    IMPORTED,
    add_starter,
    begin_with_starter,
    starter_entries,
    starter_text,
)
from preceptor.lab.starter_repository import make_starter, starter_problems
from preceptor.maths.step_graph import StepGraph
from preceptor.record.record import Record, open_record
from preceptor.settings import ExperienceSettings, Settings
from preceptor.stores.experiences import ExperienceQuery
from preceptor.tutoring.live_repository import EMPTY, LiveRepository

EVERYTHING = ExperienceQuery(statuses=("active", "disabled", "superseded"))


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        yield opened


@pytest.fixture
def repository(record: Record) -> ExperienceRepository:
    return ExperienceRepository(record.experiences, None)


def few() -> list[tuple[Problem, StepGraph]]:
    return starter_problems()[:2]


def test_every_shipped_entry_is_abstract_and_labelled_builtin_and_simulated() -> None:
    for line in starter_text().splitlines():
        entry = parse_experience(json.loads(line))
        assert entry.provenance.made_by == "builtin"
        assert entry.provenance.simulated
        assert entry.embedder == LEXICAL
        assert entry.scored_uses == 0


def test_the_shipped_entries_are_many_and_say_different_things() -> None:
    active = [entry for entry in starter_entries() if entry.status == "active"]
    assert len(active) >= 60
    assert len({entry.sentence for entry in active}) / len(active) >= 0.60
    ids = {entry.experience_id for entry in starter_entries()}
    assert all(set(entry.provenance.parents) <= ids for entry in starter_entries())


def test_an_untouched_repository_begins_with_all_of_them_once(record: Record, repository: ExperienceRepository) -> None:
    assert begin_with_starter(repository) == len(starter_entries())
    assert record.experiences.revision() == 1
    assert begin_with_starter(repository) == 0
    assert record.experiences.revision() == 1
    assert {line.reason for line in record.experiences.decisions()} == {IMPORTED}


def test_entries_that_the_embedder_does_not_read_are_left_out(record: Record) -> None:
    superseded = [entry for entry in starter_entries() if entry.status != "active"]
    read, unread = [entry for entry in starter_entries() if entry.status == "active"][:2]
    repository = ExperienceRepository(record.experiences, AngleEmbedder({read.sentence: 0.0}))
    alike = [entry for entry in starter_entries() if entry.status == "active" and entry.sentence == read.sentence]
    assert superseded
    assert unread.sentence != read.sentence
    assert begin_with_starter(repository) == len(superseded) + len(alike)
    stored = {entry.experience_id: entry for entry in record.experiences.find(EVERYTHING)}
    assert stored.keys() == {entry.experience_id for entry in (*superseded, *alike)}
    assert {entry.embedder for entry in stored.values()} == {"angles"}
    told = {line.candidate_id for line in record.experiences.decisions()}
    assert read.experience_id in told
    assert unread.experience_id not in told


def test_each_merged_entry_is_found_from_its_parents(record: Record, repository: ExperienceRepository) -> None:
    begin_with_starter(repository)
    merged = [entry for entry in starter_entries() if entry.provenance.parents]
    assert merged
    for entry in merged:
        for parent_id in entry.provenance.parents:
            assert entry.experience_id in {child.experience_id for child in record.experiences.children(parent_id)}


def test_a_repository_that_was_written_to_gets_them_only_when_asked(
    record: Record, repository: ExperienceRepository
) -> None:
    begin_with_starter(repository)
    first = record.experiences.find(ExperienceQuery())[0]
    repository.disable(first.experience_id, reason="a test")
    assert begin_with_starter(repository) == 0
    assert add_starter(repository) == 0
    assert record.experiences.get(first.experience_id).status == "disabled"


def test_a_running_program_reads_them_and_a_setting_leaves_them_out(tmp_path: Path) -> None:
    for starter in (True, False):
        settings = Settings(home=tmp_path / str(starter), experience=ExperienceSettings(starter=starter))
        with open_record(settings) as record:
            opened, why = LiveRepository(settings, record.experiences).open()
            assert (opened is not None, why) == (starter, "" if starter else EMPTY)
            assert bool(record.experiences.find(EVERYTHING)) == starter


def test_import_starter_adds_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    first = CliRunner().invoke(cli, ["experience", "import-starter", "--json"])
    again = CliRunner().invoke(cli, ["experience", "import-starter", "--json"])
    assert json.loads(first.stdout) == {"added": len(starter_entries())}
    assert json.loads(again.stdout) == {"added": 0}


def test_the_same_program_makes_the_same_bytes() -> None:
    learners = ("bare numbers", "slips")
    made = [make_starter(few(), learners=learners) for _ in range(2)]
    assert made[0].lines
    assert made[0].lines == made[1].lines
    funnel = made[0].funnel
    ends = ("inserted", "merged", "duplicate", "rejected", "nothing_to_learn", "dropped", "unscored", "no_difficulty")
    assert sum(funnel[end] for end in (*ends, "unread", "not_meaningful")) == funnel["turns_seen"]


def test_the_problems_are_our_own_and_confirmed_by_the_step_graph() -> None:
    for problem, graph in starter_problems():
        assert problem.source == "Preceptor"
        assert graph.answer_node is not None
        assert not graph.inconsistent


def test_a_check_of_another_file_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preceptor.lab.starter_repository.make_starter", lambda **_: make_starter(few()[:0]))
    ended = CliRunner().invoke(cli, ["experience", "starter", "--check"])
    assert isinstance(ended.exception, InputError) or ended.exit_code == 1


@pytest.mark.prove
def test_the_shipped_file_is_what_this_program_makes() -> None:
    made = make_starter(processes=2)
    assert "".join(line + "\n" for line in made.lines) == starter_text()
