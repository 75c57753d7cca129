"""Model engines that ask a loopback server, without waiting between attempts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from aiohttp import web

from samsim.engines.cache import ResponseCache
from samsim.engines.interface import EngineReply
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.limits import AdaptiveLimit, SpendingLimit
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings, PricePerMillion
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from tests.support.loopback import Body, Handler, Loopback, serving

KEY = "sk-canary-4711"
PRICE = PricePerMillion(input=1.0, output=10.0)
ResultT = TypeVar("ResultT")


@dataclass
class Asked:
    """An engine, the server it asks, and the waits it would have made."""

    engine: ModelEngine
    sender: Sender
    server: Loopback
    pauses: list[float]
    limit: AdaptiveLimit
    spending: SpendingLimit


def asking(
    handler: Handler,
    use: Callable[[Asked], Awaitable[ResultT]],
    *,
    cache: ResponseCache | None = None,
    max_cost: float | None = None,
    timeout_s: float = 10.0,
    **settings: Any,
) -> ResultT:
    """Run ``use`` with an engine whose server answers by ``handler``."""

    async def run() -> ResultT:
        async with serving(handler) as server:
            given = EngineSettings(
                kind="openai_compatible",
                base_url=f"{server.url}/v1",
                **{"model": "m", "output_mode": "json_schema", "timeout_s": timeout_s, **settings},
            )
            pauses: list[float] = []
            limit = AdaptiveLimit(8)
            spending = SpendingLimit(max_cost)

            async def note(seconds: float) -> None:
                pauses.append(seconds)

            transport = HttpTransport(timeout_s=timeout_s)
            sender = Sender(
                given, OpenAIWire(), transport, api_key=KEY, limit=limit, spending=spending, price=PRICE, sleep=note
            )
            engine = ModelEngine(sender, cache)
            try:
                return await use(Asked(engine, sender, server, pauses, limit, spending))
            finally:
                await engine.aclose()

    return asyncio.run(run())


def in_turn(*steps: Handler | web.Response) -> Handler:
    """One step after another; the last one answers whatever else is asked."""
    left = list(steps)

    async def handler(request: web.Request, body: Body) -> web.StreamResponse:
        step = left.pop(0) if len(left) > 1 else left[0]
        return step if isinstance(step, web.Response) else await step(request, body)

    return handler


def outcomes(reply: EngineReply) -> list[tuple[str, str]]:
    return [(attempt.kind, attempt.outcome) for attempt in reply.attempts]
