"""What the tutor says about a trace: what is right, and one question about the first wrong step, never the rest.

Each text is checked against `trace_leak` before it is given; one that gives something away is replaced by a weaker.
"""

from __future__ import annotations

from fractions import Fraction

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.tracing.checking import TraceVerdict
from preceptor.tracing.faults import TraceFault
from preceptor.tracing.phrases.loader import trace_phrase
from preceptor.tracing.trace_leak import TraceSecrets, find_trace_leak, trace_secrets

_CHOICE = {TraceFault.WRONG_NODE_EXPANDED, TraceFault.EXPANDED_UNREACHED, TraceFault.REEXPANDED_CLOSED}
_VALUES = {
    TraceFault.MISSED_G_UPDATE,
    TraceFault.WRONG_G,
    TraceFault.WRONG_H,
    TraceFault.WRONG_F,
    TraceFault.WRONG_PARENT,
}
_PATH = {TraceFault.WRONG_PATH, TraceFault.WRONG_COST}
_END = {TraceFault.GOAL_TEST_EARLY, TraceFault.GOAL_TEST_LATE, TraceFault.STOPPED_EARLY, TraceFault.WENT_ON} | _PATH
_OWN_PARALLEL = {TraceFault.MISSED_G_UPDATE, TraceFault.WRONG_H, TraceFault.WRONG_F}
_UNNAMED = _END | {TraceFault.MISSING_FROM_OPEN, TraceFault.MISSING_FROM_CLOSED}
"""Here the node is what the learner has to find, or none is needed."""
_SECTIONS = {
    Rung.NUDGE: "nudge",
    Rung.LOCATE: "locate",
    Rung.NEXT_SUBSTEP: "substep",
    Rung.WORKED_PARALLEL: "parallel",
}
_MOVES = {
    Rung.NUDGE: Move.RETURN_TO_AGREED,
    Rung.LOCATE: Move.QUESTION_OPERAND,
    Rung.NEXT_SUBSTEP: Move.ISOLATE_COMPUTATION,
    Rung.WORKED_PARALLEL: Move.WORKED_PARALLEL,
}
_PARALLEL_NAMES = "PQRTUVWXYZKLMNJ"
_PARALLEL_SCALES = range(1, 400)
"""The parallel's numbers are 2, 3, 5 and 8 times the first of these that gives none of the learner's answers away."""


def trace_feedback(verdict: TraceVerdict, tier: Rung, language: str = "en") -> Reply:
    """Return the reply to a checked trace.

    Args:
        verdict: Of `check_trace`.
        tier: `NUDGE` asks about the step, `LOCATE` about the node, `NEXT_SUBSTEP` says what to work out,
            `WORKED_PARALLEL` shows it on another graph; `NONE` counts as `NUDGE`.
        language: Tag; English where there are no phrases.

    Returns:
        Text, move, rung and frame. It names at most one node, which the learner wrote, and no value of the trace.
    """
    if verdict.status != "wrong" or verdict.fault is None:
        return _without_fault(verdict, language)
    secrets = trace_secrets(verdict)
    asked = None if verdict.fault.kind in _UNNAMED or _is_next(verdict) else verdict.fault.node
    for rung in sorted(_SECTIONS, reverse=True):
        if rung > max(tier, Rung.NUDGE):
            continue
        text = _text(verdict, verdict.fault.kind, rung, language, secrets)
        if text is not None and find_trace_leak(text, secrets, asked=asked) is None:
            return _reply(text, _MOVES[rung], rung, language, _frame(verdict.fault.kind))
    neutral = trace_phrase(language, "status", "neutral").format(step=step_number(verdict))
    return _reply(neutral, Move.RETURN_TO_AGREED, Rung.NUDGE, language, FrameKind.OPEN)


def step_number(verdict: TraceVerdict) -> int:
    """Return the number of the step that was not right, counted by expansions as learners do."""
    done = verdict.confirmed[0].state.expansions if verdict.confirmed else 0
    ends = verdict.step is None or (verdict.fault is not None and verdict.fault.kind in _END - {TraceFault.WENT_ON})
    shown = (
        verdict.step is not None and verdict.step.expanded is None and not (verdict.step.opened or verdict.step.added)
    )
    return max(1, done if ends and shown else done + 1)


def _is_next(verdict: TraceVerdict) -> bool:
    """Return whether the node at fault is to be expanded now, or closed too soon and next: its name would tell."""
    step = verdict.step
    if verdict.fault is None or (step and step.expanded and step.expanded.node == verdict.fault.node):
        return False
    soon = verdict.fault.kind is TraceFault.WRONG_CLOSED
    for one in verdict.confirmed:
        for entry in one.machine.choices(one.state):
            then = one.machine.choices(one.machine.expand(one.state, entry)) if soon else ()
            if verdict.fault.node in {entry.node, *(other.node for other in then)}:
                return True
    return False


def _text(verdict: TraceVerdict, kind: TraceFault, rung: Rung, language: str, secrets: TraceSecrets) -> str | None:
    """Return one tier's text; `None` where its parallel finds no free names or numbers."""
    step = step_number(verdict)
    values: dict[str, str] = {
        "step": str(step),
        "node": (verdict.fault.node or "") if verdict.fault else "",
        "rule": trace_phrase(language, "rule", verdict.algorithm),
    }
    name = str(kind)
    if rung is Rung.NUDGE:
        name = _group(kind)
    elif rung is Rung.WORKED_PARALLEL:
        name = _parallel_name(verdict, kind)
        case = _parallel_case(secrets)
        if case is None:
            return None
        values |= case
    confirmed = trace_phrase(language, "confirm", "later" if step > 1 else "first").format(step=step)
    asked = trace_phrase(language, _SECTIONS[rung], name).format(**values)
    gap = "" if language.split("-")[0].lower() == "zh" else " "
    return f"{confirmed}{gap}{asked}{_unread(verdict, language)}"


def _group(kind: TraceFault) -> str:
    if kind in _CHOICE:
        return "choice"
    if kind in _VALUES:
        return "values"
    return "end" if kind in _END else "lists"


def _parallel_name(verdict: TraceVerdict, kind: TraceFault) -> str:
    if kind in _OWN_PARALLEL:
        return str(kind)
    if kind in _PATH:
        return "path"
    group = _group(kind)
    return f"{group}_{verdict.algorithm}" if group == "choice" and verdict.algorithm in {"bfs", "dfs"} else group


def _parallel_case(secrets: TraceSecrets) -> dict[str, str] | None:
    """Return names and numbers for another graph that give nothing of this one away."""
    taken = {node.casefold() for node in secrets.nodes}
    names = [name for name in _PARALLEL_NAMES if name.casefold() not in taken][:3]
    if len(names) < 3:
        names = [name for name in ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn") if name.casefold() not in taken][:3]
    for scale in _PARALLEL_SCALES:
        numbers = {"b": 2 * scale, "c": 3 * scale, "d": 5 * scale, "big": 8 * scale}
        if len(names) == 3 and secrets.numbers.isdisjoint(Fraction(one) for one in numbers.values()):
            return {"p": names[0], "q": names[1], "r": names[2], **{key: str(one) for key, one in numbers.items()}}
    return None


def _frame(kind: TraceFault) -> FrameKind:
    return FrameKind.VALUE if kind in _VALUES or kind is TraceFault.WRONG_COST else FrameKind.EXPLAIN


def _without_fault(verdict: TraceVerdict, language: str) -> Reply:
    text = trace_phrase(language, "status", verdict.status) + _unread(verdict, language)
    move, kind = {
        "complete": (Move.CLOSE, FrameKind.EXPLAIN),
        "right_so_far": (Move.CONFIRM_AND_ADVANCE, FrameKind.EXPLAIN),
    }.get(verdict.status, (Move.CANNOT_FOLLOW, FrameKind.RESTATE))
    return _reply(text, move, Rung.NONE, language, kind)


def _unread(verdict: TraceVerdict, language: str) -> str:
    """Say which lines were not judged, up to the wrong step."""
    last = verdict.line or 10**9
    lines = [str(line) for line in (*verdict.trace.unread_lines, *verdict.trace.open_lines) if line <= last]
    if not lines or verdict.status == "unread":
        return ""
    gap = "" if language.split("-")[0].lower() == "zh" else " "
    return gap + trace_phrase(language, "status", "lines").format(lines=", ".join(sorted(set(lines), key=int)))


def _reply(text: str, move: Move, rung: Rung, language: str, kind: FrameKind) -> Reply:
    frame = Frame(kind=kind, own_instance=rung is not Rung.WORKED_PARALLEL)
    return Reply(text=text, move=move, rung=rung, frame=frame, language=language)
