"""Keeping keys and passwords out of everything that is recorded or shown.

A server's answer is never changed; only the recorded copy of a reply and what is said about an engine
are redacted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from samsim.engines.settings import EngineSettings
from samsim.engines.transport.guard import is_loopback

# Shorter ones are placeholders for local servers ("test", "none", "ollama"): words that any text may contain.
SHORTEST_SECRET = 8
HIDDEN = "[hidden]"
KEY_MARK = "[API key]"


def shown_address(address: str) -> str:
    """Return an address without its user and password and without the values of its query.

    Anything else (a path) is returned unchanged.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    place, _, query = rest.partition("#")[0].partition("?")
    names = [part.partition("=")[0] for part in query.split("&") if part]
    hidden = f"?{'&'.join(f'{name}={HIDDEN}' for name in names)}" if names else ""
    # A password may contain an @, so split at the last one.
    return f"{scheme}://{place.rpartition('@')[2]}{hidden}"


def shown_body(value: Any) -> Any:
    """Return a request body that is safe to record: numbers and booleans stay, strings could be keys."""
    if isinstance(value, dict):
        return {name: shown_body(child) for name, child in value.items()}
    if isinstance(value, list | tuple):
        return [shown_body(child) for child in value]
    return HIDDEN if isinstance(value, str) else value


class Redactor:
    """Removes one engine's secrets from recorded text, because some servers quote what they were sent."""

    def __init__(self, settings: EngineSettings, api_key: str | None) -> None:
        secrets = {} if api_key is None else {api_key: KEY_MARK}
        for secret in (*_of_address(settings.url), *_texts_in(settings.extra_body)):
            secrets.setdefault(secret, HIDDEN)
        # The longest first, because one may be part of another.
        self._marks = [
            (secret, secrets[secret])
            for secret in sorted(secrets, key=len, reverse=True)
            if len(secret) >= SHORTEST_SECRET
        ]

    def holds_a_secret(self, text: str) -> bool:
        """Return whether a text contains one of the secrets."""
        return any(secret in text for secret, _ in self._marks)

    def __call__(self, text: str) -> str:
        """Return the text without the secrets."""
        for secret, mark in self._marks:
            text = text.replace(secret, mark)
        return text


def sent_in_the_clear(settings: EngineSettings) -> str | None:
    """Return a warning if a key or password goes over plain http to another machine, else None."""
    place = shown_address(settings.url)
    host = urlsplit(place).hostname or ""
    is_secret = settings.key_variable is not None or place != settings.url
    if not place.startswith("http://") or is_loopback(host) or not is_secret:
        return None
    return (
        f"{settings.name} sends its key to {host} over plain http, where others can read it:"
        " use https, or a tunnel to this machine"
    )


def all_sent_in_the_clear(engines: Iterable[EngineSettings]) -> list[str]:
    """Return the warnings of several engines without duplicates."""
    return list(dict.fromkeys(warning for settings in engines if (warning := sent_in_the_clear(settings))))


def _of_address(url: str) -> Iterator[str]:
    """Yield the user, the password and the values of the query, both encoded and decoded."""
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    for written in user.split(":", 1):
        yield from (written, unquote(written))
    yield from (part.partition("=")[2] for part in parts.query.split("&"))
    yield from (value for _, value in parse_qsl(parts.query))


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for child in value.values():
            yield from _texts_in(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _texts_in(child)
    elif isinstance(value, str):
        yield value
