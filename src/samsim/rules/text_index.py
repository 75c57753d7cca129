"""Positions of pieces of a text, looked up in logarithmic time to keep long texts cheap.

A piece that the text does not have as written is searched for with case, width, Unicode form and quotation
marks folded. Folding is for comparison only: every offset refers to the text as given.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from samsim.schemas.protocol_conflict_review import Span


class Placed(Protocol):
    """Anything with a position in the text."""

    @property
    def start(self) -> int:
        """The first character."""

    @property
    def end(self) -> int:
        """One past the last character."""


PlacedT = TypeVar("PlacedT", bound=Placed)
_INSIDE = -1
_PLAIN_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))


def fold(text: str) -> str:
    """Return the form in which pieces of text are compared: width, case, Unicode form and quotation marks folded."""
    # Case folding can leave a decomposed form, and composing can leave one that has a case.
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN_QUOTES).casefold()
    return unicodedata.normalize("NFKC", plain).casefold()


def continues_a_character(text: str, at: int) -> bool:
    """Return whether the code point here belongs to the character before it, as in decomposed (NFD) text."""
    if at >= len(text):
        return False
    following = text[at]
    return unicodedata.combining(following) != 0 or "\u1160" <= following <= "\u11ff"


class TextIndex:
    """Finds every occurrence of a piece once and caches it; lives as long as one sample."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[str, list[Span]] = {}
        self._folded: _FoldedText | None = None

    def count(self, piece: str) -> int:
        """Return how often the text has the piece."""
        return len(self._places(piece))

    def has(self, piece: str) -> bool:
        """Return whether the text has the piece, possibly in another case, width or Unicode normal form."""
        return self.count(piece) > 0

    def carries(self, span: Span, piece: str) -> bool:
        """Return whether the span is exactly one occurrence of the piece, in any spelling."""
        if not piece or continues_a_character(self.text, span.end):
            return False
        return fold(self.text[span.start : span.end]) == fold(piece)

    def nearest(self, piece: str, origin: int) -> Span | None:
        """Return the occurrence that starts nearest to ``origin`` (the earlier one on a tie), or None."""
        places = self._places(piece)
        at = bisect_left(places, origin, key=_start)
        around = places[max(at - 1, 0) : at + 1]
        return min(around, key=lambda place: (abs(place.start - origin), place.start), default=None)

    def _places(self, piece: str) -> list[Span]:
        if piece not in self._found:
            self._found[piece] = self._find(piece)
        return self._found[piece]

    def _find(self, piece: str) -> list[Span]:
        spellings = (piece, unicodedata.normalize("NFC", piece), unicodedata.normalize("NFD", piece))
        for spelling in dict.fromkeys(spellings):
            starts = self._find_all(spelling)
            if starts:
                return [Span(start=start, end=start + len(spelling)) for start in starts]
        if self._folded is None:
            self._folded = _FoldedText(self.text)
        return self._folded.find_all(piece)

    def _find_all(self, needle: str) -> list[int]:
        starts: list[int] = []
        start = self.text.find(needle) if needle else -1
        while start >= 0:
            if not continues_a_character(self.text, start + len(needle)):
                starts.append(start)
            start = self.text.find(needle, start + 1)
        return starts


def _start(place: Placed) -> int:
    return place.start


class _FoldedText:
    """A folded text that maps each of its characters to the original one."""

    def __init__(self, text: str) -> None:
        # Offsets of the original character; if it folds to several, the first has the start and the last the end.
        self._starts: list[int] = []
        self._ends: list[int] = []
        parts = []
        start = 0
        for end in range(1, len(text) + 1):
            if continues_a_character(text, end):
                continue
            part = fold(text[start:end])
            if part:
                inside = [_INSIDE] * (len(part) - 1)
                self._starts += [start, *inside]
                self._ends += [*inside, end]
                parts.append(part)
            start = end
        self._folded = "".join(parts)

    def find_all(self, piece: str) -> list[Span]:
        """Return every occurrence of a piece that begins and ends with whole characters of the text."""
        needle = fold(piece)
        found = []
        at = self._folded.find(needle) if needle else -1
        while at >= 0:
            start, end = self._starts[at], self._ends[at + len(needle) - 1]
            if start != _INSIDE and end != _INSIDE:
                found.append(Span(start=start, end=end))
            at = self._folded.find(needle, at + 1)
        return found


class PlacedItems(Generic[PlacedT]):
    """Items in text order, with lookup of those that overlap a region."""

    def __init__(self, items: Sequence[PlacedT]) -> None:
        self._items = items
        self._starts = [item.start for item in items]
        # How far any item up to this one reaches: items may be nested.
        self._reach = list(accumulate((item.end for item in items), max))

    def overlapping(self, region: Placed) -> list[PlacedT]:
        """Return the items that share at least one character with the region, in text order."""
        last = bisect_left(self._starts, region.end)
        first = bisect_right(self._reach, region.start, hi=last)
        return [item for item in self._items[first:last] if item.end > region.start]
