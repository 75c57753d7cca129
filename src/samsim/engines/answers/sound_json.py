"""What a parsed reply may hold: only text that can be written again, and nothing that breaks who reads it.

JSON lets through what no file can carry or no later step survives: half a surrogate pair, a number
without an end, nesting without a floor. It is refused here, once, before anything is made of a reply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

# The deepest schema has five levels; what goes this far down is no answer, and who walks it recursively survives.
MAX_DEPTH = 64
_MAX_INTEGER = 2**63


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a value is refused, as a typed failure and in words for the model that wrote it."""

    failure: Literal["bad_encoding", "invalid_json"]
    problem: str


_HALF_A_PAIR = Flaw(
    "bad_encoding", "the JSON has half a surrogate pair (such as \\ud83d alone); write the character itself"
)
_TOO_DEEP = Flaw("invalid_json", f"the JSON is nested more than {MAX_DEPTH} levels deep")
NO_NUMBER = Flaw("invalid_json", "the JSON has a number that is too large")


def may_be_flawed(text: str) -> bool:
    """Whether the strings and the nesting of this JSON text need a look; nearly all answers are seen off here.

    The text itself must be encodable: then half of a pair can only be escaped.
    """
    return "\\u" in text or text.count("[") + text.count("{") > MAX_DEPTH


def flaw_of(value: Any) -> Flaw | None:
    """What is wrong with a parsed JSON value, at any depth and in keys too; None for a sound one."""
    if is_too_deep(value):
        return _TOO_DEEP
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, str):
            if not is_encodable(node):
                return _HALF_A_PAIR
        elif isinstance(node, dict):
            left.extend(node)
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
        elif isinstance(node, float):
            if not math.isfinite(node):
                return NO_NUMBER
        elif isinstance(node, int) and not -_MAX_INTEGER <= node < _MAX_INTEGER:
            return NO_NUMBER
    return None


def is_too_deep(value: Any) -> bool:
    """Whether a parsed JSON value is nested deeper than anything that is read here."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inside: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inside.extend(item.values())
            elif isinstance(item, list):
                inside.extend(item)
        if not inside:
            return False
        level = inside
    return any(isinstance(item, dict | list) for item in level)


def is_encodable(text: str) -> bool:
    """Whether a text can be written to a file: lone surrogates, which JSON escapes smuggle in, cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
