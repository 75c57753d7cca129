"""Aspect taxonomies: which refs are valid, and which terms speak of them.

A ref is ``entity#attribute``, of which one entity may be the upper one, or just the name of a category.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from samsim.arguments import check_place
from samsim.errors import ConfigError
from samsim.spelling import closest
from samsim.validation_words import in_words
from samsim.yaml_text import YamlError, file_text, read_yaml

REF_SEPARATOR = "#"
DEFAULT_TAXONOMY = "nikl2022"
FREE_TAXONOMY = "none"
FLAT_TAXONOMIES = ("shop", "food", "hotel", "electronics", "cosmetics", "app")
"""Each is there in Korean and English, with the same categories in the same order."""
SHIPPED = (DEFAULT_TAXONOMY, FREE_TAXONOMY, *FLAT_TAXONOMIES)
# The name of the category for what fits no other one, where a file does not say which it is.
_USUAL_GENERAL = ("전체", "general", "overall")
# A file with one of these keys is in the long form; any other mapping is one of categories to their terms.
_LONG_FORM = frozenset({"name", "entities", "categories"})
_AROUND_SEPARATOR = re.compile(rf"\s*{REF_SEPARATOR}\s*")
_SPACES = re.compile(r"\s+")


def clean_ref(ref: str) -> str:
    """Trim a ref, collapse inner spaces and drop spaces around ``#``; the ``#`` itself is never touched."""
    spaced = _SPACES.sub(" ", unicodedata.normalize("NFC", ref).strip())
    return _AROUND_SEPARATOR.sub(REF_SEPARATOR, spaced)


def any_of(names: Iterable[str]) -> str:
    """Return the names as a choice: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


class Taxonomy(BaseModel):
    """Entities with their valid attributes, or a flat list of categories; with neither, refs are free.

    ``categories`` maps each name to the terms that speak of it, ``opinions`` to the opinions that do. ``things``
    are the categories whose terms name things: an opinion that speaks of another category counts more than they
    do. ``general`` is the category for the whole and for what fits no other one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    language: str | None = None
    upper_entity: str | None = None
    entities: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    categories: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    opinions: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    things: tuple[str, ...] = ()
    general: str | None = None
    aliases: dict[str, str] = Field(default_factory=dict)

    @field_validator("categories", mode="before")
    @classmethod
    def _with_terms(cls, given: Any) -> Any:
        """Accept a plain list of names, and a category that has no terms."""
        if not isinstance(given, list | tuple | Mapping) or not given:
            raise ValueError("expected a list of names, or names with their terms")
        if isinstance(given, Mapping):
            return {name: () if terms is None else terms for name, terms in given.items()}
        if any(not isinstance(name, str) for name in given):
            raise ValueError("every name must be text; put quotes around numbers, dates, yes and no")
        if len(set(given)) < len(given):
            raise ValueError("a category is there twice")
        return dict.fromkeys(given, ())

    @field_validator("categories")
    @classmethod
    def _clean_names(cls, categories: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        cleaned = {clean_ref(name): terms for name, terms in categories.items()}
        if not all(cleaned):
            raise ValueError("a category has no name")
        if len({name.casefold() for name in cleaned}) < len(categories):
            raise ValueError("a category is there twice")
        return cleaned

    @model_validator(mode="after")
    def _one_form(self) -> Taxonomy:
        given = self.model_fields_set & {"entities", "categories"}
        if len(given) != 1:
            raise ValueError("give it entities or categories" + (", not both" if given else ""))
        return self

    @model_validator(mode="after")
    def _names_fit_together(self) -> Taxonomy:
        if self.upper_entity is not None and self.upper_entity not in self.entities:
            raise ValueError(f"upper_entity {self.upper_entity!r} is not among the entities")
        kind, names = ("categories", self.categories) if self.categories else ("entities", self.entities)
        for alias, name in self.aliases.items():
            if name not in names:
                raise ValueError(f"alias {alias!r} points at {name!r}, which is not among the {kind}")
            if alias in names:
                raise ValueError(f"alias {alias!r} is itself among the {kind}")
        for name in (*self.opinions, *self.things, *([] if self.general is None else [self.general])):
            if name not in self.categories:
                raise ValueError(f"{name!r} is not among the categories")
        return self

    @model_validator(mode="after")
    def _every_term_once(self) -> Taxonomy:
        names = {fold_term(name): name for name in self.categories}
        for table, found in ((self.categories, names), (self.opinions, dict[str, str]())):
            for name, terms in table.items():
                for term in terms:
                    other = found.setdefault(fold_term(term), name)
                    if other != name:
                        raise ValueError(f"the term {term!r} is given to both {other!r} and {name!r}; keep one")
        return self

    @property
    def is_free(self) -> bool:
        """Whether any ref is valid."""
        return not self.entities and not self.categories

    @cached_property
    def general_category(self) -> str | None:
        """The category for what fits no other one, named in the file or known by its name; None without one."""
        usual = (name for name in self.categories if name.casefold() in _USUAL_GENERAL)
        return self.general or next(usual, None)

    @cached_property
    def term_table(self) -> dict[str, str]:
        """Every term of a category, and the category's own name, in the form in which they are looked up."""
        names = {fold_term(name): name for name in self.categories}
        return {fold_term(term): name for name, terms in self.categories.items() for term in terms} | names

    @cached_property
    def opinion_table(self) -> dict[str, str]:
        """Every opinion that speaks of a category, in the form in which they are looked up."""
        return {fold_term(opinion): name for name, opinions in self.opinions.items() for opinion in opinions}

    @cached_property
    def refs(self) -> tuple[str, ...]:
        """All valid refs, in the taxonomy's order."""
        return tuple(self.categories) or tuple(
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


def fold_term(term: str) -> str:
    """Return the form in which terms and opinions are looked up."""
    return " ".join(unicodedata.normalize("NFC", term).split()).casefold()


def load_taxonomy(name_or_path: str | Path, language: Literal["ko", "en"] = "ko") -> Taxonomy:
    """Load a shipped taxonomy by name, or your own from a YAML file.

    ``language`` chooses between the Korean and the English form of those that have both.
    """
    check_place(name_or_path, "name_or_path", f"{' or '.join(SHIPPED)}, or the path of a YAML file")
    name = str(name_or_path)
    if name in SHIPPED:
        return _load_shipped(f"{name}.{language}" if name in FLAT_TAXONOMIES else name)
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        meant = closest(name, SHIPPED)
        hint = f" Did you mean {meant!r}?" if meant else ""
        raise ConfigError(f"Unknown taxonomy {name!r}.{hint} Use {any_of(SHIPPED)}, or a path to a YAML file.")
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
        return Taxonomy.model_validate(_long_form(raw, Path(source).stem))
    except ValidationError as error:
        details = in_words(error, "file")
        expected = "Expected a list of categories, categories with their terms, or name and entities"
        raise ConfigError(f"The taxonomy {source} is not usable: {details}. {expected}.") from error


def _long_form(raw: Any, stem: str) -> Any:
    """Return what a file means: a list, or a mapping of names to terms, is a flat taxonomy named after the file."""
    if isinstance(raw, list) or (isinstance(raw, dict) and raw and not _LONG_FORM & raw.keys()):
        return {"name": stem, "categories": raw}
    if isinstance(raw, dict) and "categories" in raw:
        return {"name": stem, **raw}
    return raw


def as_taxonomy(taxonomy: Taxonomy | str | None) -> Taxonomy:
    """Return the taxonomy given as such, by name or path, or as None for the default (NIKL 2022)."""
    if isinstance(taxonomy, Taxonomy):
        return taxonomy
    return load_taxonomy(DEFAULT_TAXONOMY if taxonomy is None else taxonomy)
