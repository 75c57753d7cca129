"""The files of a run folder are plain files: nothing is read from a pipe, or passes through a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from samsim.errors import InputError, StoreError
from samsim.schemas.run_problems import USE_RESTART

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_plain(path: Path) -> BinaryIO:
    """Return a file of a run, open for reading; a missing one is a ``FileNotFoundError``."""
    try:
        # Without waiting: a pipe that nobody writes to would be waited for until the end of days.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _not_of_a_run(path, stat.S_IFLNK) from error
        raise InputError(f"Cannot read {path}: {error.strerror}. Check the file, or repeat the run.") from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise _not_of_a_run(path, mode)
    return os.fdopen(descriptor, "rb")


def _not_of_a_run(path: Path, mode: int) -> InputError:
    return InputError(f"{path} is {_kind(mode)}, not a file of a run. Put the file back, or repeat the run.")


def is_plain(path: Path) -> bool:
    """Return whether there is a file of its own, no link to one."""
    return path.is_file() and not path.is_symlink()


def require_plain(folder: Path, *, files: tuple[str, ...], folders: tuple[str, ...]) -> None:
    """Refuse to write to a folder in which something else stands in the place of a file or a folder of a run.

    ``files`` are what their names begin with, ``folders`` are names; what is in those is looked at too.
    """
    for entry in _entries(folder):
        if entry.name in folders:
            _require(entry, stat.S_IFDIR)
            for inner in _entries(folder / entry.name):
                _require(inner, stat.S_IFREG)
        elif entry.name.startswith(files):
            _require(entry, stat.S_IFREG)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        yield from sorted(found, key=lambda entry: entry.name)


def _require(entry: os.DirEntry[str], wanted: int) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_IFMT(mode) != wanted:
        raise StoreError(
            f"{entry.path} is {_kind(mode)} where a run has {_kind(wanted)} of its own, so nothing is written."
            f" Remove it, move the run's folder away, or {USE_RESTART}."
        )


def _kind(mode: int) -> str:
    return next((name for test, name in _KINDS if test(mode)), "a file")
