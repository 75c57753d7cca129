"""The help in the documentation is what the commands say, and completion works as it is documented."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.write_help_docs import contexts, pages, updated

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[2]
COMMAND_LINE = ROOT / "docs" / "command-line.md"


def test_the_command_line_page_has_the_help() -> None:
    assert COMMAND_LINE in pages()


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_help_in_the_documentation_is_current(page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    assert written == updated(written), "run: python tools/write_help_docs.py"


def test_every_command_is_there() -> None:
    shown = {context.command_path for context in contexts()}
    assert shown >= {"samsim", *(f"samsim {name}" for name in COMMANDS), "samsim data show", "samsim memory verify"}


def test_the_shown_help_is_what_the_command_prints() -> None:
    page = " ".join(COMMAND_LINE.read_text(encoding="utf-8").split())
    for words in (["--help"], ["analyze", "--help"], ["data", "show", "--help"]):
        printed = subprocess.run(
            [sys.executable, "-m", "samsim", *words],
            env={**os.environ, "PYTHONUTF8": "1"},
            capture_output=True,
            check=True,
            text=True,
            encoding="utf-8",
        )
        # On a terminal lines break elsewhere.
        assert " ".join(printed.stdout.split()) in page, words


def test_the_table_of_exit_codes_stands_once() -> None:
    """In the help of ``samsim`` itself; the other commands and pages point to it."""
    rows = [f"{code.value:>3}  {code.meaning}" for code in ExitCode]
    tables = [context.command_path for context in contexts() if ExitCode.STORE.meaning in context.get_help()]
    assert tables == ["samsim"]
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        if page.name == "CHANGELOG.md":
            continue
        text = page.read_text(encoding="utf-8")
        assert [text.count(row) for row in rows] == [int(page in pages())] * len(rows), page
        assert text.count(ExitCode.STORE.meaning) == int(page in pages()), page


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_of_every_documented_shell_is_emitted(shell: str) -> None:
    source = f"_SAMSIM_COMPLETE={shell}_source samsim"
    assert source in COMMAND_LINE.read_text(encoding="utf-8")
    script = CliRunner().invoke(cli, [], prog_name="samsim", env={"_SAMSIM_COMPLETE": f"{shell}_source"})
    assert script.exit_code == 0
    assert f"_SAMSIM_COMPLETE={shell}_complete" in script.output


def test_completion_offers_commands_and_options() -> None:
    def offered(words: str, word: int) -> str:
        settings = {"_SAMSIM_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(word)}
        done = subprocess.run(
            [sys.executable, "-c", "from samsim.cli.main import entry; entry()"],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert offered("samsim com", 1) == "plain,compare\n"
    assert "plain,--max-cost" in offered("samsim run --max", 2).split()
