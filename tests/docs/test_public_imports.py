"""The documentation imports nothing but ``samsim``, and its Python runs as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import samsim

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_IMPORT = re.compile(r"^\s*(?:from|import)\s+samsim.*$", re.MULTILINE)
_USED = re.compile(r"\bsamsim\.(\w+)\(")
# These need a run of the quickstart, or are run by tests of their own.
_RUN_ELSEWHERE = re.compile(r"docs/(ko/)?(runs|report|api)\.md|README")


def blocks(page: Path) -> list[str]:
    return _PYTHON.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_imports_samsim_only_and_uses_public_names(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert {found.strip() for found in _IMPORT.findall("\n".join(blocks(page)))} <= {"import samsim"}
    assert set(_USED.findall(text)) <= set(samsim.__all__)


def runnable() -> list[Path]:
    return [page for page in PAGES if blocks(page) and not _RUN_ELSEWHERE.search(page.relative_to(ROOT).as_posix())]


def test_there_are_pages_with_python() -> None:
    assert {page.name for page in runnable()} >= {"data.md", "engines.md", "memory.md"}


@pytest.mark.parametrize("page", runnable(), ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    for code in blocks(page):
        done = subprocess.run([sys.executable, "-X", "utf8", "-c", code], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
