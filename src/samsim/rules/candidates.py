"""Turning Stage 1 triplets into candidates: numbered, refs normalized, spans anchored in the text.

No de-duplication happens here: each agent's tuple is reviewed on its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from samsim.rules.text_index import TextIndex, fold
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, ASTETripletItem, Candidate, Span
from samsim.schemas.taxonomy import Taxonomy

# The triplets by origin: an agent, or a draw of self-consistency.
Stage1Triplets = Mapping[Agent, Sequence[ASTETripletItem]] | Mapping[str, Sequence[ASTETripletItem]]
_SPACES = re.compile(r"\s+")


def normalise_term(term: str) -> str:
    """Return the form used for comparing terms: folded (see ``fold``), trimmed, single spaces."""
    return _SPACES.sub(" ", fold(term)).strip()


def anchor_span(term: str, claimed: Span | None, evidence: str, index: TextIndex) -> Span | None:
    """Return the term's actual position: the claimed span if it holds the term, else the nearest occurrence.

    Without a claim, the distance is measured from the evidence. An implicit aspect (empty term) and a
    term that is not in the text have no span.
    """
    if claimed is not None and index.carries(claimed, term):
        return claimed
    if claimed is not None:
        return index.nearest(term, claimed.start)
    place_of_evidence = index.nearest(evidence, 0)
    return index.nearest(term, place_of_evidence.start if place_of_evidence is not None else 0)


def number_triplets(stage1: Stage1Triplets) -> list[tuple[str, str, ASTETripletItem]]:
    """Return every triplet with its id and origin: t0, t1, … for A, B, C in order, then other origins as given."""
    by_origin: dict[str, Sequence[ASTETripletItem]] = dict.fromkeys(AGENTS, ())
    by_origin.update((origin, items) for origin, items in stage1.items())
    claimed = [(origin, item) for origin, items in by_origin.items() for item in items]
    return [(f"t{number}", origin, item) for number, (origin, item) in enumerate(claimed)]


def build_candidates(stage1: Stage1Triplets, text: str, taxonomy: Taxonomy) -> list[Candidate]:
    """Number all triplets, normalize their refs and anchor each in the text."""
    index = TextIndex(text)
    return [
        _as_candidate(tuple_id, origin, item, index, taxonomy) for tuple_id, origin, item in number_triplets(stage1)
    ]


def _as_candidate(tuple_id: str, origin: str, item: ASTETripletItem, index: TextIndex, taxonomy: Taxonomy) -> Candidate:
    term = item.aspect_term.strip()
    return Candidate(
        tuple_id=tuple_id,
        aspect_term=term,
        aspect_ref=taxonomy.normalise(item.aspect_ref),
        polarity=item.polarity,
        opinion_term=item.opinion_term.strip(),
        evidence=item.evidence.strip(),
        span=anchor_span(term, item.span, item.evidence.strip(), index),
        origin_agent=origin,
        confidence=item.confidence,
    )


def claimed_spans(stage1: Stage1Triplets) -> dict[str, Span]:
    """Return the spans as the engine gave them, by tuple id, for the validator to compare with the text."""
    return {tuple_id: item.span for tuple_id, _, item in number_triplets(stage1) if item.span is not None}
