"""What all wire formats share: the request as sent, the reply as parsed, and typed errors.

An adapter knows one provider's JSON and nothing else: it opens no connection, retries nothing and
keeps no state. API keys go only into headers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Protocol

from samsim.engines.interface import Message
from samsim.engines.settings import EngineSettings
from samsim.schemas.calls import FailureKind, OutputMode, Usage

Finish = Literal["stop", "length", "refusal", "tool", "other"]

# Bounds that the constrained decoders of hosted providers reject; pydantic checks the values anyway.
BOUND_KEYWORDS = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "pattern",
        "format",
    }
)

# More than any model can read or write, so such a count must be wrong.
_MOST_TOKENS = 10**9

# 402 means that the account has no credit. Several servers use 409 for a lock that was not available in
# time, which is as transient as a 5xx.
_STATUS_FAILURES: Mapping[int, FailureKind] = {
    401: "auth",
    402: "auth",
    403: "auth",
    408: "timeout",
    409: "server_error",
    413: "too_large",
    429: "rate_limited",
    504: "timeout",
}


@dataclass(frozen=True, slots=True)
class WireRequest:
    """One HTTP request. The headers hold the API key, so they are never shown."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class WireReply:
    """What the model wrote (its text or the arguments of its tool call), why it stopped, and its token usage."""

    text: str
    finish: Finish
    usage: Usage
    refusal: str | None = None


class WireAdapter(Protocol):
    """One provider's request and reply format."""

    @property
    def modes(self) -> tuple[OutputMode, ...]:
        """The provider's ways to return JSON, the most reliable first."""

    def refused_keywords(self, settings: EngineSettings) -> frozenset[str]:
        """Return the JSON Schema keywords that make the server reject a request."""

    def build(
        self,
        messages: Sequence[Message],
        schema: dict[str, Any],
        schema_name: str,
        mode: OutputMode,
        settings: EngineSettings,
        api_key: str | None,
        seed: int | None,
    ) -> WireRequest:
        """Return the request for these messages, with the answer's schema stated as ``mode`` requires."""

    def parse(self, payload: dict[str, Any], mode: OutputMode) -> WireReply:
        """Read a reply with status 200; missing fields become empty values and never raise."""

    def failure_of(self, status: int, payload: object) -> FailureKind | None:
        """Return the typed failure of an error reply, or None if the reply should be parsed."""


def failure_of_status(status: int) -> FailureKind | None:
    """Return the failure that an HTTP status means, or None for 2xx."""
    if 200 <= status < 300:
        return None
    return _STATUS_FAILURES.get(status, "server_error" if status >= 500 else "bad_request")


@lru_cache(maxsize=64)
def address_of(base_url: str, path: str, query: str = "") -> str:
    """Return the URL of ``path`` on a server; a query in the base URL is moved behind the path."""
    base, _, own = base_url.partition("?")
    queries = "&".join(part for part in (own, query) if part)
    return f"{base.rstrip('/')}{path}{'?' if queries else ''}{queries}"


def merge_body(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``body`` with the user's fields merged over it; objects are merged, other values replaced."""
    if not extra:
        return body
    merged = dict(body)
    for key, value in extra.items():
        present = merged.get(key)
        merged[key] = merge_body(present, value) if isinstance(present, dict) and isinstance(value, Mapping) else value
    return merged


def as_object(value: object) -> dict[str, Any]:
    """Return the value if it is a JSON object, else an empty object: a server may send anything."""
    return value if isinstance(value, dict) else {}


def first_object(value: object) -> dict[str, Any]:
    """Return the first element of a JSON array if it is an object, else an empty object."""
    return as_object(value[0]) if isinstance(value, list) and value else {}


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects in a JSON array; other elements are skipped."""
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return the value if it is a string, else an empty string."""
    return value if isinstance(value, str) else ""


def count_tokens(*counts: object) -> int | None:
    """Return the sum of a server's token counts, or None if none of them is plausible."""
    total: int | None = None
    for count in counts:
        # An exact type check, because bool is a subclass of int.
        if type(count) is int and 0 <= count <= _MOST_TOKENS:
            total = count + (total or 0)
    return total
