"""Gold annotations. No deciding code may import this module; an import contract checks it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from samsim.data.format_table import GoldField
from samsim.data.formats.reading import Entry, read_source
from samsim.data.formats.rows import Annotation
from samsim.data.registry import LoadedSamples, load_samples, samples_of
from samsim.data.shipped import shipped_lines
from samsim.data.sources import DataSource, as_source
from samsim.schemas.polarity import Polarity
from samsim.schemas.protocol_conflict_review import Span

# Every shipped set is fully annotated.
_SHIPPED_FIELDS: frozenset[GoldField] = frozenset({"term", "ref", "opinion", "polarity"})


class GoldTuple(BaseModel):
    """One annotated tuple of a text."""

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
    """Return the gold of the shipped reviews, by uid, in file order."""
    return _shipped_gold("reviews")


def load_gold(source: DataSource | str | Path, **options: Any) -> dict[str, GoldSample]:
    """Read the gold of the texts that ``load_samples`` returns for the same source, by uid, in the same order.

    Texts without annotation are left out; a text in which annotators found nothing has no tuples.
    """
    return dict(load_annotated(as_source(source, **options)).gold)


def gold_fields(source: DataSource | str | Path, **options: Any) -> frozenset[GoldField]:
    """Return the fields a source's gold annotates (term, ref, opinion, polarity); empty if it has no gold."""
    source = as_source(source, **options)
    return _SHIPPED_FIELDS if source.name is not None else read_source(source).gold_fields()


@dataclass(frozen=True, slots=True)
class AnnotatedSamples:
    """The texts of a source, their gold by uid, and the fields it annotates."""

    texts: LoadedSamples
    gold: Mapping[str, GoldSample]
    fields: frozenset[GoldField]


def load_annotated(source: DataSource) -> AnnotatedSamples:
    """Load the texts and the gold of a source, reading its file once."""
    if source.name is not None:
        texts, known = load_samples(source), _shipped_gold(source.name, source.split)
        return AnnotatedSamples(texts, {sample.uid: known[sample.uid] for sample in texts.samples}, _SHIPPED_FIELDS)
    reading = read_source(source)
    texts = samples_of(source, reading)
    chosen = {sample.uid for sample in texts.samples}
    gold = _by_uid(entry for entry in reading.entries if entry.sample.uid in chosen)
    return AnnotatedSamples(texts, gold, reading.gold_fields())


def _shipped_gold(name: str, split: str | None = None) -> dict[str, GoldSample]:
    samples = (GoldSample.model_validate_json(line) for line in shipped_lines(name, split, ending="gold.jsonl"))
    return {sample.uid: sample for sample in samples}


def _by_uid(entries: Iterable[Entry]) -> dict[str, GoldSample]:
    return {
        entry.sample.uid: GoldSample(
            uid=entry.sample.uid, tuples=[_tuple(item) for item in entry.annotations], tags=list(entry.tags)
        )
        for entry in entries
        if entry.annotations is not None
    }


def _tuple(item: Annotation) -> GoldTuple:
    span = None if item.span is None else Span(start=item.span[0], end=item.span[1])
    return GoldTuple(
        aspect_term=item.aspect_term,
        aspect_ref=item.aspect_ref,
        opinion_term=item.opinion_term,
        polarity=item.polarity,
        span=span,
    )
