from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.experiments.artefacts import SCORECARDS
from samsim.experiments.config import load_config
from samsim.experiments.runner import run_experiment
from tests.experiments.runs import rewrite, rows

_CONFIG = "name: small\ndata: {evaluation: reviews}\nmatrix: {protocol: [single, cr_v1]}\n"


@pytest.fixture(scope="module")
def small_experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "config.yaml").write_text(_CONFIG, encoding="utf-8")
    settings = [f"run.out={str(folder / 'runs')!r}", "run.workers=1"]
    return run_experiment(load_config(folder / "config.yaml", settings)).folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, arguments)])


def test_an_experiment_is_reported_beside_its_runs(small_experiment: Path) -> None:
    ended = run(small_experiment)
    assert ended.exit_code == ExitCode.OK, ended.output
    assert "cr_v1" in ended.stdout
    for name in ("report.html", "metrics.json", "metrics.csv", "paper/main.md", "paper/main.tex"):
        assert (small_experiment / name).stat().st_size > 0


def test_quietly_it_says_only_where_the_page_is(small_experiment: Path, tmp_path: Path) -> None:
    ended = run(small_experiment, "--out", tmp_path, "--quiet", "--lang", "ko")
    assert ended.stdout.strip() == str(tmp_path / "report.html")
    assert '<html lang="ko"' in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "실행" in (tmp_path / "paper" / "main.md").read_text(encoding="utf-8")


def test_it_speaks_the_language_that_was_asked_for(small_experiment: Path, tmp_path: Path) -> None:
    ended = run(small_experiment, "--out", tmp_path, "--lang", "ko")
    assert "샘플" in ended.stdout
    assert "보고서:" in ended.stdout
    assert not re.search("sample|Report|Also|tokens", ended.stdout.partition("보고서:")[0])


def test_what_is_missing_is_an_exit_code_too(small_experiment: Path, tmp_path: Path) -> None:
    runs = [path.parent for path in sorted(small_experiment.glob("*/manifest.json"))]
    lost = (runs[0] / SCORECARDS).rename(tmp_path / SCORECARDS)
    try:
        ended = run(small_experiment, "--out", tmp_path / "out", "--quiet")
    finally:
        lost.rename(runs[0] / SCORECARDS)
    assert ended.exit_code == ExitCode.SOME_BAD
    assert f"{SCORECARDS} is missing" in ended.stderr
    measured = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))
    assert measured["problems"]


def test_a_folder_without_runs_is_no_input(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["report", str(tmp_path)], standalone_mode=True)
    assert ended.exit_code == ExitCode.NO_INPUT
    assert "No run found in" in ended.stderr


def test_a_failed_check_is_said_and_ends_with_one(small_experiment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "wrong"
    shutil.copytree(next(small_experiment.glob("*/manifest.json")).parent, folder)
    cards = rows(folder / SCORECARDS)
    for card in cards:
        card["scores"]["ref_pol"]["final"]["matched"] += 1
    rewrite(folder / SCORECARDS, cards)
    loud, quiet = run(folder, "--out", tmp_path / "a"), run(folder, "--out", tmp_path / "b", "--quiet")
    assert loud.exit_code == quiet.exit_code == ExitCode.INTERNAL
    assert "1 check of the measures FAILED" in loud.stdout
    assert "1 check of the measures FAILED" in quiet.stderr
