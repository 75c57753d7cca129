"""``samsim run`` as a user meets it: mistakes before any call, plans, progress, Ctrl-C, kill -9, going on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.engines.prices import price_of
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, read_run
from samsim.experiments.config import load_config
from samsim.experiments.planning import plan_experiment
from tests.experiments.runs import footprint, rows

# So many that a run over them can be disturbed before it ends.
MANY = 600
SMALL = {"evaluation": {"name": "reviews", "language": "en", "limit": 6}}


def write(path: Path, **settings: object) -> Path:
    whole = {"name": "tested", "data": SMALL, "run": {"out": str(path.parent / "runs")}} | settings
    path.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return path


def samsim(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["run", *map(str, arguments)], prog_name="samsim")


def test_a_run_says_how_it_went_and_is_not_run_twice(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    first = samsim(config)
    assert first.exit_code == ExitCode.OK, first.output
    assert "tested: 1 cell, 3 to 6 calls per sample" in first.stderr
    assert "cr_v2-C1: finished, 6/6" in first.stderr
    assert str(tmp_path / "runs" / "tested") in first.stdout.replace("\n", "")
    again = samsim(config)
    assert again.exit_code == ExitCode.OK
    assert "finished (done before), 6/6" in again.stderr


def test_one_of_a_thing_is_singular(tmp_path: Path) -> None:
    config = write(tmp_path / "single.yaml", protocol="single")
    assert "tested: 1 cell, 1 call per sample" in samsim(config, "--limit", 1).stderr
    assert "Plan (from 1 probed sample per protocol" in samsim(config, "--plan", "--probe", 1).stdout


@pytest.mark.parametrize(
    ("written", "meant"), [("analyse", "analyze"), ("Analyze", "analyze"), ("compares", "compare"), ("runs", "run")]
)
def test_an_unknown_command_is_told_with_the_one_that_was_meant(written: str, meant: str) -> None:
    ended = CliRunner().invoke(cli, [written, "x"])
    assert ended.exit_code == ExitCode.USAGE
    assert f"No such command '{written}'. Did you mean {meant}" in ended.stderr
    assert "Did you mean" not in CliRunner().invoke(cli, ["zzz"]).stderr


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        (["--answer", "terse"], "pipeline.answer=terse"),
        (["--answer=terse"], "pipeline.answer=terse"),
        (["--on-partial", "fail", "--limit", "2"], "pipeline.on_partial=fail"),
        (["--max-outage"], "run.max_outage=VALUE"),
        (["--temperature", "--limit", "2"], "engines.default.temperature=VALUE"),
    ],
)
def test_a_setting_given_as_an_option_is_pointed_to_set(given: list[str], setting: str, tmp_path: Path) -> None:
    ended = samsim(write(tmp_path / "small.yaml"), *given)
    assert ended.exit_code == ExitCode.USAGE
    assert f"No such option: {given[0].split('=')[0]}. Use --set {setting}." in ended.stderr
    assert "--set" not in samsim(tmp_path / "small.yaml", "--nonsense").stderr


def test_five_mistakes_are_reported_at_once_each_with_its_line(tmp_path: Path) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text(
        "name: wrong\n"
        "data:\n"
        "  evaluation: revews\n"
        "protocol: cr_v3\n"
        "episodic_memory:\n"
        "  condition: C2_frosen\n"
        "  topk: many\n"
        "repeets: 4\n"
        f"run: {{out: {tmp_path / 'runs'}}}\n",
        encoding="utf-8",
    )
    result = samsim(config)
    assert result.exit_code == ExitCode.USAGE
    told = {3: "reviews", 4: "cr_v", 6: "C2_frozen", 7: "topk", 8: "repeats"}
    for line, suggestion in told.items():
        (about,) = [row for row in result.output.splitlines() if f"{config.name}:{line}:" in row]
        assert suggestion in about
    assert not (tmp_path / "runs").exists()


def test_a_plan_runs_nothing_and_gives_ranges(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml", matrix={"protocol": ["single", "cr_v2"]})
    result = samsim(config, "--plan")
    assert result.exit_code == ExitCode.OK, result.output
    assert "single-C1" in result.output
    assert "18 – 36" in result.output, "6 samples: 3 calls each without, 6 with a review"
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("protocol", ["cr_v2", "single", "debate"])
def test_a_plan_without_a_key_counts_tokens_and_prices_them(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    engines = {"default": {"kind": "openai_compatible", "model": "gpt-4.1-mini"}}
    config = write(tmp_path / "small.yaml", protocol=protocol, engines=engines)
    result = samsim(config, "--plan", "--probe", 1)
    assert result.exit_code == ExitCode.OK, result.output
    assert "OPENAI_API_KEY is not set" in " ".join(result.output.split())
    plan = plan_experiment(load_config(config), probes=2)
    (cell,) = plan.cells
    assert (cell.failed, cell.missing_keys, cell.seconds) == (0, ("OPENAI_API_KEY",), None)
    assert cell.tokens is not None
    assert cell.cost is not None
    assert 0 < cell.tokens.low <= cell.tokens.high
    price = price_of("gpt-4.1-mini")
    assert price is not None
    cheapest, dearest = (rate / 1e6 for rate in (price.input, price.output))
    assert cell.tokens.low * cheapest < cell.cost.low <= cell.cost.high < cell.tokens.high * dearest
    assert not (tmp_path / "runs").exists()


def test_probe_belongs_to_plan(tmp_path: Path) -> None:
    assert samsim(write(tmp_path / "small.yaml"), "--probe", 2).exit_code == ExitCode.USAGE


def test_a_leak_stops_the_run_and_names_the_texts(tmp_path: Path) -> None:
    both = {"evaluation": SMALL["evaluation"], "memory": SMALL["evaluation"]}
    result = samsim(write(tmp_path / "leak.yaml", data=both, episodic_memory={"condition": "C2"}))
    assert result.exit_code == ExitCode.NO_INPUT
    assert "evaluation:en-001 = memory:en-001" in result.output


def test_limit_set_and_restart(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    limited = samsim(config, "--limit", 1)
    assert limited.exit_code == ExitCode.OK
    assert "cr_v2-C1: done as requested: 1 of 6 (--limit 1)" in limited.stderr
    assert "stopped" not in limited.stderr
    assert "cr_v2-C1: resumed at 2 of 2" in samsim(config, "--limit", 2).stderr
    folder = tmp_path / "runs" / "tested"
    assert len(rows(folder / OUTPUTS)) == 2
    changed = samsim(config, "--set", "protocol=cr_v1")
    assert changed.exit_code == ExitCode.USAGE
    assert "--restart" in changed.output
    assert samsim(config, "--set", "protocol=cr_v1", "--restart").exit_code == ExitCode.OK
    assert read_run(folder).manifest.cell.protocol == "cr_v1"
    assert len(rows(tmp_path / "runs" / "tested.old-1" / OUTPUTS)) == 2


def test_requests_that_are_forbidden_give_error_rows_and_a_code(tmp_path: Path) -> None:
    address = {"kind": "openai_compatible", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    engines = {"default": {**address, "max_attempts": 1}}
    config = write(tmp_path / "absent.yaml", engines=engines, run={"out": str(tmp_path / "runs"), "cache": False})
    result = samsim(config)
    assert result.exit_code == ExitCode.SOME_BAD, result.output
    assert "--retry-errors" in result.output
    assert all("error" in row for row in rows(tmp_path / "runs" / "tested" / OUTPUTS))
    stopped = samsim(config, "--restart", "--fail-fast")
    assert stopped.exit_code == ExitCode.STOPPED
    assert "stopped: sample en-001 failed" in stopped.output


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    config = write(tmp_path / "small.yaml")
    command = f"{sys.executable} -m samsim run {config} | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", command], stderr=subprocess.DEVNULL).returncode == ExitCode.BROKEN_PIPE


def test_a_cache_that_cannot_be_used_is_told_before_any_call(tmp_path: Path) -> None:
    engines = {"default": {"kind": "openai_compatible", "model": "m", "base_url": "http://127.0.0.1:9/v1"}}
    run = {"out": str(tmp_path / "runs"), "cache": str(tmp_path)}
    result = samsim(write(tmp_path / "cached.yaml", engines=engines, run=run))
    assert result.exit_code == ExitCode.USAGE, result.output
    assert not (tmp_path / "runs").exists()


# --- real processes ----------------------------------------------------------------------------------


def start(config: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "samsim", "run", str(config), "--no-report"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Tests may run where SIGINT is ignored, which a child would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(done: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 600
    while not done():
        assert process.poll() is None, "the run ended before it could be disturbed"
        assert time.monotonic() < deadline


def many(path: Path, count: int) -> Path:
    from samsim.data.shipped import load_reviews

    reviews = [one for one in load_reviews() if one.language == "en"]
    body = [f'"{reviews[number % len(reviews)].text.replace(chr(34), "")} {number}"' for number in range(count)]
    path.write_text("\n".join(["text", *body]) + "\n", encoding="utf-8")
    return path


def big_run(folder: Path, data: Path, workers: int) -> Path:
    """The configuration of a run that takes long enough to be disturbed."""
    folder.mkdir()
    run = {"out": str(folder / "runs"), "workers": workers}
    return write(folder / "many.yaml", data={"evaluation": {"path": str(data), "language": "en"}}, run=run)


@pytest.fixture(scope="module")
def many_reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return many(tmp_path_factory.mktemp("many") / "many.csv", MANY)


@pytest.fixture(scope="module")
def undisturbed(many_reviews: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run that nobody disturbs; how many processes made it leaves no mark (test_processes_change_nothing)."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert start(big_run(folder, many_reviews, workers=2)).wait() == ExitCode.OK
    return folder / "runs" / "tested"


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_disturbed_process_is_gone_on_with(
    how: signal.Signals, workers: int, many_reviews: Path, undisturbed: Path, tmp_path: Path
) -> None:
    config = big_run(tmp_path / "broken", many_reviews, workers)
    folder = tmp_path / "broken" / "runs" / "tested"
    process = start(config)
    outputs = folder / OUTPUTS
    wait_for(lambda: outputs.exists() and outputs.stat().st_size > 30_000, process)
    os.kill(process.pid, how)
    code = process.wait()
    assert code == (ExitCode.INTERRUPTED if how == signal.SIGINT else -signal.SIGKILL)
    status = read_run(folder).manifest.status
    assert status == ("interrupted" if how == signal.SIGINT else "running")
    assert 0 < len(rows(outputs)[:-1]) < MANY
    if workers > 1:
        assert_no_orphans(process.pid)
    assert start(config).wait() == ExitCode.OK
    assert footprint(folder) == footprint(undisturbed)
    assert (folder / MANIFEST).exists()


def assert_no_orphans(group: int) -> None:
    """The workers end with their parent; they are in its session."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
    raise AssertionError("a worker outlived its killed parent")
