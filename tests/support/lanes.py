"""A server on this machine that answers so many calls at a time, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web

from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.limits import AdaptiveLimit
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from tests.support.loopback import PROBED, Body, answers, chat_reply, is_probe, serving
from tests.support.virtual_time import virtual_clock

Use = Callable[[ModelEngine], Awaitable[None]]


@dataclass
class Lanes:
    """A server that answers ``lanes`` calls at a time, each in ``seconds``; the others wait their turn."""

    lanes: int
    seconds: float | Callable[[int], float]
    # How many were there when each came, itself included.
    present: list[int] = field(default_factory=list)
    waiting: int = 0

    async def answer(self, _request: web.Request, body: Body) -> web.Response:
        number = len(self.present)
        self.waiting += 1
        self.present.append(self.waiting)
        try:
            async with self._turn:
                await asyncio.sleep(self.seconds(number) if callable(self.seconds) else self.seconds)
        finally:
            self.waiting -= 1
        return chat_reply(PROBED if is_probe(body) else answers())

    async def serve(self, use: Use, *, is_adapting: bool = True, **settings: object) -> None:
        """Let ``use`` ask an engine with these settings; its limit adapts as in a run unless told otherwise."""
        self._turn = asyncio.Semaphore(self.lanes)
        async with serving(self.answer) as server:
            given = EngineSettings.model_validate(
                {"kind": "openai_compatible", "model": "m", "base_url": f"{server.url}/v1", **settings}
            )
            transport = HttpTransport(max_connections=given.concurrency, timeout_s=given.timeout_s)
            limit = None if is_adapting else AdaptiveLimit(given.concurrency)
            engine = ModelEngine(Sender(given, OpenAIWire(), transport, limit=limit, clock=virtual_clock))
            try:
                await use(engine)
            finally:
                await engine.aclose()
