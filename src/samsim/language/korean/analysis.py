"""Korean text as plain data: tokens, sentences, clauses, cues and polarity words."""

from __future__ import annotations

from samsim.language.korean.clauses import find_clauses
from samsim.language.korean.contrast import find_contrasts
from samsim.language.korean.irony import find_irony
from samsim.language.korean.morphology import tokenize
from samsim.language.korean.negation import find_negations
from samsim.language.korean.polarity import find_polarity_words
from samsim.schemas.analysis import TextAnalysis


def analyze_korean(text: str) -> TextAnalysis:
    """Analyze a Korean text; any string is accepted, and an empty one gives an empty analysis."""
    tokens, sentences = tokenize(text)
    negations = find_negations(text, tokens)
    words = find_polarity_words(tokens, negations)
    clauses, ranges = find_clauses(tokens, sentences)
    contrasts = find_contrasts(text, tokens, clauses, ranges, words)
    irony = find_irony(text, sentences, words)
    cues = sorted([*negations, *contrasts, *irony], key=lambda cue: (cue.start, cue.end, cue.kind))
    return TextAnalysis(text, "ko", tokens, sentences, tuple(clauses), tuple(cues), tuple(words))
