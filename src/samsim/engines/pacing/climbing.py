"""Finding by trial how many concurrent calls yield the most answers per second. No clock, no waiting.

A server that handles one call at a time is no faster with two; each call only waits longer, until it
times out. The duration of an answer alone says little, because long answers take long on any server.
So a number of concurrent calls is compared with half and with twice as many, by the answers per second
that each yields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# More calls must yield at least this share of what perfect scaling would.
_WORTH = 1 / 3
# Answers this quick cannot pile up to a timeout: they measure the network, not the server.
QUICK_S = 0.1
_FEWEST_MEASURED = 6
_MOST_MEASURED = 32
# If durations vary, keep measuring until the relative error of their mean is down to this.
_ERROR = 0.15
# The share of the allowed calls that must be running, on average, for the limit to matter at all.
_FULL = 0.75
# More calls can be judged only if at least this many times as many were actually running.
_NOTICEABLE = 1.15
_REST_WINDOWS = 4
_MOST_RESTS = 64
_NO_TIME = 1e-9


@dataclass(frozen=True, slots=True)
class Measured:
    """The average number of running calls under a limit, and the average duration of an answer."""

    limit: int
    calls: float
    seconds: float

    @property
    def rate(self) -> float:
        """Answers per second: the number of concurrent calls divided by the duration of each."""
        return self.calls / max(self.seconds, _NO_TIME)


def is_worth_it(more: Measured, fewer: Measured) -> bool:
    """Return whether the larger number of calls yields clearly more answers per second."""
    return more.rate >= fewer.rate * (1.0 + _WORTH * (more.calls / fewer.calls - 1.0))


class _Window:
    """The answers that arrived under one limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._to_skip = limit
        self._count = 0
        self._calls = 0
        self._seconds = 0.0
        self._squares = 0.0

    def add(self, seconds: float, under_way: int) -> None:
        if self._to_skip:
            # The first calls share the server with calls that were sent under the previous limit.
            self._to_skip -= 1
            return
        self._count += 1
        self._calls += under_way
        self._seconds += seconds
        self._squares += seconds * seconds

    @property
    def is_enough(self) -> bool:
        """Whether the mean duration is known well enough; the less durations vary, the sooner it is."""
        if self._count < max(_FEWEST_MEASURED, self._limit):
            return False
        mean = self._seconds / self._count
        deviation = math.sqrt(max(0.0, self._squares / self._count - mean * mean))
        return self._count >= _MOST_MEASURED or deviation <= _ERROR * mean * math.sqrt(self._count)

    @property
    def measured(self) -> Measured:
        return Measured(self._limit, self._calls / self._count, self._seconds / self._count)


class Climb:
    """Searches for the best limit: doubles it while that pays off, else halves it while that costs nothing.

    ``limit`` is the number of calls to allow now. When neither direction is better, the search rests and starts
    again later; the rests grow while the result stays the same. At the cap it starts again only under pressure.
    """

    def __init__(self, limit: int, cap: int, *, is_bounded_above: bool = False) -> None:
        self.limit = limit
        self._cap = cap
        self._rests = 1
        self._rested_at: int | None = None
        self._resting = 0
        self._is_pressed = False
        self._reference: Measured | None = None
        self._search(is_bounded_above=is_bounded_above)

    @property
    def is_trying_more(self) -> bool:
        """Whether more calls are allowed now than have proven worthwhile."""
        return self._reference is not None and self.limit > self._reference.limit

    def answered(self, seconds: float, under_way: int) -> None:
        """Count one answer to a call sent under the current limit, and adjust the limit at the end of a window.

        ``under_way`` is how many calls were running when it arrived, including this one.
        """
        if self._resting:
            self._resting -= 1
            if not self._resting:
                self._look_again()
            return
        self._window.add(seconds, under_way)
        if self._window.is_enough:
            self._decide(self._window.measured)

    def press(self) -> None:
        """Search among fewer calls, not more, because answers are so late that calls may soon time out."""
        self._is_pressed = True
        if not self._resting:
            self._is_bounded_above = True

    def _decide(self, here: Measured) -> None:
        best = self._reference
        is_quick = here.seconds < QUICK_S
        if best is None:
            if here.calls < _FULL * self.limit:
                # If there are not enough calls to fill the limit, more of them cannot be judged.
                self._measure(self.limit)
                return
            best, self._is_bounded_below = here, is_quick
        elif here.limit > best.limit:
            if here.calls >= _NOTICEABLE * best.calls and (is_quick or is_worth_it(here, best)):
                best, self._is_bounded_below = here, True
            else:
                self._is_bounded_above = True
        elif is_worth_it(best, here):
            self._is_bounded_below = True
        else:
            best, self._is_bounded_above, self._is_bounded_below = here, True, False
        self._reference = best
        self._move_on(best.limit)

    def _move_on(self, best: int) -> None:
        if best < self._cap and not self._is_bounded_above:
            self._measure(min(self._cap, 2 * best))
        elif best > 1 and not self._is_bounded_below:
            self._measure(best // 2)
        else:
            self._rest(best)

    def _rest(self, best: int) -> None:
        self.limit = best
        self._reference = None
        self._rests = min(_MOST_RESTS, 2 * self._rests) if best == self._rested_at else 1
        self._rested_at = best
        self._is_pressed = False
        self._resting = self._rests * _REST_WINDOWS * max(best, _FEWEST_MEASURED)

    def _look_again(self) -> None:
        if self.limit == self._cap and not self._is_pressed:
            self._rest(self.limit)
        else:
            self._search(is_bounded_above=self._is_pressed)

    def _search(self, *, is_bounded_above: bool) -> None:
        self._reference = None
        self._is_bounded_above = is_bounded_above
        self._is_bounded_below = False
        self._measure(self.limit)

    def _measure(self, limit: int) -> None:
        self.limit = limit
        self._window = _Window(limit)
