"""A server that goes away and comes back: calls wait for it instead of using up their attempts.

A server that has answered once and is lost (nothing listens, no route, no such host), and one that says it
is still loading its model, opens an outage. Everybody who asks that server then stands in line; whoever is
first asks again, at growing intervals, until the server answers or ``max_outage`` is over.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from samsim.engines.http import HttpReply
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import Clock, FifoGate, Sleep
from samsim.engines.secrets import shown_address
from samsim.engines.settings import EngineSettings

DEFAULT_MAX_OUTAGE_S = 600.0
_FIRST_DELAY_S = 1.0
_LONGEST_DELAY_S = 30.0
_UNAVAILABLE = 503

ResultT = TypeVar("ResultT")
Sign = Literal["answered", "failed", "unreached", "loading"]


def sign_of(http: HttpReply) -> Sign:
    """Return what a reply says about the server; one that breaks off, or takes too long, has only ``failed``."""
    if not http.reached:
        return "unreached"
    if http.status == _UNAVAILABLE and "loading" in http.raw_text.lower():
        return "loading"
    return "failed" if http.status is None else "answered"


def server_of(settings: EngineSettings) -> str:
    """Return the server that an engine asks, as it may be shown: scheme, host and port."""
    parts = urlsplit(shown_address(settings.url))
    return f"{parts.scheme}://{parts.netloc}"


class Outage:
    """Whether one server can be reached, shared by all engines that ask it.

    With ``max_outage`` 0 nothing is ever waited for.
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
        """Attempt, and during an outage again until the server is back; None if that takes too long.

        ``signs`` says what a result tells about the server.
        """
        given_up_before = self._times_given_up
        while True:
            if self._since is None:
                result = await attempt()
                if not self._opens(signs(result)):
                    return result
            async with self._line:
                # Whoever's turn comes when the outage is over leaves the line and asks as usual.
                while self._since is not None:
                    # Who waited shares the end: a dead server is found dead once.
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
        """Whether the last attempt of a call found a server that nobody has reached yet, and that is to be said."""
        if sign != "unreached" or not self._max_outage:
            return False
        self.activity.lost = f"{self.server} cannot be reached; start the server, or correct base_url"
        return True

    def _opens(self, sign: Sign) -> bool:
        """Return whether an attempt that was made as usual calls for waiting."""
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
        """Return whether an attempt that was made during the outage found the server still away."""
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
        """Wait before the next look; False if there is no time left for a further one."""
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
    """The servers of some engines; engines that ask the same one share what is known of it."""

    def __init__(self, activity: Activity | None = None) -> None:
        self.activity = activity or Activity()
        self._outages: dict[tuple[str, float], Outage] = {}

    def outage_of(self, settings: EngineSettings, max_outage: float) -> Outage:
        """Return the outage of the server that an engine asks, waited for so long."""
        key = server_of(settings), max_outage
        if key not in self._outages:
            self._outages[key] = Outage(*key, self.activity)
        return self._outages[key]
