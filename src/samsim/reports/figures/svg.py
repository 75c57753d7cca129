"""Small vector drawings: text stays text, colors follow the page, every figure has a title and a description."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files

from samsim.reports.tables.model import Text, said
from samsim.schemas.code_names import Ui

# Approximate width of a character at the label font size; Hangul is about twice as wide.
_LATIN, _WIDE = 7.0, 13.0
_COLOUR = re.compile(r"--([\w-]+): light-dark\(([^,]+), ")
_VARIABLE = re.compile(r"var\(--([\w-]+)\)")
_LEAST_STEP, _MOST_STEP = 1e-300, 1e300


@dataclass(slots=True)
class Drawing:
    """A figure built from shapes."""

    width: float
    height: float
    title: Text
    description: Text
    parts: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """Add a straight line."""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>')

    def box(self, x: float, y: float, width: float, height: float, css: str, tip: Text = "") -> None:
        """Add a filled box."""
        shape = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{height:.1f}" rx="2"'
        self.parts.append(f'<rect {shape} class="{css}">{_tip(tip)}</rect>')

    def dot(self, x: float, y: float, css: str, tip: Text = "", radius: float = 5) -> None:
        """Add a filled circle."""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{css}">{_tip(tip)}</circle>')

    def text(self, x: float, y: float, words: Text, css: str = "", anchor: str = "start", tip: str = "") -> None:
        """Add a label, in both languages if they differ; the tip is the full text of a shortened label."""
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self.parts += [
            f'<text {place} class="{css}"{language}>{escape(label)}{_tip(tip)}</text>'
            for label, language in _languages(words)
        ]

    def render(self) -> str:
        """Render the figure as a part of the page, whose style it follows."""
        names = "".join(f"<title{language}>{escape(words)}</title>" for words, language in _languages(self.title)[:1])
        about = "".join(
            f"<desc{language}>{escape(words)}</desc>" for words, language in _languages(self.description)[:1]
        )
        caption = "".join(f"<span{language}>{escape(words)}</span>" for words, language in _languages(self.title))
        return (
            f'<figure class="chart"><figcaption>{caption}</figcaption><div>'
            f"<svg {self._size}>{names}{about}{''.join(self.parts)}</svg></div></figure>"
        )

    def document(self, ui: Ui) -> str:
        """Render the figure as a standalone SVG file in one language, with the page's style in its light colors."""
        other = ' lang="ko">' if ui == "en" else ' lang="en">'
        kept = "".join(part for part in self.parts if other not in part)
        title, about = escape(said(self.title, ui)), escape(said(self.description, ui))
        ground = f'<rect width="{self.width:.0f}" height="{self.height:.0f}" class="ground"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {self._size}><title>{title}</title><desc>{about}</desc>'
            f"<style>{_page_style()}</style>{ground}{kept}</svg>"
        )

    @property
    def _size(self) -> str:
        width, height = f"{self.width:.0f}", f"{self.height:.0f}"
        return f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'


@cache
def _page_style() -> str:
    """Return the page's rules for figures, with the light one of each pair of colors."""
    css = files("samsim.reports.page").joinpath("templates", "report.css").read_text(encoding="utf-8")
    colours = dict(_COLOUR.findall(css))
    rules = [line for line in css.splitlines() if line.startswith("svg ")]
    rules += ["svg { font: 12.5px system-ui, sans-serif; }", "svg .ground { fill: var(--surface); }"]
    return _VARIABLE.sub(lambda name: colours[name[1]], " ".join(rules))


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to positions on an axis."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value; one outside the range is put at the edge."""
        inside = min(max(value, self.low), self.high)
        span = self.high - self.low
        return self.start + (inside - self.low) / span * (self.end - self.start) if span else self.start


def text_width(words: Iterable[str]) -> float:
    """Return the width of the longest label."""
    return max((sum(_WIDE if ord(letter) > 0x1100 else _LATIN for letter in word) for word in words), default=0.0)


def fitted(words: str, room: float, size: float = 1.0) -> str:
    """Return the label, shortened if it is too wide."""
    if text_width([words]) * size <= room:
        return words
    while words and text_width([f"{words}…"]) * size > room:
        words = words[:-1]
    return f"{words.rstrip()}…"


def round_steps(low: float, high: float, wanted: int = 5) -> list[float]:
    """Return round values across a range, for an axis."""
    rough = (high - low) / wanted
    # Within these limits, a power of ten can be computed.
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
    label = said(words, "en")
    return f"<title>{escape(label)}</title>" if label else ""
