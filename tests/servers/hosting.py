"""An aiohttp application on a free loopback port, in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

# Only a broken test ever waits that long, however busy the machine is.
PATIENCE_SECONDS = 600.0
# A server that is slow to end is left behind with its daemon thread: no test fails for it.
_GRACE_SECONDS = 20.0
_MAX_REQUEST_BYTES = 16 * 1024 * 1024


@contextmanager
def hosted(handler: Handler, path: str) -> Iterator[str]:
    """Serve POST requests to ``path`` by ``handler``; yields the address and surely stops in the end."""
    app = web.Application(client_max_size=_MAX_REQUEST_BYTES)
    app.router.add_post(path, handler)
    ready: Future[str] = Future()
    stop: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(app, ready, stop)), daemon=True)
    thread.start()
    try:
        yield ready.result(PATIENCE_SECONDS)
    finally:
        loop, event = stop.result(PATIENCE_SECONDS)
        loop.call_soon_threadsafe(event.set)
        thread.join(_GRACE_SECONDS)


async def _serve(
    app: web.Application, ready: Future[str], stop: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]
) -> None:
    stopped = asyncio.Event()
    stop.set_result((asyncio.get_running_loop(), stopped))
    # Handlers that stall on purpose are cancelled when their client goes away.
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    ready.set_result(f"http://{host}:{port}")
    await stopped.wait()
    await runner.cleanup()
