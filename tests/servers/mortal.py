"""A chat-completions server that dies in the middle of its work and comes back, in virtual time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.servers.chat_requests import answer_to, completion
from tests.servers.faulty import PATH
from tests.servers.hosting import PATIENCE_SECONDS

LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


@dataclass
class VirtualTime:
    """A clock that only sleeping moves; whoever waits for a moment is told as soon as it has come."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    _alarms: list[tuple[float, Any]] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        due = [alarm for alarm in self._alarms if alarm[0] <= self.now]
        self._alarms = [alarm for alarm in self._alarms if alarm[0] > self.now]
        for _, wake in due:
            wake()
        await asyncio.sleep(0)

    def at(self, moment: float, wake: Any) -> None:
        self._alarms.append((moment, wake))


@dataclass
class MortalServer:
    """Dies at the requests whose numbers are given (from 1), each time for so many seconds.

    A dead server refuses connections, and cuts those that are open; a graceful one ends what it has begun.
    While it loads, it says so: for ``loading`` seconds from the beginning and after every death.
    """

    time: VirtualTime
    deaths: tuple[int, ...] = ()
    dead_for: float = 30.0
    loading: float = 0.0
    is_graceful: bool = False
    url: str = ""
    requests: int = 0
    answered: int = 0
    _ready_at: float = 0.0
    _port: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _runner: web.AppRunner | None = None
    _site: web.TCPSite | None = None

    @contextmanager
    def running(self) -> Iterator[MortalServer]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        thread.start()
        try:
            self.revive()
            yield self
        finally:
            self._do(self._stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(PATIENCE_SECONDS)
            self._loop.close()

    def revive(self) -> None:
        """Listen again, at the same address."""
        self._ready_at = self.time.now + self.loading
        self._do(self._listen())

    def kill(self) -> None:
        """Die now, until somebody revives it."""
        self._do(self._stop())

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_SECONDS)

    async def _listen(self) -> None:
        await self._stop()
        app = web.Application(client_max_size=16 * 1024 * 1024)
        app.router.add_post(PATH, self._handle)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.0, access_log=None)
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await self._site.start()
        self._port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self._port}/v1"

    async def _stop(self) -> None:
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        body = await request.json()
        if self.requests in self.deaths:
            self.time.at(self.time.now + self.dead_for, self.revive)
            await self._die()
            return self._answer(body)
        if self.time.now < self._ready_at:
            return web.json_response(LOADING, status=503)
        return self._answer(body)

    async def _die(self) -> None:
        """Nothing listens any more, and unless it is graceful, then all connections break at once."""
        assert self._site is not None
        assert self._runner is not None
        await self._site.stop()
        server = self._runner.server
        for connection in [] if self.is_graceful or server is None else server.connections:
            if connection.transport is not None:
                connection.transport.abort()

    def _answer(self, body: dict[str, Any]) -> web.Response:
        self.answered += 1
        response = web.json_response(completion(body, json.dumps(answer_to(body), ensure_ascii=False)))
        if self.is_graceful:
            response.force_close()
        return response
