"""Measuring how many concurrent calls a server can handle, and how long it takes, in rounds of 1, 2, 4, … calls."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import count

from samsim.engines.pacing.climbing import QUICK_S, Measured, is_worth_it
from samsim.schemas.calls import Outcome
from samsim.schemas.results import CallRecord

# Makes one call; calls with different numbers use different texts.
Ask = Callable[[int], Awaitable[CallRecord]]

# A review may be far longer than those measured, and a busy machine slower.
TIMES_SLOWEST = 10
LEAST_TIMEOUT_S = 60
_STEP_S = 10
_ALONE = 2
_OF_THE_SERVER: frozenset[Outcome] = frozenset({"timeout", "connection", "rate_limited", "server_error"})


@dataclass(frozen=True, slots=True)
class Round:
    """A number of concurrent calls: the duration of the round, its slowest call, and its failures."""

    at_once: int
    answers: int
    seconds: float
    slowest: float
    failures: tuple[Outcome, ...]

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.measured.rate

    @property
    def measured(self) -> Measured:
        """The round in the form by which limits are compared."""
        return Measured(self.at_once, self.at_once, self.seconds * self.at_once / max(self.answers, 1))


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Recommended settings for the server, with reasons."""

    concurrency: int
    timeout_s: int
    why_concurrency: str
    why_timeout: str


async def rounds(ask: Ask, most: int) -> AsyncIterator[Round]:
    """Yield rounds of more and more concurrent calls, until they yield no more answers per second or a call fails."""
    numbers = count()
    best: Round | None = None
    at_once = 1
    while at_once <= most:
        # Sequential calls first: the answers per second that concurrent calls must beat.
        waves = [1] * _ALONE if at_once == 1 else [at_once]
        calls = [call for wave in waves for call in await asyncio.gather(*(ask(next(numbers)) for _ in range(wave)))]
        here = _round(at_once, calls)
        yield here
        if here.failures or (best is not None and not _is_better(here, best)):
            return
        best = here
        at_once = most if at_once < most < 2 * at_once else 2 * at_once


def _round(at_once: int, calls: Sequence[CallRecord]) -> Round:
    attempts = [attempt for call in calls for attempt in call.attempts]
    spans = [(attempt.started, attempt.ended) for attempt in attempts]
    if at_once == 1:
        seconds = sum(ended - started for started, ended in spans)
    else:
        seconds = max(ended for _, ended in spans) - min(started for started, _ in spans)
    return Round(
        at_once=at_once,
        answers=sum(call.attempts[-1].outcome not in _OF_THE_SERVER for call in calls),
        seconds=seconds,
        slowest=max(ended - started for started, ended in spans),
        # A call that was answered on a retry does not prove that the server can handle this many.
        failures=tuple(attempt.outcome for attempt in attempts if attempt.outcome in _OF_THE_SERVER),
    )


def _is_better(more: Round, fewer: Round) -> bool:
    return more.slowest < QUICK_S or is_worth_it(more.measured, fewer.measured)


def suggestion(measured: Sequence[Round]) -> Suggestion | None:
    """Return the settings that the rounds suggest; None if not even a single call succeeded."""
    good = [trial for trial in measured if not trial.failures]
    if not good:
        return None
    best, last = good[0], measured[-1]
    for more in good[1:]:
        best = more if _is_better(more, best) else best
    if last.failures:
        why = f"{last.at_once} at once was too many: {', '.join(dict.fromkeys(last.failures))}"
    elif last is best:
        why = "the most that were tried, and each round yielded more answers per second"
    else:
        why = f"{last.at_once} at once yields hardly more answers per second"
    timeout = max(LEAST_TIMEOUT_S, _STEP_S * math.ceil(TIMES_SLOWEST * best.slowest / _STEP_S))
    return Suggestion(
        concurrency=best.at_once,
        timeout_s=timeout,
        why_concurrency=why,
        why_timeout=f"{TIMES_SLOWEST} times the slowest answer, {best.slowest:.1f} s, and at least {LEAST_TIMEOUT_S} s",
    )
