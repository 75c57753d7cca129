"""An engine that estimates what a model would read and write, without calling it.

The embedded engine answers instead, so everything that depends on answers (which conflicts are flagged, who
reviews) happens as usual. Tokens are estimated from the bytes of the request as it would be sent and of the answer.
"""

from __future__ import annotations

from pydantic import BaseModel
from pydantic_core import to_json

from samsim.engines.answers.shape import as_stated
from samsim.engines.answers.structured import LADDER
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.engines.prices import cost_of, price_of
from samsim.engines.sending import Sender, estimated_tokens
from samsim.schemas.calls import AttemptRecord, OutputMode, Usage


class CountingEngine:
    """Counts the tokens of the model that ``sender`` would call; sends nothing."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._stand_in = EmbeddedEngine()
        settings = sender.settings
        self._price = price_of(settings.model, settings.price_per_million)
        modes = tuple(mode for mode in LADDER if mode in sender.adapter.modes)
        self._mode: OutputMode = modes[0] if settings.output_mode == "auto" else settings.output_mode

    @property
    def name(self) -> str:
        """The model's name, because the counts are about the model."""
        return self._sender.settings.name

    async def complete(self, request: EngineRequest) -> EngineReply:
        """Return the embedded engine's answer, with the model's estimated tokens and cost."""
        reply = await self._stand_in.complete(request)
        schema, shape = request.output_schema, request.shape
        question = self._sender.prepare(request.messages(), schema, self._mode, request.seed, shape)
        found = reply.output.model_dump() if isinstance(reply.output, BaseModel) else reply.output
        answer = as_stated(found, self._sender.stated(schema, shape))
        usage = Usage(
            input_tokens=estimated_tokens(to_json(question.wire.body)), output_tokens=estimated_tokens(to_json(answer))
        )
        attempt = AttemptRecord(kind="first", outcome="ok", usage=usage, cost=cost_of(usage, self._price))
        return EngineReply(reply.output, reply.failure, mode=self._mode, attempts=(attempt,))
