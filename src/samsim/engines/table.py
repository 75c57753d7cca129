"""The engine of each agent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from samsim.engines.interface import ClosableEngine, Engine
from samsim.errors import ConfigError
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, AgentName
from samsim.schemas.results import Stage

# The agents that have only one role; A, B and C are both perspectives and reviewers.
OTHER_AGENTS: tuple[AgentName, ...] = tuple(name for name in get_args(AgentName) if name not in AGENTS)


@dataclass(frozen=True, slots=True)
class EngineTable:
    """The engines of the perspectives, the reviewers and all other agents."""

    perspectives: Mapping[Agent, Engine]
    reviewers: Mapping[Agent, Engine]
    others: Mapping[AgentName, Engine] = field(default_factory=dict)

    @classmethod
    def of(cls, engine: Engine | Mapping[Agent, Engine] | Mapping[AgentName, Engine] | EngineTable) -> EngineTable:
        """Return a table from one engine for all agents, from one engine per agent, or from a table (unchanged)."""
        if isinstance(engine, EngineTable):
            return engine
        if isinstance(engine, Mapping):
            given = cast("Mapping[AgentName, Engine]", engine)
        else:
            given = dict.fromkeys(get_args(AgentName), engine)
        by_agent = {agent: given[agent] for agent in AGENTS if agent in given}
        others = {agent: given[agent] for agent in OTHER_AGENTS if agent in given}
        return cls(perspectives=by_agent, reviewers=by_agent, others=others)

    def engine_for(self, agent: AgentName, stage: Stage) -> Engine:
        """Return the engine that answers for an agent at a stage."""
        seats: Mapping[AgentName, Engine] = self.others
        if agent in AGENTS:
            by_stage = self.perspectives if stage == "stage1" else self.reviewers
            seats = cast("Mapping[AgentName, Engine]", by_stage)
        engine = seats.get(agent)
        if engine is None:
            raise no_engine(agent, [*self.perspectives, *self.others])
        return engine

    def mapped(self, change: Callable[[Engine], Engine]) -> EngineTable:
        """Return the table with ``change`` applied once to each distinct engine."""
        changed = {id(engine): change(engine) for engine in self._distinct()}
        return EngineTable(
            perspectives={agent: changed[id(engine)] for agent, engine in self.perspectives.items()},
            reviewers={agent: changed[id(engine)] for agent, engine in self.reviewers.items()},
            others={agent: changed[id(engine)] for agent, engine in self.others.items()},
        )

    async def aclose(self) -> None:
        """Close each distinct engine that holds resources."""
        for engine in self._distinct():
            if isinstance(engine, ClosableEngine):
                await engine.aclose()

    def _distinct(self) -> list[Engine]:
        engines = (*self.perspectives.values(), *self.reviewers.values(), *self.others.values())
        return list({id(engine): engine for engine in engines}.values())


def no_engine(agent: AgentName, known: Iterable[str]) -> ConfigError:
    """Return the error for an agent without an engine, where others have one."""
    return ConfigError(
        f"No engine was given for the agent {agent}, only for {', '.join(known)}. Give one for it, or for all."
    )
