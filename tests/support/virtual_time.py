"""An event loop in virtual time: hours pass in milliseconds, and a deadlock is an error at once.

Real sockets work in it too, if both ends are served by the same loop: time stands still while something arrives.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")
# What was written to a socket of this machine arrives at once, on a busy one a moment later.
_ARRIVAL_SECONDS = 0.002
_OWN_SOCKETS = 1


class _JumpingSelector(selectors.SelectSelector):
    """Where nothing arrives, the clock jumps by as long as it was to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0 and len(self.get_map()) > _OWN_SOCKETS:
            ready = super().select(_ARRIVAL_SECONDS)
        if not ready and timeout is None:
            raise AssertionError("deadlock: everybody waits and no timer is set")
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self._selector = _JumpingSelector()
        super().__init__(self._selector)

    def time(self) -> float:
        return self._selector.now


def simulate(scenario: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
    """Run a scenario in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(scenario())


def virtual_clock() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()
