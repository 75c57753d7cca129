"""Unusable rows. A bad row is reported with its number and the reason, and never stops the others."""

from __future__ import annotations

from dataclasses import dataclass

from samsim.json_text import JsonError, read_json


@dataclass(frozen=True, slots=True)
class BadRow:
    """An unusable row and the reason; the other rows of its ``group`` are lost with it."""

    number: int
    reason: str
    group: str | None = None


class RowError(Exception):
    """The current row cannot be used."""

    group: str | None = None


def json_object(line: str) -> dict[str, object]:
    """Return the JSON object of one line; raise ``RowError`` for anything else."""
    try:
        record = read_json(line)
    except JsonError as error:
        raise RowError(f"invalid JSON: {error}") from None
    if not isinstance(record, dict):
        raise RowError("not a JSON object")
    return record
