"""Benchmark 10: what a live turn costs apart from generation, per stage, cold and warm.

`python -m benchmarks.turn_overhead --data DIR [--json]`. Real learner turns run through the product's session: store
the message, read, observe, retrieve experience, compose, guard, store the record; behind it uses are scored, as in the
product. Slots that are not built yet are marked empty, not 0.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.card import (
    Baseline,
    DataSource,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from preceptor.course.terms import text_terms
from preceptor.domain.course import Course
from preceptor.domain.dialogue import Dialogue
from preceptor.domain.experience import ExperienceProvenance, ExperienceValue, SourceTurn, Strategy, new_experience
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.passage import Document, Passage
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.domain.scope import Scope
from preceptor.experience.abstract_sentence import join_difficulty
from preceptor.experience.repository_words import LEXICAL
from preceptor.models.embedder import Embedder, Vector, open_embedder
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.record.kinds import AnswerBody, TurnRecordBody, body_of, new_episode
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings, default_home
from preceptor.stores.courses import CourseStore, DocumentContent
from preceptor.stores.experiences import ExperienceChange, ExperienceStore
from preceptor.tutoring.engines import open_courses, open_experience, open_turn_maker
from preceptor.tutoring.live_memory import open_memory
from preceptor.tutoring.offline import context_at
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.shared_embedder import RememberingEmbedder

N_EPISODES = 10_000
N_DIALOGUES = 60
N_EXPERIENCES = 10_000
SPREAD = 0.65
"""Length of what sets an entry's vector apart from that of its sentence: cosine .84, so that none is a duplicate."""
N_PASSAGES = 20_000
PASSAGES_A_DOCUMENT = 40
SEED = 7
COURSE_NOTES = Path(__file__).parent / "course_notes"
STAGES = ("safety", "observe", "guard", "compose", "experience", "memory", "course", "total")
DEFINITIONS = {
    "submit_to_done_cpu": "CPU milliseconds of the whole process during a turn, warm, every thread included.",
}
PASS_MS = {"p50": 40.0, "p95": 90.0}

COLD = """
import asyncio, sys, time
started = time.perf_counter()
from pathlib import Path
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.settings import Settings
from preceptor.tutoring.session_opening import open_session
session = open_session(Settings(home=Path(sys.argv[1])))
opened = time.perf_counter()
async def first():
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    run = await session.submit(LOCAL_OWNER, session.start(LOCAL_OWNER, problem_id=problem.problem_id), "3 + 4 = 7")
    await run.wait()
asyncio.run(first())
print((opened - started) * 1000, (time.perf_counter() - opened) * 1000)
"""


def fill(record: Record) -> None:
    """Append simulated messages until the learner has 10,000 episodes."""
    for start in range(0, N_EPISODES, 500):
        record.log.append_many(
            [
                new_episode(
                    AnswerBody(text=f"simulated line {start + place}: {place} + {start} = {start + place}"),
                    learner_id=LOCAL_OWNER.learner_id,
                    subject_id="maths",
                    dialogue_id=f"filled-{(start + place) // 20}",
                    turn=(start + place) % 20,
                    provenance="simulated",
                )
                for place in range(500)
            ]
        )


async def difficulties(dialogues: list[Dialogue]) -> list[tuple[LearnerState, str]]:
    """Return state and abstract sentence of every learner turn in which the builtin observer names a difficulty."""
    found = []
    for dialogue in dialogues:
        assert dialogue.problem is not None
        observer = BuiltinObserver()
        for place, turn in enumerate(dialogue.turns):
            if not turn.learner.strip():
                continue
            seen = await observer.observe(context_at(dialogue, place, dialogue.problem))
            if sentence := join_difficulty(seen.error_detail, seen.struggle_reason):
                found.append((seen.state, sentence))
    return found


def fill_repository(store: ExperienceStore, embedder: Embedder | None, seen: list[tuple[LearnerState, str]]) -> None:
    """Store entries with states and sentences drawn as seen, past the admission, which would keep far fewer."""
    random = np.random.default_rng(SEED)
    strategies = list(Strategy)
    known = dict.fromkeys(sentence for _, sentence in seen)
    vectors = dict(zip(known, embedder.embed(list(known)), strict=True)) if embedder else {}
    for start in range(0, N_EXPERIENCES, 500):
        entries = []
        for place in range(start, start + 500):
            state, sentence = seen[random.integers(len(seen))]
            entry = new_experience(
                state=state,
                sentence=sentence,
                embedder=embedder.fingerprint if embedder else LEXICAL,
                value=ExperienceValue(
                    triggering_difficulty=sentence,
                    applied_strategy="asks for one quantity that the learner can find from the text",
                    scaffolding_steps=("say what holds", "ask for the quantity", "have it used in the next line"),
                    response_template="You have [what holds]. What does [that part] count?",
                    undesirable_behaviours=("naming the operation", "asking the same question again"),
                    strategy=strategies[random.integers(len(strategies))],
                ),
                provenance=ExperienceProvenance(
                    sources=(SourceTurn(dialogue_id=f"drawn-{place}", turn=1),), admission_percent=92.0, simulated=True
                ),
                created_at=datetime.now(UTC),
            )
            entries.append(entry)
        stored = {one.experience_id: _apart(vectors.get(one.sentence), random) for one in entries}
        store.commit(
            ExperienceChange(
                put=tuple(entries), vectors={key: vector for key, vector in stored.items() if vector is not None}
            )
        )


def _apart(vector: Vector | None, random: np.random.Generator) -> bytes | None:
    if vector is None:
        return None
    other = random.standard_normal(len(vector)).astype(np.float32)
    moved = vector + SPREAD * other / np.linalg.norm(other)
    return (moved / np.linalg.norm(moved)).astype("<f2").tobytes()


def fill_course(store: CourseStore, embedder: Embedder | None) -> None:
    """Make a course of maths with 20,000 passages of the course notes' sentences in random order, vectors drawn."""
    random = np.random.default_rng(SEED)
    notes = sorted(COURSE_NOTES.glob("*.md"))
    sentences = [one for path in notes for one in path.read_text(encoding="utf-8").split(". ") if len(one) > 20]
    store.create(Course(subject_id="maths", title="Maths", created_at=datetime.now(UTC)))
    for number in range(N_PASSAGES // PASSAGES_A_DOCUMENT):
        name = f"drawn-{number}.md"
        texts = [
            ". ".join(sentences[place] for place in random.integers(0, len(sentences), 6))[:500]
            for _ in range(PASSAGES_A_DOCUMENT)
        ]
        document = Document(
            document_id=name,
            subject_id="maths",
            name=name,
            media_type="text/markdown",
            fingerprint=name,
            n_pages=1,
            added_at=datetime.now(UTC),
        )
        passages = [
            Passage(
                passage_id=f"{number}-{place}",
                subject_id="maths",
                document_id=name,
                document_name=name,
                page=1,
                start=600 * place,
                end=600 * place + len(text),
                text=text,
            )
            for place, text in enumerate(texts)
        ]
        words = {one.passage_id: tuple(text_terms(one.text)) for one in passages}
        store.put_document(DocumentContent(document=document, pages=(), passages=passages, words=words))
        if embedder is not None:
            drawn = random.standard_normal((len(passages), embedder.dimensions)).astype(np.float32)
            drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
            rows = {one.passage_id: drawn[place].astype("<f2").tobytes() for place, one in enumerate(passages)}
            store.put_vectors(embedder.fingerprint, rows)


async def measure(session: TutoringSession, record: Record, dialogues: list[Dialogue]) -> dict[str, list[float]]:
    """Run every learner turn of the dialogues; return milliseconds per stage, the whole turn as `submit_to_done`."""
    times: dict[str, list[float]] = defaultdict(list)
    for dialogue in dialogues:
        assert dialogue.problem is not None
        problem = Problem(
            problem_id=f"bench:{dialogue.dialogue_id}",
            text=dialogue.problem.text,
            solution=dialogue.problem.solution,
            answer=dialogue.problem.answer,
        )
        record.problems.put_many([problem])
        dialogue_id = session.start(LOCAL_OWNER, problem_id=problem.problem_id)
        for turn in dialogue.turns:
            if not turn.learner.strip():
                continue
            started, started_cpu = time.perf_counter(), time.process_time()
            run = await session.submit(LOCAL_OWNER, dialogue_id, turn.learner)
            stored = time.perf_counter()
            last = await run.wait()
            times["submit_to_done"].append((time.perf_counter() - started) * 1000)
            times["submit_to_done_cpu"].append((time.process_time() - started_cpu) * 1000)
            times["store_message"].append((stored - started) * 1000)
            body = body_of(record.log.get(LOCAL_OWNER.learner_id, last.record_id or ""), TurnRecordBody)
            assert body is not None
            for stage in STAGES:
                if body.timings_ms.get(stage):
                    times[stage].append(body.timings_ms[stage])
            read = body.reads.get("experience")
            if read is not None:
                times[f"experience_{read.status}"].append(1.0)
            course = body.reads.get("course")
            if course is not None and course.course is not None:
                times["course_read"].append(body.timings_ms["course"])
                times["course_search"].append(course.course.timings_ms["total"])
                times["course_embed"].append(course.course.timings_ms.get("embed", 0.0))
            if body.reply.used_experience_ids:
                times["experience_used"].append(1.0)
    return times


def cold(home: Path) -> tuple[float, float]:
    """Return milliseconds to open a session in a fresh process, and for its first turn."""
    done = subprocess.run([sys.executable, "-c", COLD, str(home)], capture_output=True, text=True, check=True)
    opening, turn = done.stdout.split()
    return float(opening), float(turn)


def main() -> None:
    """Print the card."""
    options = read_options("turn_overhead")
    path = options.reported / "mathdial" / "dialogues.jsonl"
    dialogues = list(read_dialogues(str(path), "mathdial"))[:N_DIALOGUES]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        if (default_home() / "models").is_dir():
            (Path(folder) / "models").symlink_to(default_home() / "models")
        opened = open_embedder(settings)
        embedder = RememberingEmbedder(opened) if opened is not None else None  # as `SharedEmbedder` gives it
        record = open_record(settings)
        fill(record)
        fill_repository(record.experiences, embedder, asyncio.run(difficulties(dialogues)))
        experience = open_experience(settings, record)
        began = time.perf_counter()
        experience.repository.open()
        load_ms = (time.perf_counter() - began) * 1000
        experience.outcomes.start()
        fill_course(record.courses, embedder)
        course = open_courses(settings, record, lambda: embedder)
        course.courses.prepare("maths")
        maker = open_turn_maker(settings, experience=experience.reader, course=course.reader, course_turns=course.turns)
        memory = open_memory(settings, record, lambda: embedder)
        memory.start()
        whole = Scope(learner_id=LOCAL_OWNER.learner_id, subject_id="maths")
        memory.block(whole, "what did we do?", now=record.clock(), time_zone="UTC", language="en")
        session = TutoringSession(
            record=record, maker=maker, settings=settings, outcomes=experience.outcomes, memory=memory
        )
        times = asyncio.run(measure(session, record, dialogues))
        session.close()
        compared_by = embedder.fingerprint if embedder else f"{LEXICAL} (no embedder here)"
        opening_ms, first_ms = cold(Path(folder))
    measures = []
    for stage in (
        "submit_to_done",
        "submit_to_done_cpu",
        "store_message",
        *STAGES,
        "course_read",
        "course_search",
        "course_embed",
    ):
        values = times.get(stage, [])
        for name, share in (("p50", 50), ("p95", 95)):
            is_whole = stage == "submit_to_done"
            point = float(np.percentile(values, share)) if values else None
            measures.append(
                Measure(
                    metric=f"{stage}_{name}_ms",
                    definition=DEFINITIONS.get(stage, "Milliseconds, warm.")
                    if values
                    else "Empty: nothing is installed in this slot yet.",
                    point=point,
                    n=len(values),
                    pass_mark=f"{PASS_MS[name]:.0f} ms" if is_whole else "",
                    passed=point <= PASS_MS[name] if is_whole and point is not None else None,
                )
            )
    n_turns = len(times["submit_to_done"])
    measures += [
        Measure(
            metric=f"share_{name}",
            definition=words,
            point=len(times.get(f"experience_{name}", [])) / n_turns,
            n=n_turns,
        )
        for name, words in (
            ("read", "Turns that were told of an experience."),
            ("used", "Turns whose reply was chosen by one; each is scored behind the next turn."),
            ("dropped", "Turns whose read passed its cap."),
        )
    ]
    measures += [
        Measure(
            metric="repository_load_ms",
            definition="Embedder and repository, once, in the background of a start.",
            point=load_ms,
        ),
        Measure(
            metric="cold_open_ms", definition="Imports and opening the session in a fresh process.", point=opening_ms
        ),
        Measure(metric="cold_first_turn_ms", definition="The first turn in that process.", point=first_ms),
    ]
    card = ResultCard(
        name="turn_overhead",
        data=DataSource(data_id="mathdial", digest=digest_files([path]), licence="CC BY-SA 4.0"),
        n=len(times["submit_to_done"]),
        n_clusters=len(dialogues),
        split_rule="none: nothing is tuned; the first dialogues of the file",
        measures=measures,
        baselines=[
            Baseline(
                name="A Tutor That Remembers, memory block", values={"p50": 295.0, "p95": 445.0}, origin="published"
            ),
            Baseline(name="REAT without generation", values={"p50": 17_400.0}, origin="published"),
        ],
        does_not_show=[
            "memories by vector: the filled episodes have words only; what the block is worth",
            "answers from the course: the passages are drawn, so that next to no turn is answered by them",
            "quality of what is retrieved: entries are drawn, not distilled, and their strategies are drawn evenly",
            "new sentences: a sentence is embedded once and remembered, and the builtin observer has few",
            "what comes behind the reply: memory waits for a pause of half a second before words, beliefs and vectors",
            "a provider's latency, or many learners at once",
        ],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        notes=[
            f"{N_EPISODES} episodes of the learner in the log; SQLite, synchronous=FULL",
            f"{N_PASSAGES} passages in a course of maths, searched where the learner asks: `course_read` is the "
            "read in those turns (`course`: in all), `course_search` "
            "the search without embedding, `course_embed` the query's vectors",
            f"{N_EXPERIENCES} experiences with states and sentences as the builtin observer finds them in these "
            f"dialogues, compared by {compared_by}",
            "builtin engine: submit_to_done is the whole turn with its reply, from message to stored record",
        ],
    )
    print_card(card, as_json=options.as_json)


if __name__ == "__main__":
    main()
