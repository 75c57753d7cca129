"""Stage 1 triplets become candidates: numbered, refs normalised, spans anchored in the text.

No de-duplication happens here: each agent's tuple is reviewed on its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from samsim.schemas.protocol_conflict_review import AGENTS, Agent, ASTETripletItem, Candidate, Span
from samsim.schemas.taxonomy import Taxonomy

_SPACES = re.compile(r"\s+")


def normalise_term(term: str) -> str:
    """The form in which terms are compared: NFC, trimmed, single spaces, case folded."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", term).strip()).casefold()


def occurrences(term: str, text: str) -> list[Span]:
    """Every place where the text has the term, also in another Unicode normal form of it."""
    if not term:
        return []
    spellings = dict.fromkeys((term, unicodedata.normalize("NFC", term), unicodedata.normalize("NFD", term)))
    for spelling in spellings:
        found = list(_find_all(spelling, text))
        if found:
            return found
    return []


def _find_all(needle: str, text: str) -> Iterator[Span]:
    start = text.find(needle)
    while start >= 0:
        yield Span(start=start, end=start + len(needle))
        start = text.find(needle, start + 1)


def anchor_span(term: str, claimed: Span | None, evidence: str, text: str) -> Span | None:
    """Where the term really stands: the claimed span if it carries the term, else the nearest occurrence.

    Without a usable claim, nearness is measured from the evidence. An implicit aspect (empty term)
    and a term that is not in the text have no span.
    """
    if claimed is not None and term and text[claimed.start : claimed.end] == term:
        return claimed
    places = occurrences(term, text)
    if not places:
        return None
    if claimed is not None:
        origin = claimed.start
    else:
        evidence_places = occurrences(evidence, text)
        origin = evidence_places[0].start if evidence_places else 0
    return min(places, key=lambda place: (abs(place.start - origin), place.start))


def build_candidates(
    stage1: Mapping[Agent, Sequence[ASTETripletItem]], text: str, taxonomy: Taxonomy
) -> tuple[Candidate, ...]:
    """Number all triplets t0, t1, … in the order A, B, C and anchor each in the text."""
    claimed = [(agent, item) for agent in AGENTS for item in stage1.get(agent, ())]
    return tuple(
        _as_candidate(f"t{number}", agent, item, text, taxonomy) for number, (agent, item) in enumerate(claimed)
    )


def _as_candidate(tuple_id: str, agent: Agent, item: ASTETripletItem, text: str, taxonomy: Taxonomy) -> Candidate:
    term = item.aspect_term.strip()
    return Candidate(
        tuple_id=tuple_id,
        aspect_term=term,
        aspect_ref=taxonomy.normalise(item.aspect_ref),
        polarity=item.polarity,
        opinion_term=item.opinion_term.strip(),
        evidence=item.evidence,
        span=anchor_span(term, item.span, item.evidence, text),
        origin_agent=agent,
        confidence=item.confidence,
    )
