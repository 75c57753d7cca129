"""Episodes in PostgreSQL, for runs on several machines: the same contract and results as the JSONL store.

Lines are stored as text to keep their exact bytes (``jsonb`` would reorder and reformat them).
A row-locked counter assigns the numbers: a writer holds it until its episode is committed. So numbers
have no gaps and become visible in order, and a reader that asks for ``seq > last`` misses none
(a sequence does not guarantee that). Queries are scored in process by the index that all backends share.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from samsim.errors import ConfigError, ContractError, StoreError
from samsim.memory.index import EpisodeIndex, Filters, KeyReader
from samsim.memory.store import (
    CompactReport,
    ContentHash,
    Retrieved,
    VerifyReport,
    canonical_line,
    check_principle,
    episode_id_of,
    new_line,
    parse_line,
    read_record,
    seq_of,
)
from samsim.schemas.memory_v1_1 import check_forbidden

if TYPE_CHECKING:
    from psycopg import Connection, Error

    from samsim.schemas.memory_v1_1 import EpisodeDraftV1_1, EpisodicMemoryEntryV1_1, InputSignatureV1_1

    Session = Connection[tuple[Any, ...]]

LAYOUT = 1
LOCK_SECONDS = 30
_CONNECT_SECONDS = 10
# Rows per round trip: a few hundred kilobytes.
_BATCH = 500
# The first problems are enough to understand a damaged store.
_MOST_PROBLEMS = 20
# An arbitrary number that other programs in the same database are unlikely to lock.
_SETUP_LOCK = 0x5A3_51
_TABLES = """
    CREATE TABLE IF NOT EXISTS samsim_memory (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        layout integer NOT NULL,
        last_seq bigint NOT NULL CHECK (last_seq >= 0)
    );
    CREATE TABLE IF NOT EXISTS samsim_episodes (seq bigint PRIMARY KEY CHECK (seq > 0), line text NOT NULL);
"""
_CHECK_SERVER = "Check that the server runs, and the host, user, password and database in the URL"
# The driver's message would repeat a part of the URL, which may be the password.
_UNREADABLE = (
    "The postgresql:// URL cannot be parsed. Check its options; in the user and password, write % as %25, @ as %40, "
    "/ as %2F, ? as %3F, # as %23."
)
# Shorter passwords are parts of ordinary words: hiding them would reveal them.
_SHORTEST_BLOTTED = 6
# What to do about a server error, by its SQLSTATE.
_ADVICE: Mapping[str, str] = {
    "25006": "The server is read-only; give the URL of the primary server",
    "42501": "Let the user read and write samsim_memory and samsim_episodes, or create them",
    "42P01": "The store's tables are missing; restore them, or import an export",
    "53100": "The server's disk is full; free some space and try again",
    "53300": "The server has no connections left; close others and try again",
    "55P03": f"Another writer has held the store for {LOCK_SECONDS} s; try again, or end that session",
}


class PostgresStore:
    """A store in a PostgreSQL database; one database (or ``search_path``) holds one store.

    Threads may share it. After a lost connection, the next call reconnects.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        self.place = public_place(url)
        self._url = url
        self._secrets = _secrets_of(url)
        self._lock = threading.RLock()
        self._session: Session | None = None
        self._closed = False
        self._index = EpisodeIndex()
        self._keys = KeyReader()
        try:
            with self._connected() as session:
                _prepare(session, self.place, create=create)
        except BaseException:
            self.close()
            raise

    @property
    def notices(self) -> tuple[str, ...]:
        """Always empty: the server repairs itself."""
        return ()

    def append(self, entry: EpisodeDraftV1_1) -> str:
        """Write ``entry`` under the next id, whatever id it has, and return that id; the episode is then durable."""
        with self._writing() as session:
            row = session.execute("UPDATE samsim_memory SET last_seq = last_seq + 1 RETURNING last_seq").fetchone()
            seq = _number(row)
            line = new_line(entry.with_id(episode_id_of(seq)))
            session.execute("INSERT INTO samsim_episodes VALUES (%s, %s)", (seq, line.decode("utf-8")))
        return episode_id_of(seq)

    def iterate(self, as_of: int | None = None) -> Iterator[EpisodicMemoryEntryV1_1]:
        """Yield the episodes in the order they were written, up to ``as_of``; fixed when iteration starts."""
        for seq, line in self._lines(0, as_of):
            yield _entry(seq, line)

    def get(self, episode_id: str) -> EpisodicMemoryEntryV1_1 | None:
        """Return the episode with that id, or None."""
        seq = seq_of(episode_id)
        if seq is None or seq > self.last_seq():
            return None
        return self._entries([seq])[seq]

    def query(
        self,
        signature: InputSignatureV1_1,
        symptoms: str,
        k: int,
        as_of: int | None = None,
        exclude: frozenset[str] = frozenset(),
        *,
        require_same_language: bool = True,
        require_structure_overlap: bool = True,
    ) -> list[Retrieved]:
        """Return the ``k`` best episodes that pass the filters, best first; the newest wins ties."""
        hidden = frozenset(seq for seq in map(seq_of, exclude) if seq is not None)
        filters = Filters(require_same_language, require_structure_overlap)
        with self._lock:
            if as_of is None or as_of > len(self._index):
                self._follow()
            hits = self._index.search(signature, symptoms, k, as_of, hidden, filters)
            entries = self._entries([hit.seq for hit in hits])
        return [Retrieved(entries[hit.seq], hit.score) for hit in hits]

    def last_seq(self) -> int:
        """Return the number of the newest episode, or 0 if there is none."""
        with self._connected() as session:
            return _number(session.execute("SELECT last_seq FROM samsim_memory").fetchone())

    def verify(self) -> VerifyReport:
        """Read and check everything; never changes an episode."""
        with self._connected() as session:
            counted = session.execute(
                "SELECT last_seq, (SELECT count(*) FROM samsim_episodes),"
                " (SELECT coalesce(max(seq), 0) FROM samsim_episodes) FROM samsim_memory"
            ).fetchone()
        if counted is None:
            raise StoreError(f"the counter of {self.place} is missing; restore samsim_memory, or import an export")
        last, rows, highest = counted
        problems = list(_count_problems(last, rows, highest))
        sound = 0
        for seq, line in self._lines(0, max(last, highest), checked=False):
            found = list(_line_problems(seq, line))
            sound += not found
            problems += found
            if len(problems) >= _MOST_PROBLEMS:
                break
        return VerifyReport(sound, last, tuple(problems))

    def compact(self) -> CompactReport:
        """Free the space of overwritten counter values; episodes, ids and bytes stay the same."""
        with self._connected() as session:
            before = _number(session.execute(_SIZE).fetchone())
            session.execute("VACUUM samsim_memory, samsim_episodes")
            after = _number(session.execute(_SIZE).fetchone())
            return CompactReport(self.last_seq(), before, after)

    def export(self, file: IO[bytes]) -> int:
        """Write every episode's canonical line to ``file``; return how many there were."""
        count = 0
        for seq, line in self._lines(0, None):
            _check_record(seq, line)
            file.write(line.encode("utf-8") + b"\n")
            count += 1
        return count

    def import_(self, lines: Iterable[str | bytes], *, renumber: bool = False) -> int:
        """Add the episodes of exported lines, all or none; return how many were new."""
        with self._writing() as session:
            before = _number(session.execute("SELECT last_seq FROM samsim_memory FOR UPDATE").fetchone())
            last = before
            given = _given(lines)
            while batch := list(islice(given, _BATCH)):
                last = _import_batch(session, batch, last, renumber=renumber)
            session.execute("UPDATE samsim_memory SET last_seq = %s", (last,))
        return last - before

    def content_hash(self) -> str:
        """Return the SHA-256 of the content in order, without timestamps (see ``ContentHash``)."""
        content = ContentHash()
        for seq, line in self._lines(0, None):
            _check_record(seq, line)
            content.add(line)
        return content.hexdigest()

    def close(self) -> None:
        """Close the connection; the store cannot be used afterwards."""
        with self._lock:
            self._closed = True
            if self._session is not None:
                self._session.close()

    def _follow(self) -> None:
        """Extend the index to the newest episode."""
        rows = self._lines(len(self._index), None)
        while batch := [self._key(seq, line) for seq, line in islice(rows, _BATCH)]:
            self._index.extend(batch)

    def _key(self, seq: int, line: str) -> tuple[InputSignatureV1_1, frozenset[str]]:
        try:
            return self._keys.key_of(line)
        except (ContractError, StoreError) as error:
            raise type(error)(f"{episode_id_of(seq)}: {error}") from error

    def _entries(self, seqs: list[int]) -> dict[int, EpisodicMemoryEntryV1_1]:
        if not seqs:
            return {}
        with self._connected() as session:
            rows = session.execute("SELECT seq, line FROM samsim_episodes WHERE seq = ANY(%s)", (seqs,)).fetchall()
        entries = {seq: _entry(seq, line) for seq, line in rows}
        for seq in set(seqs) - set(entries):
            raise _missing(seq)
        return entries

    def _lines(self, after: int, up_to: int | None, *, checked: bool = True) -> Iterator[tuple[int, str]]:
        """Yield the rows after number ``after``, page by page, so that no transaction stays open in between."""
        last = self.last_seq() if up_to is None or checked else up_to
        end = last if up_to is None else min(up_to, last)
        while after < end:
            with self._connected() as session:
                rows = session.execute(
                    "SELECT seq, line FROM samsim_episodes WHERE seq > %s AND seq <= %s ORDER BY seq LIMIT %s",
                    (after, end, _BATCH),
                ).fetchall()
            for seq, line in rows:
                if checked and seq != after + 1:
                    raise _missing(after + 1)
                after = seq
                yield seq, line
            if len(rows) < _BATCH:
                break
        if checked and after < end:
            raise _missing(after + 1)

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        """Open a transaction that is durable at the end of the block, or leaves nothing behind."""
        with self._connected() as session, session.transaction():
            session.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'; SET LOCAL synchronous_commit = on".encode())
            yield session

    @contextmanager
    def _connected(self) -> Iterator[Session]:
        """Yield the connection, to one thread at a time; explain errors of the server without showing the password."""
        driver = _driver()
        with self._lock:
            if self._closed:
                raise StoreError(f"the memory store {self.place} is closed; open it again")
            try:
                if self._session is None or self._session.closed:
                    self._session = self._connect()
                yield self._session
            except driver.Error as error:
                raise self._explained(error) from None

    def _connect(self) -> Session:
        driver = _driver()
        try:
            given = driver.conninfo.conninfo_to_dict(self._url)
        except driver.Error:
            raise ConfigError(_UNREADABLE) from None
        defaults = {"connect_timeout": _CONNECT_SECONDS, "application_name": "samsim"}
        settings = {name: value for name, value in defaults.items() if name not in given}
        # Connection poolers do not support prepared statements.
        session: Session = driver.connect(
            self._url, autocommit=True, prepare_threshold=None, client_encoding="utf8", **settings
        )
        return session

    def _explained(self, error: Error) -> StoreError:
        reason = " ".join(str(error).split()).rstrip(".?")
        for secret in self._secrets:
            reason = reason.replace(secret, "***")
        advice = _ADVICE.get(error.sqlstate or "")
        if advice is not None:
            return StoreError(f"the memory store {self.place} refused: {reason}. {advice}.")
        if self._session is None:
            return StoreError(f"the memory store {self.place} cannot be opened: {reason}. {_CHECK_SERVER}.")
        if self._session.closed:
            return StoreError(
                f"the connection to the memory store {self.place} was lost: {reason}. Check that the server runs, "
                "then try again. If an episode was being written, first check whether it is there: "
                "samsim memory show STORE."
            )
        return StoreError(f"the memory store {self.place} refused: {reason}. Nothing was changed.")


_SIZE = "SELECT pg_total_relation_size('samsim_memory') + pg_total_relation_size('samsim_episodes')"


def public_place(url: str) -> str:
    """Return the URL without its password and options, safe for messages.

    Raises:
        ConfigError: the URL is ambiguous, so a part of the password could be taken for something else.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ConfigError(_UNREADABLE) from None
    if "@" in parts.path + parts.query + parts.fragment or parts.fragment:
        raise ConfigError(_UNREADABLE)
    credentials, _, hosts = parts.netloc.rpartition("@")
    options = dict(parse_qsl(parts.query))
    user = credentials.partition(":")[0] or options.get("user", "")
    place = (unquote(hosts) or options.get("host", "")) + unquote(parts.path or f"/{options.get('dbname', '')}")
    return f"postgresql://{unquote(user)}{'@' if user else ''}{place}"


def _secrets_of(url: str) -> list[str]:
    """Return the password in all forms in which an error message could repeat it, longest first."""
    parts = urlsplit(url)
    written = [parts.netloc.rpartition("@")[0].partition(":")[2]]
    written += [
        value for name, _, value in (option.partition("=") for option in parts.query.split("&")) if "pass" in name
    ]
    forms = {form for secret in written for form in (secret, unquote(secret)) if len(form) >= _SHORTEST_BLOTTED}
    return sorted(forms, key=len, reverse=True)


def _driver() -> Any:
    """Return psycopg with the parts used here, imported only when a store is opened."""
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise ConfigError(f"A postgresql:// store needs psycopg ({error}): pip install 'samsim[postgres]'.") from error
    return psycopg


def _prepare(session: Session, place: str, *, create: bool) -> None:
    """Create the tables if there are none; refuse another layout or a database that cannot store every character."""
    encoding = session.execute("SHOW server_encoding").fetchone()
    if encoding != ("UTF8",):
        raise StoreError(f"the database of {place} is not encoded in UTF8; create one that is and give its URL")
    exists = session.execute("SELECT to_regclass('samsim_memory') IS NOT NULL").fetchone()
    if exists == (False,):
        if not create:
            raise StoreError(f"there is no memory store in {place} yet; check the name of the database")
        with session.transaction():
            session.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
            session.execute(_TABLES)
            session.execute(
                "INSERT INTO samsim_memory (layout, last_seq) VALUES (%s, 0) ON CONFLICT DO NOTHING", (LAYOUT,)
            )
    layout = _number(session.execute("SELECT layout FROM samsim_memory").fetchone())
    if layout != LAYOUT:
        raise StoreError(
            f"{place} was created by another version of samsim (layout {layout}, this one reads {LAYOUT}); "
            "export it with that version and import it into an empty database"
        )


def _number(row: tuple[Any, ...] | None) -> int:
    if row is None:
        raise StoreError("the store's counter is missing; restore samsim_memory, or import an export elsewhere")
    return int(row[0])


def _missing(seq: int) -> StoreError:
    return StoreError(f"{episode_id_of(seq)} is missing from the store; restore it, or import an export elsewhere")


def _entry(seq: int, line: str) -> EpisodicMemoryEntryV1_1:
    """Return the episode of one row; an error names the episode."""
    try:
        entry = parse_line(line)
    except (ContractError, StoreError) as error:
        raise type(error)(f"{episode_id_of(seq)}: {error}") from error
    if entry.episode_id != episode_id_of(seq):
        raise StoreError(f"{episode_id_of(seq)}: the row has {entry.episode_id}; restore it, or import an export")
    return entry


def _check_record(seq: int, line: str) -> None:
    """Raise unless a row is the record of its number without forbidden fields; ``verify`` checks the schema."""
    try:
        record = read_record(line)
        check_forbidden(record)
    except (ContractError, StoreError) as error:
        raise type(error)(f"{episode_id_of(seq)}: {error}") from error
    if not isinstance(record, dict) or record.get("episode_id") != episode_id_of(seq):
        raise StoreError(f"{episode_id_of(seq)}: the row is not its record; restore it, or import an export")


def _count_problems(last: int, rows: int, highest: int) -> Iterator[str]:
    if highest > last:
        yield f"the counter is at {last}, but there are episodes up to {highest}"
    if rows < max(last, highest):
        yield f"{max(last, highest) - rows} of {max(last, highest)} episodes are missing"


def _line_problems(seq: int, line: str) -> Iterator[str]:
    try:
        entry = _entry(seq, line)
        if canonical_line(entry) != line.encode("utf-8"):
            yield f"{episode_id_of(seq)}: the line is not in canonical form"
    except (ContractError, StoreError) as error:
        yield str(error)
        return
    try:
        check_principle(entry)
    except ContractError as error:
        yield f"{episode_id_of(seq)}: {error}"


def _given(lines: Iterable[str | bytes]) -> Iterator[tuple[int, EpisodicMemoryEntryV1_1]]:
    """Yield the episodes of imported lines with their line numbers; blank lines are ignored."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, parse_line(line)
            except (ContractError, StoreError) as error:
                raise type(error)(f"line {number}: {error}; nothing was imported") from error


def _import_batch(
    session: Session, batch: list[tuple[int, EpisodicMemoryEntryV1_1]], last: int, *, renumber: bool
) -> int:
    """Insert the new episodes of a batch and return the last number; existing ones must be identical."""
    known = {} if renumber else _known(session, [entry.episode_id for _, entry in batch])
    new: list[tuple[int, str]] = []
    for number, entry in batch:
        seq = last + 1 if renumber else seq_of(entry.episode_id)
        if seq is None or seq > last + 1:
            raise StoreError(
                f"line {number}: {entry.episode_id} does not follow {episode_id_of(last)}; nothing was imported. "
                "Renumber the episodes to add them at the end."
            )
        line = canonical_line(entry.with_id(episode_id_of(seq))).decode("utf-8")
        if seq == last + 1:
            _check_new(number, entry)
            new.append((seq, line))
            known[seq] = line
            last = seq
        elif known.get(seq) != line:
            raise StoreError(
                f"line {number}: {entry.episode_id} differs from the one in the store; nothing was imported. "
                "Renumber the episodes to keep both."
            )
    with session.cursor() as cursor:
        cursor.executemany("INSERT INTO samsim_episodes VALUES (%s, %s)", new)
    return last


def _check_new(number: int, entry: EpisodicMemoryEntryV1_1) -> None:
    try:
        check_principle(entry)
    except ContractError as error:
        raise ContractError(f"line {number}: {error}; nothing was imported") from error


def _known(session: Session, episode_ids: list[str]) -> dict[int, str]:
    seqs = [seq for seq in map(seq_of, episode_ids) if seq is not None]
    rows = session.execute("SELECT seq, line FROM samsim_episodes WHERE seq = ANY(%s)", (seqs,)).fetchall()
    return dict(rows)
