"""What the text says at the place a tuple gives as evidence for its opinion."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.rules.text_index import PlacedItems, TextIndex
from samsim.schemas.analysis import PolarityWord, TextAnalysis
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import Candidate, Span


def sign(value: float) -> PolarityName:
    """Return the polarity of a score."""
    return "positive" if value > 0 else "negative" if value < 0 else "neutral"


class EvidenceReader:
    """Looks up a tuple's evidence in an analysed text; the validator and the reviewers share it."""

    def __init__(self, analysis: TextAnalysis) -> None:
        self.analysis = analysis
        self.index = TextIndex(analysis.text)
        self.tokens = PlacedItems(analysis.tokens)
        self.words = PlacedItems(analysis.polarity_words)
        ironic = sorted(scope for cue in analysis.cues_of("irony") for scope in cue.scopes)
        self._ironic = PlacedItems([Span(start=start, end=end) for start, end in ironic])
        negated = sorted(scope for cue in analysis.cues_of("negation") for scope in cue.scopes)
        self._negated = PlacedItems([Span(start=start, end=end) for start, end in negated])

    def region_of(self, candidate: Candidate) -> Span | None:
        """Return the position of the opinion: the evidence, else the opinion term, nearest to the aspect."""
        origin = candidate.span.start if candidate.span is not None else 0
        return self.index.nearest(candidate.evidence, origin) or self.index.nearest(candidate.opinion_term, origin)

    def words_of(self, candidate: Candidate) -> Sequence[PolarityWord]:
        """Return the evaluating words inside the tuple's evidence."""
        region = self.region_of(candidate)
        return self.words.overlapping(region) if region is not None else ()

    def said_by(self, word: PolarityWord) -> PolarityName:
        """Return the polarity of a word in its sentence, with negation and irony applied."""
        said = sign(word.in_context)
        return "negative" if said == "positive" and self._ironic.overlapping(word) else said

    def is_ironic(self, candidate: Candidate) -> bool:
        """Return whether the tuple's evidence is in an ironic sentence."""
        region = self.region_of(candidate)
        return region is not None and bool(self._ironic.overlapping(region))

    def grounds(self, candidate: Candidate) -> bool:
        """Return whether the tuple's words are in the text and do not contradict its polarity."""
        if not self.index.has(candidate.evidence) or not (
            candidate.aspect_term == "" or self.index.has(candidate.aspect_term)
        ):
            return False
        said = {self.said_by(word) for word in self.words_of(candidate)}
        return len(said) != 1 or candidate.polarity in said

    def stands_as_words(self, span: Span | None) -> bool:
        """Return whether the span begins and ends at word boundaries."""
        tokens = self.tokens.overlapping(span) if span is not None else []
        return span is not None and bool(tokens) and (tokens[0].start, tokens[-1].end) == (span.start, span.end)

    def stands_in_negation(self, candidate: Candidate) -> bool:
        """Return whether a negation governs any part of the tuple's evidence."""
        region = self.region_of(candidate)
        return region is not None and bool(self._negated.overlapping(region))
