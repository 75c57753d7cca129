"""The calls of each sample, collected in the order in which they were asked."""

from __future__ import annotations

from time import perf_counter

from samsim.engines.interface import ClosableEngine, Engine, EngineReply, EngineRequest
from samsim.engines.replay import TraceLine, trace_line


class SampleTraces:
    """What was asked for the samples under way. A call has its place when it is asked, so that the
    order does not depend on which answer comes first."""

    def __init__(self) -> None:
        self._lines: dict[str, list[TraceLine | None]] = {}
        self._seconds: dict[str, float] = {}

    def reserve(self, uid: str) -> int:
        """The place of a call that is about to be asked."""
        places = self._lines.setdefault(uid, [])
        places.append(None)
        return len(places) - 1

    def fill(self, uid: str, line: TraceLine, seconds: float) -> None:
        """The call came to its end; one whose sample was taken already comes too late."""
        places = self._lines.get(uid)
        if places is not None and line.order < len(places):
            places[line.order] = line
            self._seconds[uid] = self._seconds.get(uid, 0.0) + seconds

    def take(self, uid: str) -> tuple[list[TraceLine], float]:
        """The calls of a finished sample and the seconds they took together; they are forgotten here."""
        lines = [line for line in self._lines.pop(uid, []) if line is not None]
        return lines, self._seconds.pop(uid, 0.0)


class CollectingEngine:
    """Passes every request on to another engine and keeps what came of it."""

    def __init__(self, engine: Engine, traces: SampleTraces) -> None:
        self._engine = engine
        self._traces = traces

    @property
    def name(self) -> str:
        """The asked engine's name: collecting changes nothing in the results."""
        return self._engine.name

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer as the asked engine does."""
        place = self._traces.reserve(request.uid)
        asked = perf_counter()
        reply = await self._engine.complete(request)
        line = trace_line(self._engine.name, request, reply, place)
        self._traces.fill(request.uid, line, perf_counter() - asked)
        return reply

    async def aclose(self) -> None:
        """Close the asked engine."""
        if isinstance(self._engine, ClosableEngine):
            await self._engine.aclose()
