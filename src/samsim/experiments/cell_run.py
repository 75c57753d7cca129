"""Start or resume one cell of an experiment: its folder, its store, its samples, its end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from samsim import __version__
from samsim.arguments import check_number
from samsim.data.samples import Sample
from samsim.engines.factory import EngineSetup
from samsim.engines.pacing.activity import Activity
from samsim.errors import ConfigError, InputError, StoreError
from samsim.experiments.artefacts import MANIFEST, STORE, Run, has_lines
from samsim.experiments.config import Cell
from samsim.experiments.config.matrix import uses_memory
from samsim.experiments.digests import file_digest
from samsim.experiments.execution import ErrorRate, Inference, RunStopped, Sink, run_samples
from samsim.experiments.loading import RoleData
from samsim.experiments.projection import SampleLines
from samsim.experiments.provenance import version_changes
from samsim.experiments.run_folder.recovering import RESTART, Finished, Loss, find_finished, find_loss
from samsim.experiments.run_folder.retrying import RETRY_FOLDER, finish_replacing, replace_rows
from samsim.experiments.run_folder.signing import cell_digest
from samsim.experiments.run_folder.store import copy_store, drop_wrong_journal, store_digest, wind_back
from samsim.experiments.run_folder.writing import RunFolder, locked
from samsim.experiments.workers import run_in_workers
from samsim.language.analyze import analyze_text
from samsim.memory.episodic_orchestrator import EpisodicOrchestrator, SampleFacts
from samsim.memory.store import open_store
from samsim.pipeline.config import PipelineConfig
from samsim.pipeline.epochs import Continuation
from samsim.pipeline.streaming import run_to_end
from samsim.plurals import how_many
from samsim.schemas.run_problems import USE_RESTART, USE_RETRY
from samsim.schemas.runs import LIMITED, CellRecord, Manifest, RunStatus

# What must be unchanged to resume a run; otherwise one folder would mix two experiments.
_SAME = {
    "config_hash": "configuration",
    "settings_hash": "configuration",
    "prompt_hashes": "prompts",
    "engines": "engines",
    "run_meta": "memory condition",
}
_OTHER_STORE = "memory store to start from (it was rebuilt or replaced)"


class Watcher(Protocol):
    """An observer that shows the progress of a run."""

    def watch_engines(self, activity: Activity) -> None:
        """Watch the activity of the next cell's engines; it may be read from another thread."""

    def cell_started(self, cell: CellRecord, total: int, done: int, again: int = 0) -> None:
        """Report that a cell starts, or resumes after ``done`` samples; ``again`` others are run again."""

    def sample_done(self, lines: SampleLines) -> None:
        """Report that one more sample was written."""

    def cell_ended(self, manifest: Manifest) -> None:
        """Report that a cell ended; the manifest says how."""

    def note(self, text: str) -> None:
        """Report something worth knowing that does not stop the run."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one start of a run that do not make it another experiment."""

    limit: int | None = None
    retry_errors: bool = False
    fail_fast: bool = False
    max_error_rate: float | None = None
    concurrency: int | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing would run."""
        for name in ("limit", "concurrency", "workers"):
            value = getattr(self, name)
            if value is not None:
                check_number(value, name, least=1, whole=True)
        if self.max_error_rate is not None:
            check_number(self.max_error_rate, "max_error_rate", least=0, most=1)


@dataclass(frozen=True, slots=True)
class CellJob:
    """Everything about one cell; ``manifest`` is the one of a new run, and of the actual run once it has started."""

    cell: Cell
    folder: Path
    data: RoleData
    manifest: Manifest
    base_store: str | Path | None
    options: RunOptions
    watcher: Watcher
    setup: EngineSetup
    spreadable: bool

    @property
    def has_memory(self) -> bool:
        """Whether the condition reads or writes a store."""
        return uses_memory(self.cell.condition)

    @property
    def samples(self) -> Sequence[Sample]:
        """The samples of the role, up to the limit of this start; a memory is always built from all samples."""
        return self.data.samples if self.cell.kind == "memory_building" else self.data.samples[: self.options.limit]

    @property
    def uids(self) -> list[str]:
        """The ids of all samples of the role, in order."""
        return [sample.uid for sample in self.data.samples]

    @property
    def pipeline(self) -> PipelineConfig:
        """The cell's pipeline, with the language that the data declares, if any."""
        language = self.data.loaded.source.language
        if language == "auto" or self.cell.pipeline.language != "auto":
            return self.cell.pipeline
        return self.cell.pipeline.model_copy(update={"language": language})


def run_cell(job: CellJob) -> Manifest:
    """Start the cell, or resume it where it stopped, and return its manifest."""
    with locked(job.folder) as folder:
        manifest = _started(job, folder)
        _require_same_store(job.folder, manifest)
        finish_replacing(job.folder)
        found = find_finished(job.folder, job.uids, manifest)
        finished = found.finished
        again = len(finished.incomplete) if job.options.retry_errors else 0
        if not again and found.nothing_behind and _is_over(manifest, finished, len(job.uids)):
            job.watcher.cell_started(manifest.cell, finished.samples, finished.samples)
            job.watcher.cell_ended(manifest)
            return manifest
        _face_loss(job, folder, find_loss(job.folder, manifest, found))
        folder.recover(found)
        manifest = _running(job, folder, manifest, finished)
        job = replace(job, manifest=manifest)
        job.watcher.watch_engines(job.setup.activity)
        job.watcher.cell_started(manifest.cell, len(job.samples), finished.samples - again, again)
        status: RunStatus = "interrupted"
        reason: str | None = None
        try:
            if again:
                finished = _retried(job, folder, manifest, finished)
            _go_on(job, folder, manifest, finished)
            status = "finished" if finished.samples == len(job.data.samples) else "stopped"
            reason = None if status == "finished" else LIMITED
        except RunStopped as stop:
            status, reason = "stopped", str(stop)
        finally:
            ended = {"status": status, "stop_reason": reason, "ended": _now()}
            counts = {"done": finished.samples, "errors": finished.errors, "partial": finished.partial}
            manifest = manifest.model_copy(update=ended | counts)
            # On a full disk the old manifest stays, and the next start counts what is done from the files.
            with suppress(OSError):
                folder.sync()
                if job.has_memory:
                    manifest = manifest.model_copy(update={"store_digest": file_digest(job.folder / STORE)})
                folder.write_manifest(manifest)
            job.watcher.cell_ended(manifest)
        return manifest


def _face_loss(job: CellJob, folder: RunFolder, loss: Loss | None) -> None:
    """Report lost samples that will be run again, and keep what is left; refuse if that would call a model again."""
    if loss is None:
        return
    samples = how_many(loss.samples, "finished sample")
    asks_a_model = any(item.kind != "embedded" for item in job.setup.settings)
    if loss.recorded and asks_a_model and not job.options.retry_errors:
        raise InputError(
            f"{loss.why}, so {samples} would have to be run again, and the model called again for everything that is"
            f" not in the cache. Put the files back, or {USE_RETRY} to run them again."
        )
    place = folder.keep_damaged()
    job.watcher.note(f"{loss.why}, so {samples} will be run again; what is left of the old files is kept in {place}")


def _is_over(manifest: Manifest, finished: Finished, samples: int) -> bool:
    """Return whether the manifest says that the run is finished, and the files agree with it."""
    said = manifest.status, manifest.done, manifest.errors, manifest.partial
    held = "finished", finished.samples, finished.errors, finished.partial
    return said == held and finished.samples == samples


def _running(job: CellJob, folder: RunFolder, manifest: Manifest, finished: Finished) -> Manifest:
    """Return the manifest of the run under way; if nothing is done yet, make a fresh copy of its store."""
    update: dict[str, object] = {"status": "running", "stop_reason": None, "ended": None, "store_digest": None}
    if job.has_memory and finished.samples == 0:
        update["store_base_seq"] = copy_store(job.base_store, job.folder / STORE)
    running = manifest.model_copy(update=update)
    if running != manifest:
        folder.write_manifest(running)
    return running


def _require_same_store(folder: Path, manifest: Manifest) -> None:
    """Check that the store is as the run left it, since this run or others start from it."""
    if manifest.store_digest is None:
        return
    if file_digest(folder / STORE) != manifest.store_digest:
        raise StoreError(
            f"{folder / STORE} is not as the run left it: it was changed, replaced or removed. Put it back, move the"
            f" folder away or {USE_RESTART}."
        )
    drop_wrong_journal(folder / STORE)


def _started(job: CellJob, folder: RunFolder) -> Manifest:
    """Return the manifest of the run: the existing one, or a new one that is written now."""
    known = folder.read_manifest()
    if known is not None:
        different = _differences(known, job)
        if different != [_OTHER_STORE] or not job.options.retry_errors or job.cell.builds_on is None:
            _refuse(different, known, job)
            return known
        # The memory was rebuilt, so all samples saw the old one.
        place = folder.start_over()
        job.watcher.note(f"{job.cell.cell_id} starts over, since its memory was rebuilt; the old files are in {place}")
    if has_lines(job.folder) or has_lines(job.folder / RETRY_FOLDER):
        raise InputError(
            f"{job.folder} has lines of a run and no {MANIFEST}, so what made them is unknown. Put the {MANIFEST}"
            f" back, or start over. {RESTART}"
        )
    digest = store_digest(job.base_store) if job.has_memory else None
    manifest = job.manifest.model_copy(update={"started": _now(), "store_base_digest": digest})
    folder.write_manifest(manifest)
    return manifest


def _differences(known: Manifest, job: CellJob) -> list[str]:
    """Return what has changed since the run began, in words."""
    wanted = job.manifest
    changed = [words for name, words in _SAME.items() if getattr(known, name) != getattr(wanted, name)]
    different = list(dict.fromkeys(changed))
    roles = {job.cell.role} | ({"memory"} if job.cell.builds_on is not None else set())
    different += [f"data for {role}" for role in sorted(roles) if known.data.get(role) != wanted.data.get(role)]
    if job.has_memory and known.store_base_digest != store_digest(job.base_store):
        different.append(_OTHER_STORE)
    different += _version_changes(known, job)
    # Only the run that copied the store knows how many episodes it began with; the lines' digests confirm it.
    wanted = wanted.model_copy(update={"store_base_seq": known.store_base_seq})
    if not different and cell_digest(known) != cell_digest(wanted):
        different.append(f"cell ({MANIFEST} was changed)")
    return different


def _version_changes(known: Manifest, job: CellJob) -> list[str]:
    return version_changes(known.versions, job.manifest.versions, memory=job.has_memory)


def _refuse(different: Sequence[str], known: Manifest, job: CellJob) -> None:
    """Raise if anything differs."""
    if different:
        versions = "Install the same versions again, give" if _version_changes(known, job) else "Give"
        raise ConfigError(
            f"{job.folder} holds a run that was started with another {', '.join(different)}; resuming it would mix two"
            f" experiments. {versions} the experiment another name or run.out, or {USE_RESTART}."
        )


def _retried(job: CellJob, folder: RunFolder, manifest: Manifest, finished: Finished) -> Finished:
    """Run the failed and partial samples again; with a memory, everything from the first of them on."""
    uids = job.uids
    if job.has_memory:
        # The samples after it saw a memory that lacked its episode, or had an incomplete one.
        return _recovered(job, folder, manifest, uids[: finished.incomplete[0]])
    incomplete = {uids[place]: finished.completeness[place] for place in finished.incomplete}
    renewed: dict[str, SampleLines] = {}

    def keep(lines: SampleLines) -> None:
        if lines.error is not None and job.options.fail_fast:
            raise RunStopped(f"sample {lines.uid} failed again: {lines.error}")
        # A partial result is better than a failed one.
        if lines.completeness != "failed" or incomplete[lines.uid] == "failed":
            renewed[lines.uid] = lines
        job.watcher.sample_done(lines)

    try:
        _infer(job, [sample for sample in job.data.samples if sample.uid in incomplete], keep, None, None)
    finally:
        # A retry that is stopped or interrupted keeps the samples it has renewed.
        folder.close()
        if renewed:
            replace_rows(job.folder, renewed)
        finished.become(_recovered(job, folder, manifest, uids))
    return finished


def _recovered(job: CellJob, folder: RunFolder, manifest: Manifest, uids: Sequence[str]) -> Finished:
    """Read which of the samples are finished, and prepare the files to append after them."""
    folder.close()
    found = find_finished(job.folder, uids, manifest)
    folder.recover(found)
    return found.finished


def _go_on(job: CellJob, folder: RunFolder, manifest: Manifest, finished: Finished) -> None:
    rest = job.samples[finished.samples :]
    if not rest:
        return
    rate = ErrorRate(job.options.max_error_rate)
    sink = _sink(job, folder, finished, rate)
    if job.has_memory:
        _infer_with_memory(job, manifest, finished, sink)
    else:
        _infer(job, rest, sink, None, None)
    rate.end()


def _infer_with_memory(job: CellJob, manifest: Manifest, finished: Finished, sink: Sink) -> None:
    store, rest = job.folder / STORE, job.samples[finished.samples :]
    wind_back(store, manifest.store_base_seq + finished.episodes())
    memory = EpisodicOrchestrator(
        open_store(store),
        job.cell.condition,
        now=lambda: manifest.started,
        version=__version__,
        settings=job.cell.memory,
    )
    try:
        _infer(job, rest, sink, memory, _continuation(job, memory, manifest, finished))
    finally:
        memory.close()


def _continuation(
    job: CellJob, memory: EpisodicOrchestrator, manifest: Manifest, finished: Finished
) -> Continuation | None:
    """Return the position in the epoch at which the run resumes; restore the history if the memory needs it."""
    if finished.samples == 0:
        return None
    inside = finished.samples % (memory.epoch_size or 1)
    epoch_start = finished.samples - inside
    if memory.needs_history:
        for number, sample in enumerate(Run(job.folder, manifest).samples()):
            if sample.result is not None:
                result = sample.result
                analysis = analyze_text(result.text, result.language)
                taxonomy = job.pipeline.taxonomy_for(result.language)
                facts = SampleFacts(
                    result.uid, analysis, taxonomy, result.stage1_tuples, result.validator_risks, result.conflict_flags
                )
                memory.restore(facts, visible=number < epoch_start)
    return Continuation(inside, manifest.store_base_seq + finished.episodes(epoch_start))


def _sink(job: CellJob, folder: RunFolder, finished: Finished, rate: ErrorRate) -> Sink:
    def write(lines: SampleLines) -> None:
        if lines.error is not None and job.options.fail_fast:
            raise RunStopped(f"sample {lines.uid} failed: {lines.error}")
        folder.append(lines)
        finished.add(lines.completeness, wrote_episode=lines.wrote_episode)
        job.watcher.sample_done(lines)
        rate.add(lines.error)

    return write


def _infer(
    job: CellJob,
    samples: Sequence[Sample],
    sink: Sink,
    memory: EpisodicOrchestrator | None,
    continued: Continuation | None,
) -> None:
    setup, digest = job.setup, cell_digest(job.manifest)

    def signing(lines: SampleLines) -> None:
        sink(lines.signed(digest))

    inference = Inference(
        config=job.pipeline,
        engines=setup.table,
        seed=job.cell.seed,
        repeat=job.cell.repeat,
        memory=memory or EpisodicOrchestrator.without_store(job.cell.condition),
        concurrency=job.options.concurrency or setup.concurrency,
        activity=setup.activity,
    )
    workers = job.options.workers or 1
    if job.spreadable and memory is None and workers > 1:
        run_in_workers(inference, samples, job.data.gold, signing, workers)
    else:
        run_to_end(run_samples(inference, samples, job.data.gold, signing, continued))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
