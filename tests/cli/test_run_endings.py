"""How commands over runs end: the same trouble gives the same exit code, whoever finds it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.experiments.artefacts import OUTPUTS, SCORECARDS
from tests.experiments.runs import rewrite, rows

_SMALL = {"evaluation": {"name": "reviews", "language": "en", "limit": 6}}


def samsim(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="samsim")


def write(path: Path, **settings: object) -> Path:
    path.write_text(yaml.safe_dump({"name": "tested", "data": _SMALL} | settings), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a configuration and its finished runs."""
    folder = tmp_path_factory.mktemp("finished")
    config = write(folder / "small.yaml", run={"out": "runs"}, matrix={"protocol": ["single", "cr_v2"]})
    assert samsim("run", config, "--out", folder / "runs").exit_code == ExitCode.OK
    return folder


@pytest.fixture
def own(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "own")


def tampered(folder: Path) -> None:
    """One matched tuple too many in every scorecard, as if the run itself had written it."""
    cards = rows(folder / SCORECARDS)
    for card in cards:
        card["scores"]["ref_pol"]["final"]["matched"] += 1
    rewrite(folder / SCORECARDS, cards)


def test_a_tampered_scorecard_ends_run_and_report_alike(own: Path) -> None:
    tampered(own / "runs" / "tested" / "cr_v2-C1")
    ran = samsim("run", own / "small.yaml", "--out", own / "runs")
    reported = samsim("report", own / "runs" / "tested")
    for ended in (ran, reported):
        assert "1 check of the measures FAILED: do not use these numbers" in ended.stdout
    assert ran.exit_code == reported.exit_code == ExitCode.INTERNAL


def test_a_tampered_scorecard_is_an_exit_code_of_the_demo_too(tmp_path: Path) -> None:
    assert samsim("demo", "--out", tmp_path).exit_code == ExitCode.OK
    tampered(tmp_path / "quickstart" / "cr_v2-C1")
    ended = samsim("demo", "--out", tmp_path)
    assert "FAILED: do not use these numbers" in ended.stdout
    assert ended.exit_code == ExitCode.INTERNAL


def test_problems_that_compare_shows_are_an_exit_code(own: Path) -> None:
    first, second = own / "runs" / "tested" / "cr_v2-C1", own / "runs" / "tested" / "single-C1"
    assert samsim("compare", first, second).exit_code == ExitCode.OK
    (first / "traces.jsonl").unlink()
    ended = samsim("compare", first, second)
    assert "traces.jsonl is missing" in ended.stderr
    assert ended.exit_code == ExitCode.SOME_BAD == samsim("report", own / "runs" / "tested").exit_code
    assert samsim("compare", first, second, "--json").exit_code == ExitCode.SOME_BAD


def test_a_limit_on_purpose_is_no_failure_of_a_run(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    assert samsim("run", config, "--out", tmp_path / "runs", "--limit", 2).exit_code == ExitCode.OK
    assert samsim("report", tmp_path / "runs" / "tested").exit_code == ExitCode.SOME_BAD


@pytest.mark.parametrize("name", ['a "b" and it\'s', "*alias: [#~"])
def test_out_is_a_path_whatever_its_name(name: str, tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    ended = samsim("run", config, "--limit", 1, "--no-report", "--out", tmp_path / name)
    assert ended.exit_code == ExitCode.OK, ended.output
    assert len(rows(tmp_path / name / "tested" / OUTPUTS)) == 1


def test_the_demo_takes_any_path_too(tmp_path: Path) -> None:
    folder = tmp_path / 'it\'s "here"'
    ended = samsim("demo", "--out", folder)
    assert ended.exit_code == ExitCode.OK, ended.output
    assert (folder / "quickstart" / "report.html").exists()


def test_a_wrong_value_is_told_under_the_name_of_its_option(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    for value in ("nan", "inf"):
        ended = samsim("run", config, "--max-cost", value)
        assert ended.exit_code == ExitCode.USAGE
        assert "--max-cost" in ended.output
        assert "--set" not in ended.output
    config = write(tmp_path / "flat.yaml", run="nothing")
    ended = samsim("run", config, "--out", tmp_path)
    assert ended.exit_code == ExitCode.USAGE
    assert "--out: run is a single value" in ended.output
