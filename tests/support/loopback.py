"""A server on this machine that answers as a test says, and what is needed to ask it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from samsim.engines.interface import EngineRequest, Message, Stage1Inputs
from samsim.schemas.protocol_conflict_review import PerspectiveASTEStage1Schema
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis

Body = dict[str, Any]
Handler = Callable[[web.Request, Body], Awaitable[web.StreamResponse]]

TRIPLET = {
    "aspect_term": "배송",
    "aspect_ref": "배송",
    "polarity": "positive",
    "opinion_term": "빠르다",
    "evidence": "빨라요",
    "span": None,
    "confidence": 0.9,
    "rationale": "직접 평가",
}
PROBED = {"items": [{"thing": "zebra", "colours": ["black", "white"], "confidence": 1, "remark": None}]}


@dataclass
class Loopback:
    """Where the server is and what it was sent."""

    url: str = ""
    bodies: list[Body] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Loopback]:
    """Serve until the block ends; a handler that waits then is cancelled."""
    seen = Loopback()

    async def answer(request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        seen.bodies.append(body)
        seen.headers.append(dict(request.headers))
        seen.paths.append(request.path_qs)
        return await handler(request, body)

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    seen.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield seen
    finally:
        await runner.cleanup()


def chat_payload(content: object, finish: str = "stop", **message: Any) -> Body:
    """A chat-completions reply; what is not a string is written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }


def chat_reply(content: object, finish: str = "stop", **message: Any) -> web.Response:
    return web.json_response(chat_payload(content, finish, **message))


def answers(*triplets: Mapping[str, Any]) -> Body:
    return {"triplets": list(triplets)}


def is_probe(body: Body) -> bool:
    return "zebra" in json.dumps(body["messages"])


def stage1_request(uid: str = "s1", text: str = "배송이 빨라요.", **fields: Any) -> EngineRequest:
    return EngineRequest(
        agent="A",
        stage="stage1",
        uid=uid,
        inputs=Stage1Inputs(analysis(text), load_taxonomy("none")),
        output_schema=PerspectiveASTEStage1Schema,
        messages=lambda: (Message("system", "Extract the triplets as JSON."), Message("user", text)),
        prompt_hash="p1",
        **fields,
    )
