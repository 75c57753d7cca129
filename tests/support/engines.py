"""Small engines that answer from a book, for tests of the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from samsim.engines.interface import EngineReply, EngineRequest
from samsim.schemas.protocol_conflict_review import AGENTS, AgentName
from samsim.schemas.results import Stage

Book = Mapping[tuple[AgentName, Stage], object]

# Only a broken runner ever waits that long, however busy the machine is.
PATIENCE_SECONDS = 600.0


class AnswerBook:
    """Answers each agent and stage from a book; an ``EngineReply`` in it is given as it is.

    What the book does not mention gets an empty answer. Every request is kept in ``asked``.
    """

    def __init__(self, book: Book) -> None:
        self.name = "answer-book"
        self.asked: list[EngineRequest] = []
        self._book = book

    async def complete(self, request: EngineRequest) -> EngineReply:
        self.asked.append(request)
        answer = self._book.get((request.agent, request.stage), _empty(request))
        return answer if isinstance(answer, EngineReply) else EngineReply(output=answer)

    def asked_for(self, stage: Stage) -> list[EngineRequest]:
        return [request for request in self.asked if request.stage == stage]


def _empty(request: EngineRequest) -> dict[str, object]:
    fields = request.output_schema.model_fields
    return {name: "" if field.annotation is str else [] for name, field in fields.items()}


class MeetingBook(AnswerBook):
    """Answers only once all three agents have been asked; ``meetings`` counts how often they met."""

    def __init__(self, book: Book) -> None:
        super().__init__(book)
        self.meetings = 0
        self._barrier = asyncio.Barrier(len(AGENTS))

    async def complete(self, request: EngineRequest) -> EngineReply:
        async with asyncio.timeout(PATIENCE_SECONDS):
            arrived_as = await self._barrier.wait()
        self.meetings += arrived_as == 0
        return await super().complete(request)
