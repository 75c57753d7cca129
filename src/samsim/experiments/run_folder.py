"""A run folder while it is written.

What is on disk after a crash: of each finished sample its calls (traces), its worth (scorecards) and
its decisions (outputs), written in this order, sample after sample. A sample counts as finished when
all three are whole; ``recover`` finds how many are and cuts off the rest, which will be done again.
One process writes to a folder at a time.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import ValidationError

from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments.artefacts import MANIFEST, OUTPUTS, SCORECARDS, TRACES
from samsim.experiments.projection import SampleLines
from samsim.json_text import JsonError, read_json
from samsim.memory.store_jsonl_io import replace_file
from samsim.schemas.runs import Manifest
from samsim.schemas.scorecards import UsageRecord

LOCK = ".lock"
# In the order of writing: the last one makes a sample count.
_FILES = (TRACES, SCORECARDS, OUTPUTS)
# Power cuts lose at most this; the death of the process loses nothing.
_SYNC_SECONDS = 1.0


@dataclass(slots=True)
class Finished:
    """What a run has done so far: a row per sample, in order."""

    wrote_episode: list[bool] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)
    damage: str | None = None
    """What was found damaged and where the old files are kept, in words."""

    @property
    def samples(self) -> int:
        """How many samples are finished, failed ones included."""
        return len(self.failed)

    @property
    def errors(self) -> int:
        """How many of them failed."""
        return sum(self.failed)

    def episodes(self, samples: int | None = None) -> int:
        """How many episodes the first samples (all by default) wrote."""
        return sum(self.wrote_episode[:samples])

    def add(self, *, failed: bool, wrote_episode: bool) -> None:
        """Count one more sample."""
        self.failed.append(failed)
        self.wrote_episode.append(wrote_episode)


class RunFolder:
    """The files of one run, open for writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptors: dict[str, int] = {}
        self._synced = monotonic()

    def read_manifest(self) -> Manifest | None:
        """The manifest, if the run was begun before."""
        try:
            return Manifest.model_validate(read_json((self.path / MANIFEST).read_bytes()))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise InputError(
                f"{self.path / MANIFEST} cannot be read by this version ({type(error).__name__})."
                " Move the folder away or use --restart."
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest at once; it is never half there."""
        replace_file(self.path / MANIFEST, manifest.model_dump_json(indent=2).encode() + b"\n")

    def is_whole(self, samples: int) -> bool:
        """Whether the files hold what a manifest says is done: a line per sample, and the traces."""
        counted = [_count_lines(self.path / name) for name in (OUTPUTS, SCORECARDS)]
        return counted == [samples, samples] and (self.path / TRACES).exists()

    def recover(self, uids: Sequence[str]) -> Finished:
        """Find the finished samples among ``uids``, cut off what is behind them, and be ready to append.

        A killed run leaves one unfinished sample. Where more is lost, the files were damaged: they are
        kept beside before they are cut.
        """
        readers = {name: _LineReader(self.path / name, recorded=name == TRACES) for name in _FILES}
        finished = Finished()
        for uid in uids:
            row, card = readers[OUTPUTS].next(), readers[SCORECARDS].next()
            if row is None or card is None:
                break
            if row.get("uid") != uid or card.get("uid") != uid:
                raise InputError(
                    f"{self.path} holds sample {row.get('uid')!r} where {uid!r} is expected: its files do not"
                    " belong to this data. Move the folder away or use --restart."
                )
            calls = _calls_of(card)
            if calls is None or not readers[TRACES].skip(uid, calls):
                break
            memory = card.get("memory")
            wrote = isinstance(memory, dict) and memory.get("episode_id") is not None
            finished.add(failed="error" in row, wrote_episode=wrote)
            for reader in readers.values():
                reader.accept()
        if readers[OUTPUTS].whole_lines_left() > 1:
            finished.damage = self._keep_damaged(finished.samples)
        for name in _FILES:
            self._open_at(name, readers[name].accepted)
        return finished

    def _keep_damaged(self, sound: int) -> str:
        number = 1
        while (place := self.path / f"damaged-{number}").exists():
            number += 1
        place.mkdir()
        for name in _FILES:
            if (self.path / name).exists():
                shutil.copyfile(self.path / name, place / name)
        return (
            f"the files of {self.path} are damaged behind sample {sound}; they are kept in {place}, and the samples"
            " from there on are done again"
        )

    def _open_at(self, name: str, size: int) -> None:
        descriptor = os.open(self.path / name, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
        os.ftruncate(descriptor, size)
        os.lseek(descriptor, size, os.SEEK_SET)
        self._descriptors[name] = descriptor

    def append(self, lines: SampleLines) -> None:
        """Write one sample; its outputs come last and make it count."""
        try:
            for name, data in ((TRACES, lines.traces), (SCORECARDS, lines.scorecard), (OUTPUTS, lines.outputs)):
                _write_all(self._descriptors[name], data)
            if monotonic() - self._synced >= _SYNC_SECONDS:
                self.sync()
        except OSError as error:
            raise StoreError(
                f"Cannot write to {self.path}: {error.strerror}. What is done is kept: make room and run it again."
            ) from error

    def sync(self) -> None:
        """Bring what was written through a power cut."""
        for descriptor in self._descriptors.values():
            os.fsync(descriptor)
        self._synced = monotonic()

    def close(self) -> None:
        """Sync and close the files."""
        descriptors = list(self._descriptors.values())
        self._descriptors.clear()
        for descriptor in descriptors:
            # What a full disk did not take is done again at the next start.
            with suppress(OSError):
                os.fsync(descriptor)
            os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[RunFolder]:
    """The folder (made if need be), locked for this process and closed at the end."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"Cannot write to {path}: {error.strerror}. Set run.out to another place.") from error
    with _lock(path):
        folder = RunFolder(path)
        try:
            yield folder
        finally:
            folder.close()


@contextmanager
def all_locked(experiment: Path) -> Iterator[None]:
    """Every run folder of an experiment, locked: nobody writes to it meanwhile."""
    with ExitStack() as stack:
        for lock in (*experiment.glob(LOCK), *experiment.glob(f"*/{LOCK}")):
            stack.enter_context(_lock(lock.parent))
        yield


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    try:
        descriptor = os.open(path / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise ConfigError(f"Cannot write to {path}: {error.strerror}. Set run.out to another place.") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"{path} is being written by another samsim run. Wait for it, or stop it.") from None
        yield
    finally:
        os.close(descriptor)


class _LineReader:
    """Reads whole JSON lines and knows up to where they were accepted."""

    def __init__(self, path: Path, *, recorded: bool) -> None:
        self._recorded = recorded
        self._file = path.open("rb") if path.exists() else None
        self._position = 0
        self.accepted = 0

    def next(self) -> dict[str, Any] | None:
        """The next whole line, or None where there is none that can be read."""
        raw = self._file.readline() if self._file is not None else b""
        if not raw.endswith(b"\n"):
            return None
        try:
            row = read_json(raw, recorded=self._recorded)
        except JsonError:
            return None
        self._position += len(raw)
        return row if isinstance(row, dict) else None

    def skip(self, uid: str, count: int) -> bool:
        """Whether the next ``count`` lines are whole and belong to the sample."""
        for _ in range(count):
            row = self.next()
            if row is None or row.get("uid") != uid:
                return False
        return True

    def whole_lines_left(self) -> int:
        """How many lines there are behind what was accepted."""
        if self._file is None:
            return 0
        self._file.seek(self.accepted)
        return sum(line.endswith(b"\n") for line in self._file)

    def accept(self) -> None:
        """What was read so far stays."""
        self.accepted = self._position


def _calls_of(card: dict[str, Any]) -> int | None:
    """How many calls a scorecard speaks of; None where it is not to be understood."""
    try:
        return UsageRecord.model_validate(card.get("usage")).calls
    except ValidationError:
        return None


def _count_lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
