"""Course retrieval on our own notes and questions: recall of the evidence span by stage, and "not in this course".

`python -m benchmarks.course_retrieval --data benchmarks [--held-out DIR2] [--json]`. A folder holds `course_notes/` and
`course_questions.jsonl`; where DIR has none, the project's own are read. Without DIR2 the product's trainer is fitted
on the part `tune` and the part `held_out`, other topics, is reported; with it, on all of DIR and DIR2 is reported.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    Options,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from benchmarks.course_concepts import concept_rankings
from benchmarks.course_elsewhere import elsewhere_measures
from benchmarks.course_speed import speed_measures
from preceptor.course.answerability import Answerability
from preceptor.course.pipeline import Ranked, find_candidates, rank
from preceptor.course.question_set import CourseQuestion, evidence_rows, read_questions
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.retrieval_profile import PROFILES, STAGES, RetrievalProfile, Stage
from preceptor.course.retrieval_training import (
    NOTES,
    QUESTIONS,
    FittedRetrieval,
    SearchedCourse,
    fit_retrieval,
    open_course,
    read_notes,
)
from preceptor.course.terms import text_terms
from preceptor.domain.metrics import auroc, expected_calibration_error
from preceptor.domain.passage import Passage
from preceptor.errors import ModelError
from preceptor.lab.statistics import (
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    cluster_standard_error,
    minimum_detectable_effect,
)
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import load_settings

SEED = 11
LOW_OVERLAP = 0.4
"""Share of a question's content words in its span up to which the two are said to share little."""
OFFICIAL = frozenset(
    "course_rules.txt search_states.md fractions_meaning.md percent_basics.html plants_overview.md python_names.md "
    "stats_averages.md weather_cycle.md".split()
)
"""The rules and each subject's first page; fixed before any search was run."""
RESAMPLES = 2_000


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One question through one row of the table."""

    hit: bool
    reciprocal_rank: float
    ranked: Ranked


def rows(profile: RetrievalProfile) -> list[tuple[str, RetrievalProfile]]:
    """Return (name, profile) of each row, one more stage at a time; the last is the product's default."""
    kite = PROFILES["kite"]

    def only(*on: Stage, of: RetrievalProfile = profile) -> RetrievalProfile:
        return replace(of, off=frozenset(STAGES) - frozenset(on))

    return [
        ("bm25", only("words")),
        ("dense", only("dense")),
        ("fusion", only("dense", "words")),
        ("fusion_mmr", only("dense", "words", "mmr", of=kite)),
        ("fusion_rerank", only("dense", "words", "rerank")),
        ("fusion_mmr_rerank", only("dense", "words", "mmr", "rerank", of=kite)),
        ("kite", kite),
        ("default", profile),
    ]


def run(
    course: SearchedCourse,
    questions: Sequence[CourseQuestion],
    profile: RetrievalProfile,
    reranker: BuiltinReranker,
    concepts: Mapping[str, Sequence[int]] | None = None,
) -> list[Outcome]:
    """Return what each question gets; `concepts` holds the second index's ranking by question."""
    found = []
    for question in questions:
        vector = None if "dense" in profile.off else course.query_vectors[question.question_id]
        candidates = find_candidates(
            course.index,
            question.question,
            vector,
            profile,
            concept_rows=(concepts or {}).get(question.question_id, ()),
            meanings=course.meanings,
        )
        ranked = rank(course.index, candidates, reranker, profile)
        wanted = set(evidence_rows(question, course.index.passages))
        places = [place for place, row in enumerate(ranked.rows.tolist(), start=1) if row in wanted]
        found.append(Outcome(hit=bool(places), reciprocal_rank=1 / places[0] if places else 0.0, ranked=ranked))
    return found


def stage_measures(
    outcomes: dict[str, list[Outcome]], questions: Sequence[CourseQuestion]
) -> tuple[list[Measure], list[Failure]]:
    """Return recall and MRR by row over the answerable questions, each with its gain over BM25."""
    kept = [place for place, question in enumerate(questions) if question.answerable]
    clusters = [questions[place].document for place in kept]
    base = [float(outcomes["bm25"][place].hit) for place in kept]
    measures = []
    for name, found in outcomes.items():
        hits = [float(found[place].hit) for place in kept]
        interval = cluster_bootstrap_mean(hits, clusters, seed=SEED)
        mrr = statistics.fmean(found[place].reciprocal_rank for place in kept)
        measures.append(
            Measure(
                metric=f"recall_at_8_{name}",
                definition=f"Share of questions with the whole evidence span in one of 8 passages; mrr {mrr:.3f}.",
                point=interval.point,
                low=interval.low,
                high=interval.high,
                method=interval.method,
                n=len(kept),
            )
        )
    for name in ("default", "kite"):
        hits = [float(outcomes[name][place].hit) for place in kept]
        gain = cluster_bootstrap_paired_difference(hits, base, clusters, seed=SEED)
        differences = [first - second for first, second in zip(hits, base, strict=True)]
        effect = minimum_detectable_effect(cluster_standard_error(differences, clusters))
        measures.append(
            Measure(
                metric=f"recall_gain_{name}",
                definition="recall_at_8 minus that of BM25 alone, same questions, clusters are documents.",
                point=gain.point,
                low=gain.low,
                high=gain.high,
                method=gain.method,
                minimum_detectable_effect=f"{effect:.3f}",
                n=len(kept),
                pass_mark="0.08" if name == "default" else "",
                passed=gain.point >= 0.08 if name == "default" else None,
            )
        )
    missed = [questions[place] for place in kept if not outcomes["default"][place].hit]
    failures = [
        Failure(error_class="span not among the 8", row_id=question.question_id, got="other passages")
        for question in missed[:5]
    ]
    return measures, failures


def answer_measures(
    course: SearchedCourse,
    outcomes: dict[str, list[Outcome]],
    questions: Sequence[CourseQuestion],
    heads: FittedRetrieval,
) -> tuple[list[Measure], list[Failure]]:
    """Return AUROC and ECE of "the course answers", against BM25's best score."""
    judge = Answerability(heads.answerability)
    chances = [judge.probability(course.index, outcome.ranked) or 0.0 for outcome in outcomes["default"]]
    words = [float(outcome.ranked.found.candidates.words.max(initial=0.0)) for outcome in outcomes["bm25"]]
    truth = [question.answerable for question in questions]
    ours, theirs = auroc(truth, chances), auroc(truth, words)
    if ours is None or theirs is None:
        return [], []
    gains, own = _resampled(
        truth, chances, words, [question.document or question.question_id for question in questions]
    )
    ece = expected_calibration_error(truth, chances)
    wrong = Counter((real, stated >= 0.5) for real, stated in zip(truth, chances, strict=True))
    measures = [
        Measure(
            metric="auroc_answerable",
            definition="Probability that the course answers: answerable against unanswerable questions. At 0.5: "
            f"{wrong[True, False]} of {sum(truth)} answerable refused, {wrong[False, True]} of "
            f"{len(truth) - sum(truth)} unanswerable accepted.",
            point=ours,
            low=own[0],
            high=own[1],
            method=f"cluster bootstrap, percentile, {RESAMPLES} resamples, seed {SEED}",
            n=len(truth),
        ),
        Measure(metric="auroc_bm25", definition="The same by BM25's best score.", point=theirs, n=len(truth)),
        Measure(
            metric="auroc_gain",
            definition="auroc_answerable minus auroc_bm25.",
            point=ours - theirs,
            low=gains[0],
            high=gains[1],
            method=f"cluster bootstrap, percentile, {RESAMPLES} resamples, seed {SEED}",
            n=len(truth),
            pass_mark="0.15",
            passed=ours - theirs >= 0.15,
        ),
        Measure(
            metric="ece_answerable",
            definition="Expected calibration error of that probability, 10 buckets of equal width.",
            point=ece,
            n=len(truth),
        ),
    ]
    failures = [
        Failure(error_class=name, row_id=question.question_id, got=f"probability {stated:.2f}")
        for name, kind in (("answerable, refused", True), ("unanswerable, accepted", False))
        for question, stated in sorted(
            zip(questions, chances, strict=True), key=lambda pair: pair[1], reverse=not kind
        )[:400]
        if question.answerable is kind and (stated < 0.5) is kind
    ]
    first = {failure.error_class: failure for failure in reversed(failures)}
    return measures, list(first.values())


def _resampled(
    truth: Sequence[bool], ours: Sequence[float], theirs: Sequence[float], clusters: Sequence[str]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return 95 % intervals of the gain and of our AUROC; documents are drawn whole."""
    random = np.random.default_rng(SEED)
    names = sorted(set(clusters))
    members = [[place for place, cluster in enumerate(clusters) if cluster == name] for name in names]
    gains, own = [], []
    for _ in range(RESAMPLES):
        drawn = [place for pick in random.integers(0, len(names), len(names)) for place in members[pick]]
        labels = [truth[place] for place in drawn]
        first = auroc(labels, [ours[place] for place in drawn])
        second = auroc(labels, [theirs[place] for place in drawn])
        if first is not None and second is not None:
            gains.append(first - second)
            own.append(first)
    low, high = np.quantile(gains, [0.025, 0.975])
    own_low, own_high = np.quantile(own, [0.025, 0.975])
    return (float(low), float(high)), (float(own_low), float(own_high))


def overlap_note(questions: Sequence[CourseQuestion]) -> tuple[str, float]:
    """Return the histogram of the share of a question's content words that stand in its span, and the low share."""
    shares = []
    for question in questions:
        words = set(text_terms(question.question))
        if question.quote is not None and words:
            shares.append(len(words & set(text_terms(question.quote))) / len(words))
    bins = Counter(min(int(share * 5), 4) for share in shares)
    low = sum(share <= LOW_OVERLAP for share in shares) / len(shares)
    text = ", ".join(f"{place * 20}–{place * 20 + 20} %: {bins[place]}" for place in range(5))
    return f"content words of the question that stand in the span: {text}; at most 40 %: {low:.2f}", low


def with_folds(
    course: SearchedCourse, questions: Sequence[CourseQuestion], profile: RetrievalProfile
) -> dict[str, float | str]:
    """Return recall and AUROC on the questions that were tuned on, each topic by heads fitted without it."""
    hits, truth, chances = [], [], []
    for topic in sorted({question.topic for question in questions}):
        fitted = fit_retrieval(course, [question for question in questions if question.topic != topic], profile)
        asked = [question for question in questions if question.topic == topic]
        judge = Answerability(fitted.answerability)
        for question, outcome in zip(
            asked, run(course, asked, profile, BuiltinReranker(fitted.reranking)), strict=True
        ):
            truth.append(question.answerable)
            chances.append(judge.probability(course.index, outcome.ranked) or 0.0)
            if question.answerable:
                hits.append(outcome.hit)
    return {
        "recall_at_8": round(statistics.fmean(hits), 3),
        "auroc": round(auroc(truth, chances) or 0.0, 3),
        "ece": round(expected_calibration_error(truth, chances) or 0.0, 3),
        "n": len(questions),
    }


def open_folder(folder: Path, embedder: Embedder) -> tuple[SearchedCourse, list[CourseQuestion], list[Path]]:
    """Return the course of a folder with all its questions, and the files read."""
    questions = read_questions(folder / QUESTIONS)
    passages: list[Passage] = read_notes(folder / NOTES, is_official=OFFICIAL.__contains__)
    files = [folder / QUESTIONS, *(folder / NOTES).iterdir()]
    return open_course(passages, questions, embedder), questions, files


def own_folder(folder: Path) -> Path:
    """Return the folder, or the project's own where it holds no questions."""
    return folder if (folder / QUESTIONS).is_file() else Path(__file__).parent


def card(options: Options, embedder: Embedder) -> ResultCard:
    """Return the result card."""
    profile = PROFILES["default"]
    course, questions, files = open_folder(own_folder(options.data), embedder)
    if options.held_out is None:
        tuned = [question for question in questions if question.part == "tune"]
        reported = [question for question in questions if question.part == "held_out"]
        reported_course = course
    else:
        tuned = questions
        reported_course, reported, files = open_folder(options.held_out, embedder)
    fitted = fit_retrieval(course, tuned, profile)
    reranker = BuiltinReranker(fitted.reranking)
    outcomes = {name: run(reported_course, reported, row, reranker) for name, row in rows(profile)}
    second = concept_rankings(own_folder(options.reported), reported, reported_course.index)
    with_map = replace(profile, off=profile.off - {"concepts"})
    outcomes["with_concepts"] = run(reported_course, reported, with_map, reranker, second)
    measures, failures = stage_measures(outcomes, reported)
    more, wrong = answer_measures(reported_course, outcomes, reported, fitted)
    more += elsewhere_measures(reported_course, reported, profile, fitted)
    folds = with_folds(course, tuned, profile)
    note, _ = overlap_note(reported)
    everything, _ = overlap_note(questions)
    return ResultCard(
        name="course_retrieval",
        data=DataSource(
            data_id="own course notes and questions", digest=digest_files(files), licence="Apache-2.0, this project"
        ),
        n=len(reported),
        n_clusters=len({question.document for question in reported if question.document}),
        split_rule=f"heads and numbers on the part tune ({len({one.topic for one in tuned})} topics), reported on the "
        f"part held_out ({len({one.topic for one in reported})} other topics)"
        if options.held_out is None
        else "heads on all questions of DIR, reported on all of DIR2",
        measures=[*measures, *more, *speed_measures(reported_course, reported, fitted)],
        baselines=[
            Baseline(name="BM25 alone", values=_baseline(outcomes["bm25"], reported), origin="measured here"),
            Baseline(name="dense alone", values=_baseline(outcomes["dense"], reported), origin="measured here"),
            Baseline(name="default, on tune, by folds over topics", values=folds, origin="measured here"),
        ],
        does_not_show=[
            "real courses: notes and questions were written by the authors, pages are short, all topics in one course",
            "languages other than English",
            "a cross-encoder: none is here; the reranker is the builtin linear one",
            "real text at 20,000 passages: the timed course is put together from the notes' sentences",
        ],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        models=embedder.fingerprint,
        failures=[*failures[:1], *wrong],
        notes=[f"reported: {note}", f"all: {everything}"],
    )


def _baseline(found: Sequence[Outcome], questions: Sequence[CourseQuestion]) -> dict[str, float | str]:
    kept = [outcome for outcome, question in zip(found, questions, strict=True) if question.answerable]
    return {
        "recall_at_8": round(statistics.fmean(outcome.hit for outcome in kept), 3),
        "mrr": round(statistics.fmean(outcome.reciprocal_rank for outcome in kept), 3),
    }


def main() -> None:
    """Print the card."""
    options = read_options("course_retrieval")
    embedder = open_embedder(load_settings())
    if embedder is None:
        raise ModelError("no embedder: run `preceptor model fetch all-minilm-l6-v2-int8` first")
    print_card(card(options, embedder), as_json=options.as_json)


if __name__ == "__main__":
    main()
