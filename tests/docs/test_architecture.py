"""The pages for contributors tell the truth: modules they name exist, and the picture is the current one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.draw_architecture import PICTURE, WORDS, draw

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "samsim"
PAGES = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "design").glob("*.md"))]
_MODULE = re.compile(r"`([a-z0-9_/]+\.py|[a-z_/]+/)`")


def named_modules() -> list[str]:
    found = {name for page in PAGES for name in _MODULE.findall(page.read_text(encoding="utf-8"))}
    return sorted(found - {"src/samsim/", "paper/"})


@pytest.mark.parametrize("name", named_modules())
def test_a_module_that_a_page_names_exists(name: str) -> None:
    assert (PACKAGE / name).exists()


def test_the_picture_is_the_one_that_the_tool_draws() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw()


@pytest.mark.parametrize("layer", WORDS)
def test_the_modules_of_the_walks_exist(layer: str) -> None:
    folders = [PACKAGE / name.strip() for name in layer.split("|")]
    for name in re.findall(r"[a-z0-9_/]+\.py", " ".join(WORDS[layer][1:])):
        assert any((folder / name).is_file() or (PACKAGE / name).is_file() for folder in folders), name
