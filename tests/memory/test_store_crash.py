"""kill -9 while four processes append: what was acknowledged stays, nothing is torn, no id is given twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import closing
from multiprocessing.context import ForkProcess
from pathlib import Path

import pytest

from samsim.memory.store_jsonl import JsonlStore
from tests.memory.store_episodes import episode

ROUNDS = 100
WRITERS = 4


def _append_until_killed(path: Path, acknowledged: int, first: int) -> None:
    store = JsonlStore(path)
    number = first
    while True:
        episode_id = store.append(episode(number))
        # One short write to a pipe is whole or absent, also when the writer is killed.
        os.write(acknowledged, f"{episode_id} 배터리 {number}\n".encode())
        number += 1


def _kill(workers: list[ForkProcess]) -> None:
    for worker in workers:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
    for worker in workers:
        worker.join()
        assert worker.exitcode == -signal.SIGKILL, "a writer ended by itself"


def _round(path: Path, number: int) -> list[str]:
    """Start four writers; kill one, later the others, each time after some acknowledgements; return all of these."""
    reading, writing = os.pipe()
    context = multiprocessing.get_context("fork")
    workers = [
        context.Process(target=_append_until_killed, args=(path, writing, (number * WRITERS + worker) * 10_000))
        for worker in range(WRITERS)
    ]
    for worker in workers:
        worker.start()
    os.close(writing)
    seen = b""
    # How many come first differs from round to round, and with it what the writers are doing.
    for victims, wanted in ((workers[:1], 1 + number % 4), (workers[1:], 4 + number % 6)):
        while seen.count(b"\n") < wanted:
            seen += os.read(reading, 4096)
        _kill(victims)
    while more := os.read(reading, 65_536):
        seen += more
    os.close(reading)
    return seen.decode().splitlines()


@pytest.mark.slow
def test_a_hundred_kills_lose_tear_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    acknowledged: dict[str, str] = {}
    for number in range(ROUNDS):
        for line in _round(path, number):
            episode_id, _, aspect = line.partition(" ")
            assert episode_id not in acknowledged, "an id was given twice"
            acknowledged[episode_id] = aspect
    with closing(JsonlStore(path)) as store:
        assert store.verify().ok
        entries = list(store.iterate())
        assert [entry.episode_id for entry in entries] == [f"epi_{seq:06d}" for seq in range(1, len(entries) + 1)]
        stored = {entry.episode_id: entry.stage_snapshot.final.aspects_norm[0] for entry in entries}
        assert {episode_id: stored.get(episode_id) for episode_id in acknowledged} == acknowledged
        assert len(set(stored.values())) == len(stored), "an episode was written twice"
        # A killed writer may have had one episode on the disk that it could not acknowledge any more.
        assert len(stored) - len(acknowledged) <= ROUNDS * WRITERS
        assert len(acknowledged) >= ROUNDS * 4
        assert store.append(episode(1)) == f"epi_{len(entries) + 1:06d}"
