"""CSV for people, who open it in a spreadsheet: no cell of it is ever run as a formula.

Text that a spreadsheet would take for a formula gets an apostrophe in front, which the spreadsheet shows
as part of the text. Numbers stay numbers, also those that were read as text from another file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

# Full-width signs begin a formula too where the spreadsheet runs in Korean or Japanese.
_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def csv_line(cells: Iterable[object]) -> str:
    """Return one line without its end; None is an empty cell."""
    line = io.StringIO()
    # The line end says what is quoted: with "\n" alone, a bare carriage return in a cell would break the row.
    csv.writer(line, lineterminator="\r\n").writerow([_defused(cell) for cell in cells])
    return line.getvalue().removesuffix("\r\n")


def _defused(cell: object) -> object:
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
