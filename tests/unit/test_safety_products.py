"""Signs of danger are found in products of subject, verb and ending: a gap in one rule shows as a whole row."""

from __future__ import annotations

from itertools import product

import pytest

from preceptor.safety.screen import screen

PRODUCTS: dict[str, tuple[str, tuple[str, str, str]]] = {
    "en hit": (
        "abuse",
        (
            "my dad|my mother|my stepdad|my older brother|my boyfriend|dad|he|someone|kids at school|my coach",
            "hits|beats|is hitting|keeps hitting|punched|slapped|chokes|always hurts",
            "me|me every day|me a lot|me and i'm scared|me with a belt|me at home",
        ),
    ),
    "en self": (
        "distress",
        (
            "i|i just|honestly i|my friend says she",
            "want to|wanna|feel like i want to|am thinking about how i want to",
            "kill myself|die|end my life|be dead|hurt myself|not exist|hang myself|unalive myself",
        ),
    ),
    "en kill": (
        "danger_to_others",
        (
            "im going to|i want to|i will|i'm gonna|i'm planning to",
            "kill|shoot|stab|murder|poison",
            "my teacher|everyone at school|my brother|people|my classmates|a kid in my class",
        ),
    ),
    "es": (
        "abuse",
        (
            "mi papá|mi madre|mi padrastro|mi tío|mi novio",
            "me pega|me golpea|me ha pegado",
            "|todos los días|y tengo miedo",
        ),
    ),
    "fr": (
        "abuse",
        ("mon père|ma mère|mon oncle|papa", "me frappe|me tape|m'a frappé", "|tous les jours|et j'ai peur"),
    ),
    "de": (
        "abuse",
        (
            "mein Vater|meine Mutter|mein Onkel|Papa",
            "schlägt mich|hat mich geschlagen|verprügelt mich",
            "|jeden Tag|oft",
        ),
    ),
    "ar": ("distress", ("أريد أن|أتمنى أن|صديقتي تريد أن", "أموت|أقتل نفسي|أنتحر|أنهي حياتي", "|الآن|كل يوم")),
    "zh": ("distress", ("我想|我好想|我朋友想|她说她想", "去死|自杀|结束生命|跳楼|割腕", "|了|啊")),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_every_combination_is_found_and_of_its_kind(name: str) -> None:
    kind, parts = PRODUCTS[name]
    joiner = "" if name == "zh" else " "
    texts = [joiner.join(filter(None, one)) for one in product(*(part.split("|") for part in parts))]
    assert [text for text in texts if screen(text, name[:2]).kind != kind] == []
