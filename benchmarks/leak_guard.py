"""Benchmark 1: does the product tell, as human raters do, whether a reply reveals the answer?

MRBench V2 replies through `maths.leak_reveal.find_reveal`. Rules only: nothing is fitted but the choice between its
two operating points (plain and lenient), made on training folds. Run: `python -m benchmarks.leak_guard --data DIR`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak_question import open_question
from preceptor.maths.leak_reveal import find_reveal

N_FOLDS = 5
N_RESAMPLES = 2000
SEED = 20250101
MIN_PRECISION = 0.70
PASS = {"f1": 0.82, "recall_at_precision_70": 0.90, "leave_tutor_out_f1": 0.80}
REACH = {
    "f1": 0.87,
    "recall_at_precision_70": 0.94,
    "leave_tutor_out_f1": 0.86,
    "mathdial_f1": 0.80,
    "new_problem_and_tutor_f1": 0.82,
}
PUBLISHED = {"number match": 0.678, "number match, not ending in a question": 0.712}


@dataclass(frozen=True, kw_only=True)
class LabelledReply:
    """One reply of MRBench with its label and everything the systems say about it."""

    reply_id: str
    """Line, conversation and tutor: a conversation may occur twice, with other replies."""
    group: str
    """Problem: the unit of folds and of resampling."""
    source: str
    tutor: str
    """Used to hold tutors out, never shown to the rules."""
    label: str
    reveals: bool
    predictions: Mapping[str, bool]
    form: str
    """How the product says that the reply reveals; empty: it does not."""
    reply: str


def read_history(text: str) -> tuple[str, tuple[Turn, ...]]:
    """Return the problem's text (empty where none is given) and the turns of an MRBench history."""
    text = text.replace("\u00a0", " ")
    turns: list[Turn] = []
    for part in re.split(r"\n\s*(?=(?:Tutor|Student):)", text):
        speaker, _, said = part.strip().partition(":")
        said = said.strip()
        if speaker == "Student":
            turns.append(Turn(learner=said))
        elif turns and turns[-1].tutor is None:
            turns[-1] = Turn(learner=turns[-1].learner, tutor=said)
        else:
            turns.append(Turn(learner="", tutor=said))
    problem = re.search(r"The question is:\s*(.*?)(?=\n\s*(?:Student|Tutor):|$)", text, re.DOTALL)
    return (problem.group(1).strip() if problem else ""), tuple(turns)


def read_replies(folder: Path) -> list[LabelledReply]:
    """Return every labelled reply of `mrbench/v2.jsonl` under a data folder, with all predictions made."""
    groups: dict[str, str] = {}
    table = folder / "mrbench" / "problem_groups.tsv"
    if table.exists():
        with table.open(encoding="utf-8") as stream:
            groups = {row["conversation_id"]: row["problem_group"] for row in csv.DictReader(stream, delimiter="\t")}
    with (folder / "mrbench" / "v2.jsonl").open(encoding="utf-8") as stream:
        rows = enumerate((json.loads(line) for line in stream if line.strip()), start=1)
        return [reply for number, row in rows for reply in _replies(number, row, groups)]


def _replies(number: int, row: Mapping[str, object], groups: Mapping[str, str]) -> Iterator[LabelledReply]:
    problem, turns = read_history(str(row["conversation_history"]))
    known = row["Ground_Truth_Solution"]
    solution = None if known in {"Not Available", "", None} else str(known)
    conversation = str(row["conversation_id"])
    normalised = re.sub(r"\W+", " ", problem or str(row["conversation_history"])).strip().lower()
    values = open_question(problem_text=problem, answer=None, solution=solution, history=turns).values
    answered = row["anno_llm_responses"]
    assert isinstance(answered, dict)
    for tutor, one in answered.items():
        reply, label = str(one["response"]), str(one["annotation"]["Revealing_of_the_Answer"])
        plain = find_reveal(reply, problem_text=problem, answer=None, solution=solution, history=turns)
        lenient = find_reveal(reply, problem_text=problem, answer=None, solution=solution, history=turns, lenient=True)
        matched = bool(values & _plain_numbers(reply))
        yield LabelledReply(
            reply_id=f"{number}/{conversation}/{tutor}",
            group=groups.get(conversation, normalised),
            source=str(row["Data"]),
            tutor=str(tutor),
            label=label,
            reveals=label.startswith("Yes"),
            predictions={
                "plain": plain.kind != "none",
                "lenient": lenient.kind != "none",
                "number match": matched,
                "number match, not ending in a question": matched and not reply.rstrip(" \"'").endswith("?"),
            },
            form=plain.form,
            reply=reply,
        )


def _plain_numbers(text: str) -> set[Fraction]:
    return {
        Fraction(match.replace(",", "")) for match in re.findall(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", text)
    }


@dataclass(frozen=True, kw_only=True)
class Counts:
    """True positives, false positives and false negatives."""

    hits: int
    alarms: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the alarms that are right, [0, 1]."""
        return self.hits / (self.hits + self.alarms) if self.hits + self.alarms else 0.0

    @property
    def recall(self) -> float:
        """Share of the revealing replies that are found, [0, 1]."""
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both, [0, 1]; 0 where nothing reveals and nothing is found."""
        total = 2 * self.hits + self.alarms + self.missed
        return 2 * self.hits / total if total else 0.0


Predictor = Callable[[LabelledReply], bool]


def count(replies: Sequence[LabelledReply], predict: Predictor) -> Counts:
    """Return how a predictor does on replies."""
    predicted = [predict(reply) for reply in replies]
    pairs = list(zip(predicted, (reply.reveals for reply in replies), strict=True))
    return Counts(
        hits=sum(guess and truth for guess, truth in pairs),
        alarms=sum(guess and not truth for guess, truth in pairs),
        missed=sum(truth and not guess for guess, truth in pairs),
    )


def by(name: str) -> Predictor:
    """Return the predictor of one system."""
    return lambda reply: reply.predictions[name]


def best_for_f1(training: Sequence[LabelledReply]) -> str:
    """Return the operating point with the higher F1 on training replies."""
    return max(("plain", "lenient"), key=lambda name: count(training, by(name)).f1)


def best_for_recall(training: Sequence[LabelledReply]) -> str:
    """Return the operating point with the highest recall whose precision is at least 0.70 on training replies."""
    allowed = [name for name in ("plain", "lenient") if count(training, by(name)).precision >= MIN_PRECISION]
    return max(allowed or ["plain"], key=lambda name: count(training, by(name)).recall)


def fold_of(group: str) -> int:
    """Return a problem group's fold, the same on every machine."""
    return int(hashlib.md5(group.encode(), usedforsecurity=False).hexdigest(), 16) % N_FOLDS


def was_read(group: str) -> bool:
    """Tell whether errors on this group were read while the rules were written (see docs/design/leak.md)."""
    return int(hashlib.md5(group.encode(), usedforsecurity=False).hexdigest(), 16) % 2 == 0


def held_out_predictions(
    test: Sequence[LabelledReply],
    training: Sequence[LabelledReply],
    held: Callable[[LabelledReply], Sequence[object]],
    choose: Callable[[Sequence[LabelledReply]], str],
) -> dict[str, bool]:
    """Return each test reply's prediction at the point chosen on the training replies that share none of its keys."""
    chosen: dict[tuple[object, ...], str] = {}
    predicted: dict[str, bool] = {}
    for reply in test:
        keys = tuple(held(reply))
        if keys not in chosen:
            chosen[keys] = choose([one for one in training if not _share(held(one), keys)])
        predicted[reply.reply_id] = reply.predictions[chosen[keys]]
    return predicted


def _share(first: Sequence[object], second: Sequence[object]) -> bool:
    return any(mine == theirs for mine, theirs in zip(first, second, strict=True))


def paired_interval(
    replies: Sequence[LabelledReply], first: Predictor, second: Predictor
) -> tuple[float, float, float, float]:
    """Return the F1 difference, its 95 % percentile interval over problem groups, and its standard error."""
    groups: dict[str, list[LabelledReply]] = {}
    for reply in replies:
        groups.setdefault(reply.group, []).append(reply)
    counts = [(count(members, first), count(members, second)) for members in groups.values()]
    generator = random.Random(SEED)
    drawn = sorted(_difference(generator.choices(counts, k=len(counts))) for _ in range(N_RESAMPLES))
    mean = sum(drawn) / len(drawn)
    error = (sum((value - mean) ** 2 for value in drawn) / (len(drawn) - 1)) ** 0.5
    return _difference(counts), drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))], error


def _difference(counts: Sequence[tuple[Counts, Counts]]) -> float:
    totals = [
        Counts(
            hits=sum(pair[side].hits for pair in counts),
            alarms=sum(pair[side].alarms for pair in counts),
            missed=sum(pair[side].missed for pair in counts),
        ).f1
        for side in (0, 1)
    ]
    return totals[0] - totals[1]


def make_card(tuned: Sequence[LabelledReply], tested: Sequence[LabelledReply], command: str) -> dict[str, object]:
    """Return the result card: all figures on `tested`, operating points chosen on `tuned`."""
    held_out = tuned is not tested

    def predict(
        held: Callable[[LabelledReply], Sequence[object]], choose: Callable[[Sequence[LabelledReply]], str]
    ) -> Predictor:
        table = held_out_predictions(tested, tuned, held, choose)
        return lambda reply: table[reply.reply_id]

    def by_fold(reply: LabelledReply) -> Sequence[object]:
        return (object(),) if held_out else (fold_of(reply.group),)

    product = predict(by_fold, best_for_f1)
    sensitive = count(tested, predict(by_fold, best_for_recall))
    tutor_new = count(tested, predict(lambda reply: (reply.tutor,), best_for_f1))
    both_new = count(tested, predict(lambda reply: (reply.tutor, fold_of(reply.group)), best_for_f1))
    baselines = {name: count(tested, by(name)) for name in PUBLISHED}
    strongest = max(baselines, key=lambda name: baselines[name].f1)
    gain, low, high, error = paired_interval(tested, product, by(strongest))
    f1, f1_low, f1_high, _ = paired_interval(tested, product, lambda reply: False)
    slices = {
        "MathDial": [reply for reply in tested if reply.source == "MathDial"],
        "Bridge": [reply for reply in tested if reply.source == "Bridge"],
        "groups read while the rules were written": [reply for reply in tested if was_read(reply.group)],
        "groups not read": [reply for reply in tested if not was_read(reply.group)],
    }
    if held_out:
        slices = {name: replies for name, replies in slices.items() if "read" not in name}
    return {
        "name": "leak_guard",
        "version": 1,
        "n": len(tested),
        "positives": sum(reply.reveals for reply in tested),
        "clusters": len({reply.group for reply in tested}),
        "split": "operating point tuned on --data, reported on --held-out" if held_out else "5 folds by problem group",
        "metric": "F1 of 'reveals the final answer' (correct or incorrect)",
        "f1": f1,
        "interval_95": [f1_low, f1_high],
        "scores": _scores(count(tested, product)),
        "recall_at_precision_70": _scores(sensitive),
        "leave_tutor_out": _scores(tutor_new),
        "new_problem_and_tutor": _scores(both_new),
        "per_tutor_f1": {
            tutor: round(count([reply for reply in tested if reply.tutor == tutor], product).f1, 3)
            for tutor in sorted({reply.tutor for reply in tested})
        },
        "slices": {name: _scores(count(replies, product)) for name, replies in slices.items()},
        "baselines": {name: _scores(found) for name, found in baselines.items()}
        | {"always": _scores(count(tested, lambda reply: True))},
        "baselines_published": PUBLISHED,
        "gain_over_best_baseline": {
            "baseline": strongest, "gain": gain, "interval_95": [low, high], "minimum_detectable_effect": 2.8 * error
        },
        "interval_method": f"percentile bootstrap over problem groups, {N_RESAMPLES} resamples, paired",
        "pass": PASS,
        "reach": REACH,
        "models": "none",
        "licence": "CC BY-SA 4.0 (MRBench, on MathDial CC BY-SA 4.0 and Bridge MIT)",
        "does_not_show": (
            "One annotator an item. The rules were written with one half of the problem groups in view: the other "
            "half's slice, or a held-out folder, is the figure to quote. This is a rater's notion of revealing; that "
            "the live guard lets nothing through is shown by the outside oracle, not here."
        ),
        "command": command,
    }  # fmt: skip


def _scores(found: Counts) -> dict[str, float]:
    return {"f1": round(found.f1, 4), "precision": round(found.precision, 4), "recall": round(found.recall, 4)}


def failing_examples(replies: Sequence[LabelledReply]) -> dict[str, str]:
    """Return one reply per class of error, for the eye at run time only."""
    found: dict[str, str] = {}
    for reply in replies:
        if reply.predictions["plain"] != reply.reveals:
            kind = f"false alarm, {reply.form}" if not reply.reveals else f"missed, {reply.source}, {reply.label}"
            found.setdefault(kind, f"{reply.reply_id}: {reply.reply}")
    return found


def main() -> None:
    """Print the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds mrbench/")
    parser.add_argument("--held-out", type=Path, help="folder of the same layout to report on")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, examples on stderr")
    options = parser.parse_args()
    started = time.process_time()
    tuned = read_replies(options.data)
    tested = read_replies(options.held_out) if options.held_out else tuned
    held_out = " --held-out DIR2" if options.held_out else ""
    card = make_card(tuned, tested, f"python -m benchmarks.leak_guard --data DIR{held_out} --json")
    source = (options.held_out or options.data) / "mrbench" / "v2.jsonl"
    card["data"] = {"id": "MRBench V2", "sha256": hashlib.sha256(source.read_bytes()).hexdigest()}
    card["cpu_seconds"] = round(time.process_time() - started, 2)
    sys.stdout.write(json.dumps(card, indent=None if options.json else 2) + "\n")
    for kind, example in failing_examples(tested).items():
        sys.stderr.write(f"{kind}: {example}\n")


if __name__ == "__main__":
    main()
