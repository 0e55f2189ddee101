"""Benchmark 5: does the key of an experience find the same kind of mistake in another problem?

StepVerify's described mistakes. A query is one row, the store all rows of other folds (folds by problem), a hit a
nearest entry of the query's category; entries that tie share the hit. Keys: the teacher's description (upper bound)
and the sentence that the product's observer and rewriter write from the learner's own text, each plain and ordered by
the product's difficulty head, fitted on the other folds. Run: `python -m benchmarks.experience_key --data DIR`.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    read_options,
)
from preceptor.domain.problem import Problem
from preceptor.experience.abstract_sentence import BuiltinRewriter, abstract_sentence
from preceptor.experience.abstract_text import surroundings_of
from preceptor.experience.difficulty_head import NEAREST, DifficultyHead, KindOrder, words_of
from preceptor.experience.difficulty_training import (
    RIDGE,
    RIDGE_OF_DESCRIPTIONS,
    LabelledDifficulty,
    fit_difficulty_head,
)
from preceptor.lab.statistics import (
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    cluster_standard_error,
)
from preceptor.maths.first_wrong_step_training import fold_of, read_stepverify
from preceptor.maths.step_graph import build_step_graph
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.settings import Settings

FOLDS = 10
REPEATS = 5
"""Ways to draw the folds; a row's hit is its mean over them, so that a figure does not hang on one draw."""
SEED = 20250505
UNNAMED = "None of the above"
COVERAGE = 0.3
_NUMBER = re.compile(r"\d[\d,./]*")
_WORD = re.compile(r"[a-z']+")
Matrix = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One described mistake with its keys."""

    row_id: str
    problem: str
    category: str
    solution: str
    """The learner's text and the index of the wrong step: two rows that share it describe one mistake."""
    description: str
    masked: str
    """The description without numbers and names."""
    own: str
    """What the product's observer and rewriter say; empty: no mistake was seen."""

    def fold(self, repeat: int) -> int:
        """The fold of its problem in one repeat."""
        return fold_of(f"{repeat} {self.problem}" if repeat else self.problem, FOLDS)


def read_mistakes(rows: Sequence[Mapping[str, Any]], source: str) -> list[Mistake]:
    """Return the rows that a teacher described."""
    observer, found = BuiltinObserver(), []
    for number, row in enumerate(rows):
        description = (row.get("error_description") or "").strip()
        if description:
            found.append(_mistake(row, description, f"{source} row {number}", observer))
    return found


def _mistake(row: Mapping[str, Any], description: str, row_id: str, observer: BuiltinObserver) -> Mistake:
    problem = Problem(problem_id=row_id, text=row["problem"], solution=row["reference_solution"])
    said = "\n".join(row["student_incorrect_solution"])
    around = surroundings_of(problem, [said])
    graph = build_step_graph(problem.text, problem.solution or "", None)
    seen = observer.observe_now(TurnContext(problem=problem, graph=graph, history=(), utterance=said))
    made = asyncio.run(
        abstract_sentence(seen.error_detail, seen.struggle_reason, rewriter=BuiltinRewriter(), around=around)
    )
    masked = " ".join(
        "someone" if re.sub(r"\W|'s", "", word).casefold() in around.names else word
        for word in _NUMBER.sub("some", description).split()
    )
    return Mistake(
        row_id=row_id,
        problem=row["problem"],
        category=row["error_category"],
        solution=f"{said}\n{row['incorrect_index']}",
        description=description,
        masked=masked,
        own=made.text,
    )


@dataclass(frozen=True, kw_only=True)
class Split:
    """Queries and, per query group, the rows of the store."""

    queries: Sequence[Mistake]
    stores: Sequence[Sequence[Mistake]]
    group: Sequence[int]
    """Per query the index of its store."""


def split(tested: Sequence[Mistake], training: Sequence[Mistake], *, apart: bool, repeat: int = 0) -> Split:
    """Return folds of one set, or the queries of a held-out set with the other as store."""
    if apart:
        return Split(queries=tested, stores=[training], group=[0] * len(tested))
    stores = [[row for row in training if row.fold(repeat) != fold] for fold in range(FOLDS)]
    return Split(queries=tested, stores=stores, group=[row.fold(repeat) for row in tested])


def hits_of(at: Split, score: Callable[[Sequence[Mistake], Sequence[Mistake]], Matrix]) -> list[float]:
    """Return per query the share of its best entries, of other problems, that have its category."""
    found = [0.0] * len(at.queries)
    for group, store in enumerate(at.stores):
        places = [place for place, one in enumerate(at.group) if one == group]
        asked = [at.queries[place] for place in places]
        table = score(asked, store) if asked else np.zeros((0, len(store)))
        for place, query, row in zip(places, asked, table, strict=True):
            found[place] = _hit(query, store, row)
    return found


def _hit(query: Mistake, store: Sequence[Mistake], row: Matrix) -> float:
    usable = np.array([entry.problem != query.problem for entry in store]) & np.isfinite(row)
    if not usable.any():
        return 0.0
    best = usable & (row >= row[usable].max() - 1e-9)
    return float(
        np.mean([entry.category == query.category for entry, is_best in zip(store, best, strict=True) if is_best])
    )


class Keys:
    """Vectors and word weights of texts, each made once."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._vectors: dict[str, NDArray[np.float32] | None] = {}
        self.languages, self.fingerprint, self.dimensions = ("en",), embedder.fingerprint, embedder.dimensions

    def vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return one vector a text."""
        new = sorted({text for text in texts if text not in self._vectors})
        self._vectors.update(zip(new, self.embedder.embed(new, language="en"), strict=True))
        return [self._vectors[text] for text in texts]

    def cosine(self, asked: Sequence[str], store: Sequence[str]) -> Matrix:
        """Return cosines, minus infinity where a text is empty or has no vector."""
        return _products(self.vectors(asked), self.vectors(store))

    def words(self, asked: Sequence[str], store: Sequence[str]) -> Matrix:
        """Return the cosines of TF-IDF weights, frequencies taken from the store."""
        counts = Counter(word for text in store for word in set(_WORD.findall(text.casefold())))
        place = {word: at for at, word in enumerate(counts)}
        weight = np.array([1 + np.log((1 + len(store)) / (1 + count)) for count in counts.values()])

        def rows(texts: Sequence[str]) -> list[NDArray[np.float64] | None]:
            found: list[NDArray[np.float64] | None] = []
            for text in texts:
                row = np.zeros(len(place))
                for word, times in Counter(_WORD.findall(text.casefold())).items():
                    if word in place:
                        row[place[word]] = (1 + np.log(times)) * weight[place[word]]
                length = float(np.linalg.norm(row))
                found.append(row / length if length else None)
            return found

        return _products(rows(asked), rows(store))

    def by_head(self, head: DifficultyHead, asked: Sequence[str], store: Sequence[str]) -> Matrix:
        """Return scores that put the nearest entries in the order of the product's `KindOrder`; others: not found."""
        cosines = self.cosine(asked, store)
        order = KindOrder(head=head, embedder=self)
        order.warm(store)
        found = np.full(cosines.shape, -np.inf)
        for row, line, sentence in zip(cosines, found, asked, strict=True):
            kept = [place for place in np.argsort(-row, kind="stable")[:NEAREST] if np.isfinite(row[place])]
            if kept:
                line[kept] = order.likeness(sentence, [store[place] for place in kept])
        return found

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[NDArray[np.float32] | None]:
        """Return one vector a text; all are English."""
        return self.vectors(texts)


def _products(asked: Sequence[Any], store: Sequence[Any]) -> Matrix:
    table = np.full((len(asked), len(store)), -np.inf)
    rows = [place for place, vector in enumerate(asked) if vector is not None]
    columns = [place for place, vector in enumerate(store) if vector is not None]
    if rows and columns:
        left, right = np.stack([asked[place] for place in rows]), np.stack([store[place] for place in columns])
        table[np.ix_(rows, columns)] = left @ right.T
    return table


def description_of(row: Mistake) -> str:
    """Return the teacher's words."""
    return row.description


def own_of(row: Mistake) -> str:
    """Return the product's sentence."""
    return row.own


def problem_of(row: Mistake) -> str:
    """Return the problem's text."""
    return row.problem


def fit_on(rows: Sequence[Mistake], key: Callable[[Mistake], str], embedder: Embedder) -> DifficultyHead:
    """Return the product's head fitted on the named rows' keys."""
    labelled = [
        LabelledDifficulty(row_id=row.row_id, sentence=key(row), kind=row.category)
        for row in rows
        if row.category != UNNAMED and key(row)
    ]
    ridge = RIDGE_OF_DESCRIPTIONS if key is description_of else RIDGE
    return fit_difficulty_head(labelled, embedder, ridge=ridge)


@dataclass
class Results:
    """Hits of every key on one split."""

    at: Split
    hits: dict[str, list[float]]
    confidence: dict[str, list[float]]
    """Per query the highest probability of a kind: what coverage goes by."""


def evaluate(at: Split, keys: Keys) -> Results:
    """Return the hits of all keys, plain and by the head fitted on each store."""
    plain: dict[str, Callable[[Sequence[Mistake], Sequence[Mistake]], Matrix]] = {}
    for name, key in (("problem", problem_of), ("description", description_of), ("own", own_of)):
        plain[f"{name}, TF-IDF"] = _scorer(keys.words, key)
        plain[f"{name}, MiniLM"] = _scorer(keys.cosine, key)
    found = Results(at=at, hits={name: hits_of(at, score) for name, score in plain.items()}, confidence={})
    for name, key in (("description", description_of), ("own", own_of)):
        heads = {id(store): fit_on(store, key, keys.embedder) for store in at.stores}
        found.hits[f"{name}, head"] = hits_of(at, _by_heads(heads, keys, key))
        confidence = [0.0] * len(at.queries)
        for group, store in enumerate(at.stores):
            places = [p for p, one in enumerate(at.group) if one == group and key(at.queries[p])]
            texts = [key(at.queries[place]) for place in places]
            chances = heads[id(store)].probabilities(texts, keys.vectors(texts)) if texts else np.zeros((0, 1))
            for place, chance in zip(places, chances, strict=True):
                confidence[place] = float(chance.max())
        found.confidence[name] = confidence
    return found


def evaluate_repeated(
    tested: Sequence[Mistake], training: Sequence[Mistake], keys: Keys, *, apart: bool
) -> tuple[Results, dict[str, list[float]]]:
    """Return each row's mean hit and confidence over the repeats, and every repeat's P@1 of each key."""
    repeats = [
        evaluate(split(tested, training, apart=apart, repeat=repeat), keys) for repeat in range(1 if apart else REPEATS)
    ]

    def mean(columns: Sequence[Sequence[float]]) -> list[float]:
        return [float(value) for value in np.mean(columns, axis=0)]

    first = repeats[0]
    return Results(
        at=first.at,
        hits={name: mean([one.hits[name] for one in repeats]) for name in first.hits},
        confidence={name: mean([one.confidence[name] for one in repeats]) for name in first.confidence},
    ), {name: [float(np.mean(one.hits[name])) for one in repeats] for name in first.hits}


def _scorer(
    measure: Callable[[Sequence[str], Sequence[str]], Matrix], key: Callable[[Mistake], str]
) -> Callable[[Sequence[Mistake], Sequence[Mistake]], Matrix]:
    return lambda asked, store: measure([key(row) for row in asked], [key(row) for row in store])


def _by_heads(
    heads: Mapping[int, DifficultyHead], keys: Keys, key: Callable[[Mistake], str]
) -> Callable[[Sequence[Mistake], Sequence[Mistake]], Matrix]:
    def score(asked: Sequence[Mistake], store: Sequence[Mistake]) -> Matrix:
        head = heads[id(store)]
        seen = {row.row_id for row in asked} & head.fitted_on
        assert not seen, f"the head was fitted on rows it is scored on: {sorted(seen)[:3]}"
        return keys.by_head(head, [key(row) for row in asked], [key(row) for row in store])

    return score


def chance_of(at: Split) -> float:
    """Return P@1 of any entry of another problem."""
    shares = []
    for query, group in zip(at.queries, at.group, strict=True):
        others = [entry for entry in at.stores[group] if entry.problem != query.problem]
        shares.append(np.mean([entry.category == query.category for entry in others]))
    return float(np.mean(shares))


def same_mistake(rows: Sequence[Mistake], keys: Keys) -> tuple[list[float], list[str]]:
    """Return R@1 of another teacher's description of the same step among all, numbers and names masked."""
    by_step: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        by_step[row.solution].append(place)
    table = keys.cosine([row.masked for row in rows], [row.masked for row in rows])
    hits, problems = [], []
    for places in by_step.values():
        for place in places if len(places) > 1 else []:
            line = table[place].copy()
            line[place] = -np.inf
            best = np.flatnonzero(line >= line.max() - 1e-9)
            hits.append(float(np.mean([other in places for other in best])))
            problems.append(rows[place].problem)
    return hits, problems


def measure(
    metric: str, definition: str, hits: Sequence[float], clusters: Sequence[str], *, mark: float | None = None
) -> Measure:
    """Return a share with its interval over problems."""
    found = cluster_bootstrap_mean(hits, clusters, seed=SEED)
    return measure_of(metric, definition, found, cluster_standard_error(hits, clusters), mark)


def gain(metric: str, definition: str, results: Results, first: str, second: str, mark: float | None = None) -> Measure:
    """Return the paired difference of two keys."""
    a, b = results.hits[first], results.hits[second]
    clusters = [row.problem for row in results.at.queries]
    found = cluster_bootstrap_paired_difference(a, b, clusters, seed=SEED)
    error = cluster_standard_error([x - y for x, y in zip(a, b, strict=True)], clusters)
    return measure_of(metric, definition, found, error, mark, how=", paired")


def measures(named: Results, described: Results, keys: Keys) -> list[Measure]:
    """Return the card's measures: rows with a named category, then all described rows."""
    clusters = [row.problem for row in named.at.queries]
    every = [row.problem for row in described.at.queries]
    made = [
        measure(
            "p1_description", "teacher's description, head; named categories (reach .56)",
            named.hits["description, head"], clusters, mark=0.50,
        ),
        _covered("p1_description_30", "the same, the 30 % the head is surest of (reach .72)", named, "description"),
        measure("p1_own", "sentence of observer and rewriter, head; named", named.hits["own, head"], clusters),
        _covered("p1_own_30", "the same, the 30 % the head is surest of", named, "own"),
    ]  # fmt: skip
    for baseline in ("problem, MiniLM", "problem, TF-IDF"):
        made.append(
            gain(
                f"own_over_{baseline.replace(', ', '_').lower()}",
                f"own key minus {baseline}",
                named,
                "own, head",
                baseline,
                0.05,
            )
        )
    made.append(
        measure(
            "p1_description_all", "with “None of the above” as a category", described.hits["description, head"], every
        )
    )
    made.append(measure("p1_own_all", "with “None of the above” as a category", described.hits["own, head"], every))
    hits, problems = same_mistake(described.at.queries, keys)
    if hits:
        text = "the other teacher's description of the same step, numbers and names masked (reach .30)"
        made.append(measure("r1_same_step_masked", text, hits, problems))
    return made


def _covered(metric: str, definition: str, results: Results, key: str) -> Measure:
    hits, sure = results.hits[f"{key}, head"], results.confidence[key]
    kept = sorted(range(len(hits)), key=lambda place: -sure[place])[: max(2, round(COVERAGE * len(hits)))]
    return measure(metric, definition, [hits[p] for p in kept], [results.at.queries[p].problem for p in kept])


def coverage_note(results: Results, key: str) -> str:
    """Return the coverage curve in one line."""
    hits, sure = results.hits[f"{key}, head"], results.confidence[key]
    order = sorted(range(len(hits)), key=lambda place: -sure[place])
    parts = []
    for share in (0.15, 0.3, 0.5, 0.7, 1.0):
        kept = order[: max(1, round(share * len(order)))]
        parts.append(f"{share:.0%} {float(np.mean([hits[place] for place in kept])):.3f}")
    return f"P@1 by coverage, {key}: " + ", ".join(parts)


def baselines(named: Results) -> list[Baseline]:
    """Return chance, the unsupervised keys and the published rows."""
    rows = [Baseline(name="chance", values={"p1": round(chance_of(named.at), 3)}, origin="measured here")]
    for name, hits in named.hits.items():
        if not name.endswith("head"):
            rows.append(Baseline(name=name, values={"p1": round(float(np.mean(hits)), 3)}, origin="measured here"))
    return [
        *rows,
        Baseline(name="prototype, supervised", values={"p1": 0.505}, origin="measured once on this data, other code"),
        Baseline(
            name="two teachers on one mistake",
            values={"same category": "0.30 to 0.40"},
            origin="measured once on pairs of StepVerify; a ceiling of its kind",
        ),
    ]


def failures(results: Results) -> list[tuple[Failure, str]]:
    """Return one miss of the own key per category."""
    found: dict[str, tuple[Failure, str]] = {}
    for query, hit in zip(results.at.queries, results.hits["own, head"], strict=True):
        kind = f"{query.category}, " + ("no mistake seen" if not query.own else "another kind was nearest")
        if not round(hit):
            got = "no key" if not query.own else "a mistake of another category"
            found.setdefault(kind, (Failure(error_class=kind, row_id=query.row_id, got=got), query.own))
    return list(found.values())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the card; the sentences behind the failing examples go to stderr."""
    options = read_options("experience_key", arguments)
    embedder = open_embedder(Settings())
    if embedder is None:
        raise SystemExit("no embedder: run `preceptor model fetch all-minilm-l6-v2-int8`")
    file = "stepverify/stepverify.jsonl.gz"
    training = read_mistakes(read_stepverify(options.data / file), "stepverify")
    apart = options.held_out is not None
    tested = read_mistakes(read_stepverify(options.reported / file), "held-out") if apart else training
    keys = Keys(embedder)
    described = evaluate(split(tested, training, apart=apart), keys)
    named_rows = [[row for row in rows if row.category != UNNAMED] for rows in (tested, training)]
    named, spread = evaluate_repeated(named_rows[0], named_rows[1], keys, apart=apart)
    examples = failures(named)
    listed = Counter(row.own for row in tested)
    card = ResultCard(
        name="experience_key",
        data=DataSource(
            data_id="StepVerify, described mistakes", digest=digest_files([options.reported / file]),
            licence="CC BY-SA 4.0",
        ),
        n=len(named.at.queries),
        n_clusters=len({row.problem for row in named.at.queries}),
        split_rule="head and store: --data; queries: --held-out"
        if apart
        else f"{FOLDS} folds by hash of the problem, drawn {REPEATS} times, a row's hits averaged (*_all: once); "
        "head and store: the other folds",
        measures=measures(named, described, keys),
        baselines=baselines(named),
        does_not_show=(
            "Learners are simulated by a language model; a category is one teacher's.",
            "“None of the above” is no kind of mistake: main figures leave its rows out, *_all keep them.",
            "Same category is not same mistake; whether what helped one helps the other is not measured.",
            "Penalty, number of nearest entries and the words of the sentence were chosen with these folds in view.",
        ),
        command=options.command,
        cpu_seconds=cpu_seconds(),
        models=f"{embedder.fingerprint.split(':')[0]} (vectors); no language model",
        failures=[failure for failure, _ in examples],
        notes=[
            "P@1 by draw of folds: "
            + "; ".join(
                f"{name} {', '.join(f'{value:.3f}' for value in values)}"
                for name, values in spread.items()
                if name.endswith("head")
            ),
            coverage_note(named, "description"),
            coverage_note(named, "own"),
            f"{len(tested)} described rows, {len(named.at.queries)} with a named category; own sentences: "
            f"{len(listed)} distinct, {listed['']} empty (counted as misses)",
            f"words of our lists in a description: {np.mean([len(words_of(row.description)) for row in tested]):.1f}",
        ],
    )  # fmt: skip
    print_card(card, as_json=options.as_json)
    for failure, text in examples:
        sys.stderr.write(f"{failure.error_class}: {failure.row_id}: {text}\n")


if __name__ == "__main__":
    main()
