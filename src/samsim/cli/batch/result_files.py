"""Result files for many reviews: everything as JSON lines, or one row per opinion as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from samsim.cli.batch.reading import Review, ReviewFile
from samsim.cli.writing import JsonLines, LineFile
from samsim.errors import ConfigError
from samsim.reports.csv_lines import csv_line
from samsim.schemas.results import OPINION_COLUMNS, SampleResult

# Without this mark Excel reads the file in the system's own encoding, and Hangul is garbled.
_BYTE_ORDER_MARK = "\ufeff"
_OWN_PREFIX = "samsim_"
_SUFFIXES = {".jsonl": "everything, one result per line", ".csv": "one row per opinion"}


class ResultLines(JsonLines):
    """One result per line, as JSON."""

    def add(self, _review: Review, result: SampleResult) -> None:
        """Append one result."""
        self.write(result.outputs_json())


class ResultTable(LineFile):
    """One row per opinion, with the columns of the source; a review without opinions also gets a row."""

    def __init__(self, path: Path, columns: Sequence[str], *, force: bool = False, source: Path | None = None) -> None:
        super().__init__(path, force=force, source=source)
        self._columns = tuple(columns)

    def add(self, review: Review, result: SampleResult) -> None:
        """Append the rows of one result."""
        known = [result.uid, *(_cell(review.source.get(name)) for name in self._columns)]
        opinions = ([_cell(row[name]) for name in OPINION_COLUMNS] for row in result.to_rows())
        lines = [csv_line([*known, *cells]) for cells in opinions]
        if self.count == 0:
            lines.insert(0, _BYTE_ORDER_MARK + csv_line(self._header()))
        # Damaged bytes of a source column cannot be written as UTF-8.
        self.append("\n".join(lines).encode("utf-8", "backslashreplace").decode("utf-8"))

    def _header(self) -> Iterator[str]:
        """Yield the column names; ours get a prefix if the source has the same name."""
        taken = set(self._columns)
        for place, name in enumerate(("uid", *OPINION_COLUMNS)):
            while name in taken:
                name = _OWN_PREFIX + name
            yield name
            if place == 0:
                yield from self._columns


ResultFile = ResultLines | ResultTable


def check_output_name(path: Path | None) -> None:
    """Refuse a file name whose suffix does not say what to write."""
    if path is not None and path.suffix.lower() not in _SUFFIXES:
        known = " or ".join(f"{suffix} ({what})" for suffix, what in _SUFFIXES.items())
        raise ConfigError(f"Cannot tell from {path.name} what to write: end the name in {known}.")


def open_results(path: Path | None, reviews: ReviewFile, *, force: bool, source: Path | None) -> ResultFile:
    """Open the results in the format that the file name says; without a path, JSON lines on stdout."""
    if path is not None and path.suffix.lower() == ".csv":
        return ResultTable(path, reviews.source_columns(), force=force, source=source)
    return ResultLines(path, force=force, source=source)


def _cell(value: object) -> object:
    """Return a value as one cell; nested values and booleans become JSON."""
    if not isinstance(value, bool | Mapping | list):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # it was just shallow enough to be read
        return "(nested too deeply)"
