"""How far the critic's figures hold on problems it has never seen: fitted on a random half of them, told on the other.

Each reply is scored by heads that saw neither its problem nor its tutor; for macro-F1, known tutors too. Prints
the mean and the spread over seeds. Run: `python -m benchmarks.critic_halves --data DIR [--seeds 3]`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.better_reply import by_critic, credits, make_pairs
from benchmarks.critic_agreement import QUESTIONS, HeldOutScore, bias, expert_recall, hold_out, mean_macro_f1, tutor_out
from preceptor.experience.critic_heads_training import TrainingReply, with_evidence
from preceptor.experience.human_labels import read_labelled_replies


def halve(rows: Sequence[TrainingReply], seed: int) -> tuple[list[TrainingReply], list[TrainingReply]]:
    """Return the rows of a random half of the problems, and the rest."""
    groups = sorted({row.reply.group for row in rows})
    np.random.default_rng(seed).shuffle(groups)
    kept = set(groups[: len(groups) // 2])
    return [row for row in rows if row.reply.group in kept], [row for row in rows if row.reply.group not in kept]


def figures(training: Sequence[TrainingReply], tested: Sequence[TrainingReply]) -> dict[str, float]:
    """Return both benchmarks' main figures on the tested half."""
    known = hold_out(tested, training, lambda row: ())
    new = hold_out(tested, training, tutor_out)
    return {
        "macro_f1_known_tutors": mean_macro_f1(known),
        "macro_f1_new_tutors": mean_macro_f1(new),
        "largest_bias": max(abs(bias(new, name)) for name in QUESTIONS),
        "expert_identification_recall": expert_recall(new)[0],
        **dict(_pair_figures(new)),
    }


def _pair_figures(scores: Sequence[HeldOutScore]) -> Iterator[tuple[str, float]]:
    pairs = make_pairs(scores)
    wide = [pair for pair in pairs if pair.gap >= 1]
    yield "pair_accuracy", float(np.mean(credits(pairs, by_critic)))
    yield "pair_accuracy_gap_1", float(np.mean(credits(wide, by_critic)))
    yield "pair_accuracy_order_alone", float(np.mean(credits(pairs, lambda score: (score.critique.order or 0.0,))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object: per figure its mean, its standard deviation over the seeds and the single values."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.critic_halves", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--seeds", type=int, default=3, help="how many random halves (default: 3)")
    options = parser.parse_args(arguments)
    rows = with_evidence(read_labelled_replies(options.data))
    found = [figures(*halve(rows, seed)) for seed in range(options.seeds)]
    summary = {}
    for name in found[0]:
        values = [one[name] for one in found]
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
        summary[name] = {"mean": float(np.mean(values)), "sd": spread, "values": values}
    sys.stdout.write(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
