"""Reviews from files: txt (one a line), csv (with a header) and jsonl, read row by row.

A row that cannot be used is reported with its line number and reason; it never stops the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from samsim.data.csv_records import CsvProblem, CsvRecords, Line, read_header
from samsim.data.file_encoding import DAMAGED, DEFAULT_ENCODING, require_utf8
from samsim.data.sources import USUAL_COLUMNS
from samsim.errors import ConfigError, InputError
from samsim.json_text import JsonError, read_json
from samsim.pipeline.inputs import MAX_CHARACTERS

TEXT_COLUMNS = USUAL_COLUMNS["text"]
# Room for the other fields of a row and for JSON escapes (six characters for one).
LINE_LIMIT = 8 * MAX_CHARACTERS
_LINE_ENDS = ("\n", "\r")


@dataclass(frozen=True, slots=True)
class Review:
    """One usable row."""

    line: int
    uid: str
    text: str


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that cannot be used, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns (or JSON keys) hold the text and the id; None means: find out, or count lines."""

    text: str | None = None
    uid: str | None = None


Row = Review | BadRow


class ReviewFile:
    """A file of reviews, opened for reading; use it as a context manager and iterate over it once."""

    def __init__(self, path: Path, columns: Columns, encoding: str | None = None) -> None:
        reader = _reader_of(path)
        if encoding is None:
            require_utf8(path)
        self.size = path.stat().st_size
        self._raw = path.open("rb")
        self._stream = TextIOWrapper(
            self._raw, encoding=encoding or DEFAULT_ENCODING, errors="surrogateescape", newline=""
        )
        self._rows = reader(_bounded_lines(self._stream), columns, path)

    def __enter__(self) -> ReviewFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    @property
    def position(self) -> int:
        """How many bytes were read so far (a little ahead of the row at hand)."""
        return self.size if self._raw.closed else self._raw.tell()


def _bounded_lines(stream: TextIOWrapper) -> Iterator[Line]:
    """Numbered lines; one beyond the limit is skipped without being held in memory."""
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
            yield _too_long(number)
        elif line.strip():
            yield _checked(number, str(number), line.rstrip("\r\n"))


def _read_csv(lines: Iterator[Line], columns: Columns, path: Path) -> Iterator[Row]:
    records = iter(CsvRecords(lines, LINE_LIMIT))
    header = read_header(records, path)
    text_at = _text_column(header, columns.text, path)
    uid_at = _named_column(header, columns.uid, path) if columns.uid is not None else None
    for number, record in records:
        if isinstance(record, CsvProblem):
            yield BadRow(number, record.reason)
        elif record and len(record) != len(header):
            yield BadRow(number, f"{len(record)} fields where the header has {len(header)}")
        elif record:
            uid = str(number) if uid_at is None else record[uid_at].strip()
            yield _checked(number, uid, record[text_at])


def _text_column(header: Sequence[str], wanted: str | None, path: Path) -> int:
    if wanted is not None:
        return _named_column(header, wanted, path)
    folded = [name.casefold() for name in header]
    for name in TEXT_COLUMNS:
        if name in folded:
            return folded.index(name)
    raise InputError(
        f"No text column in {path.name}: its columns are {', '.join(map(repr, header))}. "
        "Name the one with the reviews with --text-column."
    )


def _named_column(header: Sequence[str], wanted: str, path: Path) -> int:
    folded = [name.casefold() for name in header]
    if wanted.strip().casefold() not in folded:
        raise ConfigError(f"No column {wanted!r} in {path.name}: its columns are {', '.join(map(repr, header))}.")
    return folded.index(wanted.strip().casefold())


def _read_jsonl(lines: Iterator[Line], columns: Columns, _path: Path) -> Iterator[Row]:
    for number, line in lines:
        if line is None:
            yield _too_long(number)
        elif line.strip():
            yield _json_row(number, line, columns)


def _json_row(number: int, line: str, columns: Columns) -> Row:
    try:
        record = read_json(line)
    except JsonError as error:
        return BadRow(number, f"invalid JSON: {error}")
    if not isinstance(record, dict):
        return BadRow(number, "not a JSON object")
    fields = {key.strip().casefold(): value for key, value in record.items()}
    text, problem = _json_text(fields, columns.text)
    if text is None:
        return BadRow(number, problem)
    if columns.uid is None:
        return _checked(number, str(number), text)
    uid = fields.get(columns.uid.strip().casefold())
    if isinstance(uid, bool) or not isinstance(uid, str | int):
        return BadRow(number, f"no usable id under {columns.uid!r}")
    return _checked(number, str(uid).strip(), text)


def _json_text(fields: Mapping[str, object], wanted: str | None) -> tuple[str | None, str]:
    names = TEXT_COLUMNS if wanted is None else (wanted.strip().casefold(),)
    name = next((name for name in names if name in fields), None)
    if name is None:
        hint = "none of the usual text keys; use --text-column" if wanted is None else f"no key {wanted!r}"
        return None, f"the text is missing ({hint})"
    text = fields[name]
    return (text, "") if isinstance(text, str) else (None, f"the text under {name!r} is not a string")


def _checked(line: int, uid: str, text: str) -> Row:
    """The row as a review, unless its text or id cannot be used."""
    if DAMAGED.search(text):
        return BadRow(line, "bytes that do not fit the file's encoding")
    if "\0" in text:
        return BadRow(line, "a NUL byte in the text")
    if not text.strip():
        return BadRow(line, "the text is empty")
    if not uid or DAMAGED.search(uid):
        return BadRow(line, "the id is empty or damaged")
    return Review(line, uid, text)


def _too_long(line: int) -> BadRow:
    return BadRow(line, f"the line is longer than {LINE_LIMIT:,} characters")


_Reader = Callable[[Iterator[Line], Columns, Path], Iterator[Row]]
_READERS: Mapping[str, _Reader] = {".csv": _read_csv, ".jsonl": _read_jsonl, ".txt": _read_txt}


def _reader_of(path: Path) -> _Reader:
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(f"Cannot tell the format of {path.name}: its name must end in {', '.join(_READERS)}.")
    return reader
