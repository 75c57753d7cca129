"""samsim's own format: one JSON object per line with ``uid``, ``language``, ``text``, ``tuples`` and ``tags``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import is_whole_number, numbered_lines, sound_object, string_of
from samsim.data.formats.rows import Annotation, Row, language_of, parse_rows, polarity_of
from samsim.data.sources import DataSource
from samsim.schemas.analysis import Offsets

OWN_KEYS = {"uid", "language", "text", "tuples", "tags"}
_TUPLE_KEYS = {"aspect_term", "aspect_ref", "opinion_term", "polarity", "span"}


def read_own(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Yield each line as a row; a text without ``tuples`` (or with null) has no gold."""
    return parse_rows(numbered_lines(path, source.encoding), _row)


def _row(number: int, line: str) -> Row:
    record = sound_object(line)
    _refuse_unknown(record, OWN_KEYS)
    text, uid = string_of(record, "text"), string_of(record, "uid")
    if not uid:
        raise RowError("the uid is empty")
    tuples, tags = record.get("tuples"), record.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise RowError("tags is not a list of strings")
    if tuples is not None and not isinstance(tuples, list):
        raise RowError("tuples is not a list")
    annotations = None if tuples is None else tuple(_annotation(text, item) for item in tuples)
    return Row(number, text, annotations, uid=uid, language=language_of(record.get("language")), tags=tuple(tags))


def _annotation(text: str, item: object) -> Annotation:
    if not isinstance(item, dict):
        raise RowError("a tuple is not a JSON object")
    _refuse_unknown(item, _TUPLE_KEYS)
    term = string_of(item, "aspect_term")
    return Annotation(
        aspect_term=term,
        aspect_ref=string_of(item, "aspect_ref"),
        opinion_term=string_of(item, "opinion_term"),
        polarity=polarity_of(item.get("polarity")),
        span=_span(text, term, item.get("span")),
    )


def _span(text: str, term: str, value: object) -> Offsets | None:
    if value is None:
        return None
    start, end = (value.get("start"), value.get("end")) if isinstance(value, dict) else (None, None)
    if not (is_whole_number(start) and is_whole_number(end)):
        raise RowError("a span is not {start, end}")
    if not 0 <= start < end <= len(text) or text[start:end] != term:
        raise RowError(f"the text at {start}:{end} is not the term {term!r}")
    return start, end


def _refuse_unknown(record: dict[str, object], known: set[str]) -> None:
    unknown = sorted(record.keys() - known)
    if unknown:
        raise RowError(f"unknown key {unknown[0]!r} (known: {', '.join(sorted(known))})")
