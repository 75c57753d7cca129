"""A disk that is full: a clear error, a store that is as whole as before, and writing again once there is room."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from samsim.errors import StoreError
from samsim.memory.jsonl.journal import RECORD_SIZE
from samsim.memory.jsonl.store import JsonlStore
from samsim.memory.store import canonical_line
from tests.memory.store_episodes import episode, signature

PAGE = os.sysconf("SC_PAGE_SIZE")
LONGEST_SYMPTOM = 800


@contextmanager
def files_may_grow_to(size: int) -> Iterator[None]:
    """As on a full disk, a file takes the bytes that fit and refuses the rest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 256 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here ({mounted.stderr.strip()}); the file-size limit tests still ran")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Take all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * PAGE)
        except OSError:
            return ballast


def append_until_full(store: JsonlStore) -> tuple[int, StoreError]:
    """How many episodes went in, and the error of the one that did not."""
    written = 0
    while True:
        try:
            store.append(episode(written))
        except StoreError as error:
            return written, error
        written += 1


def assert_whole(path: Path, episodes: int) -> None:
    with closing(JsonlStore(path)) as store:
        report = store.verify()
        assert (report.ok, report.episodes, report.last_seq) == (True, episodes, episodes)
        assert report.notices == ()
        assert len(list(store.iterate())) == episodes
        assert len(store.query(signature(1), "품질", 2)) == min(2, episodes)


def test_a_file_that_may_not_grow_gives_an_error_and_keeps_the_store(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    with closing(JsonlStore(path)) as store:
        for number in (1, 61):
            store.append(episode(number))
        size = path.stat().st_size
        line = canonical_line(episode(121).with_id("epi_000003")) + b"\n"
        for room in (0, 1, len(line) // 2, len(line) - 1):
            with files_may_grow_to(size + room), pytest.raises(StoreError, match=r"too large; nothing was added"):
                store.append(episode(121))
            assert path.stat().st_size == size
            assert_whole(path, 2)
        with files_may_grow_to(size + len(line)):
            assert store.append(episode(121)) == "epi_000003"
    assert_whole(path, 3)


def test_an_import_that_does_not_fit_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    lines = [canonical_line(episode(61 * number).with_id(f"epi_{number:06d}")) for number in range(2, 3000)]
    with closing(JsonlStore(path)) as store:
        store.append(episode(1))
        with files_may_grow_to(2 << 20), pytest.raises(StoreError, match="nothing was added"):
            store.import_(lines)
        assert_whole(path, 1)
        assert store.import_(lines) == len(lines)
    assert_whole(path, 1 + len(lines))


def test_an_index_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store.jsonl"
    with closing(JsonlStore(path)) as store:
        store.import_(canonical_line(episode(n).with_id(f"epi_{n:06d}")) for n in range(1, 501))
        with files_may_grow_to(100):
            assert len(store.query(signature(1), "품질", 3)) == 3
            store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "store.jsonl",
        "store.jsonl.journal",
        "store.jsonl.lock",
    ]
    assert_whole(path, 500)


def test_a_full_disk_gives_an_error_and_keeps_the_store(small_disk: Path) -> None:
    path = small_disk / "store.jsonl"
    with closing(JsonlStore(path)) as store:
        written, failure = append_until_full(store)
        assert written > 10
        assert f"No space left on device; nothing was added, its {written} episodes are intact" in str(failure)
        with pytest.raises(StoreError, match=f"its {written} episodes are intact"):
            store.append(episode(1))
    assert_whole(path, written)


def test_a_disk_too_full_for_the_journal_takes_the_line_back(small_disk: Path) -> None:
    """The line still fits into its block, its record does not: the line must not stay."""
    path = small_disk / "store.jsonl"
    block_full = PAGE // RECORD_SIZE - 1
    with closing(JsonlStore(path)) as store:
        for _ in range(block_full - 4):
            store.append(episode(1))
        line = len(canonical_line(episode(1).with_id("epi_000001"))) + 1
        for left in (4, 3, 2, 1):
            # Long lines until the log's last block has room for one more short line.
            fits = (path.stat().st_size + left * line) % PAGE + line < PAGE
            store.append(episode(1) if fits else episode(1, "x" * LONGEST_SYMPTOM))
        size = path.stat().st_size
        assert size % PAGE + line < PAGE
        assert path.with_name("store.jsonl.journal").stat().st_size == PAGE
        ballast = fill(small_disk)
        with pytest.raises(StoreError, match="No space left"):
            store.append(episode(1))
        assert path.stat().st_size == size
        assert_whole(path, block_full)
        ballast.unlink()
        assert store.append(episode(1)) == f"epi_{block_full + 1:06d}"
    assert_whole(path, block_full + 1)


def test_a_torn_line_on_a_full_disk_does_not_keep_anyone_from_reading(small_disk: Path) -> None:
    path = small_disk / "store.jsonl"
    with closing(JsonlStore(path)) as store:
        store.append(episode(1))
    with path.open("ab") as file:
        file.write(b"torn")
    ballast = fill(small_disk)
    with closing(JsonlStore(path)) as store:
        assert "reading only: No space left" in store.notices[0]
        assert store.get("epi_000001") is not None
        assert store.verify().ok
        with pytest.raises(StoreError, match="only be opened for reading"):
            store.append(episode(2))
    ballast.unlink()
    with closing(JsonlStore(path)) as store:
        assert store.append(episode(2)) == "epi_000002"
        assert path.with_name("store.jsonl.torn-1").read_bytes() == b"torn"
