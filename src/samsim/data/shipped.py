"""The review sets that ship with the package: texts only (their gold is in ``samsim.data.gold``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from samsim.data.samples import Sample

SHIPPED: Mapping[str, str] = MappingProxyType(
    {
        "reviews": "Korean and English reviews, for evaluation and demonstration",
        "reviews_memory": "Other Korean and English reviews, for building a memory",
        "ko_triplets": "Korean reviews in the way people write, annotated twice: train, dev and test",
    }
)
# The sets that come in splits, each in a file of its own.
SPLITS: Mapping[str, tuple[str, ...]] = MappingProxyType({"ko_triplets": ("train", "dev", "test")})

__all__ = ["SHIPPED", "SPLITS", "Sample", "load_reviews", "load_shipped", "shipped_lines", "shipped_names"]


def shipped_names(name: str, split: str | None = None) -> list[str]:
    """Return the files of a shipped set without their endings: one, or one per split unless one is named."""
    splits = SPLITS.get(name, ())
    return [f"{name}.{each}" for each in splits if split in (None, each)] if splits else [name]


def shipped_lines(name: str, split: str | None = None, *, ending: str = "jsonl") -> list[str]:
    """Return the lines of a shipped set."""
    lines = []
    for file_name in shipped_names(name, split):
        place = files("samsim.data").joinpath("samples", f"{file_name}.{ending}")
        lines += place.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return lines


def load_shipped(name: str, split: str | None = None) -> list[Sample]:
    """Return the texts of one shipped set, in file order; its gold is not read."""
    return [Sample(**json.loads(line)) for line in shipped_lines(name, split)]


def load_reviews() -> list[Sample]:
    """Return the shipped reviews, in file order."""
    return load_shipped("reviews")
