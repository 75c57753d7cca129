"""Choosing the output mode: one tiny question per mode, from best to worst, until one really works.

Some servers accept a schema and then ignore it, so a mode works only if the answer is clean JSON of
the right shape. The question never mentions a format: only an enforced schema, a tool call or the schema
written out in the prompt can produce the expected object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from samsim.engines.interface import Message
from samsim.engines.sending import Answer, Sender
from samsim.schemas.calls import AttemptKind, AttemptRecord, FailureKind, OutputMode

# These failures are not about the mode: no other one would do better now.
_HOPELESS: frozenset[FailureKind] = frozenset(
    {"auth", "budget", "rate_limited", "timeout", "connection", "unreachable"}
)
# Failures of the connection, which any request may have. Not a 5xx: some servers answer an unknown mode with one.
_REPEATED: frozenset[FailureKind] = frozenset({"rate_limited", "timeout", "connection"})
# The server or the mode failed. After any other failure, the model was reached and wrote something.
_NOT_ANSWERED: frozenset[FailureKind] = _HOPELESS | {"bad_request", "server_error", "too_large"}
_PROBE_KIND: AttemptKind = "probe"
_QUESTION = (
    Message("system", "You answer questions about everyday things."),
    Message("user", "Which colours does a zebra have?"),
)

# The bounds are stated to see whether the server accepts them; breaking one says nothing about the mode.
_StatedNumber = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]


class ProbedItem(BaseModel):
    """One item: a string, a nested array of an enum, a bounded number and a nullable field."""

    thing: str = Field(json_schema_extra={"maxLength": 20})
    colours: list[Literal["black", "white", "brown", "grey"]] = Field(json_schema_extra={"maxItems": 2})
    confidence: _StatedNumber
    remark: Annotated[str, WithJsonSchema({"type": "string", "maxLength": 20})] | None


class ProbeSchema(BaseModel):
    """The answer to a probe: every kind of keyword the real schemas use, and very little text."""

    items: list[ProbedItem] = Field(json_schema_extra={"maxItems": 1})


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The mode that works, or why none does."""

    mode: OutputMode | None
    failure: FailureKind | None = None


async def find_mode(
    sender: Sender, modes: tuple[OutputMode, ...], attempts: list[AttemptRecord], seed: int | None
) -> ProbeResult:
    """Return the best mode that works; if the server itself fails, retry up to ``max_attempts`` times."""
    for tried in range(1, sender.settings.max_attempts + 1):
        result = await _walk_down(sender, modes, attempts, seed)
        if result.failure != "server_error":
            break
        if tried < sender.settings.max_attempts:
            await sender.pause(tried, "probe")
    return result


async def _walk_down(
    sender: Sender, modes: tuple[OutputMode, ...], attempts: list[AttemptRecord], seed: int | None
) -> ProbeResult:
    """Return the first mode that works, after retrying the better ones that failed without being rejected.

    The retry keeps one bad moment at the start from costing the whole run its best mode.
    """
    doubtful: list[OutputMode] = []
    failure: FailureKind | None = None
    for mode in modes:
        answer = await _try(sender, mode, attempts, seed)
        if _works(answer, mode):
            for better in doubtful:
                if _works(await _try(sender, better, attempts, seed), better):
                    return ProbeResult(better)
            return ProbeResult(mode)
        failure = answer.judgement.failure or "schema"
        if failure in _HOPELESS:
            return ProbeResult(None, failure)
        if failure != "bad_request":
            doubtful.append(mode)
    if failure is not None and failure not in _NOT_ANSWERED:
        # A weak model answered, but badly. The real prompts show examples, and every answer is validated.
        return ProbeResult(modes[-1])
    return ProbeResult(None, failure)


def _works(answer: Answer, mode: OutputMode) -> bool:
    """Return whether the mode did what it promises: clean JSON; only a prompted answer may need salvaging."""
    return answer.judgement.outcome == "ok" or (mode == "prompted" and answer.judgement.outcome == "salvaged")


async def _try(sender: Sender, mode: OutputMode, attempts: list[AttemptRecord], seed: int | None) -> Answer:
    question = sender.prepare(_QUESTION, ProbeSchema, mode, seed)
    return await sender.ask(
        question, _PROBE_KIND, attempts, spread=f"probe:{mode}", worth_repeating=_REPEATED.__contains__
    )
