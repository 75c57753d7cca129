"""The cells of an experiment: one run for every combination of its factors."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from samsim.data.roles import Role
from samsim.engines.factory import EnginePlan
from samsim.memory.conditions import MemoryCondition
from samsim.memory.episodic_orchestrator import MemorySettings
from samsim.pipeline.config import PipelineConfig
from samsim.schemas.protocols import is_conflict_review
from samsim.schemas.runs import CellRecord, RunKind

_NOT_IN_A_NAME = re.compile(r"[^\w.]+")
_LONGEST_PART = 60


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a value of every factor, and everything that follows from it."""

    cell_id: str
    kind: RunKind
    protocol: str
    condition: MemoryCondition
    engine: str
    plan: EnginePlan
    seed: int | None
    repeat: int
    pipeline: PipelineConfig
    memory: MemorySettings
    builds_on: str | None = None
    """The cell whose store this one starts from."""

    @property
    def role(self) -> Role:
        """The role of the data that it analyzes."""
        return "evaluation" if self.kind == "evaluation" else "memory"

    def record(self) -> CellRecord:
        """Return the cell's record for the manifest."""
        return CellRecord(
            cell_id=self.cell_id,
            kind=self.kind,
            protocol=self.protocol,
            condition=self.condition.name,
            engine=self.engine,
            seed=self.seed,
            repeat=self.repeat,
        )


@dataclass(frozen=True, slots=True)
class Factors:
    """The values of every factor, and the settings that all cells share."""

    protocols: Sequence[str]
    conditions: Sequence[MemoryCondition]
    plans: Mapping[str, EnginePlan]
    seeds: Sequence[int | None]
    repeats: int
    engines_named: bool
    """Whether the matrix gives the engines names, which are then part of a cell's name."""
    pipeline: PipelineConfig
    memory: MemorySettings
    build_condition: MemoryCondition | None
    """The condition under which a memory is built first; None if none is built."""


@dataclass(frozen=True, slots=True)
class SkippedCells:
    """Conditions that are left out for a protocol, since they would make no difference."""

    protocol: str
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.conditions)
        return f"protocol {self.protocol} never reads the memory: its cells with {names} are left out"


def uses_memory(condition: MemoryCondition) -> bool:
    """Return whether the condition reads or writes a store."""
    return condition.uses_store


def has_memory_reader(protocol: str) -> bool:
    """Return whether the protocol has a review or a debate; only these read advice and produce episodes."""
    return is_conflict_review(protocol) or protocol == "debate"


def skipped_cells(factors: Factors) -> tuple[SkippedCells, ...]:
    """Return the combinations that are left out."""
    with_memory = tuple(condition.name for condition in factors.conditions if uses_memory(condition))
    if not with_memory:
        return ()
    return tuple(
        SkippedCells(protocol, with_memory) for protocol in factors.protocols if not has_memory_reader(protocol)
    )


def expand(factors: Factors) -> tuple[Cell, ...]:
    """Return all cells: first those that build a memory, then every combination that is not left out."""
    evaluated = [
        _cell(factors, "evaluation", *values)
        for values in product(
            factors.protocols, factors.conditions, factors.plans, factors.seeds, range(factors.repeats)
        )
        if has_memory_reader(values[0]) or not uses_memory(values[1])
    ]
    builders: dict[tuple[str, str, int | None, int], Cell] = {}
    if factors.build_condition is not None:
        for cell in evaluated:
            if cell.condition.retrieval_execute:
                builders.setdefault(_lineage(cell), _builder(factors, factors.build_condition, cell))
    named = _with_own_names([*builders.values(), *evaluated])
    names = {_lineage(cell): cell.cell_id for cell in named[: len(builders)]}
    return tuple(
        replace(cell, builds_on=names.get(_lineage(cell)))
        if cell.kind == "evaluation" and cell.condition.retrieval_execute
        else cell
        for cell in named
    )


def slug(name: str) -> str:
    """Return the name in a form that is a valid folder name on any system."""
    plain = unicodedata.normalize("NFC", name)
    return _NOT_IN_A_NAME.sub("-", plain)[:_LONGEST_PART].strip("-.") or "x"


def _lineage(cell: Cell) -> tuple[str, str, int | None, int]:
    """Return the key that cells share if they start from the same built store."""
    return cell.protocol, cell.engine, cell.seed, cell.repeat


def _builder(factors: Factors, condition: MemoryCondition, cell: Cell) -> Cell:
    return _cell(factors, "memory_building", cell.protocol, condition, cell.engine, cell.seed, cell.repeat)


def _cell(
    factors: Factors,
    kind: RunKind,
    protocol: str,
    condition: MemoryCondition,
    engine: str,
    seed: int | None,
    repeat: int,
) -> Cell:
    role: Role = "evaluation" if kind == "evaluation" else "memory"
    parts = ["memory"] if kind == "memory_building" else []
    parts += [slug(protocol), slug(condition.name)]
    # Only from the cell's own values, so its folder stays the same when the matrix grows.
    parts += [slug(engine)] if factors.engines_named else []
    parts += [f"s{seed}"] if seed is not None else []
    parts += [f"r{repeat}"] if repeat else []
    return Cell(
        cell_id="-".join(parts),
        kind=kind,
        protocol=protocol,
        condition=condition,
        engine=engine,
        plan=factors.plans[engine],
        seed=seed,
        repeat=repeat,
        pipeline=with_protocol(factors.pipeline, protocol),
        memory=replace(factors.memory, created_from_split=role),
    )


def with_protocol(pipeline: PipelineConfig, protocol: str) -> PipelineConfig:
    """Return the pipeline settings with this protocol, validated together."""
    return PipelineConfig.model_validate(pipeline.model_dump(exclude_unset=True) | {"protocol": protocol})


def _with_own_names(cells: Sequence[Cell]) -> list[Cell]:
    """Number the names that would be the same folder."""
    taken: set[str] = set()
    named = []
    for cell in cells:
        name, number = cell.cell_id, 1
        while name.casefold() in taken:
            number += 1
            name = f"{cell.cell_id}-{number}"
        taken.add(name.casefold())
        named.append(replace(cell, cell_id=name))
    return named
