"""The position of an annotated term in its text. A span is exact or missing, never guessed."""

from __future__ import annotations

from samsim.data.bad_rows import RowError
from samsim.schemas.analysis import Offsets


def sole_occurrence(text: str, term: str) -> Offsets | None:
    """Return the span of the term if it occurs in the text exactly once, else None."""
    first = text.find(term)
    if not term or first < 0 or first != text.rfind(term):
        return None
    return first, first + len(term)


def verified_span(text: str, term: str, start: int, end: int) -> tuple[Offsets, str | None]:
    """Return the given offsets if they are right, else those of the term's only occurrence, with a note."""
    if 0 <= start < end and text[start:end] == term and end <= len(text):
        return (start, end), None
    found = sole_occurrence(text, term)
    if found is None:
        raise RowError(f"the text at {start}:{end} is not the term {term!r}, and the term does not occur exactly once")
    return found, f"the offsets {start}:{end} of {term!r} were wrong; its only occurrence was used"
