"""The default store: one JSONL file that several processes may read and write at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO

from samsim.durable_files import replace_file
from samsim.errors import SamsimError, StoreError
from samsim.memory.index import EpisodeIndex, Filters, KeyReader
from samsim.memory.jsonl.files import StoreFiles
from samsim.memory.jsonl.journal import START, Record
from samsim.memory.jsonl.snapshot import pack_snapshot, read_snapshot
from samsim.memory.jsonl.verify import verify_files
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
    seq_of,
)
from samsim.schemas.memory_v1_1 import EpisodeDraftV1_1, EpisodicMemoryEntryV1_1, InputSignatureV1_1

_INDEXED_AT_ONCE = 4096
# A new snapshot is written when this many episodes, and at least an eighth of all, are not in it yet.
_SNAPSHOT_EVERY = 4096
_SNAPSHOT_AT_CLOSE = 256


class JsonlStore:
    """Episodes in a JSONL file, with a journal, a lock and an index next to it (``MemoryStore``)."""

    def __init__(self, path: Path) -> None:
        self._files = StoreFiles(path)
        self._guard = threading.RLock()
        self._keys = KeyReader()
        self._index = EpisodeIndex()
        self._indexed: Record | None = None
        self._in_snapshot = 0

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about repairs since the store was opened."""
        return tuple(self._files.notices)

    def append(self, entry: EpisodeDraftV1_1) -> str:
        """Write ``entry`` under the next id and return the id; the episode is then on disk."""
        with self._guard, self._files.locked() as last:
            episode_id = episode_id_of(last.seq + 1)
            self._files.append([new_line(entry.with_id(episode_id))], last)
        return episode_id

    def iterate(self, as_of: int | None = None) -> Iterator[EpisodicMemoryEntryV1_1]:
        """Yield the episodes in order, up to ``as_of``."""
        newest = self.last_seq()
        for _, line in self._files.lines(1, newest if as_of is None else min(as_of, newest)):
            yield parse_line(line)

    def get(self, episode_id: str) -> EpisodicMemoryEntryV1_1 | None:
        """Return the episode with that id, or None."""
        seq = seq_of(episode_id)
        if seq is None or seq > self.last_seq():
            return None
        return parse_line(self._line(seq))

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
        """Return the ``k`` best episodes, best first; the newest wins ties."""
        hidden = frozenset(seq for episode_id in exclude if (seq := seq_of(episode_id)) is not None)
        filters = Filters(require_same_language, require_structure_overlap)
        with self._guard:
            self._refresh()
            hits = self._index.search(signature, symptoms, k, as_of, hidden, filters)
        return [Retrieved(parse_line(self._line(hit.seq)), hit.score) for hit in hits]

    def last_seq(self) -> int:
        """Return the number of the newest episode, or 0 if there is none."""
        return self._files.last().seq

    def verify(self) -> VerifyReport:
        """Read and check every record and every line."""
        return verify_files(self._files)

    def compact(self) -> CompactReport:
        """Check every episode, then delete what crashes left behind and rewrite the index."""
        report = self.verify()
        if not report.ok:
            raise StoreError(f"{self._files.path} was not compacted, because it is damaged: {report.problems[0]}")
        before = self._files.size_on_disk()
        with self._guard:
            self._refresh()
            with self._files.locked():
                self._files.drop_leftovers()
                self._save_snapshot()
        return CompactReport(report.episodes, before, self._files.size_on_disk())

    def export(self, file: IO[bytes]) -> int:
        """Write every episode's line to ``file``; return how many there were."""
        count = 0
        for _, line in self._files.lines(1, self.last_seq()):
            file.write(line + b"\n")
            count += 1
        return count

    def import_(self, lines: Iterable[str | bytes], *, renumber: bool = False) -> int:
        """Add exported lines, all or none; return how many were new."""
        with self._guard, self._files.locked() as last:
            return self._files.append(self._new_lines(lines, last, renumber), last).seq - last.seq

    def content_hash(self) -> str:
        """Return the SHA-256 of the content in order, without timestamps."""
        digest = ContentHash()
        for _, line in self._files.lines(1, self.last_seq()):
            digest.add(line)
        return digest.hexdigest()

    def close(self) -> None:
        """Save the index for next time and close the files."""
        with self._guard:
            if not self._files.closed and len(self._index) - self._in_snapshot >= _SNAPSHOT_AT_CLOSE:
                self._save_snapshot()
            self._files.close()

    def _line(self, seq: int) -> bytes:
        for _, line in self._files.lines(seq, seq):
            return line
        raise StoreError(f"{episode_id_of(seq)} is not in the memory store {self._files.path}")

    def _new_lines(self, lines: Iterable[str | bytes], last: Record, renumber: bool) -> Iterator[bytes]:
        newest = last.seq
        for number, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            try:
                entry = parse_line(raw)
                if renumber:
                    entry = entry.with_id(episode_id_of(newest + 1))
                line = canonical_line(entry)
                if self._is_held(entry.episode_id, line, newest, last.seq):
                    continue
                check_principle(entry)
            except SamsimError as error:
                raise type(error)(f"line {number}: {error} (nothing was imported)") from error
            newest += 1
            yield line

    def _is_held(self, episode_id: str, line: bytes, newest: int, journalled: int) -> bool:
        """Return whether the store already has exactly this episode; raise if the id is out of order."""
        seq = seq_of(episode_id)
        if seq == newest + 1:
            return False
        if seq is not None and seq <= journalled and self._line(seq) == line:
            return True
        raise StoreError(
            f"{episode_id} is another episode here, or is out of order ({episode_id_of(newest + 1)} is next);"
            " import with new ids to add it at the end"
        )

    def _refresh(self) -> None:
        """Extend the index to the newest episode that any process has written."""
        if self._indexed is None:
            self._load_snapshot()
        newest = self._files.last()
        if newest == self._indexed:
            return
        if self._indexed is None or self._files.record(self._indexed.seq) != self._indexed:
            # Another writer undid a failed append: what was indexed is no longer there.
            self._index, self._indexed, self._in_snapshot = EpisodeIndex(), START, 0
        lines = self._files.lines(self._indexed.seq + 1, newest.seq)
        while batch := list(islice(lines, _INDEXED_AT_ONCE)):
            self._index.extend([self._key(record.seq, line) for record, line in batch])
            self._indexed = batch[-1][0]
        if len(self._index) - self._in_snapshot >= max(_SNAPSHOT_EVERY, len(self._index) // 8):
            self._save_snapshot()

    def _load_snapshot(self) -> None:
        found = read_snapshot(self._files.index_path)
        if found is None:
            return
        index, upto = EpisodeIndex(found[0]), found[1]
        if self._fits(index, upto):
            self._index, self._indexed, self._in_snapshot = index, upto, upto.seq

    def _fits(self, index: EpisodeIndex, upto: Record) -> bool:
        """Return whether a snapshot belongs to this log: same history, and the same first and last keys."""
        if upto.seq != len(index) or self._files.record(upto.seq) != upto:
            return False
        return all(index.key_of(seq) == self._key(seq, self._line(seq)) for seq in {1, upto.seq})

    def _key(self, seq: int, line: bytes) -> tuple[InputSignatureV1_1, frozenset[str]]:
        try:
            return self._keys.key_of(line)
        except SamsimError as error:
            raise type(error)(f"{episode_id_of(seq)}: {error}") from error

    def _save_snapshot(self) -> None:
        """Save the index next to the log. It only saves time, so a full disk is not an error."""
        if self._files.read_only or not self._indexed or not self._indexed.seq:
            return
        with suppress(OSError):
            replace_file(self._files.index_path, pack_snapshot(self._index.groups, self._indexed))
            self._in_snapshot = self._indexed.seq
