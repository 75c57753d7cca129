"""Formats whose annotations are the words themselves: ASQP and M-ABSA.

They do not give a term's position: the span is the term's only occurrence, and None if there are
several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import numbered_lines
from samsim.data.formats.literals import literal_list
from samsim.data.formats.rows import Annotation, Row, parse_rows, polarity_of
from samsim.data.formats.spans import sole_occurrence
from samsim.data.sources import DataSource

_IMPLICIT = "NULL"
_SEPARATOR = "####"
_QUOTED = r"""(?:'(.*?)'|"(.*?)")"""
# Not always a valid literal: a term may contain the quote that delimits it.
_TRIPLE = re.compile(rf"\[{_QUOTED}, {_QUOTED}, {_QUOTED}\]")
_QUAD = re.compile(rf"\[{_QUOTED}, {_QUOTED}, {_QUOTED}, {_QUOTED}\]")


def read_asqp(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Read ASQP: aspect, category, polarity and opinion."""
    return parse_rows(numbered_lines(path, source.encoding), lambda number, line: _row(number, line, 4))


def read_m_absa(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Read M-ABSA: aspect, category and polarity."""
    return parse_rows(numbered_lines(path, source.encoding), lambda number, line: _row(number, line, 3))


def _row(number: int, line: str, fields: int) -> Row:
    text, separator, annotation = line.rpartition(_SEPARATOR)
    if not separator:
        raise RowError(f"no {_SEPARATOR} between text and annotation")
    text = text.strip(" ")
    return Row(number, text, tuple(_annotation(text, item) for item in _items(annotation.strip(), fields)))


def _annotation(text: str, item: list[str]) -> Annotation:
    term, ref, polarity, *opinion = item
    term = _explicit(term)
    return Annotation(
        term, ref, _explicit(opinion[0]) if opinion else "", polarity_of(polarity), sole_occurrence(text, term)
    )


def _explicit(term: str) -> str:
    return "" if term == _IMPLICIT else term


def _items(annotation: str, fields: int) -> list[list[str]]:
    try:
        items = literal_list(annotation)
    except RowError:
        return _loose_items(annotation, _QUAD if fields == 4 else _TRIPLE)
    for item in items:
        if not isinstance(item, list | tuple) or len(item) != fields or not all(isinstance(x, str) for x in item):
            raise RowError(f"an annotation is not a list of {fields} words")
    return [list(item) for item in items]


def _loose_items(annotation: str, pattern: re.Pattern[str]) -> list[list[str]]:
    """Return the items of a list with quotes inside its words; the items must cover the whole list."""
    found = list(pattern.finditer(annotation))
    if f"[{', '.join(match[0] for match in found)}]" != annotation:
        raise RowError("the annotation is not a readable list")
    return [[first or second or "" for first, second in _pairs(match.groups())] for match in found]


def _pairs(groups: tuple[str | None, ...]) -> Iterator[tuple[str | None, str | None]]:
    return zip(groups[::2], groups[1::2], strict=True)
