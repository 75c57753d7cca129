from __future__ import annotations

import asyncio
import gc
import socket
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from aiohttp import web

from samsim.engines.transport.guard import forbid_requests
from samsim.engines.transport.http import HttpReply, HttpTransport
from samsim.errors import ConfigError, EngineError
from tests.support.loopback import Body, Handler, serving

pytestmark = pytest.mark.loopback
HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer sk-canary-4711"}


async def post(handler: Handler, transport: HttpTransport | None = None) -> HttpReply:
    client = transport or HttpTransport()
    async with serving(handler) as server:
        try:
            return await client.post(f"{server.url}/v1", HEADERS, b'{"a": 1}')
        finally:
            await client.aclose()


def replying(content: bytes = b"{}", **fields: Any) -> Handler:
    async def handler(request: web.Request, body: Body) -> web.Response:
        return web.Response(body=content, **fields)

    return handler


def sent(handler: Handler, transport: HttpTransport | None = None) -> HttpReply:
    return asyncio.run(post(handler, transport))


def test_a_json_reply_is_decoded() -> None:
    reply = sent(replying('{"맛": [1, null]}'.encode(), headers={"Retry-After": "3"}))
    assert (reply.status, reply.payload, reply.failure) == (200, {"맛": [1, None]}, None)
    assert reply.headers["retry-after"] == "3"


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        (b'{"choices": [', "invalid_json"),
        (b"", "invalid_json"),
        (b"<html>", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b'{"a": "\xff\xfe"}', "bad_encoding"),
        ('{"a": "맛"}'.encode("cp949"), "bad_encoding"),
    ],
)
def test_broken_bodies_are_typed(content: bytes, failure: str) -> None:
    reply = sent(replying(content))
    assert (reply.status, reply.payload, reply.failure) == (200, None, failure)
    assert len(reply.raw_text) <= 4_000


@pytest.mark.parametrize("content", [b"<html>Bad gateway</html>", b"\xff", b'{"error": "x"}'])
def test_the_body_of_an_error_reply_is_kept_and_may_be_anything(content: bytes) -> None:
    reply = sent(replying(content, status=502))
    assert (reply.status, reply.failure) == (502, None)
    assert reply.raw_text == content.decode(errors="replace")


def test_a_byte_order_mark_and_half_a_surrogate_pair_are_read() -> None:
    assert sent(replying(b"\xef\xbb\xbf{}")).payload == {}
    assert sent(replying(b'{"a": "\\ud800"}')).payload == {"a": "\ud800"}


def test_a_reply_of_five_megabytes_is_read_and_a_larger_one_refused() -> None:
    large = replying(b'{"a": "%b"}' % (b"x" * 5_000_000))
    reply = sent(large)
    assert (reply.failure, len(reply.payload["a"])) == (None, 5_000_000)
    assert sent(large, HttpTransport(max_reply_bytes=4_000_000)).failure == "too_large"


def test_an_endless_reply_without_a_length_is_given_up() -> None:
    async def endless(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 65_536)

    reply = sent(endless, HttpTransport(max_reply_bytes=1_000_000))
    assert (reply.status, reply.failure) == (200, "too_large")


def test_a_stalled_server_is_a_timeout() -> None:
    async def stalled(request: web.Request, body: Body) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError("never reached")

    assert sent(stalled, HttpTransport(timeout_s=0.2)).failure == "timeout"


def test_a_request_may_name_a_timeout_of_its_own() -> None:
    async def stalled(request: web.Request, body: Body) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError("never reached")

    async def exchange() -> HttpReply:
        async with serving(stalled) as server:
            transport = HttpTransport(timeout_s=600.0)
            reply = await transport.post(f"{server.url}/v1", HEADERS, b"{}", timeout_s=0.1)
            await transport.aclose()
            return reply

    assert asyncio.run(exchange()).failure == "timeout"


def test_a_server_that_stops_in_the_middle_is_a_timeout() -> None:
    async def halfway(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b'{"a": ')
        await asyncio.Event().wait()
        return response

    assert sent(halfway, HttpTransport(timeout_s=0.2)).failure == "timeout"


def test_a_reset_connection_is_a_connection_failure() -> None:
    async def reset(request: web.Request, body: Body) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    assert sent(reset).failure == "connection"


def test_a_body_shorter_than_announced_is_a_connection_failure() -> None:
    async def short(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b'{"a": 1}')
        assert request.transport is not None
        request.transport.close()
        return response

    assert sent(short).failure == "connection"


def test_nobody_listening_is_a_connection_failure() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]

    async def run() -> HttpReply:
        transport = HttpTransport()
        reply = await transport.post(f"http://127.0.0.1:{port}/v1", HEADERS, b"{}")
        await transport.aclose()
        return reply

    reply = asyncio.run(run())
    assert (reply.status, reply.failure) == (None, "connection")


def test_a_redirect_is_not_followed_so_the_key_stays() -> None:
    async def moved(request: web.Request, body: Body) -> web.Response:
        return web.Response(status=307, headers={"Location": f"http://127.0.0.1:{request.url.port}/elsewhere"})

    async def run() -> tuple[HttpReply, list[str]]:
        async with serving(moved) as server:
            transport = HttpTransport()
            reply = await transport.post(f"{server.url}/v1", HEADERS, b"{}")
            await transport.aclose()
            return reply, server.paths

    reply, paths = asyncio.run(run())
    assert reply.status == 307
    assert paths == ["/v1"]


def test_an_address_that_is_none_is_a_configuration_error_without_the_key() -> None:
    with forbidding_nothing(), pytest.raises(ConfigError, match="base_url") as caught:
        asyncio.run(HttpTransport().post("localhost:8000/v1", HEADERS, b"{}"))
    assert "canary" not in repr(caught.value)


@contextmanager
def forbidding_nothing() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SAMSIM_FORBID_REQUESTS")
        yield


def test_a_forbidden_request_is_an_error_before_any_connection() -> None:
    async def run() -> list[Body]:
        async with serving(replying()) as server:
            with forbid_requests(), pytest.raises(EngineError, match="forbidden"):
                await HttpTransport().post(f"{server.url}/v1", HEADERS, b"{}")
            return server.bodies

    assert asyncio.run(run()) == []


def test_one_transport_serves_several_event_loops_one_after_another() -> None:
    transport = HttpTransport()

    async def ask_and_leave_open() -> HttpReply:
        async with serving(replying(b'{"a": 1}')) as server:
            return await transport.post(f"{server.url}/v1", HEADERS, b"{}")

    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        for _ in range(3):
            assert asyncio.run(ask_and_leave_open()).payload == {"a": 1}
        asyncio.run(transport.aclose())
        gc.collect()
    assert not [complaint for complaint in complaints if "Unclosed client session" in str(complaint.message)]


def test_a_closed_transport_opens_again() -> None:
    async def run() -> list[HttpReply]:
        transport = HttpTransport()
        async with serving(replying()) as server:
            replies = []
            for _ in range(2):
                replies.append(await transport.post(f"{server.url}/v1", HEADERS, b"{}"))
                await transport.aclose()
            return replies

    assert [reply.status for reply in asyncio.run(run())] == [200, 200]


def test_connections_are_reused() -> None:
    ports: set[int] = set()

    async def handler(request: web.Request, body: Body) -> web.Response:
        assert request.transport is not None
        ports.add(request.transport.get_extra_info("peername")[1])
        return web.json_response({})

    async def run() -> None:
        transport = HttpTransport()
        async with serving(handler) as server:
            for _ in range(5):
                await transport.post(f"{server.url}/v1", HEADERS, b"{}")
            await transport.aclose()

    asyncio.run(run())
    assert len(ports) == 1


def test_a_proxy_of_the_environment_is_used_for_other_machines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def proxy(request: web.Request, body: Body) -> web.Response:
        asked.append(str(request.url))
        return web.json_response({"through": "proxy"})

    async def run() -> tuple[HttpReply, HttpReply]:
        async with serving(proxy) as behind, serving(replying(b'{"through": "nothing"}')) as own:
            monkeypatch.setenv("http_proxy", behind.url)
            monkeypatch.delenv("SAMSIM_FORBID_REQUESTS")
            transport = HttpTransport()
            far = await transport.post("http://models.invalid/v1", HEADERS, b"{}")
            near = await transport.post(f"{own.url}/v1", HEADERS, b"{}")
            await transport.aclose()
            return far, near

    far, near = asyncio.run(run())
    assert (far.payload, near.payload) == ({"through": "proxy"}, {"through": "nothing"})
    assert asked == ["http://models.invalid/v1"]
