"""Runs that ask a real language model on a real server (llama.cpp): slow, killed, still loading, given up too soon.

The same is tested against servers of our own in ``test_outages``, ``test_partial`` and ``test_slow_servers``,
where time is virtual and everything can be tried. Here every reply, refusal and broken connection is the real
server's. Nothing depends on how fast the machine is: what is waited for is seen to happen.

One core reads a prompt of 1,600 tokens in about ten seconds, and one that it has read before in none. So few
texts are asked about, often.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.heartbeat import heartbeat
from samsim.cli.main import cli
from samsim.cli.run_progress import LineWatcher
from samsim.engines.activity import Activity
from samsim.engines.factory import EnginePlan, build_setup
from samsim.experiments.artefacts import OUTPUTS, TRACES
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.projection import SampleLines
from samsim.experiments.runner import run_experiment
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import SampleResult
from tests.experiments.runs import configure, only_folder, rows, run
from tests.servers.gateway import Gateway
from tests.servers.smollm import PATIENCE_SECONDS, MortalSmolLM, asking, bounded, smollm_server
from tests.support.real_model import REAL_MODEL

pytestmark = REAL_MODEL

SOUP, BREAD = "The soup is good.", "The bread is stale."
# Short and within the texts, so that a near tie between two tokens does not decide what is compared.
TRIPLET = {
    "aspect_term": {"enum": ["soup", "bread"]},
    "aspect_ref": {"enum": ["food"]},
    "opinion_term": {"enum": ["good", "stale"]},
    "evidence": {"enum": ["is good", "is stale"]},
}
ONE_TRIPLET, NO_TRIPLET = bounded("triplets", 1, TRIPLET), bounded("triplets", 0, {})
PATIENT = {"timeout_s": PATIENCE_SECONDS, "max_timeout_s": PATIENCE_SECONDS}
# So many in a row that came when nobody else was there.
SETTLED = 8
FAR_TOO_MANY = 400


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with smollm_server() as url, Gateway(url).running() as running:
        yield running


def experiment(folder: Path, texts: list[str], engines: dict[str, Any], protocol: str, **run: Any) -> ExperimentConfig:
    folder.mkdir()
    file = folder / "texts.jsonl"
    lines = (json.dumps({"id": f"s{number}", "text": text}) + "\n" for number, text in enumerate(texts, start=1))
    file.write_text("".join(lines), encoding="utf-8")
    return configure(
        folder,
        data={"evaluation": {"path": str(file), "language": "en"}},
        protocol=protocol,
        pipeline={"answer": "terse"},
        engines=engines,
        run={"out": str(folder / "runs"), "cache": False, **run},
    )


def samsim_run(folder: Path, *arguments: str) -> Result:
    given = ["run", str(folder / "experiment.yaml"), "--no-report", *arguments]
    return CliRunner().invoke(cli, given, prog_name="samsim", env={"COLUMNS": "200"})


def outcomes(folder: Path) -> list[list[tuple[str, str]]]:
    """What became of each call, attempt by attempt."""
    return [[(one["kind"], one["outcome"]) for one in call["attempts"]] for call in rows(folder / TRACES)]


def completeness(folder: Path) -> list[str]:
    return [row["completeness"] for row in rows(folder / OUTPUTS)]


def test_one_lane_loses_nothing_and_ends_at_one_call(gateway: Gateway) -> None:
    gateway.present.clear()
    plan = EnginePlan(engines={"default": asking(gateway.url, **NO_TRIPLET)}, cache=False)
    setup = build_setup(plan, {}, protocol="single")
    results: list[SampleResult] = []

    def texts() -> Iterator[tuple[str, str]]:
        for number in range(FAR_TOO_MANY):
            if gateway.present[-SETTLED:] == [1] * SETTLED:
                return
            yield str(number), SOUP

    async def analyse() -> None:
        pipeline = Pipeline({"protocol": "single", "answer": "terse"}, setup.table)
        async for result in pipeline.astream(texts(), concurrency=setup.concurrency):
            assert isinstance(result, SampleResult), result
            results.append(result)

    asyncio.run(analyse())
    assert setup.concurrency == 16
    assert len(results) < FAR_TOO_MANY
    assert [result.completeness for result in results] == ["complete"] * len(results)
    attempts = [attempt for result in results for call in result.calls for attempt in call.attempts]
    assert {attempt.outcome for attempt in attempts} == {"ok"}
    assert max(gateway.present) > 1, "more were tried"


def test_every_tenth_call_lost_then_retried_is_a_run_without_losses(gateway: Gateway, tmp_path: Path) -> None:
    engines = {"default": asking(gateway.url, max_attempts=1, output_mode="json_schema", **PATIENT, **ONE_TRIPLET)}
    whole, lossy = (
        experiment(
            tmp_path / name, [SOUP, BREAD], engines, "self_consistency:6", cache=str(tmp_path / f"{name}.sqlite")
        )
        for name in ("whole", "lossy")
    )
    run(whole)
    gateway.present.clear()
    gateway.loses = 10
    try:
        lost = samsim_run(tmp_path / "lossy")
    finally:
        gateway.loses = 0
    folder = only_folder(lossy)
    assert len(gateway.present) == 12
    assert gateway.lost == 2
    assert lost.exit_code == ExitCode.SOME_BAD, lost.output
    partial = [row["uid"] for row in rows(folder / OUTPUTS) if row["completeness"] == "partial"]
    assert partial
    assert all(f"{uid} (" in lost.stderr.partition("partial: ")[2] for uid in partial)
    assert sum(call == [("first", "connection")] for call in outcomes(folder)) == gateway.lost
    redone = samsim_run(tmp_path / "lossy", "--retry-errors")
    assert redone.exit_code == ExitCode.OK, redone.output
    assert len(gateway.present) == 14, "what was answered is not asked again"
    assert completeness(folder) == ["complete", "complete"]
    assert all(row["final_tuples"] for row in rows(folder / OUTPUTS))
    assert (folder / OUTPUTS).read_bytes() == (only_folder(whole) / OUTPUTS).read_bytes()


def test_a_timeout_that_is_too_short_grows_or_is_named_and_made_good(gateway: Gateway, tmp_path: Path) -> None:
    def asked_as_c(**limits: Any) -> dict[str, Any]:
        real = asking(gateway.target, output_mode="json_schema", **limits, **ONE_TRIPLET)
        return {"default": {"kind": "embedded"}, "C": real}

    # Nobody reads so many tokens in a second on one core; twenty times twice as long is enough for everybody.
    slow = asked_as_c(timeout_s=1.0, max_timeout_s=PATIENCE_SECONDS, max_attempts=20)
    whole = experiment(tmp_path / "whole", [SOUP], slow, "stage1_only")
    grown = samsim_run(tmp_path / "whole")
    assert grown.exit_code == ExitCode.OK, grown.output
    (attempts,) = (call for call in outcomes(only_folder(whole)) if call[0][1] != "ok")
    assert attempts[0] == ("first", "timeout")
    assert set(attempts[1:-1]) <= {("retry", "timeout")}
    assert attempts[-1] == ("retry", "ok")

    # It takes that long to write a single token.
    hasty = asked_as_c(timeout_s=0.002, max_timeout_s=0.002, max_attempts=1)
    lossy = experiment(tmp_path / "lossy", [SOUP], hasty, "stage1_only")
    lost = samsim_run(tmp_path / "lossy")
    assert lost.exit_code == ExitCode.SOME_BAD, lost.output
    assert "1 of 1 samples is partial: s1 (C at stage 1: timeout); --retry-errors does them again." in lost.stderr
    folder = only_folder(lossy)
    assert completeness(folder) == ["partial"]
    patient = itertools.chain.from_iterable(("--set", f"engines.C.{name}={value}") for name, value in PATIENT.items())
    redone = samsim_run(tmp_path / "lossy", "--retry-errors", *patient)
    assert redone.exit_code == ExitCode.OK, redone.output
    assert completeness(folder) == ["complete"]
    assert (folder / OUTPUTS).read_bytes() == (only_folder(whole) / OUTPUTS).read_bytes()


class Hand(LineWatcher):
    """Shows progress, kills the server when two samples are done, and brings it back once it was said to be away."""

    def __init__(self, server: MortalSmolLM) -> None:
        super().__init__()
        self.server = server
        self.done = 0
        self.kills = 0
        self._seen = Activity()

    def watch_engines(self, activity: Activity) -> None:
        super().watch_engines(activity)
        self._seen = activity

    def sample_done(self, lines: SampleLines) -> None:
        super().sample_done(lines)
        self.done += 1
        if self.done == 2:
            self.server.kill()
            self.kills += 1

    def beat(self) -> None:
        with self._lock:
            super().beat()
            pause = self._seen.pause()
            if pause is None:
                return
            if pause.words.startswith("no connection") and not self.server.is_running:
                self.server.start(is_held=True)
            elif pause.words.endswith("is loading its model") and self.server.is_held:
                self.server.start()


def test_a_server_killed_in_the_middle_and_one_that_loads_fail_no_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with MortalSmolLM(tmp_path / "pipe").running() as server:
        engines = {"default": asking(server.url, **PATIENT, **ONE_TRIPLET)}
        config = experiment(tmp_path / "run", [SOUP] * 6, engines, "single")
        hand = Hand(server)
        server.start(is_held=True)
        with heartbeat(hand.beat):
            outcome = run_experiment(config, watcher=hand)
    folder, place = only_folder(config), server.url.removesuffix("/v1")
    assert (outcome.stopped, outcome.errors, outcome.partial) == (None, 0, 0)
    assert hand.kills == 1
    assert completeness(folder) == ["complete"] * 6
    assert all(call["problem"] is None for call in rows(folder / TRACES))
    said = capsys.readouterr().err
    assert f"0/6, paused: {place} is loading its model for " in said
    assert f"2/6, paused: no connection to {place} for " in said
    assert said.count(f"resumed: {place} is back after ") == 2
    away = [one for call in rows(folder / TRACES) for one in call["attempts"] if one["kind"] == "outage"]
    assert any("Loading model" in one["raw"] for one in away)
    assert {one["outcome"] for one in away} <= {"connection", "server_error"}
