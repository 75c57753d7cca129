"""The one reader for JSON from outside: files, lines of files, rows of a cache, replies of models.

Any text gives either a value that is safe to compute with and to write again, or a ``JsonError``. This reader
refuses what Python's accepts but later code chokes on: very deep nesting, integers beyond 64 bits, infinite or huge
numbers, NaN, half a surrogate pair.

Files and replies are read by the same rules with different limits. The messages differ too: those about a file are
for its owner, those about a reply for the model that wrote it.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from samsim.value_limits import MOST_INTEGER, MOST_NUMBER

# Python's own stack allows about five times as much.
MOST_DEPTH = 200
# The deepest answer schema has five levels, so nothing valid is this deep, and recursive code can handle it.
MOST_REPLY_DEPTH = 64
_MOST_DIGITS = len(str(MOST_INTEGER))
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonError(ValueError):
    """The reason why a JSON text cannot be used: a few words without a full stop."""


class NotJsonError(JsonError):
    """The text is not JSON, though it may contain some."""


class RepeatedKeyError(JsonError):
    """An object has a key twice, so it is unclear which of the two values counts."""


class HalfPairError(JsonError):
    """Half of a surrogate pair, which is not valid text."""


def read_json(text: str | bytes, *, recorded: bool = False, distinct_keys: bool = False) -> Any:
    """Return the value of a JSON text; bytes are UTF-8, with or without a byte order mark.

    A ``recorded`` text repeats what a model wrote and is only shown or replayed, so it may contain huge numbers and
    halves of surrogate pairs.

    Raises:
        JsonError: the text is not JSON, or contains a value that cannot be used.
        RepeatedKeyError: ``distinct_keys`` is true, and an object has a key twice.
    """
    try:
        written = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotJsonError(f"not UTF-8 at byte {error.start:,}") from None
    return _read(written, _RECORDED if recorded else _DISTINCT if distinct_keys else _FILE)


def read_reply(text: str) -> Any:
    """Return the value of a JSON text that a model wrote; keys are distinct.

    The text itself must be encodable, so half of a surrogate pair can only appear as an escape.

    Raises:
        NotJsonError: the text is not JSON, though it may contain some.
        JsonError: the text is JSON, but contains a value that cannot be used.
    """
    return _read(text, _REPLY)


def flaw_of(value: Any) -> JsonError | None:
    """Return what is wrong with a value, or its keys, that another parser read from a reply; None if nothing is."""
    if is_too_deep(value, MOST_REPLY_DEPTH):
        return JsonError(_REPLY.too_deep)
    if _has_half_pair(value):
        return HalfPairError(_REPLY.half_pair)
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
        elif isinstance(node, float):
            if not math.isfinite(node):
                return JsonError(_LARGE_NUMBER)
        elif isinstance(node, int) and not -MOST_INTEGER - 1 <= node <= MOST_INTEGER:
            return JsonError(_LARGE_NUMBER)
    return None


def is_too_deep(value: Any, most: int) -> bool:
    """Return whether a parsed value has more than ``most`` levels; works level by level, without recursion."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def is_encodable(text: str) -> bool:
    """Return whether a text can be written to a file; lone surrogates, which come from JSON escapes, cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Rules:
    """How one kind of text is read; ``half_pair`` is empty if halves of surrogate pairs are allowed."""

    decode: Callable[[str], Any]
    most_depth: int
    too_deep: str
    half_pair: str


def _read(written: str, rules: _Rules) -> Any:
    try:
        value = rules.decode(written)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise NotJsonError(f"{error.msg} at {line}column {error.colno}") from None
    except RecursionError:
        raise NotJsonError(rules.too_deep) from None
    # Most texts have too few brackets to be nested too deeply.
    if written.count("[") + written.count("{") > rules.most_depth and is_too_deep(value, rules.most_depth):
        raise JsonError(rules.too_deep)
    if "\\u" in written and rules.half_pair and _SURROGATE_ESCAPE.search(written) and _has_half_pair(value):
        raise HalfPairError(rules.half_pair)
    return value


def _has_half_pair(value: Any) -> bool:
    left = [value]
    while left:
        node = left.pop()
        if isinstance(node, str):
            if not is_encodable(node):
                return True
        elif isinstance(node, dict):
            left.extend(node)
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
    return False


def _usual(digits: str) -> int | None:
    # Check the length first: Python is slow with thousands of digits, and then refuses them.
    value = int(digits) if len(digits) <= _MOST_DIGITS + 1 else None
    return None if value is None or abs(value) > MOST_INTEGER else value


def _integer(digits: str) -> int:
    value = _usual(digits)
    if value is None:
        raise JsonError(f"an integer of {len(digits.lstrip('-')):,} digits; write an id in quotes")
    return value


def _recorded_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise JsonError(f"an integer of {len(digits.lstrip('-')):,} digits") from None


def _reply_integer(digits: str) -> int:
    value = _usual(digits)
    if value is None:
        raise JsonError(_LARGE_NUMBER)
    return value


def _number(digits: str) -> float:
    value = float(digits)
    if abs(value) > MOST_NUMBER:
        raise JsonError(f"a number beyond {MOST_NUMBER:g}")
    return value


def _reply_number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise JsonError(_LARGE_NUMBER)
    return value


def _constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is not a number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"The key {twice[:60]!r} is given twice")
    return found


def _distinct_in_reply(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError("the JSON object has a duplicated key")
    return found


_LARGE_NUMBER = "the JSON has a number that is too large"
_FILE_DEPTH = f"nested more than {MOST_DEPTH} deep"
_FILE_PAIR = "half of a surrogate pair, which is not valid text"
_RECORDED = _Rules(json.JSONDecoder(parse_int=_recorded_integer).decode, MOST_DEPTH, _FILE_DEPTH, "")
_FILE = _Rules(
    json.JSONDecoder(parse_int=_integer, parse_float=_number, parse_constant=_constant).decode,
    MOST_DEPTH,
    _FILE_DEPTH,
    _FILE_PAIR,
)
_DISTINCT = _Rules(
    json.JSONDecoder(
        parse_int=_integer, parse_float=_number, parse_constant=_constant, object_pairs_hook=_distinct
    ).decode,
    MOST_DEPTH,
    _FILE_DEPTH,
    _FILE_PAIR,
)
_REPLY = _Rules(
    json.JSONDecoder(
        parse_int=_reply_integer,
        parse_float=_reply_number,
        parse_constant=_constant,
        object_pairs_hook=_distinct_in_reply,
    ).decode,
    MOST_REPLY_DEPTH,
    f"the JSON is nested more than {MOST_REPLY_DEPTH} levels deep",
    "the JSON has half a surrogate pair (such as \\ud83d alone); write the character itself",
)
