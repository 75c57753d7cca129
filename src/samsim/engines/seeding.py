"""Adding a run's seed and repeat to every request."""

from __future__ import annotations

from dataclasses import replace

from samsim.engines.interface import Engine, EngineReply, EngineRequest
from samsim.engines.wrapped import WrappedEngine
from samsim.schemas.protocols import MAX_DRAWS

# Runs often use consecutive seeds; their draws must not overlap.
_BETWEEN_DRAWS = 1_000_003


class SeededEngine(WrappedEngine):
    """Calls another engine with the run's seed and repeat.

    A protocol that draws several answers numbers its draws by ``repeat``; the cache too keeps them apart
    from each other and from those of other repeats of the run. Each draw has its own seed, far from the
    seeds of other runs.
    """

    def __init__(self, engine: Engine, seed: int | None, repeat: int) -> None:
        super().__init__(engine)
        self._seed = seed
        self._repeat = repeat

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Answer with the wrapped engine, using this seed and repeat."""
        draw = request.repeat
        seed = request.seed if self._seed is None else self._seed + draw * _BETWEEN_DRAWS
        return await super().complete(replace(request, seed=seed, repeat=self._repeat * (MAX_DRAWS + 1) + draw))
