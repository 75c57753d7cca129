"""The journal of a JSONL store: which bytes of the log are completely written episodes.

After a crash, the log may end in a torn line and the journal in a torn record; both come after the last
valid record, and only what a valid record covers counts. Records have a fixed size, so episode n is
found without reading the log. Each has a running checksum over all lines up to its own, so one record
identifies the whole history; an index snapshot is matched by it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

HEADER = b"samsim episode journal 1\n".ljust(32, b"\0")
_FIELDS = struct.Struct("<QQIII")
_CHECK = struct.Struct("<I")
RECORD_SIZE = _FIELDS.size + _CHECK.size
# Records per read when iterating over many: 256 KB at a time.
_BATCH = 8192


class Record(NamedTuple):
    """The position of one line of the log, and the checksums that verify it."""

    seq: int
    end: int
    """The offset after the line's newline."""
    length: int
    """The bytes of the line, including the newline."""
    crc: int
    chain: int
    """A checksum over the checksums of all lines up to this one."""

    @property
    def start(self) -> int:
        """The offset of the line's first byte."""
        return self.end - self.length

    def follow(self, line: bytes) -> Record:
        """Return the record of ``line`` (including the newline) written right after this one."""
        crc = zlib.crc32(line)
        chain = zlib.crc32(_CHECK.pack(crc), self.chain)
        return Record(self.seq + 1, self.end + len(line), len(line), crc, chain)

    def matches(self, line: bytes) -> bool:
        """Return whether ``line`` (including the newline) is the one this record was made for."""
        return len(line) == self.length and zlib.crc32(line) == self.crc

    def pack(self) -> bytes:
        """Return the record's bytes, with a checksum of their own."""
        fields = _FIELDS.pack(*self)
        return fields + _CHECK.pack(zlib.crc32(fields))


START = Record(0, 0, 0, 0, 0)
"""The last record of an empty store."""


def unpack(data: bytes) -> Record | None:
    """Return the record in ``data``, or None if it is torn or damaged."""
    if len(data) != RECORD_SIZE or _CHECK.pack(zlib.crc32(data[: _FIELDS.size])) != data[_FIELDS.size :]:
        return None
    return Record(*_FIELDS.unpack_from(data))


def offset_of(seq: int) -> int:
    """Return where in the journal the record of episode ``seq`` starts."""
    return len(HEADER) + (seq - 1) * RECORD_SIZE


def record_at(fd: int, seq: int) -> Record | None:
    """Return the record of episode ``seq``, or None if there is no valid one."""
    if seq < 1:
        return START if seq == 0 else None
    record = unpack(os.pread(fd, RECORD_SIZE, offset_of(seq)))
    return record if record is not None and record.seq == seq else None


def last_record(fd: int) -> Record:
    """Return the newest valid record; needs no lock, because a record counts only if it is complete."""
    seq = max(0, (os.fstat(fd).st_size - len(HEADER)) // RECORD_SIZE)
    while (record := record_at(fd, seq)) is None:
        seq -= 1
    return record


def records(fd: int, first: int, last: int) -> Iterator[Record]:
    """Yield the records of episodes ``first`` to ``last``; stop at the first invalid one."""
    for begin in range(first, last + 1, _BATCH):
        count = min(_BATCH, last + 1 - begin)
        data = os.pread(fd, count * RECORD_SIZE, offset_of(begin))
        for number in range(count):
            record = unpack(data[number * RECORD_SIZE : (number + 1) * RECORD_SIZE])
            if record is None or record.seq != begin + number:
                return
            yield record


def has_header(fd: int) -> bool:
    """Return whether the file is a journal of this version."""
    return os.pread(fd, len(HEADER), 0) == HEADER


def journal_of(lines: Iterable[bytes], check: Callable[[int, bytes], None]) -> tuple[bytes, Record]:
    """Return a complete journal for ``lines`` (including newlines) and its last record; ``check`` gets each line."""
    last, packed = START, bytearray(HEADER)
    for line in lines:
        last = last.follow(line)
        check(last.seq, line)
        packed += last.pack()
    return bytes(packed), last
