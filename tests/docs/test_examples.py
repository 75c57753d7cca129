"""The commands and the Python of the experiment pages run as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from samsim.cli.main import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "README.ko.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))))
_SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
# What needs no model, no database and no file of the reader's own.
_OFFLINE = re.compile(r"^samsim (run|compare|report|data)\b")
_NEEDS_MORE = re.compile(r"openai|anthropic|gemini|azure|server|my\.|my_|RUN|CONFIG|14res|\.csv")


def commands(page: str) -> Iterator[str]:
    for block in _SHELL.findall((ROOT / page).read_text(encoding="utf-8")):
        for line in block.splitlines():
            command = line.split("#")[0].strip()
            if command.startswith("samsim "):
                yield command


def offline() -> list[str]:
    found = [
        command
        for page in PAGES
        for command in commands(page)
        if _OFFLINE.match(command) and not _NEEDS_MORE.search(command)
    ]
    # A run first, so that there is something to compare and to report.
    return sorted(dict.fromkeys(found), key=lambda command: not command.startswith("samsim run"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    run = [sys.executable, "-m", "samsim", "run", "quickstart"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("command", offline())
def test_an_offline_command_runs(command: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    result = CliRunner().invoke(cli, shlex.split(command)[1:], prog_name="samsim")
    assert result.exit_code == 0, result.output


def test_there_are_such_commands() -> None:
    assert {command.split()[1] for command in offline()} >= {"run", "compare", "report"}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_exists(page: str) -> None:
    for command in commands(page):
        _, name, *rest = shlex.split(command)
        assert name in COMMANDS, command
        shown = CliRunner().invoke(cli, [name, "--help"], prog_name="samsim").output
        group = rest[0] if rest and not rest[0].startswith("-") and f"\n  {rest[0]} " in shown else None
        if group is not None:
            shown = CliRunner().invoke(cli, [name, group, "--help"], prog_name="samsim").output
        for option in (word.split("=")[0] for word in rest if word.startswith("--")):
            assert option in shown, command


@pytest.mark.parametrize(("page", "first"), [("runs", "cr_v2 84 ()"), ("report", "report/report.html")])
def test_the_python_of_a_page_about_runs_runs(page: str, first: str, place: Path) -> None:
    (code,) = _PYTHON.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    done = subprocess.run([sys.executable, "-c", code], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(first)
