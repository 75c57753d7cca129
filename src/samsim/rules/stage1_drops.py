"""Dropping aspects of the debate's Stage 1 before they are discussed (spec 3 §1).

- ``hallucination``: the term is not in the text, in any spelling.
- ``alignment_failure``: the term occurs more than once and the claimed span matches none of the
  occurrences, so it is unclear which one is meant. A wrong span on a term that occurs once is
  corrected, as in the conflict review.
- ``filter_rejection``: the term is empty or an opinion word, not a target.
"""

from __future__ import annotations

from collections.abc import Sequence

from samsim.rules.candidates import anchor_span, normalise_term
from samsim.rules.evidence import EvidenceReader
from samsim.rules.text_index import TextIndex
from samsim.rules.validator import is_opinion_word
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocol_conflict_review import ASTETripletItem
from samsim.schemas.protocol_debate import AspectItem, AspectSentimentItem, DropReason, DropRecord


def screen_aspects(aspects: Sequence[AspectItem], analysis: TextAnalysis) -> tuple[list[AspectItem], list[DropRecord]]:
    """Return the aspects that are targets in the text, as spelled there, and a record of each dropped one."""
    evidence = EvidenceReader(analysis)
    kept, drops = [], []
    for claimed in aspects:
        term = as_written(claimed.term.strip(), evidence.index)
        aspect = claimed.model_copy(update={"term": term})
        reason = _why_not(aspect, evidence)
        if reason is not None:
            drops.append(DropRecord(agent="ATE", aspect_term=term, reason=reason))
            continue
        kept.append(aspect.model_copy(update={"span": anchor_span(term, aspect.span, "", evidence.index)}))
    return kept, drops


def as_written(term: str, index: TextIndex) -> str:
    """Return the term as spelled in the text, or unchanged if the text does not have it."""
    found = index.nearest(term, 0)
    return index.text[found.start : found.end] if found is not None else term


def _why_not(aspect: AspectItem, evidence: EvidenceReader) -> DropReason | None:
    term, index = aspect.term, evidence.index
    if not term:
        return "filter_rejection"
    if not index.has(term):
        return "hallucination"
    if aspect.span is not None and index.count(term) > 1 and not index.carries(aspect.span, term):
        return "alignment_failure"
    span = anchor_span(term, aspect.span, "", index)
    return "filter_rejection" if span is not None and is_opinion_word(span, evidence) else None


def screen_sentiments(
    items: Sequence[AspectSentimentItem],
    analysis: TextAnalysis,
    kept_aspects: Sequence[AspectItem] = (),
    drops: Sequence[DropRecord] = (),
) -> tuple[list[ASTETripletItem], list[DropRecord]]:
    """Return the sentiments whose aspect is in the text or implied, and the drops in addition to ``drops``.

    A sentiment on an invented aspect is dropped, and so is one on an aspect that was dropped earlier, unless
    that aspect was kept at another place. An aspect is recorded as dropped only once. An aspect marked as
    implicit keeps its ref but loses a name that is not in the text.
    """
    index = TextIndex(analysis.text)
    kept: list[ASTETripletItem] = []
    more: list[DropRecord] = []
    names = {normalise_term(aspect.term) for aspect in kept_aspects}
    gone = {name for drop in drops if (name := normalise_term(drop.aspect_term)) and name not in names}
    for item in items:
        term = as_written(item.aspect_term.strip(), index)
        name = normalise_term(term)
        if not term or (index.has(term) and name not in gone):
            kept.append(item.model_copy(update={"aspect_term": term}))
        elif item.is_implicit:
            kept.append(item.model_copy(update={"aspect_term": "", "span": None}))
        elif name not in gone:
            gone.add(name)
            more.append(DropRecord(agent="ATSA", aspect_term=term, reason="hallucination"))
    return kept, more
