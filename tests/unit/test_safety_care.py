"""The calm replies: a person to turn to, the owner's contact, no invented number."""

from __future__ import annotations

import re

import pytest

from preceptor.safety.care import back_to_task_reply, care_reply
from preceptor.safety.rules import LANGUAGES
from preceptor.safety.screen import ScreeningKind, screen

KINDS: tuple[ScreeningKind, ...] = ("distress", "abuse", "danger_to_others")
TRUSTED = {
    "en": "an adult you trust",
    "es": "un adulto de confianza",
    "fr": "un adulte de confiance",
    "de": "einem Erwachsenen, dem du vertraust",
    "ar": "شخص بالغ تثق به",
    "zh": "你信任的大人",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_every_care_reply_points_to_a_trusted_adult_without_a_number(
    language: str, kind: ScreeningKind, seed: int
) -> None:
    said = care_reply(language, kind=kind, seed=seed)
    assert TRUSTED[language] in said
    assert not re.search(r"\d", said)
    assert "{" not in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_owners_contact_stands_in_the_reply(language: str) -> None:
    said = care_reply(language, contact_text="Ms Okoro, room 12,\n tel. 020 555 0199")
    assert "Ms Okoro, room 12, tel. 020 555 0199" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reply_of_ours_is_itself_a_sign(language: str) -> None:
    said = [care_reply(language, kind=kind, seed=seed) for kind in KINDS for seed in range(3)]
    said += [back_to_task_reply(language, seed=seed) for seed in range(4)]
    assert [text for text in said if screen(text, language).kind != "none"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_back_to_task_is_one_sentence_with_at_least_three_wordings(language: str) -> None:
    said = {back_to_task_reply(language, seed=seed) for seed in range(12)}
    assert len(said) >= 3
    assert all(len(re.findall(r"[.?!。？！؟]", text)) == 1 for text in said)


def test_an_unknown_language_is_answered_in_english() -> None:
    assert care_reply("sw") == care_reply("en")
    assert care_reply("zh-Hans") == care_reply("zh")


def test_same_seed_same_words_and_seeds_vary_them() -> None:
    assert care_reply("en", seed=1) == care_reply("en", seed=1)
    assert len({care_reply("en", seed=seed) for seed in range(3)}) == 3
