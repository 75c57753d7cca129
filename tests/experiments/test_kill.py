"""A run that is killed again and again comes to the same end as one that nobody disturbed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samsim.experiments.artefacts import OUTPUTS, STORE, read_run
from samsim.experiments.runner import cell_folders
from tests.experiments.runs import configure, footprint, rows

ROOT = Path(__file__).parents[2]


class Zygote:
    """The forking process and how to ask it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.experiments.zygote"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def run(self, config: Path, kill_at: int | None = None, seed: int = 0) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"config": str(config), "kill_at": kill_at, "seed": seed}) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    forking = Zygote()
    yield forking
    forking.close()


def experiment(folder: Path, protocol: str, condition: str, visibility: str) -> tuple[Path, Path]:
    """The configuration file and the only run folder of a small memory experiment."""
    memory = {"condition": condition, "visibility": visibility}
    config = configure(folder, protocol=protocol, episodic_memory=memory)
    (run_folder,) = cell_folders(config).values()
    return folder / "experiment.yaml", run_folder


CASES = [
    pytest.param("cr_v2", "C2", "sequential", 50, id="cr_v2, sequential"),
    pytest.param("cr_v2", "C2", "epoch:8", 20, id="cr_v2, epochs"),
    pytest.param("debate", "C2", "sequential", 20, id="debate, sequential"),
    pytest.param("debate", "C2_silent", "epoch:8", 10, id="debate, epochs"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "condition", "visibility", "kills"), CASES)
def test_killed_at_random_moments_the_result_is_the_same(
    protocol: str, condition: str, visibility: str, kills: int, tmp_path: Path, zygote: Zygote
) -> None:
    config, undisturbed = experiment(tmp_path / "undisturbed", protocol, condition, visibility)
    whole = zygote.run(config)
    assert whole["status"] == 0
    expected = footprint(undisturbed)
    chance = random.Random(f"{protocol} {condition} {visibility}")
    killed = attempts = 0
    while killed < kills:
        attempts += 1
        config, folder = experiment(tmp_path / f"killed-{attempts}", protocol, condition, visibility)
        status = -1
        while status != 0:
            # Seldom late enough to finish: about one kill per two samples.
            answer = zygote.run(config, chance.randrange(1, whole["calls"] // 12), seed=chance.randrange(10**6))
            status = answer["status"]
            if status != 0:
                assert status == signal.SIGKILL, "the run failed by itself"
                killed += 1
        assert footprint(folder) == expected
        uids = [row["uid"] for row in rows(folder / OUTPUTS)]
        assert len(uids) == len(set(uids)) == read_run(folder).manifest.done
        episodes = [row["episode_id"] for row in rows(folder / STORE)]
        assert len(episodes) == len(set(episodes)) == len(uids)
    assert killed >= kills
