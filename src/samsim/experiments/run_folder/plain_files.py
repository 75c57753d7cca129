"""Safe access to run folders: only regular files are read or written, never pipes, devices or links."""

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
    """Open a file of a run for reading; a missing file raises ``FileNotFoundError``."""
    try:
        # Do not block: opening a pipe without a writer would wait forever.
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
    """Return whether the path is a regular file, not a link to one."""
    return path.is_file() and not path.is_symlink()


def require_plain(folder: Path, *, files: tuple[str, ...], folders: tuple[str, ...]) -> None:
    """Raise if a file or folder of a run is something else, such as a link, before anything is written.

    ``files`` are prefixes of file names, ``folders`` are names of folders; the files in those are checked too.
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
            f"{entry.path} is {_kind(mode)}, but a run needs {_kind(wanted)} there, so nothing is written."
            f" Remove it, move the run's folder away, or {USE_RESTART}."
        )


def _kind(mode: int) -> str:
    return next((name for test, name in _KINDS if test(mode)), "a file")
