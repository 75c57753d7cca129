"""The sections of an experiment's configuration; settings of other modules come from their own models."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from samsim.data.roles import ROLES, Role
from samsim.data.shipped import SHIPPED
from samsim.data.sources import DataSource
from samsim.engines.factory import EnginePlan, switch_or_path
from samsim.errors import ConfigError
from samsim.experiments.config.engine_plans import plan_from, plans_from
from samsim.experiments.config.found_paths import found_path, is_there
from samsim.memory.conditions import LATEST_VERSION
from samsim.memory.episodic_orchestrator import MemorySettings
from samsim.memory.store import POSTGRES_SCHEMES
from samsim.pipeline.config import PipelineConfig
from samsim.schemas.protocols import ProtocolName
from samsim.schemas.taxonomy import load_taxonomy

_Value = TypeVar("_Value", bound=Hashable)
_YAML = (".yaml", ".yml")


def _distinct(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
    repeated = [value for index, value in enumerate(values) if value in values[:index]]
    if repeated:
        raise ValueError(f"{repeated[0]} is given twice; remove one of them")
    return values


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _source_from(value: Any) -> Any:
    """Return the short form of a source as a mapping: a shipped set by name, what looks like a path by path."""
    if not isinstance(value, str):
        return value
    is_path = value not in SHIPPED and ("/" in value or bool(Path(value).suffix) or is_there(Path(value)))
    return {"path" if is_path else "name": value}


Seed = Annotated[int, Field(ge=0, strict=True)]
Seeds = Annotated[tuple[Seed, ...], Field(min_length=1), AfterValidator(_distinct)]
Protocols = Annotated[
    tuple[ProtocolName, ...], Field(min_length=1), AfterValidator(_distinct), BeforeValidator(_listed)
]
ConditionNames = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_distinct)]
Plan = Annotated[EnginePlan, BeforeValidator(plan_from)]
Plans = Annotated[dict[str, Plan], Field(min_length=1), BeforeValidator(plans_from)]


class Section(BaseModel):
    """Base of the sections: frozen, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _FoundSource(DataSource):
    """A source whose file must exist."""

    @field_validator("path")
    @classmethod
    def _is_there(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else found_path(path, info.context, "file or folder")


Source = Annotated[_FoundSource, BeforeValidator(_source_from)]


class DataSection(Section):
    """Which texts are used for what."""

    evaluation: Source
    memory: Source | None = None
    demonstrations: Source | None = None

    def sources(self) -> dict[Role, DataSource]:
        """Return the sources of the roles that are given."""
        given = {role: getattr(self, role) for role in ROLES}
        return {role: source for role, source in given.items() if source is not None}


class PipelineSection(PipelineConfig):
    """The pipeline settings except the protocol, which is a factor."""

    hidden_names: ClassVar[frozenset[str]] = frozenset({"protocol"})

    @field_validator("protocol", mode="before")
    @classmethod
    def _elsewhere(cls, _: Any) -> Any:
        raise ValueError("the protocol cannot be set here; use protocol or matrix.protocol at the top of the file")

    @field_validator("taxonomy")
    @classmethod
    def _usable(cls, taxonomy: str, info: ValidationInfo) -> str:
        if taxonomy == "auto" or info.context is None:
            return taxonomy
        found = str(found_path(taxonomy, info.context, "taxonomy file")) if taxonomy.endswith(_YAML) else taxonomy
        try:
            load_taxonomy(found)
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return found


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class EpisodicMemorySection(MemorySettings):
    """The episodic memory: its condition, where it starts from, and the orchestrator's settings."""

    hidden_names: ClassVar[frozenset[str]] = frozenset({"created_from_split"})

    condition: str | None = None
    conditions: str = LATEST_VERSION
    store: str | None = None
    build_condition: str = "C2"

    @field_validator("created_from_split")
    @classmethod
    def _written_by_the_run(cls, _: str) -> str:
        raise ValueError("it cannot be set here, since a run knows which data it uses; leave it out")

    @field_validator("topk")
    @classmethod
    def _at_least_one(cls, topk: int) -> int:
        if topk < 1:
            raise ValueError("topk must be at least 1; for no memory at all use condition C1")
        return topk

    @field_validator("visibility")
    @classmethod
    def _readable(cls, visibility: str) -> str:
        try:
            _ = MemorySettings(visibility=visibility).epoch_size
        except ConfigError as error:
            raise ValueError(str(error)) from error
        return visibility

    @field_validator("conditions", mode="before")
    @classmethod
    def _version_or_file(cls, version: Any, info: ValidationInfo) -> Any:
        written = str(version) if isinstance(version, float | int) else version
        if isinstance(written, str) and written.endswith(_YAML):
            return str(found_path(written, info.context, "file of memory conditions"))
        return written

    @field_validator("store")
    @classmethod
    def _exists(cls, store: str | None, info: ValidationInfo) -> str | None:
        if store is None or store.startswith(POSTGRES_SCHEMES):
            return store
        if "://" in store:
            # An address may hold a password.
            raise ValueError("unknown kind of memory store; use a file path or postgresql://")
        try:
            return str(found_path(store, info.context, "memory store"))
        except ValueError as error:
            raise ValueError(f"{error}, or leave it out to start with an empty memory") from error

    def settings(self) -> MemorySettings:
        """Return the settings of the orchestrator."""
        return MemorySettings(**{field.name: getattr(self, field.name) for field in fields(MemorySettings)})


class MemorySection(Section):
    """The other way to choose a condition, as the seed documents have it."""

    enable: bool
    mode: Literal["off", "advisory", "silent"] = "advisory"

    @field_validator("mode", mode="before")
    @classmethod
    def _bare_off(cls, mode: Any) -> Any:
        return "off" if mode is False else mode


class MatrixSection(Section):
    """The factors of a sweep; a factor that is left out has one value."""

    protocol: Protocols | None = None
    condition: ConditionNames | None = None
    engine: Plans | None = None
    seed: Seeds | None = None


class RunSection(Section):
    """How a run is executed; nothing here changes a result."""

    out: Path = Path("runs")
    concurrency: int | None = Field(default=None, ge=1)
    workers: int | Literal["auto"] = "auto"
    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    max_error_rate: float | None = Field(default=None, ge=0.0, le=1.0)
    max_outage: float | None = Field(default=None, ge=0.0, allow_inf_nan=False)
    cache: bool | Path | None = None

    @field_validator("workers", mode="plain")
    @classmethod
    def _auto_or_number(cls, workers: Any) -> int | Literal["auto"]:
        if workers == "auto":
            return "auto"
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise ValueError("should be auto or a whole number of at least 1; give one of these")
        return workers

    @field_validator("cache", mode="plain")
    @classmethod
    def _switch_or_path(cls, cache: Any) -> bool | Path | None:
        return None if cache is None else switch_or_path(cache)
