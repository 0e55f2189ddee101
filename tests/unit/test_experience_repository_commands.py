"""Export, import, another embedder, calibration and figures, by function and as typed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from tests.unit.experience_doubles import AngleEmbedder, candidate, open_store

from preceptor.cli.experience import experience
from preceptor.errors import InputError, SettingsError
from preceptor.experience.calibration import (
    Thresholds,
    default_thresholds,
    measure_thresholds,
    store_thresholds,
    thresholds_of,
)
from preceptor.experience.experience_export import (
    experience_json,
    export_experiences,
    import_experiences,
    parse_experience,
)
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_opening import experience_store, open_repository
from preceptor.experience.repository_reembedding import reembed
from preceptor.experience.repository_report import report_repository
from preceptor.settings import Settings
from preceptor.stores.experiences import ExperienceQuery
from preceptor.stores.sql.experiences import SqlExperienceStore

SENTENCES = [f"The learner {word} the parts." for word in ("compares", "reads", "counts", "divides")]
EMBEDDER = AngleEmbedder({text: 40.0 * place for place, text in enumerate(SENTENCES)})
EVERY = ExperienceQuery(statuses=("active", "disabled", "superseded"))
Run = Callable[..., Result]


def _filled(folder: Path) -> ExperienceRepository:
    folder.mkdir(exist_ok=True)
    repository = ExperienceRepository(open_store(folder), EMBEDDER)
    for turn, text in enumerate(SENTENCES):
        asyncio.run(repository.add(candidate(text, turn=turn)))
    return repository


def test_an_export_is_read_back_as_it_was(tmp_path: Path) -> None:
    mine = _filled(tmp_path / "a")
    mine.disable(mine.store.find(EVERY)[0].experience_id, reason="not for us")
    lines = [json.loads(json.dumps(line)) for line in export_experiences(mine.store)]
    theirs = ExperienceRepository(open_store(tmp_path), EMBEDDER)
    assert import_experiences(theirs, map(parse_experience, lines)) == {"added": 4, "known": 0, "unreadable": 0}
    assert theirs.store.find(EVERY) == mine.store.find(EVERY)
    assert import_experiences(theirs, map(parse_experience, lines)) == {"added": 0, "known": 4, "unreadable": 0}
    assert [line.reason for line in theirs.store.decisions()] == ["imported"] * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 2}, "format_version 2, expected 1"),
        ({"utility": 101}, "utility must be 0..100"),
        ({"state": {"emotion": "Bored"}}, "state.emotion"),
        ({"experience_id": "x" + "0" * 20}, "is not that of its content"),
        ({"experience_id": "../etc"}, "expected x and 20 hex digits"),
        ({"sentence": "The learner adds 7 parts."}, "is not that of its content"),
    ],
)
def test_a_changed_line_is_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        parse_experience({**experience_json(candidate(SENTENCES[0])), **change})


def test_an_import_with_words_of_a_problem_is_refused() -> None:
    with pytest.raises(InputError, match="a digit: '7'"):
        parse_experience(experience_json(candidate("The learner adds 7 parts.")))


def test_another_embedder_takes_the_repository_over_sentence_by_sentence(tmp_path: Path) -> None:
    store = _filled(tmp_path).store
    partial = AngleEmbedder({text: 45.0 * place for place, text in enumerate(SENTENCES[:3])})
    partial.fingerprint = "other"
    with pytest.raises(SettingsError, match="4 entries of angles, but the embedder is other"):
        ExperienceRepository(store, partial)
    assert reembed(store, partial) == {"changed": 4, "disabled": 1}
    assert reembed(store, partial) == {"changed": 0, "disabled": 0}
    with ExperienceRepository(store, partial).reading() as index:
        hit = index.search(store.find(EVERY)[0].state, SENTENCES[0], k=2).hits[1]
    assert hit.similarity == pytest.approx(np.cos(np.deg2rad(45)), abs=1e-3)
    assert reembed(store, None)["changed"] == 4
    assert ExperienceRepository(store, None).fingerprint == "words:1"


def test_thresholds_are_the_percentiles_of_pairs_of_different_categories() -> None:
    angles = {f"text {chr(97 + n // 26)}{chr(97 + n % 26)}": float(n) for n in range(80)}
    texts = [(text, "even" if n % 2 else "odd") for n, text in enumerate(angles)]
    measured = measure_thresholds(texts, AngleEmbedder(angles), measured_on="ours")
    cosines = [np.cos(np.deg2rad(a - b)) for a in range(80) for b in range(a) if (a - b) % 2]
    expected = np.percentile(cosines, [95, 99, 99.9])
    assert [measured.tau, measured.tau_merge, measured.tau_dup] == pytest.approx(list(expected), abs=1e-4)
    assert (measured.origin, measured.measured["pairs"], measured.measured["on"]) == ("calibrated", 1600, "ours")


def test_too_few_pairs_measure_nothing() -> None:
    with pytest.raises(InputError, match="0 pairs of texts of different error categories, expected 1000"):
        measure_thresholds([("one", "a"), ("two", "a")], None, measured_on="ours")


def test_thresholds_belong_to_a_fingerprint(tmp_path: Path) -> None:
    store = SqlExperienceStore(open_store(tmp_path)._database)
    limits = Thresholds(tau=0.3, tau_merge=0.6, tau_dup=0.9, origin="calibrated", measured={"pairs": 5})
    store_thresholds(store, "angles", limits)
    assert thresholds_of(store, "angles") == limits
    assert thresholds_of(store, "words:1") == default_thresholds("words:1")
    assert (default_thresholds("e").tau, default_thresholds("e").tau_merge, default_thresholds("e").tau_dup) == (
        0.50,
        0.80,
        0.92,
    )
    with pytest.raises(ValueError, match="tau <= tau_merge <= tau_dup"):
        Thresholds(tau=0.5, tau_merge=0.4, tau_dup=0.9)


def test_the_report_counts_what_is_there(tmp_path: Path) -> None:
    repository = _filled(tmp_path)
    repository.store.put_counts("b1", {"turns": 9, "meaningful": 7})
    report = report_repository(repository)
    assert (report.n_active, report.n_distinct_sentences, report.n_states, report.n_states_with_enough) == (4, 4, 1, 1)
    assert (report.funnel, report.outcomes) == ({"turns": 9, "meaningful": 7}, {"inserted": 4})
    cosines = [np.cos(np.deg2rad(40 * (a - b))) for a in range(4) for b in range(a)]
    assert report.mean_similarity == pytest.approx(np.mean(cosines), abs=1e-3)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PRECEPTOR_CONFIG", raising=False)
    settings = Settings(home=tmp_path / "home")
    with experience_store(settings) as store:
        repository = open_repository(settings, store)
        for turn, text in enumerate(SENTENCES):
            asyncio.run(repository.add(candidate(text, turn=turn, embedder="words:1")))

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(experience, list(arguments))

    return invoke


def _objects(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_entries_are_listed_shown_and_searched(run: Run) -> None:
    listed = _objects(run("list", "--json"))
    assert [line["sentence"] for line in listed] == SENTENCES
    key = str(listed[1]["experience_id"])
    assert key in run("list").stdout
    assert "4 entries" in run("list").stderr
    assert [line["experience_id"] for line in _objects(run("list", "--text", "READS", "--json"))] == [key]
    shown = _objects(run("show", key, "--json"))[0]
    assert [line["outcome"] for line in shown["decisions"]] == ["inserted"]  # type: ignore[attr-defined]
    assert "d1 turn 1" in run("show", key).stdout
    found = _objects(run("search", "reads the parts", "--error-type", "Logic_Error", "--json"))[0]
    assert found["chosen"][0]["experience_id"] == key  # type: ignore[index]
    assert "none is similar enough" in run("search", "rounds the result").stderr
    assert run("search", "rounds the result", "--all").stdout.count("\n") == 4


def test_an_entry_is_disabled_and_enabled_with_a_reason(run: Run) -> None:
    key = str(_objects(run("list", "--json"))[0]["experience_id"])
    assert run("disable", key).exit_code == 2
    assert run("disable", key, "--reason", "unclear").stdout == f"{key} is disabled\n"
    assert len(_objects(run("list", "--json"))) == 3
    assert "unclear" in run("show", key).stdout
    assert _objects(run("enable", key, "--reason", "clear", "--json"))[0]["status"] == "active"


def test_what_was_exported_is_imported_elsewhere(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "e.jsonl"
    assert run("export", "--output", str(file)).exit_code == 0
    file.write_text(file.read_text() + '{"format_version": 1}\n', encoding="utf-8")
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "elsewhere"))
    result = run("import", str(file), "--json")
    assert json.loads(result.stdout) == {"file": str(file), "added": 4, "known": 0, "unreadable": 0, "refused": 1}
    assert f"{file} line 5:" in result.stderr
    assert len(_objects(run("list", "--json"))) == 4


def test_figures_calibration_and_reembedding_answer(run: Run, tmp_path: Path) -> None:
    assert "4 active, 0 disabled, 0 superseded" in run("stats").stdout
    assert _objects(run("stats", "--json"))[0]["n_states"] == 1
    file = tmp_path / "texts.jsonl"
    words = "part whole unit rate total share order sign scale point".split()
    texts = [{"text": f"mistakes the {a} for the {b}", "category": b} for a in words for b in words if a != b]
    file.write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    assert _objects(run("calibrate", "--texts", str(file), "--dry-run", "--json"))[0]["stored"] is False
    assert "(chosen) → " in run("calibrate", "--texts", str(file)).stdout
    assert "(calibrated)" in run("stats").stdout
    assert isinstance(run("calibrate").exception, InputError)
    assert _objects(run("reembed", "--json"))[0]["changed"] == 0
