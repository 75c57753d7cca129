"""Adaptive timeouts: the configured timeout at first, a longer one if the server turns out to be slow."""

from __future__ import annotations

from collections import deque

# The next answer may take this many times as long as the slowest recent one.
_TIMES_SLOWEST = 4.0
_TIMES_GIVEN_UP = 2.0
_REMEMBERED = 32
_LATE = 0.5


class AdaptiveTimeout:
    """The seconds to wait for an answer, between ``first`` and ``most``.

    Only recent calls count: when a slow server becomes fast, the timeout shrinks again.
    """

    def __init__(self, first: float, most: float) -> None:
        self.first = first
        self.most = max(first, most)
        self._wanted: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def current(self) -> float:
        """The timeout of the next call."""
        return min(self.most, max(self.first, max(self._wanted, default=0.0)))

    def answered(self, seconds: float) -> None:
        """Record that a call was answered after this many seconds."""
        self._wanted.append(_TIMES_SLOWEST * seconds)

    def given_up(self, seconds: float) -> None:
        """Record that a call timed out after this many seconds: the next one may take twice as long."""
        self._wanted.append(_TIMES_GIVEN_UP * seconds)

    def is_late(self, seconds: float) -> bool:
        """Return whether an answer was so slow that the next may time out even at the longest timeout."""
        return seconds > _LATE * self.most
