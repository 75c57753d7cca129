"""Colors, signs and cells of the terminal view; cells print untrusted text literally."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from samsim.cli.result_view.labels import Labels
from samsim.cli.safe_text import shown
from samsim.schemas.polarity import SIGNS, PolarityName

COLOURS: Mapping[PolarityName, str] = {
    "positive": "green",
    "negative": "red",
    "neutral": "yellow",
    "mixed": "magenta",
}
# Below this many columns tables turn into stacked blocks.
WIDE = 90
# The vote matrix has six columns and needs more.
MATRIX = 110


@dataclass(frozen=True, slots=True)
class Look:
    """What a view needs to know about the terminal."""

    labels: Labels
    width: int
    plain: bool

    @property
    def wide(self) -> bool:
        """Whether there is room for columns."""
        return self.width >= WIDE

    @property
    def matrix(self) -> bool:
        """Whether there is room for the vote matrix."""
        return self.width >= MATRIX


def cell(content: str, style: str = "") -> Text:
    """Return untrusted text on one line: no markup, no control characters, composed Hangul."""
    return Text(unicodedata.normalize("NFC", shown(content)), style=style, overflow="fold")


def joined(parts: Iterable[Text], separator: str = " ") -> Text:
    """Join texts on one line; empty ones leave no gap."""
    line = Text(separator, overflow="fold").join(part for part in parts if part.plain)
    line.overflow = "fold"
    return line


def lines(parts: Iterable[Text]) -> Text:
    """Join texts with line breaks; empty ones leave no gap."""
    return joined(parts, "\n")


def sign(polarity: PolarityName) -> Text:
    """Return a polarity as its colored sign."""
    return Text(SIGNS[polarity], style=f"bold {COLOURS[polarity]}")


def polarity_words(polarity: PolarityName, labels: Labels) -> Text:
    """Return a polarity as its colored sign and name."""
    return Text(f"{SIGNS[polarity]} {labels.polarity(polarity)}", style=COLOURS[polarity])


def aspect_words(term: str, labels: Labels) -> Text:
    """Return an aspect term, or the label of an implicit aspect."""
    return cell(term, "bold") if term else Text(labels("implicit"), style="italic")


def breakable(code: str, room: int = 13) -> Text:
    """Return a long CODE_OF_WORDS on several lines, broken after its underscores."""
    rows = [""]
    for part in code.replace("_", "_ ").split():
        if rows[-1] and len(rows[-1]) + len(part) > room:
            rows.append("")
        rows[-1] += part
    return cell(rows[0]) if len(rows) == 1 else lines(cell(row) for row in rows)


def section(title: str, *content: RenderableType) -> list[RenderableType]:
    """Return a section of the view with its title."""
    return [Rule(Text(title, style="bold"), align="left", style="dim"), *content, Text()]


def indented(content: RenderableType, by: int = 2) -> Padding:
    """Return the content indented by some columns."""
    return Padding(content, (0, 0, 0, by))
