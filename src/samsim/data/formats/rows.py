"""The output of a parser: one row of a file with its annotations, or the reason why it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from samsim.data.bad_rows import BadRow, RowError
from samsim.schemas.analysis import Language, Offsets
from samsim.schemas.polarity import POLARITIES, PolarityName, canonical_polarity

Raw = TypeVar("Raw")


@dataclass(frozen=True, slots=True)
class Annotation:
    """One tuple an annotator gave; an implicit aspect has the term "" and no span."""

    aspect_term: str
    aspect_ref: str
    opinion_term: str
    polarity: PolarityName
    span: Offsets | None


@dataclass(frozen=True, slots=True)
class Row:
    """One usable row. ``annotations`` is None if the row was not annotated, and empty if it has no tuple.

    Rows with the same ``group`` are one sample; ``notes`` say what was done to make the row usable.
    """

    number: int
    text: str
    annotations: tuple[Annotation, ...] | None
    uid: str | None = None
    language: Language | None = None
    tags: tuple[str, ...] = ()
    group: str | None = None
    notes: tuple[str, ...] = ()


def parse_rows(records: Iterable[tuple[int, Raw]], parse: Callable[[int, Raw], Row]) -> Iterator[Row | BadRow]:
    """Parse each numbered record; a bad record does not affect the others."""
    for number, record in records:
        try:
            yield parse(number, record)
        except RowError as error:
            yield BadRow(number, str(error), error.group)


@contextmanager
def part_of(group: str | None) -> Iterator[None]:
    """Attribute an error in this block to the whole group, whose gold would otherwise lack a tuple."""
    try:
        yield
    except RowError as error:
        error.group = group
        raise


def polarity_of(value: object) -> PolarityName:
    """Return the polarity for any of its known spellings; raise ``RowError`` for another one."""
    polarity = canonical_polarity(value)
    if polarity is None:
        raise RowError(f"unknown polarity {value!r} (known: {', '.join(POLARITIES)} and their usual spellings)")
    return polarity


def language_of(value: object) -> Language | None:
    """Return the language given in a row, or None if it gives none."""
    if value is None or value == "":
        return None
    if value == "ko":
        return "ko"
    if value == "en":
        return "en"
    raise RowError(f"unknown language {value!r} (use ko or en)")
