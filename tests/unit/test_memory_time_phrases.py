"""Time phrases in six languages: asked on Wednesday, 11 November 2026, in Berlin unless said otherwise."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from preceptor.errors import InputError
from preceptor.memory.time_phrases import TimeReading, read_time

NOW = datetime(2026, 11, 11, 9, 30, tzinfo=UTC)

NONE = "none"
UNREAD = "unread"

PHRASES: dict[str, list[tuple[str, str]]] = {
    "en": [
        ("what did we cover in July?", "2026-07-01..2026-07-31"),
        ("what did I learn in December", "2025-12-01..2025-12-31"),
        ("and in November?", "2026-11-01..2026-11-30"),
        ("last November", "2025-11-01..2025-11-30"),
        ("in May 2024 we did fractions", "2024-05-01..2024-05-31"),
        ("what did we do in May", "2026-05-01..2026-05-31"),
        ("may I see my mistakes", NONE),
        ("this may be wrong", NONE),
        ("the ants march to the hill", NONE),
        ("show me the second step", NONE),
        ("that took a month of Sundays", NONE),
        ("the server runs on port 2019", NONE),
        ("there are 12 months in a year", NONE),
        ("I need a week for this", NONE),
        ("last week", "2026-11-02..2026-11-08"),
        ("this week", "2026-11-09..2026-11-15"),
        ("two weeks ago", "2026-10-26..2026-11-01"),
        ("the week before last", "2026-10-26..2026-11-01"),
        ("yesterday", "2026-11-10..2026-11-10"),
        ("the day before yesterday", "2026-11-09..2026-11-09"),
        ("today", "2026-11-11..2026-11-11"),
        ("3 days ago", "2026-11-08..2026-11-08"),
        ("thirteen days ago", "2026-10-29..2026-10-29"),
        ("twenty days ago", "2026-10-22..2026-10-22"),
        ("twenty-one days ago", "2026-10-21..2026-10-21"),
        ("thirty five days ago", "2026-10-07..2026-10-07"),
        ("over the last twenty-two weeks", "2026-06-10..2026-11-11"),
        ("last Monday", "2026-11-09..2026-11-09"),
        ("on Wednesday", "2026-11-04..2026-11-04"),
        ("last month", "2026-10-01..2026-10-31"),
        ("three months ago", "2026-08-01..2026-08-31"),
        ("in 2025", "2025-01-01..2025-12-31"),
        ("between March and May", "2026-03-01..2026-05-31"),
        ("between November and February", "2025-11-01..2026-02-28"),
        ("from March to May 2025", "2025-03-01..2025-05-31"),
        ("since September", "2026-09-01..2026-11-11"),
        ("over the last two weeks", "2026-10-28..2026-11-11"),
        ("on 12 July", "2026-07-12..2026-07-12"),
        ("July 4th, 2025", "2025-07-04..2025-07-04"),
        ("on 2026-02-03", "2026-02-03..2026-02-03"),
        ("on 25/12/2025", "2025-12-25..2025-12-25"),
        ("on 4/7/2026", UNREAD),
        ("on 4/4/2026", "2026-04-04..2026-04-04"),
        ("on 12/25/2025", "2025-12-25..2025-12-25"),
        ("on 11 November", "2026-11-11..2026-11-11"),
        ("on 12 November", "2025-11-12..2025-11-12"),
        ("on 29 February", "2024-02-29..2024-02-29"),
        ("from November 2024 to February", "2024-11-01..2025-02-28"),
        ("from May 2025 to March 2025", UNREAD),
        ("on 31 February", UNREAD),
        ("what did we do the other day", UNREAD),
        ("a few weeks ago", UNREAD),
        ("before the exam", UNREAD),
    ],
    "es": [
        ("¿qué vimos en julio?", "2026-07-01..2026-07-31"),
        ("en diciembre", "2025-12-01..2025-12-31"),
        ("en mayo de 2024", "2024-05-01..2024-05-31"),
        ("el mes de agosto", "2026-08-01..2026-08-31"),
        ("la semana pasada", "2026-11-02..2026-11-08"),
        ("esta semana", "2026-11-09..2026-11-15"),
        ("hace dos semanas", "2026-10-26..2026-11-01"),
        ("ayer", "2026-11-10..2026-11-10"),
        ("anteayer", "2026-11-09..2026-11-09"),
        ("hoy", "2026-11-11..2026-11-11"),
        ("hace 3 días", "2026-11-08..2026-11-08"),
        ("el lunes pasado", "2026-11-09..2026-11-09"),
        ("el miércoles", "2026-11-04..2026-11-04"),
        ("el mes pasado", "2026-10-01..2026-10-31"),
        ("hace tres meses", "2026-08-01..2026-08-31"),
        ("en 2025", "2025-01-01..2025-12-31"),
        ("el año pasado", "2025-01-01..2025-12-31"),
        ("entre marzo y mayo", "2026-03-01..2026-05-31"),
        ("desde septiembre", "2026-09-01..2026-11-11"),
        ("el 12 de julio", "2026-07-12..2026-07-12"),
        ("el 4/7/2026", "2026-07-04..2026-07-04"),
        ("en las últimas dos semanas", "2026-10-28..2026-11-11"),
        ("la segunda parte", NONE),
        ("explícame el paso dos", NONE),
        ("hace poco", UNREAD),
        ("el otro día", UNREAD),
        ("el 31 de febrero", UNREAD),
    ],
    "fr": [
        ("qu'est-ce qu'on a vu en juillet ?", "2026-07-01..2026-07-31"),
        ("en décembre", "2025-12-01..2025-12-31"),
        ("en mars", "2026-03-01..2026-03-31"),
        ("la planète Mars", NONE),
        ("en août 2024", "2024-08-01..2024-08-31"),
        ("au mois de mai", "2026-05-01..2026-05-31"),
        ("la semaine dernière", "2026-11-02..2026-11-08"),
        ("cette semaine", "2026-11-09..2026-11-15"),
        ("il y a deux semaines", "2026-10-26..2026-11-01"),
        ("hier", "2026-11-10..2026-11-10"),
        ("avant-hier", "2026-11-09..2026-11-09"),
        ("aujourd'hui", "2026-11-11..2026-11-11"),
        ("il y a 3 jours", "2026-11-08..2026-11-08"),
        ("lundi dernier", "2026-11-09..2026-11-09"),
        ("le mois dernier", "2026-10-01..2026-10-31"),
        ("il y a trois mois", "2026-08-01..2026-08-31"),
        ("en 2025", "2025-01-01..2025-12-31"),
        ("l'année dernière", "2025-01-01..2025-12-31"),
        ("entre mars et mai", "2026-03-01..2026-05-31"),
        ("depuis septembre", "2026-09-01..2026-11-11"),
        ("le 12 juillet", "2026-07-12..2026-07-12"),
        ("le 1er mai 2025", "2025-05-01..2025-05-01"),
        ("une seconde, s'il te plaît", NONE),
        ("récemment", UNREAD),
        ("l'autre jour", UNREAD),
        ("il y a longtemps", UNREAD),
    ],
    "de": [
        ("was haben wir im Juli gemacht?", "2026-07-01..2026-07-31"),
        ("im Dezember", "2025-12-01..2025-12-31"),
        ("im März 2024", "2024-03-01..2024-03-31"),
        ("im Mai", "2026-05-01..2026-05-31"),
        ("letzten November", "2025-11-01..2025-11-30"),
        ("letzte Woche", "2026-11-02..2026-11-08"),
        ("diese Woche", "2026-11-09..2026-11-15"),
        ("vor zwei Wochen", "2026-10-26..2026-11-01"),
        ("vorletzte Woche", "2026-10-26..2026-11-01"),
        ("gestern", "2026-11-10..2026-11-10"),
        ("vorgestern", "2026-11-09..2026-11-09"),
        ("heute", "2026-11-11..2026-11-11"),
        ("vor 3 Tagen", "2026-11-08..2026-11-08"),
        ("letzten Montag", "2026-11-09..2026-11-09"),
        ("am Mittwoch", "2026-11-04..2026-11-04"),
        ("letzten Monat", "2026-10-01..2026-10-31"),
        ("vor drei Monaten", "2026-08-01..2026-08-31"),
        ("im Jahr 2025", "2025-01-01..2025-12-31"),
        ("letztes Jahr", "2025-01-01..2025-12-31"),
        ("zwischen März und Mai", "2026-03-01..2026-05-31"),
        ("seit September", "2026-09-01..2026-11-11"),
        ("am 12. Juli", "2026-07-12..2026-07-12"),
        ("am 4.7.2026", "2026-07-04..2026-07-04"),
        ("in den letzten zwei Wochen", "2026-10-28..2026-11-11"),
        ("die zweite Aufgabe", NONE),
        ("hier ist mein Rechenweg", NONE),
        ("neulich", UNREAD),
        ("vor der Prüfung", UNREAD),
        ("vor einigen Wochen", UNREAD),
    ],
    "ar": [
        ("ماذا درسنا في يوليو؟", "2026-07-01..2026-07-31"),
        ("في تموز", "2026-07-01..2026-07-31"),
        ("في ديسمبر", "2025-12-01..2025-12-31"),
        ("في شهر آب", "2026-08-01..2026-08-31"),
        ("أب وأم وطفل", NONE),
        ("في مايو 2024", "2024-05-01..2024-05-31"),
        ("الأسبوع الماضي", "2026-11-02..2026-11-08"),
        ("هذا الأسبوع", "2026-11-09..2026-11-15"),
        ("قبل أسبوعين", "2026-10-26..2026-11-01"),
        ("أمس", "2026-11-10..2026-11-10"),
        ("أول أمس", "2026-11-09..2026-11-09"),
        ("اليوم", "2026-11-11..2026-11-11"),
        ("قبل ٣ أيام", "2026-11-08..2026-11-08"),
        ("يوم الاثنين الماضي", "2026-11-09..2026-11-09"),
        ("الشهر الماضي", "2026-10-01..2026-10-31"),
        ("قبل ثلاثة أشهر", "2026-08-01..2026-08-31"),
        ("في عام ٢٠٢٥", "2025-01-01..2025-12-31"),
        ("السنة الماضية", "2025-01-01..2025-12-31"),
        ("بين مارس ومايو", "2026-03-01..2026-05-31"),
        ("منذ سبتمبر", "2026-09-01..2026-11-11"),
        ("في 12 يوليو", "2026-07-12..2026-07-12"),
        ("قبل شهرين", "2026-09-01..2026-09-30"),
        ("الخطوة الثانية", NONE),
        ("مؤخرا", UNREAD),
        ("قبل الامتحان", UNREAD),
    ],
    "zh": [
        ("我们七月学了什么？", "2026-07-01..2026-07-31"),
        ("12月", "2025-12-01..2025-12-31"),
        ("十一月", "2026-11-01..2026-11-30"),
        ("2024年5月", "2024-05-01..2024-05-31"),
        ("去年十二月", "2025-12-01..2025-12-31"),
        ("上周", "2026-11-02..2026-11-08"),
        ("这周", "2026-11-09..2026-11-15"),
        ("两周前", "2026-10-26..2026-11-01"),
        ("上上周", "2026-10-26..2026-11-01"),
        ("昨天", "2026-11-10..2026-11-10"),
        ("前天", "2026-11-09..2026-11-09"),
        ("今天", "2026-11-11..2026-11-11"),
        ("三天前", "2026-11-08..2026-11-08"),
        ("十二天前", "2026-10-30..2026-10-30"),
        ("二十天前", "2026-10-22..2026-10-22"),
        ("最近二十一天", "2026-10-21..2026-11-11"),
        ("两三天前", UNREAD),
        ("上周一", "2026-11-02..2026-11-02"),
        ("星期三", "2026-11-04..2026-11-04"),
        ("上个月", "2026-10-01..2026-10-31"),
        ("三个月前", "2026-08-01..2026-08-31"),
        ("2025年", "2025-01-01..2025-12-31"),
        ("去年", "2025-01-01..2025-12-31"),
        ("三月到五月", "2026-03-01..2026-05-31"),
        ("7月12日", "2026-07-12..2026-07-12"),
        ("二〇的一半是十", NONE),
        ("第二步怎么做", NONE),
        ("前几天", UNREAD),
        ("考试前", UNREAD),
        ("2月31日", UNREAD),
    ],
}


def _short(reading: TimeReading) -> str:
    if reading.unread:
        assert reading.window is None
        return UNREAD
    if reading.window is None:
        return NONE
    return f"{reading.window.first_day}..{reading.window.last_day}"


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [(language, text, wanted) for language, rows in PHRASES.items() for text, wanted in rows],
)
def test_a_phrase_is_read_as_its_days(language: str, text: str, wanted: str) -> None:
    reading = read_time(text, language=language, now=NOW, time_zone="Europe/Berlin")
    assert _short(reading) == wanted, reading


def test_every_language_has_its_twenty_phrases() -> None:
    assert {language: len(rows) >= 20 for language, rows in PHRASES.items()} == dict.fromkeys(PHRASES, True)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("Pacific/Auckland", date(2026, 7, 31)), ("America/Los_Angeles", date(2026, 7, 30)), ("UTC", date(2026, 7, 30))],
)
def test_yesterday_is_the_learners_yesterday(zone: str, day: date) -> None:
    now = datetime(2026, 7, 31, 23, 0, tzinfo=UTC)
    reading = read_time("yesterday", language="en", now=now, time_zone=zone)
    assert reading.window is not None
    assert reading.window.first_day == day


def test_a_window_begins_and_ends_at_the_learners_midnight_through_a_clock_change() -> None:
    reading = read_time("in March 2026", language="en", now=NOW, time_zone="Europe/Berlin")
    assert reading.window is not None
    assert reading.window.starts_at == datetime(2026, 2, 28, 23, tzinfo=UTC)
    assert reading.window.ends_at == datetime(2026, 3, 31, 22, tzinfo=UTC)
    assert reading.window.holds(datetime(2026, 3, 31, 21, 59, tzinfo=UTC))
    assert not reading.window.holds(datetime(2026, 3, 31, 22, 0, tzinfo=UTC))


def test_a_window_holds_its_first_moment_and_not_the_one_after_its_last() -> None:
    reading = read_time("in 2025", language="en", now=NOW, time_zone="UTC")
    assert reading.window is not None
    assert reading.window.is_year
    assert not reading.window.is_month
    assert reading.window.holds(datetime(2025, 1, 1, tzinfo=UTC))
    assert not reading.window.holds(datetime(2026, 1, 1, tzinfo=UTC))


def test_the_last_month_begins_on_the_same_day_or_on_its_month_s_last() -> None:
    for now, first in ((datetime(2026, 7, 31, tzinfo=UTC), date(2026, 6, 30)), (NOW, date(2026, 10, 11))):
        reading = read_time("over the last month", language="en", now=now, time_zone="UTC")
        assert reading.window is not None
        assert (reading.window.first_day, reading.window.last_day) == (first, now.date())


def test_a_question_in_another_language_than_said_is_read_in_its_own() -> None:
    reading = read_time("was habe ich letzte Woche gelernt", language="en", now=NOW, time_zone="Europe/Berlin")
    assert _short(reading) == "2026-11-02..2026-11-08"


def test_an_unknown_time_zone_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="Mars/Olympus"):
        read_time("yesterday", language="en", now=NOW, time_zone="Mars/Olympus")
