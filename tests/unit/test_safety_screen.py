"""The safety rules: recall and false alarms on our own lines and on real learner turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preceptor.safety.folding import fold, respell, views
from preceptor.safety.rules import LANGUAGES, load_signs
from preceptor.safety.screen import screen

HERE = Path(__file__).parent
STOPS = {"distress", "abuse", "danger_to_others"}
FILES = ("safety_lines.jsonl", "safety_lines_after_freeze.jsonl", "safety_lines_second_author.jsonl")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def recall(rows: list[dict[str, Any]]) -> tuple[float, list[str]]:
    wanted = [row for row in rows if row["expect"] in STOPS]
    missed = [row["text"] for row in wanted if not screen(row["text"], row["language"]).stops_tutoring]
    return 1 - len(missed) / len(wanted), missed


@pytest.mark.parametrize("name", FILES)
def test_recall_on_own_lines_is_at_least_95_percent(name: str) -> None:
    value, missed = recall(lines(name))
    assert value >= 0.95, missed


def test_own_lines_cover_six_languages_and_every_kind() -> None:
    rows = lines("safety_lines.jsonl")
    assert len(rows) >= 250
    assert {row["language"] for row in rows} == set(LANGUAGES)
    assert {row["expect"] for row in rows} == STOPS | {"none", "inappropriate"}


@pytest.mark.parametrize("name", FILES)
def test_no_near_miss_stops_the_tutor(name: str) -> None:
    near = [row for row in lines(name) if row["expect"] not in STOPS]
    assert [row["text"] for row in near if screen(row["text"], row["language"]).stops_tutoring] == []


def test_insults_hate_and_sexual_content_are_inappropriate_and_ordinary_frustration_is_nothing() -> None:
    rows = [row for row in lines("safety_lines.jsonl") if row["expect"] in {"none", "inappropriate"}]
    assert [row for row in rows if screen(row["text"], row["language"]).kind != row["expect"]] == []


def learner_turns(data_dir: Path) -> list[str]:
    turns: list[str] = []
    for line in (data_dir / "mathdial" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        for part in json.loads(line)["conversation"].split("|EOM|"):
            who, _, text = part.partition(":")
            if who.strip() != "Teacher":
                turns.append(text.strip())
    for line in (data_dir / "bridge" / "bridge.jsonl").read_text(encoding="utf-8").splitlines():
        turns += [turn["text"] for turn in json.loads(line)["c_h"] if turn["user"] == "student"]
    return turns


@pytest.mark.data
def test_false_alarms_on_real_learner_turns_are_at_most_half_a_percent(data_dir: Path) -> None:
    turns = learner_turns(data_dir)
    alarms = [text for text in turns if screen(text).kind != "none"]
    assert len(turns) > 3000
    assert len(alarms) / len(turns) <= 0.005, alarms


@pytest.mark.data
def test_false_alarms_on_word_problems_are_at_most_half_a_percent(data_dir: Path) -> None:
    rows = (data_dir / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    problems = [json.loads(row)["question"] for row in rows]
    alarms = [text for text in problems if screen(text).kind != "none"]
    assert len(problems) > 500
    assert len(alarms) / len(problems) <= 0.005, alarms


def test_lines_of_an_author_who_had_not_seen_the_rules_name_every_kind_of_sexual_content_hate_and_insult() -> None:
    rows = [row for row in lines("safety_lines_second_author.jsonl") if row["expect"] == "inappropriate"]
    missed = [row["text"] for row in rows if screen(row["text"], row["language"]).kind != "inappropriate"]
    assert len(missed) / len(rows) <= 0.05, missed


def test_evidence_is_a_span_of_the_original_text() -> None:
    text = "So 24 × 2 = 48. I k1ll  mys3lf lol"
    found = screen(text)
    assert text[found.evidence_start : found.evidence_end] == "k1ll  mys3lf"


@pytest.mark.parametrize(
    "text",
    [
        "i want to d\u200bie",
        "\uff29 \uff57\uff41\uff4e\uff54 \uff54\uff4f \uff44\uff49\uff45",
        "I w4nt t0 d1e",
        "k i l l m y s e l f",
        "i wanttttt to dieeee",
        "Ι wаnt tо diе",
        "i don`t wanna live",
    ],
)
def test_disguised_spelling_is_read(text: str) -> None:
    assert screen(text).category == "suicide"


def test_what_is_quoted_from_the_problem_does_not_count() -> None:
    problem = "In a play the queen says she wants to kill herself in act 3. Each act has 12 scenes."
    assert screen("it says she wants to kill herself in act 3 so 3 x 12", problem_text=problem).kind == "none"
    assert screen("i want to kill myself like her", problem_text=problem).kind == "distress"


def test_kilometres_are_no_sign() -> None:
    assert screen("kms", problem_text="Ann ran 5 km on Monday. How far did she run?").kind == "none"
    assert screen("kms").kind == "distress"


def test_using_a_method_on_something_is_no_threat() -> None:
    for harmless in (
        "can I use it on the test",
        "Try it on the smallest example you can think of",
        "use it on them both",
    ):
        assert screen(harmless).kind == "none", harmless
    assert screen("ill use the knife on them").kind == "danger_to_others"
    assert screen("im gonna use it on my teacher").kind == "danger_to_others"


def test_task_words_cancel_only_soft_signs() -> None:
    assert screen("I'm worthless at fractions").kind == "none"
    assert screen("I'm worthless").kind == "distress"
    assert screen("I want to kill myself because of fractions").kind == "distress"


def test_gravest_sign_wins() -> None:
    assert screen("you are stupid and I want to die").kind == "distress"


def test_other_languages_are_read_whatever_the_session_speaks() -> None:
    assert screen("quiero morirme", "en").kind == "distress"
    assert screen("我想死", "de").kind == "distress"


def test_folding_keeps_sentence_ends_and_drops_decimal_points() -> None:
    assert fold("It's 3.5. Done").text == "its 3 5\ndone"
    assert "kill myself" in {view.text for view in views("k1ll mys3lf")}


def test_short_and_wrong_spellings_are_read_and_tied_to_their_place() -> None:
    text = "ok 12. i wana kil mysef tmrw"
    found = screen(text)
    assert found.category == "suicide"
    assert "mysef" in text[found.evidence_start : found.evidence_end]
    view = fold("tell some1 abt it")
    assert respell(view, {"some1": "someone", "abt": "about"}).text == "tell someone about it"
    assert respell(view, {"xyz": "other"}) is view


def test_a_game_is_no_threat_but_a_plan_is() -> None:
    assert screen("my brother slapped me in minecraft").kind == "none"
    assert screen("my brother slapped me at home").kind == "abuse"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_signs_compiles(language: str) -> None:
    signs = load_signs(language).signs
    assert len(signs) >= 14
    assert all(row.pattern for sign in signs for row in sign.rows)


def test_long_hostile_text_is_screened_in_bounded_time() -> None:
    for text in ("my dad " * 571, "i want to " * 400, "a b " * 1000, "爸爸总是" * 1000, "k1 l1 " * 660):
        assert screen(text[:4000]).kind in {"none", "abuse", "distress"}
