"""Structured output: the schema sent to a server, the object read from its reply, and the repair prompt.

Servers silently drop schemas and models talk around their JSON, so nothing here trusts a mode: the
text is read the same way in every mode, and pydantic has the last word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from samsim.engines.interface import Message
from samsim.errors import ContractError
from samsim.json_text import HalfPairError, JsonError, NotJsonError, read_reply
from samsim.schemas.calls import OutputMode

LADDER: tuple[OutputMode, ...] = ("json_schema", "tool", "json_object", "prompted")
# Small models repeat themselves until they are stopped; no review needs more than this.
MAX_ITEMS = 32
MAX_LENGTH = 200
MAX_QUOTED_CHARACTERS = 4_000
# The search for an object in prose gives up after about this much work, counted in braces and strings seen:
# 5 MB of braces must not block other calls. Every start has a cost; one that is never closed costs more.
_PATIENCE = 1_000_000
_START_COSTS = _PATIENCE // 128
_UNCLOSED_COSTS = _PATIENCE // 8

_ANNOTATIONS = frozenset({"title", "default", "examples", "$defs"})
NOTHING_REFUSED: frozenset[str] = frozenset()
_THINKING = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
# A brace or a whole string; an unterminated string takes the rest of the text.
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reading:
    """The object found in a text, or why there is none.

    ``salvaged`` says that there was other text around the object.
    """

    value: dict[str, Any] | None
    salvaged: bool = False
    failure: Literal["invalid_json", "bad_encoding", "schema"] | None = None
    problem: str = ""


@cache
def strict_schema(model: type[BaseModel], refused: frozenset[str] = NOTHING_REFUSED) -> dict[str, Any]:
    """Return the model's JSON Schema as constrained decoders expect it, without the keywords they refuse.

    References are inlined, every property is required, other properties are forbidden, and arrays and
    strings are bounded. Treat the result as read-only: it is cached.
    """
    whole = model.model_json_schema()
    return _strict(whole, whole.get("$defs", {}), refused, ())


def _strict(
    node: dict[str, Any], definitions: dict[str, Any], refused: frozenset[str], within: tuple[str, ...]
) -> dict[str, Any]:
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[-1]
        if name in within:
            raise ContractError(f"The output schema {name} contains itself; constrained decoding needs a finite one.")
        resolved = _strict(definitions[name], definitions, refused, (*within, name))
        return {**resolved, **{key: value for key, value in node.items() if key == "description"}}
    strict: dict[str, Any] = {}
    for key, value in node.items():
        if key in _ANNOTATIONS or key in refused:
            continue
        if key == "properties":
            strict[key] = {name: _strict(child, definitions, refused, within) for name, child in value.items()}
        elif key in ("anyOf", "oneOf", "allOf"):
            strict[key] = [_strict(child, definitions, refused, within) for child in value]
        elif key == "items":
            strict[key] = _strict(value, definitions, refused, within)
        else:
            strict[key] = value
    return _bounded(strict, refused)


def _bounded(node: dict[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    kind = node.get("type")
    if kind == "object" and "properties" in node:
        # A class's docstring is for readers of the code, not for the model.
        node.pop("description", None)
        node["required"] = list(node["properties"])
        node["additionalProperties"] = False
    elif kind == "array" and "maxItems" not in refused:
        node.setdefault("maxItems", MAX_ITEMS)
    elif kind == "string" and "enum" not in node and "const" not in node and "maxLength" not in refused:
        node.setdefault("maxLength", MAX_LENGTH)
    return node


def stated_in_prompt(messages: Sequence[Message], schema: dict[str, Any]) -> tuple[Message, ...]:
    """Return the messages with the schema written into the prompt, for servers that take no schema."""
    text = (
        "Answer with one JSON object and nothing else: no comment, no code fence. "
        f"It must fit this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].content}\n\n{text}"), *messages[1:])
    return (Message("system", text), *messages)


def read_object(text: str, expected_keys: Collection[str] = ()) -> Reading:
    """Read the JSON object a model wrote: alone, in a code fence, or with prose around it.

    Of several objects, return the first with all ``expected_keys``, else the first complete one. An
    object with a duplicate key is invalid, because it is unclear which value is meant. Whatever
    ``read_reply`` refuses is invalid too. Runs in linear time.
    """
    try:
        value = read_reply(text)
    except NotJsonError:
        return _salvage(text, expected_keys)
    except JsonError as error:
        return _refused(error)
    if isinstance(value, dict):
        return Reading(value)
    return Reading(None, failure="schema", problem="the answer is not a JSON object")


def failure_of_flaw(flaw: JsonError) -> Literal["bad_encoding", "invalid_json"]:
    """Return the typed failure of a refused reply."""
    return "bad_encoding" if isinstance(flaw, HalfPairError) else "invalid_json"


def _refused(flaw: JsonError) -> Reading:
    return Reading(None, failure=failure_of_flaw(flaw), problem=str(flaw))


def _salvage(text: str, expected_keys: Collection[str]) -> Reading:
    thinking = _THINKING.match(text)
    first: dict[str, Any] | None = None
    flaw = JsonError("no JSON object was found")
    for candidate, is_whole in _balanced_objects(text, thinking.end() if thinking else 0):
        try:
            value = read_reply(candidate)
        except NotJsonError:
            flaw = JsonError("the JSON is broken")
            continue
        except JsonError as error:
            flaw = error
            continue
        if expected_keys and all(key in value for key in expected_keys):
            return Reading(value, salvaged=True)
        if first is None and is_whole:
            first = value
    if first is not None:
        return Reading(first, salvaged=True)
    return _refused(flaw)


def _balanced_objects(text: str, position: int) -> Iterator[tuple[str, bool]]:
    """Yield each outermost ``{…}`` of the text, and whether it is certainly complete.

    A brace that is never closed is skipped; what follows may be a fragment of a broken object.
    """
    patience = _PATIENCE
    is_whole = True
    while patience > 0 and (start := text.find("{", position)) >= 0:
        end, seen = _closing_brace(text, start)
        patience -= max(seen, _UNCLOSED_COSTS if end is None else _START_COSTS)
        if end is not None:
            yield text[start:end], is_whole
        else:
            is_whole = False
        position = end or start + 1


def _closing_brace(text: str, start: int) -> tuple[int | None, int]:
    """Return where the object that starts at ``start`` ends (None if it does not), and how many marks were read."""
    depth = seen = 0
    for seen, mark in enumerate(_MARK.finditer(text, start), start=1):
        character = text[mark.start()]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return mark.end(), seen
    return None, seen


def repair_messages(messages: Sequence[Message], raw: str, error_summary: str) -> tuple[Message, ...]:
    """Return the conversation with the broken answer and what is wrong with it. A repair is tried only once."""
    # Several chat templates allow a system message only at the start, so the complaint is a user message.
    return (
        *messages,
        Message("assistant", raw[:MAX_QUOTED_CHARACTERS] or "(nothing)"),
        Message(
            "user",
            f"That answer cannot be used:\n{error_summary}\n\n"
            "Answer again with the whole corrected JSON object and nothing else.",
        ),
    )
