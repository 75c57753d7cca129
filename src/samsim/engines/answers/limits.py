"""Cutting an answer to the limits of its schema, with a note on everything removed.

A model that repeats itself writes hundreds of items until it is stopped. Its first items are as good
as ever, so the answer is cut and the sample kept; rejecting it would lose both.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel

from samsim.engines.answers.structured import strict_schema

# For servers that refuse bounds in a schema, and for answers of the wrong shape:
# far more than a review needs, yet cheap to process.
UNSTATED_ITEMS = 128
UNSTATED_LENGTH = 2_000


def held_to(
    value: dict[str, Any], model: type[BaseModel], refused: frozenset[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the answer cut to the limits that the server was told, and one line per list or text that was cut.

    The server was told the limits of the schema without the ``refused`` keywords.
    """
    if _is_small(value, *_tightest(model, refused)):
        return value, ()
    cuts: list[str] = []
    held = _held(value, strict_schema(model, refused), "", cuts)
    return (held, tuple(cuts)) if cuts else (value, ())


@cache
def _tightest(model: type[BaseModel], refused: frozenset[str]) -> tuple[int, int]:
    """Return the smallest limits on items and characters in the schema: an answer within them breaks no limit."""
    items, length = UNSTATED_ITEMS, UNSTATED_LENGTH
    left: list[Any] = [strict_schema(model, refused)]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if "maxItems" in node or "maxLength" in node:
                items = min(items, node.get("maxItems", items))
                length = min(length, node.get("maxLength", length))
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
    return items, length


def _is_small(value: dict[str, Any], items: int, length: int) -> bool:
    left: list[Any] = [value]
    while left:
        node = left.pop()
        # JSON has exactly these types, and this check runs for every value.
        kind = type(node)
        if kind is str:
            if len(node) > length:
                return False
        elif kind is list:
            if len(node) > items:
                return False
            left += node
        elif kind is dict:
            left += node.values()
    return True


def _held(value: Any, node: dict[str, Any], place: str, cuts: list[str]) -> Any:
    if isinstance(value, str):
        return _first(value, _fitting(node, "string").get("maxLength", UNSTATED_LENGTH), "characters", place, cuts)
    if isinstance(value, list):
        stated = _fitting(node, "array")
        kept = _first(value, stated.get("maxItems", UNSTATED_ITEMS), "items", place, cuts)
        items = stated.get("items", {})
        return [_held(item, items, f"{place}[{number}]", cuts) for number, item in enumerate(kept)]
    if isinstance(value, dict):
        properties = _fitting(node, "object").get("properties", {})
        return {
            name: _held(child, properties.get(name, {}), f"{place}.{name}" if place else name, cuts)
            for name, child in value.items()
        }
    return value


def _fitting(node: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the part of the schema for values of this type, or an empty schema."""
    choices = node.get("anyOf", [node])
    return next((choice for choice in choices if choice.get("type") == kind), {})


def _first(value: Any, limit: int, unit: str, place: str, cuts: list[str]) -> Any:
    if len(value) <= limit:
        return value
    cuts.append(f"{place}: {len(value):,} {unit}, the first {limit:,} kept")
    return value[:limit]
