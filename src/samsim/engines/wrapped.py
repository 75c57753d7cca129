"""An engine around another one; what it does to a request or a reply is up to whoever derives from it."""

from __future__ import annotations

from samsim.engines.interface import ClosableEngine, Engine, EngineReply, EngineRequest


class WrappedEngine:
    """Answers as the engine inside does, and under its name: wrapping changes nothing in the results."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The name of the engine inside."""
        return self._engine.name

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer as the engine inside does."""
        return await self._engine.complete(request)

    async def aclose(self) -> None:
        """Close the engine inside, if it holds anything."""
        if isinstance(self._engine, ClosableEngine):
            await self._engine.aclose()
