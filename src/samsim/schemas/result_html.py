"""A result in a notebook: its text with the aspects colored by polarity, and its tuples."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from samsim.notebook import Html, html_block, html_table, html_text
from samsim.schemas.marks import SHOWN_CHARACTERS, Segment, marks_of, segments
from samsim.schemas.polarity import SIGNS, PolarityName

if TYPE_CHECKING:
    from samsim.schemas.results import SampleResult

# Readable on a light and a dark background: the text keeps its own color.
_COLOURS: Mapping[PolarityName, str] = MappingProxyType(
    {"positive": "26,138,85", "negative": "210,59,64", "neutral": "176,122,0", "mixed": "138,79,208"}
)
_COLUMNS = ("aspect", "ref", "opinion", "polarity", "found by", "uncertain")
_IMPLICIT = "(implicit)"


def result_html(result: SampleResult) -> str:
    """Render the text, its opinions and any missing calls as HTML."""
    text = result.text[:SHOWN_CHARACTERS]
    words = "".join(_segment(segment) for segment in segments(text, marks_of(result, len(text))))
    hidden = len(result.text) - len(text)
    rows = [
        (
            final.aspect_term or _IMPLICIT,
            final.aspect_ref,
            "; ".join(final.opinion_terms),
            _polarity(final.polarity),
            " ".join(final.support),
            "; ".join(final.flag_reasons) or ("yes" if final.flagged else ""),
        )
        for final in result.final_tuples
    ]
    missing = "partial, without " + ", ".join(map(str, result.missing_calls)) if result.missing_calls else ""
    return html_block(
        Html(f'<p style="line-height:1.9;white-space:pre-wrap">{words}</p>'),
        f"and {hidden:,} more characters" if hidden else "",
        html_table(_COLUMNS, rows) if rows else "No opinion was found.",
        missing,
    )


def _segment(segment: Segment) -> str:
    words = html_text(segment.text)
    styles = []
    if segment.polarity is not None:
        colour = _COLOURS[segment.polarity]
        styles.append(f"background:rgba({colour},.22);box-shadow:inset 0 -2px rgb({colour});padding:1px 2px")
    if segment.is_opinion:
        styles.append("text-decoration:underline dotted")
    if not styles or not words:
        return words
    tip = "opinion" if segment.polarity is None else segment.polarity
    return f'<span title="{tip}" style="{";".join(styles)}">{words}</span>'


def _polarity(name: PolarityName) -> Html:
    return Html(f'<b style="color:rgb({_COLOURS[name]})">{SIGNS[name]}</b> {html_text(name)}')
