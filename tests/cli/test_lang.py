"""Every command that prints tables prints them in the language of the locale, or in the one of ``--lang``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import COMMANDS, cli
from tests.metrics.runs import big_run, written

KOREAN_LOCALE = {"LC_ALL": "ko_KR.UTF-8", "NO_COLOR": "1", "COLUMNS": "120"}
REVIEW = "The screen is great, but the battery is bad."
_HANGUL = re.compile("[가-힣]")
_CONFIG = "name: small\ndata: {evaluation: {name: reviews, language: en, limit: 2}}\nprotocol: single\n"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs to look at and a configuration to run."""
    folder = tmp_path_factory.mktemp("lang")
    for name in ("one", "two"):
        written(big_run(name, 20), folder / name)
    (folder / "small.yaml").write_text(_CONFIG, encoding="utf-8")
    return folder


def prints(command: str, folder: Path, *options: str) -> Result:
    given: dict[str, list[object]] = {
        "analyze": [REVIEW],
        "show": [folder / "one", "--limit", 2],
        "compare": [folder / "one", folder / "two"],
        "report": [folder / "one", "--out", folder / "report"],
        "run": [folder / "small.yaml", "--out", folder / "runs"],
        "plan": [folder / "small.yaml", "--plan"],
    }
    name = "run" if command == "plan" else command
    ended = CliRunner(env=KOREAN_LOCALE).invoke(cli, [name, *map(str, given[command]), *options])
    assert ended.exit_code == ExitCode.OK, ended.output
    return ended


@pytest.mark.parametrize("command", ["analyze", "show", "compare", "report", "run", "plan"])
def test_the_locale_decides_unless_a_language_is_given(command: str, folders: Path) -> None:
    assert _HANGUL.search(prints(command, folders).stdout)
    assert not _HANGUL.search(prints(command, folders, "--lang", "en").stdout)


def test_the_page_of_a_report_follows_its_reader_unless_a_language_is_given(folders: Path) -> None:
    prints("report", folders)
    assert '<html lang="en"' in (folders / "report" / "report.html").read_text(encoding="utf-8")
    prints("report", folders, "--lang", "ko")
    assert '<html lang="ko"' in (folders / "report" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["analyze", "show", "compare", "report", "run", "demo"])
def test_the_option_has_one_name_and_one_help(name: str) -> None:
    assert name in COMMANDS
    shown = " ".join(CliRunner().invoke(cli, [name, "--help"]).output.split())
    assert re.search(r"--lang \[auto\|en\|ko\] Language of .*auto follows the locale\. \[default: auto\]", shown)
    assert "--ui" not in shown


@pytest.mark.parametrize("command", ["analyze", "show"])
def test_the_old_name_still_works(command: str, folders: Path) -> None:
    assert not _HANGUL.search(prints(command, folders, "--ui", "en").stdout)
