"""Runs that ask a real language model on a real server (llama.cpp): slow, killed, still loading, given up too soon.

The same is tested against servers of our own in ``test_outages``, ``test_partial`` and ``test_slow_servers``,
where time is virtual and everything can be tried. Here every reply, refusal and broken connection is the real
server's. Nothing depends on how fast the machine is: what is waited for is seen to happen.

One core reads a prompt of 1,700 tokens in about ten seconds, and one that it has read before in none. So few
texts are asked about, often.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.cli.progress.bar import LineWatcher
from samsim.cli.progress.heartbeat import heartbeat
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import AdaptiveLimit
from samsim.engines.sending import Sender
from samsim.engines.settings import LOCAL_START, EngineSettings
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from samsim.experiments.artefacts import OUTPUTS, TRACES
from samsim.experiments.config import ExperimentConfig
from samsim.experiments.projection import SampleLines
from samsim.experiments.runner import run_experiment
from samsim.pipeline.api import Pipeline
from samsim.schemas.results import SampleResult
from tests.experiments.runs import configure, only_folder, rows
from tests.servers.gateway import Gateway
from tests.servers.smollm import PATIENCE_SECONDS, MortalSmolLM, asking, bounded, smollm_server
from tests.support.real_model import REAL_MODEL

pytestmark = REAL_MODEL

SOUP, BREAD = "The soup is good.", "The bread is stale."
# A server that reuses what it has read may round otherwise than one that reads it anew, and settle a near tie
# between two tokens otherwise. With two words to choose from there is hardly one.
TRIPLET = {
    "aspect_term": {"enum": ["soup", "bread"]},
    "aspect_ref": {"enum": ["food"]},
    "opinion_term": {"enum": ["good", "stale"]},
    "evidence": {"enum": ["good", "stale"]},
}
ONE_TRIPLET, NO_TRIPLET = bounded("triplets", 1, TRIPLET), bounded("triplets", 0, {})
PATIENT = {"timeout_s": PATIENCE_SECONDS, "max_timeout_s": PATIENCE_SECONDS}
# So many in a row that came when nobody else was there; a window of the limit is as long.
SETTLED = 8
FAR_TOO_MANY = 400
# Of the runs that are disturbed: more than are under way at once at the beginning.
SAMPLES = 4


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    with smollm_server() as url, Gateway(url).running() as running:
        yield running


def only_c(url: str, **settings: Any) -> dict[str, Any]:
    """Of the perspectives only C asks the model, so that each sample is one call to it."""
    return {"default": {"kind": "embedded"}, "C": asking(url, output_mode="json_schema", **settings)}


def experiment(folder: Path, texts: list[str], engines: dict[str, Any]) -> ExperimentConfig:
    folder.mkdir()
    file = folder / "texts.jsonl"
    lines = (json.dumps({"id": f"s{number}", "text": text}) + "\n" for number, text in enumerate(texts, start=1))
    file.write_text("".join(lines), encoding="utf-8")
    return configure(
        folder,
        data={"evaluation": {"path": str(file), "language": "en"}},
        protocol="stage1_only",
        pipeline={"answer": "terse"},
        engines=engines,
        run={"out": str(folder / "runs"), "cache": False},
    )


def samsim_run(folder: Path, *arguments: str) -> Result:
    given = ["run", str(folder / "experiment.yaml"), "--no-report", *arguments]
    return CliRunner().invoke(cli, given, prog_name="samsim", env={"COLUMNS": "200"})


def asked_of_c(folder: Path) -> list[list[tuple[str, str]]]:
    """What became of each call of C, attempt by attempt."""
    calls = (call for call in rows(folder / TRACES) if call["agent"] == "C")
    return [[(one["kind"], one["outcome"]) for one in call["attempts"]] for call in calls]


def completeness(folder: Path) -> list[str]:
    return [row["completeness"] for row in rows(folder / OUTPUTS)]


def test_one_lane_loses_nothing_and_ends_at_one_call(tmp_path: Path) -> None:
    results: list[SampleResult] = []
    with MortalSmolLM(tmp_path / "pipe").running() as server, Gateway(server.url).running() as gateway:
        server.start(is_healthy=True)
        settings = EngineSettings.model_validate(asking(gateway.url, output_mode="json_schema", **NO_TRIPLET))
        # What others do on this machine makes it now fast and now slow; by its own work it is always the same.
        limit = AdaptiveLimit(settings.concurrency, start=LOCAL_START, clock=server.worked)
        engine = ModelEngine(Sender(settings, OpenAIWire(), HttpTransport(), limit=limit))

        texts = ((str(number), SOUP) for number in range(FAR_TOO_MANY))

        async def analyse() -> None:
            pipeline = Pipeline({"protocol": "single", "answer": "terse"}, engine)
            async with aclosing(pipeline.astream(texts, concurrency=settings.concurrency)) as found:
                async for result in found:
                    assert isinstance(result, SampleResult), result
                    results.append(result)
                    if gateway.present[-SETTLED:] == [1] * SETTLED:
                        break
            await engine.aclose()

        asyncio.run(analyse())
    assert settings.concurrency == 16
    assert max(gateway.present) > LOCAL_START, "more were tried"
    assert len(results) < FAR_TOO_MANY
    assert [result.completeness for result in results] == ["complete"] * len(results)
    attempts = [attempt for result in results for call in result.calls for attempt in call.attempts]
    assert {attempt.outcome for attempt in attempts} == {"ok"}


def test_calls_lost_on_the_way_are_named_and_made_good(gateway: Gateway, tmp_path: Path) -> None:
    engines = only_c(gateway.url, max_attempts=1, **PATIENT, **ONE_TRIPLET)
    whole, lossy = (experiment(tmp_path / name, [SOUP] * SAMPLES, engines) for name in ("whole", "lossy"))
    assert samsim_run(tmp_path / "whole").exit_code == ExitCode.OK
    gateway.present.clear()
    gateway.loses = 3
    try:
        ended = samsim_run(tmp_path / "lossy")
    finally:
        gateway.loses = 0
    folder = only_folder(lossy)
    assert ended.exit_code == ExitCode.SOME_BAD, ended.output
    assert asked_of_c(folder).count([("first", "connection")]) == gateway.lost == 2
    partial = [row["uid"] for row in rows(folder / OUTPUTS) if row["completeness"] == "partial"]
    named = ", ".join(f"{uid} (C at stage 1: connection)" for uid in partial)
    assert f"2 of {SAMPLES} samples are partial: {named}; use --retry-errors to run them again." in ended.stderr
    redone = samsim_run(tmp_path / "lossy", "--retry-errors")
    assert redone.exit_code == ExitCode.OK, redone.output
    assert len(gateway.present) == SAMPLES + 2
    assert completeness(folder) == ["complete"] * SAMPLES
    assert all("C" in {one["origin_agent"] for one in row["stage1_tuples"]} for row in rows(folder / OUTPUTS))
    assert (folder / OUTPUTS).read_bytes() == (only_folder(whole) / OUTPUTS).read_bytes()


def test_a_timeout_that_is_too_short_grows_or_is_named_and_made_good(gateway: Gateway, tmp_path: Path) -> None:
    # Nobody reads so many tokens in a second on one core; twenty times twice as long is enough for everybody.
    growing = {"timeout_s": 1.0, "max_timeout_s": PATIENCE_SECONDS, "max_attempts": 20}
    whole = experiment(tmp_path / "whole", [BREAD], only_c(gateway.target, **growing, **ONE_TRIPLET))
    grown = samsim_run(tmp_path / "whole")
    assert grown.exit_code == ExitCode.OK, grown.output
    (attempts,) = asked_of_c(only_folder(whole))
    assert attempts[0] == ("first", "timeout")
    assert set(attempts[1:-1]) <= {("retry", "timeout")}
    assert attempts[-1] == ("retry", "ok")

    # Nobody writes so many tokens in that time.
    hasty = {"timeout_s": 0.01, "max_timeout_s": 0.01, "max_attempts": 2}
    lossy = experiment(tmp_path / "lossy", [BREAD], only_c(gateway.target, **hasty, **ONE_TRIPLET))
    lost = samsim_run(tmp_path / "lossy")
    folder = only_folder(lossy)
    assert lost.exit_code == ExitCode.SOME_BAD, lost.output
    assert asked_of_c(folder) == [[("first", "timeout"), ("retry", "timeout")]]
    assert "1 of 1 sample is partial: s1 (C at stage 1: timeout); use --retry-errors to run them again." in lost.stderr
    assert completeness(folder) == ["partial"]
    patient = itertools.chain.from_iterable(("--set", f"engines.C.{name}={value}") for name, value in PATIENT.items())
    redone = samsim_run(tmp_path / "lossy", "--retry-errors", *patient)
    assert redone.exit_code == ExitCode.OK, redone.output
    assert completeness(folder) == ["complete"]
    assert (folder / OUTPUTS).read_bytes() == (only_folder(whole) / OUTPUTS).read_bytes()


class Hand(LineWatcher):
    """Shows progress, kills the server when a sample is done, and brings it back once it was said to be away."""

    def __init__(self, server: MortalSmolLM) -> None:
        super().__init__()
        self.server = server
        self.done = 0
        self._seen = Activity()

    def watch_engines(self, activity: Activity) -> None:
        super().watch_engines(activity)
        self._seen = activity

    def sample_done(self, lines: SampleLines) -> None:
        super().sample_done(lines)
        self.done += 1
        if self.done == 1:
            self.server.kill()

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
        config = experiment(tmp_path / "run", [SOUP] * SAMPLES, only_c(server.url, **PATIENT, **NO_TRIPLET))
        hand = Hand(server)
        server.start(is_held=True)
        with heartbeat(hand.beat):
            outcome = run_experiment(config, watcher=hand)
        folder, place = only_folder(config), server.url.removesuffix("/v1")
    assert (outcome.stopped, outcome.errors, outcome.partial) == (None, 0, 0)
    assert completeness(folder) == ["complete"] * SAMPLES
    assert all(call["problem"] is None for call in rows(folder / TRACES))
    said = capsys.readouterr().err
    assert f"0/{SAMPLES}, paused: {place} is loading its model for " in said
    assert f"1/{SAMPLES}, paused: no connection to {place} for " in said
    assert said.count(f"resumed: {place} is back after ") == 2
    away = [one for call in rows(folder / TRACES) for one in call["attempts"] if one["kind"] == "outage"]
    assert any("Loading model" in one["raw"] for one in away)
    assert {one["outcome"] for one in away} <= {"connection", "server_error"}
