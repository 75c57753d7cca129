"""The contract of an episodic store, its return types, and the bytes that all backends must agree on.

An episode's number (``seq``) is its position in the order of writing: 1, 2, 3 … without gaps. Its id
is that number (``epi_000001``), so an id says where the episode is. Ids are assigned under the store's lock
and never reused. ``as_of=n`` means the store as it was right after episode n was written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from samsim.arguments import check_place
from samsim.errors import ConfigError, ContractError, StoreError
from samsim.json_text import JsonError, RepeatedKeyError, read_json
from samsim.memory.principles import find_principle
from samsim.schemas.memory_v1_1 import (
    EpisodeDraftV1_1,
    EpisodicMemoryEntryV1_1,
    InputSignatureV1_1,
    dump_entry,
    parse_entry,
)

DEFAULT_STORE = Path("memory/episodic_store.jsonl")
POSTGRES_SCHEMES = ("postgresql://", "postgres://")
MAX_LINE_BYTES = 1 << 20
"""More than any canonical line can have, given the bounds of the schema."""
# Python refuses to parse thousands of digits; no store has more episodes than eighteen digits can count.
_EPISODE_ID = re.compile(r"epi_([0-9]{6,18})")


class Retrieved(NamedTuple):
    """One episode that matches a query, and its score (0 to 1)."""

    entry: EpisodicMemoryEntryV1_1
    score: float


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The result of a full check of a store; it is sound if there are no problems."""

    episodes: int
    last_seq: int
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    """Harmless findings that are worth knowing, such as quarantined bytes."""

    @property
    def ok(self) -> bool:
        """Whether every episode is complete, in order and valid."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class CompactReport:
    """The space that compacting freed. Episodes are never removed: ids and ``as_of`` stay valid forever."""

    episodes: int
    bytes_before: int
    bytes_after: int


class MemoryStore(Protocol):
    """A store of episodes. A failure raises a ``StoreError`` and leaves the store as it was.

    A record that violates the schema or has a forbidden field raises a ``ContractError``, on write and on read.
    A record whose principle is not in the catalog is refused on write and reported by ``verify``: it could
    never become advice, because the text of an episode is never shown.
    """

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages for the user about repairs since the store was opened."""
        ...

    def append(self, entry: EpisodeDraftV1_1) -> str:
        """Write ``entry`` under the next id, whatever id it has, and return that id; the episode is then durable."""
        ...

    def iterate(self, as_of: int | None = None) -> Iterator[EpisodicMemoryEntryV1_1]:
        """Yield the episodes in the order they were written, up to ``as_of``; fixed when iteration starts."""
        ...

    def get(self, episode_id: str) -> EpisodicMemoryEntryV1_1 | None:
        """Return the episode with that id, or None."""
        ...

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
        """Return the ``k`` best episodes that pass the filters, best first; the newest wins ties.

        Includes what all processes have written up to ``as_of``. Episodes in ``exclude`` are not returned,
        but still count toward how rare a token is, so that a score does not depend on who asks.
        """
        ...

    def last_seq(self) -> int:
        """Return the number of the newest episode, or 0 if there is none."""
        ...

    def verify(self) -> VerifyReport:
        """Read and check everything; never changes an episode."""
        ...

    def compact(self) -> CompactReport:
        """Free the space that no episode needs; episodes, ids and bytes stay the same."""
        ...

    def export(self, file: IO[bytes]) -> int:
        """Write every episode's canonical line to ``file``; return how many there were."""
        ...

    def import_(self, lines: Iterable[str | bytes], *, renumber: bool = False) -> int:
        """Add the episodes of exported lines, all or none; return how many were new.

        Ids are kept: a line that the store already has with the same bytes is skipped; a different line with
        the same id, or a gap, is an error. With ``renumber``, every line gets a new id at the end instead.
        Blank lines are ignored.
        """
        ...

    def content_hash(self) -> str:
        """Return the SHA-256 of the content in order, without timestamps."""
        ...

    def close(self) -> None:
        """Close files or connections; the store cannot be used afterwards."""
        ...


def open_store(url_or_path: str | Path, *, create: bool = True) -> MemoryStore:
    """Open the store at a path (JSONL) or a ``postgresql://`` URL.

    A missing store is created; without ``create``, it raises a ``ConfigError``.
    """
    check_place(url_or_path, "url_or_path", "a file path or a postgresql:// address")
    name = str(url_or_path)
    if name.startswith(POSTGRES_SCHEMES):
        from samsim.memory.postgres import PostgresStore

        return PostgresStore(name, create=create)
    if "://" in name:
        # Show only the scheme, because a URL may contain a password.
        raise ConfigError(f"Unknown kind of memory store {name.split('://')[0]}://. Use a file path or postgresql://.")
    if not create and not Path(name).is_file():
        raise ConfigError(f"There is no memory store at {name}. Give its file or its postgresql:// URL.")
    from samsim.memory.jsonl.store import JsonlStore

    return JsonlStore(Path(name))


def episode_id_of(seq: int) -> str:
    """Return the id of the episode with that number."""
    return f"epi_{seq:06d}"


def seq_of(episode_id: str) -> int | None:
    """Return the number in an id, or None if no store could have assigned it."""
    match = _EPISODE_ID.fullmatch(episode_id)
    if match is None or episode_id_of(int(match[1])) != episode_id:
        return None
    return int(match[1]) or None


def canonical_line(entry: EpisodicMemoryEntryV1_1) -> bytes:
    """Return the only way an episode is written: sorted keys, compact, readable Korean, no newline.

    Raises:
            ContractError: the entry has a forbidden field.
        StoreError: the entry cannot be written as UTF-8.
    """
    record = dump_entry(entry)
    try:
        return canonical_bytes(record)
    except UnicodeEncodeError as error:
        raise StoreError(f"the episode cannot be written as UTF-8 ({error.reason}); nothing was stored") from error


def new_line(entry: EpisodicMemoryEntryV1_1) -> bytes:
    """Return the canonical line of an episode to be stored; its principle must be known."""
    check_principle(entry)
    return canonical_line(entry)


def check_principle(entry: EpisodicMemoryEntryV1_1) -> None:
    """Raise ``ContractError`` if the episode's principle is not in the catalog."""
    name = entry.correction.principle_id
    if find_principle(name) is None:
        raise ContractError(
            f"its principle {name!r} is not in the catalog of this version, so it can never become advice;"
            " leave the episode out, or use the version of samsim that wrote it"
        )


def parse_line(line: str | bytes) -> EpisodicMemoryEntryV1_1:
    """Return the episode of one line, checked against the schema and for forbidden fields.

    Raises:
            ContractError: the record violates the schema or repeats a key.
            StoreError: the line is not JSON, or longer than any episode.
    """
    if len(line) > MAX_LINE_BYTES:
        raise StoreError(f"a line of {len(line):,} bytes, longer than any episode ({MAX_LINE_BYTES:,} at most)")
    return parse_entry(read_record(line))


def read_record(line: str | bytes) -> Any:
    """Return the content of one line of a store, whether it is an episode or not.

    Raises:
            ContractError: it repeats a key.
            StoreError: it is not JSON.
    """
    try:
        return read_json(line, distinct_keys=True)
    except RepeatedKeyError as error:
        raise ContractError(f"{error}. Remove one of them.") from error
    except JsonError as error:
        raise StoreError(f"not a JSON line: {error}") from error


class ContentHash:
    """Hashes episodes one by one; equal for equal content, whatever the backend and the time.

    ``provenance.timestamp`` is left out because it is the time of the run, not what was learned.
    """

    def __init__(self) -> None:
        self._sha = hashlib.sha256()

    def add(self, line: str | bytes) -> None:
        """Add one canonical line; raise ``StoreError`` if it is not an episode."""
        record = read_record(line)
        if not isinstance(record, dict) or not isinstance(record.get("provenance"), dict):
            raise StoreError("a line is not an episode; run samsim memory verify to find it")
        record["provenance"].pop("timestamp", None)
        self._sha.update(canonical_bytes(record) + b"\n")

    def hexdigest(self) -> str:
        """Return the hash of everything added so far."""
        return self._sha.hexdigest()


def canonical_bytes(record: dict[str, Any]) -> bytes:
    """Return a record's bytes: sorted keys, compact, readable Korean."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8")
