"""Aspect taxonomies: the valid refs (``entity#attribute``) and the upper entity."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from samsim.arguments import check_place
from samsim.errors import ConfigError
from samsim.spelling import closest
from samsim.validation_words import in_words
from samsim.yaml_text import YamlError, file_text, read_yaml

REF_SEPARATOR = "#"
DEFAULT_TAXONOMY = "nikl2022"
FREE_TAXONOMY = "none"
SHIPPED = (DEFAULT_TAXONOMY, FREE_TAXONOMY)
_AROUND_SEPARATOR = re.compile(rf"\s*{REF_SEPARATOR}\s*")
_SPACES = re.compile(r"\s+")


def clean_ref(ref: str) -> str:
    """Trim a ref, collapse inner spaces and drop spaces around ``#``; the ``#`` itself is never touched."""
    spaced = _SPACES.sub(" ", unicodedata.normalize("NFC", ref).strip())
    return _AROUND_SEPARATOR.sub(REF_SEPARATOR, spaced)


class Taxonomy(BaseModel):
    """Entities with their valid attributes; no entities means that refs are free."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    language: str | None = None
    upper_entity: str | None = None
    entities: dict[str, tuple[str, ...]]
    aliases: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_fit_together(self) -> Taxonomy:
        if self.upper_entity is not None and self.upper_entity not in self.entities:
            raise ValueError(f"upper_entity {self.upper_entity!r} is not among the entities")
        for alias, entity in self.aliases.items():
            if entity not in self.entities:
                raise ValueError(f"alias {alias!r} points at {entity!r}, which is not among the entities")
            if alias in self.entities:
                raise ValueError(f"alias {alias!r} is itself an entity")
        return self

    @property
    def is_free(self) -> bool:
        """Whether any ref is valid."""
        return not self.entities

    @cached_property
    def refs(self) -> tuple[str, ...]:
        """All valid refs, in the taxonomy's order."""
        return tuple(
            f"{entity}{REF_SEPARATOR}{attribute}"
            for entity, attributes in self.entities.items()
            for attribute in attributes
        )

    @cached_property
    def _by_folded_ref(self) -> dict[str, str]:
        return {clean_ref(ref).casefold(): ref for ref in self.refs}

    @cached_property
    def _by_folded_alias(self) -> dict[str, str]:
        return {clean_ref(alias).casefold(): entity for alias, entity in self.aliases.items()}

    def normalise(self, ref: str) -> str:
        """Return the form in which refs are compared: cleaned, aliases resolved, case folded if refs are free."""
        cleaned = clean_ref(ref)
        if self.is_free:
            return cleaned.casefold()
        entity, separator, attribute = cleaned.partition(REF_SEPARATOR)
        entity = self._by_folded_alias.get(entity.casefold(), entity)
        resolved = f"{entity}{separator}{attribute}"
        return self._by_folded_ref.get(resolved.casefold(), resolved)

    def is_valid(self, ref: str) -> bool:
        """Return whether a ref, once normalized, belongs to the taxonomy; an empty ref is never valid."""
        normalised = self.normalise(ref)
        return bool(normalised) and (self.is_free or normalised.casefold() in self._by_folded_ref)

    def split(self, ref: str) -> tuple[str, str]:
        """Return entity and attribute of a ref; the attribute is empty if the ref has no ``#``."""
        entity, _, attribute = self.normalise(ref).partition(REF_SEPARATOR)
        return entity, attribute


def load_taxonomy(name_or_path: str | Path) -> Taxonomy:
    """Load a shipped taxonomy by name, or your own from a YAML file."""
    check_place(name_or_path, "name_or_path", f"{' or '.join(SHIPPED)}, or the path of a YAML file")
    name = str(name_or_path)
    if name in SHIPPED:
        return _load_shipped(name)
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        meant = closest(name, SHIPPED)
        hint = f" Did you mean {meant!r}?" if meant else ""
        raise ConfigError(f"Unknown taxonomy {name!r}.{hint} Use {' or '.join(SHIPPED)}, or a path to a YAML file.")
    try:
        state = path.stat()
        return _load_file(str(path), state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the taxonomy {path}: {error}. Check the path and its encoding.") from error


@cache
def _load_file(path: str, _modified: int, _size: int) -> Taxonomy:
    """Read a file once as long as it does not change, because every sample asks for its taxonomy."""
    return _parse(file_text(Path(path)), path)


@cache
def _load_shipped(name: str) -> Taxonomy:
    resource = files("samsim.schemas").joinpath("taxonomies", f"{name}.yaml")
    return _parse(resource.read_text(encoding="utf-8"), name)


def _parse(content: str, source: str) -> Taxonomy:
    try:
        raw: Any = read_yaml(content)
    except YamlError as error:
        raise ConfigError(f"The taxonomy {source} is not valid YAML: {error}. Fix that place.") from error
    try:
        return Taxonomy.model_validate(raw)
    except ValidationError as error:
        details = in_words(error, "file")
        raise ConfigError(f"The taxonomy {source} is not usable: {details}. Expected a name and entities.") from error


def as_taxonomy(taxonomy: Taxonomy | str | None) -> Taxonomy:
    """Return the taxonomy given as such, by name or path, or as None for the default (NIKL 2022)."""
    if isinstance(taxonomy, Taxonomy):
        return taxonomy
    return load_taxonomy(DEFAULT_TAXONOMY if taxonomy is None else taxonomy)
