"""A run folder while it is written.

What is on disk after a crash: of each finished sample its calls (traces), its worth (scorecards) and
its decisions (outputs), written in this order, sample after sample. A sample counts as finished when
all three are whole; ``find_finished`` tells how many are, and ``recover`` cuts off the rest, which will be
done again. One process writes to a folder at a time.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic

from samsim.durable_files import file_lock, replace_file, sync, write_all
from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments.artefacts import LINE_FILES, MANIFEST, OUTPUTS, SCORECARDS, STORE, TRACES
from samsim.experiments.plain_files import is_plain, open_plain, require_plain
from samsim.experiments.projection import SampleLines
from samsim.experiments.recovering import RESTART, Found
from samsim.experiments.retrying import RETRY_FOLDER
from samsim.json_text import read_json
from samsim.schemas.runs import Manifest

LOCK = ".lock"
# Power cuts lose at most this; the death of the process loses nothing.
_SYNC_SECONDS = 1.0


class RunFolder:
    """The files of one run, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptors: dict[str, int] = {}
        self._synced = monotonic()

    def read_manifest(self) -> Manifest | None:
        """Return the manifest, if the run was started before."""
        try:
            with open_plain(self.path / MANIFEST) as file:
                manifest = Manifest.model_validate(read_json(file.read()))
            datetime.fromisoformat(manifest.started)  # the clock of the episodes that are still to be written
            return manifest
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise InputError(
                f"{self.path / MANIFEST} cannot be read by this version ({type(error).__name__}). {RESTART}"
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest at once; it is never half there."""
        replace_file(self.path / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")

    def recover(self, found: Found) -> None:
        """Cut off what is behind the finished samples, and be ready to append."""
        for name in LINE_FILES:
            self._open_at(name, found.accepted[name])

    def keep_damaged(self) -> Path:
        """Copy the files of the samples beside, before anything of them is cut; returns where they are."""
        place = self._new_place("damaged")
        for name in LINE_FILES:
            if (self.path / name).exists():
                shutil.copyfile(self.path / name, place / name)
        return place

    def start_over(self) -> Path:
        """Move everything of the run into a folder inside, so that it can start over; returns where it is now.

        The manifest goes last: whoever dies before leaves a run that is still refused.
        """
        place = self._new_place("replaced")
        stores = sorted(path.name for path in self.path.glob(f"{STORE}*"))
        for name in (RETRY_FOLDER, *LINE_FILES, *stores, MANIFEST):
            if os.path.lexists(self.path / name):
                (self.path / name).rename(place / name)
        return place

    def _new_place(self, name: str) -> Path:
        number = 1
        while os.path.lexists(place := self.path / f"{name}-{number}"):
            number += 1
        place.mkdir()
        return place

    def _open_at(self, name: str, size: int) -> None:
        flags = os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.path / name, flags, 0o644)
        os.ftruncate(descriptor, size)
        os.lseek(descriptor, size, os.SEEK_SET)
        self._descriptors[name] = descriptor

    def append(self, lines: SampleLines) -> None:
        """Write one sample; its outputs come last and make it count."""
        try:
            for name, data in ((TRACES, lines.traces), (SCORECARDS, lines.scorecard), (OUTPUTS, lines.outputs)):
                write_all(self._descriptors[name], data)
            if monotonic() - self._synced >= _SYNC_SECONDS:
                self.sync()
        except OSError as error:
            raise StoreError(
                f"Cannot write to {self.path}: {error.strerror}. What is done is kept: make room and run it again."
            ) from error

    def sync(self) -> None:
        """Bring what was written through a power cut."""
        for descriptor in self._descriptors.values():
            sync(descriptor)
        self._synced = monotonic()

    def close(self) -> None:
        """Sync and close the files."""
        descriptors = list(self._descriptors.values())
        self._descriptors.clear()
        for descriptor in descriptors:
            # What a full disk did not take is done again at the next start.
            with suppress(OSError):
                sync(descriptor)
            os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[RunFolder]:
    """The folder (made if need be), locked for this process and closed at the end."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        require_plain(path, files=(LOCK, MANIFEST, STORE, *LINE_FILES), folders=(RETRY_FOLDER,))
    except OSError as error:
        raise ConfigError(f"Cannot write to {path}: {error.strerror}. Set run.out to another place.") from error
    with _lock(path):
        folder = RunFolder(path)
        try:
            yield folder
        except OSError as error:
            if error.filename is None:
                raise
            raise StoreError(
                f"Cannot read or write {error.filename}: {error.strerror}. What is done is kept: check the place and"
                " the disk, then run it again."
            ) from error
        finally:
            folder.close()


@contextmanager
def all_locked(experiment: Path) -> Iterator[None]:
    """Every run folder of an experiment, locked: nobody writes to it meanwhile."""
    with ExitStack() as stack:
        for lock in (*experiment.glob(LOCK), *experiment.glob(f"*/{LOCK}")):
            # Nobody writes behind a lock that is none.
            if is_plain(lock):
                stack.enter_context(_lock(lock.parent))
        yield


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(file_lock(path / LOCK, wait=False))
        except BlockingIOError:
            raise ConfigError(f"{path} is being written by another samsim run. Wait for it, or stop it.") from None
        except OSError as error:
            raise ConfigError(f"Cannot write to {path}: {error.strerror}. Set run.out to another place.") from error
        yield
