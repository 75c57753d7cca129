"""Gold annotations. Nothing that decides may import this module; CI checks it."""

from __future__ import annotations

from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from samsim.schemas.polarity import Polarity
from samsim.schemas.protocol_conflict_review import Span


class GoldTuple(BaseModel):
    """What an annotator says is in the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: Polarity
    span: Span | None


class GoldSample(BaseModel):
    """All gold of one text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    uid: str
    tuples: list[GoldTuple]
    tags: list[str]


def load_reviews_gold() -> dict[str, GoldSample]:
    """The gold of the shipped reviews, by uid, in file order."""
    content = files("samsim.data").joinpath("samples", "reviews.gold.jsonl").read_text(encoding="utf-8")
    samples = (GoldSample.model_validate_json(line) for line in content.splitlines())
    return {sample.uid: sample for sample in samples}
