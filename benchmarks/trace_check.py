"""First wrong step of mutated traces, legal alternatives, leaks in feedback: against plain enumeration of all runs."""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.card import Baseline, DataSource, Failure, Measure, ResultCard, cpu_seconds, digest_files, print_card
from benchmarks.trace_oracle import Row, Run, TooManyRunsError, every_run
from benchmarks.trace_writing import FORMS, Sheet, fits, mutate, text_of, values_of, write_sheet
from preceptor.domain.reply import Rung
from preceptor.lab.statistics import wilson_interval
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.feedback import trace_feedback
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import parse_rules
from preceptor.tracing.trace_reader import read_trace

ALGORITHMS = ("bfs", "dfs", "ucs", "greedy", "astar", "dijkstra")
NAMES = "ABCDEHS"
PER_PROBLEM = 10
MIN_ROWS = 3
"""Traces are taken from runs with more rows, the start included."""
_KINDS = {
    "missed_update": {"missed_g_update"},
    "value": {"wrong_g", "wrong_h", "wrong_f"},
    "wrong_node": {"wrong_node_expanded", "goal_test_early"},
    "goal_early": {"goal_test_early", "wrong_node_expanded"},
    "reexpand": {"reexpanded_closed"},
    "left": {"left_in_open"},
    "missing": {"missing_from_open"},
    "added_missing": {"missing_from_open"},
    "stranger": {"wrong_neighbour_added"},
    "closed_missing": {"missing_from_closed"},
    "closed_extra": {"wrong_closed"},
    "wrong_path": {"wrong_path"},
    "wrong_cost": {"wrong_cost"},
    "stop_early": {"stopped_early", "goal_test_early"},
    "went_on": {"went_on", "goal_test_late"},
}
"""Change → the names of it that count as right."""


@dataclass(frozen=True, kw_only=True)
class World:
    """One problem with every run."""

    number: int
    algorithm: str
    text: str
    rules_text: str
    edges: dict[str, list[tuple[str, int]]]
    h: dict[str, int]
    runs: list[Run]


@dataclass(kw_only=True)
class Tally:
    """What was counted."""

    mutated: int = 0
    found: int = 0
    named: int = 0
    silent: int = 0
    """Changes after which the trace is still legal."""
    legal: int = 0
    accepted: int = 0
    alternatives: int = 0
    alternatives_accepted: int = 0
    replies: int = 0
    leaks: int = 0
    diff_found: int = 0
    diff_accepted: int = 0
    by_algorithm: Counter[str] = field(default_factory=Counter)
    by_form: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)

    def fail(self, error_class: str, row_id: str, got: str) -> None:
        """Keep one example of each class."""
        self.failures.setdefault(error_class, Failure(error_class=error_class, row_id=row_id, got=got))


def make_world(number: int, source: random.Random) -> World | None:
    """Return a random problem; `None`: it has too many runs."""
    algorithm = ALGORITHMS[number % len(ALGORITHMS)]
    names = sorted(source.sample(NAMES, source.randint(4, 7)))
    directed = source.random() < 0.5
    edges: dict[str, list[tuple[str, int]]] = {name: [] for name in names}
    lines: list[str] = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if source.random() < 0.6:
                cost = source.choice((1, 1, 2, 2, 3, 4, 7))
                first, second = (a, b) if source.random() < 0.6 else (b, a)
                edges[first].append((second, cost))
                if not directed:
                    edges[second].append((first, cost))
                lines.append(f"{first} {'->' if directed else '-'} {second} {cost}")
    used = {name for line in lines for name in names if re.search(rf"\b{name}\b", line)}
    if len(used) < 4:
        return None
    names = [name for name in names if name in used]
    edges = {name: edges[name] for name in names}
    start, goal = source.sample(names, 2)
    h = {name: 0 if name == goal else source.randint(1, 6) for name in names}
    rules: dict[str, Any] = {
        "ties": source.choice(("any", "any", "alphabetical", "insertion", "last_in", "highest_g"))
        if algorithm in ("ucs", "astar", "greedy", "dijkstra")
        else "any",
        "neighbours": source.choice(("any", "alphabetical", "as_written", "reverse")),
        "goal_test": source.choice(("textbook", "expansion", "generation", "any")),
        "reopen": source.choice((True, True, False, "any")),
        "duplicates": source.choice(("any", "forbid", "allow")),
    }
    aim = None if algorithm == "dijkstra" and source.random() < 0.7 else goal
    try:
        runs = every_run(edges, h, start, aim, algorithm, rules)
    except TooManyRunsError:
        return None
    if not any(len(run.rows) > MIN_ROWS for run in runs):
        return None
    for run in runs:
        run.rules.update({"h": h, "algorithm": algorithm, "parents": _parents_in(edges)})
    needed = [f"algorithm: {algorithm}", f"start: {start}", *([f"goal: {aim}"] if aim else []), *lines]
    needed.append("h: " + ", ".join(f"{name}={value}" for name, value in h.items()))
    toml = "\n".join(
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}" for key, value in rules.items()
    )
    return World(
        number=number,
        algorithm=algorithm,
        text="\n".join(needed) + "\n",
        rules_text=toml.replace("'", '"'),
        edges=edges,
        h=h,
        runs=runs,
    )


def _parents_in(edges: dict[str, list[tuple[str, int]]]) -> Any:
    def parents(run: Run, row: Row, node: str, g: int) -> set[str | None]:
        """Return every expanded node over which the node is reached at this cost; the start has none."""
        found: set[str | None] = {None}
        upto = run.rows.index(row)
        for place in range(1, upto + 1):
            one = run.rows[place].node
            assert one is not None
            cost, _ = run.rows[place - 1].waiting[one]
            if dict(edges[one]).get(node) == g - cost:
                found.add(one)
        return found

    return parents


def first_wrong(sheet: Sheet, runs: list[Run]) -> int | None:
    """Return the index of the first row that no run has, by trying every run; `None`: all are legal."""
    left = runs
    for upto in range(1, len(sheet.rows) + 1):
        left = [run for run in left if fits(sheet, upto, run)]
        if not left:
            return upto - 1
    return None


def find_leaks(text: str, sheet: Sheet, wrong: int, world: World, learner: str, fault: str | None) -> Iterator[str]:
    """Yield what a reply gives away: numbers and names of the rest that the learner has not written."""
    plain = re.sub(r"\b(?:step|line)s?\s+\d+(?:, \d+)*|第\s*\d+(?:, \d+)*\s*[步行]", " ", text, flags=re.IGNORECASE)
    offset = 1 if sheet.form in ("order", "prose") else 0
    runs = world.runs
    alive = [run for run in runs if fits(sheet, wrong, run, without_end=True)] or runs
    secret: set[int] = set()
    following: set[str] = set()
    for run in alive:
        for row in run.rows[wrong + offset :]:
            for node, (g, parent) in row.waiting.items():
                said = values_of(node, g, parent, world.h, world.algorithm)
                secret |= {number for number in (said["g"], said["f"]) if isinstance(number, int)}
        secret.add(run.cost)
        if wrong + offset < len(run.rows):
            following.add(run.rows[wrong + offset].node or "")
    written = {int(number) for number in re.findall(r"\d+", learner)}
    for number in re.findall(r"\d+", plain):
        if int(number) in secret - written:
            yield f"number {number}"
    names = [name for name in re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", plain) if name in world.h]
    if len(set(names)) > 1:
        yield f"nodes {' '.join(names)}"
    for name in names:
        if not re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", learner):
            yield f"unwritten node {name}"
        if name in following and name != fault:
            yield f"next node {name}"


def line_diff(text: str, reference: str) -> int | None:
    """Return the first line in which a trace differs from the one reference run; `None`: none does."""
    ours, its = text.split(), reference.split()
    count = 0
    for i, word in enumerate(ours):
        if i >= len(its) or its[i] != word:
            return count
        count += 1
    return None


def try_world(world: World, source: random.Random, tally: Tally, limit: int) -> None:
    """Count one problem's traces."""
    problem, rules = parse_problem(world.text), parse_rules(world.rules_text)
    assert problem.algorithm is not None

    long = [run for run in world.runs if len(run.rows) > MIN_ROWS]

    def verdict_of(text: str) -> TraceVerdict:
        assert problem.algorithm is not None
        return check_trace(read_trace(text, problem, problem.algorithm), problem, rules)

    for turn in range(PER_PROBLEM):
        form = FORMS[(world.number + turn) % len(FORMS)]
        run = source.choice(long)
        style = source.randrange(10**6)
        sheet = write_sheet(run, world.h, world.algorithm, source, form, whole=source.random() < 0.8)
        text = text_of(sheet, world.algorithm, random.Random(style))
        reference = _reference(world, form, sheet, style)
        verdict = verdict_of(text)
        row_id = f"world {world.number} turn {turn} {world.algorithm} {form}"
        _count_legal(text, reference, verdict, row_id, tally)
        changed = None
        for _ in range(6):
            changed = mutate(sheet, run, world.edges, world.algorithm, source)
            if changed is not None:
                break
        if changed is None or tally.mutated >= limit:
            continue
        wrong_sheet, kind, at, node = changed.sheet, changed.kind, changed.at, changed.node
        text = text_of(wrong_sheet, world.algorithm, random.Random(style))
        expected = first_wrong(wrong_sheet, world.runs)
        verdict = verdict_of(text)
        if expected is None:
            tally.silent += 1
            _count_legal(text, reference, verdict, f"{row_id} {kind}", tally)
            continue
        tally.mutated += 1
        tally.by_algorithm[world.algorithm] += 1
        tally.by_form[form] += 1
        tally.by_kind[kind] += 1
        right = verdict.status == "wrong" and verdict.wrong_step == expected + 1
        tally.found += right
        tally.named += bool(verdict.fault and expected == at and verdict.fault.kind.value in _KINDS[kind])
        named = verdict.fault.kind.value if verdict.fault else verdict.status
        if not right:
            tally.fail(f"first step, {kind}", row_id, f"{named} at {verdict.wrong_step}, expected {expected + 1}")
        elif expected == at and verdict.fault and verdict.fault.kind.value not in _KINDS[kind]:
            tally.fail(f"kind, {kind}", row_id, named)
        differs = line_diff(text, reference)
        tally.diff_found += differs is not None and _row_of_word(text, differs, wrong_sheet) == expected
        if verdict.fault is not None:
            _count_leaks(verdict, wrong_sheet, expected, world, text, node if expected == at else None, row_id, tally)


def _reference(world: World, form: str, sheet: Sheet, style: int) -> str:
    """Return the one reference run, alphabetical where there is a choice, written in the learner's own style."""
    first = min(world.runs, key=lambda run: [row.node or "" for row in run.rows])
    full = write_sheet(first, world.h, world.algorithm, random.Random(0), form, whole=True)
    told = Sheet(form=form, shown=sheet.shown, rows=full.rows, path=full.path, cost=full.cost)
    return text_of(told, world.algorithm, random.Random(style))


def _row_of_word(text: str, word: int, sheet: Sheet) -> int:
    """Return the row in whose line a word stands: the baseline is given every line's row."""
    lines = text.splitlines()
    head = {"table": 2 if "|---" in text else 1}.get(sheet.form, 0)
    per_row = 2 if sheet.form == "open_closed" and "OPEN:" in text else 1
    seen = 0
    for number, line in enumerate(lines):
        seen += len(line.split())
        if word < seen:
            if sheet.form == "order" and number == 0:
                nodes = re.findall(r"[A-Z]", " ".join(line.split()[: word - (seen - len(line.split())) + 1]))
                return len(nodes) - 1
            return min((number - head) // per_row, len(sheet.rows) - 1)
    return len(sheet.rows) - 1


def _count_legal(text: str, reference: str, verdict: TraceVerdict, row_id: str, tally: Tally) -> None:
    accepted = verdict.status in {"complete", "right_so_far"} and not verdict.trace.unread_lines
    tally.legal += 1
    tally.accepted += accepted
    same = line_diff(text, reference) is None
    tally.diff_accepted += same
    if not same:
        tally.alternatives += 1
        tally.alternatives_accepted += accepted
    if not accepted:
        kind = verdict.fault.kind.value if verdict.fault else verdict.status
        tally.fail("legal trace refused", row_id, f"{kind} at {verdict.wrong_step}")


def _count_leaks(
    verdict: TraceVerdict,
    sheet: Sheet,
    wrong: int,
    world: World,
    text: str,
    node: str | None,
    row_id: str,
    tally: Tally,
) -> None:
    fault = node if node is not None else verdict.fault.node if verdict.fault else None
    for rung in (Rung.NUDGE, Rung.LOCATE, Rung.NEXT_SUBSTEP, Rung.WORKED_PARALLEL):
        for language in ("en", "zh"):
            reply = trace_feedback(verdict, rung, language).text
            tally.replies += 1
            leaks = list(find_leaks(reply, sheet, wrong, world, text, fault))
            tally.leaks += bool(leaks)
            if leaks:
                tally.fail(f"leak, {rung.name}", row_id, leaks[0])


def run_benchmark(count: int, seed: int) -> Tally:
    """Return what was counted on `count` mutated traces."""
    source = random.Random(seed)
    tally = Tally()
    number = 0
    while tally.mutated < count:
        world = make_world(number, source)
        number += 1
        if world is None:
            tally.skipped += 1
            continue
        try_world(world, source, tally, count)
    return tally


def _share(metric: str, definition: str, hits: int, n: int, mark: str = "", *, passed: bool | None = None) -> Measure:
    interval = wilson_interval(hits, n) if n else None
    return Measure(
        metric=metric,
        definition=definition,
        point=round(hits / n, 4) if n else None,
        low=round(interval.low, 5) if interval else None,
        high=round(interval.high, 5) if interval else None,
        method="Wilson, 95 %",
        n=n,
        pass_mark=mark,
        passed=passed,
    )


def make_card(tally: Tally, count: int, seed: int, command: str) -> ResultCard:
    """Return the card."""
    here = Path(__file__).parent
    files = [here / name for name in ("trace_check.py", "trace_oracle.py", "trace_writing.py")]
    measures = [
        _share(
            "first_wrong_step",
            "mutated traces whose first wrong step, by enumeration of every run, is the one named",
            tally.found,
            tally.mutated,
            "1.000",
            passed=tally.found == tally.mutated,
        ),
        _share(
            "leaks",
            "replies (four tiers, two languages) with a number or node of the rest that the learner has not written, "
            "with two nodes, or with the next node where it is not the one at fault",
            tally.leaks,
            tally.replies,
            "0",
            passed=tally.leaks == 0,
        ),
        _share(
            "legal_accepted",
            "legal traces, and changed ones that are still legal, accepted",
            tally.accepted,
            tally.legal,
            "1.000",
            passed=tally.accepted == tally.legal,
        ),
        _share(
            "alternatives_accepted",
            "of these, the ones that differ from the one reference run",
            tally.alternatives_accepted,
            tally.alternatives,
            "1.000",
            passed=tally.alternatives_accepted == tally.alternatives,
        ),
        _share("kind_named", "the fault carries the change's name, at the row changed", tally.named, tally.mutated),
    ]
    baseline = {
        "first_wrong_step": round(tally.diff_found / max(1, tally.mutated), 3),
        "legal_accepted": round(tally.diff_accepted / max(1, tally.legal), 3),
    }
    return ResultCard(
        name="trace_check",
        data=DataSource(data_id=f"made here, seed {seed}", digest=digest_files(files), licence="Apache-2.0"),
        n=tally.mutated,
        n_clusters=sum(tally.by_algorithm.values()) // PER_PROBLEM,
        split_rule="none; nothing is fitted",
        measures=measures,
        baselines=[Baseline(name="one-reference diff, word by word", values=dict(baseline), origin="measured here")],
        does_not_show=(
            "Graphs have 4 to 7 nodes; enumeration bounds them.",
            "Traces are written here in fifteen tidy styles; messy ones are in tests/unit/tracing_messy.py.",
            "Tree search, grids and distance tables are covered by unit tests only.",
        ),
        command=command,
        cpu_seconds=cpu_seconds(),
        failures=tuple(tally.failures.values()),
        notes=(
            f"algorithms: {dict(sorted(tally.by_algorithm.items()))}",
            f"forms: {dict(sorted(tally.by_form.items()))}",
            f"changes: {dict(sorted(tally.by_kind.items()))}",
            f"{tally.silent} changes left the trace legal; {tally.skipped} graphs had too few edges or too many runs",
        ),
    )


def main() -> None:
    """Print the card."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trace_check")
    parser.add_argument("--count", type=int, default=10_000, help="mutated traces")
    parser.add_argument("--seed", type=int, default=20_261, help="of graphs, runs, changes and styles")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parsed = parser.parse_args()
    command = f"python -m benchmarks.trace_check --count {parsed.count} --seed {parsed.seed}"
    tally = run_benchmark(parsed.count, parsed.seed)
    print_card(make_card(tally, parsed.count, parsed.seed, command), as_json=parsed.json)


if __name__ == "__main__":
    main()
