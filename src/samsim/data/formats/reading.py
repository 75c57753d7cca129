"""Reading a whole source: every row is used or reported, and every sample has a unique id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from samsim.data.bad_rows import BadRow
from samsim.data.format_table import FORMATS, GoldField
from samsim.data.formats.files import file_of
from samsim.data.formats.guessing import guess_format
from samsim.data.formats.parsers import PARSERS
from samsim.data.formats.rows import Annotation, Row
from samsim.data.samples import RowProblem, Sample
from samsim.data.sources import DataSource
from samsim.language.detect import detect_language
from samsim.schemas.analysis import Language
from samsim.value_limits import LONE_SURROGATE


@dataclass(frozen=True, slots=True)
class Entry:
    """One sample with its annotations; None if it was not annotated."""

    sample: Sample
    annotations: tuple[Annotation, ...] | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything in a file. ``usable_rows`` plus the number of ``problems`` is the number of its rows."""

    file: Path
    format: str
    entries: tuple[Entry, ...]
    problems: tuple[RowProblem, ...]
    notes: tuple[RowProblem, ...]
    total_rows: int

    @property
    def usable_rows(self) -> int:
        """The number of rows that went into a sample."""
        return self.total_rows - len(self.problems)

    def gold_fields(self) -> frozenset[GoldField]:
        """Return the fields the gold annotates: those of the format that occur at least once."""
        said: set[GoldField] = set()
        for entry in self.entries:
            for item in entry.annotations or ():
                said.add("polarity")
                said.update(_said_by(item))
        return FORMATS[self.format].annotates & said


def _said_by(item: Annotation) -> Iterator[GoldField]:
    if item.aspect_term:
        yield "term"
    if item.aspect_ref:
        yield "ref"
    if item.opinion_term:
        yield "opinion"


def read_source(source: DataSource) -> Reading:
    """Read the file of a source; the selection is not applied."""
    file = file_of(source)
    name = source.format or guess_format(file, source.encoding)
    collector = _Collector(file, source)
    collector.add_all(PARSERS[name](file, source))
    return Reading(
        file,
        name,
        tuple(collector.entries()),
        tuple(collector.problems),
        tuple(collector.notes),
        collector.total_rows,
    )


@dataclass(slots=True)
class _Collector:
    file: Path
    source: DataSource
    problems: list[RowProblem] = field(default_factory=list)
    notes: list[RowProblem] = field(default_factory=list)
    total_rows: int = 0
    _rows: dict[str, Row] = field(default_factory=dict)
    _uid_of_group: dict[str, str] = field(default_factory=dict)

    def add_all(self, rows: Iterable[Row | BadRow]) -> None:
        everything = list(rows)
        self.total_rows = len(everything)
        spoilt = {row.group: row.number for row in everything if isinstance(row, BadRow) and row.group is not None}
        for row in everything:
            if isinstance(row, BadRow):
                reason: str | None = row.reason
            elif row.group in spoilt:
                reason = f"another row of the same text is bad (row {spoilt[row.group]})"
            else:
                reason = self._add(row)
            if reason is not None:
                self.problems.append(RowProblem(row.number, reason, self.file.name))

    def entries(self) -> Iterator[Entry]:
        for uid, row in self._rows.items():
            yield Entry(Sample(uid, self._language(row), row.text), row.annotations, row.tags)

    def _add(self, row: Row) -> str | None:
        """Add the row, or return why it cannot be used."""
        reason = _unusable(row)
        if reason is not None:
            return reason
        known = None if row.group is None else self._uid_of_group.get(row.group)
        if known is None:
            self._take_new(row)
        elif self._rows[known].text != row.text:
            return f"the id {known} was given to another text in row {self._rows[known].number}"
        else:
            self._rows[known] = _joined(self._rows[known], row)
        self._note(row.number, *row.notes)
        return None

    def _take_new(self, row: Row) -> None:
        wanted = row.uid or f"{self.file.stem}-{row.number}"
        uid, count = wanted, 1
        while uid in self._rows:
            count += 1
            uid = f"{wanted}#{count}"
        if uid != wanted:
            self._note(row.number, f"the id {wanted} is already used; this row gets {uid}")
        self._rows[uid] = row
        if row.group is not None:
            self._uid_of_group[row.group] = uid

    def _note(self, number: int, *reasons: str) -> None:
        self.notes.extend(RowProblem(number, reason, self.file.name) for reason in reasons)

    def _language(self, row: Row) -> Language:
        if row.language is not None:
            return row.language
        return detect_language(row.text) if self.source.language == "auto" else self.source.language


def _unusable(row: Row) -> str | None:
    for what, value in (("text", row.text), ("id", row.uid or ""), *(("gold", word) for word in _words(row))):
        if LONE_SURROGATE.search(value):
            return f"bytes that do not fit the file's encoding (in the {what})"
    if "\0" in row.text:
        return "a NUL byte in the text"
    return None if row.text.strip() else "the text is empty"


def _words(row: Row) -> Iterator[str]:
    for item in row.annotations or ():
        yield from (item.aspect_term, item.aspect_ref, item.opinion_term)


def _joined(first: Row, other: Row) -> Row:
    if other.annotations is None:
        return first
    return replace(first, annotations=(first.annotations or ()) + other.annotations)
