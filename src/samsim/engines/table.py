"""Which engine answers for which agent; each may be another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

    def mapped(self, change: Callable[[Engine], Engine]) -> EngineTable:
        """The same table with every engine changed, each once."""
        changed = {id(engine): change(engine) for engine in self._distinct()}
        return EngineTable(
            perspectives={agent: changed[id(engine)] for agent, engine in self.perspectives.items()},
            reviewers={agent: changed[id(engine)] for agent, engine in self.reviewers.items()},
        )

    async def aclose(self) -> None:
        """Close every engine that holds something, once."""
        for engine in self._distinct():
            if isinstance(engine, ClosableEngine):
                await engine.aclose()

    def _distinct(self) -> list[Engine]:
        engines = (*self.perspectives.values(), *self.reviewers.values())
        return list({id(engine): engine for engine in engines}.values())
