"""Opinion terms in the project's normal form, and whether a text states them.

A reader serves one analyzed text and is pure: the same opinion always gives the same answer.
"""

from __future__ import annotations

from typing import Protocol

from samsim.schemas.analysis import TextAnalysis


class OpinionReader(Protocol):
    """Answers questions about the opinions of one text."""

    def normal(self, opinion: str) -> str:
        """Return the opinion without leading intensifiers and particles, for Korean in dictionary form.

        Idempotent, and never empty unless the opinion is.
        """

    def states(self, opinion: str) -> bool:
        """Return whether the text has the words of the opinion, in any inflection."""


def opinions_of(analysis: TextAnalysis) -> OpinionReader:
    """Return the reader for an analyzed text; the languages are imported on first use, as in ``analyze_text``."""
    if analysis.language == "ko":
        from samsim.language.korean.opinions import KoreanOpinions

        return KoreanOpinions(analysis)
    from samsim.language.english.opinions import EnglishOpinions

    return EnglishOpinions(analysis)
