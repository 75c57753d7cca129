"""``samsim analyze --memory STORE --condition NAME``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli

TEXT = "I don't think the strap is soft."


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["analyze", "--json", *arguments, TEXT])
    return done.exit_code, done.stdout if done.exit_code == 0 else done.stderr


def memory_of(output: str) -> dict[str, object]:
    memory: dict[str, object] = json.loads(output)["memory"]
    return memory


def test_a_second_review_is_advised_by_the_first(tmp_path: Path) -> None:
    store = str(tmp_path / "store.jsonl")
    _, first = run("--memory", store)
    _, second = run("--memory", store)
    assert (memory_of(first)["condition"], memory_of(first)["episode_id"]) == ("C2", "epi_000001")
    assert memory_of(second)["retrieved_ids"] == ["epi_000001"]
    assert memory_of(second)["prompt_injection_chars"] != 0
    assert memory_of(first)["prompt_injection_chars"] == 0


def test_a_condition_alone_uses_the_default_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = run("--condition", "C2_silent")
    assert code == ExitCode.OK, output
    assert (tmp_path / "memory" / "episodic_store.jsonl").exists()


def test_without_either_option_there_is_no_memory() -> None:
    _, output = run()
    assert json.loads(output)["memory"] is None


def test_an_unknown_condition_is_wrong_usage(tmp_path: Path) -> None:
    code, said = run("--memory", str(tmp_path / "store.jsonl"), "--condition", "C2_slient")
    assert code == ExitCode.USAGE
    assert "C2_silent" in said


def test_an_address_of_a_foreign_kind_does_not_show_its_password() -> None:
    code, said = run("--memory", "mysql://me:hunter2@somewhere/db")
    assert code == ExitCode.USAGE
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("condition", "ui", "said"),
    [
        ("C2", "en", ("condition C2", "similar past cases: epi_000001", "The reviewers were advised: adv_000001")),
        ("C2_silent", "en", ("condition C2_silent", "epi_000001", "this condition hides all advice", "epi_000002")),
        ("C2", "ko", ("조건 C2", "비슷한 과거 사례: epi_000001", "재검토자에게 조언함: adv_000001")),
        ("C1", "ko", ("비슷한 과거 사례 없음", "이 조건에서는 조언을 보이지 않음")),
    ],
)
def test_the_full_story_says_what_memory_did(condition: str, ui: str, said: tuple[str, ...], tmp_path: Path) -> None:
    store = str(tmp_path / "store.jsonl")
    run("--memory", store)
    options = ["analyze", "--explain", "--lang", ui, "--memory", store, "--condition", condition, TEXT]
    shown = CliRunner().invoke(cli, options).stdout
    assert [part for part in said if part not in shown] == []
