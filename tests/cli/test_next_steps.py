"""Whatever is wrong on the command line is named as it was written there, with what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli


def told(*arguments: object) -> tuple[int, str]:
    ended = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="samsim")
    return ended.exit_code, " ".join(ended.stderr.split())


@pytest.mark.parametrize(("written", "guess"), [("quickstrt", True), ("Quickstart", True), ("other.yaml", False)])
def test_a_misspelt_experiment_is_told_with_the_one_that_ships(written: str, guess: bool) -> None:
    code, words = told("run", written)
    assert code == ExitCode.USAGE
    assert f"File '{written}' does not exist." in words
    assert ("Did you mean quickstart?" in words) is guess


def test_a_wrong_option_is_not_a_mistake_in_the_file(tmp_path: Path) -> None:
    code, words = told("run", "quickstart", "--set", "foo")
    assert code == ExitCode.USAGE
    assert words == "error: --set foo: not a setting. Write it as path.to.key=value. 1 mistake; nothing was run."
    config = tmp_path / "my.yaml"
    config.write_text("name: x\ndata: {evaluation: reviews}\nrnu: {}\n", encoding="utf-8")
    assert told("run", config, "--set", "foo")[1].endswith(f"2 mistakes in {config}; nothing was run.")


@pytest.mark.parametrize("command", [["analyze", "Good food."], ["doctor"]])
def test_a_base_url_that_is_none_is_named_by_its_option(command: list[str]) -> None:
    code, words = told(*command, "--engine", "openai:foo", "--base-url", "nonsense")
    assert code == ExitCode.USAGE
    assert "Invalid value for '--base-url': 'nonsense' does not start with http:// or https://." in words
    assert "perspectives" not in words


def test_a_folder_is_no_memory(tmp_path: Path) -> None:
    code, words = told("analyze", "--memory", tmp_path, "Good food.")
    assert code == ExitCode.STORE
    assert words.endswith("is not a regular file. Name another file, or check this one and its folder.")


@pytest.mark.parametrize("options", [[], ["--split", "dev"]])
def test_a_folder_without_data_says_what_data_is(options: list[str], tmp_path: Path) -> None:
    code, words = told("data", "show", tmp_path, *options)
    assert code == ExitCode.USAGE
    assert words == (
        f"error: There is no data file in {tmp_path}. Give a folder with files of a format that samsim data list names."
    )
