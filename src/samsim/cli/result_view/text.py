"""The text with its aspects coloured by polarity and its opinions underlined.

Without colour, aspects stand in brackets with their sign, ``[배터리]−``, and opinions in braces.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

from samsim.cli.result_view.style import COLOURS, SIGNS, Look
from samsim.cli.safe_text import shown_lines
from samsim.schemas.polarity import POLARITIES, PolarityName
from samsim.schemas.results import ReviewedTuple, SampleResult

# More than this is no reading matter for a terminal; the JSON has it all.
SHOWN_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of the text: an aspect with its polarities, or (without any) an opinion."""

    start: int
    end: int
    polarities: tuple[PolarityName, ...] = ()

    @property
    def style(self) -> str:
        """How the stretch looks in colour."""
        if not self.polarities:
            return "underline"
        return f"bold {COLOURS[self.polarities[0] if len(self.polarities) == 1 else 'mixed']}"

    @property
    def opening(self) -> str:
        """What stands before the stretch where there is no colour."""
        return "[" if self.polarities else "{"

    @property
    def closing(self) -> str:
        """What stands after the stretch where there is no colour."""
        return "]" + "".join(SIGNS[name] for name in self.polarities) if self.polarities else "}"


def text_view(result: SampleResult, look: Look) -> Text:
    """The text as given, with its marks."""
    text = result.text[:SHOWN_CHARACTERS]
    view = annotate(text, _marks(result, len(text)), plain=look.plain)
    if hidden := len(result.text) - len(text):
        count = look.labels.count(hidden, "character", "자")
        view.append("\n" + look.labels("shortened", count=count), style="dim")
    return view


def legend(look: Look) -> Text:
    """What the colours or brackets mean."""
    labels = look.labels
    view = Text(f"{labels('legend')}: ", style="dim", overflow="fold")
    if look.plain:
        names = ", ".join(f"{SIGNS[name]} {labels.polarity(name)}" for name in POLARITIES)
        return view.append(f"[{labels('legend_aspect')}] {names}; {{{labels('legend_opinion')}}}")
    for name in POLARITIES:
        view.append(f"{SIGNS[name]} {labels.polarity(name)}", style=f"not dim bold {COLOURS[name]}").append("  ")
    return view.append(labels("legend_opinion"), style="not dim underline")


def _marks(result: SampleResult, visible: int) -> list[Mark]:
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


def _opinion_place(text: str, found: ReviewedTuple) -> tuple[int, int] | None:
    """The opinion's words inside its evidence, or the evidence where the opinion is in dictionary form."""
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


def annotate(text: str, marks: Sequence[Mark], *, plain: bool) -> Text:
    """The text with its marks: in colour, or in brackets where it is plain."""
    view = Text(overflow="fold")
    edges = sorted({0, len(text), *(mark.start for mark in marks), *(mark.end for mark in marks)})
    active: list[Mark] = []
    starting = _by_position(marks)
    for edge, following in zip(edges, [*edges[1:], len(text)], strict=True):
        ended = [mark for mark in reversed(active) if mark.end == edge]
        active = [mark for mark in active if mark.end != edge]
        started = starting.get(edge, [])
        active += started
        if plain:
            view.append("".join(mark.closing for mark in ended) + "".join(mark.opening for mark in started))
        segment = unicodedata.normalize("NFC", shown_lines(text[edge:following]))
        view.append(segment, style=None if plain else _style(active))
    return view


def _by_position(marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    """The marks that begin at each place, longer ones first so that brackets nest."""
    starting: dict[int, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end, not mark.polarities)):
        starting.setdefault(mark.start, []).append(mark)
    return starting


def _style(active: Sequence[Mark]) -> str:
    """All styles at one place; of two aspects the inner one, which began last, colours it."""
    aspect = next((mark.style for mark in reversed(active) if mark.polarities), "")
    opinion = "underline" if any(not mark.polarities for mark in active) else ""
    return f"{aspect} {opinion}".strip()
