"""What is written as CSV reads back whole, and nothing in it is a formula."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from samsim.reports.csv_lines import csv_line

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def read_back(line: str) -> list[str]:
    (row,) = csv.reader(io.StringIO(line + "\n", newline=""), strict=True)
    return row


@pytest.mark.parametrize("start", FORMULAS)
def test_text_that_begins_as_a_formula_is_defused(start: str) -> None:
    cell = f'{start}HYPERLINK("http://x";"y")'
    assert read_back(csv_line(["a", cell])) == ["a", f"'{cell}"]


@pytest.mark.parametrize("number", [-0.5, -3, 1e-9, -1e300, 0, 7])
def test_numbers_stay_numbers(number: float) -> None:
    assert float(read_back(csv_line([number]))[0]) == number
    assert float(read_back(csv_line([str(number)]))[0]) == number


@pytest.mark.parametrize("text", ["+82-10-1234-5678", "-5+3", "--1", "-", "-1e", "+1_000", "-٣", "-5\n"])
def test_what_only_looks_like_a_number_is_text(text: str) -> None:
    assert read_back(csv_line([text])) == [f"'{text}"]


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=2, max_size=4))
@example(["a\rb", "c\nd"])
@example(['"', ","])
def test_any_row_is_one_row_and_reads_back(cells: list[str]) -> None:
    found = read_back(csv_line(cells))
    assert [cell.removeprefix("'") for cell in found] == [cell.removeprefix("'") for cell in cells]
    for cell in found:
        assert not cell.startswith(FORMULAS) or float(cell) is not None


def test_nothing_is_an_empty_cell() -> None:
    assert csv_line([None, 1, ""]) == ",1,"
