"""A run's seed and repeat, put into every request on its way to an engine."""

from __future__ import annotations

from dataclasses import replace

from samsim.engines.interface import Engine, EngineReply, EngineRequest
from samsim.engines.wrapped import WrappedEngine
from samsim.schemas.protocols import MAX_DRAWS

# Runs usually have seeds that follow each other; their draws must not share any.
_BETWEEN_DRAWS = 1_000_003


class SeededEngine(WrappedEngine):
    """Asks another engine with the run's seed and repeat.

    A protocol that draws several answers numbers its draws by ``repeat``; they stay apart from each
    other and from those of another repeat of the run, in the cache too. Each draw has a seed of its own,
    far from the seeds of other runs.
    """

    def __init__(self, engine: Engine, seed: int | None, repeat: int) -> None:
        super().__init__(engine)
        self._seed = seed
        self._repeat = repeat

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer as the engine does with this seed."""
        draw = request.repeat
        seed = request.seed if self._seed is None else self._seed + draw * _BETWEEN_DRAWS
        return await super().complete(replace(request, seed=seed, repeat=self._repeat * (MAX_DRAWS + 1) + draw))
