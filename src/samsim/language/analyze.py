"""The entry point of the language layer: turns a text into a ``TextAnalysis``."""

from __future__ import annotations

from samsim.language.detect import detect_language
from samsim.schemas.analysis import Language, TextAnalysis


def analyze_text(text: str, language: Language | None = None) -> TextAnalysis:
    """Analyze a text in the given language, or in the detected one if none is given.

    The analyzers are imported on first use: Korean morphology takes a second to load.
    """
    if (language or detect_language(text)) == "ko":
        from samsim.language.korean.analysis import analyze_korean

        return analyze_korean(text)
    from samsim.language.english.analysis import analyze_english

    return analyze_english(text)
