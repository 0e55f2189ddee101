"""Times sort and come back as they were."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.stores.instants import instant_from, instant_text

unhurried = settings(deadline=None)
"""The machine may be busy."""
aware = st.builds(
    lambda seconds, micros, minutes: (
        datetime.fromtimestamp(seconds, timezone(timedelta(minutes=minutes))) + timedelta(microseconds=micros)
    ),
    st.integers(86_400, 200_000_000_000),
    st.integers(0, 999_999),
    st.integers(-14 * 60, 14 * 60),
)


@unhurried
@given(aware)
def test_a_time_comes_back_as_the_same_moment(at: datetime) -> None:
    assert instant_from(instant_text(at)) == at


@unhurried
@given(aware, aware)
def test_texts_sort_as_the_times_do(one: datetime, other: datetime) -> None:
    assert (instant_text(one) < instant_text(other)) == (one < other)


def test_the_text_is_utc_of_fixed_width() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))
    assert instant_text(datetime(2026, 1, 31, 5, 0, tzinfo=zone)) == "2026-01-30T23:15:00.000000Z"
    assert instant_text(datetime(2026, 1, 31, 5, 0, tzinfo=UTC)) == "2026-01-31T05:00:00.000000Z"


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="timezone-aware"):
        instant_text(datetime(2026, 1, 31))  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["2026-01-31T05:00:00Z", "2026-01-31 05:00:00.000000Z", "2026-01-31T05:00:00,000000Z", "soon"]
)
def test_another_spelling_of_a_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a stored time must be written"):
        instant_from(text)
