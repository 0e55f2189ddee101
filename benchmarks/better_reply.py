"""Benchmark 3: of two replies to one learner moment, does the critic's S_t rank the better one higher?

MRBench V3 dev pairs whose raters differ, each reply scored by heads that never saw its tutor; second column: Bridge
experts over the novices they replaced, by heads that saw no human tutor and no Bridge reply. Replies with equal S_t
are ranked by the critic's unrounded quality. Run: `python -m benchmarks.better_reply --data DIR`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    measure_of,
    print_card,
)
from benchmarks.card import read_options as read_card_options
from benchmarks.critic_agreement import LICENCE, HeldOutScore, hold_out, label_files, tutor_out
from preceptor.domain.metrics import pair_credit
from preceptor.domain.rubric import Critique
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic_heads_training import TrainingReply, fit_heads, with_evidence
from preceptor.experience.critic_worth_training import human_quality
from preceptor.experience.human_labels import (
    HUMAN_TUTORS,
    ExpertPair,
    read_expert_pairs,
    read_labelled_replies,
)
from preceptor.lab.statistics import (
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    cluster_standard_error,
)
from preceptor.pedagogy.dialogue_formats import UNKNOWN_PROBLEM

SEED = 20250101
DOES_NOT_SHOW = (
    "Raters answered four questions; that their sum is the quality of a reply is this benchmark's choice.",
    "Pairs in which raters see no difference are left out.",
    "An expert's written revision is not a randomised comparison of what learners learnt.",
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two replies to one moment; raters prefer the first."""

    better: HeldOutScore
    worse: HeldOutScore
    gap: float
    """Difference of the raters' sums, in points of 4."""


def quality(score: HeldOutScore) -> float:
    """Return the raters' sum over the four questions, 0 to 4."""
    return human_quality(score.row.reply) or 0.0


def make_pairs(scores: Sequence[HeldOutScore]) -> list[Pair]:
    """Return the pairs inside each moment whose raters' sums differ."""
    moments: dict[str, list[HeldOutScore]] = defaultdict(list)
    for score in scores:
        moments[score.row.reply.moment].append(score)
    pairs = []
    for replies in moments.values():
        for first, second in combinations(replies, 2):
            gap = quality(first) - quality(second)
            if gap:
                better, worse = (first, second) if gap > 0 else (second, first)
                pairs.append(Pair(better=better, worse=worse, gap=abs(gap)))
    return pairs


def rank_key(critique: Critique) -> tuple[float, float]:
    """Return what ranks a reply: S_t, then the quality before rounding; what is unscored ranks last."""
    return (
        critique.percent if critique.percent is not None else -1.0,
        critique.order if critique.order is not None else 0.0,
    )


def credits(pairs: Sequence[Pair], key: Callable[[HeldOutScore], Sequence[float]]) -> list[float]:
    """Return per pair 1 where the key ranks the better one higher, 0.5 on a tie."""
    return [pair_credit(key(pair.better), key(pair.worse)) for pair in pairs]


def by_critic(score: HeldOutScore) -> Sequence[float]:
    """Return the product's rank."""
    return rank_key(score.critique)


def by_percent(score: HeldOutScore) -> Sequence[float]:
    """Return S_t alone; ties stay ties."""
    return (score.critique.percent if score.critique.percent is not None else -1.0,)


def by_length(score: HeldOutScore) -> Sequence[float]:
    """Return the length of the reply."""
    return (float(len(score.row.reply.turn.reply.split())),)


def by_identity(scores: Sequence[HeldOutScore]) -> Callable[[HeldOutScore], Sequence[float]]:
    """Return the oracle that knows each tutor's mean quality."""
    found: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        found[score.row.reply.tutor].append(quality(score))
    means = {tutor: sum(values) / len(values) for tutor, values in found.items()}
    return lambda score: (means[score.row.reply.tutor],)


def bridge_critic(training: Sequence[TrainingReply]) -> BuiltinCritic:
    """Return a critic whose heads saw no human tutor and no reply to a Bridge dialogue."""
    kept = [
        row
        for row in training
        if row.reply.tutor not in HUMAN_TUTORS and row.reply.turn.context.problem.text != UNKNOWN_PROBLEM
    ]
    return BuiltinCritic(heads=fit_heads(kept))


def expert_credits(pairs: Sequence[ExpertPair], critic: BuiltinCritic) -> list[float]:
    """Return per pair whether the expert ranks above the novice."""
    return [
        pair_credit(rank_key(critic.critique_now(pair.expert)), rank_key(critic.critique_now(pair.novice)))
        for pair in pairs
    ]


def measure(
    metric: str, definition: str, values: Sequence[float], clusters: Sequence[str], mark: float | None = None
) -> Measure:
    """Return one accuracy with its interval over problem groups."""
    found = cluster_bootstrap_mean(values, clusters, seed=SEED)
    return measure_of(metric, definition, found, cluster_standard_error(values, clusters), mark)


def measures(
    pairs: Sequence[Pair], both_new: Sequence[Pair], bridge: Sequence[ExpertPair], training: Sequence[TrainingReply]
) -> Iterator[Measure]:
    """Yield the card's metrics."""
    groups = [pair.better.row.reply.group for pair in pairs]
    ranked, long = credits(pairs, by_critic), credits(pairs, by_length)
    yield measure(
        "pair_accuracy", "S_t, ties by unrounded quality; each reply's tutor held out", ranked, groups, mark=0.69
    )
    yield measure("pair_accuracy_s_t_only", "S_t alone, a tie counts one half", credits(pairs, by_percent), groups)
    wide = [pair for pair in pairs if pair.gap >= 1]
    yield measure(
        "pair_accuracy_gap_1",
        "pairs whose raters differ by 1 point of 4 or more (reach: .76)",
        credits(wide, by_critic),
        [pair.better.row.reply.group for pair in wide],
    )
    if both_new:
        yield measure(
            "pair_accuracy_both_new",
            "problem held out too",
            credits(both_new, by_critic),
            [pair.better.row.reply.group for pair in both_new],
        )
    difference = cluster_bootstrap_paired_difference(ranked, long, groups, seed=SEED)
    error = cluster_standard_error([a - b for a, b in zip(ranked, long, strict=True)], groups)
    yield measure_of("gain_over_length", "paired difference of the accuracies", difference, error, None)
    if bridge:
        critic, conversations = bridge_critic(training), [pair.group for pair in bridge]
        yield measure(
            "bridge_expert_over_novice",
            "experts' replies over the novices' they replaced; heads saw no human tutor and no Bridge reply",
            expert_credits(bridge, critic),
            conversations,
        )
        yield _expert_gain(bridge, critic, conversations)


def _expert_gain(bridge: Sequence[ExpertPair], critic: BuiltinCritic, conversations: Sequence[str]) -> Measure:
    """Return the paired difference of S_t, in points of 100: experts minus the novices they replaced."""
    expert, novice = (
        [critic.critique_now(turn).percent or 0.0 for turn in turns]
        for turns in ([pair.expert for pair in bridge], [pair.novice for pair in bridge])
    )
    gain = cluster_bootstrap_paired_difference(expert, novice, conversations, seed=SEED)
    error = cluster_standard_error([a - b for a, b in zip(expert, novice, strict=True)], conversations)
    return measure_of("bridge_s_t_gain", "paired difference of S_t, points of 100, same heads", gain, error, None)


def baselines(pairs: Sequence[Pair], scores: Sequence[HeldOutScore], bridge: Sequence[ExpertPair]) -> list[Baseline]:
    """Return the rows to compare with."""

    def accuracy(values: Sequence[float]) -> float:
        return round(sum(values) / len(values), 3) if values else 0.0

    def words(text: str) -> tuple[float]:
        return (float(len(text.split())),)

    longer = [pair_credit(words(pair.expert.reply), words(pair.novice.reply)) for pair in bridge]
    return [
        Baseline(
            name="the longer reply",
            values={"pair_accuracy": accuracy(credits(pairs, by_length)), "bridge": accuracy(longer)},
            origin="measured here",
        ),
        Baseline(
            name="identity oracle: each tutor's own mean",
            values={"pair_accuracy": accuracy(credits(pairs, by_identity(scores)))},
            origin="measured here, knows who wrote: a ceiling of its kind",
        ),
        Baseline(name="logistic regression", values={"pair_accuracy": 0.614}, origin="measured by the data's curators"),
    ]


def failures(pairs: Sequence[Pair]) -> list[tuple[Failure, str]]:
    """Return one widely wrong pair per fault that made the better reply look worse."""
    found: dict[str, tuple[Failure, str]] = {}
    for pair in sorted(pairs, key=lambda pair: -pair.gap):
        if pair_credit(by_critic(pair.better), by_critic(pair.worse)) > 0:
            continue
        flags = sorted(flag.value for flag in pair.better.critique.flags)
        kind = f"better reply flagged {flags[0]}" if flags else "better reply without a flag ranked lower"
        texts = f"{pair.better.row.reply.turn.reply} | {pair.worse.row.reply.turn.reply}"
        got = f"{pair.better.critique.percent} against {pair.worse.critique.percent}"
        row_id = f"{pair.better.row.reply.reply_id} over {pair.worse.row.reply.reply_id}"
        found.setdefault(kind, (Failure(error_class=kind, row_id=row_id, got=got), texts))
    return list(found.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the card; the texts of one failing pair per class go to stderr and nowhere else."""
    options = read_card_options("better_reply", arguments)
    training = with_evidence(read_labelled_replies(options.data))
    tested = with_evidence(read_labelled_replies(options.held_out)) if options.held_out else training
    apart = options.held_out is not None
    scores = hold_out(tested, training, tutor_out)
    pairs = make_pairs(scores)
    both_new = make_pairs(hold_out(tested, training, tutor_out, groups_too=True)) if apart else []
    bridge_file = options.reported / "bridge" / "bridge.jsonl"
    bridge = read_expert_pairs(bridge_file) if bridge_file.is_file() else []
    examples = failures(pairs)
    files = [*label_files(options.reported), *([bridge_file] if bridge else [])]
    card = ResultCard(
        name="better_reply",
        data=DataSource(data_id="MRBench V3 dev; Bridge", digest=digest_files(files), licence=LICENCE),
        n=len(pairs),
        n_clusters=len({pair.better.row.reply.group for pair in pairs}),
        split_rule="each reply scored by heads fitted without its tutor"
        + (" on --data, reported on --held-out" if apart else ""),
        measures=list(measures(pairs, both_new, bridge, training)),
        baselines=baselines(pairs, scores, bridge),
        does_not_show=DOES_NOT_SHOW,
        command=options.command,
        cpu_seconds=cpu_seconds(),
        failures=[failure for failure, _ in examples],
        notes=[f"{len(pairs)} pairs with a difference; {_ties(pairs)} of them tie on S_t alone"],
    )
    print_card(card, as_json=options.as_json)
    for failure, text in examples:
        sys.stderr.write(f"{failure.error_class}: {failure.row_id}: {text}\n")


def _ties(pairs: Sequence[Pair]) -> int:
    return sum(value == 0.5 for value in credits(pairs, by_percent))


if __name__ == "__main__":
    main()
