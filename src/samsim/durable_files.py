"""Durable writing and locking of files, for episodic stores and run folders."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from samsim.errors import ConfigError

BYTES_AT_ONCE = 1 << 20
TEMPORARY = ".tmp"
PARTIAL = ".partial"


def beside(path: Path, suffix: str) -> Path:
    """Return ``path`` with the suffix added to its name."""
    return path.with_name(path.name + suffix)


def is_no_file(path: Path) -> bool:
    """Return whether the path is not a regular file: reading a pipe could block, and a device may never end."""
    return path.exists() and not path.is_file()


def replace_file(path: Path, data: bytes) -> None:
    """Replace ``path`` atomically: a reader, or a crash, sees either the old file or the new one."""
    temporary = beside(path, f".{os.getpid()}-{threading.get_ident()}{TEMPORARY}")
    try:
        fd = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            write_all(fd, data, 0)
            sync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


@contextmanager
def new_file(path: Path, *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that gets its name only when it is complete; after a failure nothing is left.

    Raises:
        ConfigError: the file already exists and ``overwrite`` is false, or it cannot be written.
    """
    if is_no_file(path):
        raise ConfigError(f"{path} is not a regular file. Give another name.")
    if path.exists() and not overwrite:
        raise ConfigError(
            f"{path} already exists. Use --force (in Python: overwrite=True) to overwrite it, or choose another name."
        )
    partial = beside(path, PARTIAL)
    try:
        file = partial.open("wb")
    except OSError as error:
        raise ConfigError(f"Cannot write {partial}: {error.strerror}. Check its folder.") from None
    try:
        with file:
            yield file
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    partial.replace(path)


@contextmanager
def file_lock(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold an exclusive lock between processes; the file is opened each time, so a forked child has its own lock.

    Without ``wait``, a lock held by another process raises a ``BlockingIOError``.
    """
    import fcntl

    fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes | bytearray, offset: int | None = None) -> None:
    """Write every byte, at ``offset`` or at the current position.

    A disk that fills up accepts a part first and fails at the next call.
    """
    rest = memoryview(data)
    done = 0
    while done < len(rest):
        left = rest[done:]
        done += os.write(fd, left) if offset is None else os.pwrite(fd, left, offset + done)


def copy_out(fd: int, start: int, place: Path) -> None:
    """Copy all bytes from ``start`` on to a new file, durably."""
    try:
        with place.open("xb") as file:
            while data := os.pread(fd, BYTES_AT_ONCE, start):
                file.write(data)
                start += len(data)
            file.flush()
            sync(file.fileno())
    except OSError:
        place.unlink(missing_ok=True)
        raise
    sync_folder(place.parent)


def sync(fd: int) -> None:
    """Make what was written to ``fd`` durable."""
    # fdatasync also flushes a changed size, which is all a log needs; not every system has it.
    getattr(os, "fdatasync", os.fsync)(fd)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable; otherwise a crash can lose a new file with its name."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
