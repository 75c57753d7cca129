"""A table independent of its format: the same rows become HTML, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from samsim.schemas.code_names import Pair, Ui

Text = str | Pair
RowKind = Literal["plain", "baseline", "missing", "failed"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; columns with the same group share a heading."""

    heading: Text
    group: Text = ""
    numeric: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """Cells in the order of the columns. A ``missing`` row has a name and one sentence across all other columns."""

    cells: tuple[Text, ...]
    kind: RowKind = "plain"


@dataclass(frozen=True, slots=True)
class Table:
    """One table with its caption and the notes below it."""

    key: str
    caption: Text
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[Text, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether the table has no rows."""
        return not self.rows


def said(text: Text, ui: Ui) -> str:
    """Return a text in one language."""
    return text if isinstance(text, str) else text[1 if ui == "ko" else 0]


def filled(pair: Pair, **values: object) -> Pair:
    """Return a pair with its placeholders filled in."""
    return pair[0].format(**values), pair[1].format(**values)


def name_column(heading: Pair = ("run", "실행")) -> Column:
    """Return the first column of most tables."""
    return Column(heading, numeric=False)


def grouped(columns: Sequence[Column]) -> list[tuple[Text, int]]:
    """Return the groups of adjacent columns, each with its number of columns."""
    found: list[tuple[Text, int]] = []
    for column in columns:
        if found and found[-1][0] == column.group and column.group:
            found[-1] = (column.group, found[-1][1] + 1)
        else:
            found.append((column.group, 1))
    return found


def rows_of(cells: Iterable[Iterable[Text]]) -> tuple[Row, ...]:
    """Build plain rows."""
    return tuple(Row(tuple(row)) for row in cells)
