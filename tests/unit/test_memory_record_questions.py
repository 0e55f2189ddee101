"""Questions about the learner's own record, in six languages, and questions that only look like them."""

from __future__ import annotations

import pytest

from preceptor.memory.record_questions import learned_question, record_question
from preceptor.messages.head import MessageHead

ASKED = [
    ("en", "what did we do in July?", "what_done"),
    ("en", "What have we covered so far?", "what_done"),
    ("en", "what did I get wrong", "got_wrong"),
    ("en", "Which questions did I get wrong last week?", "got_wrong"),
    ("en", "what are my mistakes", "got_wrong"),
    ("en", "when did we last talk about ratios?", "when"),
    ("en", "can you explain ratios again", "explain_again"),
    ("en", "How am I doing?", "how_am_i_doing"),
    ("en", "what do you remember about me", "what_taught"),
    ("en", "what did I get right yesterday", "got_right"),
    ("es", "¿Qué hicimos en julio?", "what_done"),
    ("es", "¿en qué me equivoqué?", "got_wrong"),
    ("es", "¿cuándo vimos las fracciones?", "when"),
    ("es", "explícamelo otra vez", "explain_again"),
    ("es", "¿cómo voy?", "how_am_i_doing"),
    ("fr", "Qu'est-ce qu'on a fait en juillet ?", "what_done"),
    ("fr", "qu'est-ce que j'ai raté ?", "got_wrong"),
    ("fr", "quelles sont mes erreurs", "got_wrong"),
    ("fr", "quand avons-nous vu les fractions ?", "when"),
    ("fr", "explique-moi encore une fois", "explain_again"),
    ("de", "was habe ich letzte Woche gelernt", "what_done"),
    ("de", "Was haben wir im Juli gemacht?", "what_done"),
    ("de", "was habe ich falsch gemacht", "got_wrong"),
    ("de", "Wann haben wir Brüche behandelt?", "when"),
    ("de", "erklär mir das noch mal", "explain_again"),
    ("de", "wie stehe ich", "how_am_i_doing"),
    ("ar", "ماذا أخطأت", "got_wrong"),
    ("ar", "ما هي أخطائي؟", "got_wrong"),
    ("ar", "ماذا درسنا في يوليو؟", "what_done"),
    ("ar", "متى درسنا الكسور؟", "when"),
    ("ar", "اشرح لي مرة أخرى", "explain_again"),
    ("zh", "我们七月学了什么？", "what_done"),
    ("zh", "我做错了哪些题？", "got_wrong"),
    ("zh", "我们什么时候学过分数？", "when"),
    ("zh", "再讲一遍", "explain_again"),
    ("zh", "我学得怎么样？", "how_am_i_doing"),
]

NOT_ASKED = [
    ("en", "What did Tom do with the 12 apples?"),
    ("en", "what is a ratio?"),
    ("en", "is this wrong?"),
    ("en", "I think it is 3/4"),
    ("en", "How many did she sell in May?"),
    ("en", "when did the train arrive at the station?"),
    ("es", "¿Cuántas manzanas vendió Ana en julio?"),
    ("es", "¿qué es una fracción?"),
    ("fr", "combien de pommes a-t-il vendues en juillet ?"),
    ("de", "Wie viele Äpfel hat Anna im Juli verkauft?"),
    ("de", "Was ist ein Bruch?"),
    ("ar", "ما هو الكسر؟"),
    ("ar", "كم تفاحة باع أحمد في يوليو؟"),
    ("zh", "小明七月卖了多少个苹果？"),
    ("zh", "分数是什么？"),
]


@pytest.mark.parametrize(("language", "text", "kind"), ASKED)
def test_a_question_about_the_record_is_told_by_its_kind(language: str, text: str, kind: str) -> None:
    found = record_question(text, language)
    assert found is not None
    assert (found.kind, found.language) == (kind, language)
    assert text[found.span[0] : found.span[1]] == found.phrase


@pytest.mark.parametrize(("language", "text"), NOT_ASKED)
def test_a_question_about_the_subject_is_none_about_the_record(language: str, text: str) -> None:
    assert record_question(text, language) is None


def test_a_question_in_another_language_than_said_is_still_understood() -> None:
    for text, kind in (("was habe ich letzte Woche gelernt", "what_done"), ("ماذا أخطأت", "got_wrong")):
        found = record_question(text, "en")
        assert found is not None
        assert found.kind == kind


class SureOfEverything(MessageHead):
    """A head that takes every text for a question of one kind."""

    def __init__(self) -> None:
        """Hold no weights."""

    def chances(self, text: str) -> dict[str, float]:
        return {"none": 0.01, "what_done": 0.99}


@pytest.mark.parametrize(
    ("language", "text", "asks"),
    [("zh", "我们学习了分数加法", False), ("zh", "分数", False), ("en", "fractions", False),
     ("en", "so what was it we did", True), ("zh", "上周我们学了什么", True)],
)  # fmt: skip
def test_the_head_is_not_asked_of_what_names_a_matter_only(language: str, text: str, asks: bool) -> None:
    assert (learned_question(text, language, head=SureOfEverything()) is not None) == asks


@pytest.mark.parametrize(
    ("language", "text"),
    [("zh", "我们学习了分数加法"), ("zh", "分数"), ("en", "fractions"), ("de", "Brüche, Anteile"), ("ar", "الكسور")],
)
def test_what_names_a_matter_or_tells_what_was_done_asks_nothing(language: str, text: str) -> None:
    assert record_question(text, language) is None
