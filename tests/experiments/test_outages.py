"""Runs over a server that dies and comes back, in virtual time: nothing is lost, nothing is failed, all is resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from samsim.data.shipped import load_reviews
from samsim.engines.factory import EngineSetup
from samsim.engines.model_engine import ModelEngine
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import SpendingLimit
from samsim.engines.pacing.outage import Outage, server_of
from samsim.engines.sending import Sender
from samsim.engines.settings import EngineSettings
from samsim.engines.table import EngineTable
from samsim.engines.transport.http import HttpTransport
from samsim.engines.wire.openai import OpenAIWire
from samsim.experiments.artefacts import OUTPUTS, TRACES, read_run
from samsim.experiments.config import Cell, ExperimentConfig
from samsim.experiments.runner import EngineSource
from tests.experiments.engines import FailingEngine, serving
from tests.experiments.runs import configure, only_folder, rows, run, store_hash
from tests.servers.mortal import MortalServer, VirtualTime

pytestmark = pytest.mark.loopback

MANY = 200
FEW = 8


@pytest.fixture
def server() -> Iterator[MortalServer]:
    with MortalServer(VirtualTime()).running() as running:
        yield running


def asking(server: MortalServer, max_outage: float = 600.0) -> EngineSource:
    """Engines as a plan makes them, but for the time: one for all agents."""

    def source(_cell: Cell, spending: SpendingLimit) -> EngineSetup:
        time = server.time
        settings = EngineSettings(
            kind="openai_compatible", model="m", base_url=server.url, output_mode="json_schema", max_attempts=2
        )
        outage = Outage(server_of(settings), max_outage, Activity(time.clock), time.clock, time.sleep)
        sender = Sender(settings, OpenAIWire(), HttpTransport(), outage=outage, clock=time.clock, sleep=time.sleep)
        table = EngineTable.of(ModelEngine(sender))
        return EngineSetup(table=table, settings=(settings,), spending=spending, activity=outage.activity)

    return source


def with_memory(folder: Path) -> ExperimentConfig:
    return configure(
        folder,
        data={"evaluation": {"name": "reviews", "language": "en", "limit": FEW}},
        episodic_memory={"condition": "C2", "visibility": "epoch:4"},
    )


def many(folder: Path) -> ExperimentConfig:
    texts = [one.text for one in load_reviews() if one.language == "en"]
    folder.mkdir()
    file = folder / "many.jsonl"
    lines = ({"id": f"{number:03}", "text": f"{texts[number % len(texts)]} {number}"} for number in range(MANY))
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return configure(folder, data={"evaluation": {"path": str(file), "language": "en"}}, protocol="single")


def test_two_hundred_samples_and_two_outages_of_thirty_seconds_lose_nothing(
    server: MortalServer, tmp_path: Path
) -> None:
    whole = many(tmp_path / "whole")
    assert run(whole, asking(server)).errors == 0
    server.deaths = server.requests + 60, server.requests + 150
    disturbed = many(tmp_path / "disturbed")
    before = server.time.now
    outcome = run(disturbed, asking(server))
    assert (outcome.stopped, outcome.errors) == (None, 0)
    assert server.time.now - before >= 2 * server.dead_for
    folders = only_folder(whole), only_folder(disturbed)
    assert len(rows(folders[1] / OUTPUTS)) == MANY
    assert (folders[1] / OUTPUTS).read_bytes() == (folders[0] / OUTPUTS).read_bytes()
    calls = rows(folders[1] / TRACES)
    outages = [attempt for call in calls for attempt in call["attempts"] if attempt["kind"] == "outage"]
    assert outages
    assert all(sum(attempt["kind"] == "outage" for attempt in call["attempts"]) <= 2 for call in calls)
    assert {call["problem"] for call in calls} == {None}


@pytest.mark.parametrize("death", [2, 7, 20])
def test_max_outage_stops_cleanly_and_the_next_start_resumes_to_the_same_bytes(
    death: int, server: MortalServer, tmp_path: Path
) -> None:
    whole, broken = with_memory(tmp_path / "whole"), with_memory(tmp_path / "broken")
    run(whole, asking(server), concurrency=2)
    server.deaths, server.dead_for = (server.requests + death,), 10_000.0
    stopped = run(broken, asking(server, max_outage=60.0), concurrency=2)
    place = server.url.removesuffix("/v1")
    assert stopped.stopped == f"no connection to {place} for 60 s (max_outage)"
    assert stopped.errors == 0
    folder = only_folder(broken)
    manifest = read_run(folder).manifest
    assert (manifest.status, manifest.stop_reason) == ("stopped", stopped.stopped)
    assert manifest.done == len(rows(folder / OUTPUTS)) < FEW
    assert not any("error" in row for row in rows(folder / OUTPUTS))
    assert all(call["problem"] is None for call in rows(folder / TRACES))
    server.revive()
    assert run(broken, asking(server)).stopped is None
    assert (folder / OUTPUTS).read_bytes() == (only_folder(whole) / OUTPUTS).read_bytes()
    assert store_hash(folder) == store_hash(only_folder(whole))


def test_a_server_that_was_never_there_stops_the_run_before_anything_is_failed(
    server: MortalServer, tmp_path: Path
) -> None:
    config = with_memory(tmp_path)
    server.kill()
    outcome = run(config, asking(server))
    assert outcome.stopped is not None
    assert "cannot be reached" in outcome.stopped
    assert outcome.errors == 0
    assert rows(only_folder(config) / OUTPUTS) == []
    assert server.time.now < 60
    server.revive()
    assert run(config, asking(server)).stopped is None
    assert len(rows(only_folder(config) / OUTPUTS)) == FEW


def test_a_server_that_is_still_loading_is_waited_for(server: MortalServer, tmp_path: Path) -> None:
    config = with_memory(tmp_path)
    server.kill()
    server.loading = 90.0
    server.revive()
    outcome = run(config, asking(server))
    assert (outcome.stopped, outcome.errors) == (None, 0)
    assert len(rows(only_folder(config) / OUTPUTS)) == FEW


# --- too many failures -------------------------------------------------------------------------------


@pytest.mark.parametrize(("broken", "stops"), [(4, False), (5, True)])
def test_a_start_of_few_samples_is_held_to_max_error_rate_when_it_is_through(
    broken: int, stops: bool, tmp_path: Path
) -> None:
    config = with_memory(tmp_path)
    bad = {f"en-{number:03}" for number in range(1, broken + 1)}
    outcome = run(config, serving(lambda _: FailingEngine(bad)), max_error_rate=0.5)
    assert outcome.errors == broken
    assert len(rows(only_folder(config) / OUTPUTS)) == FEW, "all of them are done: a few say little on the way"
    assert (outcome.stopped is not None) == stops
    if stops:
        assert outcome.stopped is not None
        assert "5 of 8 samples failed, more than max_error_rate 0.5" in outcome.stopped
        assert run(config, serving(lambda _: FailingEngine(set())), retry_errors=True).stopped is None
