"""HTTP POST requests on aiohttp, with limits, timeouts and typed failures. It knows nothing about models.

The result is always an ``HttpReply``; exceptions of the client never leave this module, so they cannot
leak an address, a header or a key.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pydantic_core import from_json

from samsim.engines.transport.guard import check_allowed, is_loopback
from samsim.errors import ConfigError
from samsim.json_text import MOST_REPLY_DEPTH, is_too_deep
from samsim.schemas.calls import FailureKind

if TYPE_CHECKING:
    import aiohttp

MAX_REPLY_BYTES = 8 * 1024 * 1024
_CONNECT_TIMEOUT_S = 10.0
_MAX_KEPT_BYTES = 4_000


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply, or why there is none. ``payload`` is the decoded JSON body.

    ``raw_text`` holds the start of a body that could not be decoded or that reports an error. ``reached`` is
    False if no connection was made, so nothing was sent.
    """

    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    payload: Any = None
    raw_text: str = ""
    failure: FailureKind | None = None
    reached: bool = True


class HttpTransport:
    """Connections to servers, opened on first use and kept per event loop.

    An engine may serve several event loops in turn; each gets its own connections.
    ``timeout_s`` is the default for requests without a timeout.
    """

    def __init__(
        self, *, max_connections: int = 64, timeout_s: float = 60.0, max_reply_bytes: int = MAX_REPLY_BYTES
    ) -> None:
        self._max_connections = max_connections
        self._timeout_s = timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxies: dict[str, str | None] = {}
        self._timeout: aiohttp.ClientTimeout | None = None

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, timeout_s: float | None = None
    ) -> HttpReply:
        """Send ``body`` and return the reply; raise only if the request is forbidden or cannot be built."""
        check_allowed(url)
        proxy = self._proxy_for(url)
        if "Authorization" in headers and "@" in urlsplit(url).netloc:
            raise ConfigError(
                "The engine has both a user in base_url and an API key, but a request can carry only one of them."
                " Remove the user from base_url, or leave out api_key_env."
            )
        client = _client_library()
        session = self._session
        if session is None or session.closed or self._loop is not asyncio.get_running_loop():
            session = await self._open()
        total = self._timeout_s if timeout_s is None else timeout_s
        timeout = self._timeout
        if timeout is None or timeout.total != total:
            self._timeout = timeout = client.ClientTimeout(total=total, sock_connect=_CONNECT_TIMEOUT_S)
        try:
            # A redirect would carry the key to another server.
            async with session.post(
                url, data=body, headers=headers, allow_redirects=False, proxy=proxy, timeout=timeout
            ) as response:
                content = await _read_at_most(response, self._max_reply_bytes)
                return _interpret(response.status, response.headers, content)
        except TimeoutError as error:
            return HttpReply(None, failure="timeout", reached=not isinstance(error, client.ConnectionTimeoutError))
        except client.ClientSSLError:
            # A server is there but cannot be trusted, so waiting would not help.
            return HttpReply(None, failure="connection")
        except (client.ClientError, OSError) as error:
            return HttpReply(None, failure="connection", reached=not isinstance(error, client.ClientConnectorError))

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _open(self) -> aiohttp.ClientSession:
        client = _client_library()
        await self.aclose()
        self._loop = asyncio.get_running_loop()
        self._session = client.ClientSession(
            connector=client.TCPConnector(limit=self._max_connections),
            cookie_jar=client.DummyCookieJar(),
        )
        return self._session

    def _proxy_for(self, url: str) -> str | None:
        if url not in self._proxies:
            self._proxies[url] = _proxy_of_environment(url)
        return self._proxies[url]


@cache
def _client_library() -> ModuleType:
    """Return aiohttp, imported at the first request: engines that call no model do not need it."""
    try:
        import aiohttp
    except ImportError:
        raise ConfigError("Model engines need aiohttp. Install it with: pip install 'samsim[llm]'") from None
    return aiohttp


def _proxy_of_environment(url: str) -> str | None:
    """Return the proxy that the environment sets for the address; never one for this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError("The engine's base_url is not a web address. Write it like http://localhost:8000/v1.")
    if is_loopback(host) or not any(name.lower().endswith("_proxy") for name in os.environ) or proxy_bypass(host):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


async def _read_at_most(response: aiohttp.ClientResponse, limit: int) -> bytes | None:
    """Return the whole body, or None if it is larger than ``limit``."""
    if (response.content_length or 0) > limit:
        response.close()
        return None
    stream = response.content
    content = await stream.readany()
    if stream.at_eof():
        return content if len(content) <= limit else None
    parts, size = [content], len(content)
    while size <= limit and (part := await stream.readany()):
        parts.append(part)
        size += len(part)
    if size > limit:
        response.close()
        return None
    return b"".join(parts)


def _interpret(status: int, headers: Mapping[str, str], content: bytes | None) -> HttpReply:
    """Decode a body; an error reply may have any body, because its status says enough."""
    if content is None:
        return HttpReply(status, headers, failure="too_large")
    try:
        payload = from_json(content)
    except ValueError:
        return _interpret_carefully(status, headers, content)
    succeeded = 200 <= status < 300
    return HttpReply(status, headers, payload, "" if succeeded else content[:_MAX_KEPT_BYTES].decode(errors="ignore"))


def _interpret_carefully(status: int, headers: Mapping[str, str], content: bytes) -> HttpReply:
    """Decode what the fast decoder rejects: broken text or JSON, a byte order mark or half a surrogate pair."""
    start = content[:_MAX_KEPT_BYTES].decode(errors="replace")
    failure: FailureKind
    try:
        payload = json.loads(content.decode("utf-8-sig"))
        if not is_too_deep(payload, MOST_REPLY_DEPTH):
            return HttpReply(status, headers, payload, start)
        failure = "invalid_json"
    except UnicodeDecodeError:
        failure = "bad_encoding"
    except (ValueError, RecursionError):
        failure = "invalid_json"
    return HttpReply(status, headers, raw_text=start, failure=failure if 200 <= status < 300 else None)
