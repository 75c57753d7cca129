"""What all wire formats share: a request as it is sent, a reply as it was meant, and how errors are typed.

An adapter knows one provider's JSON and nothing else: it opens no connection, repeats nothing and
keeps no state. API keys are put in headers only.
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

# Bounds that constrained decoders of hosted providers refuse; pydantic checks the values anyway.
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

# More than any model can read or write: a server that says so has not counted.
_MOST_TOKENS = 10**9

# 402 is an account without credit. 409 is how several servers say that a lock could not be had in
# time: as passing as a 5xx.
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
    """What the model wrote (its text or the arguments of its tool call), why it stopped and what it took."""

    text: str
    finish: Finish
    usage: Usage
    refusal: str | None = None


class WireAdapter(Protocol):
    """One provider's request and reply format."""

    @property
    def modes(self) -> tuple[OutputMode, ...]:
        """The ways this provider can be made to answer in JSON, the most reliable first."""

    def refused_keywords(self, settings: EngineSettings) -> frozenset[str]:
        """JSON Schema keywords the server would reject a request for."""

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
        """Return the request for these messages, with the answer's schema stated the way ``mode`` does."""

    def parse(self, payload: dict[str, Any], mode: OutputMode) -> WireReply:
        """Read a reply of status 200; whatever is missing is empty, never an exception."""

    def failure_of(self, status: int, payload: object) -> FailureKind | None:
        """Return the typed failure of an error reply, or None if the reply is to be read."""


def failure_of_status(status: int) -> FailureKind | None:
    """Return what an HTTP status means as a failure; None for 2xx."""
    if 200 <= status < 300:
        return None
    return _STATUS_FAILURES.get(status, "server_error" if status >= 500 else "bad_request")


@lru_cache(maxsize=64)
def address_of(base_url: str, path: str, query: str = "") -> str:
    """Return the address of ``path`` on a server; a query of the base address stays behind the path."""
    base, _, own = base_url.partition("?")
    queries = "&".join(part for part in (own, query) if part)
    return f"{base.rstrip('/')}{path}{'?' if queries else ''}{queries}"


def merge_body(body: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """``body`` with the user's own fields on top; objects are merged, everything else is replaced."""
    if not extra:
        return body
    merged = dict(body)
    for key, value in extra.items():
        present = merged.get(key)
        merged[key] = merge_body(present, value) if isinstance(present, dict) and isinstance(value, Mapping) else value
    return merged


def as_object(value: object) -> dict[str, Any]:
    """Return the value if it is a JSON object, else an empty one: a server may send anything anywhere."""
    return value if isinstance(value, dict) else {}


def first_object(value: object) -> dict[str, Any]:
    """Return the first element of a JSON array, if it is an object, else an empty one."""
    return as_object(value[0]) if isinstance(value, list) and value else {}


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of a JSON array; anything else is passed over."""
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def count_tokens(*counts: object) -> int | None:
    """Return the sum of the counts a server gave; None where it gave none that can be true."""
    total: int | None = None
    for count in counts:
        # Exactly an integer: a truth value is none.
        if type(count) is int and 0 <= count <= _MOST_TOKENS:
            total = count + (total or 0)
    return total
