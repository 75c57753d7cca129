"""CSV records that survive a broken one.

The csv module alone would let an unterminated quote swallow the rest of the file. Here every record
is parsed strictly on its own; if one is broken, reading resumes at the line after its first one.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samsim.data.bad_rows import BadRow
from samsim.errors import InputError

Line = tuple[int, str | None]
"""A line's number and its text; None if the line was too long to read."""
Record = tuple[int, list[str]]
"""The fields of a record, with the number of its first line."""


class _TooLongError(Exception):
    pass


@dataclass(slots=True)
class CsvRecords:
    """Reads records one by one from numbered lines."""

    lines: Iterator[Line]
    limit: int
    _waiting: deque[Line] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Record | BadRow]:
        """Yield each record, or a ``BadRow`` that says what is wrong with it."""
        # The csv module's default limit is shorter than a long review, and it is a process-wide setting.
        before = csv.field_size_limit(self.limit)
        try:
            while (first := self._next_line()) is not None:
                yield self._record(first)
        finally:
            csv.field_size_limit(before)

    def _next_line(self) -> Line | None:
        return self._waiting.popleft() if self._waiting else next(self.lines, None)

    def _record(self, first: Line) -> Record | BadRow:
        if first[1] is None:
            return too_long(first[0], self.limit)
        pulled: list[Line] = []
        try:
            return first[0], next(csv.reader(self._feed(first, pulled), strict=True))
        except (csv.Error, _TooLongError) as error:
            self._waiting.extendleft(reversed(pulled))
            return BadRow(first[0], self._explain(error, spans_lines=bool(pulled)))

    def _feed(self, first: Line, pulled: list[Line]) -> Iterator[str]:
        length = len(first[1] or "")
        yield first[1] or ""
        while (line := self._next_line()) is not None:
            pulled.append(line)
            length += len(line[1] or "")
            if line[1] is None or length > self.limit:
                raise _TooLongError
            yield line[1]

    @staticmethod
    def _explain(error: Exception, *, spans_lines: bool) -> str:
        if spans_lines or "end of data" in str(error):
            return 'a quote (") is not properly closed'
        return f"broken quoting ({error})"


def too_long(number: int, limit: int) -> BadRow:
    """Return the bad row for a line beyond the limit."""
    return BadRow(number, f"the line is longer than {limit:,} characters")


def read_table(lines: Iterator[Line], limit: int, path: Path) -> tuple[list[str], Iterator[Record | BadRow]]:
    """Return the column names and the records below them; a record with too many or too few fields is bad."""
    records = iter(CsvRecords(lines, limit))
    header = _read_header(records, path)
    return header, _full_records(records, len(header))


def column_place(header: Sequence[str], names: Iterable[str]) -> int | None:
    """Return the index of the first of the names that is in the header, ignoring case and surrounding blanks."""
    folded = [name.casefold() for name in header]
    wanted = (name.strip().casefold() for name in names)
    return next((folded.index(name) for name in wanted if name in folded), None)


def _full_records(records: Iterator[Record | BadRow], fields: int) -> Iterator[Record | BadRow]:
    for record in records:
        if isinstance(record, BadRow) or len(record[1]) == fields:
            yield record
        elif record[1]:
            yield BadRow(record[0], f"{len(record[1])} fields, but the header has {fields}")


def _read_header(records: Iterator[Record | BadRow], path: Path) -> list[str]:
    """Return the first record that is not empty."""
    for record in records:
        if isinstance(record, BadRow):
            raise InputError(
                f"The header of {path.name} (line {record.number}) cannot be read: {record.reason}. Fix that line."
            )
        if record[1]:
            return [name.strip() for name in record[1]]
    raise InputError(f"{path.name} is empty. Add a header line and at least one review.")
