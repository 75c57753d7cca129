"""A run folder that is being written.

After a crash, the disk holds for each finished sample its calls (traces), its scores (scorecards) and its decisions
(outputs), written in this order, sample by sample. A sample counts as finished if all three are whole.
``find_finished`` counts them, and ``recover`` cuts off the rest, which will be run again. Only one process writes to
a folder at a time.
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
from samsim.experiments.projection import SampleLines
from samsim.experiments.run_folder.plain_files import is_plain, open_plain, require_plain
from samsim.experiments.run_folder.recovering import RESTART, Found
from samsim.experiments.run_folder.retrying import RETRY_FOLDER
from samsim.json_text import read_json
from samsim.schemas.runs import Manifest

LOCK = ".lock"
# A power failure loses at most this much; a killed process loses nothing.
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
            datetime.fromisoformat(manifest.started)  # the timestamp of the episodes to be written
            return manifest
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise InputError(
                f"{self.path / MANIFEST} cannot be read by this version ({type(error).__name__}). {RESTART}"
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest atomically; it is never half written."""
        replace_file(self.path / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")

    def recover(self, found: Found) -> None:
        """Cut off everything after the finished samples, and open the files for appending."""
        for name in LINE_FILES:
            self._open_at(name, found.accepted[name])

    def keep_damaged(self) -> Path:
        """Copy the files of the samples to a new folder before they are cut off, and return it."""
        place = self._new_place("damaged")
        for name in LINE_FILES:
            if (self.path / name).exists():
                shutil.copyfile(self.path / name, place / name)
        return place

    def start_over(self) -> Path:
        """Move all files of the run to a new folder inside it, so that the run can start over, and return that folder.

        The manifest is moved last: if the process dies earlier, the run is still refused.
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
        """Write one sample; its outputs are written last and make it count as finished."""
        try:
            for name, data in ((TRACES, lines.traces), (SCORECARDS, lines.scorecard), (OUTPUTS, lines.outputs)):
                write_all(self._descriptors[name], data)
            if monotonic() - self._synced >= _SYNC_SECONDS:
                self.sync()
        except OSError as error:
            raise StoreError(
                f"Cannot write to {self.path}: {error.strerror}. Finished samples are kept: free disk space and rerun."
            ) from error

    def sync(self) -> None:
        """Make sure that what was written survives a power failure."""
        for descriptor in self._descriptors.values():
            sync(descriptor)
        self._synced = monotonic()

    def close(self) -> None:
        """Sync and close the files."""
        descriptors = list(self._descriptors.values())
        self._descriptors.clear()
        for descriptor in descriptors:
            # Samples that a full disk did not take are run again at the next start.
            with suppress(OSError):
                sync(descriptor)
            os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[RunFolder]:
    """Create the folder if necessary, lock it for this process, and close it at the end."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        require_plain(path, files=(LOCK, MANIFEST, STORE, *LINE_FILES), folders=(RETRY_FOLDER,))
    except OSError as error:
        raise ConfigError(f"Cannot write to {path}: {error.strerror}. Choose another run.out.") from error
    with _lock(path):
        folder = RunFolder(path)
        try:
            yield folder
        except OSError as error:
            if error.filename is None:
                raise
            raise StoreError(
                f"Cannot read or write {error.filename}: {error.strerror}. Finished samples are kept: check the path"
                " and the disk, then run it again."
            ) from error
        finally:
            folder.close()


@contextmanager
def all_locked(experiment: Path) -> Iterator[None]:
    """Lock every run folder of an experiment, so that no other process writes to it."""
    with ExitStack() as stack:
        for lock in (*experiment.glob(LOCK), *experiment.glob(f"*/{LOCK}")):
            # A lock that is not a regular file is not held by a run.
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
            raise ConfigError(f"Cannot write to {path}: {error.strerror}. Choose another run.out.") from error
        yield
