"""The view of a result as a self-contained SVG picture."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby

from rich.cells import cell_len, get_character_cell_size
from rich.console import CONSOLE_SVG_FORMAT, Console  # type: ignore[attr-defined]

from samsim.cli.result_view.labels import Labels
from samsim.cli.result_view.layout import build_view
from samsim.cli.result_view.style import Look
from samsim.schemas.code_names import Ui
from samsim.schemas.results import SampleResult

FONTS = "'D2Coding', 'NanumGothicCoding', 'Noto Sans Mono CJK KR', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_FONT_FACE = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
_NO_BREAK_SPACE, _WRITTEN_SPACE = "\xa0", "&#160;"
# Fonts with full-width Latin would stretch every letter over two columns.
_FULL_WIDTH = re.compile(r"font-variant-east-asian: full-width;\s*")
_FONT_FAMILY = re.compile(r"font-family: [^;]+;")
_TEXT = re.compile(
    r'<text (?P<before>[^>]*)x="(?P<x>[^"]+)" (?P<y>y="[^"]+") textLength="(?P<length>[^"]+)"(?P<after>[^>]*)>'
    r"(?P<text>[^<]*)</text>"
)


def render_svg(
    result: SampleResult, width: int = 120, *, ui: Ui = "en", title: str = "samsim", explain: bool = True
) -> str:
    """Return the view of a result, ``width`` columns wide, as an SVG document."""
    # The environment (NO_COLOR, COLUMNS, TERM) must not change the picture.
    console = Console(
        record=True,
        width=width,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        no_color=False,
        highlight=False,
        emoji=False,
        markup=False,
        _environ={},
    )
    console.print(build_view(result, Look(Labels(ui), width, plain=False), explain=explain))
    return _TEXT.sub(_in_cells, console.export_svg(title=title, code_format=_local_format()))


def _local_format() -> str:
    """Return rich's SVG template without its web fonts, and with fonts that have Hangul."""
    template = _FULL_WIDTH.sub("", _FONT_FACE.sub("", CONSOLE_SVG_FORMAT))
    return _FONT_FAMILY.sub(f"font-family: {FONTS};", template)


def _in_cells(found: re.Match[str]) -> str:
    """Return the text element split into runs of wide and of narrow characters, each at its own columns.

    Rich gives every character the width of one column, which squeezes Hangul (two columns wide) to half its width.
    Wide glyphs are stretched to their columns: with wider spacing alone, words would fall apart into syllables.
    """
    text = unescape(found["text"])
    if not cell_len(text):
        return found[0]
    column = float(found["length"]) / len(text)
    x = float(found["x"])
    pieces = []
    for run in _runs_of_one_width(text):
        length = column * cell_len(run)
        stretched = ' lengthAdjust="spacingAndGlyphs"' if cell_len(run) > len(run) else ""
        pieces.append(
            f'<text {found["before"]}x="{x:g}" {found["y"]} textLength="{length:g}"{stretched}{found["after"]}>'
            f"{escape(run).replace(_NO_BREAK_SPACE, _WRITTEN_SPACE)}</text>"
        )
        x += length
    return "".join(pieces)


def _runs_of_one_width(text: str) -> Iterator[str]:
    """Split the text where wide characters begin or end; zero-width characters stay with the one before."""
    width = 1

    def width_of(character: str) -> int:
        nonlocal width
        width = get_character_cell_size(character) or width
        return width

    return ("".join(run) for _, run in groupby(text, key=width_of))
