"""The text with its aspects colored by polarity and its opinions underlined.

Without color, aspects are in brackets with their sign, ``[배터리]−``, and opinions in braces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rich.text import Text

from samsim.cli.result_view.style import COLOURS, Look
from samsim.cli.safe_text import shown_lines
from samsim.schemas.marks import SHOWN_CHARACTERS, Mark, Segment, marks_of, segments
from samsim.schemas.polarity import POLARITIES, SIGNS
from samsim.schemas.results import SampleResult


def text_view(result: SampleResult, look: Look) -> Text:
    """Return the text with its marks, cut off if it is long."""
    text = result.text[:SHOWN_CHARACTERS]
    view = annotate(text, marks_of(result, len(text)), plain=look.plain)
    if hidden := len(result.text) - len(text):
        count = look.labels.count(hidden, "character", "자")
        view.append("\n" + look.labels("shortened", count=count), style="dim")
    return view


def legend(look: Look) -> Text:
    """Return a legend of the colors or brackets."""
    labels = look.labels
    view = Text(f"{labels('legend')}: ", style="dim", overflow="fold")
    if look.plain:
        names = ", ".join(f"{SIGNS[name]} {labels.polarity(name)}" for name in POLARITIES)
        return view.append(f"[{labels('legend_aspect')}] {names}; {{{labels('legend_opinion')}}}")
    for name in POLARITIES:
        view.append(f"{SIGNS[name]} {labels.polarity(name)}", style=f"not dim bold {COLOURS[name]}").append("  ")
    return view.append(labels("legend_opinion"), style="not dim underline")


def annotate(text: str, marks: Sequence[Mark], *, plain: bool) -> Text:
    """Return the text with its marks: in color, or in brackets if ``plain``."""
    view = Text(overflow="fold")
    for segment in segments(text, marks):
        if plain:
            view.append("".join(map(_closing, segment.ended)) + "".join(map(_opening, segment.started)))
        words = unicodedata.normalize("NFC", shown_lines(segment.text))
        view.append(words, style=None if plain else _style(segment))
    return view


def _opening(mark: Mark) -> str:
    return "[" if mark.polarities else "{"


def _closing(mark: Mark) -> str:
    return "]" + "".join(SIGNS[name] for name in mark.polarities) if mark.polarities else "}"


def _style(segment: Segment) -> str:
    aspect = "" if segment.polarity is None else f"bold {COLOURS[segment.polarity]}"
    return f"{aspect} {'underline' if segment.is_opinion else ''}".strip()
