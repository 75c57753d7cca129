"""The extractors of the embedded engine by language, and single readings that combine them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from samsim.engines.embedded.english import perspectives as english
from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.korean import perspectives as korean
from samsim.schemas.analysis import Language, TextAnalysis
from samsim.schemas.protocol_conflict_review import Agent

Extractor = Callable[[TextAnalysis], list[Extraction]]

_EXTRACTORS: Mapping[Language, Mapping[Agent, Extractor]] = {
    "en": {"A": english.extract_negation, "B": english.extract_implicit, "C": english.extract_literal},
    "ko": {"A": korean.extract_negation, "B": korean.extract_implicit, "C": korean.extract_literal},
}


def extract_by(agent: Agent, analysis: TextAnalysis) -> list[Extraction]:
    """Return what one perspective finds."""
    return _EXTRACTORS[analysis.language][agent](analysis)


def read_once(analysis: TextAnalysis) -> list[Extraction]:
    """Return the best single reading: what is said, with negation, plus what the remaining words imply."""
    return _with_what_is_implied(extract_by("A", analysis), analysis)


def read_literally(analysis: TextAnalysis) -> list[Extraction]:
    """Return a first reading without structure: what the words literally say, plus what the remaining words imply."""
    return _with_what_is_implied(extract_by("C", analysis), analysis)


def _with_what_is_implied(said: list[Extraction], analysis: TextAnalysis) -> list[Extraction]:
    used = {extraction.opinion for extraction in said}
    return said + [extraction for extraction in extract_by("B", analysis) if extraction.opinion not in used]
