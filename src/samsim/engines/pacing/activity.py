"""A live view of what engines are doing, for progress displays. Engines write it; nothing is decided by it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType

from samsim.engines.pacing.limits import Clock

# The number of recent answers that show how fast a server currently is.
_RECENT = 20


@dataclass(frozen=True, slots=True)
class Pause:
    """A server that cannot be called now: its name, the reason in words, and for how many seconds.

    ``asked_seconds`` is how long the current attempt to reach it has been running; 0 if there is none.
    """

    server: str
    words: str
    seconds: float
    asked_seconds: float = 0.0


class Activity:
    """Running and waiting calls, how long they take, and which servers are down.

    Engines that work together share one object. It may be read from another thread.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.under_way = 0
        self.finished = 0
        # Why the engines stopped waiting for a server, in words that name it.
        self.lost: str | None = None
        self._clock = clock
        self.started = 0
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._away: dict[str, tuple[str, float]] = {}
        self._asked_again: dict[str, float] = {}
        self._paused_before = 0.0
        self._paused_since = 0.0
        self._call = _Call(self)
        self._request = _Request(self)

    @property
    def waiting(self) -> int:
        """Calls that have started but have no request running: limits, retries and outages hold them back."""
        return max(0, self.started - self.finished - self.under_way)

    @property
    def seconds_per_call(self) -> float | None:
        """The average duration of recent answers; None before the first."""
        recent = list(self._recent)
        return sum(recent) / len(recent) if recent else None

    @property
    def paused_seconds(self) -> float:
        """The total time so far during which any server was down."""
        return self._paused_before + (self._clock() - self._paused_since if self._away else 0.0)

    def pause(self) -> Pause | None:
        """Return the server that has been down longest, or None if none is down."""
        away = sorted((since, server, words) for server, (words, since) in list(self._away.items()))
        if not away:
            return None
        since, server, words = away[0]
        now = self._clock()
        return Pause(server, words, now - since, now - self._asked_again.get(server, now))

    def call(self) -> AbstractContextManager[None]:
        """Return a context manager for a call, from its start to its end."""
        return self._call

    def request(self) -> AbstractContextManager[None]:
        """Return a context manager for a request while it runs."""
        return self._request

    @contextmanager
    def asking_again(self, server: str) -> Iterator[None]:
        """Wrap a call that checks whether a server is back. Only an answer proves that, and it may take long."""
        self._asked_again[server] = self._clock()
        try:
            yield
        finally:
            self._asked_again.pop(server, None)

    def answered(self, seconds: float) -> None:
        """Record that a request was answered after this many seconds."""
        self._recent.append(seconds)

    def went_away(self, server: str, words: str) -> None:
        """Record that a server went down; if it was already down, update only the words."""
        now = self._clock()
        if not self._away:
            self._paused_since = now
        self._away[server] = words, self._away[server][1] if server in self._away else now

    def came_back(self, server: str) -> None:
        """Record that a server answers again."""
        if self._away.pop(server, None) is not None and not self._away:
            self._paused_before += self._clock() - self._paused_since


# Classes instead of generators, because they are entered for every call.
class _Call(AbstractContextManager[None]):
    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def __enter__(self) -> None:
        self._activity.started += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._activity.finished += 1


class _Request(AbstractContextManager[None]):
    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def __enter__(self) -> None:
        self._activity.under_way += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._activity.under_way -= 1
