"""Calling an engine and reading its answer item by item: valid items are kept, the rest is recorded as rejected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from samsim.engines.answers.structured import failure_of_flaw
from samsim.engines.interface import Engine, EngineRequest
from samsim.json_text import flaw_of
from samsim.schemas.calls import MessageRecord
from samsim.schemas.results import CallRecord
from samsim.validation_words import mistakes_in, place_of

ItemT = TypeVar("ItemT", bound=BaseModel)


async def ask(
    engine: Engine, request: EngineRequest, name: str, item_type: type[ItemT]
) -> tuple[list[ItemT], CallRecord]:
    """Call the engine once; return the valid items of the answer and the record of the call."""
    answer = await ask_for_all(engine, request)
    items = answer.items(name, item_type)
    return items, answer.record()


@dataclass(slots=True)
class Answer:
    """An answer with several parts; invalid items and items that were cut off are recorded as rejected."""

    output: object
    call: CallRecord
    _rejected: list[str] = field(default_factory=list)

    @property
    def is_there(self) -> bool:
        """Whether the engine answered at all."""
        return self.call.problem is None

    def items(self, name: str, item_type: type[ItemT]) -> list[ItemT]:
        """Return the valid items of a list in the answer; none if there is no answer."""
        if not self.is_there:
            return []
        items, rejected = read_items(self.output, name, item_type)
        self._rejected += rejected
        return items

    def text(self, name: str) -> str:
        """Return a string field of the answer, or an empty string if there is none."""
        if not self.is_there:
            return ""
        found = _part(self.output, name)
        return found if isinstance(found, str) else ""

    def record(self, rationales: Sequence[str] = ()) -> CallRecord:
        """Return the record of the call, with everything rejected so far."""
        return self.call.model_copy(update={"rejected": list(self._rejected), "rationales": list(rationales)})


async def ask_for_all(engine: Engine, request: EngineRequest) -> Answer:
    """Call the engine once; the caller reads the parts of the answer.

    Plain data that no result can hold (half a surrogate pair) is a failure too. It may come from a
    user's own engine or from a trace that an earlier version recorded.
    """
    reply = await engine.complete(request)
    flaw = flaw_of(reply.output) if isinstance(reply.output, dict) else None
    failure = reply.failure if flaw is None else failure_of_flaw(flaw)
    call = CallRecord(
        agent=request.agent,
        stage=request.stage,
        engine=engine.name,
        prompt_hash=request.prompt_hash,
        mode=reply.mode,
        cached=reply.cached,
        problem=failure,
        messages=[MessageRecord(role=message.role, content=message.content) for message in reply.messages],
        attempts=list(reply.attempts),
    )
    return Answer(reply.output, call, list(reply.cut))


def read_items(output: object, name: str, item_type: type[ItemT]) -> tuple[list[ItemT], list[str]]:
    """Return the valid items of ``output[name]`` and, for each invalid one, what is wrong with it."""
    claimed = _part(output, name)
    if not isinstance(claimed, list | tuple):
        return [], [f"{name}: not a list"]
    items: list[ItemT] = []
    problems: list[str] = []
    for position, raw in enumerate(claimed):
        try:
            items.append(raw if isinstance(raw, item_type) else item_type.model_validate(raw))
        except ValidationError as error:
            # Only the type of the error: its words may quote anything in the answer.
            wrong = "; ".join(f"{place_of(problem, 'item')}: {problem['type']}" for problem in mistakes_in(error))
            problems.append(f"{name}[{position}]: {wrong}")
    return items, problems


def _part(output: object, name: str) -> object:
    if isinstance(output, BaseModel):
        return getattr(output, name, None)
    return output.get(name) if isinstance(output, dict) else None
