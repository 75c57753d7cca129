"""The lines of a file. Only a line feed ends a line: separators such as U+2028 may be part of a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

from samsim.data.bad_rows import RowError, json_object
from samsim.data.file_encoding import DAMAGED, DEFAULT_ENCODING, require_utf8
from samsim.errors import InputError

# Offsets and token numbers are far shorter.
_MOST_DIGITS = 18


def read_text(path: Path, encoding: str | None) -> str:
    """Return the whole file without its byte order mark; damaged bytes become lone surrogates."""
    if encoding is None:
        require_utf8(path)
    try:
        content = path.read_bytes().decode(encoding or DEFAULT_ENCODING, "surrogateescape")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not valid {encoding}: {error.reason}. Try another encoding.") from None
    return content.removeprefix("\ufeff")


def numbered_lines(path: Path, encoding: str | None) -> Iterator[tuple[int, str]]:
    """Yield every line that is not blank, with its number, without its end."""
    for number, line in enumerate(read_text(path, encoding).split("\n"), 1):
        if line.strip():
            yield number, line.removesuffix("\r")


def sound_object(line: str) -> dict[str, object]:
    """Return the JSON object of one line; raise ``RowError`` if the line has a damaged byte."""
    if DAMAGED.search(line):
        raise RowError("bytes that do not fit the file's encoding")
    return json_object(line)


def string_of(record: dict[str, object], key: str) -> str:
    """Return the string under a key; raise ``RowError`` if there is none."""
    value = record.get(key)
    if not isinstance(value, str):
        raise RowError(f"no text under {key!r}")
    return value


def written_number(written: str) -> int | None:
    """Return the number written in digits, or None; longer ones than Python would read are refused."""
    digits = written.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


def is_whole_number(value: object) -> TypeGuard[int]:
    """Return whether a JSON value is an integer (true and false are not)."""
    return isinstance(value, int) and not isinstance(value, bool)
