"""The rerankers: the builtin head and its trainer, a cross-encoder as an ONNX file, and the shipped numbers."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from tests.unit.course_retrieval_doubles import HashEmbedder, passages
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from preceptor.course import answerability, reranking_builtin
from preceptor.course.answerability import Answerability, AnswerExample, answer_features, fit_answerability
from preceptor.course.linear_head import LinearHead, centre_and_scale, fit_logistic, parse_head
from preceptor.course.passage_index import PassageIndex, PassageIndexer
from preceptor.course.pipeline import find_candidates, rank
from preceptor.course.question_set import read_questions
from preceptor.course.reranker import Candidates
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.reranking_features import FEATURES, candidate_features
from preceptor.course.reranking_onnx import OnnxReranker
from preceptor.course.reranking_training import RankingExample, fit_reranker
from preceptor.course.retrieval_profile import PROFILES
from preceptor.course.word_meanings import WordMeanings
from preceptor.errors import ModelError

KITE = PROFILES["kite"]
QUESTIONS = Path(__file__).parents[2] / "benchmarks" / "course_questions.jsonl"


def course(meanings: WordMeanings | None = None) -> PassageIndex:
    held = passages()
    vectors = [vector for vector in HashEmbedder().embed([one.text for one in held]) if vector is not None]
    indexer = PassageIndexer(meanings)
    indexer.build(held, np.stack(vectors))
    indexer.learn_meanings()
    return indexer.build(held, np.stack(vectors))


def candidates(query: str, meanings: WordMeanings | None = None) -> tuple[PassageIndex, Candidates]:
    index = course(meanings)
    vector = HashEmbedder().embed([query])[0]
    return index, find_candidates(index, query, vector, KITE, meanings=meanings).candidates


def column(index: PassageIndex, given: Candidates, name: str) -> dict[int, float]:
    values = candidate_features(index, given)[:, FEATURES.index(name)]
    return dict(zip(given.rows.tolist(), values.tolist(), strict=True))


def test_coverage_is_the_share_of_the_querys_rarity_that_a_passage_holds() -> None:
    index, given = candidates("denominator nonsense")
    coverage = column(index, given, "coverage")
    assert coverage[2] == pytest.approx(0.5)
    assert coverage[3] == pytest.approx(0.5)
    assert coverage[4] == 0


def test_closeness_and_pairs_see_words_that_stand_together() -> None:
    index, given = candidates("equal parts")
    assert column(index, given, "closeness")[2] == pytest.approx(1)
    assert column(index, given, "pairs")[2] == 1


def test_a_heading_that_names_the_query_counts() -> None:
    index, given = candidates("fractions stomata")
    heading = column(index, given, "heading_coverage")
    assert heading[2] > 0
    assert heading[4] == 0


def test_features_are_finite_for_a_query_of_stop_words_and_of_unknown_words() -> None:
    for query in ("what is this", "zzz qqq", "?"):
        index, given = candidates(query)
        assert np.isfinite(candidate_features(index, given)).all()


def test_word_vectors_find_the_same_word_and_no_other() -> None:
    meanings = WordMeanings(HashEmbedder())
    index, given = candidates("denominator", meanings)
    nearness = column(index, given, "meaning_least")
    assert nearness[2] == pytest.approx(1, abs=1e-3)
    assert nearness[4] < 0.6


def test_word_vectors_of_a_course_are_kept_and_those_of_learners_are_not(tmp_path: Path) -> None:
    meanings = WordMeanings(HashEmbedder(), folder=tmp_path)
    assert meanings.learn(["queue", "memory", "queue"]) == 2
    asked = meanings.query_vectors(["secret", "queue"])
    again = WordMeanings(HashEmbedder(), folder=tmp_path)
    assert again.rows(["queue", "memory", "secret"]).tolist() == [0, 1, -1]
    assert again.table[0] @ asked[1] == pytest.approx(1, abs=1e-3)


def test_a_broken_file_of_word_vectors_is_made_again(tmp_path: Path) -> None:
    WordMeanings(HashEmbedder(), folder=tmp_path).learn(["queue"])
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"PK\x03\x04 broken")
    assert WordMeanings(HashEmbedder(), folder=tmp_path).learn(["queue"]) == 1


def examples(n: int) -> list[RankingExample]:
    random = np.random.default_rng(3)
    made = []
    for _ in range(n):
        rows = random.standard_normal((10, len(FEATURES)))
        logits = 2 * rows[:, FEATURES.index("pairs")] - 1.5 * rows[:, FEATURES.index("short")]
        relevant = np.zeros(10, dtype=bool)
        relevant[int(np.argmax(logits + random.gumbel(size=10)))] = True
        made.append(RankingExample(features=rows, relevant=relevant))
    return made


def test_training_finds_what_made_the_order_and_a_calibrated_scale() -> None:
    head = fit_reranker(examples(400), "meaning")
    weights = dict(zip(head.features, head.weights, strict=True))
    strongest = sorted(weights, key=lambda name: -abs(weights[name]))[:2]
    assert sorted(strongest) == ["pairs", "short"]
    fresh = examples(800)[400:]
    logits = np.concatenate([head.logits(one.features) for one in fresh])
    assert float((1 / (1 + np.exp(-logits))).mean()) == pytest.approx(0.1, abs=0.02)


def test_the_head_for_words_alone_sees_no_vector() -> None:
    head = fit_reranker(examples(50), "words")
    assert not {"dense", "dense_gap", "meaning"} & set(head.features)


def test_training_without_a_relevant_candidate_is_refused() -> None:
    nothing = RankingExample(features=np.zeros((3, len(FEATURES))), relevant=np.zeros(3, dtype=bool))
    with pytest.raises(ValueError, match="need a query with a relevant candidate"):
        fit_reranker([nothing], "meaning")


def test_logistic_regression_is_that_of_a_hand_solvable_case() -> None:
    rows = np.array([[1.0]] * 4 + [[-1.0]] * 4)
    labels = np.array([True, True, True, False, False, False, False, True])
    weights, intercept = fit_logistic(rows, labels, ridge=1e-9)
    assert weights[0] == pytest.approx(np.log(3), abs=1e-4)
    assert intercept == pytest.approx(0, abs=1e-6)


def test_a_head_survives_being_written_and_a_head_that_does_not_fit_is_refused() -> None:
    head = LinearHead(features=("a", "b"), centre=(0, 1), scale=(1, 2), weights=(0.5, -1), intercept=0.25)
    assert parse_head(json.loads(json.dumps(head.dump()))) == head
    with pytest.raises(ValueError, match="head of 2 features"):
        LinearHead(features=("a", "b"), centre=(0,), scale=(1, 2), weights=(0.5, -1), intercept=0)


def test_answerability_is_learnt_and_the_querys_length_is_no_feature() -> None:
    index, given = candidates("denominator")
    assert "length" not in answerability.FEATURES
    found = find_candidates(index, "denominator", HashEmbedder().embed(["denominator"])[0], KITE)
    features = answer_features(index, rank(index, found, BuiltinReranker(), KITE))
    assert np.isfinite(features).all()
    known = answerability.FEATURES.index("known")
    rows = [np.zeros(len(answerability.FEATURES)) for _ in range(40)]
    for place, row in enumerate(rows):
        row[known] = place % 2
    head = fit_answerability([AnswerExample(features=row, answerable=bool(row[known])) for row in rows], "words")
    assert dict(zip(head.features, head.weights, strict=True))["known"] > 0


def test_a_question_in_the_courses_words_is_likelier_answered_than_one_in_none() -> None:
    index = course()
    chances = []
    for query in ("what does the denominator say", "hurricane landfall season"):
        found = find_candidates(index, query, HashEmbedder().embed([query])[0], KITE)
        chances.append(Answerability().probability(index, rank(index, found, BuiltinReranker(), KITE)) or 0.0)
    assert chances[0] > chances[1]


def test_the_shipped_heads_were_fitted_on_the_part_tune_of_the_present_questions() -> None:
    questions = read_questions(QUESTIONS)
    tune = {question.topic for question in questions if question.part == "tune"}
    n_tune = sum(question.part == "tune" for question in questions)
    digest = hashlib.sha256(QUESTIONS.read_bytes()).hexdigest()
    for heads in (reranking_builtin.shipped_heads(), answerability.shipped_heads()):
        for head in heads.values():
            elsewhere = head.card.get("of_another_course", 0)
            assert str(head.card["topics"]) == str(sorted(tune))
            assert elsewhere in {0, n_tune}
            assert int(str(head.card["queries"])) - int(str(elsewhere)) == n_tune
            assert head.card["questions_sha256"] == digest
    for name in ("sentence", "late"):
        raw = json.loads(resources.files("preceptor.course").joinpath(f"{name}_weights.json").read_text("utf-8"))
        assert {head["card"]["questions_sha256"] for head in raw.values()} == {digest}, name


def test_a_row_that_counts_twice_is_as_good_as_two() -> None:
    rng = np.random.default_rng(5)
    rows, labels = rng.normal(size=(30, 2)), rng.random(30) < 0.5
    counts = np.where(np.arange(30) % 3 == 0, 2.0, 1.0)
    doubled = np.repeat(np.arange(30), counts.astype(int))
    once, twice = (
        fit_logistic(rows, labels, ridge=1.0, counts=counts),
        fit_logistic(rows[doubled], labels[doubled], ridge=1.0),
    )
    assert once[0] == pytest.approx(twice[0], abs=1e-6)
    assert once[1] == pytest.approx(twice[1], abs=1e-6)
    weighed, repeated = centre_and_scale(rows, counts), centre_and_scale(rows[doubled])
    assert weighed[0] == pytest.approx(repeated[0])
    assert weighed[1] == pytest.approx(repeated[1])


def test_questions_of_another_course_and_unanswered_ones_weigh_alike_whatever_their_number() -> None:
    def chance(n_elsewhere: int) -> float:
        blank = np.zeros(len(answerability.FEATURES))
        examples = [AnswerExample(features=blank, answerable=True) for _ in range(60)]
        examples += [AnswerExample(features=blank, answerable=False) for _ in range(10)]
        examples += [AnswerExample(features=blank, answerable=False, elsewhere=True) for _ in range(n_elsewhere)]
        head = fit_answerability(examples, "words")
        return float(1 / (1 + np.exp(-head.intercept)))

    assert chance(300) == pytest.approx(answerability.ANSWERED_SHARE, abs=1e-3)
    assert chance(5) == pytest.approx(answerability.ANSWERED_SHARE, abs=1e-3)
    assert chance(0) == pytest.approx(answerability.ANSWERED_SHARE, abs=1e-3)


def field(number: int, payload: bytes | int) -> bytes:
    if isinstance(payload, int):
        return bytes([number << 3]) + varint(payload)
    return bytes([number << 3 | 2]) + varint(len(payload)) + payload


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def tiny_cross_encoder() -> bytes:
    """Return an ONNX model whose logit is the sum of the token ids: Cast, then ReduceSum over tokens."""

    def value(name: str, kind: int, *axes: str) -> bytes:
        shape = b"".join(field(1, field(2, axis.encode())) for axis in axes)
        return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, shape)))

    to_float = field(1, b"to") + field(3, 1) + b"\xa0\x01" + varint(2)
    axes = field(1, b"axes") + field(8, 1) + b"\xa0\x01" + varint(7)
    cast = field(1, b"input_ids") + field(2, b"floats") + field(4, b"Cast") + field(5, to_float)
    total = field(1, b"floats") + field(2, b"logits") + field(4, b"ReduceSum") + field(5, axes)
    graph = field(1, cast) + field(1, total) + field(2, b"tiny")
    graph += field(11, value("input_ids", 7, "pairs", "tokens")) + field(12, value("logits", 1, "pairs", "one"))
    return field(1, 7) + field(7, graph) + field(8, field(2, 11))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    words = {"[UNK]": 0, "denominator": 5}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "model.onnx").write_bytes(tiny_cross_encoder())
    return tmp_path


def test_a_cross_encoder_reads_pairs_and_its_logit_goes_through_the_sigmoid(folder: Path) -> None:
    index, given = candidates("which parts")
    scores = OnnxReranker(folder).rerank(index, given)
    by_row = dict(zip(given.rows.tolist(), scores.tolist(), strict=True))
    assert by_row[2] == pytest.approx(1 / (1 + np.exp(-5)), abs=1e-5)
    assert by_row[4] == pytest.approx(0.5)


def test_a_missing_or_broken_cross_encoder_is_named(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="cannot be read as a model"):
        OnnxReranker(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelError, match="is missing"):
        OnnxReranker(folder)
