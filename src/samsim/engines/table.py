"""Which engine answers for which agent; each may be another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from samsim.engines.protocol import ClosableEngine, Engine
from samsim.schemas.protocol_conflict_review import AGENTS, Agent


@dataclass(frozen=True, slots=True)
class EngineTable:
    """The engines of the three perspectives and of the three reviewers."""

    perspectives: Mapping[Agent, Engine]
    reviewers: Mapping[Agent, Engine]

    @classmethod
    def of(cls, engine: Engine | Mapping[Agent, Engine] | EngineTable) -> EngineTable:
        """One engine for everybody, one per agent (as perspective and reviewer), or a table as it is."""
        if isinstance(engine, EngineTable):
            return engine
        by_agent = engine if isinstance(engine, Mapping) else dict.fromkeys(AGENTS, engine)
        return cls(perspectives=by_agent, reviewers=by_agent)

    async def aclose(self) -> None:
        """Close every engine that holds something, once."""
        engines = {id(engine): engine for engine in (*self.perspectives.values(), *self.reviewers.values())}
        for engine in engines.values():
            if isinstance(engine, ClosableEngine):
                await engine.aclose()
