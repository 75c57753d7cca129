"""A run's seed and repeat, put into every request on its way to an engine."""

from __future__ import annotations

from dataclasses import replace

from samsim.engines.interface import ClosableEngine, Engine, EngineReply, EngineRequest
from samsim.schemas.protocols import MAX_DRAWS

# Runs usually have seeds that follow each other; their draws must not share any.
_BETWEEN_DRAWS = 1_000_003


class SeededEngine:
    """Asks another engine with the run's seed and repeat.

    A protocol that draws several answers numbers its draws by ``repeat``; they stay apart from each
    other and from those of another repeat of the run, in the cache too. Each draw has a seed of its own,
    far from the seeds of other runs.
    """

    def __init__(self, engine: Engine, seed: int | None, repeat: int) -> None:
        self._engine = engine
        self._seed = seed
        self._repeat = repeat

    @property
    def name(self) -> str:
        """The asked engine's name."""
        return self._engine.name

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer as the engine does with this seed."""
        draw = request.repeat
        seed = request.seed if self._seed is None else self._seed + draw * _BETWEEN_DRAWS
        return await self._engine.complete(replace(request, seed=seed, repeat=self._repeat * (MAX_DRAWS + 1) + draw))

    async def aclose(self) -> None:
        """Close the asked engine."""
        if isinstance(self._engine, ClosableEngine):
            await self._engine.aclose()
