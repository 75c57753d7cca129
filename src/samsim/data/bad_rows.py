"""Rows that cannot be used. One that is bad is reported with its number and the reason, and never stops the rest."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.json_text import JsonError, read_json


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that cannot be used, and why; with it go the other rows of its ``group``."""

    number: int
    reason: str
    group: str | None = None


class RowError(Exception):
    """Why the row at hand cannot be used."""

    group: str | None = None


def json_object(line: str) -> dict[str, object]:
    """Return the JSON object of one line; anything else is a ``RowError``."""
    try:
        record = read_json(line)
    except JsonError as error:
        raise RowError(f"invalid JSON: {error}") from None
    if not isinstance(record, dict):
        raise RowError("not a JSON object")
    return record
