"""The coverage page names the folders there are. The figures are those of the last ``make coverage``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.write_coverage_docs import PACKAGE, PAGES, TOP, folder_of, folders, share, table

_ROW = re.compile(r"^\| `(\w+)/` \| ([\d,]+) \| \d+\.\d% \| [\d,]+ \| (?:\d+\.\d%|–) \|$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_folder_of_the_package_has_a_row_and_no_other(page: Path) -> None:
    written = _ROW.findall(page.read_text(encoding="utf-8"))
    assert [folder for folder, _ in written] == folders(), "run: make coverage"
    assert all(lines != "0" for _, lines in written)


def test_a_file_belongs_to_its_first_folder() -> None:
    assert folder_of("src/samsim/cli/views/run.py") == "cli"
    assert folder_of("src/samsim/errors.py") == TOP
    assert {folder_of(str(path)) for path in PACKAGE.rglob("*.py")} == set(folders())


def test_the_table_adds_up_and_never_rounds_to_all() -> None:
    counts = {"num_statements": 1000, "covered_lines": 999, "num_branches": 3, "covered_branches": 3}
    *_, whole = table({f"src/samsim/{name}/a.py": {"summary": counts} for name in ("cli", "rules")}).splitlines()
    assert whole == "| **all** | 2,000 | 99.9% | 6 | 100.0% |"
    assert (share(99999, 100_000), share(0, 0)) == ("99.9%", "–")
