"""NIKL 2022: JSON lines whose ``annotation`` is [[category, [term, begin, end], polarity], ...]."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import is_whole_number, numbered_lines, sound_object, string_of
from samsim.data.formats.rows import Annotation, Row, parse_rows, polarity_of
from samsim.data.formats.spans import verified_span
from samsim.data.sources import DataSource

_NO_ANNOTATION = "no annotation: a text without gold"


def read_nikl(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Yield each line as a row; a null term is an implicit aspect, and a row without annotation has no gold."""
    return parse_rows(numbered_lines(path, source.encoding), _row)


def _row(number: int, line: str) -> Row:
    record = sound_object(line)
    text, items = string_of(record, "sentence_form"), record.get("annotation")
    uid = string_of(record, "id") if "id" in record else None
    if items is None:
        return Row(number, text, None, uid=uid, notes=(_NO_ANNOTATION,))
    if not isinstance(items, list):
        raise RowError("annotation is not a list")
    found = [_annotation(text, item) for item in items]
    notes = tuple(note for _, note in found if note is not None)
    return Row(number, text, tuple(annotation for annotation, _ in found), uid=uid, notes=notes)


def _annotation(text: str, item: object) -> tuple[Annotation, str | None]:
    if not isinstance(item, list) or len(item) != 3:
        raise RowError("an annotation is not [category, [term, begin, end], polarity]")
    ref, place, label = item
    if not isinstance(ref, str) or not isinstance(place, list) or len(place) != 3:
        raise RowError("an annotation is not [category, [term, begin, end], polarity]")
    polarity = polarity_of(label)
    term, begin, end = place
    if term is None or term == "":
        return Annotation("", ref, "", polarity, None), None
    if not isinstance(term, str) or not is_whole_number(begin) or not is_whole_number(end):
        raise RowError(f"{place!r} is not [term, begin, end]")
    span, note = verified_span(text, term, begin, end)
    return Annotation(term, ref, "", polarity, span), note
