"""Learners × problems: runs them all and prints what came of it as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from preceptor.domain.problem import Problem
from preceptor.lab.simulation.run import MAX_TURNS, LeakOracle, OpenTutor, Transcript, run_dialogue
from preceptor.lab.simulation.scripted import SCRIPTED_LEARNERS, scripted_learner
from preceptor.maths.step_graph import StepGraph

_COLUMNS = ("learner", "dialogues", "solved", "turns", "leaks", "false ✓", "false ✗", "right claims", "repeated")


@dataclass(frozen=True, kw_only=True)
class LearnerResult:
    """All dialogues of one learner."""

    learner: str
    dialogues: int
    solved: int
    mean_turns: float
    leaks: int
    false_right: int
    false_wrong: int
    right_claims: int
    """What `false_wrong` is counted against."""
    repeated: int


async def run_scripted(
    problems: Sequence[tuple[Problem, StepGraph]],
    open_tutor: OpenTutor,
    *,
    seed: int,
    learners: Sequence[str] = tuple(SCRIPTED_LEARNERS),
    leaks: LeakOracle | None = None,
    max_turns: int = MAX_TURNS,
) -> list[Transcript]:
    """Return the transcripts of every learner on every problem, learner by learner."""
    transcripts: list[Transcript] = []
    for name in learners:
        for problem, graph in problems:
            tutor, opening = await open_tutor(problem, graph)
            learner = scripted_learner(name, seed=seed, problem_id=problem.problem_id)
            transcripts.append(
                await run_dialogue(learner, problem, graph, tutor, opening=opening, leaks=leaks, max_turns=max_turns)
            )
    return transcripts


def summarise(transcripts: Sequence[Transcript]) -> list[LearnerResult]:
    """Return one row a learner, in order of first appearance."""
    groups: dict[str, list[Transcript]] = {}
    for transcript in transcripts:
        groups.setdefault(transcript.learner, []).append(transcript)
    return [
        LearnerResult(
            learner=learner,
            dialogues=len(rows),
            solved=sum(row.solved for row in rows),
            mean_turns=sum(len(row.turns) for row in rows) / len(rows),
            leaks=sum(row.leaks for row in rows),
            false_right=sum(row.false_right for row in rows),
            false_wrong=sum(row.false_wrong for row in rows),
            right_claims=sum(row.right_claims for row in rows),
            repeated=sum(row.repeated for row in rows),
        )
        for learner, rows in groups.items()
    ]


def table(results: Sequence[LearnerResult]) -> str:
    """Return the results as a Markdown table."""
    lines = [f"| {' | '.join(_COLUMNS)} |", "|" + " --- |" * len(_COLUMNS)]
    for row in results:
        cells = (
            row.learner,
            row.dialogues,
            row.solved,
            f"{row.mean_turns:.1f}",
            row.leaks,
            row.false_right,
            row.false_wrong,
            row.right_claims,
            row.repeated,
        )
        lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return "\n".join(lines)


def transcript_text(transcript: Transcript) -> str:
    """Return a dialogue to read, each turn with its counts where they are not zero."""
    lines = [f"{transcript.learner} on {transcript.problem_id}: {'solved' if transcript.solved else 'not solved'}"]
    if transcript.opening is not None:
        lines.append(f"tutor: {transcript.opening.text}")
    for turn in transcript.turns:
        lines.append(f"learner [{turn.move.act}]: {turn.move.text}")
        faults = [
            f"{name} {count}"
            for name, count in (
                ("LEAK", int(turn.leaked)),
                ("FALSE ✓", turn.false_right),
                ("FALSE ✗", turn.false_wrong),
                ("REPEATED", len(turn.repeated)),
            )
            if count
        ]
        note = " ".join([*([f"[{turn.answer.note}]"] if turn.answer.note else []), *faults])
        lines.append(f"tutor {note}: {turn.answer.text}" if note else f"tutor: {turn.answer.text}")
    return "\n".join(lines)
