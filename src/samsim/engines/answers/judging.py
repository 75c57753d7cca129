"""Judging one reply: usable, partly usable, or a failure. The verdict does not depend on where the reply came from."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ValidationError

from samsim.engines.answers.limits import held_to
from samsim.engines.answers.structured import read_object
from samsim.engines.wire.base import WireReply
from samsim.json_text import is_encodable
from samsim.schemas.calls import FailureKind, Outcome
from samsim.validation_words import listed


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a reply.

    ``output`` is the validated model for the outcomes ok and salvaged. For the outcome schema it is
    the plain object if some of its items may still be used, else None. ``problem`` is what a repair
    tells the model; it is empty if asking again would not help. ``cut`` names what exceeded the limits
    of the schema and was removed from the output.
    """

    outcome: Outcome
    output: object = None
    problem: str = ""
    cut: tuple[str, ...] = ()

    @property
    def is_repairable(self) -> bool:
        """Whether the model could do better if told what is wrong."""
        return bool(self.problem)

    @property
    def failure(self) -> FailureKind | None:
        """The typed failure; None for an answer that can be used, even in part."""
        if self.outcome == "ok" or self.outcome == "salvaged" or self.output is not None:
            return None
        return self.outcome


def judge(reply: WireReply, schema: type[BaseModel], refused: frozenset[str] = frozenset()) -> Judgement:
    """Read and validate what the model wrote, within the limits it was told (all but the ``refused`` keywords)."""
    if reply.finish == "refusal" or reply.refusal:
        return Judgement("refusal")
    if reply.finish == "length":
        return Judgement("cut_off")
    if not reply.text.strip():
        return Judgement("empty")
    if not is_encodable(reply.text):
        return Judgement("bad_encoding")
    reading = read_object(reply.text, schema.model_fields)
    if reading.value is None:
        return Judgement(reading.failure or "invalid_json", problem=reading.problem)
    value, cut = held_to(reading.value, schema, refused)
    try:
        output = schema.model_validate(value)
    except ValidationError as error:
        problem = "\n".join(listed(error, "answer"))
        has_items = any(isinstance(value.get(name), list) for name in schema.model_fields)
        return Judgement("schema", value if has_items else None, problem, cut)
    return Judgement("salvaged" if reading.salvaged else "ok", output, cut=cut)
