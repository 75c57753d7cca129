"""The notebook runs from its first cell to its last in a real kernel, and shows what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "quickstart.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    place = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    return NotebookClient(book, timeout=300, kernel_name="python3", resources=place).execute()


def shown(book: Any, source: str) -> dict[str, str]:
    """What the cell that ends with this line shows, by kind."""
    (cell,) = (cell for cell in book.cells if cell.cell_type == "code" and cell.source.endswith(source))
    (output,) = (output for output in cell.outputs if output.output_type == "execute_result")
    return dict(output.data)


def test_it_is_kept_without_outputs() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell.outputs for cell in book.cells if cell.cell_type == "code" and cell.outputs] == []


def test_it_imports_nothing_but_samsim() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
    assert re.findall(r"^\s*(?:from|import) .*", code, re.MULTILINE) == ["import samsim"]


def test_a_result_shows_its_text_in_colour(executed: Any) -> None:
    page = shown(executed, "\nresult")["text/html"]
    assert re.search(r'<span title="positive"[^>]*>screen</span>', page)
    assert "battery life" in page


def test_a_data_frame_has_a_row_per_opinion(executed: Any) -> None:
    assert "aspect_term" in shown(executed, "result.to_dataframe()")["text/html"]


def test_the_experiment_and_a_sample_of_it_are_shown(executed: Any) -> None:
    assert "stage1_only-C1" in shown(executed, "\nexperiment")["text/html"]
    assert "en-003" in shown(executed, '["en-003"]')["text/html"]


def test_the_comparison_is_a_table_with_its_tests(executed: Any) -> None:
    found = shown(executed, "\ncomparison")
    assert "Comparison over 20 samples; baseline stage1_only-C1" in found["text/plain"]
    assert "<th" in found["text/html"]
    assert "wrong_to_right" in shown(executed, "flips=True)")["text/html"]


def test_the_picture_is_an_svg_inside_the_page(executed: Any) -> None:
    page = shown(executed, "\nreport")["text/html"]
    assert '<img alt="F1 of every run" src="data:image/svg+xml;base64,' in page
    assert "report.html" in page
