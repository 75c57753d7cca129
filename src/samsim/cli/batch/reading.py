"""Read reviews row by row from a file or a pipe: txt (one per line), csv (with a header) and jsonl.

An unusable row becomes a ``BadRow`` with its line number and the reason; it never stops the rest.
"""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import IO, NamedTuple

from samsim.data.bad_rows import BadRow, RowError, json_object
from samsim.data.csv_records import Line, column_place, read_table, too_long
from samsim.data.file_encoding import DAMAGED, DEFAULT_ENCODING, require_utf8_in
from samsim.data.sources import USUAL_COLUMNS
from samsim.errors import ConfigError, InputError
from samsim.pipeline.inputs import MAX_CHARACTERS

TEXT_COLUMNS = USUAL_COLUMNS["text"]
# Room for the other fields of a row and for JSON escapes (six characters for one).
LINE_LIMIT = 8 * MAX_CHARACTERS
# The column name of the text in a .txt file.
_TXT_COLUMN = "text"
# The most that common spreadsheets can show.
_MOST_COLUMNS = 16_384
_LINE_ENDS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class Review:
    """One usable row; ``source`` has all its values by column name."""

    number: int
    uid: str
    text: str
    source: Mapping[str, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns (or JSON keys) of the text and the id; None means a common name, or the line number as id."""

    text: str | None = None
    uid: str | None = None


Row = Review | BadRow


class ReviewFile:
    """A file of reviews, opened for reading; use it as a context manager and iterate over it once."""

    def __init__(
        self, path: Path, columns: Columns, encoding: str | None = None, *, pipe: IO[bytes] | None = None
    ) -> None:
        self._path = path
        self._encoding = encoding or DEFAULT_ENCODING
        if pipe is None:
            self._format = _format_of(path)
            self._raw: IO[bytes] = path.open("rb")
        else:
            self._raw = _copied(pipe)
            self._format = _FORMATS[_guessed_suffix(self._first_line(), columns)]
        try:
            if encoding is None:
                require_utf8_in(self._raw, path)
            self.size = self._raw.seek(0, os.SEEK_END)
            self._raw.seek(0)
        except BaseException:
            self._raw.close()
            raise
        self._stream = self._decoded()
        self._rows = self._format.rows(_bounded_lines(self._stream), columns, path)

    def __enter__(self) -> ReviewFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    @property
    def suffix(self) -> str:
        """The format of the reviews: ``.txt``, ``.csv`` or ``.jsonl``."""
        return self._format.suffix

    def source_columns(self) -> list[str]:
        """Return the keys that ``Review.source`` may have; call it before the first row is read."""
        stream = self._decoded()
        names = self._format.columns(_bounded_lines(stream), self._path)
        stream.detach()
        self._raw.seek(0)
        return names

    def _decoded(self) -> TextIOWrapper:
        return TextIOWrapper(self._raw, encoding=self._encoding, errors="surrogateescape", newline="")

    def _first_line(self) -> str:
        """Return the first line that is not blank."""
        stream = self._decoded()
        line = next((line for _, line in _bounded_lines(stream) if line is None or line.strip()), None)
        stream.detach()
        self._raw.seek(0)
        return line or ""

    @property
    def position(self) -> int:
        """How many bytes have been read so far (a little ahead of the current row)."""
        return self.size if self._raw.closed else self._raw.tell()


def _bounded_lines(stream: TextIOWrapper) -> Iterator[Line]:
    """Yield numbered lines; a line over the limit is skipped without being held in memory."""
    number = 0
    while line := stream.readline(LINE_LIMIT):
        number += 1
        if len(line) < LINE_LIMIT or line.endswith(_LINE_ENDS):
            yield number, line
        else:
            while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(_LINE_ENDS):
                pass
            yield number, None


def _read_txt(lines: Iterator[Line], _columns: Columns, _path: Path) -> Iterator[Row]:
    for number, line in lines:
        if line is None:
            yield too_long(number, LINE_LIMIT)
        elif line.strip():
            text = line.rstrip("\r\n")
            yield _checked(number, str(number), text, {_TXT_COLUMN: text})


def _read_csv(lines: Iterator[Line], columns: Columns, path: Path) -> Iterator[Row]:
    header, records = read_table(lines, LINE_LIMIT, path)
    text_at = _text_column(header, columns.text, path)
    uid_at = _named_column(header, columns.uid, path) if columns.uid is not None else None
    names = unique_names(header)
    for record in records:
        if isinstance(record, BadRow):
            yield record
        else:
            number, cells = record
            uid = str(number) if uid_at is None else cells[uid_at].strip()
            yield _checked(number, uid, cells[text_at], dict(zip(names, cells, strict=True)))


def _text_column(header: Sequence[str], wanted: str | None, path: Path) -> int:
    if wanted is not None:
        return _named_column(header, wanted, path)
    place = column_place(header, TEXT_COLUMNS)
    if place is not None:
        return place
    raise InputError(
        f"No text column in {path.name}: its columns are {', '.join(map(repr, header))}. "
        "Choose the one with the reviews with --text-column."
    )


def _named_column(header: Sequence[str], wanted: str, path: Path) -> int:
    place = column_place(header, (wanted,))
    if place is None:
        raise ConfigError(f"No column {wanted!r} in {path.name}: choose one of {', '.join(map(repr, header))}.")
    return place


def _read_jsonl(lines: Iterator[Line], columns: Columns, _path: Path) -> Iterator[Row]:
    for number, line in lines:
        if line is None:
            yield too_long(number, LINE_LIMIT)
        elif line.strip():
            yield _json_row(number, line, columns)


def _json_row(number: int, line: str, columns: Columns) -> Row:
    try:
        record = json_object(line)
    except RowError as error:
        return BadRow(number, str(error))
    fields = {key.strip().casefold(): value for key, value in record.items()}
    text, problem = _json_text(fields, columns.text)
    if text is None:
        return BadRow(number, problem)
    if columns.uid is None:
        return _checked(number, str(number), text, record)
    uid = fields.get(columns.uid.strip().casefold())
    if isinstance(uid, bool) or not isinstance(uid, str | int):
        return BadRow(number, f"no usable id under {columns.uid!r}")
    return _checked(number, str(uid).strip(), text, record)


def _json_text(fields: Mapping[str, object], wanted: str | None) -> tuple[str | None, str]:
    names = TEXT_COLUMNS if wanted is None else (wanted.strip().casefold(),)
    name = next((name for name in names if name in fields), None)
    if name is None:
        hint = "no common text key; use --text-column" if wanted is None else f"no key {wanted!r}"
        return None, f"the text is missing ({hint})"
    text = fields[name]
    return (text, "") if isinstance(text, str) else (None, f"the text under {name!r} is not a string")


def _checked(number: int, uid: str, text: str, source: Mapping[str, object]) -> Row:
    """Return the row as a review, or as a bad row if its text or id cannot be used."""
    if DAMAGED.search(text):
        return BadRow(number, "bytes that do not fit the file's encoding")
    if "\0" in text:
        return BadRow(number, "a NUL byte in the text")
    if not text.strip():
        return BadRow(number, "the text is empty")
    if not uid or DAMAGED.search(uid):
        return BadRow(number, "the id is empty or damaged")
    return Review(number, uid, text, source)


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the column names, with a number added to repeated ones."""
    found: dict[str, int] = {}
    for name in names:
        free = name
        while free in found:
            found[name] += 1
            free = f"{name} ({found[name]})"
        found[free] = 1
    return list(found)


def _csv_columns(lines: Iterator[Line], path: Path) -> list[str]:
    return unique_names(read_table(lines, LINE_LIMIT, path)[0])


def _json_columns(lines: Iterator[Line], path: Path) -> list[str]:
    """Return the keys of all objects, in order of first appearance."""
    names: dict[str, None] = {}
    for _, line in lines:
        with suppress(RowError):
            names |= dict.fromkeys(json_object(line or ""))
        if len(names) > _MOST_COLUMNS:
            raise InputError(
                f"{path.name} has more than {_MOST_COLUMNS:,} different keys, too many for a table. "
                "Write the results to .jsonl instead."
            )
    return list(names)


class _Format(NamedTuple):
    """How to read the rows and the column names of a format."""

    suffix: str
    rows: Callable[[Iterator[Line], Columns, Path], Iterator[Row]]
    columns: Callable[[Iterator[Line], Path], list[str]]


_FORMATS: Mapping[str, _Format] = {
    known.suffix: known
    for known in (
        _Format(".csv", _read_csv, _csv_columns),
        _Format(".jsonl", _read_jsonl, _json_columns),
        _Format(".txt", _read_txt, lambda _lines, _path: [_TXT_COLUMN]),
    )
}
SUFFIXES = tuple(_FORMATS)


def _format_of(path: Path) -> _Format:
    known = _FORMATS.get(path.suffix.lower())
    if known is None:
        raise ConfigError(f"Cannot tell the format of {path.name}: its name must end in {', '.join(SUFFIXES)}.")
    return known


def _copied(pipe: IO[bytes]) -> IO[bytes]:
    """Copy a pipe to a temporary file: its format and encoding can only be checked on the whole content."""
    content = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the ReviewFile
    shutil.copyfileobj(pipe, content)
    content.seek(0)
    return content


def _guessed_suffix(first_line: str, columns: Columns) -> str:
    """Guess the format of reviews without a file name from their first line."""
    if first_line.lstrip().startswith("{"):
        return ".jsonl"
    if columns != Columns():
        return ".csv"
    try:
        names = {name.strip().casefold() for record in csv.reader([first_line]) for name in record}
    except csv.Error:  # no header is that long
        return ".txt"
    return ".txt" if names.isdisjoint(TEXT_COLUMNS) else ".csv"
