"""Turning extractions into the triplets that a perspective reports."""

from __future__ import annotations

import re
from bisect import bisect_right

from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.refs import assign_ref
from samsim.rules.text_index import PlacedItems, continues_a_character
from samsim.schemas.analysis import Cue, Offsets, TextAnalysis
from samsim.schemas.protocol_conflict_review import ASTETripletItem, Span
from samsim.schemas.taxonomy import Taxonomy

LONGEST_EVIDENCE = 60
"""In code points: text without spaces has no word boundaries to cut at, and a quotation must stay short."""
# A marker farther away than this would make the evidence unreadable; the rationale mentions it instead.
_LONGEST_WITH_NEGATION = 40
_WORD_CHARACTERS = re.compile(r"[\w'’]*")


def as_triplets(extractions: list[Extraction], analysis: TextAnalysis, taxonomy: Taxonomy) -> list[ASTETripletItem]:
    """Return the extractions as triplets of the protocol, without duplicates."""
    evidence = _Evidence(analysis)
    items: dict[tuple[str, ...], ASTETripletItem] = {}
    for extraction in extractions:
        item = _as_triplet(extraction, analysis, taxonomy, evidence)
        items.setdefault((item.aspect_term, item.aspect_ref, item.opinion_term, item.polarity, item.evidence), item)
    return list(items.values())


def _as_triplet(
    extraction: Extraction, analysis: TextAnalysis, taxonomy: Taxonomy, evidence: _Evidence
) -> ASTETripletItem:
    target = extraction.target
    start, end = evidence.of(extraction.opinion)
    return ASTETripletItem(
        aspect_term=analysis.text[target[0] : target[1]] if target is not None else "",
        aspect_ref=assign_ref(extraction, analysis, taxonomy),
        polarity=extraction.polarity,
        opinion_term=extraction.opinion_term,
        evidence=analysis.text[start:end],
        span=Span(start=target[0], end=target[1]) if target is not None else None,
        confidence=extraction.confidence,
        rationale=extraction.rationale,
    )


def _reach(analysis: TextAnalysis) -> list[Span]:
    """Return the spans from each negation marker to what it governs."""
    return [_stretch(cue) for cue in analysis.cues_of("negation")]


def _stretch(cue: Cue) -> Span:
    starts, ends = zip(*cue.scopes, strict=True)
    return Span(start=min(cue.start, *starts), end=max(cue.end, *ends))


class _Evidence:
    """Finds where the evidence of each opinion in a text starts and ends."""

    def __init__(self, analysis: TextAnalysis) -> None:
        self.text = analysis.text
        self.negations = PlacedItems(sorted(_reach(analysis), key=lambda item: item.start))
        self.clauses = analysis.clauses
        self.clause_starts = [start for start, _ in analysis.clauses]

    def of(self, opinion: Offsets) -> Offsets:
        """Return the opinion as whole words with the negation that governs it, at most ``LONGEST_EVIDENCE`` long."""
        start, end = opinion
        for stretch in self.negations.overlapping(Span(start=start, end=end)):
            wider = min(start, stretch.start), max(end, stretch.end)
            if wider[1] - wider[0] <= _LONGEST_WITH_NEGATION:
                start, end = wider
        first, last = self._whole_words(start, end)
        if last - first <= LONGEST_EVIDENCE:
            return first, last
        clause_start, clause_end = self._clause_at(start)
        return self._shortened((start, end), (max(first, clause_start), min(last, clause_end)))

    def _whole_words(self, start: int, end: int) -> Offsets:
        """Return the words that the span touches; of very long ones, only enough to show that they are too long."""
        before = self.text[max(0, start - LONGEST_EVIDENCE) : start]
        after = self.text[end : end + LONGEST_EVIDENCE]
        return start - _length_of_word(before[::-1]), end + _length_of_word(after)

    def _clause_at(self, place: int) -> Offsets:
        number = bisect_right(self.clause_starts, place) - 1
        return self.clauses[number] if number >= 0 else (0, len(self.text))

    def _shortened(self, core: Offsets, around: Offsets) -> Offsets:
        """Return as much of ``around`` as fits, with the core in the middle; if the core is too long, its start."""
        start, end = core[0], min(core[1], core[0] + LONGEST_EVIDENCE)
        first, last = min(around[0], start), max(around[1], end)
        if last - first > LONGEST_EVIDENCE:
            first = max(first, min(start - (LONGEST_EVIDENCE - (end - start)) // 2, last - LONGEST_EVIDENCE))
            last = min(last, first + LONGEST_EVIDENCE)
        return self._between_characters(first, last)

    def _between_characters(self, first: int, last: int) -> Offsets:
        """Return the span without partial characters at its ends, which decomposed (NFD) text may have."""
        while first < last and continues_a_character(self.text, first):
            first += 1
        while last > first and continues_a_character(self.text, last):
            last -= 1
        return first, last


def _length_of_word(text: str) -> int:
    """Return the length of the word at the start of the text."""
    found = _WORD_CHARACTERS.match(text)
    return found.end() if found is not None else 0
