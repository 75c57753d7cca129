"""``samsim doctor``: what it says about each engine, and what it never says."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.engines.transport.guard import FORBID_VARIABLE


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *arguments])


def test_the_embedded_engine_is_always_well() -> None:
    done = doctor()
    assert done.exit_code == ExitCode.OK
    assert "needs no key and no server" in done.stdout


def test_a_missing_key_is_named_and_no_other_key_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-991")
    done = doctor("--engine", "openai:gpt-x")
    assert done.exit_code == ExitCode.ENGINE
    assert "OPENAI_API_KEY" in done.stdout
    assert "canary" not in done.output


@pytest.mark.parametrize("content", ["engines: {default: {kind: openai_compatible, modle: m}}", "engines: [", "x: 1"])
def test_a_wrong_file_is_never_called_ok(content: str, tmp_path: Path) -> None:
    path = tmp_path / "engines.yaml"
    path.write_text(content, encoding="utf-8")
    done = doctor("--engine", str(path))
    assert done.exit_code == ExitCode.USAGE
    assert "ok" not in done.stdout


@pytest.mark.loopback
def test_a_server_that_is_not_there_is_bad() -> None:
    done = doctor("--engine", "openai:m", "--base-url", "http://127.0.0.1:9/v1")
    assert done.exit_code == ExitCode.ENGINE
    assert "BAD   server" in done.stdout


def test_no_password_or_key_in_an_address_is_shown() -> None:
    url = "http://me:hush-hush-1@127.0.0.1:9/v1?api_key=hush-hush-2&version=hush-hush-3"
    done = doctor("--engine", "openai:m", "--base-url", url)
    assert done.exit_code == ExitCode.ENGINE
    assert "hush" not in done.output
    assert "http://127.0.0.1:9/v1?api_key=" in done.stdout


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://gpu-box.example/v1", True),
        ("http://192.168.0.7:8000/v1", True),
        ("https://gpu-box.example/v1", False),
        ("http://localhost:9/v1", False),
        ("http://127.0.0.1:9/v1", False),
        ("http://[::1]:9/v1", False),
    ],
)
def test_a_key_that_goes_over_plain_http_is_warned_of(
    url: str, warned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-canary-991")
    monkeypatch.setenv(FORBID_VARIABLE, "1")
    path = tmp_path / "engines.yaml"
    path.write_text(
        f"engines: {{default: {{kind: openai_compatible, model: m, base_url: '{url}', api_key_env: MY_KEY}}}}"
    )
    done = doctor("--engine", str(path))
    assert ("WARN  key: " in done.stdout and "plain http" in done.stdout) is warned
    analyzed = CliRunner().invoke(cli, ["analyze", "--engine", str(path), "--no-cache", "The soup was cold."])
    assert ("warning: " in analyzed.stderr and "plain http" in analyzed.stderr) is warned
    assert "canary" not in done.output + analyzed.output


def test_a_server_that_gets_no_key_is_not_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FORBID_VARIABLE, "1")
    done = doctor("--engine", "openai:m", "--base-url", "http://gpu-box.example/v1")
    assert "WARN" not in done.stdout
