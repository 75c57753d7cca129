"""The cache among several processes and in broken files: nothing is lost in silence."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samsim.engines import cache as cache_module
from samsim.engines.cache import FLUSH_PUTS, ResponseCache
from samsim.errors import ConfigError, EngineError
from tests.support.cached_replies import REPLY, committed, export_line, key, no_bad_line


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "replies.sqlite"


# --- several processes


_CHILD = """
import asyncio, sys
from pathlib import Path
from samsim.engines.cache import CachedReply, ResponseCache

async def main():
    cache = ResponseCache(Path(sys.argv[1]))
    first, last = int(sys.argv[2]), int(sys.argv[3])
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(first, last):
        key = f"{number:064x}"
        if cache.get(key) is None:
            cache.put(key, CachedReply(text=f"reply {number}", finish="stop", mode="tool"))
        await asyncio.sleep(0)
    if sys.argv[4] == "close":
        await cache.aclose()
    print("done", flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


def _child(path: Path, first: int, last: int, then: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path), str(first), str(last), then],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _expect(child: subprocess.Popen[str], word: str) -> None:
    assert child.stdout is not None
    assert child.stdout.readline().strip() == word


def _go_on(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def test_several_processes_share_a_new_file_and_lose_nothing(path: Path) -> None:
    ranges = [(0, 300), (200, 500), (400, 700), (0, 700)]
    children = [_child(path, first, last, "close") for first, last in ranges]
    for child in children:
        _expect(child, "ready")
    for child in children:
        _go_on(child)
    for child in children:
        _expect(child, "done")
        child.communicate("\n")
        assert child.returncode == 0
    kept = committed(path)
    assert {key: reply["text"] for key, reply in kept.items()} == {key(n): f"reply {n}" for n in range(700)}


def test_a_file_that_becomes_a_cache_while_it_is_looked_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.0)
    really_connect = sqlite3.connect
    interrupted: list[str] = []

    def faster_process(statement: str) -> None:
        if "user_version" not in statement or interrupted:
            return
        monkeypatch.setattr(sqlite3, "connect", really_connect)
        other = ResponseCache(path)
        try:
            other.open()
            interrupted.append("created")
        except (ConfigError, EngineError):
            interrupted.append("had to wait")
        other.close()

    def watched_connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = really_connect(*arguments, **options)
        connection.set_trace_callback(faster_process)
        return connection

    monkeypatch.setattr(sqlite3, "connect", watched_connect)
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    kept.close()
    assert interrupted == ["had to wait"]
    assert list(committed(path)) == [key(1)]


def test_a_killed_process_keeps_what_it_committed(path: Path) -> None:
    child = _child(path, 0, FLUSH_PUTS + 5, "stay")
    _expect(child, "ready")
    _go_on(child)
    _expect(child, "done")
    child.send_signal(signal.SIGKILL)
    child.communicate()
    kept = ResponseCache(path)
    assert all(kept.get(key(number)) is not None for number in range(FLUSH_PUTS))
    kept.close()


# --- broken files


USES: list[Callable[[ResponseCache], object]] = [
    lambda kept: kept.open(),
    lambda kept: kept.get(key(1)),
    lambda kept: kept.put(key(1), REPLY),
    lambda kept: kept.stats(),
    lambda kept: kept.clear(),
    lambda kept: list(kept.entries()),
]


@pytest.mark.parametrize("use", USES)
def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path, use: Callable[..., object]) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(b"not a database " * 100)
    with pytest.raises(ConfigError, match=r"c\.sqlite is damaged.*move the file away"):
        use(ResponseCache(path))
    assert path.read_bytes() == b"not a database " * 100


def _damaged(path: Path) -> None:
    """Overwrite everything behind the first page: the header is fine, the rows are not."""
    kept = ResponseCache(path)
    kept.import_lines((export_line(number) for number in range(300)), no_bad_line)
    kept.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize("use", [*USES[1:3], *USES[4:]])
def test_damage_inside_is_an_error_that_says_what_to_do(path: Path, use: Callable[..., object]) -> None:
    _damaged(path)
    before = path.read_bytes()
    with pytest.raises(EngineError, match=r"is damaged.*move the file away"):
        use(ResponseCache(path))
    assert path.read_bytes() == before


def test_a_row_that_is_no_reply_is_an_error(path: Path) -> None:
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    kept.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE replies SET reply = '{}'")
    connection.commit()
    connection.close()
    with pytest.raises(EngineError, match="cannot be read"):
        kept.get(key(1))
    with pytest.raises(EngineError, match="cannot be read"):
        list(kept.entries())
    kept.close()


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mails (id)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="another program"):
        ResponseCache(path).open()
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_another_format_is_refused(path: Path) -> None:
    ResponseCache(path).open()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ConfigError, match="format 99"):
        ResponseCache(path).open()


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="folder of the cache"):
        ResponseCache(tmp_path / "file" / "c.sqlite").open()
    with pytest.raises(ConfigError, match="cannot be used"):
        ResponseCache(tmp_path).open()


def test_an_empty_file_becomes_a_cache(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    kept = ResponseCache(path)
    kept.put(key(1), REPLY)
    kept.close()
    assert list(committed(path)) == [key(1)]


def test_a_lock_that_lasts_delays_and_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_BUSY_SECONDS", 0.0)

    async def run() -> None:
        kept = ResponseCache(path)
        kept.open()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for number in range(FLUSH_PUTS * 2):
            kept.put(key(number), REPLY)
        assert kept.get(key(0)) == REPLY
        with pytest.raises(EngineError, match="locked"):
            await kept.aclose()
        other.execute("ROLLBACK")
        other.close()
        await kept.aclose()

    asyncio.run(run())
    assert len(committed(path)) == FLUSH_PUTS * 2
