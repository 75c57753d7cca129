"""Read a run back from disk: the manifest, and the samples with their decisions and scores.

Each fact is in one file. ``Run.samples`` joins outputs and scorecards by ``uid`` and refuses lines that another cell
wrote. Nothing here can call an engine or look up gold: ``Run.problems`` reports whatever the files lack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from samsim.errors import InputError, UnknownKeyError, unknown_key
from samsim.experiments.run_folder.plain_files import open_plain
from samsim.experiments.run_folder.signing import cell_digest, is_as_written, take_signature
from samsim.json_text import JsonError, read_json
from samsim.notebook import DataFrame, Row, data_frame
from samsim.plurals import how_many
from samsim.schemas.results import RESULT_COLUMNS, Completeness, SampleResult, missing_words
from samsim.schemas.run_problems import RunProblem, UnreadableRunError
from samsim.schemas.runs import CELL_DIGEST, FORMAT_VERSION, LINE_DIGEST, DataRecord, Manifest
from samsim.schemas.scorecards import Scorecard
from samsim.validation_words import in_words

MANIFEST = "manifest.json"
OUTPUTS = "outputs.jsonl"
TRACES = "traces.jsonl"
SCORECARDS = "scorecards.jsonl"
STORE = "store.jsonl"
# In the order they are written: the last one makes a sample count as finished.
LINE_FILES = (TRACES, SCORECARDS, OUTPUTS)

# One row per opinion of a run.
RUN_COLUMNS = (*RESULT_COLUMNS, "error")

_BLOCK = 1 << 20
_REPEAT = "Repeat the run."
_PUT_BACK = "Put the file back, or repeat the run."
# Fields that are written to the scorecard instead of the outputs.
IN_SCORECARDS = ("memory", "evaluation")


@dataclass(frozen=True, slots=True)
class RunSample:
    """One sample of a run: its result or its error, and its scorecard if there is one."""

    uid: str
    result: SampleResult | None
    error: str | None
    card: Scorecard | None

    @property
    def completeness(self) -> Completeness:
        """Whether the sample was decided with all its calls, without some of them, or not at all."""
        return "failed" if self.result is None else self.result.completeness

    def to_rows(self) -> list[Row]:
        """Return one row per opinion, as ``SampleResult.to_rows`` does; of a failed sample, one with its ``error``."""
        if self.result is not None:
            return [{**row, "error": None} for row in self.result.to_rows()]
        return [{**dict.fromkeys(RUN_COLUMNS), "uid": self.uid, "completeness": "failed", "error": self.error}]

    def to_dataframe(self) -> DataFrame:
        """Return the rows of ``to_rows`` as a pandas data frame."""
        return data_frame(self.to_rows(), RUN_COLUMNS)

    def _repr_html_(self) -> str:
        from samsim.experiments.run_html import sample_html  # only needed in notebooks

        return sample_html(self)


class Run:
    """One run, read from its folder: ``run["ko-030"]`` is a sample, ``for sample in run`` iterates over all of them.

    ``"ko-030" in run`` tells whether there is such a sample, and ``run.uids`` are all ids.
    Lines are read on demand, so a long run does not fill the memory.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest

    @property
    def name(self) -> str:
        """The name of the run in tables."""
        return self.manifest.cell.cell_id

    @property
    def data(self) -> DataRecord | None:
        """The data it was run over: the texts to evaluate, or those that fill the memory."""
        return self.manifest.run_over

    @cached_property
    def problems(self) -> tuple[RunProblem, ...]:
        """What is missing from the run, and which measures cannot be computed without it.

        This is judged by the files themselves, not by what the manifest says was done.
        """
        outputs, cards = (_count_lines(self.path / name) for name in (OUTPUTS, SCORECARDS))
        found = [RunProblem("no_outputs")] if outputs is None else list(self._lost_outputs(outputs))
        if cards is None:
            found.append(RunProblem("no_scorecards"))
        elif outputs is not None and cards != outputs:
            found.append(RunProblem("fewer_scorecards", {"scorecards": cards, "outputs": outputs}))
        if not _is_there(self.path / TRACES):
            found.append(RunProblem("no_traces"))
        if self.manifest.settings_hash is None:
            found.append(RunProblem("unmarked_lines", {"version": self.manifest.versions.get("samsim", "of old")}))
        return tuple(found)

    def _lost_outputs(self, lines: int) -> Iterator[RunProblem]:
        done = self.manifest.done
        wanted = max(done, 0 if self.data is None else self.data.samples)
        counts = {"outputs": lines, "samples": wanted}
        if lines < done:
            yield RunProblem("lost_outputs", {**counts, "done": done})
        elif lines < wanted:
            yield RunProblem("unfinished", {**counts, "status": self.manifest.status})
        elif lines > wanted:
            yield RunProblem("too_many_outputs", counts)

    def samples(self) -> Iterator[RunSample]:
        """Yield every finished sample, in order, with its scorecard; lines of another cell raise an ``InputError``."""
        return (self._sample(row, card) for row, card in self._rows())

    __iter__ = samples

    def __len__(self) -> int:
        """Return the number of finished samples."""
        return _count_lines(self.path / OUTPUTS) or 0

    def __bool__(self) -> bool:
        """Return True even without samples: it is still a run."""
        return True

    @property
    def uids(self) -> tuple[str, ...]:
        """The ids of the finished samples, in order."""
        return tuple(row["uid"] for row, _ in self._rows())

    def __contains__(self, sample: object) -> bool:
        """Say whether the run has a finished sample of that id, or this very sample."""
        if isinstance(sample, RunSample):
            return any(sample == own for own in self)
        return any(row["uid"] == sample for row, _ in self._rows())

    def __getitem__(self, uid: str) -> RunSample:
        """Return the sample with that id; an unknown id raises an ``InputError`` that is also a ``KeyError``."""
        known = []
        for row, card in self._rows():
            if row["uid"] == uid:
                return self._sample(row, card)
            known.append(row["uid"])
        missing = f"There is no sample {uid!r} in the run {self.name}"
        unfinished = how_far(self)
        if unfinished is not None:
            raise UnknownKeyError(f"{missing} so far: {unfinished}")
        raise unknown_key(f"{missing}.", str(uid), known)

    def to_rows(self) -> list[Row]:
        """Return one row per opinion of every sample, with the ``error`` of those that failed."""
        return [row for sample in self for row in sample.to_rows()]

    def to_dataframe(self) -> DataFrame:
        """Return the rows of ``to_rows`` as a pandas data frame."""
        return data_frame(self.to_rows(), RUN_COLUMNS)

    def __repr__(self) -> str:
        manifest = self.manifest
        lost = f", {manifest.errors} failed" if manifest.errors else ""
        lost += f", {manifest.partial} partial" if manifest.partial else ""
        return f"<Run {self.name}: {how_many(len(self), 'sample')}{lost}, {manifest.status}; {self.path}>"

    def _repr_html_(self) -> str:
        from samsim.experiments.run_html import run_html  # only needed in notebooks

        return run_html(self)

    def _rows(self) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Yield the lines of each sample from the outputs and the scorecards, in order."""
        cards = self._own_lines(SCORECARDS)
        seen: set[str] = set()
        for row in self._own_lines(OUTPUTS):
            uid = row.get("uid")
            if not isinstance(uid, str):
                raise InputError(f"{self.path / OUTPUTS} has a line without a uid. {_REPEAT}")
            if uid in seen:
                raise InputError(f"{self.path / OUTPUTS} has sample {uid!r} twice. {_REPEAT}")
            seen.add(uid)
            yield row, next(cards, None)

    def _sample(self, row: dict[str, Any], raw_card: dict[str, Any] | None) -> RunSample:
        return self._joined(row, None if raw_card is None else self._card(raw_card, row["uid"]))

    def traces(self) -> Iterator[dict[str, Any]]:
        """Yield every recorded engine call as plain data, grouped by sample in order."""
        return self._own_lines(TRACES)

    def _own_lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the lines of a file, checked and without their digests."""
        digest = cell_digest(self.manifest)
        for raw, row in _lines(self.path / name, recorded=name == TRACES):
            signature = take_signature(row)
            if signature != digest:
                raise InputError(f"{foreign_line(self.path / name, row.get('uid'), signature)} {_REPEAT}")
            if self.manifest.line_digests and not is_as_written(raw):
                raise InputError(f"{changed_line(self.path / name, row.get('uid'))} {_PUT_BACK}")
            yield row

    def _card(self, raw: dict[str, Any], uid: object) -> Scorecard:
        try:
            card = Scorecard.model_validate(raw)
        except ValidationError as error:
            raise InputError(f"{self.path / SCORECARDS}: {in_words(error, 'record', most=1)}. {_REPEAT}") from error
        if card.uid != uid:
            raise InputError(f"{self.path}: outputs and scorecards do not match at {uid!r}. {_REPEAT}")
        return card

    def _joined(self, row: dict[str, Any], card: Scorecard | None) -> RunSample:
        if "error" in row:
            return RunSample(uid=str(row["uid"]), result=None, error=str(row["error"]), card=card)
        try:
            result = SampleResult.model_validate(row)
        except ValidationError as error:
            wrong = in_words(error, "record", most=1)
            raise InputError(
                f"{self.path / OUTPUTS}: {wrong}. It was written by another version; repeat the run."
            ) from error
        if card is not None:
            result = result.model_copy(update={"memory": card.memory, "evaluation": card.evaluation})
        return RunSample(uid=result.uid, result=result, error=None, card=card)


class CompleteRun(Run):
    """A run whose partial samples count as failed, for measures over complete samples only."""

    def _joined(self, row: dict[str, Any], card: Scorecard | None) -> RunSample:
        sample = super()._joined(row, card)
        if sample.result is None or sample.completeness != "partial":
            return sample
        error = f"partial: {missing_words(sample.result.missing_calls)}"
        return RunSample(uid=sample.uid, result=None, error=error, card=card)


def how_far(run: Run) -> RunProblem | None:
    """Return how far an unfinished run got; None where no sample is still to be run."""
    return next((problem for problem in run.problems if problem.code == "unfinished"), None)


def read_run(path: str | Path) -> Run:
    """Read the run in a folder."""
    folder = Path(path)
    place = folder / MANIFEST
    try:
        with open_plain(place) as file:
            raw = read_json(file.read())
    except FileNotFoundError:
        raise _no_manifest(folder) from None
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {place}: {error}. Give a folder that samsim run wrote.") from error
    if not isinstance(raw, dict) or raw.get("format_version") != FORMAT_VERSION:
        written = repr(raw.get("format_version") if isinstance(raw, dict) else None)
        values: dict[str, int | str] = {"file": str(place), "found": written, "read": FORMAT_VERSION}
        raise UnreadableRunError(RunProblem("other_format", values))
    try:
        return Run(folder, Manifest.model_validate(raw))
    except ValidationError as error:
        raise InputError(
            f"{place}: {in_words(error, 'record', most=1)}. Give a folder that samsim run wrote."
        ) from error


def find_runs(paths: Iterable[str | Path]) -> list[Run]:
    """Return the runs in run folders and experiment folders; those of an experiment in the order of its cells."""
    found = []
    for path in map(Path, paths):
        inside = [read_run(folder) for folder in run_folders(path)]
        if not inside:
            raise InputError(f"No run found in {path}. Give a folder that samsim run wrote.")
        found.extend(sorted(inside, key=lambda run: (run.manifest.position, run.name)))
    return found


def run_folders(path: Path) -> list[Path]:
    """Return the folder itself if it holds a run, else the run folders in it, even those without a manifest."""
    if is_run_folder(path):
        return [path]
    return sorted(inner for inner in path.iterdir() if is_run_folder(inner)) if path.is_dir() else []


def is_run_folder(folder: Path) -> bool:
    """Return whether a run was started here."""
    return (folder / MANIFEST).exists() or has_lines(folder)


def has_lines(folder: Path) -> bool:
    """Return whether a run has written anything about a sample."""
    return any((folder / name).exists() for name in LINE_FILES)


def foreign_line(place: Path, uid: object, signature: object) -> str:
    """Return the message about a line that was not written by the manifest's cell."""
    if signature is None:
        return f"{place} holds sample {uid!r} without {CELL_DIGEST}, so it is unknown which run wrote it."
    return (
        f"{place} holds sample {uid!r} of another cell: by its {CELL_DIGEST}, it was not made with the settings, texts"
        f" and versions in {MANIFEST}. Put the files of this run back."
    )


def changed_line(place: Path, uid: object) -> str:
    """Return the message about a line that was changed after the run wrote it."""
    return f"{place} was changed: the line of sample {uid!r} is not what the run wrote, by its {LINE_DIGEST}."


def _no_manifest(folder: Path) -> InputError:
    if has_lines(folder):
        return UnreadableRunError(RunProblem("no_manifest", {"folder": str(folder)}))
    return InputError(f"{folder} is not a run folder: it has no {MANIFEST}. Give a folder that samsim run wrote.")


def _lines(path: Path, *, recorded: bool = False) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield every whole line, raw and parsed; an incomplete last line, as a killed run leaves it, is ignored."""
    try:
        file = open_plain(path)
    except FileNotFoundError:
        return
    with file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return
            try:
                row = read_json(raw, recorded=recorded)
            except JsonError as error:
                raise InputError(f"{path}, line {number} is damaged: {error}. Run it again to repair it.") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}, line {number} is damaged: not a JSON object. Run it again to repair it.")
            yield raw, row


def _count_lines(path: Path) -> int | None:
    """Return the number of whole lines in a file, without parsing them; None if there is no file."""
    try:
        with open_plain(path) as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(_BLOCK), b""))
    except FileNotFoundError:
        return None


def _is_there(path: Path) -> bool:
    """Return whether the file exists; anything other than a regular file raises an ``InputError``."""
    try:
        open_plain(path).close()
    except FileNotFoundError:
        return False
    return True
