"""Experience in the live turn, without any model: what one learner's tutor learnt changes what the next one hears."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from tests.unit.experience_doubles import NOON
from tests.unit.test_tutoring_session import say

from preceptor.cli.doctor import findings
from preceptor.domain.dialogue import Turn
from preceptor.domain.episode import Episode
from preceptor.domain.experience import (
    Experience,
    ExperienceProvenance,
    ExperienceValue,
    SourceTurn,
    Strategy,
    new_experience,
)
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move
from preceptor.domain.rubric import Critique, RubricScores, Score
from preceptor.errors import InputError, ModelCutError, SettingsError
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.repository_opening import experience_store, open_repository
from preceptor.experience.repository_words import LEXICAL
from preceptor.pedagogy.llm_tutor import LlmTutor
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import open_record
from preceptor.settings import ExperienceSettings, Settings, TutoringSettings
from preceptor.stores.experiences import ExperienceChange
from preceptor.testing.scripted_model import ScriptedModel
from preceptor.tutoring.engines import open_experience, open_turn_maker
from preceptor.tutoring.experience_outcome import OutcomeScorer, UsedTurn
from preceptor.tutoring.experience_reader import RepositoryReader, advice_of
from preceptor.tutoring.live_repository import EMPTY, OFF, LiveRepository
from preceptor.tutoring.reads import ABSENT, Read, capped
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session

SHELVES = "sample-library-shelves"
"""156 books, 12 a shelf: 13 shelves; 4 more: 17."""
LEARNER_B = Principal(learner_id="b", roles=frozenset({"learner"}))
REPEATED = LearnerState(
    emotion=Emotion.NEUTRAL,
    intent=Intent.DEBUGGING,
    error_type=ErrorType.CONCEPT_ERROR,
    struggle_status=StruggleStatus.REPEATED_ERROR,
)
SENTENCE = (
    "The learner used another operation where the situation divides, in a situation with a rate, and holds on to the "
    "same idea after it was questioned."
)


def experience(strategy: Strategy = Strategy.SMALLER_NUMBERS, *, state: LearnerState = REPEATED) -> Experience:
    return new_experience(
        state=state,
        sentence=SENTENCE,
        embedder=LEXICAL,
        value=ExperienceValue(
            triggering_difficulty="holds on to an operation that makes the result grow",
            applied_strategy="sets a little case of the same kind before the own numbers",
            scaffolding_steps=("ask for the little case", "have it carried over"),
            undesirable_behaviours=("asking for the same fact again",),
            strategy=strategy,
        ),
        provenance=ExperienceProvenance(
            sources=(SourceTurn(dialogue_id="of learner a", turn=3),), admission_percent=95.0, simulated=True
        ),
        created_at=NOON,
    )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, experience=ExperienceSettings(starter=False))


@pytest.fixture
def session(settings: Settings) -> Iterator[TutoringSession]:
    opened = open_session(settings)
    yield opened
    opened.close()


def keep(settings: Settings, *experiences: Experience) -> None:
    with experience_store(settings) as store:
        repository = open_repository(settings, store)
        for one in experiences:
            assert asyncio.run(repository.add(one)).outcome == "inserted"


async def talk(
    session: TutoringSession, texts: Sequence[str], principal: Principal = LOCAL_OWNER, problem_id: str = SHELVES
) -> tuple[str, list[TurnRecordBody]]:
    dialogue_id = session.start(principal, problem_id=problem_id)
    records = []
    for text in texts:
        run = await session.submit(principal, dialogue_id, text)
        done = await run.wait()
        episode = session._record.log.get(principal.learner_id, done.record_id or "")
        body = body_of(episode, TurnRecordBody)
        assert body is not None
        records.append(body)
    return dialogue_id, records


TWICE_WRONG = ("156 * 12 = 1872", "156 * 12 = 1872")


def test_what_helped_one_learner_changes_the_reply_to_the_next_in_that_state(settings: Settings) -> None:
    with_nothing = open_session(settings)
    _, before = asyncio.run(talk(with_nothing, TWICE_WRONG))
    with_nothing.close()
    kept = experience()
    keep(settings, kept)
    session = open_session(settings)
    dialogue_id, after = asyncio.run(talk(session, TWICE_WRONG, LEARNER_B))
    reasons = session.instructor_desk.hint_reasons(LOCAL_OWNER, dialogue_id, learner_id="b")
    session.close()
    assert (before[1].reply.move, after[1].reply.move) == (Move.CLASHING_FACT, Move.SMALLER_CASE)
    assert before[1].reply.text != after[1].reply.text
    assert after[1].reply.used_experience_ids == (kept.experience_id,)
    read = after[1].reads["experience"]
    search = read.search
    assert search is not None
    assert (read.status, read.ids) == ("read", (kept.experience_id,))
    assert read.similarities == pytest.approx((1.0,))
    assert (search.asked, search.asked_by, search.n_candidates) == (SENTENCE, "rewriter", 1)
    assert search.best_similarity == pytest.approx(1.0)
    assert search.threshold == pytest.approx(0.33)
    assert (search.nothing_because, search.strategies, search.embedder) == ("", ("smaller_numbers",), LEXICAL)
    assert search.copied_shares[0] == 0.0
    why = reasons[2]
    assert (why.error_type, why.struggle_status, why.read) == ("Concept_Error", "Repeated_Error", "read")
    assert (why.found[0].part, why.found[0].reason) == ("chosen", "smaller_case")
    assert asdict(why)["found"][0]["experience_id"] == kept.experience_id


def test_a_strategy_that_is_too_much_help_is_found_and_not_followed(settings: Settings) -> None:
    keep(settings, experience(Strategy.WORKED_PARALLEL))
    session = open_session(settings)
    _, records = asyncio.run(talk(session, TWICE_WRONG))
    session.close()
    reply = records[1].reply
    assert reply.move is Move.CLASHING_FACT
    assert reply.used_experience_ids == ()
    assert reply.experience_roles[0].reason == "more help than is due: rung 4, 3 allowed"
    with experience_store(settings) as store:
        assert store.uses(experience(Strategy.WORKED_PARALLEL).experience_id) == []


DIALOGUES = [
    (SHELVES, ("156 / 12 = 13", "13 + 4 = 17")),
    (SHELVES, ("156 * 12 = 1872", "no idea", "just tell me the answer", "156 + 12 = 168", "zzz")),
    ("sample-lunch-sandwiches", ("3 + 24 = 27", "3 + 24 = 27", "3 * 24 = 71", "I am lost", "67")),
    ("sample-jacket-sale", ("80 - 25 = 55", "55 - 6 = 49", "80 * 25 / 100 = 20")),
]


@pytest.mark.parametrize(("problem_id", "texts"), DIALOGUES)
def test_an_entry_of_another_state_leaves_every_reply_as_without_a_repository(
    tmp_path: Path, problem_id: str, texts: tuple[str, ...]
) -> None:
    curious = replace(REPEATED, error_type=ErrorType.CARELESS)
    said = []
    for name, kept in (("bare", None), ("empty", ()), ("foreign", (experience(state=curious),))):
        settings = Settings(home=tmp_path / name, experience=ExperienceSettings(starter=False))
        with open_record(settings) as record:
            keep(settings, *(kept or ()))
            experience_slot = None if kept is None else open_experience(settings, record).reader
            maker = open_turn_maker(settings, experience=experience_slot)
            session = TutoringSession(record=record, maker=maker, settings=settings)
            _, records = asyncio.run(talk(session, texts, problem_id=problem_id))
        said.append([(body.reply, body.observation) for body in records])
    assert said[0] == said[1] == said[2]


def test_with_nothing_retrieved_the_prompt_is_the_prompt_only_one_byte_for_byte(settings: Settings) -> None:
    prompts = []
    for kept in (None, experience(state=replace(REPEATED, error_type=ErrorType.CARELESS)), experience()):
        model = ScriptedModel(["What does each shelf hold?"] * 2)
        with open_record(settings) as record:
            if kept is not None:
                keep(settings, kept)
            slot = None if kept is None else open_experience(settings, record).reader
            maker = open_turn_maker(settings, tutor=LlmTutor(model), experience=slot)
            session = TutoringSession(record=record, maker=maker, settings=settings)
            _, records = asyncio.run(talk(session, TWICE_WRONG))
        prompts.append(model.prompts)
    bare, nothing, found = prompts
    assert bare == nothing
    assert found[1].system == bare[1].system
    assert "sets a little case of the same kind" in found[1].user
    assert records[1].reply.used_experience_ids == (experience().experience_id,)
    assert records[1].reply.experience_roles[0].part == "in_prompt"


def test_the_reason_for_nothing_is_on_record(settings: Settings) -> None:
    async def both() -> tuple[TurnRecordBody, TurnRecordBody]:
        session = open_session(settings)
        _, (empty,) = await talk(session, TWICE_WRONG[:1])
        await asyncio.to_thread(keep, settings, experience())
        _, (below,) = await talk(session, ("156 / 12 = 13",))
        session.close()
        return empty, below

    empty, right = asyncio.run(both())
    assert (empty.reads["experience"].status, empty.reads["experience"].detail) == ("none", EMPTY)
    assert (right.reads["experience"].status, right.reads["experience"].detail) == ("none", "no_difficulty")
    assert right.reads["experience"].search is not None


# -- the repository that cannot be used ---------------------------------------------------------------------


def foreign(settings: Settings) -> None:
    """Store an entry of an embedder that is not here."""
    with experience_store(settings) as store:
        store.commit(ExperienceChange(put=(replace(experience(), embedder="another:1"),), vectors={}))


def test_a_repository_of_another_embedder_is_an_absent_read_with_its_reason(settings: Settings) -> None:
    with open_record(settings):
        foreign(settings)
    session = open_session(settings)
    _, records = asyncio.run(talk(session, TWICE_WRONG))
    session.close()
    read = records[1].reads["experience"]
    assert read.status == "off"
    assert "preceptor experience reembed" in read.detail
    assert records[1].reply.move is Move.CLASHING_FACT


def test_doctor_names_a_repository_that_no_turn_can_read(settings: Settings) -> None:
    def seen() -> tuple[str, str]:
        found = next(one for one in findings(settings) if one.name == "experience")
        return found.state, found.detail

    keep(settings, experience())
    assert seen() == ("ok", f"1 entries, compared by {LEXICAL}")
    foreign(settings)
    state, detail = seen()
    assert state == "broken"
    assert "1 entries of another:1" in detail
    assert "preceptor experience reembed" in detail


def test_doctor_names_a_database_that_cannot_be_read(settings: Settings) -> None:
    (settings.home / "preceptor.sqlite3").write_bytes(b"no database at all, only some bytes" * 40)
    found = next(one for one in findings(settings) if one.name == "experience")
    assert found.state == "broken"
    assert "preceptor.sqlite3" in found.detail


def test_a_repository_that_was_mended_is_read_without_a_new_start(settings: Settings) -> None:
    with open_record(settings) as record:
        foreign(settings)
        live = LiveRepository(settings, record.experiences)
        assert live.open()[0] is None
        assert live.open()[0] is None
        mended = replace(experience(), embedder=LEXICAL)
        record.experiences.commit(ExperienceChange(put=(mended,)))
        repository, why = live.open()
    assert repository is not None
    assert why == ""


def test_experience_that_is_switched_off_is_not_read(settings: Settings) -> None:
    off = settings.model_copy(update={"experience": ExperienceSettings(enabled=False)})
    keep(settings, experience())
    session = open_session(off)
    _, records = asyncio.run(talk(session, TWICE_WRONG))
    session.close()
    assert (records[1].reads["experience"].status, records[1].reads["experience"].detail) == ("off", OFF)


class QuotingRewriter:
    """Says what it is told to, as a model may."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence

    async def rewrite(self, error_detail: str, struggle_reason: str) -> str:
        return self._sentence


NOW_SAID = "but you always multiply when there are many shelves"
BEFORE = "well we have to make the number of books bigger"


@pytest.mark.parametrize(
    ("sentence", "made_by"),
    [
        ("The learner says that you always multiply when there are many parts.", "fallback"),
        ("The learner says that we have to make the number of parts bigger.", "fallback"),
        ("The learner multiplies where the situation divides.", "rewriter"),
    ],
)
def test_a_model_s_sentence_must_not_quote_the_learner_s_present_message_nor_an_earlier_one(
    settings: Settings, sentence: str, made_by: str
) -> None:
    keep(settings, experience())
    turn = TurnContext(
        problem=Problem(problem_id="p", text="156 books stand on shelves of 12."),
        graph=None,
        history=(Turn(learner=BEFORE, tutor="What do you know so far?"),),
        utterance=NOW_SAID,
    )
    observation = Observation(
        state=REPEATED,
        error_detail="used another operation",
        struggle_reason="",
        reading=Reading(status=ReadingStatus.READ, read_as=""),
    )
    with open_record(settings) as record:
        live = LiveRepository(settings, record.experiences)
        read = asyncio.run(RepositoryReader(live, rewriter=QuotingRewriter(sentence)).read(turn, observation))
    assert read.retrieved is not None
    query = read.retrieved.query
    assert (query.made_by, query.text) == (
        made_by,
        sentence if made_by == "rewriter" else "The learner used another operation.",
    )
    assert query.reason == ("" if made_by == "rewriter" else "the rewriter's sentence holds: learner_words")


def test_a_read_that_breaks_is_no_error_of_the_turn() -> None:
    async def breaks() -> Read:
        raise SettingsError("no such thing")

    read = asyncio.run(capped(breaks(), cap_s=1))
    assert (read.status, read.detail) == ("failed", "SettingsError")


def test_loading_that_takes_too_long_is_dropped_and_nobody_waits(settings: Settings) -> None:
    loading = threading.Event()

    class Slow(LiveRepository):
        def open(self) -> tuple[None, str]:
            loading.wait(5)
            return None, EMPTY

    async def read() -> tuple[Read, float]:
        with open_record(settings) as record:
            reader = RepositoryReader(Slow(settings, record.experiences))
            observation = Observation.__new__(Observation)
            started = time.perf_counter()
            context = TurnContext.__new__(TurnContext)
            found = await capped(reader.read(context, observation), cap_s=0.05)
            waited = time.perf_counter() - started
            loading.set()
            return found, waited

    found, waited = asyncio.run(read())
    assert found.status == "dropped"
    assert waited < 2


# -- what comes of a use ------------------------------------------------------------------------------------


class FixedCritic:
    """Scores every reply the same, or fails."""

    def __init__(self, *scores: int | None, fails: bool = False) -> None:
        self._scores = scores
        self._fails = fails
        self.seen: list[ReviewedTurn] = []

    async def critique(self, turn: ReviewedTurn) -> Critique:
        self.seen.append(turn)
        if self._fails:
            raise ModelCutError("the stream ended early")
        graded = [Score.of(one, "fixed") if one is not None else Score.unscored("fixed") for one in self._scores]
        scores = RubricScores(
            scaffolding=graded[0],
            attribution=graded[1],
            empathy=graded[2],
            teaching_focus=graded[3],
            strategy_adaptation=Score.not_applicable("fixed"),
        )
        return Critique(scores=scores, flags=frozenset(), order=None, evidence=())


def used_once(settings: Settings, critic: FixedCritic | None = None) -> tuple[TurnRecordBody, str]:
    """Have learner B's turn use the experience; with no critic nothing is scored, as if the program had been killed."""
    keep(settings, experience())
    with open_record(settings) as record:
        live = open_experience(settings, record)
        outcomes = None
        if critic is not None:
            outcomes = OutcomeScorer(record=record, repository=live.repository, critic=critic)
            outcomes.start()
        maker = open_turn_maker(settings, experience=live.reader)
        session = TutoringSession(record=record, maker=maker, settings=settings, outcomes=outcomes)
        dialogue_id, records = asyncio.run(talk(session, TWICE_WRONG, LEARNER_B))
        session.close()
    return records[1], dialogue_id


def kept_entry(settings: Settings) -> tuple[Experience, list[tuple[str, int, float]]]:
    with experience_store(settings) as store:
        uses = store.uses(experience().experience_id)
        return store.get(experience().experience_id), [(use.dialogue_id, use.turn, use.score) for use in uses]


def test_the_turn_that_used_it_is_scored_and_utility_follows(settings: Settings) -> None:
    critic = FixedCritic(4, 4, 2, 2)
    record, dialogue_id = used_once(settings, critic)
    entry, uses = kept_entry(settings)
    # 4 + 4 + 2 + 2 of 16 is 75 %; 0.7 × 95 + 0.3 × 75 = 89.
    assert uses == [(dialogue_id, 2, 75.0)]
    assert entry.utility == pytest.approx(89.0)
    assert entry.scored_uses == 1
    assert [turn.reply for turn in critic.seen] == [record.reply.text]
    assert [turn.learner for turn in critic.seen[0].context.history] == ["", TWICE_WRONG[0]]
    assert critic.seen[0].context.utterance == TWICE_WRONG[1]


def test_an_unscored_turn_and_a_failed_critic_change_nothing(settings: Settings) -> None:
    used_once(settings, FixedCritic(4, None, 4, 4))
    assert kept_entry(settings) == (experience(), [])
    with open_record(settings) as record:
        live = open_experience(settings, record)
        failing = FixedCritic(fails=True)
        scorer = OutcomeScorer(record=record, repository=live.repository, critic=failing)
        scorer.start()
        scorer.close()
    assert len(failing.seen) == 1
    assert kept_entry(settings) == (experience(), [])


def test_what_a_killed_program_left_is_scored_once_at_the_next_start(settings: Settings) -> None:
    _, dialogue_id = used_once(settings)
    assert kept_entry(settings)[1] == []
    critic = FixedCritic(4, 4, 4, 4)
    for _ in range(2):
        with open_record(settings) as record:
            live = open_experience(settings, record)
            scorer = OutcomeScorer(record=record, repository=live.repository, critic=critic)
            scorer.start()
            scorer.put(UsedTurn(learner_id="b", dialogue_id=dialogue_id, turn=2))
            scorer.close()
    assert kept_entry(settings)[1] == [(dialogue_id, 2, 100.0)]
    assert len(critic.seen) == 1


def test_what_a_killed_program_left_is_scored_in_the_order_in_which_it_was_used(settings: Settings) -> None:
    keep(settings, experience())
    with open_record(settings) as record:
        maker = open_turn_maker(settings, experience=open_experience(settings, record).reader)
        session = TutoringSession(record=record, maker=maker, settings=settings)
        for _ in range(2):
            asyncio.run(talk(session, TWICE_WRONG, LEARNER_B))
        session.close()
        used = [one for one in record.log.list("b", kinds=("turn_record",)) if _used(one)]
    critic = FixedCritic(4, 4, 4, 4)
    with open_record(settings) as record:
        scorer = OutcomeScorer(record=record, repository=open_experience(settings, record).repository, critic=critic)
        scorer.start()
        scorer.close()
    assert len({one.dialogue_id for one in used}) == 2
    assert [(one[0], one[1]) for one in kept_entry(settings)[1]] == [(one.dialogue_id, one.turn) for one in used]


def _used(episode: Episode) -> bool:
    body = body_of(episode, TurnRecordBody)
    return body is not None and bool(body.reply.used_experience_ids)


def test_a_turn_that_was_erased_meanwhile_is_not_scored(settings: Settings) -> None:
    from preceptor.record.erasure_scope import ErasureScope

    _, dialogue_id = used_once(settings)
    critic = FixedCritic(4, 4, 4, 4)
    with open_record(settings) as record:
        record.log.erase("b", ErasureScope(dialogue_id=dialogue_id))
        live = open_experience(settings, record)
        scorer = OutcomeScorer(record=record, repository=live.repository, critic=critic)
        scorer.start()
        scorer.put(UsedTurn(learner_id="b", dialogue_id=dialogue_id, turn=2))
        scorer.close()
    assert critic.seen == []


def test_the_session_scores_with_the_builtin_critic(settings: Settings) -> None:
    keep(settings, experience())
    session = open_session(settings)
    dialogue_id, _ = asyncio.run(talk(session, TWICE_WRONG, LEARNER_B))
    session.close()
    uses = kept_entry(settings)[1]
    assert [(dialogue, turn) for dialogue, turn, _ in uses] == [(dialogue_id, 2)]
    assert 0 <= uses[0][2] <= 100


# -- who may see it, and how much of it is told ----------------------------------------------------------------


def test_a_learner_never_sees_why_a_hint_was_given(session: TutoringSession) -> None:
    dialogue_id, _ = asyncio.run(talk(session, TWICE_WRONG, LEARNER_B))
    with pytest.raises(InputError, match="instructor"):
        session.instructor_desk.hint_reasons(LEARNER_B, dialogue_id)
    shown = str(session.dialogue(LEARNER_B, dialogue_id))
    assert "Repeated_Error" not in shown
    assert "experience" not in shown


def test_a_turn_of_an_older_record_has_no_search(session: TutoringSession) -> None:
    dialogue_id = session.start(LOCAL_OWNER, problem_id=SHELVES)
    asyncio.run(say(session, dialogue_id, "156 / 12 = 13"))
    opening, first = session.instructor_desk.hint_reasons(LOCAL_OWNER, dialogue_id)
    assert (opening.read, opening.asked, opening.found) == ("", "", ())
    assert (first.read, first.nothing_because) == ("none", EMPTY)


def test_advice_holds_the_value_and_where_it_comes_from_but_no_id() -> None:
    told = advice_of(experience())
    assert told.strategy == "smaller_numbers"
    assert told.text.splitlines() == [
        "Where it helped: holds on to an operation that makes the result grow",
        "What was done: sets a little case of the same kind before the own numbers",
        "Step: ask for the little case",
        "Step: have it carried over",
        "Avoid: asking for the same fact again",
    ]
    assert told.source == (
        "made by rules; from a simulated learner; whose state was Neutral, Debugging, Concept_Error, Repeated_Error; "
        "admitted as it was given at 95 of 100; not used since"
    )


def test_advice_is_cut_to_its_share_line_by_line() -> None:
    from preceptor.tutoring.context_budget import advice_text, fit, fit_advice

    told = (advice_of(experience()), advice_of(experience(Strategy.ANALOGY)))
    limits = TutoringSettings(memory_tokens=0, course_tokens=0, experience_tokens=85)
    kept = fit(memory="", course="", experience=advice_text(told), settings=limits).experience
    cut = fit_advice(told, kept)
    assert [one.strategy for one in cut] == ["smaller_numbers"]
    assert told[0].text.startswith(cut[0].text)
    assert 1 <= len(cut[0].text.splitlines()) < 5
    assert fit_advice(told, advice_text(told)) == told
    assert fit_advice(told, "") == ()
    assert ABSENT.advice == ()
