"""The language-model engines of critic, mentor, distiller, rewriter, merger and reflection, beyond their contract."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.contract.test_experience_roles import critic_answer, judgement, value_answer
from tests.unit.experience_doubles import candidate
from tests.unit.planted_replies import GOOD, reviewed

from preceptor.domain.dialogue import Turn
from preceptor.domain.experience import Strategy
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.rubric import Critique, Dimension, Flag, turn_level
from preceptor.domain.tutor_evidence import Behaviour, TutorEvidence, TutorMove
from preceptor.errors import ModelCutError, ModelError, ModelOutputError, ModelTimeoutError, SettingsError
from preceptor.experience.abstract_sentence import abstract_sentence
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.distiller import AdmittedTurn, Distilled
from preceptor.experience.engines import (
    open_critic,
    open_distiller,
    open_mentor,
    open_merger,
    open_reflection,
    open_rewriter,
)
from preceptor.experience.llm_critic import LlmCritic, criteria_order
from preceptor.experience.llm_distiller import LlmDistiller
from preceptor.experience.llm_mentor import LlmMentor
from preceptor.experience.llm_merger import LlmMerger
from preceptor.experience.llm_reflection import LlmReflection, Reflection
from preceptor.experience.llm_rewriter import LlmRewriter
from preceptor.experience.mentor import Flaw, Revision
from preceptor.experience.repository_merger import BuiltinMerger
from preceptor.pedagogy.llm_observer import LlmObserver
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.settings import Settings
from preceptor.testing.scripted_model import ScriptedModel

MOMENT, REPLY = GOOD[0]


def later(turn: ReviewedTurn) -> ReviewedTurn:
    """The same turn after an earlier exchange."""
    history = (Turn(learner="I think 72", tutor="What does one kite need?"),)
    return replace(turn, context=replace(turn.context, history=history))


def critique(*answers: dict[str, Any] | Exception, turn: ReviewedTurn | None = None) -> Critique:
    return asyncio.run(LlmCritic(ScriptedModel(answers)).critique(turn or later(reviewed(MOMENT, REPLY))))


def test_order_of_criteria_follows_the_seed_and_is_recorded() -> None:
    orders = {criteria_order(seed) for seed in range(20)}
    assert len(orders) > 10
    assert all(sorted(order) == sorted(Dimension) for order in orders)
    assert criteria_order(None) == tuple(Dimension)
    assert criteria_order(7) == criteria_order(7)
    critic = LlmCritic(ScriptedModel([critic_answer()]), order_seed=7)
    said = [dimension.value for dimension in criteria_order(7)]
    assert "<criteria>" + "\n".join(said) + "</criteria>" in critic.render(reviewed(MOMENT, REPLY)).user
    found = asyncio.run(critic.critique(reviewed(MOMENT, REPLY)))
    assert "criteria order: " + ", ".join(said) in found.evidence


def test_judge_sees_the_reply_and_the_record_and_never_who_wrote_it() -> None:
    evidence = TutorEvidence(
        move=TutorMove.FOCUS, meaningful=True, behaviours=(Behaviour.ASKS_QUANTITY,), engine="school/secret-model"
    )
    turn = reviewed(MOMENT, REPLY)
    turn = replace(turn, observation=replace(turn.observation, engine="school/secret-model"), evidence=evidence)
    shown = LlmCritic(ScriptedModel([])).render(turn)
    assert REPLY in shown.user
    assert "the reply is: focus" in shown.user
    assert "the reply does: asks_quantity" in shown.user
    assert "secret-model" not in shown.user + shown.system
    assert {field for field in ReviewedTurn.__dataclass_fields__} <= {
        "context",
        "observation",
        "reply",
        "previous_moves",
        "evidence",
    }, "a field that may name an author has to be looked at here"


def test_reasons_come_before_scores_in_the_schema() -> None:
    schema = ScriptedModel([critic_answer()])
    asyncio.run(LlmCritic(schema).critique(reviewed(MOMENT, REPLY)))
    from preceptor.experience.llm_critic import CritiqueOutput, FlagsOutput, JudgementOutput

    assert list(JudgementOutput.model_fields) == ["criterion", "reason", "score"]
    assert next(iter(FlagsOutput.model_fields)) == "seen"
    assert list(CritiqueOutput.model_fields)[0] == "what_it_does"


@pytest.mark.parametrize("flag", list(Flag))
def test_a_flag_caps_whatever_the_model_scored(flag: Flag) -> None:
    found = critique(critic_answer(**{flag.value: True}))
    dimension, cap = {
        Flag.ANSWER_GIVEN: (Dimension.SCAFFOLDING, 0),
        Flag.PSEUDO_SCAFFOLDING: (Dimension.SCAFFOLDING, 2),
        Flag.FAKE_EMPATHY: (Dimension.EMPATHY, 2),
        Flag.MISDIAGNOSIS: (Dimension.ATTRIBUTION, 1),
    }[flag]
    assert found.scores.of(dimension).value == cap
    assert all(found.scores.of(other).value == 4 for other in Dimension if other is not dimension)


@pytest.mark.parametrize("fault", [ModelOutputError("no JSON"), ModelCutError("broke off")])
def test_an_answer_that_cannot_be_read_is_unscored_and_counted_and_never_a_score(fault: ModelError) -> None:
    critic = LlmCritic(ScriptedModel([fault, critic_answer(3)]))
    turn = later(reviewed(MOMENT, REPLY))
    failed, good = (asyncio.run(critic.critique(turn)) for _ in range(2))
    assert failed.percent is None
    assert set(failed.scores.unscored) == set(Dimension)
    assert type(fault).__name__ in failed.scores.empathy.reason
    assert (critic.asked, critic.unscored) == (2, 1)
    assert turn_level([[failed.scores, good.scores]]) == 75.0, "what is unscored is in no mean"


def test_a_model_that_is_not_reached_is_no_critique() -> None:
    with pytest.raises(ModelTimeoutError):
        critique(ModelTimeoutError("late"))


@pytest.mark.parametrize("case", ["missing", "twice", "null"])
def test_a_dimension_without_one_usable_score_is_unscored(case: str) -> None:
    said = critic_answer(3)
    if case == "missing":
        said["judgements"] = [one for one in said["judgements"] if one["criterion"] != "empathy"]
    elif case == "twice":
        said["judgements"] = [*said["judgements"], judgement("empathy", 0)]
    else:
        said["judgements"] = [
            judgement("empathy", None) if one["criterion"] == "empathy" else one for one in said["judgements"]
        ]
    found = critique(said)
    assert found.scores.unscored == (Dimension.EMPATHY,)
    assert found.percent is None


def test_only_adaptation_may_be_null() -> None:
    said = critic_answer(3)
    said["judgements"] = [
        judgement(one["criterion"], None) if one["criterion"] == "strategy_adaptation" else one
        for one in said["judgements"]
    ]
    found = critique(said)
    assert not found.scores.strategy_adaptation.applicable
    assert found.percent == 75.0


def revision_answer(**more: Any) -> dict[str, Any]:
    return {
        "flaws": [{"said": "states the sum", "code": "answer_giving"}],
        "reply": "What else  does one kite need?",
        "template": "What else does [part] need?",
        "strategy": "question_quantity",
        "strategy_notes": ["ask for the missing part", "ask for the missing part"],
        "pitfalls": ["naming the part"],
        "struggle_handling": "",
        "addresses": "leaves the part to the learner",
        **more,
    }


def revise(answer: dict[str, Any], earlier: tuple[tuple[Revision, Critique], ...] = ()) -> Revision | None:
    turn = reviewed(MOMENT, REPLY)
    judged = BuiltinCritic().critique_now(turn)
    return asyncio.run(LlmMentor(ScriptedModel([answer])).revise(turn, judged, earlier=earlier))


def test_mentor_names_flaws_and_hands_over_what_was_learnt() -> None:
    found = revise(revision_answer())
    assert found is not None
    assert found.flaws == (Flaw(code="answer_giving", said="states the sum"),)
    assert found.reply == "What else does one kite need?"
    assert found.strategy is Strategy.QUESTION_QUANTITY
    assert found.strategy_notes == ("ask for the missing part",)
    assert found.engine == "scripted/model"


def test_mentor_that_says_nothing_or_the_same_again_has_nothing_better() -> None:
    assert revise(revision_answer(reply="")) is None
    assert revise(revision_answer(reply=REPLY)) is None
    first = revise(revision_answer())
    assert first is not None
    judged = BuiltinCritic().critique_now(reviewed(MOMENT, first.reply))
    assert revise(revision_answer(), ((first, judged),)) is None


def test_mentor_sees_flags_scores_and_earlier_rounds() -> None:
    turn = reviewed(MOMENT, "The answer is 84.")
    judged = BuiltinCritic().critique_now(turn)
    first = revise(revision_answer())
    assert first is not None
    shown = LlmMentor(ScriptedModel([])).render(turn, judged, ((first, judged),)).user
    assert "fault: answer_given" in shown
    assert "scaffolding: 0" in shown
    assert "strategy_adaptation: not applicable" in shown
    assert first.reply in shown.split("<earlier>")[1]


def admitted(**more: Any) -> AdmittedTurn:
    turn = reviewed(MOMENT, REPLY)
    return AdmittedTurn(
        turn=turn, critique=BuiltinCritic().critique_now(turn), sentence="The learner leaves a part out.", **more
    )


def distil(answer: dict[str, Any], turn: AdmittedTurn | None = None) -> Distilled | None:
    return asyncio.run(LlmDistiller(ScriptedModel([answer])).distil(turn or admitted()))


def test_distiller_gives_a_value() -> None:
    found = distil(value_answer())
    assert found is not None
    assert found.value.scaffolding_steps == ("name what is there", "ask what is missing")
    assert found.usage is not None


@pytest.mark.parametrize(
    ("field", "text", "kind"),
    [
        ("applied_strategy", "asks for the 2 parts", "digit"),
        ("response_template", "What do the sticks of the kite need?", "thing"),
        ("premium_practice", "as Priya can see", "name"),
        ("struggle_handling", "x = part", "symbol"),
    ],
)
def test_distilled_words_of_the_problem_are_refused_and_never_quoted(field: str, text: str, kind: str) -> None:
    with pytest.raises(ModelOutputError, match=kind) as raised:
        distil(value_answer(**{field: text}))
    assert text not in str(raised.value)


def test_unread_turn_teaches_nothing_and_is_not_sent() -> None:
    turn = reviewed(MOMENT, REPLY)
    unread = replace(turn.observation, reading=Reading(status=ReadingStatus.UNREAD, read_as=""))
    model = ScriptedModel([])
    assert asyncio.run(LlmDistiller(model).distil(replace(admitted(), turn=replace(turn, observation=unread)))) is None
    assert model.prompts == []


def test_merged_words_must_be_abstract_and_say_something() -> None:
    known, other = candidate("The learner leaves a part out."), candidate("The learner forgets a part.")
    for said in (
        {**value_answer(), "sentence": "The learner leaves out 2 parts."},
        {**value_answer(), "sentence": ""},
        {**value_answer(applied_strategy=" "), "sentence": "The learner leaves a part out."},
    ):
        with pytest.raises(ModelOutputError):
            asyncio.run(LlmMerger(ScriptedModel([said])).merge(known, other))


@pytest.mark.parametrize(
    "said", [{"sentence": " "}, {"sentence": "The learner added 3 and 4."}, ModelTimeoutError("late")]
)
def test_rewriting_falls_back_to_the_diagnostic_text(said: dict[str, Any] | Exception) -> None:
    rewriter = LlmRewriter(ScriptedModel([said]))
    found = asyncio.run(abstract_sentence("adds equal groups", "is unsure", rewriter=rewriter))
    assert (found.text, found.made_by) == ("The learner adds equal groups and is unsure.", "fallback")
    assert found.reason


def reflection_answer(**better: Any) -> dict[str, Any]:
    said = critic_answer(3, answer_given=True)
    return {
        "learner": {
            "error_detail": "leaves a part out",
            "struggle_reason": "",
            "emotion": "Neutral",
            "intent": "Debugging",
            "error_type": "Logic_Error",
            "struggle_status": "First_Attempt",
        },
        "faults": said["faults"],
        "judgements": said["judgements"],
        "revision_wanted": True,
        "better": revision_answer(**better),
    }


def reflect(answer: dict[str, Any]) -> Reflection:
    return asyncio.run(LlmReflection(ScriptedModel([answer])).reflect(later(reviewed(MOMENT, REPLY))))


def test_one_reflection_gives_state_scores_and_revision_with_caps_in_code() -> None:
    found = reflect(reflection_answer())
    assert found.error_detail == "leaves a part out"
    assert found.critique.scores.scaffolding.value == 0
    assert found.critique.revision_wanted is True
    assert found.revision is not None
    assert reflect(reflection_answer(reply="")).revision is None


def test_reflection_is_shown_no_observation() -> None:
    turn = reviewed(MOMENT, REPLY)
    turn = replace(turn, observation=replace(turn.observation, error_detail="a very special difficulty"))
    assert "very special" not in LlmReflection(ScriptedModel([])).render(turn).user


class Recorded:
    """A reply observer that always records the same."""

    async def observe_reply(self, turn: TurnContext, observation: Observation, reply: str) -> TutorEvidence:
        return TutorEvidence(move=TutorMove.GENERIC, meaningful=False, skipped_because="greeting")


class Computed:
    """Never asked here."""

    async def observe(self, turn: TurnContext) -> Observation:
        raise AssertionError("the utterance was observed before")


def observe_reply(said: dict[str, Any] | Exception, base: Recorded | None = None) -> TutorEvidence:
    turn = reviewed(MOMENT, REPLY)
    observer = LlmObserver(ScriptedModel([said]), base=Computed(), reply_base=base)
    return asyncio.run(observer.observe_reply(turn.context, turn.observation, REPLY))


REPLY_ANSWER: dict[str, Any] = {
    "summary": "The learner left a part out and was asked for it.",
    "behaviours": ["asks_quantity", "credits_part", "asks_quantity"],
    "move": "focus",
    "meaningful": True,
}


def test_offline_observer_records_what_the_reply_does() -> None:
    found = observe_reply(REPLY_ANSWER)
    assert (found.move, found.meaningful, found.skipped_because) == (TutorMove.FOCUS, True, "")
    assert found.behaviours == (Behaviour.ASKS_QUANTITY, Behaviour.CREDITS_PART)
    assert found.summary == REPLY_ANSWER["summary"]
    assert observe_reply({**REPLY_ANSWER, "summary": "The learner added 12."}).summary == ""


def test_offline_observer_falls_back_to_what_is_computed_and_says_so() -> None:
    found = observe_reply(ModelTimeoutError("late"), Recorded())
    assert found.move is TutorMove.GENERIC
    assert found.engine == "builtin (scripted/model: ModelTimeoutError)"
    with pytest.raises(ModelTimeoutError):
        observe_reply(ModelTimeoutError("late"))


def bound(role: str, **more: str) -> Settings:
    return Settings.model_validate({"roles": {role: {"engine": "llm", **more}}})


def test_engines_are_builtin_until_the_settings_say_otherwise() -> None:
    settings = Settings()
    assert isinstance(open_critic(settings), BuiltinCritic)
    assert isinstance(open_merger(settings), BuiltinMerger)
    mentor, distiller = LlmMentor(ScriptedModel([])), LlmDistiller(ScriptedModel([]))
    assert open_mentor(settings, mentor) is mentor
    assert open_distiller(settings, distiller) is distiller
    with pytest.raises(SettingsError, match=r"roles\.reflection"):
        open_reflection(settings)


@pytest.mark.parametrize("role", ["critic", "mentor", "distiller", "rewriter", "merger", "reflection"])
def test_engines_open_the_model_that_a_role_is_bound_to(role: str) -> None:
    mentor, distiller = LlmMentor(ScriptedModel([])), LlmDistiller(ScriptedModel([]))
    made: dict[str, Any] = {
        "critic": open_critic,
        "mentor": lambda settings: open_mentor(settings, mentor),
        "distiller": lambda settings: open_distiller(settings, distiller),
        "rewriter": open_rewriter,
        "merger": open_merger,
        "reflection": open_reflection,
    }
    with pytest.raises(SettingsError, match=f"roles.{role}: engine is llm"):
        made[role](bound(role))
    settings = Settings.model_validate(
        {
            "roles": {role: {"engine": "llm", "provider": "here", "model": "m"}},
            "providers": {"here": {"base_url": "http://127.0.0.1:9/v1"}},
        }
    )
    assert type(made[role](settings)).__name__ == f"Llm{role.capitalize()}"
    assert settings.roles.critic.temperature == 0
