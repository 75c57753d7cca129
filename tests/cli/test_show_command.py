"""``samsim show``: one sample of a run, with its gold and its calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES
from tests.experiments.runs import configure, only_folder, rows, run
from tests.metrics.hand_made import Quad, failed, sample
from tests.metrics.runs import hand_run, written
from tests.servers.faults import NO_FAULTS
from tests.servers.faulty import FaultyServer

TASTE: Quad = ("taste", "food#quality", "good", "positive")
EVIL = "\x1b[31mred\x07"


def show(*arguments: object, width: int = 100) -> Result:
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1", "LC_ALL": "C"})
    return runner.invoke(cli, ["show", *map(str, arguments)])


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = configure(
        tmp_path_factory.mktemp("show"),
        data={"evaluation": {"name": "reviews", "language": "ko", "limit": 4}},
        matrix={"condition": ["C1", "C2_silent"]},
    )
    return run(config).folder


def test_a_sample_with_votes_and_gold(experiment: Path) -> None:
    folder = experiment / "cr_v2-C1"
    result = show(folder, "ko-002")
    assert result.exit_code == ExitCode.OK
    for words in (
        "cr_v2-C1 · ko-002",
        "What the three perspectives found",
        "Gold",
        "gold tuples found in the final result:",
    ):
        assert words in result.stdout
    assert "Call 1" not in result.stdout


def test_the_sample_of_every_run_of_an_experiment(experiment: Path) -> None:
    result = show(experiment, "ko-002")
    assert "cr_v2-C1 · ko-002" in result.stdout
    assert "cr_v2-C2_silent · ko-002" in result.stdout
    found = [json.loads(line) for line in show(experiment, "ko-002", "--json").stdout.splitlines()]
    assert [row["run"] for row in found] == ["cr_v2-C1", "cr_v2-C2_silent"]
    assert {row["result"]["uid"] for row in found} == {"ko-002"}
    assert all(row["scorecard"]["gold"] for row in found)


def test_samples_are_listed_without_an_id(experiment: Path) -> None:
    listed = show(experiment / "cr_v2-C1", "--limit", 3).stdout
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("ko-")] == ["ko-001", "ko-002", "ko-003"]
    assert "and 1 more (--limit)" in listed
    assert show(experiment / "cr_v2-C1", "--prompts").exit_code == ExitCode.USAGE


def test_an_unknown_id_is_an_error_with_a_guess(experiment: Path) -> None:
    result = show(experiment, "ko-02")
    assert result.exit_code == ExitCode.NO_INPUT
    assert "Did you mean" in result.stderr
    assert "ko-002" in result.stderr
    assert "Known: ko-001" in show(experiment, "something else").stderr


def test_the_labels_are_korean_if_wanted(experiment: Path) -> None:
    shown = show(experiment / "cr_v2-C1", "ko-002", "--lang", "ko", "--prompts").stdout
    for words in ("정답", "호출 1", "내장 엔진은 본문을 직접 분석합니다."):
        assert words in shown


@pytest.mark.loopback
def test_every_prompt_and_reply_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESTED_KEY", "sk-canary")
    with FaultyServer(NO_FAULTS).running() as server:
        engine = {
            "kind": "openai_compatible",
            "model": "tested",
            "base_url": server.url,
            "api_key_env": "TESTED_KEY",
        }
        config = configure(
            tmp_path,
            data={"evaluation": {"name": "reviews", "language": "en", "limit": 1}},
            engines={"default": engine},
            protocol="stage1_only",
            run={"out": str(tmp_path / "runs"), "cache": str(tmp_path / "cache.sqlite")},
        )
        folder = run(config).folder
    calls = rows(folder / TRACES)
    uid = calls[0]["uid"]
    shown = show(folder, uid, "--prompts", width=4000).stdout
    for number, call in enumerate(calls, start=1):
        assert f"Call {number}: " in shown
        for message in call["messages"]:
            assert all(line.strip() in shown for line in message["content"].splitlines())
        assert call["attempts"][-1]["raw"].strip().splitlines()[0] in shown


def test_a_failed_sample_and_text_that_would_steer_the_terminal(tmp_path: Path) -> None:
    made = [failed("bad"), sample([], [TASTE], [TASTE], uid=EVIL)]
    folder = written(hand_run("hand", made), tmp_path / "hand")
    assert "This sample failed" in show(folder, "bad").stdout
    shown = show(folder, EVIL)
    assert shown.exit_code == ExitCode.OK
    assert "\x1b" not in shown.stdout
    assert "\x07" not in shown.stdout


@pytest.mark.parametrize(("limit", "status"), [(1, "stopped"), (1, "running"), (0, "running")])
def test_an_unfinished_run_says_so(limit: int, status: str, tmp_path: Path) -> None:
    config = configure(tmp_path, data={"evaluation": {"name": "reviews", "language": "ko", "limit": 4}})
    run(config, limit=1)
    folder = only_folder(config)
    _make_killed(folder, limit, status)
    listed = show(folder)
    assert listed.exit_code == ExitCode.OK
    assert [line.split()[0] for line in listed.stdout.splitlines()] == ["ko-001"][:limit]
    words = "still running, or killed" if status == "running" else "stopped"
    so_far = f"the run is unfinished ({words}): {limit} of 4 samples are done. Run the same configuration again"
    assert so_far in listed.stderr
    missing = show(folder, "ko-003")
    assert missing.exit_code == ExitCode.NO_INPUT
    assert f"no sample 'ko-003' in the run cr_v2-C1 so far: {so_far}" in missing.stderr
    assert "Did you mean" not in missing.stderr
    assert "실행이 끝나지 않았습니다" in show(folder, "--lang", "ko").stderr


def _make_killed(folder: Path, done: int, status: str) -> None:
    """The folder as a killed process leaves it: the manifest still says what it said at the start."""
    for name in (TRACES, SCORECARDS, OUTPUTS):
        if not done:
            (folder / name).write_bytes(b"")
    said = json.loads((folder / MANIFEST).read_text(encoding="utf-8")) | {"status": status}
    (folder / MANIFEST).write_text(json.dumps(said | {"done": done}), encoding="utf-8")
