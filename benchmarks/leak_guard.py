"""Benchmark 1: does the product tell, as human raters do, whether a reply reveals the answer?

MRBench V2 replies through `maths.leak_reveal.find_reveal`. Rules only: nothing is fitted but the choice between its
two operating points (plain and lenient), made on training folds. Run: `python -m benchmarks.leak_guard --data DIR`.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from preceptor.domain.dialogue import Turn
from preceptor.lab.statistics import Interval, cluster_bootstrap_statistic, minimum_detectable_effect
from preceptor.maths.leak_question import open_question
from preceptor.maths.leak_reveal import find_reveal

N_FOLDS = 5
N_RESAMPLES = 2000
SEED = 20250101
MIN_PRECISION = 0.70
PUBLISHED = {"number match": 0.678, "number match, not ending in a question": 0.712}
DOES_NOT_SHOW = (
    "One annotator an item; two raters agree imperfectly, and some labels are plainly contestable.",
    "The rules were written with the errors of one half of the problem groups in view: unread_half_f1, or a held-out "
    "folder, is the figure to quote.",
    "A rater's notion of revealing. That the live guard lets nothing through is shown by an outside oracle, not here.",
)


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
    replies: Sequence[LabelledReply], first: Predictor, second: Predictor | None = None
) -> tuple[Interval, float]:
    """Return an F1, or the paired difference of two, with its interval over problem groups, and its standard error."""
    sides = [side for side in (first, second) if side is not None]
    counts = np.array([[value for side in sides for value in _outcome(reply, side)] for reply in replies], dtype=float)

    def statistic(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = [_f1(sums[:, 3 * place : 3 * place + 3]) for place in range(len(sides))]
        return scores[0] - scores[1] if len(scores) > 1 else scores[0]

    return cluster_bootstrap_statistic(
        counts, [reply.group for reply in replies], statistic, seed=SEED, resamples=N_RESAMPLES
    )


def _outcome(reply: LabelledReply, predict: Predictor) -> tuple[int, int, int]:
    found = count([reply], predict)
    return found.hits, found.alarms, found.missed


def _f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F1 per row of (hits, alarms, missed); 0 where there is nothing to find and nothing found."""
    hits, alarms, missed = sums.T
    possible: NDArray[np.float64] = 2 * hits + alarms + missed
    return np.where(possible > 0, 2 * hits / np.maximum(possible, 1), 0.0)


@dataclass(frozen=True, kw_only=True)
class Systems:
    """The product as it predicts each reply at points chosen without it, and the stronger trivial baseline."""

    product: Predictor
    sensitive: Predictor
    tutor_new: Predictor
    both_new: Predictor
    baseline: str


def hold_out(tuned: Sequence[LabelledReply], tested: Sequence[LabelledReply], *, same: bool) -> Systems:
    """Return the product's predictions on `tested`; `same`: both are one set, so its folds are held out."""

    def predict(
        held: Callable[[LabelledReply], Sequence[object]], choose: Callable[[Sequence[LabelledReply]], str]
    ) -> Predictor:
        table = held_out_predictions(tested, tuned, held, choose)
        return lambda reply: table[reply.reply_id]

    def fold(reply: LabelledReply) -> object:
        return fold_of(reply.group) if same else object()

    return Systems(
        product=predict(lambda reply: (fold(reply),), best_for_f1) if same else by(best_for_f1(tuned)),
        sensitive=predict(lambda reply: (fold(reply),), best_for_recall) if same else by(best_for_recall(tuned)),
        tutor_new=predict(lambda reply: (reply.tutor,), best_for_f1),
        both_new=predict(lambda reply: (reply.tutor, *((fold_of(reply.group),) if same else ())), best_for_f1),
        baseline=max(PUBLISHED, key=lambda name: count(tested, by(name)).f1),
    )


def measure(
    metric: str, definition: str, replies: Sequence[LabelledReply], predict: Predictor, *, mark: float | None = None
) -> Measure:
    """Return an F1 with its interval over problem groups."""
    interval, error = paired_interval(replies, predict)
    found = count(replies, predict)
    return Measure(
        metric=metric,
        definition=f"{definition}; precision {found.precision:.3f}, recall {found.recall:.3f}",
        point=round(interval.point, 4),
        low=round(interval.low, 4),
        high=round(interval.high, 4),
        method=interval.method,
        minimum_detectable_effect=f"{minimum_detectable_effect(error):.3f}",
        n=len(replies),
        pass_mark="" if mark is None else f">= {mark}",
        passed=None if mark is None else interval.point >= mark,
    )


def measures(tested: Sequence[LabelledReply], systems: Systems, *, held_out: bool) -> list[Measure]:
    """Return the row's figures and its slices."""
    product = systems.product
    sensitive = count(tested, systems.sensitive)
    gain, error = paired_interval(tested, product, by(systems.baseline))
    slices = {
        "mathdial_f1": ("MathDial replies (reach 0.80)", [reply for reply in tested if reply.source == "MathDial"]),
        "bridge_f1": ("Bridge replies", [reply for reply in tested if reply.source == "Bridge"]),
    }
    if not held_out:
        unread = [reply for reply in tested if not was_read(reply.group)]
        slices["unread_half_f1"] = ("problem groups whose errors nobody read while the rules were written", unread)
    return [
        measure("f1", "F1 of 'reveals the final answer', correct or not (reach 0.87)", tested, product, mark=0.82),
        Measure(
            metric="recall_at_precision_70",
            definition=f"recall at the point chosen for precision >= 0.70 (here {sensitive.precision:.3f}; reach 0.94)",
            point=round(sensitive.recall, 4),
            pass_mark=">= 0.9",
            passed=sensitive.recall >= 0.9 and sensitive.precision >= MIN_PRECISION,
        ),
        measure(
            "leave_tutor_out_f1", "pooled over tutors, each held out (reach 0.86)", tested, systems.tutor_new, mark=0.8
        ),
        measure("new_problem_and_tutor_f1", "problem and tutor both held out (reach 0.82)", tested, systems.both_new),
        *(measure(name, text, replies, product) for name, (text, replies) in slices.items() if replies),
        Measure(
            metric="gain_over_baseline",
            definition=f"F1 minus that of '{systems.baseline}', paired",
            point=round(gain.point, 4),
            low=round(gain.low, 4),
            high=round(gain.high, 4),
            method=gain.method,
            minimum_detectable_effect=f"{minimum_detectable_effect(error):.3f}",
        ),
    ]


def baselines(tested: Sequence[LabelledReply]) -> list[Baseline]:
    """Return the trivial systems as measured here, and what was published."""
    rows = [
        Baseline(name=name, values={"f1": round(count(tested, by(name)).f1, 4)}, origin="measured here")
        for name in PUBLISHED
    ]
    always = count(tested, lambda reply: True)
    rows.append(Baseline(name="always", values={"f1": round(always.f1, 4)}, origin="measured here"))
    rows += [
        Baseline(name=name, values={"f1": value}, origin="measured earlier on the whole release; not run again")
        for name, value in (*PUBLISHED.items(), ("logistic regression + rules", 0.758))
    ]
    return rows


def failing_examples(replies: Sequence[LabelledReply]) -> list[tuple[Failure, str]]:
    """Return one failing reply per class of error, with its text for the eye at run time only."""
    found: dict[str, tuple[Failure, str]] = {}
    for reply in replies:
        if reply.predictions["plain"] != reply.reveals:
            kind = f"false alarm, {reply.form}" if not reply.reveals else f"missed, {reply.source}, {reply.label}"
            failure = Failure(error_class=kind, row_id=reply.reply_id, got=reply.form or "none")
            found.setdefault(kind, (failure, reply.reply))
    return list(found.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the card; the text of one failing reply per class goes to stderr and nowhere else."""
    options = read_options("leak_guard", arguments)
    tuned = read_replies(options.data)
    tested = read_replies(options.held_out) if options.held_out else tuned
    systems = hold_out(tuned, tested, same=options.held_out is None)
    examples = failing_examples(tested)
    folder = options.reported / "mrbench"
    card = ResultCard(
        name="leak_guard",
        data=DataSource(
            data_id="MRBench V2",
            digest=digest_files(path for path in (folder / "v2.jsonl", folder / "problem_groups.tsv") if path.exists()),
            licence="CC BY-SA 4.0 (on MathDial, CC BY-SA 4.0, and Bridge, MIT)",
        ),
        n=len(tested),
        n_clusters=len({reply.group for reply in tested}),
        split_rule="operating point chosen on --data, reported on --held-out"
        if options.held_out
        else f"{N_FOLDS} folds by problem group; operating point chosen on the other folds",
        measures=measures(tested, systems, held_out=options.held_out is not None),
        baselines=baselines(tested),
        does_not_show=DOES_NOT_SHOW,
        command=options.command,
        cpu_seconds=cpu_seconds(),
        failures=[failure for failure, _ in examples],
        notes=[
            f"{sum(reply.reveals for reply in tested)} of {len(tested)} replies reveal; two raters: kappa about 0.71"
        ],
    )
    print_card(card, as_json=options.as_json)
    for failure, text in examples:
        sys.stderr.write(f"{failure.error_class}: {failure.row_id}: {text}\n")


if __name__ == "__main__":
    main()
