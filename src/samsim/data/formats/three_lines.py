"""Three lines per example: the text with ``$T$`` for the aspect term, the term, and 1, 0 or -1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from samsim.data.bad_rows import BadRow, RowError
from samsim.data.formats.lines import numbered_lines
from samsim.data.formats.rows import Annotation, Row, parse_rows, part_of
from samsim.data.sources import DataSource
from samsim.schemas.polarity import PolarityName

_MARK = "$T$"
_POLARITY: Mapping[str, PolarityName] = MappingProxyType({"1": "positive", "0": "neutral", "-1": "negative"})


def read_three_lines(path: Path, source: DataSource) -> Iterator[Row | BadRow]:
    """Yield every three lines as a row; rows with the same text are one sample."""
    lines = list(numbered_lines(path, source.encoding))
    records = [(lines[at][0], [line for _, line in lines[at : at + 3]]) for at in range(0, len(lines), 3)]
    return parse_rows(records, _row)


def _row(number: int, lines: list[str]) -> Row:
    if len(lines) != 3:
        raise RowError("fewer than three lines")
    marked, term, label = lines[0], lines[1].strip(), lines[2].strip()
    before, mark, after = marked.partition(_MARK)
    if not mark:
        raise RowError(f"no {_MARK} in the text")
    # If the term occurs several times, no single span is meant.
    span = None if _MARK in after else (len(before), len(before) + len(term))
    text = marked.replace(_MARK, term)
    with part_of(text):
        polarity = _polarity(label)
    return Row(number, text, (Annotation(term, "", "", polarity, span),), group=text)


def _polarity(label: str) -> PolarityName:
    if label not in _POLARITY:
        raise RowError(f"unknown polarity {label!r} (known: 1 positive, 0 neutral, -1 negative)")
    return _POLARITY[label]
