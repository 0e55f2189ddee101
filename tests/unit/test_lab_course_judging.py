"""Six judged measures: formulas by hand, and no verdict that did not come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from preceptor.cli.main import cli
from preceptor.domain.passage import Passage
from preceptor.errors import ModelOutputError, ModelTimeoutError
from preceptor.lab.course_judge import Judge
from preceptor.lab.course_judging import (
    JUDGED,
    JudgedRow,
    f_beta,
    judge_row,
    judged_json,
    judged_measures,
    judged_text,
)
from preceptor.lab.course_measures import AnswerRow
from preceptor.models.embedder import Vector
from preceptor.models.roles import role_settings
from preceptor.settings import Settings
from preceptor.testing.scripted_model import ScriptedModel

PASSAGE = Passage(
    passage_id="p", subject_id="s", document_id="d", document_name="a.md", page=1, start=0, end=31,
    text="A queue is first in, first out.", page_fingerprint="0" * 64,
)  # fmt: skip
ROW = AnswerRow(
    question_id="q", topic="t", question="What is a queue?", answerable=True, references=("First in, first out.",),
    passages=(PASSAGE,), reply="A queue is a line [1]. It is old.", engine="x", route="direct", status="grounded",
    unsure=False,
    citations=(), removed=0, n_statements=2, n_grounded=1, stages_off={}, search_ms=None, span_in_course=True,
    span_found=True, right_citations=0,
)  # fmt: skip
NAMES = [name for name, _ in JUDGED]


class TwoWords:
    """Vectors of how often two words stand in a text."""

    fingerprint, languages, dimensions = "two", ("en",), 2

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        found: list[Vector | None] = []
        for text in texts:
            counts = np.array([text.count("queue") + 1e-9, text.count("stack") + 1e-9], dtype=np.float32)
            found.append(counts / np.linalg.norm(counts))
        return found


def verdicts(*supported: bool) -> dict[str, Any]:
    return {
        "verdicts": [
            {"number": place, "reason": "so", "supported": one} for place, one in enumerate(supported, start=1)
        ]
    }


def answers() -> list[str | dict[str, Any] | Exception]:
    """What a judge says of ROW, in the order in which it is asked."""
    return [
        {"statements": ["A queue is a line.", "A queue is old."]},
        verdicts(True, False),
        {"questions": ["What is a queue?", "Is a queue a stack?", "What is a stack?"], "avoids_answering": False},
        {"reason": "some", "score": 1},
        {"statements": ["It is first in.", "It is first out.", "It is a line."]},
        verdicts(True, False),
        verdicts(False, False, True),
    ]


def judged(
    script: Sequence[str | dict[str, Any] | Exception], row: AnswerRow = ROW, beta: float = 1.0
) -> tuple[JudgedRow, ScriptedModel]:
    model = ScriptedModel(list(script), role="judge")
    return anyio.run(lambda: judge_row(row, Judge(model=model), TwoWords(), beta=beta)), model


def test_all_six_by_hand() -> None:
    """1 of 2 statements; cosines 1, 1/sqrt 2, 0; 1 of 2; F1 of 1, 1, 2: 2/5; 3/4 of it and 1/4 of the likeness.

    The reference has neither of the two words, so its vector lies between them: cosine 1/sqrt 2.
    """
    found, model = judged(answers())
    likeness = 2**-0.5
    assert found.unscored == {}
    assert found.values == pytest.approx(
        {
            "faithfulness": 0.5,
            "answer_relevance": (1 + likeness) / 3,
            "context_relevance": 0.5,
            "answer_similarity": likeness,
            "factual_correctness": 0.4,
            "answer_correctness": 0.75 * 0.4 + 0.25 * likeness,
        },
        abs=1e-6,
    )
    assert "[1]" not in model.prompts[0].user
    assert PASSAGE.text in model.prompts[1].user


def test_beta_weighs_recall() -> None:
    """Precision 1/2, recall 1/3: F2 is 5 * (1/6) / (4 * 1/2 + 1/3) = 5/14."""
    found, _ = judged(answers(), beta=2.0)
    assert found.values["factual_correctness"] == pytest.approx(5 / 14)
    assert found.values["answer_correctness"] == pytest.approx(0.75 * 0.4 + 0.25 * 2**-0.5, abs=1e-6)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.floats(0.2, 5))
def test_f_beta_is_the_weighted_harmonic_mean(hits: int, false: int, missed: int, beta: float) -> None:
    if not hits + false + missed:
        with pytest.raises(ValueError, match="not all 0"):
            f_beta(hits, false, missed, beta=beta)
        return
    value = f_beta(hits, false, missed, beta=beta)
    assert 0 <= value <= 1
    if hits:
        precision, recall = hits / (hits + false), hits / (hits + missed)
        assert value == pytest.approx((1 + beta**2) * precision * recall / (beta**2 * precision + recall))


def test_a_missing_verdict_is_no_verdict() -> None:
    script = answers()
    script[1] = verdicts(True)
    found, _ = judged(script)
    assert "faithfulness" not in found.values
    assert found.unscored == {"faithfulness": "failed: verdicts expected on statements 1 to 2, got on 1"}
    assert found.parse_failures == {"faithfulness"}


def test_a_failed_split_leaves_out_what_needs_it_and_is_not_asked_again() -> None:
    script: list[str | dict[str, Any] | Exception] = [ModelOutputError("no list"), *answers()[2:4]]
    found, model = judged(script)
    assert set(found.unscored) == {"faithfulness", "factual_correctness", "answer_correctness"}
    assert found.parse_failures == set(found.unscored)
    assert len(model.prompts) == 3


def test_an_answer_that_avoids_is_not_relevant() -> None:
    script = answers()
    script[2] = {"questions": ["a", "b", "c"], "avoids_answering": True}
    assert judged(script)[0].values["answer_relevance"] == 0.0


def test_an_answer_that_states_nothing_misses_all_of_the_reference() -> None:
    script: list[str | dict[str, Any] | Exception] = [
        {"statements": []},
        *answers()[2:5],
        verdicts(False, False, False),
    ]
    found, _ = judged(script)
    assert found.unscored == {"faithfulness": "the answer states nothing"}
    assert found.values["factual_correctness"] == 0.0
    assert found.parse_failures == set()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (replace(ROW, route="debugging"), "its route tells no answer"),
        (replace(ROW, answerable=False), "the course does not answer it"),
        (replace(ROW, failure="too late"), "there is no reply"),
    ],
)
def test_what_is_out_of_scope_is_not_judged(row: AnswerRow, why: str) -> None:
    found, model = judged([], row)
    assert found.unscored == dict.fromkeys(NAMES, why)
    assert model.prompts == []


def test_the_best_of_several_references_counts() -> None:
    row = replace(ROW, references=("Nothing.", "A queue."))
    script = [*answers()[:4], {"statements": ["x"]}, verdicts(False, False), verdicts(False), *answers()[4:]]
    found, _ = judged(script, row)
    assert found.values["factual_correctness"] == pytest.approx(0.4)
    assert found.values["answer_similarity"] == pytest.approx(1.0, abs=1e-6)
    assert found.values["answer_correctness"] == pytest.approx(0.75 * 0.4 + 0.25, abs=1e-6)


def test_failures_are_counted_by_measure_and_never_in_the_mean() -> None:
    script = answers()
    script[3] = ModelTimeoutError("too late")
    first, _ = judged(answers())
    second, model = judged(script)
    rows = [ROW, replace(ROW, question_id="q2", topic="u"), replace(ROW, question_id="q3", answerable=False)]
    measures = judged_measures(rows, [first, second, judged([], rows[2])[0]], seed=1)
    context = next(one for one in measures if one.measured.name == "context_relevance")
    assert context.measured.interval is not None
    assert (context.measured.interval.point, context.measured.interval.n) == (0.5, 1)
    assert (context.asked, context.parse_failures, context.parse_failure_rate) == (2, 0, 0.0)
    assert context.unscored == {"failed: too late": 1, "the course does not answer it": 1}
    judge = Judge(model=model)
    judge.dropped.add("temperature")
    text = judged_text(measures, judge)
    assert "the provider refused temperature" in text
    assert judged_json(measures, judge)["measures"]["context_relevance"]["values"] == [0.5, None, None]


def test_the_judge_is_asked_at_temperature_0_and_never_stood_in_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    assert role_settings(Settings(), "judge").temperature == 0.0
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    file = tmp_path / "q.jsonl"
    file.write_text(
        '{"question_id": "1", "topic": "t", "part": "tune", "question": "?", "document": null, "quote": null}',
        encoding="utf-8",
    )
    done = CliRunner().invoke(cli, ["course", "evaluate", "s", str(file), "--judge"])
    assert done.exit_code != 0
    assert "roles.judge.engine" in str(done.exception)
