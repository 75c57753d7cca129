"""The files of a JSONL store and the rules that keep them consistent.

On disk, a store ``FILE`` consists of ``FILE`` (one canonical line per episode), ``FILE.journal`` (which
of its bytes are valid), ``FILE.lock`` (held while writing), ``FILE.index`` (a snapshot, safe to delete) and
``FILE.torn-N`` (bytes that a crashed writer left).

After a crash at any moment, the log may end in bytes that the journal does not cover, and the journal in
half a record; an append never touches anything before them. To write: take the lock, move such leftovers
away, write the lines, sync, write their records, sync. An episode is acknowledged after the second sync.
Readers look only at what the journal covers, so they need no lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from samsim.durable_files import (
    BYTES_AT_ONCE,
    TEMPORARY,
    beside,
    copy_out,
    file_lock,
    is_no_file,
    replace_file,
    sync,
    sync_folder,
    write_all,
)
from samsim.errors import SamsimError, StoreError
from samsim.memory.jsonl import journal
from samsim.memory.jsonl.journal import Record
from samsim.memory.principles import find_principle
from samsim.memory.store import canonical_line, episode_id_of, parse_line


class StoreFiles:
    """The open log and its journal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal_path = beside(path, ".journal")
        self.index_path = beside(path, ".index")
        self.notices: list[str] = []
        self.read_only = False
        self._log = self._journal = -1
        try:
            self._open()
        except OSError as error:
            self.close()
            raise _cannot_open(path, str(error.strerror)) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files; closing twice is harmless."""
        for fd in (self._log, self._journal):
            if fd >= 0:
                os.close(fd)
        self._log = self._journal = -1

    @property
    def closed(self) -> bool:
        """Whether ``close`` has been called."""
        return self._journal < 0

    def last(self) -> Record:
        """Return the newest episode's record."""
        return journal.last_record(self._open_journal())

    def record(self, seq: int) -> Record | None:
        """Return the record of episode ``seq``, or None."""
        return journal.record_at(self._open_journal(), seq)

    def lines(self, first: int, last: int) -> Iterator[tuple[Record, bytes]]:
        """Yield the lines of episodes ``first`` to ``last`` without newlines, each verified by its checksum."""
        batch: list[Record] = []
        seen = first - 1
        for record in journal.records(self._open_journal(), first, last):
            batch.append(record)
            seen = record.seq
            if record.end - batch[0].start >= BYTES_AT_ONCE:
                yield from self._read(batch)
                batch = []
        yield from self._read(batch)
        if seen < last:
            raise self._damaged(f"the journal has no valid record of {episode_id_of(seen + 1)}")

    def append(self, lines: Iterable[bytes], last: Record) -> Record:
        """Write ``lines`` (without newlines) after ``last``: all of them or, on any failure, none.

        Call it inside ``locked()``, with the record that it yielded.
        """
        end, packed, waiting = last, bytearray(), bytearray()
        try:
            for line in lines:
                waiting += line + b"\n"
                end = end.follow(line + b"\n")
                packed += end.pack()
                if len(waiting) >= BYTES_AT_ONCE:
                    write_all(self._log, waiting, end.end - len(waiting))
                    waiting = bytearray()
            if packed:
                write_all(self._log, waiting, end.end - len(waiting))
                sync(self._log)
                write_all(self._journal, packed, journal.offset_of(last.seq + 1))
                sync(self._journal)
        except BaseException as error:
            self._cut_back(last)
            if isinstance(error, OSError):
                raise StoreError(
                    f"cannot write to the memory store {self.path}: {error.strerror}; nothing was added,"
                    f" its {last.seq} episodes are intact. Free some space or use another path, then run again."
                ) from error
            raise
        return end

    @contextmanager
    def locked(self) -> Iterator[Record]:
        """Lock the store against other processes, move leftovers away, and yield the newest record."""
        if self.read_only:
            raise StoreError(
                f"the memory store {self.path} could only be opened for reading; check its permissions and the"
                " free space on its disk, then open it again"
            )
        with file_lock(beside(self.path, ".lock")):
            self._check_same_files()
            last = self.last()
            try:
                self._quarantine(last)
            except OSError as error:
                raise StoreError(f"cannot repair the memory store {self.path}: {error.strerror}") from error
            yield last

    def size_on_disk(self) -> int:
        """Return the total size of the store's files in bytes."""
        files = (self.path, self.journal_path, self.index_path, *self.quarantined())
        return sum(file.stat().st_size for file in files if file.exists())

    def quarantined(self) -> list[Path]:
        """Return the files with torn bytes, oldest first."""
        start = f"{self.path.name}.torn-"
        found = [file for file in self.path.parent.iterdir() if file.name.startswith(start)]
        return sorted(found, key=lambda file: (len(file.name), file.name))

    def drop_leftovers(self) -> None:
        """Delete the files with torn bytes, and the unfinished files of killed processes."""
        start = f"{self.path.name}."
        unfinished = [file for file in self.path.parent.glob(f"*{TEMPORARY}") if file.name.startswith(start)]
        for file in (*self.quarantined(), *unfinished):
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise StoreError(f"cannot delete {file}: {error.strerror}") from error

    def unjournalled_bytes(self) -> int:
        """Return the number of bytes in the log after the last episode, left by a running or crashed writer."""
        return os.fstat(self._log).st_size - self.last().end

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for part in (self.path, self.journal_path, self.index_path, beside(self.path, ".lock")):
            if is_no_file(part):
                raise _cannot_open(self.path, f"{part} is not a regular file")
        try:
            with file_lock(beside(self.path, ".lock")):
                self._create_missing()
                self._open_files(os.O_RDWR)
                self._check_header()
                self._quarantine(self.last())
        except PermissionError:
            self._open_read_only()
        except OSError as error:
            # A full or read-only disk must not prevent reading.
            if not self.journal_path.exists():
                raise
            self.notices.append(f"{self.path} was opened for reading only: {error.strerror}")
            self._open_read_only()
        self._check_ends()

    def _open_read_only(self) -> None:
        self.close()
        self.read_only = True
        self._open_files(os.O_RDONLY)
        self._check_header()

    def _open_files(self, flags: int) -> None:
        self._log = os.open(self.path, flags | os.O_CLOEXEC)
        self._journal = os.open(self.journal_path, flags | os.O_CLOEXEC)

    def _open_journal(self) -> int:
        if self.closed:
            raise StoreError(f"the memory store {self.path} is closed; open it again")
        return self._journal

    def _create_missing(self) -> None:
        """Create the journal first: a log with a journal is ours, one without is adopted."""
        if not self.journal_path.exists():
            packed = self._adopt() if self.path.exists() else journal.HEADER
            replace_file(self.journal_path, packed)
        if not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
            sync_folder(self.path.parent)

    def _adopt(self) -> bytes:
        """Return a journal for a log that has none, such as an exported or copied file."""
        unknown: list[str] = []
        with self.path.open("rb") as file:
            whole_lines = (line for line in file if line.endswith(b"\n"))
            packed, last = journal.journal_of(whole_lines, lambda seq, line: self._check_adopted(seq, line, unknown))
        if last.seq:
            self.notices.append(f"{self.path} had no journal; one was created for its {last.seq} episodes")
        if unknown:
            self.notices.append(
                f"{len(unknown)} of them, such as {unknown[0]}, have a principle that is not in the catalog and can"
                " never become advice; samsim memory verify lists them"
            )
        return packed

    def _check_adopted(self, seq: int, line: bytes, unknown: list[str]) -> None:
        try:
            entry = parse_line(line)
            sound = entry.episode_id == episode_id_of(seq) and canonical_line(entry) + b"\n" == line
            if find_principle(entry.correction.principle_id) is None:
                unknown.append(entry.episode_id)
        except SamsimError:
            sound = False
        if not sound:
            raise StoreError(
                f"{self.path} has no journal, and its line {seq} is not what a store writes as {episode_id_of(seq)};"
                " import the file into a new store instead"
            )

    def _check_header(self) -> None:
        if not journal.has_header(self._journal):
            raise self._damaged(f"{self.journal_path.name} is not a journal of this version")

    def _check_ends(self) -> None:
        """Check that the first and the last line are where the journal says; ``verify`` checks all others."""
        last = self.last()
        for seq in sorted({min(1, last.seq), last.seq} - {0}):
            for _ in self.lines(seq, seq):
                pass

    def _check_same_files(self) -> None:
        """Raise if the files were deleted or replaced in the meantime, because an append to them would be lost."""
        for fd, path in ((self._log, self.path), (self._open_journal(), self.journal_path)):
            try:
                same = os.path.samestat(os.fstat(fd), path.stat())
            except FileNotFoundError:
                same = False
            if not same:
                raise StoreError(f"{path} was replaced or deleted while it was open; open the store again")

    def _read(self, batch: list[Record]) -> Iterator[tuple[Record, bytes]]:
        if not batch:
            return
        begin = batch[0].start
        data = os.pread(self._log, batch[-1].end - begin, begin)
        for record in batch:
            line = data[record.start - begin : record.end - begin]
            if not record.matches(line):
                raise self._damaged(f"the line of {episode_id_of(record.seq)} is not what was written")
            yield record, line[:-1]

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"the memory store {self.path} is damaged: {what}. Restore it from a copy, or import the lines"
            " before the damage into a new store."
        )

    def _quarantine(self, last: Record) -> None:
        """Move the bytes that the journal does not cover out of the log, and cut half a record off the journal."""
        torn = os.fstat(self._log).st_size - last.end
        if torn > 0:
            place = self._free_torn_path()
            copy_out(self._log, last.end, place)
            os.ftruncate(self._log, last.end)
            sync(self._log)
            self.notices.append(
                f"{torn} bytes that a crashed writer left after {episode_id_of(last.seq)} are now in {place}"
            )
        journal_end = journal.offset_of(last.seq + 1)
        if os.fstat(self._journal).st_size > journal_end:
            os.ftruncate(self._journal, journal_end)
            sync(self._journal)

    def _free_torn_path(self) -> Path:
        number = 1
        while (place := beside(self.path, f".torn-{number}")).exists():
            number += 1
        return place

    def _cut_back(self, last: Record) -> None:
        """Undo a failed append. If even that fails, the next writer finds the leftovers and moves them."""
        with suppress(OSError):
            os.ftruncate(self._journal, journal.offset_of(last.seq + 1))
            os.ftruncate(self._log, last.end)
            sync(self._journal)
            sync(self._log)


def _cannot_open(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cannot open the memory store {path}: {why}. Name another file, or check this one and its folder."
    )
