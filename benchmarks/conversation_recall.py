"""Benchmark 11: which turns of a very long conversation does memory's own recall bring back for a question?

LoCoMo: the turns are appended to a record of its own as episodes, a learner per conversation, a dialogue per session;
then every question is asked through `Recall.recall`, without a language model. The weights that ship were chosen on
conversations 0-2; the others are reported. Run: `python -m benchmarks.conversation_recall --data DIR`.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from preceptor.domain.scope import Scope
from preceptor.lab.statistics import (
    Interval,
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    cluster_standard_error,
    minimum_detectable_effect,
)
from preceptor.memory.recall import Recall
from preceptor.memory.word_forms import content_words
from preceptor.models.embedder import Embedder, Vector, open_embedder
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record import Record
from preceptor.record.record_key import RecordKey
from preceptor.settings import MemorySettings, load_settings
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.memory import SqlMemoryStore

LICENCE = "CC BY-NC 4.0"
SEED = 20250101
TUNED_ON = frozenset({0, 1, 2})
"""Conversations, by the source's index, that the weights of recall and of the baseline were chosen on."""
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
CUTS = (5, 10, 20)
DEPTH = 60
"""Turns asked for: enough to name five sessions."""
SUBJECT = "conversation"
MAIN_BASELINE = "FTS5 + two neighbours, small words left out"
STRONGEST_BASELINE = "FTS5 + four neighbours, small words left out"
BASELINES = {
    "FTS5": (0, 0.0, False),
    "FTS5 + two neighbours": (1, 0.5, False),
    MAIN_BASELINE: (1, 0.5, True),
    STRONGEST_BASELINE: (2, 0.5, True),
}
"""(neighbours on each side, weight of their column, small words of the question left out); weights chosen on
conversations 0-2 out of 0.2, 0.3, 0.5."""
DOES_NOT_SHOW = (
    "Two adults chatting, written by language models, in English: neither tutoring nor another language.",
    "Recall of evidence turns, not whether an answer made from them is right.",
    "Adversarial questions have no answer; their evidence is the turn that misleads.",
    "Gold evidence has known faults (label_errors.json); one row uses the evidence as audited.",
)


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One line of a conversation."""

    turn_id: str
    session: int
    said_at: datetime
    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One question with the turns that hold its answer."""

    question_id: str
    text: str
    kind: str
    evidence: frozenset[str]
    audited: frozenset[str]
    """The evidence as an audit of the labels corrected it."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """One conversation and what is asked of it."""

    number: int
    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]


@dataclass(frozen=True, kw_only=True)
class Row:
    """The turns found for one question, best first."""

    conversation: int
    asked: Asked
    found: tuple[str, ...]
    milliseconds: float | None = None

    def recall_at(self, cut: int, *, audited: bool = False) -> float:
        """Return the share of evidence turns among the first `cut`."""
        wanted = self.asked.audited if audited else self.asked.evidence
        return len(wanted & set(self.found[:cut])) / len(wanted)

    def session_recall_at(self, cut: int) -> float:
        """Return the share of evidence sessions among the first `cut` that the turns found name."""
        wanted = {session_of(turn_id) for turn_id in self.asked.evidence}
        named = list(dict.fromkeys(session_of(turn_id) for turn_id in self.found))[:cut]
        return len(wanted & set(named)) / len(wanted)


def session_of(turn_id: str) -> int:
    """Return the session of a turn id such as "D3:7"."""
    return int(turn_id[1:].split(":")[0])


def read_conversations(folder: Path) -> list[Conversation]:
    """Return the conversations of a folder that holds `locomo.jsonl` and `label_errors.json`."""
    errors = json.loads((folder / "label_errors.json").read_text(encoding="utf-8"))
    corrected = {error["question_id"]: error.get("correct_evidence") or [] for error in errors}
    lines = (folder / "locomo.jsonl").read_text(encoding="utf-8").splitlines()
    return [_conversation(json.loads(line), corrected) for line in lines if line.strip()]


def _conversation(raw: Mapping[str, Any], corrected: Mapping[str, Sequence[str]]) -> Conversation:
    number, talk = int(raw["_i"]), raw["conversation"]
    turns: list[Turn] = []
    session = 1
    while f"session_{session}_date_time" in talk:
        begun = datetime.strptime(talk[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for place, line in enumerate(talk.get(f"session_{session}") or ()):
            caption = f" [image: {line['blip_caption']}]" if line.get("blip_caption") else ""
            turns.append(
                Turn(
                    turn_id=line["dia_id"],
                    session=session,
                    said_at=begun + timedelta(seconds=place),
                    speaker=line["speaker"],
                    text=f"{line['speaker']}: {line['text']}{caption}",
                )
            )
        session += 1
    known = {turn.turn_id for turn in turns}
    questions = []
    for place, asked in enumerate(raw["qa"]):
        question_id = f"locomo_{number}_qa{place}"
        evidence = _turn_ids(asked.get("evidence") or (), known)
        if evidence:
            audited = _turn_ids(corrected.get(question_id, ()), known) or evidence
            questions.append(
                Asked(
                    question_id=question_id,
                    text=str(asked["question"]),
                    kind=KINDS[asked["category"]],
                    evidence=evidence,
                    audited=audited,
                )
            )
    return Conversation(number=number, turns=tuple(turns), questions=tuple(questions))


def _turn_ids(raw: Iterable[object], known: set[str]) -> frozenset[str]:
    return frozenset(found for item in raw for found in re.findall(r"D\d+:\d+", str(item)) if found in known)


class RememberingEmbedder:
    """An embedder that makes each vector once: the runs of this card differ in other things."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep the embedder."""
        self._embedder = embedder
        self._made: dict[tuple[str, str | None], Vector | None] = {}

    @property
    def fingerprint(self) -> str:
        """See `Embedder.fingerprint`."""
        return self._embedder.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """See `Embedder.languages`."""
        return self._embedder.languages

    @property
    def dimensions(self) -> int:
        """See `Embedder.dimensions`."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        """See `Embedder.embed`."""
        new = [text for text in dict.fromkeys(texts) if (text, language) not in self._made]
        for text, vector in zip(new, self._embedder.embed(new, language=language), strict=True):
            self._made[text, language] = vector
        return [self._made[text, language] for text in texts]


def ask_memory(
    conversations: Sequence[Conversation],
    embedder: Embedder | None,
    settings: MemorySettings,
    *,
    read_the_time: bool = True,
) -> list[Row]:
    """Return what memory's own recall finds for every question, from a record made for it."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(home=Path(folder), url=None)
        with Record(database, RecordKey(bytes(32))) as record:
            recall = Recall(record.episodes, SqlMemoryStore(database), embedder, settings)
            rows: list[Row] = []
            for talk in conversations:
                rows += _ask(record, recall, talk, read_the_time)
            return rows


def _ask(record: Record, recall: Recall, talk: Conversation, read_the_time: bool) -> list[Row]:
    scope = Scope(learner_id=f"conversation-{talk.number}", subject_id=SUBJECT)
    ids = {}
    news = [
        new_episode(
            AnswerBody(text=turn.text),
            learner_id=scope.learner_id,
            subject_id=scope.subject_id,
            dialogue_id=f"{talk.number}-{turn.session}",
            turn=place,
            actor=turn.speaker,
            provenance="imported",
            occurred_at=turn.said_at,
        )
        for place, turn in enumerate(talk.turns)
    ]
    for turn, episode in zip(talk.turns, record.log.append_many(news), strict=True):
        ids[episode.episode_id] = turn.turn_id
    recall.indexer.catch_up(scope)
    recall.indexer.embed(scope)
    now = talk.turns[-1].said_at + timedelta(days=1)
    rows = []
    for asked in talk.questions:
        found = recall.recall(
            scope,
            asked.text,
            now=now,
            time_zone="UTC",
            language="en",
            limit=DEPTH,
            read_the_time=read_the_time,
        )
        rows.append(
            Row(
                conversation=talk.number,
                asked=asked,
                found=tuple(ids[one.episode.episode_id] for one in found.episodes),
                milliseconds=sum(value for name, value in found.timings_ms.items() if name != "embed"),
            )
        )
    return rows


def ask_fts(conversations: Sequence[Conversation], neighbours: int, weight: float, leave_out: bool) -> list[Row]:
    """Return what SQLite's full-text search finds: any word of the question, BM25, neighbours as a second column."""
    rows: list[Row] = []
    for talk in conversations:
        database = sqlite3.connect(":memory:")
        database.execute("CREATE VIRTUAL TABLE turn USING fts5(own, near, tokenize = 'porter unicode61')")
        for place, turn in enumerate(talk.turns):
            beside = [
                talk.turns[other].text
                for distance in range(1, neighbours + 1)
                for other in (place - distance, place + distance)
                if 0 <= other < len(talk.turns) and talk.turns[other].session == turn.session
            ]
            database.execute(
                "INSERT INTO turn (rowid, own, near) VALUES (?, ?, ?)", (place, turn.text, " ".join(beside))
            )
        for asked in talk.questions:
            asked_words = content_words(asked.text, "en") if leave_out else re.findall(r"\w+", asked.text)
            words = " OR ".join(f'"{word}"' for word in asked_words)
            found = database.execute(
                f"SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn, 1.0, {weight}) LIMIT {DEPTH}",
                (words,),
            )
            turn_ids = tuple(talk.turns[place].turn_id for (place,) in found)
            rows.append(Row(conversation=talk.number, asked=asked, found=turn_ids))
        database.close()
    return rows


def mean_of(values: Sequence[float]) -> float:
    """Return a mean in percent."""
    return round(100 * sum(values) / len(values), 1)


def values_of(rows: Sequence[Row]) -> dict[str, float | str]:
    """Return every number of a table row, percent."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        by_kind[row.asked.kind].append(row.recall_at(10))
    values: dict[str, float | str] = {f"R@{cut}": mean_of([row.recall_at(cut) for row in rows]) for cut in CUTS}
    values |= {f"R@10 {kind}": mean_of(by_kind[kind]) for kind in KINDS.values() if by_kind[kind]}
    values["session R@5"] = mean_of([row.session_recall_at(5) for row in rows])
    values["R@10 audited evidence"] = mean_of([row.recall_at(10, audited=True) for row in rows])
    return values


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the card."""
    options = read_options("conversation_recall", arguments)
    folder = options.reported / "locomo"
    reported = [talk for talk in read_conversations(folder) if talk.number not in TUNED_ON]
    settings = load_settings()
    opened = open_embedder(settings)
    embedder = RememberingEmbedder(opened) if opened is not None else None
    rows = ask_memory(reported, embedder, settings.memory)
    plain = ask_memory(reported, None, settings.memory)
    unfiltered = ask_memory(reported, embedder, settings.memory, read_the_time=False)
    seed_like = ask_memory(reported, embedder, settings.memory.model_copy(update={"contrast": 1.0}))
    fts = {name: ask_fts(reported, *row) for name, row in BASELINES.items()}
    card = ResultCard(
        name="conversation_recall",
        data=DataSource(
            data_id="LoCoMo (locomo10) with the label audit of locomo-audit",
            digest=digest_files([folder / "locomo.jsonl", folder / "label_errors.json"]),
            licence=LICENCE,
        ),
        n=len(rows),
        n_clusters=len(reported),
        split_rule="weights chosen on conversations 0-2 of the source; reported: "
        + ", ".join(str(talk.number) for talk in reported),
        measures=_measures(rows, fts),
        baselines=[
            *(
                Baseline(name=name, values=values_of(found), origin="measured here, same questions")
                for name, found in fts.items()
            ),
            Baseline(name="memory, words alone", values=values_of(plain), origin="measured here: no embedder"),
            Baseline(name="memory, no time filter", values=values_of(unfiltered), origin="measured here"),
            Baseline(name="memory, contrast 1", values=values_of(seed_like), origin="measured here: recency counts"),
            Baseline(
                name="FTS5 + neighbours; 30/70 dense/lexical",
                values={"R@10": "77.4; 79.6"},
                origin="measured before on all ten conversations; not run again",
            ),
        ],
        does_not_show=DOES_NOT_SHOW,
        command=options.command,
        cpu_seconds=cpu_seconds(),
        models=embedder.fingerprint if embedder is not None else "none",
        failures=_failures(rows),
        notes=[f"memory, all: {json.dumps(values_of(rows))}", _speed(rows)],
    )
    print_card(card, as_json=options.as_json)


def _measures(rows: Sequence[Row], fts: Mapping[str, Sequence[Row]]) -> list[Measure]:
    multi = [place for place, row in enumerate(rows) if row.asked.kind == "multi-hop"]
    everything = range(len(rows))
    return [
        *(
            gain
            for name in (MAIN_BASELINE, STRONGEST_BASELINE)
            for gain in (
                _gain("paired gain R@10", name, rows, fts[name], everything, pass_gain=0.03),
                _gain("paired gain R@10, multi-hop", name, rows, fts[name], multi, pass_gain=0.06),
            )
        ),
        *(_point(f"R@{cut}", [row.recall_at(cut) for row in rows], rows) for cut in CUTS),
        _point("R@10, multi-hop", [rows[place].recall_at(10) for place in multi], [rows[place] for place in multi]),
        _point("session R@5", [row.session_recall_at(5) for row in rows], rows),
    ]


def _point(name: str, values: Sequence[float], rows: Sequence[Row]) -> Measure:
    clusters = [row.conversation for row in rows]
    found = cluster_bootstrap_mean(values, clusters, seed=SEED)
    reach = {"R@10": "reach .82", "R@10, multi-hop": "reach .50", "session R@5": "reach .92"}.get(name, "")
    definition = f"mean share of evidence found ({len(values)} questions)" + (f"; {reach}" if reach else "")
    return _measure(name, definition, found, values, clusters)


def _gain(
    name: str, other: str, rows: Sequence[Row], baseline: Sequence[Row], places: Sequence[int], *, pass_gain: float
) -> Measure:
    ours = [rows[place].recall_at(10) for place in places]
    theirs = [baseline[place].recall_at(10) for place in places]
    clusters = [rows[place].conversation for place in places]
    found = cluster_bootstrap_paired_difference(ours, theirs, clusters, seed=SEED)
    differences = [one - another for one, another in zip(ours, theirs, strict=True)]
    definition = f"recall at 10 minus that of {other!r}, same questions ({len(ours)})"
    measure = _measure(f"{name} over {other!r}", definition, found, differences, clusters)
    if other != MAIN_BASELINE:
        return measure
    return Measure(**{**vars(measure), "pass_mark": f"+{pass_gain:.2f}", "passed": found.point >= pass_gain})


def _measure(name: str, definition: str, found: Interval, values: Sequence[float], clusters: Sequence[int]) -> Measure:
    error = cluster_standard_error(values, clusters)
    return Measure(
        metric=name,
        definition=definition,
        point=found.point,
        low=found.low,
        high=found.high,
        method=f"{found.method}; {found.n_clusters} conversations",
        minimum_detectable_effect=f"{minimum_detectable_effect(error):.3f}",
        n=found.n,
    )


def _failures(rows: Sequence[Row]) -> list[Failure]:
    failures = []
    for kind in KINDS.values():
        missed = [row for row in rows if row.asked.kind == kind and row.recall_at(20) == 0]
        if missed:
            row = missed[0]
            got = f"wanted {', '.join(sorted(row.asked.evidence))}; found {', '.join(row.found[:5])}"
            failures.append(Failure(error_class=f"nothing in 20, {kind}", row_id=row.asked.question_id, got=got))
    return failures


def _speed(rows: Sequence[Row]) -> str:
    times = sorted(row.milliseconds for row in rows if row.milliseconds is not None)
    return (
        f"one recall of {DEPTH}, embedding left out: median {times[len(times) // 2]:.1f} ms, "
        f"p95 {times[int(0.95 * len(times))]:.1f} ms"
    )


if __name__ == "__main__":
    main()
