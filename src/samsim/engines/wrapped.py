"""A base class for engines that wrap another engine."""

from __future__ import annotations

from samsim.engines.interface import ClosableEngine, Engine, EngineReply, EngineRequest


class WrappedEngine:
    """Delegates to another engine and keeps its name, so wrapping changes nothing in the results."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The name of the wrapped engine."""
        return self._engine.name

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the wrapped engine's reply."""
        return await self._engine.complete(request)

    async def aclose(self) -> None:
        """Close the wrapped engine if it holds resources."""
        if isinstance(self._engine, ClosableEngine):
            await self._engine.aclose()
