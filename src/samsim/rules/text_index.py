"""Where pieces of a text stand, looked up in logarithmic time so that long texts stay cheap."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from samsim.schemas.protocol_conflict_review import Span


class Placed(Protocol):
    """Anything with a place in the text."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """One past the last character."""


PlacedT = TypeVar("PlacedT", bound=Placed)


def continues_a_character(text: str, at: int) -> bool:
    """Whether the code point here belongs to the character before it, as in decomposed (NFD) text."""
    if at >= len(text):
        return False
    following = text[at]
    return unicodedata.combining(following) != 0 or "\u1160" <= following <= "\u11ff"


class TextIndex:
    """Finds every occurrence of a piece once and remembers it; lives as long as one sample."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[str, tuple[int, list[int]]] = {}

    def count(self, piece: str) -> int:
        """How often the text has the piece."""
        return len(self._starts(piece)[1])

    def has(self, piece: str) -> bool:
        """Whether the text has the piece, also in another Unicode normal form of it."""
        return self.count(piece) > 0

    def carries(self, span: Span, piece: str) -> bool:
        """Whether the span is exactly one occurrence of the piece."""
        length, starts = self._starts(piece)
        at = bisect_left(starts, span.start)
        return at < len(starts) and starts[at] == span.start and span.end == span.start + length

    def nearest(self, piece: str, origin: int) -> Span | None:
        """The occurrence that starts nearest to ``origin`` (the earlier one of two), or None."""
        length, starts = self._starts(piece)
        at = bisect_left(starts, origin)
        around = starts[max(at - 1, 0) : at + 1]
        if not around:
            return None
        start = min(around, key=lambda place: (abs(place - origin), place))
        return Span(start=start, end=start + length)

    def _starts(self, piece: str) -> tuple[int, list[int]]:
        if piece not in self._found:
            self._found[piece] = self._find(piece)
        return self._found[piece]

    def _find(self, piece: str) -> tuple[int, list[int]]:
        spellings = (piece, unicodedata.normalize("NFC", piece), unicodedata.normalize("NFD", piece))
        for spelling in dict.fromkeys(spellings):
            starts = self._find_all(spelling)
            if starts:
                return len(spelling), starts
        return len(piece), []

    def _find_all(self, needle: str) -> list[int]:
        starts: list[int] = []
        start = self.text.find(needle) if needle else -1
        while start >= 0:
            if not continues_a_character(self.text, start + len(needle)):
                starts.append(start)
            start = self.text.find(needle, start + 1)
        return starts


class PlacedItems(Generic[PlacedT]):
    """Items in text order that can be asked which of them overlap a region."""

    def __init__(self, items: Sequence[PlacedT]) -> None:
        self._items = items
        self._starts = [item.start for item in items]
        # How far any item up to this one reaches: items may lie inside each other.
        self._reach = list(accumulate((item.end for item in items), max))

    def overlapping(self, region: Placed) -> list[PlacedT]:
        """The items that share at least one character with the region, in text order."""
        last = bisect_left(self._starts, region.end)
        first = bisect_right(self._reach, region.start, hi=last)
        return [item for item in self._items[first:last] if item.end > region.start]
