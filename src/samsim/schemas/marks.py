"""The marks of a result in its text: aspects with their polarities, and opinion words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from samsim.schemas.polarity import PolarityName

if TYPE_CHECKING:
    from samsim.schemas.results import ReviewedTuple, SampleResult

# More is not readable in a terminal or a notebook; the JSON has the whole text.
SHOWN_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the text: an aspect with its polarities, or an opinion, which has none."""

    start: int
    end: int
    polarities: tuple[PolarityName, ...] = ()

    @property
    def polarity(self) -> PolarityName | None:
        """The polarity to show an aspect with; None for an opinion."""
        if not self.polarities:
            return None
        return self.polarities[0] if len(self.polarities) == 1 else "mixed"


class Segment(NamedTuple):
    """A piece of the text between two edges of marks, with the marks that end before, start at and cover it."""

    text: str
    ended: Sequence[Mark]
    started: Sequence[Mark]
    active: Sequence[Mark]

    @property
    def polarity(self) -> PolarityName | None:
        """The polarity to show here; of two aspects, that of the inner one, which started last."""
        return next((mark.polarity for mark in reversed(self.active) if mark.polarities), None)

    @property
    def is_opinion(self) -> bool:
        """Whether the segment is part of an opinion."""
        return any(not mark.polarities for mark in self.active)


def marks_of(result: SampleResult, visible: int) -> list[Mark]:
    """Return the marks of the tuples that survived the review, within the visible part of the text."""
    aspects: dict[tuple[int, int], dict[PolarityName, None]] = {}
    opinions: dict[tuple[int, int], None] = {}
    for found in result.final_tuples_post_review:
        if found.span is not None and found.aspect_term:
            aspects.setdefault((found.span.start, found.span.end), {})[found.polarity] = None
        if (place := _opinion_place(result.text, found)) is not None:
            opinions[place] = None
    marks = [Mark(*place, tuple(polarities)) for place, polarities in aspects.items()]
    marks += [Mark(*place) for place in opinions]
    return [mark for mark in marks if mark.start < mark.end <= visible]


def segments(text: str, marks: Sequence[Mark]) -> Iterator[Segment]:
    """Split the text at the edges of its marks; longer marks start first, which makes brackets nest."""
    edges = sorted({0, len(text), *(mark.start for mark in marks), *(mark.end for mark in marks)})
    active: list[Mark] = []
    starting = _by_position(marks)
    for edge, following in zip(edges, [*edges[1:], len(text)], strict=True):
        ended = [mark for mark in reversed(active) if mark.end == edge]
        active = [mark for mark in active if mark.end != edge]
        started = starting.get(edge, [])
        active += started
        yield Segment(text[edge:following], ended, started, tuple(active))


def _by_position(marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    starting: dict[int, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, not mark.polarities)):
        starting.setdefault(mark.start, []).append(mark)
    return starting


def _opinion_place(text: str, found: ReviewedTuple) -> tuple[int, int] | None:
    """Return the position of the opinion in its evidence, or of the evidence if the opinion is in dictionary form."""
    anchor = found.span.start if found.span is not None else 0
    evidence = _nearest(text, found.evidence, anchor)
    if evidence is None:
        return _nearest(text, found.opinion_term, anchor)
    at = text.find(found.opinion_term, *evidence) if found.opinion_term else -1
    return (at, at + len(found.opinion_term)) if at >= 0 else evidence


def _nearest(text: str, words: str, anchor: int) -> tuple[int, int] | None:
    if not words.strip():
        return None
    places = [at for at in (text.rfind(words, 0, anchor + len(words)), text.find(words, anchor)) if at >= 0]
    if not places:
        return None
    start = min(places, key=lambda at: abs(at - anchor))
    return start, start + len(words)
