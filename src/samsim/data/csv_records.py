"""CSV records that survive a broken one.

The csv module alone would let an unterminated quote swallow the rest of the file. Here every record
is parsed strictly on its own; when one breaks, reading goes on at the line after its first one.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from samsim.errors import InputError

Line = tuple[int, str | None]
"""A line's number and its text; None where the line was too long to read."""


@dataclass(frozen=True, slots=True)
class CsvProblem:
    """Why a record cannot be read."""

    reason: str


class _TooLongError(Exception):
    pass


@dataclass(slots=True)
class CsvRecords:
    """Reads one record after the other from numbered lines."""

    lines: Iterator[Line]
    limit: int
    _waiting: deque[Line] = field(default_factory=deque)

    def __iter__(self) -> Iterator[tuple[int, list[str] | CsvProblem]]:
        """Each record, or what is wrong with it, with the number of its first line."""
        # The module's own limit is lower than a long review; it is one setting for the process.
        before = csv.field_size_limit(self.limit)
        try:
            while (first := self._next_line()) is not None:
                yield first[0], self._record(first)
        finally:
            csv.field_size_limit(before)

    def _next_line(self) -> Line | None:
        return self._waiting.popleft() if self._waiting else next(self.lines, None)

    def _record(self, first: Line) -> list[str] | CsvProblem:
        if first[1] is None:
            return CsvProblem(f"the line is longer than {self.limit:,} characters")
        pulled: list[Line] = []
        try:
            return next(csv.reader(self._feed(first, pulled), strict=True))
        except (csv.Error, _TooLongError) as error:
            self._waiting.extendleft(reversed(pulled))
            return CsvProblem(self._explain(error, spans_lines=bool(pulled)))

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
            return 'a quote (") is opened and not properly closed'
        return f"broken quoting ({error})"


def read_header(records: Iterator[tuple[int, list[str] | CsvProblem]], path: Path) -> list[str]:
    """The names of the columns: the first record that is not empty."""
    for number, record in records:
        if isinstance(record, CsvProblem):
            raise InputError(
                f"The header of {path.name} (line {number}) cannot be read: {record.reason}. Repair that line."
            )
        if record:
            return [name.strip() for name in record]
    raise InputError(f"{path.name} is empty. Give a header line and at least one review.")
