"""Durable writing and locking of plain files, for episodic stores and run folders alike."""

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
    """Return the file of that suffix beside ``path``."""
    return path.with_name(path.name + suffix)


def is_no_file(path: Path) -> bool:
    """Return whether something else than a file stands there: a pipe would be waited for, a device read without end."""
    return path.exists() and not path.is_file()


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` into ``path`` at once: a reader or a crash sees the old file or the new one."""
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
    """Open a file that gets its name only when everything is written; nothing is left of one that failed.

    Raises:
        ConfigError: there is such a file already and it is not to be overwritten, or it cannot be written.
    """
    if is_no_file(path):
        raise ConfigError(f"{path} is not a regular file. Give another name.")
    if path.exists() and not overwrite:
        raise ConfigError(
            f"{path} exists already. Use --force (in Python: overwrite=True) to overwrite it, or another name."
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
    """An exclusive lock between processes; opened anew each time, so that a forked child has its own.

    Without ``wait`` a lock that somebody else has is a ``BlockingIOError``.
    """
    import fcntl

    fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes | bytearray, offset: int | None = None) -> None:
    """Write every byte, at ``offset`` or where the file stands.

    A disk that fills up takes a part first and fails at the next call.
    """
    rest = memoryview(data)
    done = 0
    while done < len(rest):
        left = rest[done:]
        done += os.write(fd, left) if offset is None else os.pwrite(fd, left, offset + done)


def copy_out(fd: int, start: int, place: Path) -> None:
    """Copy all bytes from ``start`` on into a new file, durably."""
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
    # fdatasync also writes a changed size, which is all a log needs; not every system has it.
    getattr(os, "fdatasync", os.fsync)(fd)


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable: a new file can be lost with its name."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
