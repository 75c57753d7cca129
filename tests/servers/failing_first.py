"""A server with an OpenAI-compatible address that fails a few times before it answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from tests.servers.hosting import hosted
from tests.support.loopback import PROBED, answers, chat_payload


def answering(body: dict[str, Any]) -> web.Response:
    """The right answer to a probe or to a Stage 1 request."""
    is_probe = "zebra" in json.dumps(body["messages"])
    return web.json_response(chat_payload(PROBED if is_probe else answers()))


@contextmanager
def server(*faults: int | str) -> Iterator[str]:
    """A server that meets its first requests with these statuses (or stalls), and answers all others."""
    left = list(faults)

    async def handle(request: web.Request) -> web.Response:
        body = await request.json()
        fault = left.pop(0) if left else None
        if fault == "stall":
            await asyncio.Event().wait()
        return answering(body) if fault is None else web.Response(status=int(fault))

    with hosted(handle, "/v1/chat/completions") as address:
        yield f"{address}/v1"
