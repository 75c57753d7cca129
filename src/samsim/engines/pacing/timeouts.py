"""How long an answer is waited for: as the user says at first, longer where the server is seen to be slow."""

from __future__ import annotations

from collections import deque

# An answer may take this many times as long as the slowest of the last ones.
_TIMES_SLOWEST = 4.0
_TIMES_GIVEN_UP = 2.0
_REMEMBERED = 32
_LATE = 0.5


class AdaptiveTimeout:
    """Seconds to wait for an answer, between ``first`` and ``most``.

    Only what was seen lately counts: when a slow server becomes fast, the timeout comes back.
    """

    def __init__(self, first: float, most: float) -> None:
        self.first = first
        self.most = max(first, most)
        self._wanted: deque[float] = deque(maxlen=_REMEMBERED)

    @property
    def current(self) -> float:
        """What to allow the next call."""
        return min(self.most, max(self.first, max(self._wanted, default=0.0)))

    def answered(self, seconds: float) -> None:
        """A call was answered after so long."""
        self._wanted.append(_TIMES_SLOWEST * seconds)

    def given_up(self, seconds: float) -> None:
        """A call was not answered in this time: the next one may take twice as long."""
        self._wanted.append(_TIMES_GIVEN_UP * seconds)

    def is_late(self, seconds: float) -> bool:
        """Return whether an answer took so long that the next may be given up though the timeout cannot grow enough."""
        return seconds > _LATE * self.most
