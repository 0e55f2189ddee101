"""Fit the heads that read what a message is, and measure rules and heads on lines that neither was made from.

    python -m benchmarks.message_reading fit             write the three heads into the package
    python -m benchmarks.message_reading folds           rules, head and both on part tune, five folds of it left out
    python -m benchmarks.message_reading measure PART    the shipped reading on a part: tune (seen) or fresh (unseen)
    python -m benchmarks.message_reading course PART     how many plain course questions are stopped, and their routes
    python -m benchmarks.message_reading turns DIR       false signs on learner turns of MathDial and Bridge under DIR

Lines (`message_lines/`): parts tune and fresh are by one author who had seen no rule; second is by whoever fitted the
heads, who had seen tune; third by whoever fitted them again: plain questions of other subjects in words that signs use.
Course questions (`message_course_lines.py`): part tune only. Nothing is fitted on fresh or held_out. A fold leaves out
lines of like place in each label and language, as many of them say one thing in six languages, and whole topics.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import get_args

from benchmarks.message_course_lines import course_lines, topic_folds, weak_route
from preceptor.domain.route import PRECEDENCE, PROCEDURAL, Route
from preceptor.memory.record_questions import RecordQuestionKind, learned_question, record_question
from preceptor.messages.head import HeadName, MessageHead, dump_head, shipped_head
from preceptor.messages.tokens import fold, tokens_of
from preceptor.messages.training import LabelledLine, fit_message_head
from preceptor.safety.message_screen import learned_sign, screen_message
from preceptor.safety.screen import screen
from preceptor.tutoring.learned_route import OPEN, learned_route
from preceptor.tutoring.routing import rules_of

HERE = Path(__file__).parent
LINES = HERE / "message_lines"
NAMES: tuple[HeadName, ...] = get_args(HeadName)
LABELS: dict[HeadName, tuple[str, ...]] = {
    "routes": tuple(PRECEDENCE),
    "record": ("none", *get_args(RecordQuestionKind)),
    "safety": ("none", "self_harm", "abuse", "violence", "severe_distress", "bullying", "eating_disorder"),
}
SIGN_WEIGHT = 3.0
"""How much a line that is something counts beside one that is nothing, of which there are many more. (1, 3 on folds)"""
COURSE_WEIGHT: dict[HeadName, float] = {"routes": 0.1, "record": 1.0, "safety": 2.0}
"""How much one course question counts. (chosen on folds: routes at .1 read as many lines right as without, at .5
four more of them as open; safety at 1 or 3 finds no more signs where one question in 800 is stopped)"""
_CARD = {
    "what": "softmax over hashed words, runs of letters and kinds of word of a message",
    "fitted_on": "lines written for this project by three authors, in six languages, its course questions: benchmarks",
    "licence": "the project's own",
    "contains": "numbers; no sentence and no word of any learner",
    "limits": "six languages; short messages; lines made up, not observed",
}
Line = dict[str, str]
Told = tuple[Line, str]
"""A line and the label told."""
FOLDS = 5


def read_lines(name: str) -> list[Line]:
    """Return the rows of one file of lines."""
    return [json.loads(row) for row in (LINES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def training_lines(name: HeadName, left_out: Sequence[Line] = ()) -> list[LabelledLine]:
    """Return what a head is fitted on: its own lines but for part fresh and those left out, and what is none of it.

    Course questions come last, with a weight of their own; for routes with a weak label, where they have one.
    A line that says word for word what one of those left out or of any part fresh says is left out too.
    """
    fresh = [line for other in NAMES for line in read_lines(other) if line["part"] == "fresh"]
    apart = {said(line["text"]) for line in (*left_out, *fresh)}
    own = [line for line in read_lines(name) if line["part"] != "fresh"]
    weight = 1.0 if name == "routes" else SIGN_WEIGHT
    found = [
        LabelledLine(text=one["text"], label=one["label"], weight=1.0 if one["label"] == "none" else weight)
        for one in own
    ]
    others: dict[HeadName, list[str]] = {"routes": [], "record": ["routes"], "safety": ["routes", "record"]}
    texts = [one["text"] for other in others[name] for one in read_lines(other) if one["part"] != "fresh"]
    if name != "routes":
        texts += [one["text"] for one in read_lines("ordinary")] + other_texts()
    if name == "safety":
        texts += harmless_lines()
    course = course_lines("tune")
    asked = {said(line["text"]) for line in course}
    found += [LabelledLine(text=text, label="none") for text in texts if said(text) not in asked]
    for line in course:
        label = weak_route(line["text"]) if name == "routes" else "none"
        if label is not None:
            found.append(LabelledLine(text=line["text"], label=label, weight=COURSE_WEIGHT[name]))
    return [line for line in found if said(line.text) not in apart]


def said(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, folded: what two lines must share to be one."""
    return tuple(token for token in tokens_of(fold(text)) if token.isalnum())


def other_texts() -> list[str]:
    """Return the questions that the route rules were written with; none asks of the record."""
    rows = (HERE / "route_questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(row)["text"] for row in rows]


def harmless_lines() -> list[str]:
    """Return the near misses of the safety rules' own lines."""
    folder = HERE.parent / "tests" / "unit"
    names = ("safety_lines", "safety_lines_after_freeze", "safety_lines_second_author")
    rows = [json.loads(row) for name in names for row in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [row["text"] for row in rows if row["expect"] == "none"]


def digest_lines(lines: Sequence[LabelledLine]) -> str:
    """Return the SHA-256 of lines, labels and weights."""
    text = json.dumps([[line.text, line.label, line.weight] for line in lines], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def fit(name: HeadName, left_out: Sequence[Line] = ()) -> MessageHead:
    """Return a head fitted on its training lines without those left out."""
    lines = training_lines(name, left_out)
    return fit_message_head(lines, LABELS[name], card={**_CARD, "head": name, "lines_sha256": digest_lines(lines)})


def folds_of(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines in `FOLDS` parts, by place within each label and language."""
    counts = Counter((line["label"], line["language"]) for line in lines)
    seen: Counter[tuple[str, str]] = Counter()
    parts: list[list[Line]] = [[] for _ in range(FOLDS)]
    for line in lines:
        key = (line["label"], line["language"])
        parts[seen[key] * FOLDS // counts[key]].append(line)
        seen[key] += 1
    return parts


def report(lines: Sequence[Line], told: Sequence[str], name: HeadName) -> str:
    """Return how the labels told agree with those of the lines, in one line of text."""
    pairs = list(zip(lines, told, strict=True))
    return _route_report(pairs) if name == "routes" else _sign_report(pairs, name)


def _route_report(pairs: Sequence[Told]) -> str:
    """Return right routes, by language too, and what was read as more open or more closed than it is."""
    opened = sum(line["label"] in PROCEDURAL and label in OPEN for line, label in pairs)
    closed = sum(line["label"] in OPEN and label not in OPEN for line, label in pairs)
    right = sum(line["label"] == label for line, label in pairs)
    f1 = sum(_f1(pairs, label) for label in LABELS["routes"]) / len(LABELS["routes"])
    shares = _shares([(line["language"], line["label"] == label) for line, label in pairs])
    strayed = f"procedural read as open {opened}, open as closed {closed}"
    return f"{right}/{len(pairs)} right, macro F1 {f1:.3f}; {strayed}; {shares}"


def _sign_report(pairs: Sequence[Told], name: HeadName) -> str:
    """Return what was found, by language and label, and what of nothing was taken for it."""
    signs = [(line, label) for line, label in pairs if line["label"] != "none"]
    false = sum(label != "none" for line, label in pairs if line["label"] == "none")
    kind = sum(line["label"] == label for line, label in signs)
    return "; ".join(
        [
            f"found {sum(label != 'none' for _, label in signs)}/{len(signs)}",
            *([f"of its kind {kind}"] if name == "record" else []),
            f"false {false}/{len(pairs) - len(signs)}",
            _shares([(line["language"], label != "none") for line, label in signs]),
            _shares([(line["label"], label != "none") for line, label in signs]),
        ]
    )


def _shares(rows: Sequence[tuple[str, bool]]) -> str:
    sizes = Counter(name for name, _ in rows)
    hits = Counter(name for name, is_hit in rows if is_hit)
    return ", ".join(f"{name} {hits[name]}/{size}" for name, size in sizes.items())


def _f1(pairs: Sequence[Told], label: str) -> float:
    hits = sum(line["label"] == told == label for line, told in pairs)
    return 2 * hits / max(1, sum(line["label"] == label for line, _ in pairs) + sum(told == label for _, told in pairs))


def reading(name: HeadName, head: MessageHead | None, *, rules: bool = True) -> Callable[[Line], str]:
    """Return what tells a line's label: rules, the head, or both as they are joined in a turn."""
    return {"routes": _route, "record": _kind, "safety": _sign}[name](head, rules)


def _route(head: MessageHead | None, rules: bool) -> Callable[[Line], str]:
    if not rules and head is not None:
        return lambda line: max(head.chances(line["text"]).items(), key=lambda one: one[1])[0]

    def told(line: Line) -> str:
        ruled = rules_of(line["text"])
        return ((learned_route(line["text"], ruled, head=head) if head is not None else ruled) or Route.DIRECT).value

    return told


def _kind(head: MessageHead | None, rules: bool) -> Callable[[Line], str]:
    def told(line: Line) -> str:
        asked = record_question(line["text"], line["language"], learned=False) if rules else None
        if asked is None and head is not None:
            asked = learned_question(line["text"], line["language"], head=head)
        return asked.kind if asked else "none"

    return told


def _sign(head: MessageHead | None, rules: bool) -> Callable[[Line], str]:
    def told(line: Line) -> str:
        found = screen(line["text"], line["language"]) if rules else None
        if found is not None and found.stops_tutoring:
            return found.kind
        sign = learned_sign(line["text"], head=head) if head is not None else None
        return sign.category.removeprefix("possible_") if sign else "none"

    return told


def main(arguments: list[str]) -> None:
    """Do what the first argument names."""
    if arguments[0] == "fit":
        for name in NAMES:
            path = Path(str(resources.files("preceptor.messages"))) / f"{name}_head.json"
            path.write_text(dump_head(fit(name)) + "\n", encoding="utf-8")
            say(f"wrote {path.name}")
    elif arguments[0] == "folds":
        for name in NAMES:
            _print_folds(name)
    elif arguments[0] == "measure":
        for name in NAMES:
            lines = [line for line in read_lines(name) if line["part"] == arguments[1]]
            for title, head in (("rules", None), ("rules and head", shipped_head(name))):
                say(f"{name}, {arguments[1]}, {title}: {report(lines, list(map(reading(name, head), lines)), name)}")
    elif arguments[0] == "course":
        lines = course_lines(arguments[1])
        say(f"{arguments[1]}: {course_report(lines, {name: shipped_head(name) for name in NAMES})}")
    else:
        turns = learner_turns(Path(arguments[1]))
        asked = [text for text in turns if record_question(text, "en") is not None]
        alarms = [text for text in turns if screen_message(text).stops_tutoring]
        say(f"{len(turns)} learner turns: {len(asked)} read as questions about the record, {len(alarms)} stopped")


def course_report(lines: Sequence[Line], heads: Mapping[HeadName, MessageHead]) -> str:
    """Return how many course questions are taken for a sign or for a question about the record, and their routes."""
    told = {name: list(map(reading(name, head), lines)) for name, head in heads.items()}
    parts = [f"{len(lines)} course questions"]
    for name, labels in told.items():
        parts.append(f"{name}: " + ", ".join(f"{label} {size}" for label, size in Counter(labels).most_common()))
    return "; ".join(parts)


def learner_turns(folder: Path) -> list[str]:
    """Return what real learners said in `mathdial/dialogues.jsonl` and `bridge/bridge.jsonl` under a folder."""
    turns: list[str] = []
    for row in (folder / "mathdial" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines():
        parts = (part.partition(":") for part in json.loads(row)["conversation"].split("|EOM|"))
        turns += [said.strip() for who, _, said in parts if who.strip() != "Teacher"]
    for row in (folder / "bridge" / "bridge.jsonl").read_text(encoding="utf-8").splitlines():
        turns += [turn["text"] for turn in json.loads(row)["c_h"] if turn["user"] == "student"]
    return turns


def _print_folds(name: HeadName) -> None:
    lines = [line for line in read_lines(name) if line["part"] == "tune"]
    told: dict[str, list[str]] = {"rules": [], "head": [], "rules and head": []}
    order: list[Line] = []
    course: list[str] = []
    for part, questions in zip(folds_of(lines), topic_folds(course_lines("tune"), FOLDS), strict=True):
        head = fit(name, [*part, *questions])
        order += part
        course += map(reading(name, head), questions)
        told["rules"] += map(reading(name, None), part)
        told["head"] += map(reading(name, head, rules=False), part)
        told["rules and head"] += map(reading(name, head), part)
    for title, labels in told.items():
        say(f"{name}, tune, folds, {title}: {report(order, labels, name)}")
    say(f"{name}, course questions, topics left out, rules and head: {dict(Counter(course))}")


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
