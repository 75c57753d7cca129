"""The language layer's one entry: a text becomes a ``TextAnalysis``."""

from __future__ import annotations

from samsim.language.detect import detect_language
from samsim.schemas.analysis import Language, TextAnalysis


def analyze_text(text: str, language: Language | None = None) -> TextAnalysis:
    """Analyse a text in the given language, or in the one it seems to be in.

    The analysers are imported on first use: Korean morphology takes a second to load.
    """
    if (language or detect_language(text)) == "ko":
        from samsim.language.korean.analysis import analyze_korean

        return analyze_korean(text)
    from samsim.language.english.analysis import analyze_english

    return analyze_english(text)
