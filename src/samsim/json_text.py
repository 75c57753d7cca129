"""The one reader of JSON that is not our own making: files, lines of files, rows of a cache.

Whatever a text holds, it comes back as a value that can be calculated with and written again, or as a
``JsonError``. What Python's reader lets through and the code behind it chokes on is refused here: nesting
without end, integers beyond 64 bits, numbers that are infinite or close to it, NaN, half a surrogate pair.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

# Python's own stack holds about five times as much.
MOST_DEPTH = 200
_MOST_INTEGER = 2**63 - 1
_MOST_DIGITS = len(str(_MOST_INTEGER))
# Sums and squares of so much are still finite.
_MOST_NUMBER = 1e100
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonError(ValueError):
    """Why a text is no JSON that can be used: a few words without a full stop."""


class RepeatedKeyError(JsonError):
    """An object names a key twice: of two values nobody could say which was checked."""


def read_json(text: str | bytes, *, recorded: bool = False, distinct_keys: bool = False) -> Any:
    """The value of a JSON text; bytes are UTF-8, with or without a byte order mark.

    A ``recorded`` text repeats what a model wrote, for reading and replaying only: it may hold numbers and
    halves of pairs that nothing is done with.

    Raises:
        JsonError: it is no JSON, or holds what nothing can be done with.
        RepeatedKeyError: ``distinct_keys`` are asked for, and a key is there twice.
    """
    decoder = _RECORDED if recorded else _DISTINCT if distinct_keys else _DECODER
    try:
        written = text if isinstance(text, str) else text.decode("utf-8-sig")
        value = decoder.decode(written)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise JsonError(f"{error.msg} at {line}column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start:,}") from None
    except RecursionError:
        raise JsonError(_TOO_DEEP) from None
    # Most lines have fewer brackets than may be nested.
    if written.count("[") + written.count("{") > MOST_DEPTH and _is_too_deep(value):
        raise JsonError(_TOO_DEEP)
    if not recorded and "\\u" in written and _SURROGATE_ESCAPE.search(written) and _has_half_pair(value):
        raise JsonError("half of a surrogate pair, which no text can hold")
    return value


_TOO_DEEP = f"nested more than {MOST_DEPTH} deep"


def _is_too_deep(value: Any) -> bool:
    """Level by level, so that depth costs no stack."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_DEPTH):
        if not level:
            return False
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    return bool(level)


def _has_half_pair(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _integer(digits: str) -> int:
    # The length first: Python takes its time over thousands of digits, and then refuses them.
    value = int(digits) if len(digits) <= _MOST_DIGITS + 1 else None
    if value is None or abs(value) > _MOST_INTEGER:
        raise JsonError(f"an integer of {len(digits.lstrip('-')):,} digits; write an id in quotes")
    return value


def _recorded_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise JsonError(f"an integer of {len(digits.lstrip('-')):,} digits") from None


def _number(digits: str) -> float:
    value = float(digits)
    if abs(value) > _MOST_NUMBER:
        raise JsonError(f"a number beyond {_MOST_NUMBER:g}")
    return value


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is no number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedKeyError(f"The key {twice[:60]!r} is given twice")
    return found


_RECORDED = json.JSONDecoder(parse_int=_recorded_integer)
_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_number, parse_constant=_constant)
_DISTINCT = json.JSONDecoder(
    parse_int=_integer, parse_float=_number, parse_constant=_constant, object_pairs_hook=_distinct
)
