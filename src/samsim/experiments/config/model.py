"""The configuration of an experiment: data, factors, memory, and how it is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from samsim.data.roles import Role
from samsim.data.sources import DataSource
from samsim.engines.factory import EnginePlan, distinct_settings
from samsim.engines.prices import unknown_prices
from samsim.engines.transport.secrets import all_sent_in_the_clear, shown_address, shown_body
from samsim.experiments.config.engine_plans import has_no_seed, is_embedded, plan_name
from samsim.experiments.config.equal_conditions import notes_on_equality
from samsim.experiments.config.fingerprints import cell_facts, source_facts, store_name
from samsim.experiments.config.matrix import Cell, Factors, SkippedCells, expand, skipped_cells, uses_memory
from samsim.experiments.config.sections import (
    DataSection,
    EpisodicMemorySection,
    MatrixSection,
    MemorySection,
    PipelineSection,
    Plan,
    Protocols,
    RunSection,
    Seeds,
)
from samsim.experiments.digests import digest_of, file_digest
from samsim.experiments.run_folder.store import starts_empty
from samsim.memory.conditions import MemoryCondition, resolve_condition

MOST_REPEATS = 1000
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9_-]+")


def _folder_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        better = _NOT_IN_A_NAME.sub("-", name.casefold()).strip("-_")
        hint = f"try {better}" if better else "try my-experiment"
        raise ValueError(
            f"a name may only have lower-case letters, digits, - and _, since it is also a folder name; {hint}"
        )
    return name


class ExperimentConfig(BaseModel):
    """The configuration of an experiment; ``load_config`` reads one from a file and reports all its mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(max_length=100), AfterValidator(_folder_name)]
    description: str = ""
    data: DataSection
    protocol: Protocols = ("cr_v2",)
    engines: Plan = EnginePlan()
    pipeline: PipelineSection = PipelineSection()
    episodic_memory: EpisodicMemorySection = EpisodicMemorySection()
    memory: MemorySection | None = None
    seeds: Seeds | None = None
    repeats: Annotated[int, Field(ge=1, le=MOST_REPEATS, strict=True)] = 1
    matrix: MatrixSection = MatrixSection()
    run: RunSection = RunSection()

    @model_validator(mode="before")
    @classmethod
    def _empty_is_left_out(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {key: value for key, value in data.items() if value is not None}

    def sources(self) -> dict[Role, DataSource]:
        """Return the data of every role that is given."""
        return self.data.sources()

    @property
    def store(self) -> str | None:
        """The named store that memories start from: a path or a ``postgresql://`` address."""
        return self.episodic_memory.store

    @property
    def max_cost(self) -> float | None:
        """What the whole experiment may cost: ``run.max_cost``, or the smallest limit of its engine files."""
        if self.run.max_cost is not None:
            return self.run.max_cost
        plans = [self.engines] if self.matrix.engine is None else list(self.matrix.engine.values())
        return min((plan.max_cost for plan in plans if plan.max_cost is not None), default=None)

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of the experiment, in the order they are run."""
        return expand(self.factors())

    def cells_skipped(self) -> tuple[SkippedCells, ...]:
        """Return the combinations that are left out, since they would make no difference."""
        return skipped_cells(self.factors())

    def factors(self) -> Factors:
        """Return the values of every factor. An unknown condition raises a ``ConfigError``."""
        seeds = self.matrix.seed or self.seeds
        build = self.resolve(self.episodic_memory.build_condition) if self.data.memory is not None else None
        return Factors(
            protocols=self.matrix.protocol or self.protocol,
            conditions=self.conditions(),
            plans=self._plans(),
            seeds=seeds if seeds is not None else (None,),
            repeats=self.repeats,
            engines_named=self.matrix.engine is not None,
            pipeline=self.pipeline,
            memory=self.episodic_memory.settings(),
            build_condition=build,
        )

    def conditions(self) -> tuple[MemoryCondition, ...]:
        """Return the conditions; without any, memory is off."""
        if self.matrix.condition is not None:
            return tuple(self.resolve(name) for name in self.matrix.condition)
        if self.episodic_memory.condition is not None:
            return (self.resolve(self.episodic_memory.condition),)
        named = {"enable": False} if self.memory is None else self.memory.model_dump()
        return (self.resolve(named),)

    def resolve(self, chosen: str | Mapping[str, object]) -> MemoryCondition:
        """Return a condition from the file or version that this experiment uses."""
        return resolve_condition(chosen, self.episodic_memory.conditions)

    def _plans(self) -> dict[str, EnginePlan]:
        plans = self.matrix.engine if self.matrix.engine is not None else {plan_name(self.engines): self.engines}
        limits = {"max_cost": self.run.max_cost, "cache": self.run.cache, "max_outage": self.run.max_outage}
        given = {name: value for name, value in limits.items() if value is not None}
        return {name: plan.model_copy(update=given) for name, plan in plans.items()}

    def notes(self, samples: int | None = None) -> tuple[str, ...]:
        """Return notes that are worth knowing before the first call, though they are not mistakes.

        ``samples`` is the number of samples to evaluate, if known.
        """
        factors, cells = self.factors(), self.cells()
        found = [str(skipped) for skipped in skipped_cells(factors)]
        found += _notes_on_repetition(factors, cells)
        asked = {(cell.engine, cell.protocol): cell.plan for cell in cells}
        engines = [item for (_, protocol), plan in asked.items() for item in distinct_settings(plan, protocol)]
        found += all_sent_in_the_clear(engines)
        found += unknown_prices(engines)
        if not any(cell.condition.retrieval_execute for cell in cells):
            unused = {"data.memory": self.data.memory, "episodic_memory.store": self.store}
            found += [
                f"{key} is not used: no condition retrieves episodes"
                for key, value in unused.items()
                if value is not None
            ]
        if not self.pipeline.enable_review and any(uses_memory(cell.condition) for cell in cells):
            found.append("pipeline.enable_review is false, so no reviewer reads the memory's advice")
        found += notes_on_equality(cells, store_is_empty=starts_empty(self.store), samples=samples)
        return tuple(found)

    def resolved(self) -> dict[str, Any]:
        """Return the whole configuration with its defaults, as JSON values and without passwords.

        It is a valid configuration apart from ``facts``: the flags of the conditions, the digests of the files, and
        the cells that are left out.
        """
        factors = self.factors()
        whole = self.model_dump(mode="json", exclude={"protocol", "engines", "memory", "seeds", "matrix", "pipeline"})
        memory = whole["episodic_memory"]
        memory.pop("condition")
        memory.pop("created_from_split")
        if self.store is not None:
            memory["store"] = shown_address(self.store)
        plans = {name: _plan_record(plan) for name, plan in factors.plans.items()}
        matrix = {
            "protocol": list(factors.protocols),
            "condition": [condition.name for condition in factors.conditions],
            "seed": None if factors.seeds == (None,) else list(factors.seeds),
        }
        return whole | {
            "pipeline": self.pipeline.model_dump(mode="json", exclude={"protocol"}),
            "engines": None if factors.engines_named else next(iter(plans.values())),
            "matrix": matrix | ({"engine": plans} if factors.engines_named else {}),
            "facts": self._facts(factors),
        }

    def _facts(self, factors: Factors) -> dict[str, Any]:
        written = [str(source.path) for source in self.sources().values() if source.path is not None]
        named = (self.pipeline.taxonomy, self.episodic_memory.conditions)
        files = {
            path: file_digest(path)
            for path in [*written, *(name for name in named if name.endswith((".yaml", ".yml")))]
        }
        used = [*factors.conditions, *([factors.build_condition] if factors.build_condition else [])]
        return {
            "conditions": {condition.name: condition.model_dump(mode="json") for condition in used},
            "files": files,
            "cells_skipped": [str(skipped) for skipped in skipped_cells(factors)],
        }

    def config_hash(self) -> str:
        """Return a digest of everything that affects the results of any cell; the name and ``run`` do not."""
        cells = self.cells()
        return digest_of(sorted(self._cell_hash(cell, cells) for cell in cells))

    def cell_hash(self, cell: Cell) -> str:
        """Return a digest of everything that affects the results of one cell; adding a seed does not change it."""
        return self._cell_hash(cell, self.cells())

    def _cell_hash(self, cell: Cell, cells: tuple[Cell, ...]) -> str:
        by_id = {other.cell_id: other for other in cells}
        data = {role: source_facts(source) for role, source in self.sources().items()}
        return digest_of(cell_facts(cell, by_id, data, store_name(self.store)))

    def settings_hash(self, cell: Cell, texts: Mapping[Role, str], store: str | None) -> str:
        """Return a digest of everything that affects the answers of one cell; gold only affects scores, so it does not.

        ``texts`` and ``store`` are digests of the texts of every role and of the named store.
        """
        by_id = {other.cell_id: other for other in self.cells()}
        sources = self.sources()
        data = {role: {"texts": digest, "language": sources[role].language} for role, digest in texts.items()}
        return digest_of(cell_facts(cell, by_id, data, store))


def _notes_on_repetition(factors: Factors, cells: tuple[Cell, ...]) -> list[str]:
    notes = []
    for name, plan in factors.plans.items():
        count = sum(cell.engine == name for cell in cells)
        seeded = factors.seeds != (None,)
        if is_embedded(plan) and len(factors.seeds) * factors.repeats > 1:
            cause, factor = ("takes no seed", "seed") if seeded else ("always gives the same answer", "repeat")
            which = f"of its {count} cells, those that differ only in the {factor} will be equal"
            notes.append(f"the embedded engine {cause}: {which}")
        elif seeded and has_no_seed(plan):
            notes.append(
                f"{name} takes no seed: the seeds of its {count} cells are recorded, but the cells are only repeats"
            )
        if seeded and any("seed" in settings for settings in plan.engines.values()):
            notes.append(f"the seeds of the experiment override the seed in the settings of {name}")
    return notes


def _plan_record(plan: EnginePlan) -> dict[str, Any]:
    record = plan.model_dump(mode="json")
    for settings in record["engines"].values():
        if isinstance(settings.get("base_url"), str):
            settings["base_url"] = shown_address(settings["base_url"])
        if settings.get("extra_body"):
            settings["extra_body"] = shown_body(settings["extra_body"])
    return record
