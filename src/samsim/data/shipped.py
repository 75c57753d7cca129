"""The review set that ships with the package: texts only (the gold is in ``samsim.data.gold``)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from samsim.schemas.analysis import Language


@dataclass(frozen=True, slots=True)
class Sample:
    """One text to analyse."""

    uid: str
    language: Language
    text: str


def load_reviews() -> list[Sample]:
    """The shipped reviews, in file order."""
    content = files("samsim.data").joinpath("samples", "reviews.jsonl").read_text(encoding="utf-8")
    return [Sample(**json.loads(line)) for line in content.splitlines()]
