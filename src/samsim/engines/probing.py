"""Choosing the output mode: one tiny question per rung of the ladder, until one really works.

Servers accept a schema and then ignore it, so a rung works only if the answer comes back as clean
JSON of the right shape. The question never mentions a format; only an enforced schema, a tool call
or the schema written out in the prompt can lead to the expected object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from samsim.engines.interface import Message
from samsim.engines.sending import Answer, Sender
from samsim.schemas.calls import AttemptKind, AttemptRecord, FailureKind, OutputMode

# Nothing about the rung: no other one would fare better now.
_HOPELESS: frozenset[FailureKind] = frozenset(
    {"auth", "budget", "rate_limited", "timeout", "connection", "unreachable"}
)
# What the way to the server may do to any request. Not a 5xx: that may be how a server answers a mode it lacks.
_REPEATED: frozenset[FailureKind] = frozenset({"rate_limited", "timeout", "connection"})
# The server or the mode failed; whatever else happened, the model could be asked and wrote something.
_NOT_ANSWERED: frozenset[FailureKind] = _HOPELESS | {"bad_request", "server_error", "too_large"}
_PROBE_KIND: AttemptKind = "probe"
_QUESTION = (
    Message("system", "You answer questions about everyday things."),
    Message("user", "Which colours does a zebra have?"),
)

# The bounds are stated to see whether the server takes them; breaking one says nothing about the mode.
_StatedNumber = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]


class ProbedItem(BaseModel):
    """One thing: a string, a nested array of an enum, a bounded number and a nullable field."""

    thing: str = Field(json_schema_extra={"maxLength": 20})
    colours: list[Literal["black", "white", "brown", "grey"]] = Field(json_schema_extra={"maxItems": 2})
    confidence: _StatedNumber
    remark: Annotated[str, WithJsonSchema({"type": "string", "maxLength": 20})] | None


class ProbeSchema(BaseModel):
    """What a probe answers: every kind of keyword the real schemas use, and very little text."""

    items: list[ProbedItem] = Field(json_schema_extra={"maxItems": 1})


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The mode that works, or why none does."""

    mode: OutputMode | None
    failure: FailureKind | None = None


async def find_mode(
    sender: Sender, modes: tuple[OutputMode, ...], attempts: list[AttemptRecord], seed: int | None
) -> ProbeResult:
    """Return the best mode that works; while the server fails whatever it is asked, it is asked again later."""
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
    """Return the first rung that works, after a second look at those above that failed without being refused.

    The second look keeps a bad moment at the start from costing a whole run its best mode.
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
        # A weak model answered, badly. The real prompts show examples, and every answer is validated.
        return ProbeResult(modes[-1])
    return ProbeResult(None, failure)


def _works(answer: Answer, mode: OutputMode) -> bool:
    """Return whether the rung did what it promises: clean JSON; only a prompted answer may need salvaging."""
    return answer.judgement.outcome == "ok" or (mode == "prompted" and answer.judgement.outcome == "salvaged")


async def _try(sender: Sender, mode: OutputMode, attempts: list[AttemptRecord], seed: int | None) -> Answer:
    question = sender.prepare(_QUESTION, ProbeSchema, mode, seed)
    return await sender.ask(
        question, _PROBE_KIND, attempts, spread=f"probe:{mode}", worth_repeating=_REPEATED.__contains__
    )
