"""Find out how many samples of a run folder are finished, and whether this cell wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from samsim.errors import InputError
from samsim.experiments.artefacts import LINE_FILES, OUTPUTS, SCORECARDS, TRACES, changed_line, foreign_line
from samsim.experiments.run_folder.plain_files import open_plain
from samsim.experiments.run_folder.signing import cell_digest, is_as_written, take_signature
from samsim.json_text import JsonError, read_json
from samsim.memory.store import episode_id_of
from samsim.schemas.results import Completeness, SampleResult
from samsim.schemas.run_problems import USE_RESTART
from samsim.schemas.runs import Manifest
from samsim.schemas.scorecards import Scorecard

RESTART = f"Move the folder away or {USE_RESTART}."


@dataclass(slots=True)
class Finished:
    """What a run has finished so far: one entry per sample, in order."""

    wrote_episode: list[bool] = field(default_factory=list)
    completeness: list[Completeness] = field(default_factory=list)

    @property
    def samples(self) -> int:
        """How many samples are finished, failed ones included."""
        return len(self.completeness)

    @property
    def errors(self) -> int:
        """How many of them failed."""
        return self.completeness.count("failed")

    @property
    def partial(self) -> int:
        """How many of them were decided without some of their calls."""
        return self.completeness.count("partial")

    @property
    def incomplete(self) -> list[int]:
        """The positions of the failed and partial samples, which can be run again."""
        return [place for place, completeness in enumerate(self.completeness) if completeness != "complete"]

    def episodes(self, samples: int | None = None) -> int:
        """Return how many episodes the first samples (all by default) wrote."""
        return sum(self.wrote_episode[:samples])

    def become(self, other: Finished) -> None:
        """Take over the state of another instance."""
        self.completeness, self.wrote_episode = other.completeness, other.wrote_episode

    def add(self, completeness: Completeness, *, wrote_episode: bool) -> None:
        """Count one more sample."""
        self.completeness.append(completeness)
        self.wrote_episode.append(wrote_episode)


@dataclass(frozen=True, slots=True)
class Found:
    """The finished samples, the size of their lines in each file, and what comes after them.

    ``whole_lines_behind`` counts lines of the outputs; a killed run leaves at most one.
    """

    finished: Finished
    accepted: dict[str, int]
    whole_lines_behind: int
    nothing_behind: bool


def find_finished(folder: Path, uids: Sequence[str], manifest: Manifest) -> Found:
    """Return the finished samples among ``uids``, without changing anything.

    A sample is finished if its lines are whole in all three files. Lines of another cell or of other samples are an
    error, not damage: they may be worth keeping.
    """
    digest = cell_digest(manifest)
    readers = {name: _LineReader(folder / name, digest, sealed=manifest.line_digests) for name in LINE_FILES}
    finished, next_episode = Finished(), manifest.store_base_seq + 1
    try:
        for uid in uids:
            row, card = readers[OUTPUTS].next(), readers[SCORECARDS].next()
            if row is None or card is None:
                break
            if {row.get("uid"), card.get("uid")} != {uid}:
                other = row.get("uid") if row.get("uid") != uid else card.get("uid")
                raise InputError(
                    f"{folder} holds sample {other!r} but {uid!r} was expected: its files do not belong to this data."
                    f" {RESTART}"
                )
            known = _read(row, card)
            if known is None or not readers[TRACES].skip(uid, known[1].usage.calls):
                break
            completeness, worth = known
            episode = None if worth.memory is None else worth.memory.episode_id
            if episode is not None and episode != episode_id_of(next_episode):
                break
            next_episode += episode is not None
            finished.add(completeness, wrote_episode=episode is not None)
            for reader in readers.values():
                reader.accept()
        return Found(
            finished,
            {name: reader.accepted for name, reader in readers.items()},
            readers[OUTPUTS].whole_lines_left(),
            all(reader.is_at_end() for reader in readers.values()),
        )
    finally:
        for reader in readers.values():
            reader.close()


@dataclass(frozen=True, slots=True)
class Loss:
    """Finished samples that the files of a run no longer hold, and why, in words.

    ``recorded`` counts those that were there when the run ended: their files were removed or damaged later.
    """

    samples: int
    recorded: int
    why: str


def find_loss(folder: Path, manifest: Manifest, found: Found) -> Loss | None:
    """Return what is lost beyond the one sample that a killed run leaves unfinished, or None."""
    sound = found.finished.samples
    wanted = manifest.done if manifest.run_over is None else min(manifest.done, manifest.run_over.samples)
    # A run that was killed may have been in the middle of a retry.
    recorded = 0 if manifest.status == "running" else max(wanted - sound, 0)
    if not recorded and found.whole_lines_behind <= 1:
        return None
    missing = [name for name in LINE_FILES if not (folder / name).exists()]
    verb = "is" if len(missing) == 1 else "are"
    why = f"{', '.join(missing)} {verb} missing" if missing else f"its files are damaged after sample {sound}"
    return Loss(max(recorded, found.whole_lines_behind), recorded, f"{folder}: {why}")


class _LineReader:
    """Reads whole JSON lines of one cell and keeps the position up to which they were accepted."""

    def __init__(self, path: Path, digest: str | None, *, sealed: bool) -> None:
        self._path = path
        self._digest = digest
        self._sealed = sealed
        self._file: BinaryIO | None = None
        with suppress(FileNotFoundError):
            self._file = open_plain(path)
        self._position = 0
        self.accepted = 0

    def next(self) -> dict[str, Any] | None:
        """Return the next whole line, or None if there is none or it cannot be read."""
        raw = self._file.readline() if self._file is not None else b""
        if not raw.endswith(b"\n"):
            return None
        try:
            row = read_json(raw, recorded=self._path.name == TRACES)
        except JsonError:
            return None
        self._position += len(raw)
        if not isinstance(row, dict) or not isinstance(row.get("uid"), str):
            return None
        signature = take_signature(row)
        if signature is not None and signature != self._digest:
            raise InputError(f"{foreign_line(self._path, row['uid'], signature)} {RESTART}")
        if signature is not None and self._sealed and not is_as_written(raw):
            raise InputError(f"{changed_line(self._path, row['uid'])} Put the file back, or start over. {RESTART}")
        # Without a signature it is unknown what made the line, so it counts as damage.
        return row if signature == self._digest else None

    def skip(self, uid: str, count: int) -> bool:
        """Skip ``count`` lines; return whether they are whole, of this sample, and in the order of its calls."""
        before = -1
        for _ in range(count):
            row = self.next()
            order = None if row is None else row.get("order")
            if row is None or row["uid"] != uid or not isinstance(order, int) or order <= before:
                return False
            before = order
        return True

    def whole_lines_left(self) -> int:
        """Return the number of whole lines after the accepted ones."""
        if self._file is None:
            return 0
        self._file.seek(self.accepted)
        return sum(line.endswith(b"\n") for line in self._file)

    def is_at_end(self) -> bool:
        """Return whether the file exists and ends after the accepted lines."""
        if self._file is None:
            return False
        self._file.seek(self.accepted)
        return not self._file.read(1)

    def accept(self) -> None:
        """Accept everything that was read so far."""
        self.accepted = self._position

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _read(row: dict[str, Any], card: dict[str, Any]) -> tuple[Completeness, Scorecard] | None:
    """Return the completeness of a sample and its scorecard; None if a line is not what a run writes."""
    try:
        failed = isinstance(row.get("error"), str)
        completeness: Completeness = "failed" if failed else SampleResult.model_validate(row).completeness
        return completeness, Scorecard.model_validate(card)
    except ValidationError:
        return None
