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
    """One run: one value of every factor, and everything that follows from them."""

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
        """Which of the experiment's data it analyses."""
        return "evaluation" if self.kind == "evaluation" else "memory"

    def record(self) -> CellRecord:
        """Return what its manifest says."""
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
    """The values of every factor, and what all cells share."""

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
    """The condition under which a memory is built first; None when nothing builds one."""


@dataclass(frozen=True, slots=True)
class SkippedCells:
    """Conditions that were left out for a protocol, since they could make no difference there."""

    protocol: str
    conditions: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.conditions)
        return f"memory has no reader in protocol {self.protocol}: its cells with {names} are left out"


def uses_memory(condition: MemoryCondition) -> bool:
    """Return whether the condition looks into a store or writes to one."""
    return condition.uses_store


def has_memory_reader(protocol: str) -> bool:
    """Return whether the protocol has a review or a debate; only there advice is read and episodes come about."""
    return is_conflict_review(protocol) or protocol == "debate"


def skipped_cells(factors: Factors) -> tuple[SkippedCells, ...]:
    """Return which combinations are left out."""
    with_memory = tuple(condition.name for condition in factors.conditions if uses_memory(condition))
    if not with_memory:
        return ()
    return tuple(
        SkippedCells(protocol, with_memory) for protocol in factors.protocols if not has_memory_reader(protocol)
    )


def expand(factors: Factors) -> tuple[Cell, ...]:
    """Return all cells: those that build a memory first, then every combination that is not left out."""
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
    """Return a name that can be that of a folder on any system."""
    plain = unicodedata.normalize("NFC", name)
    return _NOT_IN_A_NAME.sub("-", plain)[:_LONGEST_PART].strip("-.") or "x"


def _lineage(cell: Cell) -> tuple[str, str, int | None, int]:
    """Cells of one lineage share the store that was built for them."""
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
    # By what the cell itself is, so that its folder stays the same when the matrix grows.
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
    """Return the pipeline's switches for one protocol, checked together."""
    return PipelineConfig.model_validate(pipeline.model_dump(exclude_unset=True) | {"protocol": protocol})


def _with_own_names(cells: Sequence[Cell]) -> list[Cell]:
    """Tell apart names that only differ in what a folder's name cannot hold."""
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
