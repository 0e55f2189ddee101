"""Late interaction on our own questions, by folds over topics of the part `tune`: what it gains, and what it costs.

`python -m benchmarks.course_late --data benchmarks [--json]`. Each topic is judged by heads fitted on the others; the
part held out is not read. Compared are the same search with and without tokens.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.card import (
    Baseline,
    DataSource,
    Measure,
    Options,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from benchmarks.course_retrieval import OFFICIAL, own_folder
from preceptor.course.answerability import HEAD_FEATURES, answer_features
from preceptor.course.late_answerability import ALL_FEATURES, late_answer_features
from preceptor.course.late_interaction import PassageTokens
from preceptor.course.late_training import (
    ANSWER_FEATURES,
    ComparedQuestion,
    TokenCourse,
    answer_examples,
    compare_questions,
    fit_late_answer,
    fit_late_order,
    judge_questions,
)
from preceptor.course.linear_head import LinearHead
from preceptor.course.pipeline import Ranked, rank
from preceptor.course.question_set import CourseQuestion, read_questions
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.reranking_training import fit_reranker
from preceptor.course.retrieval_profile import PROFILES, RetrievalProfile
from preceptor.course.retrieval_training import HEADS, NOTES, QUESTIONS, SearchedCourse, open_course, read_notes
from preceptor.course.token_codes import TokenCoder
from preceptor.domain.course import Course
from preceptor.domain.metrics import auroc
from preceptor.domain.passage import Document
from preceptor.errors import ModelError
from preceptor.lab.statistics import cluster_bootstrap_paired_difference
from preceptor.models.embedder import OnnxEmbedder, open_embedder
from preceptor.settings import load_settings
from preceptor.stores.courses import DocumentContent
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite

SEED = 11
RESAMPLES = 2_000
N_LARGE = 20_000
N_TIMED = 200


def by_folds(
    compared: Sequence[ComparedQuestion], profile: RetrievalProfile
) -> tuple[list[ComparedQuestion], dict[str, list[float]]]:
    """Return the questions in order with, by name, each one's reciprocal rank, hit and logit; `_late`: with tokens."""
    order: list[ComparedQuestion] = []
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    for topic in sorted({one.question.topic for one in compared}):
        judged = judge_questions([one for one in compared if one.question.topic != topic])
        head = fit_reranker([one.example for one in judged.here], "meaning")
        reranker = BuiltinReranker(dict.fromkeys(HEADS, head))
        late_order = fit_late_order(judged.here, judged.scores)
        with_tokens = answer_examples(judged, profile, late=True)
        without = answer_examples(judged, profile, late=False)
        answers = {
            "_late": fit_late_answer(with_tokens, features=ANSWER_FEATURES),
            "": fit_late_answer(without, features=HEAD_FEATURES["meaning"]),
        }
        for one in (one for one in compared if one.question.topic == topic and len(one.found.candidates.rows)):
            order.append(one)
            for name, answer in answers.items():
                late = bool(name)
                ranked = rank(
                    one.index, one.found, reranker, profile,
                    late=one.late if late else None, late_head=late_order if late else None,
                )  # fmt: skip
                wanted = set(one.found.candidates.rows[one.example.relevant].tolist())
                places = [place for place, row in enumerate(ranked.rows.tolist(), start=1) if row in wanted]
                note(f"hit{name}", float(bool(places)))
                note(f"mrr{name}", 1 / places[0] if places else 0.0)
                note(f"logit{name}", _logit(answer, one, ranked))
    return order, found


def _logit(head: LinearHead, one: ComparedQuestion, ranked: Ranked) -> float:
    row = late_answer_features(one.index, ranked) if ranked.late is not None else answer_features(one.index, ranked)
    return float(head.logits(row[[ALL_FEATURES.index(name) for name in head.features]][None, :])[0])


def gain_measures(order: Sequence[ComparedQuestion], found: dict[str, list[float]]) -> list[Measure]:
    """Return what tokens gain in order and in telling what the course does not answer."""
    answered = [place for place, one in enumerate(order) if one.question.answerable and not one.elsewhere]
    clusters = [order[place].question.document for place in answered]
    measures = []
    for metric, name in (("recall_at_8_gain", "hit"), ("mrr_gain", "mrr")):
        ours, base = ([found[name + end][place] for place in answered] for end in ("_late", ""))
        gain = cluster_bootstrap_paired_difference(ours, base, clusters, seed=SEED)
        measures.append(
            Measure(
                metric=metric,
                definition=f"With tokens {np.mean(ours):.3f}, without {np.mean(base):.3f}; clusters are documents.",
                point=gain.point,
                low=gain.low,
                high=gain.high,
                method=gain.method,
                n=len(answered),
            )
        )
    own = [place for place, one in enumerate(order) if not one.elsewhere]
    other = sorted({*answered, *(place for place, one in enumerate(order) if one.elsewhere)})
    for metric, places in (("auroc_gain", own), ("auroc_gain_another_course", other)):
        truth = [order[place].question.answerable and not order[place].elsewhere for place in places]
        ours, base = ([found[f"logit{end}"][place] for place in places] for end in ("_late", ""))
        first, second = auroc(truth, ours) or 0.0, auroc(truth, base) or 0.0
        low, high = _resampled(truth, ours, base, [order[place].question.topic for place in places])
        measures.append(
            Measure(
                metric=metric,
                definition=f"Is the answer in the course: with tokens {first:.3f}, without {second:.3f}.",
                point=first - second,
                low=low,
                high=high,
                method=f"topics drawn whole, percentile, {RESAMPLES} resamples, seed {SEED}",
                n=len(places),
            )
        )
    return measures


def _resampled(
    truth: Sequence[bool], ours: Sequence[float], base: Sequence[float], clusters: Sequence[str]
) -> tuple[float, float]:
    random = np.random.default_rng(SEED)
    names = sorted(set(clusters))
    members = {name: [place for place, one in enumerate(clusters) if one == name] for name in names}
    gains = []
    for _ in range(RESAMPLES):
        drawn = [place for pick in random.integers(0, len(names), len(names)) for place in members[names[pick]]]
        labels = [truth[place] for place in drawn]
        first, second = (auroc(labels, [scores[place] for place in drawn]) for scores in (ours, base))
        if first is not None and second is not None:
            gains.append(first - second)
    low, high = np.quantile(gains, [0.025, 0.975])
    return float(low), float(high)


def cost_measures(course: SearchedCourse, questions: Sequence[CourseQuestion], embedder: OnnxEmbedder) -> list[Measure]:
    """Return bytes a passage, and milliseconds of processor a question over 20 of 20,000 passages in SQLite."""
    passages = course.index.passages
    large = [
        replace(passages[number % len(passages)], passage_id=f"large{number}", subject_id="large", document_id="large")
        for number in range(N_LARGE)
    ]
    coder = TokenCoder(embedder.dimensions)
    codes = [
        None if one is None else coder.encode(one.vectors)
        for one in embedder.embed_tokens([passage.text for passage in passages])
    ]
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as home:
        database = Database(open_sqlite(Path(home) / "late.sqlite3"))
        store = SqlCourseStore(database)
        store.create(Course(subject_id="large", title="large", created_at=began))
        document = Document(
            document_id="large", subject_id="large", name="large.md", media_type="text/plain", fingerprint="f" * 64,
            n_pages=1, added_at=began,
        )  # fmt: skip
        words = {passage.passage_id: () for passage in large}
        store.put_document(DocumentContent(document=document, pages=(), passages=large, words=words))
        tokens = PassageTokens(store, embedder)
        for start in range(0, N_LARGE, 1000):
            part = range(start, min(start + 1000, N_LARGE))
            rows = {large[number].passage_id: codes[number % len(passages)] for number in part}
            store.put_token_vectors(tokens.fingerprint, rows)
        random, times, embeds = np.random.default_rng(SEED), [], []
        for number in range(N_TIMED):
            started = time.process_time()
            asked = tokens.question(questions[number % len(questions)].question)
            embedded = time.process_time()
            ids = [large[place].passage_id for place in random.integers(0, N_LARGE, 20)]
            if asked is not None:
                tokens.compare(asked, ids)
                embeds.append(embedded - started)
                times.append(time.process_time() - embedded)
        database.close()
    sizes = [len(one) for one in codes if one is not None]
    return [
        Measure(
            metric="bytes_per_passage",
            definition=f"Codes of a passage, mean; {coder.token_bytes} bytes a token.",
            point=float(np.mean(sizes)),
            n=len(sizes),
        ),
        Measure(
            metric="compare_ms",
            definition="Processor time a question: codes of 20 of 20,000 passages read from SQLite and compared, "
            f"p50; the question's own pass takes {np.median(embeds) * 1000:.1f} more.",
            point=float(np.median(times)) * 1000,
            n=len(times),
        ),
    ]


def card(options: Options, embedder: OnnxEmbedder) -> ResultCard:
    """Return the result card."""
    folder, profile = own_folder(options.data), PROFILES["default"]
    questions = [question for question in read_questions(folder / QUESTIONS) if question.part == "tune"]
    course = open_course(read_notes(folder / NOTES, is_official=OFFICIAL.__contains__), questions, embedder)
    order, found = by_folds(compare_questions(TokenCourse(course, embedder), questions, profile), profile)
    return ResultCard(
        name="course_late",
        data=DataSource(
            data_id="own course notes and questions, part tune",
            digest=digest_files([folder / QUESTIONS, *(folder / NOTES).iterdir()]),
            licence="Apache-2.0, this project",
        ),
        n=len(questions),
        n_clusters=len({question.topic for question in questions}),
        split_rule="by folds over topics of the part tune: each judged by heads fitted on the others",
        measures=[*gain_measures(order, found), *cost_measures(course, questions, embedder)],
        baselines=[Baseline(name="the same search without tokens", values={}, origin="measured here, in each measure")],
        does_not_show=["topics that were held out: none was read", "what tokens gain beside a cross-encoder"],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        models=embedder.fingerprint,
    )


def main() -> None:
    """Print the card."""
    options = read_options("course_late")
    embedder = open_embedder(load_settings())
    if embedder is None:
        raise ModelError("no embedder: run `preceptor model fetch all-minilm-l6-v2-int8` first")
    print_card(card(options, embedder), as_json=options.as_json)


if __name__ == "__main__":
    main()
