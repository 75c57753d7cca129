"""Signs of life while nothing finishes: a beat once a second, and messages about a server that is away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from samsim.durations import duration

if TYPE_CHECKING:
    from samsim.engines.pacing.activity import Activity, Pause

BEAT_SECONDS = 1.0
LINE_SECONDS = 10.0
# A server that is down or still loading refuses a call sooner than this.
_NO_REFUSAL_SECONDS = 2.0


@contextmanager
def heartbeat(beat: Callable[[], None], seconds: float = BEAT_SECONDS) -> Iterator[None]:
    """Call ``beat`` every second, from its own thread, until the block ends."""
    stop = threading.Event()

    def go_round() -> None:
        while not stop.wait(seconds):
            beat()

    thread = threading.Thread(target=go_round, name="samsim-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def describe_pause(pause: Pause) -> str:
    """Return which server is away, and for how long; one that is working on a call is not called away."""
    if pause.asked_seconds >= _NO_REFUSAL_SECONDS:
        asked = f"{pause.server} was asked again {duration(pause.asked_seconds)} ago"
        return f"paused for {duration(pause.seconds)}: {asked}, waiting for its answer"
    return f"paused: {pause.words} for {duration(pause.seconds)}, trying again"


class PauseTeller:
    """Reports when a server goes away, from time to time while it is away, and when it is back."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._last: Pause | None = None
        self._told = 0.0

    @property
    def is_paused(self) -> bool:
        """Whether a server was away at the last check."""
        return self._last is not None

    def news(self, activity: Activity) -> str | None:
        """Return the message to print now, if any."""
        pause, before, now = activity.pause(), self._last, self._clock()
        self._last = pause
        if pause is None:
            return None if before is None else f"resumed: {before.server} is back after {duration(before.seconds)}"
        if before is not None and before.server == pause.server and now - self._told < LINE_SECONDS:
            return None
        self._told = now
        return describe_pause(pause)
