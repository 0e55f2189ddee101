"""Personal data leaves a text, comes back in the reply, and the maths of a problem stays untouched."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from preceptor.models.redactor import Redactor, StreamRestorer
from preceptor.safety.redaction import PersonalDataRedactor


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("write to ana.lopez+maths@school.example.org.", "EMAIL"),
        ("call me at 555-0172 after six", "PHONE"),
        ("my number is 4155550134", "PHONE"),
        ("+44 20 7946 0958", "PHONE"),
        ("(415) 555-0134", "PHONE"),
        ("415-555-0134", "PHONE"),
        ("Meine Nummer: 030 1234567", "PHONE"),
        ("06 12 34 56 78", "PHONE"),
        ("我的电话是13812345678", "PHONE"),
        ("card 4111 1111 1111 1111 please", "ACCOUNT"),
        ("GB82 WEST 1234 5698 7654 32", "ACCOUNT"),
        ("DE89370400440532013000", "ACCOUNT"),
        ("my account number is 0012345678", "ACCOUNT"),
        ("123-45-6789", "ACCOUNT"),
        ("see https://social.example/users/ana_lopez?tab=photos.", "URL"),
        ("I live at 42 Maple Grove Avenue, Springfield, IL 62704", "ADDRESS"),
        ("ich wohne Lindenstraße 14a, 10969 Berlin", "ADDRESS"),
        ("j'habite 12 rue de la Paix", "ADDRESS"),
        ("vivo en Calle Mayor 15", "ADDRESS"),
        ("我住在幸福路12号3楼", "ADDRESS"),
    ],
)
def test_personal_data_is_replaced_and_comes_back(text: str, label: str) -> None:
    redactor: Redactor = PersonalDataRedactor()
    sent, mapping = redactor.redact(text)
    assert f"⟦{label}_1⟧" in sent
    assert len(mapping) == 1
    assert next(iter(mapping.values())) not in sent
    assert redactor.restore(sent, mapping) == text


@pytest.mark.parametrize(
    "text",
    [
        "Tom has 555 apples and 3/4 of them are red.",
        "The house costs 1,200,000 and the garden 200,000.",
        "12-05-3 = 4",
        "500-200-1000",
        "500 - 200 - 100 = 200",
        "0.5 + 1.25 + 3.125",
        "5551234567 / 2",
        "4 x 4 x 4 x 4 = 256",
        "He drove 12 miles on Main Street, then 5 miles on Elm.",
        "1+415-555-0134=?",
        "2 000 000 + 3 000 000 = 5 000 000",
        "12345678901234567890 is a big number",
        "a phone costs 500 dollars and a case 25",
        "She called 12 times, 30 minutes each, 360 minutes",
        "24 / 48 = 1/2; https://example.org",
    ],
)
def test_the_maths_of_a_problem_stays_untouched(text: str) -> None:
    sent, mapping = PersonalDataRedactor(names=["Ana López"]).redact(text)
    assert sent == text
    assert mapping == {}


def test_profile_names_are_replaced_whole_in_parts_and_in_any_case() -> None:
    redactor = PersonalDataRedactor(names=["Ana López", "李小明"])
    sent, mapping = redactor.redact("I am ana, Ana López, ANA. 我是李小明。 Bananas cost 3.")
    assert sent == "I am ⟦NAME_1⟧, ⟦NAME_2⟧, ⟦NAME_3⟧. 我是⟦NAME_4⟧。 Bananas cost 3."
    assert redactor.restore("Well, ⟦NAME_2⟧: ⟦NAME_4⟧", mapping) == "Well, Ana López: 李小明"


def test_a_name_that_is_a_word_is_replaced_only_when_capitalised() -> None:
    sent, _ = PersonalDataRedactor(names=["Will"]).redact("Will thinks it will be 5")
    assert sent == "⟦NAME_1⟧ thinks it will be 5"


def test_same_value_same_placeholder() -> None:
    sent, mapping = PersonalDataRedactor().redact("a@b.org or c@d.org? No, a@b.org")
    assert sent == "⟦EMAIL_1⟧ or ⟦EMAIL_2⟧? No, ⟦EMAIL_1⟧"
    assert mapping == {"⟦EMAIL_1⟧": "a@b.org", "⟦EMAIL_2⟧": "c@d.org"}


def test_a_learner_cannot_forge_a_placeholder() -> None:
    redactor = PersonalDataRedactor(names=["Ana"])
    sent, mapping = redactor.redact("Ana says ⟦NAME_1⟧ and ⟦EMAIL_1⟧")
    assert sent == "⟦NAME_1⟧ says [NAME_1] and [EMAIL_1]"
    assert mapping == {"⟦NAME_1⟧": "Ana"}


def test_other_brackets_around_a_known_placeholder_are_restored_and_unknown_ones_left() -> None:
    redactor = PersonalDataRedactor()
    mapping = {"⟦NAME_1⟧": "Ana"}
    assert redactor.restore("[NAME_1], [[NAME_1]] and ⟦ NAME_1 ⟧, not [NAME_2] or x[1]", mapping) == (
        "Ana, Ana and Ana, not [NAME_2] or x[1]"
    )


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_streamed_reply_is_restored_however_it_is_cut(size: int) -> None:
    redactor = PersonalDataRedactor(names=["Ana"])
    _, mapping = redactor.redact("Ana, a@b.org")
    reply = "Good idea, ⟦NAME_1⟧! I will not write to ⟦EMAIL_1⟧."
    stream = StreamRestorer(redactor, mapping)
    pieces = [stream.feed(reply[i : i + size]) for i in range(0, len(reply), size)]
    assert "".join(pieces) + stream.finish() == "Good idea, Ana! I will not write to a@b.org."
    assert not any("⟦" in piece for piece in pieces)


@pytest.mark.data
def test_false_replacements_on_real_problems_and_turns_are_at_most_two_in_a_thousand(data_dir: Path) -> None:
    texts: list[str] = []
    for line in (data_dir / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines():
        texts.append(json.loads(line)["question"])
    with gzip.open(data_dir / "gsm8k" / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        texts += [json.loads(line)["question"] for line in rows]
    for line in (data_dir / "mathdial" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        texts += json.loads(line)["conversation"].split("|EOM|")
    redactor = PersonalDataRedactor()
    touched = [text for text in texts if redactor.redact(text)[1]]
    assert len(texts) > 12_000
    assert len(touched) / len(texts) <= 0.002, touched


def test_a_long_text_is_redacted_in_bounded_time() -> None:
    for text in ("1" * 20_000, "12 " * 7_000, "A1 Bc " * 3_000, "a.b@" * 5_000, "+1 " * 6_000):
        assert len(PersonalDataRedactor(names=["Ana López"]).redact(text)[0]) > 100
