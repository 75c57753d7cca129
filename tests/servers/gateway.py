"""A gateway in front of a chat-completions server: it sees who is there together, and may lose calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

from tests.servers.faulty import PATH
from tests.servers.hosting import hosted


@dataclass
class Gateway:
    """Hands requests on to the server at ``target``; with ``loses`` 10, the first of every ten is cut."""

    target: str
    loses: int = 0
    url: str = ""
    lost: int = 0
    # How many were there when each came, itself included.
    present: list[int] = field(default_factory=list)
    _inside: int = 0

    @contextmanager
    def running(self) -> Iterator[Gateway]:
        """Serve until the block ends."""
        with hosted(self._handle, PATH) as address:
            self.url = f"{address}/v1"
            yield self

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        number = len(self.present)
        self._inside += 1
        self.present.append(self._inside)
        try:
            if self.loses and number % self.loses == 0:
                self.lost += 1
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            return await self._handed_on(await request.read())
        finally:
            self._inside -= 1

    async def _handed_on(self, body: bytes) -> web.Response:
        # The caller's patience is what counts: who goes away cancels this.
        patience = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(timeout=patience) as session,
            session.post(f"{self.target}/chat/completions", data=body) as reply,
        ):
            return web.Response(body=await reply.read(), status=reply.status, content_type=reply.content_type)
