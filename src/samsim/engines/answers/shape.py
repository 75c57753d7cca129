"""Narrowing the schema of one request's answer, so that a server that enforces schemas enforces our rules.

Only the stated schema is narrowed. An answer is still read leniently, because many servers accept a schema
and do not enforce it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from samsim.engines.answers.structured import NOTHING_REFUSED, strict_schema
from samsim.engines.interface import WHOLE_ANSWER, AnswerShape

# What OpenAI documents for structured outputs: 1,000 enum values in a whole schema; 15,000 characters in an enum of
# more than 250 values; 120,000 characters in all names and values of a schema. We found no documented limits on enums
# for Anthropic and Google, only that a schema may be too complex. Anything longer is left to the prompt and to the
# rules that read the answer.
MAX_ENUM_VALUES = 1_000
SHORT_ENUM_VALUES = 250
MAX_LONG_ENUM_CHARACTERS = 15_000
MAX_SCHEMA_CHARACTERS = 120_000


@lru_cache(maxsize=512)
def stated_schema(
    model: type[BaseModel], refused: frozenset[str] = NOTHING_REFUSED, shape: AnswerShape = WHOLE_ANSWER
) -> dict[str, Any]:
    """Return the strict schema of the model, narrowed by ``shape``. Treat the result as read-only: it is shared."""
    schema = strict_schema(model, refused)
    if shape == WHOLE_ANSWER:
        return schema
    allowed = {name: values for name, values in shape.allowed if _fits_an_enum(values)}
    most = {} if "maxItems" in refused else dict(shape.most)
    narrowed = _narrowed(schema, allowed, most, shape.left_out)
    while allowed and not _fits_a_schema(narrowed):
        del allowed[max(allowed, key=lambda name: sum(map(len, allowed[name])))]
        narrowed = _narrowed(schema, allowed, most, shape.left_out)
    return narrowed


def as_stated(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return the value with only the fields in the schema: what a server that enforces it would let through."""
    if isinstance(value, list):
        return [as_stated(item, _first_with(schema, "items").get("items", {})) for item in value]
    if isinstance(value, dict):
        properties = _first_with(schema, "properties").get("properties")
        if properties is not None:
            return {name: as_stated(value[name], child) for name, child in properties.items() if name in value}
    return value


def _first_with(schema: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    return next((choice for choice in schema.get("anyOf", [schema]) if key in choice), {})


def _fits_an_enum(values: tuple[str, ...]) -> bool:
    is_short = len(values) <= SHORT_ENUM_VALUES
    return bool(values) and (is_short or sum(map(len, values)) <= MAX_LONG_ENUM_CHARACTERS)


def _fits_a_schema(schema: Mapping[str, Any]) -> bool:
    values = characters = 0
    left: list[Any] = [schema]
    while left:
        node = left.pop()
        properties = node.get("properties", {})
        stated = [*node.get("enum", ()), *([node["const"]] if "const" in node else ())]
        values += len(node.get("enum", ()))
        characters += sum(len(str(text)) for text in (*stated, *properties))
        left += properties.values()
        left += node.get("anyOf", ())
        left += [node["items"]] if "items" in node else ()
    return values <= MAX_ENUM_VALUES and characters <= MAX_SCHEMA_CHARACTERS


def _narrowed(
    node: dict[str, Any], allowed: Mapping[str, tuple[str, ...]], most: Mapping[str, int], left_out: frozenset[str]
) -> dict[str, Any]:
    """Return a narrowed copy of the node; nothing is changed in place, because the schema is shared."""
    narrowed = dict(node)
    if "anyOf" in node:
        narrowed["anyOf"] = [_narrowed(choice, allowed, most, left_out) for choice in node["anyOf"]]
    if "items" in node:
        narrowed["items"] = _narrowed(node["items"], allowed, most, left_out)
    if "properties" in node:
        kept = {name: child for name, child in node["properties"].items() if name not in left_out}
        narrowed["properties"] = {
            name: _limited(_narrowed(child, allowed, most, left_out), allowed.get(name), most.get(name))
            for name, child in kept.items()
        }
        narrowed["required"] = list(kept)
    return narrowed


def _limited(node: dict[str, Any], values: tuple[str, ...] | None, items: int | None) -> dict[str, Any]:
    limited = dict(node)
    if "anyOf" in node:
        limited["anyOf"] = [_limited(choice, values, items) for choice in node["anyOf"]]
    if node.get("type") == "array":
        limited["items"] = _limited(node["items"], values, None)
        if items is not None:
            limited["maxItems"] = min(items, node.get("maxItems", items))
    if node.get("type") == "string" and values is not None:
        return {"type": "string", "enum": list(values)}
    return limited
