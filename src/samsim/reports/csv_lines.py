"""CSV for spreadsheets, safe to open: no cell is ever run as a formula.

Text that a spreadsheet would take for a formula gets a leading apostrophe, which the spreadsheet shows
as part of the text. Numbers stay numbers, including those read as text from another file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

# In Korean and Japanese locales, full-width signs start a formula too.
_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def csv_line(cells: Iterable[object]) -> str:
    """Return one line without its line end; None is an empty cell."""
    line = io.StringIO()
    # The line terminator affects quoting: with "\n" alone, a bare carriage return in a cell would break the row.
    csv.writer(line, lineterminator="\r\n").writerow([_defused(cell) for cell in cells])
    return line.getvalue().removesuffix("\r\n")


def _defused(cell: object) -> object:
    if isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell
