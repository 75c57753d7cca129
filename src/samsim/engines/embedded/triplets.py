"""From extractions to the triplets a perspective reports."""

from __future__ import annotations

import re

from samsim.engines.embedded.extraction import Extraction
from samsim.engines.embedded.refs import assign_ref
from samsim.rules.text_index import PlacedItems
from samsim.schemas.analysis import Cue, Offsets, TextAnalysis
from samsim.schemas.protocol_conflict_review import ASTETripletItem, Span
from samsim.schemas.taxonomy import Taxonomy

# A marker farther away than this makes the evidence unreadable; the rationale names it then.
_LONGEST_EVIDENCE = 40
_WORD_CHARACTER = re.compile(r"[\w'’]")


def as_triplets(extractions: list[Extraction], analysis: TextAnalysis, taxonomy: Taxonomy) -> list[ASTETripletItem]:
    """Describe each extraction in the words of the protocol; equal ones are reported once."""
    negations = PlacedItems(sorted(_reach(analysis), key=lambda item: item.start))
    items: dict[tuple[str, ...], ASTETripletItem] = {}
    for extraction in extractions:
        item = _as_triplet(extraction, analysis, taxonomy, negations)
        items.setdefault((item.aspect_term, item.aspect_ref, item.opinion_term, item.polarity, item.evidence), item)
    return list(items.values())


def _as_triplet(
    extraction: Extraction, analysis: TextAnalysis, taxonomy: Taxonomy, negations: PlacedItems[Span]
) -> ASTETripletItem:
    target = extraction.target
    start, end = _evidence(extraction.opinion, analysis.text, negations)
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
    """From each negation marker to what it governs, as one stretch of text."""
    return [_stretch(cue) for cue in analysis.cues_of("negation")]


def _stretch(cue: Cue) -> Span:
    starts, ends = zip(*cue.scopes, strict=True)
    return Span(start=min(cue.start, *starts), end=max(cue.end, *ends))


def _evidence(opinion: Offsets, text: str, negations: PlacedItems[Span]) -> Offsets:
    """The opinion as whole words, with the negation that governs it."""
    start, end = opinion
    for stretch in negations.overlapping(Span(start=start, end=end)):
        wider = min(start, stretch.start), max(end, stretch.end)
        if wider[1] - wider[0] <= _LONGEST_EVIDENCE:
            start, end = wider
    while start > 0 and _WORD_CHARACTER.match(text[start - 1]):
        start -= 1
    while end < len(text) and _WORD_CHARACTER.match(text[end]):
        end += 1
    return start, end
