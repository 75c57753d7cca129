"""Run a whole experiment: load its data, run its cells one after another, and limit the total cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from samsim.agents.prompt_files import prompt_hashes
from samsim.data.roles import Role
from samsim.engines.cache import ResponseCache
from samsim.engines.factory import EnginePlan, EngineSetup, build_setup
from samsim.engines.pacing.activity import Activity
from samsim.engines.pacing.limits import SpendingLimit
from samsim.engines.pacing.outage import Servers
from samsim.errors import ConfigError
from samsim.experiments import provenance
from samsim.experiments.artefacts import MANIFEST, SCORECARDS, STORE, Run, is_run_folder, read_run
from samsim.experiments.cell_run import CellJob, RunOptions, Watcher, run_cell
from samsim.experiments.config import Cell, ExperimentConfig, as_config, config_place
from samsim.experiments.config.engine_plans import is_embedded
from samsim.experiments.config.matrix import uses_memory
from samsim.experiments.loading import RoleData, load_roles
from samsim.experiments.projection import SampleLines
from samsim.experiments.run_folder.store import store_digest
from samsim.experiments.run_folder.writing import all_locked
from samsim.experiments.run_set import Experiment, why_it_ends
from samsim.experiments.workers import workers_for
from samsim.plurals import how_many
from samsim.schemas.run_problems import USE_RESTART
from samsim.schemas.runs import CellRecord, EngineRecord, Manifest, RunMeta

_SHOWN_ROWS = 3
NumberT = TypeVar("NumberT", int, float)
EngineSource = Callable[[Cell, SpendingLimit], EngineSetup]


class Unwatched:
    """A watcher that shows nothing."""

    def watch_engines(self, activity: Activity) -> None:
        """Do nothing."""

    def cell_started(self, cell: CellRecord, total: int, done: int, again: int = 0) -> None:
        """Do nothing."""

    def sample_done(self, lines: SampleLines) -> None:
        """Do nothing."""

    def cell_ended(self, manifest: Manifest) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""


def experiment_folder(config: ExperimentConfig) -> Path:
    """Return the folder that an experiment writes to."""
    return config.run.out / config.name


def cell_folders(config: ExperimentConfig) -> dict[str, Path]:
    """Return the folder of each cell; a single cell uses the experiment's folder."""
    folder, cells = experiment_folder(config), config.cells()
    if len(cells) == 1:
        return {cells[0].cell_id: folder}
    if is_run_folder(folder):
        raise ConfigError(
            f"{folder} holds the single run of an earlier form of this experiment, which now has {len(cells)} cells."
            f" Give it another name or run.out, or {USE_RESTART}."
        )
    return {cell.cell_id: folder / cell.cell_id for cell in cells}


def run_experiment(
    config: ExperimentConfig | str | Path | Mapping[str, Any],
    *,
    limit: int | None = None,
    retry_errors: bool = False,
    fail_fast: bool = False,
    max_error_rate: float | None = None,
    concurrency: int | None = None,
    workers: int | None = None,
    restart: bool = False,
    watcher: Watcher | None = None,
    engines: EngineSource | None = None,
    origin: Path | None = None,
) -> Experiment:
    """Run every cell of an experiment that is not finished yet, and return its runs.

    ``config`` is what ``load_config`` returns or accepts: a file, a mapping or "quickstart".

    ``limit`` runs only the first samples for now; ``retry_errors`` runs failed and partial samples again;
    ``fail_fast`` stops at the first failure, ``max_error_rate`` (0 to 1) if too many fail. ``concurrency`` (samples at
    the same time) and ``workers`` (processes of the embedded engine) do not change results. ``restart`` starts over;
    the old folder is renamed.

    The command line and tests use the rest. ``watcher`` (a ``Watcher``) is told the progress: it has the methods
    watch_engines, cell_started, sample_done, cell_ended and note. ``engines`` (an ``EngineSource``) is a function that
    gives the engines of a cell instead of its plan. ``origin`` is the folder whose git revision is recorded.
    """
    loaded = as_config(config)
    options = RunOptions(limit, retry_errors, fail_fast, max_error_rate, concurrency, workers)
    watcher = watcher or Unwatched()
    if origin is None:
        origin = config_place(config).resolve().parent if isinstance(config, str | Path) else Path.cwd()
    data = load_roles(loaded.sources())
    for text in _notes_on_rows(data):
        watcher.note(text)
    spending = SpendingLimit(loaded.max_cost)
    setups = _setups(loaded, spending, engines)
    if restart and (old := rename_old_folder(loaded)) is not None:
        watcher.note(f"the old run is now in {old}")
    folders = cell_folders(loaded)
    if loaded.max_cost is not None:
        spending.charge(_spent_before(folders.values()))
    facts = _Facts(loaded, data, folders, provenance.git_revision(origin), spreadable=engines is None)
    done: list[Run] = []
    for position, cell in enumerate(loaded.cells()):
        manifest = run_cell(facts.job(cell, position, options, watcher, setups[cell.cell_id]))
        done.append(Run(folders[cell.cell_id], manifest))
        if why_it_ends(manifest) is not None:
            break
    return Experiment(experiment_folder(loaded), done)


def _notes_on_rows(data: Mapping[Role, RoleData]) -> list[str]:
    notes = []
    for role, role_data in data.items():
        problems = role_data.loaded.problems
        if problems:
            first = "; ".join(f"row {problem.row}: {problem.reason}" for problem in problems[:_SHOWN_ROWS])
            more = f" and {len(problems) - _SHOWN_ROWS} more" if len(problems) > _SHOWN_ROWS else ""
            rows = how_many(role_data.loaded.total_rows, "row")
            notes.append(f"data.{role}: {len(problems):,} of {rows} cannot be used ({first}{more})")
    return notes


def is_outdated(config: ExperimentConfig) -> bool:
    """Return whether the experiment has runs of other code or versions, which cannot be resumed."""
    folder = experiment_folder(config)
    places = [*folder.glob(f"*/{MANIFEST}"), *folder.glob(MANIFEST)]
    known = [read_run(place.parent).manifest for place in places]
    now = provenance.versions()
    return any(
        provenance.version_changes(manifest.versions, now, memory=manifest.store is not None) for manifest in known
    )


def rename_old_folder(config: ExperimentConfig) -> Path | None:
    """Rename an experiment's folder, so that it can start over, and return the new path; None if there is none."""
    folder = experiment_folder(config)
    if not folder.exists():
        return None
    number = 1
    while (place := folder.with_name(f"{folder.name}.old-{number}")).exists():
        number += 1
    with all_locked(folder):
        return folder.rename(place)


def _setups(config: ExperimentConfig, spending: SpendingLimit, source: EngineSource | None) -> dict[str, EngineSetup]:
    """Return the engines of every cell; all are built before the first call, so a missing key fails at once."""
    shared: dict[str, EngineSetup] = {}
    servers = Servers()
    setups = {}
    for cell in config.cells():
        if source is not None:
            setups[cell.cell_id] = source(cell, spending)
            continue
        plan = cell.plan.model_copy(update={"max_cost": None})
        key = f"{cell.protocol} {plan.model_dump_json()}"
        if key not in shared:
            _check_cache(plan)
            shared[key] = build_setup(plan, protocol=cell.protocol, spending=spending, servers=servers)
        setups[cell.cell_id] = shared[key]
    return setups


def _check_cache(plan: EnginePlan) -> None:
    """Open the cache once, so that one that cannot be used fails before the first call."""
    if plan.cache and not is_embedded(plan):
        cache = ResponseCache(None if plan.cache is True else plan.cache)
        cache.open()
        cache.close()


def _spent_before(folders: Iterable[Path]) -> float:
    """Return what earlier starts of the experiment spent, as far as it is known."""
    known = [read_run(folder) for folder in folders if (folder / MANIFEST).exists() and (folder / SCORECARDS).exists()]
    return sum(_cost(run) for run in known)


def _cost(run: Run) -> float:
    return sum(sample.card.usage.cost or 0.0 for sample in run.samples() if sample.card is not None)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts that the manifests of all cells share."""

    config: ExperimentConfig
    data: Mapping[Role, RoleData]
    folders: Mapping[str, Path]
    revision: str | None
    spreadable: bool

    def job(self, cell: Cell, position: int, options: RunOptions, watcher: Watcher, setup: EngineSetup) -> CellJob:
        chosen = self.data[cell.role]
        return CellJob(
            cell=cell,
            folder=self.folders[cell.cell_id],
            data=chosen,
            manifest=self._manifest(cell, position, setup),
            base_store=self._base_store(cell),
            options=replace(
                options,
                max_error_rate=_first(options.max_error_rate, self.config.run.max_error_rate),
                concurrency=_first(options.concurrency, self.config.run.concurrency),
                workers=self._workers(options, len(chosen.samples)),
            ),
            watcher=watcher,
            setup=setup,
            spreadable=self.spreadable and all(item.kind == "embedded" for item in setup.settings),
        )

    def _workers(self, options: RunOptions, samples: int) -> int:
        asked = options.workers or self.config.run.workers
        return workers_for(samples) if asked == "auto" else int(asked)

    def _base_store(self, cell: Cell) -> str | Path | None:
        return self.config.store if cell.builds_on is None else self.folders[cell.builds_on] / STORE

    def _settings_hash(self, cell: Cell) -> str:
        texts = {role: role_data.loaded.sha256 for role, role_data in self.data.items()}
        named = self.config.store if uses_memory(cell.condition) and cell.builds_on is None else None
        return self.config.settings_hash(cell, texts, store_digest(named))

    def _manifest(self, cell: Cell, position: int, setup: EngineSetup) -> Manifest:
        digest = self.config.cell_hash(cell)
        return Manifest(
            run_id=f"{self.config.name}-{cell.cell_id}-{digest[:8]}",
            experiment=self.config.name,
            position=position,
            cell=cell.record(),
            run_meta=RunMeta(memory_mode=cell.condition.memory_mode, condition=cell.condition.name),
            config=self.config.resolved(),
            config_hash=digest,
            settings_hash=self._settings_hash(cell),
            prompt_hashes=prompt_hashes(cell.pipeline.answer),
            engines=_engine_records(setup),
            data={role: role_data.record for role, role_data in self.data.items()},
            line_digests=True,
            store=STORE if uses_memory(cell.condition) else None,
            versions=provenance.versions(),
            git_revision=self.revision,
            started="",
        )


def _first(given: NumberT | None, configured: NumberT | None) -> NumberT | None:
    return configured if given is None else given


def _engine_records(setup: EngineSetup) -> list[EngineRecord]:
    distinct: Iterable[tuple[str, str]] = dict.fromkeys((item.name, item.identity) for item in setup.settings)
    return [EngineRecord(name=name, identity=identity) for name, identity in distinct]
