"""The full story as a picture: an SVG that fetches nothing from anywhere."""

from __future__ import annotations

import io
import re

from rich.console import CONSOLE_SVG_FORMAT, Console  # type: ignore[attr-defined]

from samsim.cli.labels import Labels, UiLanguage
from samsim.cli.view import build_view
from samsim.cli.view_style import Look
from samsim.schemas.results import SampleResult

FONTS = "'D2Coding', 'NanumGothicCoding', 'Noto Sans Mono CJK KR', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_FONT_FACE = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
# Fonts with full-width Latin would stretch every letter over two columns.
_FULL_WIDTH = re.compile(r"font-variant-east-asian: full-width;\s*")
_FONT_FAMILY = re.compile(r"font-family: [^;]+;")


def render_svg(
    result: SampleResult, width: int = 120, *, ui: UiLanguage = "en", title: str = "samsim", explain: bool = True
) -> str:
    """The view of a result, ``width`` columns wide, as an SVG document."""
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
    return console.export_svg(title=title, code_format=_local_format())


def _local_format() -> str:
    """Rich's template without its web fonts, with fonts that have Hangul."""
    template = _FULL_WIDTH.sub("", _FONT_FACE.sub("", CONSOLE_SVG_FORMAT))
    return _FONT_FAMILY.sub(f"font-family: {FONTS};", template)
