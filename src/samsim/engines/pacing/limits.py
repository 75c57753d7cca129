"""Limits on calls: how many at once, how many per minute, and how much money.

Everything here may be used from several event loops in turn, but not at the same time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from decimal import Decimal
from types import TracebackType

from samsim.engines.pacing.climbing import Climb
from samsim.engines.prices import exact_decimal
from samsim.engines.settings import PricePerMillion
from samsim.errors import ConfigError

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]

_MINUTE = 60.0
# Float error: a bucket that lacks less than this counts as full, or a wait could round to zero forever.
_DUST = 1e-9


class FifoGate:
    """Admits up to ``limit`` holders at once, strictly in order of arrival; the limit may change.

    Unlike asyncio's semaphore and lock, it is not bound to one event loop, and no one can jump the
    queue. ``FifoGate(1)`` is a fair lock.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.active = 0
        # A dict keeps the order and allows a canceled waiter to leave from the middle of the queue.
        self._line: dict[asyncio.Future[None], None] = {}

    @property
    def waiting(self) -> int:
        """The number of waiters in the queue."""
        return len(self._line)

    def enter_at_once(self) -> bool:
        """Enter without waiting if there is room, and return whether there was."""
        # Waiters are admitted as soon as possible, so if there is room, the queue is empty.
        if self.active < self.limit:
            self.active += 1
            return True
        return False

    def leave(self) -> None:
        """Make room for the next waiter."""
        self.active -= 1
        self._admit()

    async def __aenter__(self) -> None:
        if self.enter_at_once():
            return
        place = asyncio.get_running_loop().create_future()
        self._line[place] = None
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._line.pop(place, None)
            else:
                # Admitted and canceled at the same moment: the place goes to the next waiter.
                self.leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def resize(self, limit: int) -> None:
        """Change the limit; current holders stay, and waiters enter if there is now room."""
        self.limit = limit
        self._admit()

    def _admit(self) -> None:
        while self._line and self.active < self.limit:
            place = next(iter(self._line))
            del self._line[place]
            # A waiter that was just canceled is still in the queue.
            if not place.done():
                self.active += 1
                place.set_result(None)


@dataclass(slots=True)
class Slot:
    """One admitted call; it reports how the server responded."""

    _owner: AdaptiveLimit
    _round: int
    _entered: float

    def succeeded(self, *, is_late: bool = False) -> None:
        """Report an answer; ``is_late`` says that it took almost as long as the timeout can get."""
        self._owner.note_success(self._round, self._entered, is_late=is_late)

    def rate_limited(self) -> None:
        """Report a 429: the limit is halved, once for all calls that were running together."""
        self._owner.note_rate_limit(self._round)

    def timed_out(self) -> None:
        """Report a timeout: the limit is halved in the same way, and then found by trial."""
        self._owner.note_timeout(self._round)


class AdaptiveLimit:
    """The number of calls that may run at once, between one and ``cap``.

    ::

        async with limit as slot:
            ...  # send
            slot.succeeded()  # or slot.rate_limited() or slot.timed_out(); none for other failures

    It starts at ``cap``, halves on 429 and on timeouts, and grows by one after as many successes as the limit.
    A server that lets calls time out does not say how many it can handle. So after a timeout, and from the start
    if ``start`` is given, the limit grows only if more concurrent calls yield more answers per second (``Climb``).
    Hold a slot only while a request is running, not while waiting for a retry.
    """

    def __init__(self, cap: int, *, start: int | None = None, clock: Clock = time.monotonic) -> None:
        if cap < 1:
            raise ConfigError(f"concurrency is {cap}, but at least one call at a time is needed. Set it to 1 or more.")
        self.cap = cap
        self._clock = clock
        first = cap if start is None else min(start, cap)
        self._gate = FifoGate(first)
        self._climb = None if start is None else Climb(first, cap)
        self._successes = 0
        self._round = 0

    @property
    def current(self) -> int:
        """The number of calls that may run at once now."""
        return self._gate.limit

    @property
    def active(self) -> int:
        """The number of running calls; after a halving it may exceed ``current`` for a while."""
        return self._gate.active

    @property
    def waiting(self) -> int:
        """The number of calls waiting to be admitted."""
        return self._gate.waiting

    async def __aenter__(self) -> Slot:
        if not self._gate.enter_at_once():
            await self._gate.__aenter__()
        return Slot(self, self._round, self._clock())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate.leave()

    def note_success(self, entered_in: int, entered: float, *, is_late: bool) -> None:
        """Count a success; called by a slot."""
        if is_late:
            self._climb = self._climb or Climb(self.current, self.cap)
            self._climb.press()
        if self._climb is None:
            self._successes += 1
            if self._successes >= self.current:
                self._successes = 0
                self._gate.resize(min(self.cap, self.current + 1))
        elif entered_in == self._round:
            self._climb.answered(self._clock() - entered, self.active)
            if self._climb.limit != self.current:
                self._begin_round(self._climb.limit)

    def note_rate_limit(self, entered_in: int) -> None:
        """Halve the limit, unless the call started before its last change: one wave of 429s is one signal."""
        self._successes = 0
        if entered_in == self._round:
            # The server says when it has had enough, so there is no need to find out by trial.
            self._climb = None
            self._begin_round(max(1, self.current // 2))

    def note_timeout(self, entered_in: int) -> None:
        """Halve the limit, once per wave, and search from there; try more calls only if the cap worked until now."""
        self._successes = 0
        if entered_in == self._round:
            half = max(1, self.current // 2)
            was_fine = self.current == self.cap and not (self._climb is not None and self._climb.is_trying_more)
            self._climb = Climb(half, self.cap, is_bounded_above=not was_fine)
            self._begin_round(half)

    def _begin_round(self, limit: int) -> None:
        self._round += 1
        self._gate.resize(limit)


class _Bucket:
    """A token bucket that never lets more than ``per_minute`` through in any 60 seconds.

    It holds about one second's worth, and its capacity is deducted from the refill rate: a full bucket at
    the start of a minute plus the refill during it add up to the limit. A single request larger than the
    bucket waits until the bucket is full and then leaves it in debt.
    """

    def __init__(self, per_minute: int, now: float) -> None:
        spare = int(per_minute // _MINUTE)
        self._capacity = 1.0 + spare
        self._rate = (per_minute - spare) / _MINUTE
        self._level = self._capacity
        self._seen = now

    def wait(self, amount: float, now: float) -> float:
        """Return the seconds until ``amount`` may be taken."""
        self._refill(now)
        lacking = min(amount, self._capacity) - self._level
        return lacking / self._rate if lacking > _DUST else 0.0

    def take(self, amount: float, now: float) -> None:
        """Take the amount; a negative amount is given back."""
        self._refill(now)
        self._level -= amount

    def _refill(self, now: float) -> None:
        self._level = min(self._capacity, self._level + (now - self._seen) * self._rate)
        self._seen = now


class RateLimit:
    """Requests and tokens per minute; None means no limit. Callers are let through in order of arrival."""

    def __init__(
        self,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._requests = None if requests_per_minute is None else _Bucket(requests_per_minute, clock())
        self._tokens = None if tokens_per_minute is None else _Bucket(tokens_per_minute, clock())
        self._turn = FifoGate(1)

    async def acquire(self, estimated_tokens: int) -> None:
        """Wait until one request of about this many tokens (input and output) may be sent."""
        if self._requests is None and self._tokens is None:
            return
        async with self._turn:
            while (seconds := self._wait(estimated_tokens)) > 0:
                await self._sleep(seconds)
            now = self._clock()
            if self._requests is not None:
                self._requests.take(1, now)
            if self._tokens is not None:
                self._tokens.take(estimated_tokens, now)

    def correct(self, estimated_tokens: int, used_tokens: int) -> None:
        """Replace an estimate with the number of tokens that the server counted."""
        if self._tokens is not None:
            self._tokens.take(used_tokens - estimated_tokens, self._clock())

    def _wait(self, tokens: int) -> float:
        now = self._clock()
        return max(
            0.0 if self._requests is None else self._requests.wait(1, now),
            0.0 if self._tokens is None else self._tokens.wait(tokens, now),
        )


class SpendingLimit:
    """The total spending of all engines, and whether it has reached the limit.

    It reserves nothing: calls that are running when the limit is reached still finish and are counted. Sums
    are exact decimals. An attempt of unknown cost counts as unknown, never as 0.
    """

    def __init__(self, max_cost: float | None = None) -> None:
        self.max_cost = max_cost
        self.unknown = 0
        self._limit = None if max_cost is None else exact_decimal(max_cost)
        self._spent = Decimal(0)

    @property
    def spent(self) -> float:
        """US dollars spent on attempts of known cost."""
        return float(self._spent)

    @property
    def exhausted(self) -> bool:
        """Whether no further call may be sent; such a call fails with ``budget``."""
        return self._limit is not None and self._spent >= self._limit

    def charge(self, cost: float | None) -> None:
        """Count one attempt."""
        if cost is None:
            self.unknown += 1
        else:
            self._spent += exact_decimal(cost)

    def require_price(self, price: PricePerMillion | None, model: str = "the model") -> None:
        """Raise ``ConfigError`` if there is a spending limit but no price to enforce it with."""
        if self._limit is not None and price is None:
            raise ConfigError(
                f"max_cost is {self.max_cost:g} dollars, but the price of {model} is unknown, so the limit cannot be "
                "enforced. Set price_per_million (input and output; 0 for your own server) or remove max_cost."
            )
