"""Asking an engine and reading its answer item by item: what fits the schema is kept, the rest is counted."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from samsim.engines.protocol import Engine, EngineRequest
from samsim.schemas.calls import MessageRecord
from samsim.schemas.results import CallRecord

ItemT = TypeVar("ItemT", bound=BaseModel)


async def ask(
    engine: Engine, request: EngineRequest, field: str, item_type: type[ItemT]
) -> tuple[list[ItemT], CallRecord]:
    """Ask once; return the valid items of the answer and the record of the call."""
    reply = await engine.complete(request)
    items, rejected = ([], []) if reply.failure else read_items(reply.output, field, item_type)
    record = CallRecord(
        agent=request.agent,
        stage=request.stage,
        engine=engine.name,
        prompt_hash=request.prompt_hash,
        mode=reply.mode,
        cached=reply.cached,
        rejected=rejected,
        problem=reply.failure,
        messages=[MessageRecord(role=message.role, content=message.content) for message in reply.messages],
        attempts=list(reply.attempts),
    )
    return items, record


def read_items(output: object, field: str, item_type: type[ItemT]) -> tuple[list[ItemT], list[str]]:
    """The valid items of ``output[field]`` and, for each invalid one, what is wrong with it."""
    if isinstance(output, BaseModel):
        claimed: object = getattr(output, field, None)
    else:
        claimed = output.get(field) if isinstance(output, dict) else None
    if not isinstance(claimed, list | tuple):
        return [], [f"{field}: not a list"]
    items: list[ItemT] = []
    problems: list[str] = []
    for position, raw in enumerate(claimed):
        try:
            items.append(raw if isinstance(raw, item_type) else item_type.model_validate(raw))
        except ValidationError as error:
            problems.append(f"{field}[{position}]: {_summary(error)}")
    return items, problems


def _summary(error: ValidationError) -> str:
    """Where and what, without the value: an engine's answer may quote anything."""
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'item'}: {problem['type']}"
        for problem in error.errors(include_input=False, include_url=False)
    )
