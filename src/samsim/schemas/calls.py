"""The record of an engine call: every attempt, its outcome, tokens and cost."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from samsim.schemas.protocol_conflict_review import Written

OutputMode = Literal["json_schema", "tool", "json_object", "prompted"]
FailureKind = Literal[
    "timeout",
    "connection",
    "unreachable",
    "rate_limited",
    "server_error",
    "bad_request",
    "auth",
    "too_large",
    "bad_encoding",
    "empty",
    "refusal",
    "cut_off",
    "invalid_json",
    "schema",
    "budget",
    "forbidden",
    "script_dry",
    "not_recorded",
]
AttemptKind = Literal["probe", "first", "retry", "repair", "outage"]
Outcome = Literal["ok", "salvaged"] | FailureKind


class Usage(Written):
    """Tokens of one attempt as the server counted them; None if it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class AttemptRecord(Written):
    """One request that was sent. Times are in seconds on the engine's clock.

    A record of the kind ``outage`` stands for all failed requests of the call while the server was down,
    from the first to the last; ``raw`` says how many there were.
    """

    kind: AttemptKind
    outcome: Outcome
    http_status: int | None = None
    usage: Usage = Field(default_factory=Usage)
    cost: float | None = None
    started: float = 0.0
    ended: float = 0.0
    raw: str = ""


class MessageRecord(Written):
    """One message as it was sent."""

    role: str
    content: str
