"""An engine that answers as the embedded one does and keeps every prompt a model would have read."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest


@dataclass(frozen=True)
class Sent:
    uid: str
    stage: str
    agent: str
    text: str


class PromptKeeper:
    def __init__(self) -> None:
        self.name = "embedded"
        self.sent: list[Sent] = []
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        text = "\n".join(message.content for message in request.messages())
        self.sent.append(Sent(request.uid, request.stage, request.agent, text))
        return await self._engine.complete(request)

    def of(self, uid: str) -> list[str]:
        return [sent.text for sent in self.sent if sent.uid == uid]
