"""The response cache: one SQLite file that maps each exact request to the server's reply, stored as JSON.

There is one row per key, written in transactions. A new reply stays in memory for at most
``FLUSH_SECONDS`` or ``FLUSH_PUTS`` puts and is then committed, so it survives a crash of the process;
``aclose`` also makes it survive a power cut. Only usable replies are stored, never failures.
Several processes may share one file: readers never wait, writers wait for each other.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from samsim.engines.wire.base import Finish
from samsim.errors import ConfigError, EngineError, SamsimError
from samsim.json_text import read_json
from samsim.schemas.calls import OutputMode, Usage
from samsim.schemas.protocol_conflict_review import Written
from samsim.validation_words import in_words

CACHE_VARIABLE = "SAMSIM_CACHE"
FLUSH_SECONDS = 0.5
FLUSH_PUTS = 64

_BUSY_SECONDS = 5.0
_IMPORT_BATCH = 500
# "smsm": identifies an SQLite file as ours before anything is written to it.
_APPLICATION_ID = 0x736D736D
_SCHEMA_VERSION = 1
_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, created REAL NOT NULL, reply TEXT NOT NULL)"
_INSERT = "INSERT OR IGNORE INTO replies (key, created, reply) VALUES (?, ?, ?)"
_SELECT = "SELECT reply FROM replies WHERE key = ?"
_DELETE = "DELETE FROM replies WHERE key = ?"
_UNUSABLE_FINISHES: frozenset[Finish] = frozenset({"length", "refusal"})

BadLine = Callable[[int, str], None]


@dataclass(frozen=True, slots=True)
class CachedReply:
    """The parts of a server's reply that determine the answer: enough to read it again without the server."""

    text: str
    finish: Finish
    mode: OutputMode
    refusal: str | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def usable(self) -> bool:
        """Whether this is an answer; a cut-off, refused or empty reply is a failure and is not stored."""
        return bool(self.text) and self.refusal is None and self.finish not in _UNUSABLE_FINISHES


class CacheEntry(Written):
    """One line of an export."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    created: float = Field(ge=0, allow_inf_nan=False)
    reply: CachedReply


@dataclass(frozen=True, slots=True)
class CacheStats:
    """The size of a cache; times are seconds since the epoch, None for an empty cache."""

    entries: int
    file_bytes: int
    oldest: float | None
    newest: float | None


@dataclass(slots=True)
class ImportReport:
    """Counts of what happened to the lines of an import.

    ``known`` entries were already in the cache; so were ``different`` ones, but with another reply. The
    stored reply stays.
    """

    added: int = 0
    known: int = 0
    different: int = 0
    bad: int = 0


def cache_key(identity: str, url: str, body: Mapping[str, Any], seed: int | None, repeat: int) -> str:
    """Return the key of a request: the engine and everything sent except the headers, which hold API keys."""
    facts = {"engine": identity, "url": url, "body": body, "seed": seed, "repeat": repeat}
    canonical = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def default_cache_path() -> Path:
    """Return ``$SAMSIM_CACHE`` if it is set, else ``samsim/responses.sqlite`` in the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "samsim" / "responses.sqlite"


class ResponseCache:
    """Cached responses of models, by key; by default in the user's cache folder.

    The file is opened on first use, and opened again if the cache is used after ``aclose``.

    ``get`` and ``put`` are short and synchronous (tens of microseconds), so a running event loop may call
    them directly. Use one object from one loop at a time.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        flush_seconds: float = FLUSH_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = default_cache_path() if path is None else Path(path)
        self._flush_seconds = flush_seconds
        self._clock = clock
        self._open_connection: sqlite3.Connection | None = None
        # Put but not yet committed: key -> (key, created, reply as JSON), in insertion order.
        self._pending: dict[str, tuple[str, float, str]] = {}
        # Stored by an earlier version, but not answers: treated as missing until another reply replaces them.
        self._rejected: set[str] = set()
        self._flush_at_count = FLUSH_PUTS
        self._flush_by = 0.0

    def open(self) -> None:
        """Open or create the file now; raises ``ConfigError`` if it cannot be used as a cache."""
        self._connection()

    def get(self, key: str) -> CachedReply | None:
        """Return the reply stored under this key, or None."""
        if key in self._rejected and key not in self._pending:
            return None
        waiting = self._pending.get(key)
        try:
            row = waiting[2:] if waiting else self._connection().execute(_SELECT, (key,)).fetchone()
            return None if row is None else _reply_of(row[0])
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        except ValueError as error:
            raise EngineError(self._move_away(f"has a reply that cannot be read (key {key})")) from error

    def put(self, key: str, reply: CachedReply) -> None:
        """Store a usable reply; the first one put under a key stays.

        Unusable replies are ignored, and so is text that UTF-8 cannot encode (half a surrogate pair).
        """
        if not reply.usable or key in self._pending:
            return
        try:
            document = _reply_json().dump_json(reply).decode()
        except ValueError:
            return
        now = self._clock()
        self._pending[key] = (key, now, document)
        if len(self._pending) == 1:
            self._flush_later(now)
        elif len(self._pending) >= self._flush_at_count or now >= self._flush_by:
            self._try_flush()

    def reject(self, key: str) -> None:
        """Treat the reply stored under this key as missing: the next one put under it replaces it."""
        self._pending.pop(key, None)
        self._rejected.add(key)

    def flush(self) -> None:
        """Commit pending replies; if that fails, they stay pending and are retried later."""
        if not self._pending:
            return
        connection = self._connection()
        try:
            self._insert(connection, self._pending.values())
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        self._rejected.difference_update(self._pending)
        self._pending.clear()
        self._flush_at_count = FLUSH_PUTS

    def close(self) -> None:
        """Commit pending replies, make them durable, and close the file."""
        if self._pending:
            # The last commit waits for the disk, which makes all earlier commits durable too.
            self._connection().execute("PRAGMA synchronous = FULL")
            self.flush()
        if self._open_connection is None:
            return
        try:
            self._open_connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._open_connection.close()
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        self._open_connection = None

    async def aclose(self) -> None:
        """Do the same as ``close``."""
        self.close()

    def stats(self) -> CacheStats:
        """Return the number of replies, the size of the file and the range of dates."""
        self.flush()
        try:
            row = self._connection().execute("SELECT count(*), min(created), max(created) FROM replies").fetchone()
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        size = sum(file.stat().st_size for file in files if file.exists())
        return CacheStats(entries=row[0], file_bytes=size, oldest=row[1], newest=row[2])

    def clear(self) -> int:
        """Delete all replies, free the space, and return how many there were."""
        self.flush()
        connection = self._connection()
        try:
            forgotten = connection.execute("DELETE FROM replies").rowcount
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        return forgotten

    def entries(self) -> Iterator[CacheEntry]:
        """Yield all entries, sorted by key."""
        self.flush()
        try:
            for key, created, document in self._connection().execute(
                "SELECT key, created, reply FROM replies ORDER BY key"
            ):
                yield CacheEntry(key=key, created=created, reply=_reply_of(document))
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error
        except ValueError as error:
            raise EngineError(self._move_away("has a reply that cannot be read")) from error

    def import_lines(self, lines: Iterable[bytes], on_bad_line: BadLine) -> ImportReport:
        """Add the entries of an export; bad lines are reported with their numbers and skipped.

        Existing entries are never changed, so importing a file twice has no effect.
        """
        self.flush()
        report = ImportReport()
        batch: list[CacheEntry] = []
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                batch.append(_read_entry(line))
            except ValueError as error:
                report.bad += 1
                on_bad_line(number, str(error))
            if len(batch) >= _IMPORT_BATCH:
                self._add(batch, report)
                batch = []
        self._add(batch, report)
        return report

    def _add(self, batch: list[CacheEntry], report: ImportReport) -> None:
        rows = {entry.key: (entry.key, entry.created, _reply_json().dump_json(entry.reply).decode()) for entry in batch}
        report.known += len(batch) - len(rows)
        connection = self._connection()
        try:
            new = []
            for row in rows.values():
                stored = connection.execute(_SELECT, (row[0],)).fetchone()
                if stored is None:
                    new.append(row)
                else:
                    report.known += stored[0] == row[2]
                    report.different += stored[0] != row[2]
            report.added += self._insert(connection, new)
        except sqlite3.Error as error:
            raise self._explained(error, EngineError) from error

    def _insert(self, connection: sqlite3.Connection, rows: Iterable[tuple[str, float, str]]) -> int:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(_DELETE, [(key,) for key in self._rejected.intersection(self._pending)])
            added = connection.executemany(_INSERT, rows).rowcount
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return added

    def _flush_later(self, now: float) -> None:
        """Commit soon: by a timer, or by the next put if the event loop ends before it fires."""
        self._flush_by = now + self._flush_seconds
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Without a loop, no timer can fire.
            self.flush()
            return
        loop.call_later(self._flush_seconds, self._try_flush)

    def _try_flush(self) -> None:
        """Flush during a run; if another program keeps the file locked, try again later."""
        try:
            self.flush()
        except _StillLockedError:
            self._flush_at_count = len(self._pending) + FLUSH_PUTS
            self._flush_later(self._clock())

    def _connection(self) -> sqlite3.Connection:
        if self._open_connection is None:
            self._open_connection = self._connect()
        return self._open_connection

    def _connect(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"Cannot create the folder of the cache {self.path}: {error.strerror}. Give another path."
            ) from error
        connection: sqlite3.Connection | None = None
        try:
            # Autocommit: transactions are opened explicitly. A notebook may run each call in another thread, but only
            # one at a time, so the thread check can be off.
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._prepare(connection)
        except (sqlite3.Error, SamsimError) as error:
            if connection is not None:
                connection.close()
            if isinstance(error, SamsimError):
                raise
            raise self._explained(error, ConfigError) from error
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check that the file is ours, then set it up; another program's database is left untouched."""
        if not self._is_ours(connection):
            # Several processes may do this in turn; the result is the same.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
            connection.execute("COMMIT")
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Return True for a cache and False for an empty file; raise ``ConfigError`` for anything else."""
        # One transaction, because another process might turn the file into a cache between two of them.
        connection.execute("BEGIN")
        owner = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        connection.execute("COMMIT")
        if owner == _APPLICATION_ID and version == _SCHEMA_VERSION:
            return True
        if owner == _APPLICATION_ID:
            raise ConfigError(
                f"The cache {self.path} was written by another version of samsim (format {version}, this one reads "
                f"{_SCHEMA_VERSION}). Export it with that version, or set {CACHE_VARIABLE} to another path."
            )
        if owner or version or tables:
            raise ConfigError(f"{self.path} is another program's database. Give the cache another path.")
        return False

    def _explained(self, error: sqlite3.Error, kind: type[SamsimError]) -> SamsimError:
        code = getattr(error, "sqlite_errorcode", None)
        primary = None if code is None else code & 0xFF
        if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return kind(self._move_away("is damaged"))
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return _StillLockedError(
                f"The cache {self.path} has been locked by another program for {_BUSY_SECONDS:g} seconds. "
                "Stop that program, or give this run its own cache."
            )
        return kind(f"The cache {self.path} cannot be used: {error}. Check the path, its permissions and the disk.")

    def _move_away(self, what: str) -> str:
        return (
            f"The cache {self.path} {what}. Nothing was deleted: move the file away (with its -wal and -shm "
            "files) and run again; a new one will be created."
        )


class _StillLockedError(EngineError):
    """Another program has had the cache locked for too long."""


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging; SQLite does not wait if several processes switch at once."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@cache
def _reply_json() -> TypeAdapter[CachedReply]:
    return TypeAdapter(CachedReply)


def _reply_of(document: str) -> CachedReply:
    """Return a stored reply; raise ``ValueError`` (pydantic's errors are ValueErrors) if it is not one."""
    return _reply_json().validate_python(read_json(document))


def _read_entry(line: bytes) -> CacheEntry:
    try:
        entry = CacheEntry.model_validate(read_json(line))
    except ValidationError as error:
        raise ValueError(in_words(error, "line")) from None
    if not entry.reply.usable:
        raise ValueError("reply: not an answer (cut off, refused or empty), and failures are never cached")
    return entry
