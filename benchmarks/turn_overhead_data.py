"""What the benchmark of a turn's overhead fills an installation with: episodes, experiences, a course."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from preceptor.course.terms import text_terms
from preceptor.domain.course import Course
from preceptor.domain.dialogue import Dialogue
from preceptor.domain.experience import ExperienceProvenance, ExperienceValue, SourceTurn, Strategy, new_experience
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.passage import Document, Passage
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.experience.abstract_sentence import join_difficulty
from preceptor.experience.repository_words import LEXICAL
from preceptor.models.embedder import Embedder, Vector
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record import Record
from preceptor.stores.courses import CourseStore, DocumentContent
from preceptor.stores.experiences import ExperienceChange, ExperienceStore
from preceptor.tutoring.offline import context_at

N_EPISODES = 10_000
N_EXPERIENCES = 10_000
SPREAD = 0.65
"""Length of what sets an entry's vector apart from that of its sentence: cosine .84, so that none is a duplicate."""
N_PASSAGES = 20_000
PASSAGES_A_DOCUMENT = 40
SEED = 7
COURSE_NOTES = Path(__file__).parent / "course_notes"


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
