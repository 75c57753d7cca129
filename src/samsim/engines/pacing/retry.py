"""Whether a failed attempt is worth a retry, and how long to wait before it. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from samsim.schemas.calls import FailureKind

MAX_RETRY_AFTER_S = 120.0
BACKOFF_BASE_S = 0.5
BACKOFF_CAP_S = 30.0

_RETRYABLE: frozenset[FailureKind] = frozenset({"timeout", "connection", "rate_limited", "server_error"})


def is_retryable(failure: FailureKind) -> bool:
    """Return whether the same request may succeed if sent again."""
    return failure in _RETRYABLE


def delay_before(
    attempt: int,
    retry_after: float | None,
    jitter: float,
    base: float = BACKOFF_BASE_S,
    cap: float = BACKOFF_CAP_S,
) -> float:
    """Return the seconds to wait after ``attempt`` failed tries (1, 2, …).

    The backoff doubles up to ``cap``; ``jitter`` in [0, 1) spreads it over its upper half, so that
    callers that failed together do not retry together. The wait is never shorter than the server's
    ``retry_after``, and at most ``base`` longer.
    """
    if retry_after is not None:
        return min(retry_after, MAX_RETRY_AFTER_S) + jitter * base
    # Bound the exponent first: 2 ** 2000 does not fit in a float.
    backoff = min(cap, base * 2.0 ** min(attempt - 1, 60))
    return backoff * (1.0 + jitter) / 2.0


def retry_after_of(headers: Mapping[str, str], now: float) -> float | None:
    """Return the wait a server asks for, in seconds from ``now`` (epoch); None if there is none or it is unreadable.

    ``retry-after-ms`` (OpenAI, Azure) is more precise and takes precedence over ``Retry-After``.
    """
    named = {name.lower(): value.strip() for name, value in headers.items() if name.lower().startswith("retry-after")}
    milliseconds = _number(named.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000.0)
    value = named.get("retry-after", "")
    seconds = _number(value)
    if seconds is None:
        seconds = _seconds_until(value, now)
    return None if seconds is None else _bounded(seconds)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _seconds_until(http_date: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(http_date)
    except ValueError:
        return None
    # A date with the zone "-0000" is parsed as naive; HTTP dates are in GMT by definition.
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
