"""The embedded engine's three Korean readers, one per perspective."""

from __future__ import annotations

from samsim.engines.embedded.extraction import Extraction, ExtractedPolarity
from samsim.engines.embedded.korean_linking import modified, subjects
from samsim.engines.embedded.korean_phrases import NounPhrase, Opinion, Reading, read
from samsim.schemas.analysis import TextAnalysis


def _polarity(score: float) -> ExtractedPolarity:
    return "positive" if score > 0.05 else "negative" if score < -0.05 else "neutral"


def extract_literal(analysis: TextAnalysis) -> list[Extraction]:
    """C (P-LIT): explicit aspect-opinion pairs joined by direct syntax."""
    reading = read(analysis)
    found = []
    for opinion in reading.opinions:
        targets = modified(reading, opinion) if opinion.modifies else subjects(reading, opinion)
        for t in targets:
            found.append(Extraction((t.start, t.end), (opinion.start, opinion.end), opinion.word.lemma, _polarity(opinion.word.in_context), 0.8, "direct syntax"))
    return found


def extract_negation(analysis: TextAnalysis) -> list[Extraction]:
    """A (P-NEG)."""
    return extract_literal(analysis)


def extract_implicit(analysis: TextAnalysis) -> list[Extraction]:
    """B (P-IMP)."""
    reading = read(analysis)
    found = []
    for opinion in reading.opinions:
        targets = modified(reading, opinion) if opinion.modifies else subjects(reading, opinion)
        if not targets:
            found.append(Extraction(None, (opinion.start, opinion.end), opinion.word.lemma, _polarity(opinion.word.in_context), 0.6, "no target", "general"))
    return found
