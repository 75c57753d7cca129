"""A spinner while one text is analyzed; only on a terminal, and gone once the result is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from samsim.cli.result_view.labels import Labels
from samsim.language.detect import detect_language
from samsim.schemas.analysis import Language


@contextmanager
def reading(text: str, language: Language | None, labels: Labels) -> Iterator[None]:
    """Show a spinner on stderr; for Korean it says that the analyzer is loading, which takes a second or two."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    korean = (language or detect_language(text)) == "ko"
    with Console(stderr=True).status(labels("loading_korean" if korean else "reading")):
        yield
