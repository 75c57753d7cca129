"""The page about taxonomies: its files load, its commands and its Python run, its tables are what ships."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from samsim.cli.main import cli
from samsim.schemas.taxonomy import FLAT_TAXONOMIES, load_taxonomy

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "taxonomies.md", ROOT / "docs" / "ko" / "taxonomies.md"]
EXPECTED = {
    ("docs", "shop"): {("delivery", "positive"), ("material", "negative")},
    ("docs", "hotel"): {("view", "positive"), ("bedding", "negative")},
    ("docs", "my.yaml"): {("delivery", "positive"), ("eco", "negative")},
    ("ko", "shop"): {("배송", "positive"), ("소재", "negative")},
    ("ko", "hotel"): {("전망", "positive"), ("객실", "negative")},
    ("ko", "my.yaml"): {("delivery", "positive"), ("eco", "negative")},
}


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_file_on_the_page_is_a_taxonomy(page: Path, tmp_path: Path) -> None:
    own = tmp_path / "my.yaml"
    found = []
    for content in blocks(page, "yaml"):
        own.write_text(content, encoding="utf-8")
        taxonomy = load_taxonomy(own)
        found.append((taxonomy.name, len(taxonomy.refs), taxonomy.general_category))
    assert found == [("my", 4, "general"), ("my", 4, "general"), ("green shop", 4, "other"), ("cafe", 4, None)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_commands_find_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.yaml").write_text(blocks(page, "yaml")[1], encoding="utf-8")
    commands = [line for block in blocks(page, "sh") for line in block.splitlines()]
    for command in commands:
        _, *words = shlex.split(command)
        ended = CliRunner().invoke(cli, [*words, "--json"], prog_name="samsim")
        assert ended.exit_code == 0, ended.output
        final = json.loads(ended.stdout)["final_tuples"]
        expected = EXPECTED[page.parent.name, words[words.index("--taxonomy") + 1]]
        assert {(item["aspect_ref"], item["polarity"]) for item in final} >= expected
    assert len(commands) == 3


def test_the_python_runs() -> None:
    (code,) = blocks(PAGES[0], "python")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["('general', 'quality', 'design') True", "material"], done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_the_table_has_the_categories_that_ship(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    for name in FLAT_TAXONOMIES:
        korean, english = (", ".join(load_taxonomy(name, language).refs) for language in ("ko", "en"))
        assert f"| `{name}` | {korean} | {english} |" in content
