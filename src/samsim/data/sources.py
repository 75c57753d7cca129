"""Data sources, as given in a configuration or on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from samsim.arguments import check_place
from samsim.data.format_table import FORMATS, MAPPED_FORMATS
from samsim.data.shipped import SHIPPED, SPLITS
from samsim.errors import ConfigError
from samsim.spelling import closest
from samsim.validation_words import in_words

# The roles a mapping may name, each with the usual column names to look for otherwise.
USUAL_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "text": ("text", "review", "sentence", "content", "본문", "리뷰", "내용", "문장", "sentence_form"),
        "id": ("id", "uid"),
        "language": ("language",),
        "aspect_term": ("aspect_term",),
        "aspect_ref": ("aspect_ref",),
        "opinion_term": ("opinion_term",),
        "polarity": ("polarity",),
        "start": ("start",),
        "end": ("end",),
        "tuples": ("tuples",),
    }
)


class DataSource(BaseModel):
    """One set of texts, with or without gold: a shipped set, or a file; ``samsim data list`` has the formats."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = Field(default=None, description="A set that ships with samsim.")
    path: Path | None = Field(default=None, description="A file, or a folder with one file per split.")
    format: str | None = Field(default=None, description="The file's format; None: detected from its content.")
    split: str | None = Field(
        default=None, description="Which file of a folder, or part of a shipped set: train, dev, test, ..."
    )
    language: Literal["ko", "en", "auto"] = Field(
        default="auto",
        description="The language of texts without one; of the others, only those in this language are used.",
    )
    limit: int | None = Field(default=None, ge=1, description="Only the first N texts.")
    sample: int | None = Field(default=None, ge=1, description="Only N texts, drawn by sample_seed.")
    sample_seed: int = 0
    columns: dict[str, str] = Field(default_factory=dict, description="For csv and jsonl: the column of each role.")
    encoding: str | None = Field(default=None, description="The file's encoding; None: UTF-8.")

    @field_validator("name")
    @classmethod
    def _known_name(cls, name: str | None) -> str | None:
        if name is not None and name not in SHIPPED:
            raise ValueError(f"no set of that name ships with samsim: {_hint(name, SHIPPED)}; give a file as path")
        return name

    @field_validator("format")
    @classmethod
    def _known_format(cls, name: str | None) -> str | None:
        if name is not None and name not in FORMATS:
            raise ValueError(f"unknown format {name!r}: {_hint(name, FORMATS)}")
        return name

    @field_validator("columns")
    @classmethod
    def _known_columns(cls, columns: dict[str, str]) -> dict[str, str]:
        for key in columns:
            if key not in USUAL_COLUMNS:
                raise ValueError(f"unknown column role {key!r}: {_hint(key, USUAL_COLUMNS)}")
        return columns

    @field_validator("encoding")
    @classmethod
    def _known_encoding(cls, name: str | None) -> str | None:
        if name is not None:
            try:
                "".encode(name)
            except (LookupError, ValueError):
                raise ValueError(f"{name!r} is not an encoding Python knows: try utf-8, cp949 or utf-16") from None
        return name

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.name is None) == (self.path is None):
            raise ValueError("give either name (a set that ships with samsim) or path (a file or folder)")
        if self.name is not None and (self.format or self.columns or self.encoding):
            raise ValueError("format, columns and encoding belong to path, not to a shipped set")
        if self.name is not None and self.split is not None and self.split not in SPLITS.get(self.name, ()):
            known = ", ".join(SPLITS.get(self.name, ()))
            raise ValueError(f"{self.name} has {f'the splits {known}' if known else 'no splits'}; correct split")
        if self.columns and self.format is not None and self.format not in MAPPED_FORMATS:
            raise ValueError(f"columns belong to the formats {' and '.join(MAPPED_FORMATS)}, not to {self.format}")
        if self.limit is not None and self.sample is not None:
            raise ValueError("give either limit (the first N) or sample (N drawn by sample_seed)")
        return self

    def describe(self) -> str:
        """Return a short description of the source, for tables."""
        parts = [self.name or "/".join(self.path.parts[-2:] if self.path is not None else ())]
        if self.split is not None:
            parts.append(self.split)
        if self.language != "auto":
            parts.append(self.language)
        if self.limit is not None:
            parts.append(f"first {self.limit:,}")
        if self.sample is not None:
            parts.append(f"{self.sample:,} drawn by seed {self.sample_seed}")
        return ", ".join(parts)


def as_source(place: DataSource | str | Path, **options: Any) -> DataSource:
    """Return the source for a place and its options; a shipped set takes precedence over a file of the same name.

    To read a file with the name of a shipped set, write ./NAME.
    """
    if isinstance(place, DataSource):
        return _checked(place.model_dump(exclude_unset=True) | options) if options else place
    check_place(place, "the source", f"a path, a set that ships ({', '.join(SHIPPED)}), or a DataSource")
    where: dict[str, Any] = {"name": place} if place in SHIPPED else {"path": Path(place)}
    if "path" in where and not where["path"].exists():
        raise ConfigError(
            f"{place} is neither a file nor a shipped set ({', '.join(SHIPPED)}). Check the path, or see "
            "samsim data list."
        )
    known = [name for name in DataSource.model_fields if name not in ("name", "path")]
    for name in options:
        if name not in known:
            meant = closest(name, known)
            hint = f"Did you mean {meant}?" if meant else f"Known options: {', '.join(known)}."
            raise ConfigError(f"Unknown option {name}. {hint}")
    return _checked(where | options)


def _checked(settings: dict[str, Any]) -> DataSource:
    try:
        return DataSource(**settings)
    except ValidationError as error:
        raise ConfigError(f"{in_words(error, '')}.") from None


def _hint(wrong: str, known: Iterable[str]) -> str:
    names = list(known)
    meant = closest(wrong, names)
    return f"did you mean {meant}?" if meant else f"use one of {', '.join(names)}"
