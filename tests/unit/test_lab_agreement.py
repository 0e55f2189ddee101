"""Agreement by hand-worked values, and review sheets that tell reviewers nothing and come back whole."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from preceptor.cli.main import cli
from preceptor.errors import InputError
from preceptor.lab.agreement import agreement, gwet_ac1, score_reviews
from preceptor.lab.review_sheets import (
    ANSWERS,
    DIMENSIONS,
    Answer,
    Review,
    ReviewItem,
    SheetKey,
    make_sheet,
    read_key,
    read_sheet,
    sheet_text,
)

ITEMS = [
    ReviewItem(item_id=f"run/{place}", origin="run", first=f"=work {place}", feedback="Why?", second="- done")
    for place in range(20)
]


def table(both_yes: int, first_only: int, second_only: int, both_no: int) -> tuple[list[Answer], list[Answer]]:
    counts = (("yes", "yes", both_yes), ("yes", "no", first_only), ("no", "yes", second_only), ("no", "no", both_no))
    first: list[Answer] = [a for a, _, n in counts for _ in range(n)]  # type: ignore[misc]
    second: list[Answer] = [b for _, b, n in counts for _ in range(n)]  # type: ignore[misc]
    return first, second


def test_kappa_and_ac1_by_hand() -> None:
    """20, 5, 10, 15 of 50: raw .70; by chance .5 * .6 + .5 * .4 = .50; kappa .40.

    AC1 with two labels: shares .55 and .45, chance 2 * .55 * .45 = .495, so (.70 - .495) / .505 = .405941.
    With a third label that nobody gave: chance .495 / 2 = .2475, so (.70 - .2475) / .7525 = .601329.
    """
    first, second = table(20, 5, 10, 15)
    found = agreement("guidance", first, second)
    assert found.raw == pytest.approx(0.70)
    assert found.kappa == pytest.approx(0.40)
    assert gwet_ac1(first, second, ("yes", "no")) == pytest.approx(0.405941, abs=1e-6)
    assert found.ac1 == pytest.approx(0.601329, abs=1e-6)
    assert found.prevalence == pytest.approx({"yes": 0.55, "no": 0.45, "n/a": 0.0})


def test_one_sided_answers_give_a_low_kappa_and_a_high_ac1() -> None:
    """41 both yes, 1 and 2 apart, 0 both no: raw 41/44 and kappa below 0; AC1 above .9."""
    first, second = table(41, 1, 2, 0)
    found = agreement("scaffolding", first, second)
    assert found.raw == pytest.approx(41 / 44)
    assert found.kappa is not None
    assert found.kappa < 0
    assert found.ac1 is not None
    assert found.ac1 > 0.9
    assert found.prevalence["yes"] == pytest.approx(85 / 88)


def test_one_answer_only_has_no_kappa_and_no_item_has_nothing() -> None:
    found = agreement("guidance", ["yes"] * 5, ["yes"] * 5)
    assert (found.raw, found.kappa, found.ac1) == (1.0, None, 1.0)
    empty = agreement("guidance", [], [])
    assert (empty.n, empty.raw, empty.kappa, empty.ac1) == (0, None, None, None)


@given(st.lists(st.tuples(st.sampled_from(ANSWERS), st.sampled_from(ANSWERS)), min_size=1, max_size=30))
def test_ac1_is_at_most_one_and_does_not_care_who_is_first(pairs: list[tuple[Answer, Answer]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    value = gwet_ac1(first, second, ANSWERS)
    assert value <= 1
    assert value == pytest.approx(gwet_ac1(second, first, ANSWERS))
    assert (value == pytest.approx(1)) == (first == second)


def test_unknown_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="must be among"):
        gwet_ac1(["maybe"], ["yes"], ANSWERS)


def test_a_sheet_names_no_item_and_each_reviewer_has_an_order_of_their_own() -> None:
    ours, theirs = (make_sheet(ITEMS, name, seed=3) for name in ("ana", "ben"))
    shown = json.dumps(ours.rows)
    assert "run/" not in shown
    assert "ana" not in shown
    assert [key.item_id for key in ours.keys] != [key.item_id for key in theirs.keys] != [i.item_id for i in ITEMS]
    assert {key.item_id for key in ours.keys} == {item.item_id for item in ITEMS}
    assert not {key.sheet_id for key in ours.keys} & {key.sheet_id for key in theirs.keys}
    assert make_sheet(ITEMS, "ana", seed=3) == ours


def test_a_spreadsheet_is_given_no_formula() -> None:
    rows = list(csv.reader(sheet_text(make_sheet(ITEMS, "ana", seed=1), "csv").splitlines()))
    assert {row[1][0] for row in rows[1:]} == {"'"}
    assert {row[3][0] for row in rows[1:]} == {"'"}


def test_halo_is_named_and_empty_fields_are_counted() -> None:
    keys = [SheetKey(sheet_id=f"s{n}", reviewer="ana", item_id=f"i{n}", origin="run") for n in range(3)]
    alike: list[Answer] = ["yes", "no", "yes"]
    reviews = [
        Review(sheet_id=f"s{n}", identifying=alike[n], scaffolding=alike[n], guidance="yes", naturalness="no")
        for n in range(3)
    ]
    score = score_reviews(reviews, keys)
    assert score.equal_columns == {"ana": (("identifying", "scaffolding"),)}
    assert score.unanswered == {"ana": 6}
    assert score.counts["run"]["identifying"] == {"yes": 2, "no": 1, "n/a": 0}
    assert score.pairs == ()


def test_sheets_go_out_and_come_back_by_command(tmp_path: Path) -> None:
    rows = [
        {"arm": arm, "task_id": "t", "learner": n, "first": "1", "said": "Why?", "second": "2", "failure": None}
        for n in range(4)
        for arm in ("feedback", "control")
    ]
    run = tmp_path / "builtin.json"
    run.write_text(json.dumps({"rows": rows}), encoding="utf-8")
    called = ["lab", "review", "export", str(run), "--reviewer", "ana", "--reviewer", "ben", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, called)
    assert done.exit_code == 0, done.output
    keys = {key.sheet_id: key for key in read_key(tmp_path / "key.jsonl")}
    assert len(keys) == 8
    for name in ("ana", "ben"):
        file = tmp_path / f"sheet_{name}.csv"
        filled = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
        assert len(filled) == 4
        for row in filled:
            row.update(dict.fromkeys(DIMENSIONS, " Yes"))
            if name == "ben" and keys[row["sheet_id"]].item_id.endswith("/0"):
                row["guidance"] = "NA"
        with file.open("w", encoding="utf-8-sig", newline="") as out:
            writer = csv.DictWriter(out, list(filled[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(filled)
    sheets = [str(tmp_path / f"sheet_{name}.csv") for name in ("ana", "ben")]
    scored = CliRunner().invoke(
        cli, ["lab", "review", "score", *sheets, "--key", str(tmp_path / "key.jsonl"), "--json"]
    )
    assert scored.exit_code == 0, scored.output
    pair = json.loads(scored.stdout)["pairs"][0]
    by_name = {one["dimension"]: one for one in pair["dimensions"]}
    assert (by_name["guidance"]["raw"], by_name["identifying"]["raw"]) == (0.75, 1.0)
    assert by_name["guidance"]["prevalence"] == {"yes": 0.875, "no": 0.0, "n/a": 0.125}
    assert pair["pooled"]["n"] == 24
    text = CliRunner().invoke(cli, ["lab", "review", "score", *sheets, "--key", str(tmp_path / "key.jsonl")]).stdout
    assert "| guidance | 4 | 0.750 |" in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"sheet_id": "s1", "guidance": "perhaps"}', "guidance: expected one of yes, no, n/a, got 'perhaps'"),
        ('{"sheet_id": "s2"}', "not in the key"),
        ('{"sheet_id": "s1"}\n{"sheet_id": "s1"}', "stands twice"),
        ("{", "not JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "sheet.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_sheet(file, [SheetKey(sheet_id="s1", reviewer="ana", item_id="i", origin="run")])
