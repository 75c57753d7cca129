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
    }
)

__all__ = ["SHIPPED", "Sample", "load_reviews", "load_shipped", "shipped_lines"]


def shipped_lines(file_name: str) -> list[str]:
    """Return the lines of one shipped file."""
    content = files("samsim.data").joinpath("samples", file_name).read_text(encoding="utf-8")
    return content.removesuffix("\n").split("\n")


def load_shipped(name: str) -> list[Sample]:
    """Return the texts of one shipped set, in file order; its gold is not read."""
    return [Sample(**json.loads(line)) for line in shipped_lines(f"{name}.jsonl")]


def load_reviews() -> list[Sample]:
    """Return the shipped reviews, in file order."""
    return load_shipped("reviews")
