"""kill -9 while four processes append: what was acknowledged stays, nothing is torn, no id is given twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import closing
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

import pytest

from samsim.memory.jsonl.store import JsonlStore
from tests.memory.store_episodes import episode

ROUNDS = 100
WRITERS = 4


def _lean_forks() -> ForkServerContext:
    """Writers forked from a small process: to copy this one, with all that other tests loaded, takes far longer."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["numpy", __name__])
    return context


def _append_until_killed(path: Path, fifo: Path, first: int) -> None:
    acknowledged = os.open(fifo, os.O_WRONLY)
    store = JsonlStore(path)
    number = first
    while True:
        episode_id = store.append(episode(number))
        # One short write to a pipe is whole or absent, also when the writer is killed.
        os.write(acknowledged, f"{episode_id} 배터리 {number}\n".encode())
        number += 1


def _kill(workers: list[ForkServerProcess]) -> None:
    for worker in workers:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
    for worker in workers:
        worker.join()
        assert worker.exitcode == -signal.SIGKILL, "a writer ended by itself"


def _round(path: Path, fifo: Path, number: int, context: ForkServerContext) -> list[str]:
    """Start four writers; kill one, later the others, each time after some acknowledgements; return all of these."""
    workers = [
        context.Process(target=_append_until_killed, args=(path, fifo, (number * WRITERS + worker) * 10_000))
        for worker in range(WRITERS)
    ]
    for worker in workers:
        worker.start()
    # A side to write of our own, so that the first read waits for a writer instead of seeing an end.
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open(fifo, os.O_WRONLY)
    os.set_blocking(reading, True)
    seen = b""
    # How many come first differs from round to round, and with it what the writers are doing.
    for victims, wanted in ((workers[:1], 1 + number % 4), (workers[1:], 4 + number % 6)):
        while seen.count(b"\n") < wanted:
            seen += os.read(reading, 4096)
        _kill(victims)
    os.close(writing)
    while more := os.read(reading, 65_536):
        seen += more
    os.close(reading)
    return seen.decode().splitlines()


@pytest.mark.slow
def test_a_hundred_kills_lose_tear_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    fifo = tmp_path / "acknowledged"
    os.mkfifo(fifo)
    context = _lean_forks()
    acknowledged: dict[str, str] = {}
    for number in range(ROUNDS):
        for line in _round(path, fifo, number, context):
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
