from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from samsim.engines.cache import ResponseCache
from samsim.engines.interface import EngineReply
from samsim.engines.model_engine import ModelEngine
from samsim.errors import EngineError
from samsim.schemas.calls import OutputMode
from tests.support.asking import Asked, asking
from tests.support.loopback import PROBED, TRIPLET, Body, Handler, answers, chat_reply, is_probe, stage1_request

pytestmark = pytest.mark.loopback
Step = Callable[[Body], web.Response]


def mode_of(body: Body) -> OutputMode:
    """The rung a request stands on."""
    if "tools" in body:
        return "tool"
    form = body.get("response_format", {}).get("type")
    modes: dict[str | None, OutputMode] = {"json_schema": "json_schema", "json_object": "json_object", None: "prompted"}
    return modes[form]


def obeys(body: Body) -> web.Response:
    content = PROBED if is_probe(body) else answers(TRIPLET)
    if mode_of(body) != "tool":
        return chat_reply(content)
    call = {"function": {"name": "x", "arguments": content}}
    return chat_reply("", "tool_calls", tool_calls=[call])


def chats(body: Body) -> web.Response:
    return chat_reply("A zebra is black and white.")


def refuses(body: Body) -> web.Response:
    return web.json_response({"error": {"message": "unknown field"}}, status=400)


def breaks(body: Body) -> web.Response:
    return web.Response(status=500, text="Internal Server Error")


def locks_out(body: Body) -> web.Response:
    return web.Response(status=401)


def slows_down(body: Body) -> web.Response:
    return web.Response(status=429)


def server(*, otherwise: Step = obeys, **steps: Step) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return steps.get(mode_of(body), otherwise)(body)

    return handler


async def ask_once(asked: Asked) -> tuple[EngineReply, list[OutputMode], Asked]:
    reply = await asked.engine.complete(stage1_request())
    return reply, [mode_of(body) for body in asked.server.bodies], asked


@pytest.mark.parametrize(
    ("handler", "walk"),
    [
        (server(), ["json_schema"]),
        # Takes the schema and ignores it.
        (server(json_schema=chats), ["json_schema", "tool", "json_schema"]),
        # LM Studio before it knew schemas, and many gateways.
        (server(json_schema=refuses), ["json_schema", "tool"]),
        # llama-cpp-python: a server error for the schema, prose for tools.
        (
            server(json_schema=breaks, tool=chats),
            ["json_schema", "tool", "json_object", "json_schema", "tool"],
        ),
        (server(json_schema=refuses, tool=refuses), ["json_schema", "tool", "json_object"]),
        (
            server(json_schema=refuses, tool=refuses, json_object=refuses),
            ["json_schema", "tool", "json_object", "prompted"],
        ),
    ],
)
def test_the_first_rung_that_really_works_is_taken(handler: Handler, walk: list[OutputMode]) -> None:
    reply, asked_modes, asked = asking(handler, ask_once, output_mode="auto")
    settled = asked_modes[-1]
    assert reply.failure is None
    assert asked_modes == [*walk, settled]
    assert reply.mode == asked.engine.mode == settled
    assert len(asked.engine.probe_attempts) == len(walk)
    assert len(reply.attempts) == len(walk) + 1
    assert asked.spending.spent == pytest.approx(sum(attempt.cost or 0 for attempt in reply.attempts))


def test_a_server_that_only_follows_prompts_may_wrap_its_answer() -> None:
    def fenced(body: Body) -> web.Response:
        return chat_reply('```json\n{"items": []}\n```' if is_probe(body) else '```\n{"triplets": []}\n```')

    reply, asked_modes, _ = asking(server(otherwise=refuses, prompted=fenced), ask_once, output_mode="auto")
    assert asked_modes[-1] == reply.mode == "prompted"
    assert reply.attempts[-1].outcome == "salvaged"


def test_a_chatty_native_rung_is_not_good_enough() -> None:
    def wrapped(body: Body) -> web.Response:
        return chat_reply('Sure: {"items": []}')

    reply, _, _ = asking(server(json_schema=wrapped), ask_once, output_mode="auto")
    assert reply.mode == "tool"


def test_a_weak_model_is_still_asked_in_the_last_mode() -> None:
    def weak(body: Body) -> web.Response:
        return chats(body) if is_probe(body) else chat_reply(answers(TRIPLET))

    reply, _, _ = asking(server(otherwise=weak), ask_once, output_mode="auto")
    assert (reply.failure, reply.mode) == (None, "prompted")


def test_a_bad_moment_does_not_cost_the_best_mode() -> None:
    left = [breaks]

    def at_first(body: Body) -> web.Response:
        return left.pop()(body) if left else obeys(body)

    reply, asked_modes, _ = asking(server(json_schema=at_first), ask_once, output_mode="auto")
    assert asked_modes == ["json_schema", "tool", "json_schema", "json_schema"]
    assert reply.mode == "json_schema"


def test_a_second_look_is_also_taken_from_the_last_rung() -> None:
    left = [breaks]

    def at_first(body: Body) -> web.Response:
        return left.pop()(body) if left else obeys(body)

    def fenced(body: Body) -> web.Response:
        return chat_reply('```json\n{"items": []}\n```')

    handler = server(json_schema=at_first, otherwise=refuses, prompted=fenced)
    reply, _, _ = asking(handler, ask_once, output_mode="auto")
    assert reply.mode == "json_schema"


def test_a_burst_of_server_errors_is_waited_out() -> None:
    left = [breaks] * 6

    def at_first(body: Body) -> web.Response:
        return left.pop()(body) if left else obeys(body)

    reply, _, asked = asking(server(otherwise=at_first), ask_once, output_mode="auto")
    assert (reply.failure, reply.mode) == (None, "json_schema")
    assert asked.pauses


@pytest.mark.parametrize(
    ("step", "failure", "sent"),
    [
        (locks_out, "auth", 1),
        (slows_down, "rate_limited", 3),
        (breaks, "server_error", 12),
        (refuses, "bad_request", 4),
    ],
)
def test_a_server_that_cannot_be_asked_is_a_typed_failure_with_its_attempts(
    step: Step, failure: str, sent: int
) -> None:
    reply, asked_modes, asked = asking(server(otherwise=step), ask_once, output_mode="auto", max_attempts=3)
    assert (reply.failure, reply.mode, asked.engine.mode) == (failure, None, None)
    assert len(asked_modes) == len(reply.attempts) == sent


def test_calls_at_the_same_time_share_one_probe() -> None:
    async def use(asked: Asked) -> tuple[list[EngineReply], int]:
        replies = await asyncio.gather(*(asked.engine.complete(stage1_request(f"s{n}")) for n in range(6)))
        return replies, sum(is_probe(body) for body in asked.server.bodies)

    replies, probes = asking(server(), use, output_mode="auto")
    assert probes == 1
    assert all(reply.failure is None for reply in replies)
    assert sorted(len(reply.attempts) for reply in replies) == [1, 1, 1, 1, 1, 2]


def test_a_dead_server_is_found_dead_once_and_asked_again_later() -> None:
    dead = [True]

    def dying(body: Body) -> web.Response:
        return locks_out(body) if dead[0] else obeys(body)

    async def use(asked: Asked) -> tuple[list[EngineReply], int, EngineReply]:
        replies = await asyncio.gather(*(asked.engine.complete(stage1_request(f"s{n}")) for n in range(6)))
        sent = len(asked.server.bodies)
        dead[0] = False
        return replies, sent, await asked.engine.complete(stage1_request())

    replies, sent, later = asking(server(otherwise=dying), use, output_mode="auto")
    assert [reply.failure for reply in replies] == ["auth"] * 6
    assert sent == 1
    assert later.failure is None


def test_a_mode_that_was_asked_for_is_not_probed() -> None:
    _, asked_modes, _ = asking(server(), ask_once, output_mode="tool")
    assert asked_modes == ["tool"]


def test_probe_can_be_called_by_itself() -> None:
    async def use(asked: Asked) -> OutputMode:
        return await asked.engine.probe()

    assert asking(server(json_schema=refuses), use, output_mode="auto") == "tool"
    with pytest.raises(EngineError, match="auth"):
        asking(server(otherwise=locks_out), use, output_mode="auto")


def test_a_second_run_with_all_answers_in_the_cache_does_not_even_probe(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "c.sqlite")

    async def use(asked: Asked) -> tuple[int, int, list[EngineReply]]:
        requests = [stage1_request(f"s{number}", text=f"글 {number}") for number in range(3)]
        for request in requests:
            await asked.engine.complete(request)
        sent = len(asked.server.bodies)
        second = ModelEngine(asked.sender, cache)
        replies = [await second.complete(request) for request in requests]
        return sent, len(asked.server.bodies), replies

    first, both, replies = asking(server(json_schema=refuses), use, output_mode="auto", cache=cache)
    assert first == both
    assert all(reply.cached and reply.mode == "tool" for reply in replies)
