"""Routes: the rule table, KITE's order of precedence, tiers that grow, and no text that takes long to read."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.route import PRECEDENCE, PROCEDURAL, Route, Routed
from preceptor.pedagogy.intent_cues import cue, signals_in
from preceptor.tutoring.routing import HELP, route_of

QUESTIONS = Path(__file__).parents[2] / "benchmarks" / "route_questions.jsonl"
ROUTE_SIGNALS = (
    "tracing_route", "debugging_route", "validation_route", "answer_evaluation_route", "conceptual_route",
    "direct_route", "asks_for_work",
)  # fmt: skip


def rows() -> list[dict[str, str]]:
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def test_the_labelled_questions_cover_six_languages_and_six_routes_evenly() -> None:
    counts = Counter((row["language"], row["route"]) for row in rows() if row.get("set", "first") == "first")
    assert len(counts) == 36
    assert set(counts.values()) == {2}


def test_the_labelled_questions_take_their_routes() -> None:
    wrong = [row["text"] for row in rows() if route_of(row["text"]).route != row["route"]]
    assert len(wrong) <= 0.1 * len(rows()), wrong


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("My trace: OPEN: A, CLOSED: S. Why does my program crash, is that right?", Route.TRACING),
        ("why does my program crash here, is that right?", Route.DEBUGGING),
        ("my answer is that it explains why trees differ, is that right?", Route.VALIDATION),
        ("my answer explains why trees differ from graphs", Route.ANSWER_EVALUATION),
        ("why, and what is it?", Route.CONCEPTUAL),
        ("what is it", Route.DIRECT),
        ("tell me more", Route.DIRECT),
    ],
)
def test_where_several_cues_fire_the_first_of_the_order_holds(text: str, route: Route) -> None:
    assert route_of(text).route is route


@given(st.lists(st.sampled_from([row["text"] for row in rows()]), min_size=2, max_size=3))
def test_joined_questions_take_a_route_no_later_than_each_of_them(texts: list[str]) -> None:
    joined = PRECEDENCE.index(route_of("\n".join(texts)).route)
    assert joined <= min(PRECEDENCE.index(route_of(text).route) for text in texts)


def test_help_grows_with_each_turn_on_a_tiered_route_and_begins_anew_on_another() -> None:
    earlier: tuple[Routed, ...] = ()
    tiers = []
    for text in ("my loop never stops", "my loop still never stops", "my loop never stops", "what is a loop",
                 "my loop never stops"):  # fmt: skip
        earlier = (*earlier, route_of(text, earlier=earlier, highest=3))
        tiers.append((earlier[-1].route.value, earlier[-1].tier, earlier[-1].attempt))
    assert tiers == [
        ("debugging", 1, 1), ("debugging", 2, 2), ("debugging", 3, 3), ("direct", 0, 1), ("debugging", 1, 1),
    ]  # fmt: skip


def test_being_stuck_goes_on_with_the_last_route_and_more_help() -> None:
    first = route_of("my loop never stops")
    again = route_of("", earlier=(first,), stuck=True)
    assert (again.route, again.tier) == (Route.DEBUGGING, 2)


@pytest.mark.parametrize(
    "language_text", ["give me the full solution", "haz mi tarea", "gib mir die Lösung", "给我答案"]
)
def test_who_asks_for_the_work_itself_gets_no_solution_on_any_route(language_text: str) -> None:
    assert route_of(language_text).procedural


def test_procedural_routes_quote_nothing_worked() -> None:
    assert {route for route, given in HELP.items() if not given.worked} >= PROCEDURAL
    assert all(given.n_sentences <= 3 for given in HELP.values())


@pytest.mark.parametrize(
    "text",
    ["do bfs " * 600, "why my " * 600, "a=" * 2000, "so is " * 700, "[open:" * 700, "给我我的" * 1000, "x" * 4000],
)
def test_no_text_takes_long(text: str) -> None:
    for name in ROUTE_SIGNALS:
        cue(name)
    began = time.process_time()
    signals_in(text, ROUTE_SIGNALS)
    assert time.process_time() - began < 0.5
