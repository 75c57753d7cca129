"""Collect the calls of each sample in the order they were made."""

from __future__ import annotations

from time import perf_counter

from samsim.engines.interface import Engine, EngineReply, EngineRequest
from samsim.engines.replay import TraceLine, trace_line
from samsim.engines.wrapped import WrappedEngine


class SampleTraces:
    """The calls of the samples under way. A call gets its place when it is made, so the order does not
    depend on which answer comes first."""

    def __init__(self) -> None:
        self._lines: dict[str, list[TraceLine | None]] = {}
        self._seconds: dict[str, float] = {}

    def reserve(self, uid: str) -> int:
        """Return the place of a call that is about to be made."""
        places = self._lines.setdefault(uid, [])
        places.append(None)
        return len(places) - 1

    def fill(self, uid: str, line: TraceLine, seconds: float) -> None:
        """Record a finished call; a call whose sample was already taken is ignored."""
        places = self._lines.get(uid)
        if places is not None and line.order < len(places):
            places[line.order] = line
            self._seconds[uid] = self._seconds.get(uid, 0.0) + seconds

    def take(self, uid: str) -> tuple[list[TraceLine], float]:
        """Remove and return the calls of a finished sample, with the total seconds they took."""
        lines = [line for line in self._lines.pop(uid, []) if line is not None]
        return lines, self._seconds.pop(uid, 0.0)


class CollectingEngine(WrappedEngine):
    """An engine that records every call."""

    def __init__(self, engine: Engine, traces: SampleTraces) -> None:
        super().__init__(engine)
        self._traces = traces

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the reply of the wrapped engine and record the call."""
        place = self._traces.reserve(request.uid)
        asked = perf_counter()
        reply = await super().complete(request)
        line = trace_line(self.name, request, reply, place)
        self._traces.fill(request.uid, line, perf_counter() - asked)
        return reply
