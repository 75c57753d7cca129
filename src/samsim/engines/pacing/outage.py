"""Waiting for a server that goes down and comes back, without using up the attempts of calls.

An outage starts when a server that has answered before is lost (nothing listens, no route, no such host), or
when a server says that it is still loading its model. All calls to that server then queue up; the first one
retries at growing intervals until the server answers or ``max_outage`` is over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import Clock, FifoGate, Sleep
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.http import HttpReply
from samsim.engines.transport.secrets import shown_address

DEFAULT_MAX_OUTAGE_S = 600.0
_FIRST_DELAY_S = 1.0
_LONGEST_DELAY_S = 30.0
_UNAVAILABLE = 503

ResultT = TypeVar("ResultT")
Sign = Literal["answered", "failed", "unreached", "loading"]


def sign_of(http: HttpReply) -> Sign:
    """Return what a reply says about the server; a broken or timed-out connection is only ``failed``."""
    if not http.reached:
        return "unreached"
    if http.status == _UNAVAILABLE and "loading" in http.raw_text.lower():
        return "loading"
    return "failed" if http.status is None else "answered"


def server_of(settings: EngineSettings) -> str:
    """Return the server that an engine calls, in a form that is safe to show: scheme, host and port."""
    parts = urlsplit(shown_address(settings.url))
    return f"{parts.scheme}://{parts.netloc}"


class Outage:
    """The state of one server, shared by all engines that call it.

    With ``max_outage`` 0, it never waits.
    """

    def __init__(
        self,
        server: str,
        max_outage: float = 0.0,
        activity: Activity | None = None,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.server = server
        self.activity = activity or Activity()
        self._max_outage = max_outage
        self._clock = clock
        self._sleep = sleep
        self._has_answered = False
        self._since: float | None = None
        self._delay = _FIRST_DELAY_S
        self._words = ""
        self._line = FifoGate(1)
        self._times_given_up = 0

    async def outlast(
        self, attempt: Callable[[], Awaitable[ResultT]], signs: Callable[[ResultT], Sign]
    ) -> ResultT | None:
        """Make an attempt, and during an outage retry until the server is back; return None if that takes too long.

        ``signs`` returns what a result says about the server.
        """
        given_up_before = self._times_given_up
        while True:
            if self._since is None:
                result = await attempt()
                if not self._opens(signs(result)):
                    return result
            async with self._line:
                # A call whose turn comes after the outage leaves the queue and proceeds as usual.
                while self._since is not None:
                    # Calls that waited share the result, so a dead server is waited for only once.
                    if self._times_given_up > given_up_before:
                        return None
                    is_last = not await self._pause()
                    with self.activity.asking_again(self.server):
                        result = await attempt()
                    if not self._goes_on(signs(result)):
                        return result
                    if is_last:
                        self._give_up()
                        return None

    def never_reached(self, sign: Sign) -> bool:
        """Record and return whether a call ended without the server ever having been reached."""
        if sign != "unreached" or not self._max_outage:
            return False
        self.activity.lost = f"{self.server} cannot be reached; start the server, or correct base_url"
        return True

    def _opens(self, sign: Sign) -> bool:
        """Return whether the result of an ordinary attempt starts or continues an outage."""
        if sign == "answered":
            self._has_answered = True
        is_away = sign == "loading" or (sign == "unreached" and (self._has_answered or self._since is not None))
        if not is_away or not self._max_outage:
            return False
        if self._since is None:
            self._since, self._delay = self._clock(), _FIRST_DELAY_S
        self._tell(sign)
        return True

    def _goes_on(self, sign: Sign) -> bool:
        """Return whether an attempt during the outage found the server still down."""
        if sign in ("unreached", "loading"):
            self._tell(sign)
            return True
        self._has_answered |= sign == "answered"
        self._since = None
        self.activity.came_back(self.server)
        return False

    def _tell(self, sign: Sign) -> None:
        is_loading = sign == "loading"
        self._words = f"{self.server} is loading its model" if is_loading else f"no connection to {self.server}"
        self.activity.went_away(self.server, self._words)

    async def _pause(self) -> bool:
        """Wait before the next attempt; return False if it is the last one that fits."""
        left = self._time_left()
        if left <= 0:
            return False
        delay = min(self._delay, left)
        self._delay = min(2 * self._delay, _LONGEST_DELAY_S)
        await self._sleep(delay)
        return self._time_left() > 0

    def _time_left(self) -> float:
        since = self._clock() if self._since is None else self._since
        return since + self._max_outage - self._clock()

    def _give_up(self) -> None:
        self._times_given_up += 1
        self.activity.lost = f"{self._words} for {self._max_outage:g} s (max_outage)"


class Servers:
    """The servers of a group of engines; engines that call the same server share its state."""

    def __init__(self, activity: Activity | None = None) -> None:
        self.activity = activity or Activity()
        self._outages: dict[tuple[str, float], Outage] = {}

    def outage_of(self, settings: EngineSettings, max_outage: float) -> Outage:
        """Return the shared outage state of an engine's server for this ``max_outage``."""
        key = server_of(settings), max_outage
        if key not in self._outages:
            self._outages[key] = Outage(*key, self.activity)
        return self._outages[key]
