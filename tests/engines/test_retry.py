"""Which failures are tried again, and when."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.engines.pacing.retry import (
    BACKOFF_BASE_S,
    BACKOFF_CAP_S,
    MAX_RETRY_AFTER_S,
    delay_before,
    is_retryable,
    retry_after_of,
)
from samsim.engines.wire.base import failure_of_status
from samsim.schemas.calls import FailureKind
from tests.support.strategies import steady

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC).timestamp()
JITTERS = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529, 599])
def test_passing_statuses_are_tried_again(status: int) -> None:
    failure = failure_of_status(status)
    assert failure is not None
    assert is_retryable(failure)


@pytest.mark.parametrize("status", [200, 201, 301, 400, 401, 402, 403, 404, 413, 422])
def test_lasting_statuses_are_not(status: int) -> None:
    failure = failure_of_status(status)
    assert failure is None or not is_retryable(failure)


def test_exactly_four_failures_are_tried_again() -> None:
    retried = {kind for kind in get_args(FailureKind) if is_retryable(kind)}
    assert retried == {"timeout", "connection", "rate_limited", "server_error"}


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (200, None),
        (204, None),
        (301, "bad_request"),
        (400, "bad_request"),
        (401, "auth"),
        (402, "auth"),
        (403, "auth"),
        (404, "bad_request"),
        (408, "timeout"),
        (409, "server_error"),
        (413, "too_large"),
        (429, "rate_limited"),
        (500, "server_error"),
        (504, "timeout"),
    ],
)
def test_what_a_status_means(status: int, failure: FailureKind | None) -> None:
    assert failure_of_status(status) == failure


def test_the_back_off_doubles_up_to_its_cap() -> None:
    latest = [delay_before(attempt, None, jitter=1.0) for attempt in range(1, 10)]
    assert latest == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


@steady
@given(attempt=st.integers(1, 10_000), jitter=JITTERS)
def test_jitter_spreads_over_the_upper_half(attempt: int, jitter: float) -> None:
    latest = delay_before(attempt, None, jitter=1.0)
    assert latest / 2 <= delay_before(attempt, None, jitter) <= latest <= BACKOFF_CAP_S


@steady
@given(attempt=st.integers(1, 50), asked=st.floats(0, 1e6), jitter=JITTERS)
def test_a_server_is_never_undercut(attempt: int, asked: float, jitter: float) -> None:
    wait = delay_before(attempt, asked, jitter)
    assert min(asked, MAX_RETRY_AFTER_S) <= wait <= MAX_RETRY_AFTER_S + BACKOFF_BASE_S


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("7", 7),
        (" 2.5 ", 2.5),
        ("-3", 0),
        ("86400", 120),
        ("Sun, 15 Nov 2026 12:00:30 GMT", 30),
        ("Sunday, 15-Nov-26 12:00:30 GMT", 30),
        ("Sun Nov 15 12:00:30 2026", 30),
        ("Sun, 15 Nov 2026 12:00:30 -0000", 30),
        ("Sun, 15 Nov 2026 21:00:30 +0900", 30),
        ("Sun, 15 Nov 2026 11:59:00 GMT", 0),
        ("Fri, 15 Nov 2126 12:00:00 GMT", 120),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("1 Foo 2026", None),
    ],
)
def test_retry_after_as_seconds_and_as_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_of({"Retry-After": value}, NOW) == seconds


def test_a_date_without_a_zone_is_not_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Seoul")
    time.tzset()
    try:
        assert retry_after_of({"Retry-After": "Sun Nov 15 12:00:30 2026"}, NOW) == 30
    finally:
        monkeypatch.undo()
        time.tzset()


def test_milliseconds_win_and_names_are_read_in_any_case() -> None:
    assert retry_after_of({"RETRY-AFTER": "9", "Retry-After-Ms": "250"}, NOW) == 0.25
    assert retry_after_of({"retry-after-ms": "?", "retry-after": "9"}, NOW) == 9
    assert retry_after_of({"content-type": "application/json"}, NOW) is None


@steady
@given(st.text(max_size=40))
def test_no_header_breaks_it(value: str) -> None:
    wait = retry_after_of({"retry-after": value}, NOW)
    assert wait is None or 0 <= wait <= MAX_RETRY_AFTER_S


@steady
@given(st.integers(0, 119))
def test_a_written_date_is_read_back(seconds: int) -> None:
    date = format_datetime(datetime.fromtimestamp(NOW + seconds, UTC), usegmt=True)
    assert retry_after_of({"retry-after": date}, NOW) == seconds
