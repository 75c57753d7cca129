"""Memory conditions: named sets of flags, read from YAML (seeds 003 §2 and 004 §3.1).

Only the flags matter. No other module checks the name of a condition, so users can define their own
in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from samsim.errors import ConfigError
from samsim.schemas.memory_v1_1 import InjectionSource, MemoryMode
from samsim.spelling import closest
from samsim.validation_words import in_words
from samsim.yaml_text import YamlError, file_text, read_yaml

LATEST_VERSION = "1.2"
_SHIPPED = ("1.1", LATEST_VERSION)
# The seeds' other way to choose a condition: memory.enable and memory.mode.
_CONDITION_OF_MODE = {"off": "C1", "advisory": "C2", "silent": "C2_silent"}


def _bare_words(value: Any) -> Any:
    """Return the mode that was meant, because YAML reads a bare on or off as a boolean."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


class MemoryCondition(BaseModel):
    """What memory does for a sample: retrieve, show, write."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    memory_mode: Annotated[MemoryMode, BeforeValidator(_bare_words)]
    retrieval_execute: bool
    injection_mask: bool
    store_write: bool
    exposed_to_debate: bool
    injection_source: InjectionSource = "retrieved"

    @property
    def uses_store(self) -> bool:
        """Whether it reads from a store or writes to one."""
        return self.retrieval_execute or self.store_write

    @model_validator(mode="after")
    def _flags_fit_together(self) -> MemoryCondition:
        if self.exposed_to_debate and (self.injection_mask or not self.retrieval_execute):
            raise ValueError("exposed_to_debate needs retrieval_execute: true and injection_mask: false")
        if self.memory_mode == "off" and (self.retrieval_execute or self.store_write):
            raise ValueError('memory_mode "off" needs retrieval_execute: false and store_write: false')
        return self


class ConditionFile(BaseModel):
    """The conditions that one file defines, and their aliases."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    conditions: dict[str, MemoryCondition] = Field(min_length=1)
    aliases: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _names_from_keys(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or not isinstance(data.get("conditions"), Mapping):
            return data
        named = {
            name: {**flags, "name": name} if isinstance(flags, Mapping) else flags
            for name, flags in data["conditions"].items()
        }
        return {**data, "conditions": named}

    @model_validator(mode="after")
    def _aliases_lead_somewhere(self) -> ConditionFile:
        for alias, name in self.aliases.items():
            if name not in self.conditions or alias in self.conditions:
                raise ValueError(f"alias {alias!r} must be a new name for one of the conditions")
        return self

    def find(self, name: str) -> MemoryCondition | None:
        """Return the condition with that name or alias."""
        return self.conditions.get(self.aliases.get(name, name))


def load_conditions(version: str | Path = LATEST_VERSION) -> ConditionFile:
    """Return the shipped conditions of a version ("1.1", "1.2"), or those of a user's YAML file."""
    if str(version) in _SHIPPED:
        return _load_shipped(str(version))
    path = Path(version)
    if path.suffix not in {".yaml", ".yml"}:
        raise ConfigError(
            f"Unknown version of memory conditions {str(version)!r}. Use {' or '.join(_SHIPPED)},"
            " or a path to a YAML file."
        )
    try:
        content = file_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the memory conditions {path}: {error}. Check the path.") from error
    return _parse(content, str(path))


def resolve_condition(chosen: str | Mapping[str, object], version: str | Path = LATEST_VERSION) -> MemoryCondition:
    """Return the condition for a name, for ``{"condition": …}``, or for ``{"enable": …, "mode": …}``."""
    known = load_conditions(version)
    name = chosen if isinstance(chosen, str) else _name_of(chosen)
    found = known.find(name)
    if found is None:
        raise ConfigError(f"Unknown memory condition {name!r} in version {known.version}. {_suggestion(name, known)}")
    return found


def _name_of(setting: Mapping[str, object]) -> str:
    keys = frozenset(setting)
    if keys == {"condition"}:
        return str(setting["condition"])
    if "enable" not in keys or keys - {"enable", "mode"}:
        raise ConfigError(
            f"Memory settings {sorted(map(str, keys))} name no condition. Give 'condition', or 'enable' and 'mode'."
        )
    enable, mode = setting["enable"], _CONDITION_OF_MODE.get(str(_bare_words(setting.get("mode", "advisory"))))
    if not isinstance(enable, bool) or mode is None:
        raise ConfigError(
            f"memory.enable must be true or false and memory.mode one of {', '.join(_CONDITION_OF_MODE)};"
            f" got {enable!r} and {setting.get('mode')!r}."
        )
    return mode if enable else _CONDITION_OF_MODE["off"]


def _suggestion(name: str, known: ConditionFile) -> str:
    newer = next((version for version in _SHIPPED if load_conditions(version).find(name)), None)
    if newer is not None:
        return f"Version {newer} has it: use that version of the conditions."
    names = [*known.conditions, *known.aliases]
    meant = closest(name, names, alike=0.5)
    hint = f"Did you mean {meant!r}? " if meant else ""
    return f"{hint}Use one of {', '.join(names)}."


@cache
def _load_shipped(version: str) -> ConditionFile:
    name = f"conditions_memory_v{version.replace('.', '_')}.yaml"
    return _parse(files("samsim.memory").joinpath("conditions", name).read_text(encoding="utf-8"), name)


def _parse(content: str, source: str) -> ConditionFile:
    try:
        raw: Any = read_yaml(content)
    except YamlError as error:
        raise ConfigError(f"The memory conditions {source} are not valid YAML: {error}. Fix that place.") from error
    try:
        return ConditionFile.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"The memory conditions {source} are not usable: {in_words(error, 'file')}.") from error
