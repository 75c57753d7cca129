"""Servers that are away, as whoever runs a command meets them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("aiohttp", reason="engines that ask a model need the extra: pip install 'samsim[llm]'")

from click.testing import CliRunner, Result

from samsim.cli.exit_codes import ExitCode
from samsim.cli.main import cli
from samsim.experiments.artefacts import OUTPUTS, read_run
from tests.experiments.runs import rows
from tests.servers.mortal import MortalServer, VirtualTime

pytestmark = pytest.mark.loopback

ENGLISH = "The soup was cold."


def samsim(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="samsim")


def engine(server: MortalServer) -> dict[str, Any]:
    model = {"kind": "openai_compatible", "model": "m", "base_url": server.url, "max_attempts": 1}
    return {"default": model | {"output_mode": "json_schema"}}


def experiment(folder: Path, server: MortalServer, **run: Any) -> Path:
    settings = {
        "name": "tested",
        "data": {"evaluation": {"name": "reviews", "language": "en", "limit": 4}},
        "engines": engine(server),
        "run": {"out": str(folder / "runs"), "cache": False} | run,
    }
    (folder / "tested.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return folder / "tested.yaml"


def plan(folder: Path, server: MortalServer, max_outage: float) -> Path:
    settings = {"engines": engine(server), "cache": False, "max_outage": max_outage}
    (folder / "engines.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return folder / "engines.yaml"


@pytest.fixture
def server() -> Iterator[MortalServer]:
    # Its time stands still: what is dead stays dead until it is revived.
    with MortalServer(VirtualTime(), is_graceful=True).running() as running:
        yield running


def test_a_run_without_its_server_stops_and_resumes_when_it_is_there(server: MortalServer, tmp_path: Path) -> None:
    config = experiment(tmp_path, server)
    server.kill()
    stopped = samsim("run", config)
    assert stopped.exit_code == ExitCode.STOPPED, stopped.output
    place = server.url.removesuffix("/v1")
    assert f"stopped: {place} cannot be reached; start the server, or correct base_url. Run the" in stopped.stderr
    assert rows(tmp_path / "runs" / "tested" / OUTPUTS) == []
    server.revive()
    done = samsim("run", config)
    assert done.exit_code == ExitCode.OK, done.output
    assert "finished, 4/4" in done.stderr
    assert "unknown" not in done.stderr, "a server on this machine has no price, and nobody asks for it"


def test_a_server_that_stays_away_stops_the_run_after_max_outage(server: MortalServer, tmp_path: Path) -> None:
    config = experiment(tmp_path, server, max_outage=0.02, concurrency=1)
    server.deaths = (8,)
    stopped = samsim("run", config)
    assert stopped.exit_code == ExitCode.STOPPED, stopped.output
    assert "for 0.02 s (max_outage)" in stopped.stderr
    folder = tmp_path / "runs" / "tested"
    done = read_run(folder).manifest.done
    assert 0 < done < 4
    assert not any("error" in row for row in rows(folder / OUTPUTS))
    server.revive()
    resumed = samsim("run", config)
    assert resumed.exit_code == ExitCode.OK, resumed.output
    assert f"resumed at {done + 1} of 4" in resumed.stderr


def test_without_max_outage_samples_fail_as_they_did(server: MortalServer, tmp_path: Path) -> None:
    config = experiment(tmp_path, server, max_outage=0)
    server.kill()
    assert samsim("run", config).exit_code == ExitCode.SOME_BAD
    assert all("error" in row for row in rows(tmp_path / "runs" / "tested" / OUTPUTS))


def test_a_loading_server_stops_a_run_by_max_outage_and_a_single_text_at_once(
    server: MortalServer, tmp_path: Path
) -> None:
    server.kill()
    server.loading = 1.0
    server.revive()
    stopped = samsim("run", experiment(tmp_path, server, max_outage=0.02))
    assert stopped.exit_code == ExitCode.STOPPED, stopped.output
    assert "is loading its model for 0.02 s" in stopped.stderr
    begun = time.monotonic()
    alone = samsim("analyze", "--engine", plan(tmp_path, server, 600.0), ENGLISH)
    assert alone.exit_code == ExitCode.ENGINE, alone.output
    assert time.monotonic() - begun < 300, "it did not wait for max_outage"


def test_a_file_of_reviews_stops_when_the_server_stays_away_and_keeps_what_it_has(
    server: MortalServer, tmp_path: Path
) -> None:
    reviews = tmp_path / "reviews.txt"
    reviews.write_text(f"{ENGLISH}\n" * 8, encoding="utf-8")
    server.deaths = (8,)
    options = "--engine", plan(tmp_path, server, 0.02), "--concurrency", 1, "-o", tmp_path / "out.jsonl"
    ended = samsim("analyze", "--file", reviews, *options)
    assert ended.exit_code == ExitCode.ENGINE, ended.output
    assert "(max_outage). Run it again when the server is back." in ended.stderr
    assert "line " not in ended.stderr, "no row is failed for it"
    assert 0 < len(rows(tmp_path / "out.jsonl.partial")) < 8
