"""``samsim doctor``: what it says about each engine, and what it never says."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli


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
