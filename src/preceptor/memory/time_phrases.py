"""When a question asks about: "in July", "vor zwei Wochen", "上个月" → a window of whole days.

Against the learner's own calendar: the question's moment in the learner's time zone, weeks from Monday (ISO 8601).
A month without a year is the latest that has begun. What speaks of time and cannot be read is named in `unread`:
then there is no time filter, and the answer has to say so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from preceptor.errors import InputError
from preceptor.memory.phrase_table import LANGUAGES, PhraseTable, fold, likely_language, phrase_table

_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d{1,2})-(\d{1,2})(?![\w-])")
_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\w.])")
_SLASHED = re.compile(r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
_CHINESE_DIGITS = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}

Days = tuple[date, date]
"""First and last day, both inclusive."""


@dataclass(frozen=True, kw_only=True)
class TimeWindow:
    """Whole days of one calendar."""

    first_day: date
    last_day: date
    """Inclusive."""
    time_zone: str

    @property
    def starts_at(self) -> datetime:
        """The first moment inside, UTC."""
        return datetime.combine(self.first_day, time(), ZoneInfo(self.time_zone)).astimezone(UTC)

    @property
    def ends_at(self) -> datetime:
        """The first moment after it, UTC."""
        after = self.last_day + timedelta(days=1)
        return datetime.combine(after, time(), ZoneInfo(self.time_zone)).astimezone(UTC)

    @property
    def is_month(self) -> bool:
        """Whether it is one whole calendar month."""
        return (self.first_day, self.last_day) == month_days(self.first_day.year, self.first_day.month)

    @property
    def is_year(self) -> bool:
        """Whether it is one whole calendar year."""
        return (self.first_day, self.last_day) == _whole_year(self.first_day.year)

    def holds(self, at: datetime) -> bool:
        """Whether a moment lies inside."""
        return self.starts_at <= at < self.ends_at


@dataclass(frozen=True, kw_only=True)
class TimeReading:
    """What a question says about time."""

    window: TimeWindow | None
    """`None`: no time filter."""
    phrase: str = ""
    """The words that were read."""
    span: tuple[int, int] | None = None
    """Where they stand in the question."""
    unread: str = ""
    """Words about time that could not be read; "" where there are none. With them there is no window."""


def read_time(text: str, *, language: str, now: datetime, time_zone: str) -> TimeReading:
    """Return the window a question asks about.

    Args:
        text: The question.
        language: Its language as far as known, BCP 47; the text's own small words may say otherwise.
        now: When it is asked, timezone-aware.
        time_zone: The learner's IANA zone.

    Raises:
        InputError: The zone is not known.
    """
    today = now.astimezone(zone_of(time_zone)).date()
    folded = fold(text)
    likely = likely_language(text, language)
    for code in (likely, *(other for other in LANGUAGES if other != likely)):
        found = _read(text, folded, phrase_table(code), today, certain_only=code != likely)
        if found is not None:
            days, (start, end) = found
            phrase = text[start:end]
            if days is None:
                return TimeReading(window=None, unread=phrase)
            window = TimeWindow(first_day=days[0], last_day=days[1], time_zone=time_zone)
            return TimeReading(window=window, phrase=phrase, span=(start, end))
    vague = phrase_table(likely).vague.search(folded)
    return TimeReading(window=None, unread=text[vague.start() : vague.end()] if vague else "")


def zone_of(time_zone: str) -> ZoneInfo:
    """Return an IANA zone.

    Raises:
        InputError: It is not known.
    """
    try:
        return ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InputError(f"time zone {time_zone!r}: expected an IANA name such as Europe/Berlin") from error


def _read(
    text: str, folded: str, table: PhraseTable, today: date, *, certain_only: bool
) -> tuple[Days | None, tuple[int, int]] | None:
    """Return (days, span); days are `None` where a phrase of time makes no date; `None` where there is no phrase."""
    if not certain_only:
        numeric = _numeric_date(folded, table.day_order)
        if numeric is not None:
            return numeric
    for kind, pattern in table.time:
        for match in pattern.finditer(folded):
            if certain_only and match.group().isascii() and " " not in match.group().strip():
                continue
            if not _is_month(kind, match, table, text, folded):
                continue
            try:
                days = _DAYS[kind](_Found(match, table, today))
            except (ValueError, OverflowError):
                days = None
            return days, match.span()
    return None


def _numeric_date(folded: str, day_order: str) -> tuple[Days | None, tuple[int, int]] | None:
    for pattern in (_ISO, _DOTTED, _SLASHED):
        match = pattern.search(folded)
        if match is None:
            continue
        first, second, third = (int(part) for part in match.groups())
        if pattern is _ISO:
            year, month, day = first, second, third
        elif pattern is _SLASHED and day_order == "ambiguous" and first <= 12 and second <= 12 and first != second:
            return None, match.span()  # 4/7 is in April or in July
        elif pattern is _SLASHED and day_order == "ambiguous" and second > 12:
            month, day, year = first, second, third
        else:
            day, month, year = first, second, third
        try:
            found = date(year, month, day)
        except ValueError:
            return None, match.span()
        return (found, found), match.span()
    return None


def _is_month(kind: str, match: re.Match[str], table: PhraseTable, text: str, folded: str) -> bool:
    """Whether a match that rests on a doubtful month name ("may", "march") is about a month."""
    if table.doubtful is None or kind not in {"month", "month_date"}:
        return True
    groups = match.groupdict()
    name = groups["month1"]
    if table.doubtful.fullmatch(name) is None or groups.get("year1"):
        return True
    start = match.start("month1")
    if kind == "month_date":
        return text[start].isupper() or match.start() < start
    if match.start() < start:
        return True
    return table.month_cues is not None and table.month_cues.search(folded[:start]) is not None


class _Found:
    """A match with its numbers read."""

    def __init__(self, match: re.Match[str], table: PhraseTable, today: date) -> None:
        self._groups = match.groupdict()
        self._table = table
        self.today = today

    def _value(self, name: str) -> str | None:
        return self._groups.get(name)

    def month(self, which: int = 1) -> int:
        name = self._value(f"month{which}") or self._value("month2") or ""
        return _index(self._table.months, name) + 1

    def weekday(self) -> int:
        name = next(value for key, value in self._groups.items() if key.startswith("weekday") and value)
        return _index(self._table.weekdays, name)

    def year(self, which: int = 1) -> int | None:
        value = self._value(f"year{which}")
        return int(value) if value else None

    def any_year(self) -> int:
        return int(next(value for key, value in self._groups.items() if key.startswith("year") and value))

    def day(self) -> int:
        return self._number(self._value("day1") or "")

    def n(self) -> int:
        return self._number(next(value for key, value in self._groups.items() if key[0] == "n" and value))

    def _number(self, word: str) -> int:
        if word.isdigit():
            value = int(word)
        else:
            value = self._table.numbers.get(word) or _chinese(word)
        if value < 1:
            raise ValueError(word)
        return value


def _index(patterns: tuple[str, ...], name: str) -> int:
    for place, pattern in enumerate(patterns):
        if re.fullmatch(pattern, name):
            return place
    raise ValueError(name)


def _chinese(word: str) -> int:
    tens, ten, ones = word.rpartition("十")
    if not ten:
        return _CHINESE_DIGITS.get(word, 0)
    return 10 * _CHINESE_DIGITS.get(tens, 1) + _CHINESE_DIGITS.get(ones, 0)


def month_days(year: int, month: int) -> Days:
    """Return the first and last day of a month."""
    first = date(year, month, 1)
    return first, (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _latest_month(month: int, today: date) -> int:
    """Return the year of the latest month of that name that has begun."""
    return today.year if month <= today.month else today.year - 1


def _month(found: _Found) -> Days:
    month = found.month()
    return month_days(found.year() or _latest_month(month, found.today), month)


def _last_month_named(found: _Found) -> Days:
    month = found.month()
    year = _latest_month(month, found.today)
    return month_days(year - 1 if month == found.today.month else year, month)


def _date(found: _Found) -> Days:
    month, day, year = found.month(), found.day(), found.year()
    if year is None:
        year = found.today.year
        if (month, day) > (found.today.month, found.today.day):
            year -= 1
        if (month, day) == (2, 29):
            year = next(one for one in range(year, year - 8, -1) if _is_leap(one))
    one = date(year, month, day)
    return one, one


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _between(found: _Found) -> Days:
    first, last = found.month(1), found.month(2)
    last_year = found.year(2) or found.year(1)
    if last_year is not None and found.year(2) is None and first > last:
        last_year += 1
    if last_year is None:
        last_year = _latest_month(last, found.today)
    first_year = found.year(1) or (last_year if first <= last else last_year - 1)
    days = month_days(first_year, first)[0], month_days(last_year, last)[1]
    if days[0] > days[1]:
        raise ValueError("the range runs backwards")
    return days


def _since(found: _Found) -> Days:
    return _month(found)[0], found.today


def _week(found: _Found, weeks_back: int) -> Days:
    monday = found.today - timedelta(days=found.today.weekday(), weeks=weeks_back)
    return monday, monday + timedelta(days=6)


def _months_back(found: _Found, months: int) -> Days:
    count = found.today.year * 12 + found.today.month - 1 - months
    return month_days(count // 12, count % 12 + 1)


def _years_back(found: _Found, years: int) -> Days:
    return _whole_year(found.today.year - years)


def _whole_year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _days_back(found: _Found, days: int) -> Days:
    one = found.today - timedelta(days=days)
    return one, one


def _until_today(found: _Found, days: int) -> Days:
    return found.today - timedelta(days=days), found.today


def _last_months(found: _Found, months: int) -> Days:
    first = _months_back(found, months)[0]
    last_of_it = month_days(first.year, first.month)[1].day
    return first.replace(day=min(found.today.day, last_of_it)), found.today


def _weekday(found: _Found) -> Days:
    """Return the latest such day before today."""
    back = (found.today.weekday() - found.weekday() - 1) % 7 + 1
    return _days_back(found, back)


def _weekday_of_week(found: _Found, weeks_back: int) -> Days:
    one = _week(found, weeks_back)[0] + timedelta(days=found.weekday())
    return one, one


_DAYS: Mapping[str, Callable[[_Found], Days]] = {
    "between": _between,
    "between_same": _between,
    "date": _date,
    "month_date": _date,
    "year_month_date": _date,
    "month": _month,
    "year_month": _month,
    "last_year_month": lambda found: month_days(found.today.year - 1, found.month()),
    "this_year_month": lambda found: month_days(found.today.year, found.month()),
    "last_month_named": _last_month_named,
    "since": _since,
    "since_zh": _since,
    "today": lambda found: _days_back(found, 0),
    "yesterday": lambda found: _days_back(found, 1),
    "before_yesterday": lambda found: _days_back(found, 2),
    "days_ago": lambda found: _days_back(found, found.n()),
    "days_ago1": lambda found: _days_back(found, 1),
    "days_ago2": lambda found: _days_back(found, 2),
    "this_week": lambda found: _week(found, 0),
    "last_week": lambda found: _week(found, 1),
    "weeks_ago": lambda found: _week(found, found.n()),
    "weeks_ago1": lambda found: _week(found, 1),
    "weeks_ago2": lambda found: _week(found, 2),
    "this_month": lambda found: _months_back(found, 0),
    "last_month": lambda found: _months_back(found, 1),
    "months_ago": lambda found: _months_back(found, found.n()),
    "months_ago1": lambda found: _months_back(found, 1),
    "months_ago2": lambda found: _months_back(found, 2),
    "this_year": lambda found: _years_back(found, 0),
    "last_year": lambda found: _years_back(found, 1),
    "years_ago": lambda found: _years_back(found, found.n()),
    "years_ago1": lambda found: _years_back(found, 1),
    "years_ago2": lambda found: _years_back(found, 2),
    "year": lambda found: _whole_year(found.any_year()),
    "weekday": _weekday,
    "week_before_weekday": lambda found: _weekday_of_week(found, 1),
    "this_week_weekday": lambda found: _weekday_of_week(found, 0),
    "last_days": lambda found: _until_today(found, found.n()),
    "last_weeks": lambda found: _until_today(found, 7 * found.n()),
    "last_weeks1": lambda found: _until_today(found, 7),
    "last_weeks2": lambda found: _until_today(found, 14),
    "last_months": lambda found: _last_months(found, found.n()),
    "last_months1": lambda found: _last_months(found, 1),
}
