"""The scripted engine, for tests: it answers from a script and raises an error when the script runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from samsim.engines.interface import EngineReply, EngineRequest
from samsim.errors import EngineError
from samsim.schemas.protocol_conflict_review import AgentName

Script = Iterable[object] | Callable[[EngineRequest], object]


class ScriptedEngine:
    """Replies from an iterable (in the order of the requests) or a callable (by request).

    ``script`` serves all agents, or is a mapping with one script per agent. Each item is the engine's
    output; an ``EngineReply`` is returned unchanged, so failures can be scripted too.
    """

    def __init__(self, script: Script | Mapping[AgentName, Script], name: str = "scripted") -> None:
        self.name = name
        self._common: Callable[[EngineRequest], object] | None = None
        self._by_agent: dict[AgentName, Callable[[EngineRequest], object]] = {}
        if isinstance(script, Mapping):
            self._by_agent = {agent: _teller(own) for agent, own in script.items()}
        else:
            self._common = _teller(script)

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the script's next reply; raise ``EngineError`` if there is none."""
        tell = self._common or self._by_agent.get(request.agent)
        try:
            answer = _nothing(request) if tell is None else tell(request)
        except StopIteration:
            raise EngineError(
                f"script_dry: the script has no reply left for agent {request.agent}, {request.stage}, "
                f"sample {request.uid}. Give the scripted engine one reply per request."
            ) from None
        return answer if isinstance(answer, EngineReply) else EngineReply(output=answer)


def _nothing(request: EngineRequest) -> object:
    raise StopIteration(request.agent)


def _teller(script: Script) -> Callable[[EngineRequest], object]:
    if callable(script):
        return script
    replies = iter(script)
    return lambda _request: next(replies)
