"""``samsim doctor`` and servers that are slow, loading, broken or overloaded: nothing is called ok that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from samsim.checking.findings import attempt_lines
from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.schemas.calls import AttemptRecord, Outcome
from tests.servers.failing_first import server

pytestmark = pytest.mark.loopback


def engine_file(folder: Path, url: str, **settings: Any) -> Path:
    path = folder / "engines.yaml"
    engine = {"kind": "openai_compatible", "model": "m", "base_url": url, **settings}
    path.write_text(yaml.safe_dump({"engines": {"default": engine}}), encoding="utf-8")
    return path


def doctor(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["doctor", *map(str, arguments)])


def test_a_call_that_needed_a_second_attempt_is_a_warning_with_every_attempt(tmp_path: Path) -> None:
    with server("stall") as url:
        done = doctor("--engine", engine_file(tmp_path, url, timeout_s=0.2, output_mode="json_schema"))
    assert done.exit_code == ExitCode.OK
    assert "ok    one tiny call" not in done.stdout
    assert "WARN  one tiny call" in done.stdout
    assert "only after 1 failed attempt (1 × timeout)" in done.stdout
    assert "attempt 1: timeout after 0." in done.stdout
    assert "attempt 2: ok (200) after 0." in done.stdout


def test_an_output_mode_that_a_server_lacks_is_no_warning(tmp_path: Path) -> None:
    with server(400) as url:
        done = doctor("--engine", engine_file(tmp_path, url))
    assert done.exit_code == ExitCode.OK
    assert "WARN" not in done.stdout


@pytest.mark.parametrize("output_mode", ["auto", "json_schema"])
def test_a_loading_server_is_said_to_be_loading(output_mode: str, tmp_path: Path) -> None:
    with server(*[503] * 20) as url:
        done = doctor("--engine", engine_file(tmp_path, url, max_attempts=1, output_mode=output_mode))
    assert done.exit_code == ExitCode.ENGINE
    assert "loading its model" in done.stdout
    assert "Wait" in done.stdout
    assert "API key" not in done.stdout
    assert "server_error (503, loading)" in done.stdout


def attempt(outcome: Outcome, status: int | None, started: float, seconds: float) -> AttemptRecord:
    return AttemptRecord(kind="first", outcome=outcome, http_status=status, started=started, ended=started + seconds)


def test_equal_attempts_are_one_line_with_their_number_and_time() -> None:
    loading = [attempt("server_error", 503, 6 * number, 0.5) for number in range(20)]
    stalled = attempt("timeout", None, 130, 2.0)
    answered = attempt("ok", 200, 140, 1.0)
    assert attempt_lines([stalled, *loading, answered]) == (
        "attempt 1: timeout after 2.0 s",
        "attempts 2–21: server_error (503, loading) × 20 within 2 min, each after 0.5 s",
        "attempt 22: ok (200) after 1.0 s",
    )
    slower = [*loading[:2], loading[2].model_copy(update={"ended": loading[2].started + 3.0})]
    (line,) = attempt_lines(slower)
    assert line == "attempts 1–3: server_error (503, loading) × 3 within 15 s, each after 0.5 to 3.0 s"


@pytest.mark.parametrize("output_mode", ["auto", "json_schema"])
def test_a_server_that_goes_on_loading_is_no_long_list(output_mode: str, tmp_path: Path) -> None:
    with server(*[503] * 20) as url:
        done = doctor("--engine", engine_file(tmp_path, url, max_attempts=3, output_mode=output_mode))
    lines = [line for line in done.stdout.splitlines() if "503" in line and "attempt" in line]
    assert len(lines) == 1, done.stdout
    assert "server_error (503, loading) × " in lines[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "requires an API key"),
        (402, "no credit"),
        (404, "has no such address or model"),
        (429, "limiting requests"),
        (500, "Check its log"),
        (400, "rejected the request"),
    ],
)
def test_each_failure_has_its_own_advice(status: int, words: str, tmp_path: Path) -> None:
    with server(*[status] * 20) as url:
        done = doctor("--engine", engine_file(tmp_path, url, max_attempts=1))
    assert done.exit_code == ExitCode.ENGINE
    assert words in done.stdout


def test_a_server_that_is_not_there_is_to_be_started(tmp_path: Path) -> None:
    done = doctor("--engine", engine_file(tmp_path, "http://127.0.0.1:9/v1", max_attempts=1))
    assert "Start the server or correct base_url" in done.stdout


# --- measured and written


def test_what_was_measured_is_written_and_nothing_else_is_changed(tmp_path: Path) -> None:
    with server() as url:
        path = tmp_path / "engines.yaml"
        written = f"""# my engines
engines:
  default:            # everybody
    kind: openai_compatible
    model: m   # small
    base_url: {url}
    concurrency: 2      # a guess
  single: {{temperature: 0.7}}
max_cost: null
"""
        path.write_text(written, encoding="utf-8")
        done = doctor("--engine", path, "--write", path)
    assert done.exit_code == ExitCode.OK, done.output
    assert "16 at once" in done.stdout
    assert "suggested concurrency: " in done.stdout
    assert f"written to {path}: engines.default: concurrency " in done.stdout
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines.pop(7) == "    timeout_s: 60"
    assert lines[6].endswith("     # a guess")
    lines[6] = "    concurrency: 2      # a guess"
    assert lines == written.splitlines()


def test_an_experiment_is_written_where_it_asks_the_measured_server(tmp_path: Path) -> None:
    path = tmp_path / "experiment.yaml"
    with server() as url:
        path.write_text(f"engines: {{default: {{kind: openai_compatible, model: m, base_url: '{url}'}}}}\nname: x\n")
        done = doctor("--engine", "openai:m", "--base-url", url, "--write", path)
    assert done.exit_code == ExitCode.OK, done.output
    engine = yaml.safe_load(path.read_text())["engines"]["default"]
    assert engine["timeout_s"] == 60
    assert engine["concurrency"] >= 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("engines: openai:m\n", "it only has engines: openai:m"),
        ("engines: others.yaml\n", "Write to that file"),
        ("engines: {default: {kind: openai_compatible, model: other}}\n", "no engine in it uses"),
        ("- 1\n", "no engine in it uses"),
        ("engines: {default: {modle: m}}\n", "modle"),
        ("engines: [\n", "not valid YAML"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_asked(
    content: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "target.yaml"
    path.write_text(content, encoding="utf-8")
    # Nobody listens there: whoever asked would find that out first.
    done = doctor("--engine", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "--write", path)
    assert done.exit_code == ExitCode.USAGE
    assert words in done.stderr
    assert path.read_text(encoding="utf-8") == content
