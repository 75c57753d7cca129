"""Lost calls: every sample that was decided without some of them says so, is counted, and can be done again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.engines.embedded.engine import EmbeddedEngine
from samsim.engines.interface import EngineReply, EngineRequest
from samsim.experiments.artefacts import read_run
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.runner import cell_folders
from samsim.schemas.protocol_conflict_review import AGENTS
from tests.experiments.engines import serving
from tests.experiments.runs import configure, footprint, only_folder, rows, run, store_hash, timeless_cards
from tests.servers.chat_requests import Asked
from tests.servers.faults import NO_FAULTS, Fault, FaultPlan
from tests.servers.faulty import FaultyServer

pytestmark = pytest.mark.loopback

SAMPLES = 12
# With one attempt a call, whatever fails once is lost, and is answered when it is asked again.
LOST = (Fault("server_error", "server_error"),)
EVERY_TENTH = FaultPlan(0.1, LOST, seed=3)


def losing(reaches: Callable[[Asked], bool]) -> FaultPlan:
    return FaultPlan(1.0, LOST, reaches=reaches)


def lost_c(asked: Asked) -> bool:
    return (asked.agent, asked.stage) == ("C", "stage1")


def asking(server: FaultyServer, folder: Path, samples: int = SAMPLES, **changes: Any) -> ExperimentConfig:
    engine = {"kind": "openai_compatible", "model": "tested", "base_url": server.url, "max_attempts": 1}
    settings = {
        "data": {"evaluation": {"name": "reviews", "language": "en", "limit": samples}},
        "engines": {"default": engine},
        "run": {"out": str(folder / "runs"), "cache": str(folder / "cache.sqlite")},
    }
    return configure(folder, **(settings | changes))


def without_losses(server: FaultyServer, folder: Path, **changes: Any) -> Path:
    """The same run by the same server, which does not know of it afterwards."""
    config = asking(server, folder, **changes)
    run(config)
    server.served.clear()
    return only_folder(config)


def partial_in(folder: Path) -> dict[str, str]:
    """The samples that say they are partial, with what they say is missing."""
    return {
        row["uid"]: ", ".join(f"{call['agent']} {call['stage']} {call['problem']}" for call in row["missing_calls"])
        for row in rows(folder / "outputs.jsonl")
        if row["completeness"] == "partial"
    }


def samsim(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="samsim", env={"COLUMNS": "200"})


MEMORY = {"condition": "C2"}
BY_EPOCH = {"condition": "C2", "visibility": "epoch:4"}


@pytest.mark.parametrize(
    ("protocol", "memory"),
    [
        ("cr_v2", None),
        ("cr_v2", MEMORY),
        ("debate", None),
        ("debate", MEMORY),
        ("stage1_only", None),
        ("self_consistency:3", None),
    ],
)
def test_every_tenth_call_lost_then_retried_is_a_run_without_losses(
    protocol: str, memory: dict[str, str] | None, tmp_path: Path
) -> None:
    changes: dict[str, Any] = {"protocol": protocol} | ({} if memory is None else {"episodic_memory": memory})
    with FaultyServer(NO_FAULTS).running() as server:
        whole = without_losses(server, tmp_path / "whole", **changes)
        server.plan = EVERY_TENTH
        config = asking(server, tmp_path / "lossy", **changes)
        folder, lost = only_folder(config), run(config)
        partial = partial_in(folder)
        assert partial
        assert server.faults["server_error"] >= len(partial)
        assert (lost.partial, read_run(folder).manifest.partial) == (len(partial), len(partial))
        assert run(config).partial == len(partial), "they are not done again by themselves"
        tries = 0
        while (ended := run(config, retry_errors=True)).partial or ended.errors:
            # With other turns before it a turn is another question, which may be lost as well.
            tries += 1
            assert tries < 4
        asked = server.requests
        run(config, retry_errors=True)
        assert server.requests == asked, "nothing is left to be done again"
        stage1 = [attempts for one, attempts in server.served.items() if one.stage == "stage1" and one.agent in AGENTS]
        assert all(attempts.count(None) <= 1 for attempts in stage1), "what was answered is not paid for again"
    assert (folder / "outputs.jsonl").read_bytes() == (whole / "outputs.jsonl").read_bytes()
    assert store_hash(folder) == store_hash(whole)


def test_a_single_call_that_is_lost_is_a_failed_sample(tmp_path: Path) -> None:
    with FaultyServer(EVERY_TENTH).running() as server:
        config = asking(server, tmp_path, protocol="single")
        outcome = run(config)
        assert (outcome.errors > 0, outcome.partial) == (True, 0)
        said = {row["completeness"] for row in rows(only_folder(config) / "outputs.jsonl")}
        assert said == {"complete", "failed"}
        assert (run(config, retry_errors=True).errors, outcome.partial) == (0, 0)


def test_a_lost_perspective_is_not_silent(tmp_path: Path) -> None:
    with FaultyServer(losing(lost_c)).running() as server:
        config = asking(server, tmp_path, samples=3)
        ended = samsim("run", tmp_path / "experiment.yaml")
        folder = only_folder(config)
        assert ended.exit_code == ExitCode.SOME_BAD
        named = ", ".join(f"en-{number:03d} (C at stage 1: server_error)" for number in (1, 2, 3))
        assert f"3 of 3 samples are partial: {named}; use --retry-errors to run them again." in ended.stderr
        assert "finished, 3/3, 3 partial\n" in ended.stderr
        assert "sample en-001 is partial: C at stage 1: server_error" in ended.stderr
        measured = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["runs"][0]["metrics"]
        assert (measured["partial"], measured["errors"]) == (3, 0)
        assert measured["partial_samples"] == {f"en-{n:03d}": "C at stage 1: server_error" for n in (1, 2, 3)}
        assert [card["completeness"] for card in rows(folder / "scorecards.jsonl")] == ["partial"] * 3
        samples = list(read_run(folder).samples())
        assert [sample.completeness for sample in samples] == ["partial"] * 3
        assert samples[0].result is not None
        assert list(map(str, samples[0].result.missing_calls)) == ["C at stage 1: server_error"]
        again = samsim("run", tmp_path / "experiment.yaml", "--no-report")
        assert again.exit_code == ExitCode.SOME_BAD, "a run that is done before is as partial as it was"
        assert named in again.stderr
        redone = samsim("run", tmp_path / "experiment.yaml", "--retry-errors")
        assert redone.exit_code == ExitCode.OK, redone.stderr
        assert "is partial" not in redone.stderr
        assert "are partial" not in redone.stderr


def test_failed_samples_are_all_named_in_the_measures_and_the_terminal_says_where(tmp_path: Path) -> None:
    with FaultyServer(losing(lambda _: True)).running() as server:
        config = asking(server, tmp_path, samples=25, protocol="single")
        ended = samsim("run", tmp_path / "experiment.yaml")
    folder = only_folder(config)
    uids = [row["uid"] for row in rows(folder / "outputs.jsonl")]
    assert ended.exit_code == ExitCode.SOME_BAD
    where = folder / "outputs.jsonl"
    named = f"25 of 25 samples failed: {', '.join(uids[:20])} and 5 more ({where} names them all)"
    assert named in ended.stderr
    measured = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["runs"][0]["metrics"]
    assert list(measured["failed_samples"]) == uids
    assert all("server_error" in error for error in measured["failed_samples"].values())


@pytest.mark.parametrize(
    ("protocol", "agent", "stage"),
    [
        ("cr_v2", "A", "stage1"),
        ("cr_v1", "B", "review"),
        ("debate", "ATE", "stage1"),
        ("debate", "VALIDATOR", "stage1"),
        ("debate", "TAN", "debate"),
        ("debate", "JUDGE", "judge"),
        ("debate", "STAGE2", "stage2"),
    ],
)
def test_whichever_call_is_lost_is_named(protocol: str, agent: str, stage: str, tmp_path: Path) -> None:
    with FaultyServer(losing(lambda asked: (asked.agent, asked.stage) == (agent, stage))).running() as server:
        config = asking(server, tmp_path, protocol=protocol)
        outcome = run(config)
        partial = partial_in(only_folder(config))
    lost = {asked.text for asked, attempts in server.served.items() if any(attempts)}
    texts = {sample.uid: sample.result.text for sample in read_run(only_folder(config)).samples() if sample.result}
    assert lost
    assert {texts[uid] for uid in partial} == lost
    assert set(partial.values()) == {f"{agent} {stage} server_error"}
    assert outcome.errors == 0


def test_on_partial_fail_makes_them_failed_samples(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"pipeline": {"on_partial": "fail"}, "episodic_memory": BY_EPOCH}
    with FaultyServer(NO_FAULTS).running() as server:
        whole = without_losses(server, tmp_path / "whole", **changes)
        server.plan = EVERY_TENTH
        config = asking(server, tmp_path / "lossy", **changes)
        folder, outcome = only_folder(config), run(config)
        failed = [row for row in rows(folder / "outputs.jsonl") if row["completeness"] == "failed"]
        assert (outcome.errors, outcome.partial) == (len(failed), 0)
        assert failed
        assert all(" is partial (" in row["error"] and "on_partial is fail" in row["error"] for row in failed)
        while run(config, retry_errors=True).errors:
            assert server.requests < 1000
    assert (folder / "outputs.jsonl").read_bytes() == (whole / "outputs.jsonl").read_bytes()
    assert store_hash(folder) == store_hash(whole)


def test_on_partial_is_part_of_what_decides_a_run(tmp_path: Path) -> None:
    keep, fail = (configure(tmp_path, pipeline={"on_partial": value}) for value in ("keep", "fail"))
    assert keep.config_hash() != fail.config_hash()
    assert keep.config_hash() == configure(tmp_path).config_hash()


def test_a_partial_sample_is_not_replaced_by_a_failure(tmp_path: Path) -> None:
    with FaultyServer(losing(lost_c)).running() as server:
        config = asking(server, tmp_path, samples=2, run={"out": str(tmp_path / "runs"), "cache": False})
        run(config)
        before = (only_folder(config) / "outputs.jsonl").read_bytes()
        server.served.clear()
        server.plan = losing(lambda _: True)
        assert run(config, retry_errors=True).partial == 2
        assert (only_folder(config) / "outputs.jsonl").read_bytes() == before


def test_analyze_says_what_is_missing(tmp_path: Path) -> None:
    with FaultyServer(losing(lost_c)).running() as server:
        engine = {"kind": "openai_compatible", "model": "tested", "base_url": server.url, "max_attempts": 1}
        plan = tmp_path / "engine.yaml"
        plan.write_text(json.dumps({"engines": {"default": engine}, "cache": False}), encoding="utf-8")
        text = "The screen is great, but the battery isn't."
        shown = samsim("analyze", "--engine", plan, "--ui", "en", text)
        assert shown.exit_code == ExitCode.SOME_BAD
        assert "Partial result: C · P-LIT (literal) gave no answer in Stage 1: server_error" in shown.stdout
        assert shown.stderr == "partial: C at stage 1: server_error\n"
        assert samsim("analyze", "--engine", plan, text).exit_code == ExitCode.OK, "now it is answered"
        server.served.clear()
        told = samsim("analyze", "--engine", plan, "--json", text)
        assert (told.exit_code, told.stderr) == (ExitCode.SOME_BAD, "partial: C at stage 1: server_error\n")
        assert json.loads(told.stdout)["completeness"] == "partial"
        server.served.clear()
        reviews = tmp_path / "reviews.txt"
        reviews.write_text(f"{text}\nThe staff was rude.\n", encoding="utf-8")
        for name in ("out.csv", "out.jsonl"):
            server.served.clear()
            ended = samsim("analyze", "--engine", plan, "--file", reviews, "-o", tmp_path / name)
            assert ended.exit_code == ExitCode.SOME_BAD
            assert "line 1: partial: C at stage 1: server_error" in ended.stderr
            assert "2 analyzed, 2 partial, 0 bad" in ended.stderr
            assert (tmp_path / name).read_text(encoding="utf-8").count("partial") >= 2


def test_reports_and_comparisons_count_partial_samples_or_leave_them_out(tmp_path: Path) -> None:
    places = {"out": str(tmp_path / "runs"), "cache": False}
    with FaultyServer(losing(lambda asked: lost_c(asked) and "though" in asked.text)).running() as server:
        config = asking(server, tmp_path, matrix={"protocol": ["cr_v2", "single"]}, run=places)
        run(config)
    folder = tmp_path / "runs" / "tested"
    lossy = len(partial_in(cell_folders(config)["cr_v2-C1"]))
    assert 0 < lossy < SAMPLES
    shown = samsim("report", folder)
    assert shown.exit_code == ExitCode.SOME_BAD, "numbers stand on partial samples"
    assert f"partial: cr_v2-C1: {lossy} of {SAMPLES} samples" in shown.stdout
    assert f"partial: cr_v2-C1: {lossy} of {SAMPLES} samples" in samsim("report", folder, "--quiet").stderr
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert f"{lossy} of {SAMPLES} samples are partial" in page
    assert f"샘플 {SAMPLES}개 가운데 {lossy}개는" in page
    assert f"{SAMPLES} ({lossy} partial)" in (folder / "paper" / "main.md").read_text(encoding="utf-8")
    compared = samsim("compare", folder)
    assert compared.exit_code == ExitCode.SOME_BAD
    assert (
        f"partial (calls were lost) and counted: cr_v2-C1 {lossy}; use --complete-only to leave them out"
        in compared.stdout
    )
    rest = samsim("compare", folder, "--complete-only", "--json")
    assert rest.exit_code == ExitCode.OK
    comparison = json.loads(rest.stdout)
    assert (comparison["samples"], len(comparison["left_out"]), comparison["partial"]) == (SAMPLES - lossy, lossy, [])
    complete = samsim("report", folder, "--complete-only")
    assert complete.exit_code == ExitCode.OK
    assert "Partial samples count as failed." in " ".join(complete.stdout.split())
    measured = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["runs"][0]["metrics"]
    assert (measured["errors"], measured["partial"], measured["scored"]) == (lossy, 0, SAMPLES - lossy)


def test_a_sample_that_fails_late_leaves_nothing_in_a_memory_that_a_resumed_run_would_lack(tmp_path: Path) -> None:
    """It asked memory before it failed: with shuffled advice the next one would be given what it had asked for."""
    settings = {
        "data": {
            "evaluation": {"name": "reviews", "language": "en", "limit": 12},
            "memory": {"name": "reviews_memory", "language": "en", "limit": 4},
        },
        "pipeline": {"on_partial": "fail"},
        "episodic_memory": {"condition": "C2_shuffled"},
    }
    whole, resumed = (configure(tmp_path / name, **settings) for name in ("whole", "resumed"))
    engine = serving(lambda _: WithoutC())
    assert run(whole, engine).errors > 0
    for limit in (3, 6, 9):
        run(resumed, engine, limit=limit)
    run(resumed, engine)
    for first, second in zip(cell_folders(whole).values(), cell_folders(resumed).values(), strict=True):
        assert footprint(first) == footprint(second)
    cards = timeless_cards(first)
    assert any(card["memory"] and card["memory"]["retrieved_k"] for card in cards)


class WithoutC:
    """The embedded engine, which loses C for every third sample."""

    name = "without-c"

    def __init__(self) -> None:
        self._engine = EmbeddedEngine()

    async def complete(self, request: EngineRequest) -> EngineReply:
        if request.agent == "C" and request.uid.startswith("en-") and int(request.uid[3:]) % 3 == 0:
            return EngineReply(None, "timeout")
        return await self._engine.complete(request)
