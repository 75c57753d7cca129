"""Opinion terms of an answer in the form of our convention, and whether a text states them.

A reader is made for one analysed text and is pure: the same opinion always gives the same answer.
"""

from __future__ import annotations

from typing import Protocol

from samsim.schemas.analysis import TextAnalysis


class OpinionReader(Protocol):
    """What can be asked about the opinions of one text."""

    def normal(self, opinion: str) -> str:
        """Return the opinion itself: without leading intensifiers and particles, in Korean in dictionary form.

        Never empty where the opinion is not, and the same when asked again about what was answered.
        """

    def states(self, opinion: str) -> bool:
        """Return whether the text has the words of the opinion, in whatever inflection."""


def opinions_of(analysis: TextAnalysis) -> OpinionReader:
    """Return the reader for an analysed text; the languages are imported on first use, as in ``analyze_text``."""
    if analysis.language == "ko":
        from samsim.language.korean.opinions import KoreanOpinions

        return KoreanOpinions(analysis)
    from samsim.language.english.opinions import EnglishOpinions

    return EnglishOpinions(analysis)
