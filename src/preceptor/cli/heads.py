"""`preceptor heads`: fit the builtin critic's heads, show them, and see how they score human tutors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import click

from preceptor.cli.json_lines import write_json
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_heads import HeadTable, dump_heads, parse_heads, shipped_heads
from preceptor.experience.critic_histogram import CritiqueHistogram, make_histogram, reviewed_turns
from preceptor.experience.human_labels import digest_labels, read_expert_pairs, read_labelled_replies
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import read_dialogues

_CARD: dict[str, object] = {
    "what": "ordinal logistic heads over computed evidence of a reply; weights: features, then intercept",
    "fitted_on": "MRBench V3 dev and V2, human labels of replies (Maurya et al., NAACL 2025; Kochmar et al., 2025)",
    "licence": "CC BY-SA 4.0 (on MathDial, CC BY-SA 4.0, and Bridge, MIT); these weights are under CC BY-SA 4.0 too",
    "contains": "numbers under names of our own; no word of any learner or tutor",
    "limits": "English; one rater a reply; mostly grade-school word problems; 9 tutors; learners mostly mistaken",
}


@click.group()
def heads() -> None:
    """Fit the builtin critic's heads, show them, and see how they score human tutors."""


@heads.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder of the data sets.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write; stdout otherwise.")
@click.option(
    "--kind",
    type=click.Choice(["critic", "moves", "difficulties"]),
    default="critic",
    show_default=True,
    help="critic: what raters would answer (mrbench/v3_dev.jsonl); moves: kinds of reply (mathdial/dialogues.jsonl); "
    "difficulties: kinds of mistake (stepverify/stepverify.jsonl.gz).",
)
def train(data: Path, out: Path | None, kind: str) -> None:
    """Fit the heads on the labelled replies of a data folder."""
    made = {"critic": _critic_text, "moves": _moves_text, "difficulties": _difficulties_text}
    text = made[kind](data) + "\n"
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
        click.echo(f"wrote {out}", err=True)


def _critic_text(data: Path) -> str:
    from preceptor.experience.critic_heads_training import fit_heads, with_evidence

    replies = read_labelled_replies(data)
    click.echo(f"{len(replies)} labelled replies", err=True)
    return dump_heads(fit_heads(with_evidence(replies), card={**_CARD, "data_sha256": digest_labels(data)}))


def _moves_text(data: Path) -> str:
    from preceptor.pedagogy.tutor_move_head import dump_move_head
    from preceptor.pedagogy.tutor_move_training import digest_moves, fit_move_head, read_labelled_moves

    path = data / "mathdial" / "dialogues.jsonl"
    rows = read_labelled_moves(path)
    click.echo(f"{len(rows)} labelled replies", err=True)
    return dump_move_head(fit_move_head(rows, card={"data_sha256": digest_moves(path)}))


def _difficulties_text(data: Path) -> str:
    from preceptor.errors import ModelError
    from preceptor.experience.difficulty_head import dump_difficulty_head
    from preceptor.experience.difficulty_training import fit_difficulty_head, read_observed_difficulties
    from preceptor.models.embedder import open_embedder
    from preceptor.settings import load_settings

    embedder = open_embedder(load_settings())
    if embedder is None:
        raise ModelError("no embedder: run `preceptor model fetch all-minilm-l6-v2-int8`")
    rows, digest = read_observed_difficulties(data / "stepverify" / "stepverify.jsonl.gz")
    click.echo(f"{len(rows)} observed mistakes", err=True)
    return dump_difficulty_head(fit_difficulty_head(rows, embedder, card={"data_sha256": digest}))


@heads.command()
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another table.")
@click.option("--json", "as_json", is_flag=True, help="The data card and sizes as one JSON object.")
def show(file: Path | None, as_json: bool) -> None:
    """Show the data card of the heads and the heaviest features of each."""
    table = _table(file)
    if as_json:
        write_json({"card": dict(table.card), "features": len(table.features), "heads": sorted(table.heads)})
        return
    for name, value in table.card.items():
        click.echo(f"{name}: {value}")
    for name, head in table.heads.items():
        order = sorted(zip(head.yes, table.features, strict=False), key=lambda pair: -abs(pair[0]))[:8]
        click.echo(f"{name}: " + ", ".join(f"{feature} {weight:+.2f}" for weight, feature in order))


@heads.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder of the data sets.",
)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many dialogues of each set.")
@click.option("--file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Another table of heads.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a set.")
def histogram(data: Path, limit: int | None, file: Path | None, as_json: bool) -> None:
    """Score the human tutors of MathDial and of Bridge (expert, novice): histogram and pass rate at gamma."""
    critic = BuiltinCritic(heads=_table(file))
    for name, turns in _sets(data, limit):
        made = make_histogram(critic.critique_now(turn) for turn in turns)
        if as_json:
            write_json({"set": name, **_as_json(made)})
        else:
            click.echo(_as_text(name, made))


def _sets(data: Path, limit: int | None) -> Iterator[tuple[str, Iterator[ReviewedTurn]]]:
    dialogues = data / "mathdial" / "dialogues.jsonl"
    if dialogues.is_file():
        observer = BuiltinObserver()
        read = itertools.islice(read_dialogues(str(dialogues), "mathdial"), limit)
        yield "mathdial teacher", (turn for one in read for _, turn in reviewed_turns(one, observer))
    pairs = read_expert_pairs(data / "bridge" / "bridge.jsonl")[:limit]
    yield "bridge expert", (pair.expert for pair in pairs)
    yield "bridge novice", (pair.novice for pair in pairs)


def _table(file: Path | None) -> HeadTable:
    return parse_heads(file.read_text(encoding="utf-8")) if file else shipped_heads()


def _as_json(made: CritiqueHistogram) -> dict[str, object]:
    return {
        "n": made.n,
        "bins": {str(edge): count for edge, count in made.bins.items()},
        "mean_percent": made.mean_percent,
        "pass_rate": made.pass_rate,
        "revised": made.revised,
        "flags": {flag.value: count for flag, count in made.flags.items()},
        "means": {dimension.value: mean for dimension, mean in made.means.items()},
    }


def _as_text(name: str, made: CritiqueHistogram) -> str:
    if not made.n:
        return f"{name}: no replies"
    lines = [f"{name}: {made.n} replies, mean {made.mean_percent:.1f} %, pass the gate {made.pass_rate:.1%}"]
    most = max(made.bins.values()) or 1
    lines += [f"  {edge:>3} {'#' * round(40 * count / most)} {count}" for edge, count in made.bins.items()]
    lines.append("  flags: " + (", ".join(f"{flag.value} {count}" for flag, count in made.flags.items()) or "none"))
    means = ((dimension.value, mean) for dimension, mean in made.means.items())
    lines.append("  means: " + ", ".join(f"{key} {mean:.2f}" for key, mean in means if mean is not None))
    return "\n".join(lines)
