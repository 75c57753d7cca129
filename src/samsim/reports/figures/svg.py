"""Small vector drawings: text stays text, colours follow the page, every figure has a title and a description."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from samsim.reports.tables.model import Text

# Rough width of a character at the font size of the labels; Hangul takes about twice as much.
_LATIN, _WIDE = 7.0, 13.0
_LEAST_STEP, _MOST_STEP = 1e-300, 1e300


@dataclass(slots=True)
class Drawing:
    """A figure that grows by shapes."""

    width: float
    height: float
    title: Text
    description: Text
    parts: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """A straight line."""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>')

    def box(self, x: float, y: float, width: float, height: float, css: str, tip: Text = "") -> None:
        """A filled box."""
        shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" rx="2"'
        self.parts.append(f'<rect {shape} class="{css}">{_tip(tip)}</rect>')

    def dot(self, x: float, y: float, css: str, tip: Text = "", radius: float = 5) -> None:
        """A filled circle."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{css}">{_tip(tip)}</circle>')

    def text(self, x: float, y: float, words: Text, css: str = "", anchor: str = "start", tip: str = "") -> None:
        """A label, in both languages where they differ; the tip is what a shortened one says in full."""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self.parts += [
            f'<text {place} class="{css}"{language}>{escape(said)}{_tip(tip)}</text>'
            for said, language in _languages(words)
        ]

    def render(self) -> str:
        """The figure."""
        names = "".join(f"<title{language}>{escape(said)}</title>" for said, language in _languages(self.title)[:1])
        about = "".join(f"<desc{language}>{escape(said)}</desc>" for said, language in _languages(self.description)[:1])
        caption = "".join(f"<span{language}>{escape(said)}</span>" for said, language in _languages(self.title))
        return (
            f'<figure class="chart"><figcaption>{caption}</figcaption><div>'
            f'<svg viewBox="0 0 {self.width:.0f} {self.height:.0f}" width="{self.width:.0f}" height="{self.height:.0f}"'
            f' role="img">{names}{about}{"".join(self.parts)}</svg></div></figure>'
        )


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values stand on an axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value; one outside is put at the edge."""
        inside = min(max(value, self.low), self.high)
        span = self.high - self.low
        return self.start + (inside - self.low) / span * (self.end - self.start) if span else self.start


def text_width(words: Iterable[str]) -> float:
    """How much room the longest of the labels takes."""
    return max((sum(_WIDE if ord(letter) > 0x1100 else _LATIN for letter in word) for word in words), default=0.0)


def fitted(words: str, room: float, size: float = 1.0) -> str:
    """The label, shortened where it takes more than the room."""
    if text_width([words]) * size <= room:
        return words
    while words and text_width([f"{words}…"]) * size > room:
        words = words[:-1]
    return f"{words.rstrip()}…"


def round_steps(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round values across a range, for an axis."""
    rough = (high - low) / wanted
    # Between these a number has a power of ten.
    if not _LEAST_STEP < rough < _MOST_STEP:
        return [low]
    magnitude = 10.0 ** _exponent(rough)
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough)
    first = -(-low // step)
    return [round((first + number) * step, 10) for number in range(int((high - first * step) / step + 1e-9) + 1)]


def _exponent(value: float) -> int:
    exponent = 0
    while value >= 10:
        value, exponent = value / 10, exponent + 1
    while value < 1:
        value, exponent = value * 10, exponent - 1
    return exponent


def _languages(words: Text) -> list[tuple[str, str]]:
    if isinstance(words, str) or words[0] == words[1]:
        return [(words if isinstance(words, str) else words[0], "")]
    return [(words[0], ' lang="en"'), (words[1], ' lang="ko"')]


def _tip(words: Text) -> str:
    said = words if isinstance(words, str) else words[0]
    return f"<title>{escape(said)}</title>" if said else ""
