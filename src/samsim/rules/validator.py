"""Validator risks: deterministic doubts about single tuples (spec 1).

The checks only read the language layer's analysis; they do not analyze anything themselves. A
description never quotes the text, because descriptions may be stored in the memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

from samsim.rules.candidates import normalise_term
from samsim.rules.evidence import EvidenceReader, sign
from samsim.schemas.analysis import Offsets, TextAnalysis
from samsim.schemas.protocol_conflict_review import Candidate, RiskType, Severity, Span, ValidatorRisk
from samsim.schemas.taxonomy import Taxonomy

# Words with these tags describe; a term made only of them is not something one can have an opinion on.
_ADJECTIVE_TAGS = ("VA", "XSA", "ADJ", "JJ")
_NOMINAL_TAGS = ("N", "PROPN", "SL", "SH", "SN", "W_", "XSN", "UN", "VBG", "GER")

# The tuple names or quotes words that are not in the text.
WORDS_ABSENT: frozenset[RiskType] = frozenset({"TERM_NOT_IN_TEXT", "EVIDENCE_NOT_IN_TEXT"})

# Returns whether the text has the words of an opinion in another inflection; provided by the language layer.
States = Callable[[str], bool]
_OPINION_ABSENT = "The opinion term does not occur in the text."

_DESCRIPTIONS: dict[RiskType, str] = {
    "INVALID_REF": "The aspect ref is not part of the taxonomy.",
    "TERM_NOT_IN_TEXT": "The aspect term does not occur in the text.",
    "EVIDENCE_NOT_IN_TEXT": "The evidence does not occur in the text.",
    "SPAN_MISMATCH": "The span does not carry the aspect term, and the term occurs more than once.",
    "OPINION_AS_TARGET": "The aspect term is an opinion word, not a target.",
    "NEGATION_SCOPE": "A negation governs the evidence, but the polarity reads as if it did not.",
    "CONTRAST_SCOPE": "The text contrasts two statements, but only one side is represented.",
}


def compute_validator_risks(
    candidates: Sequence[Candidate],
    analysis: TextAnalysis,
    taxonomy: Taxonomy,
    *,
    claimed_spans: Mapping[str, Span] | None = None,
    states: States | None = None,
) -> list[ValidatorRisk]:
    """Return all risks, in candidate order and, per candidate, in the order of ``RiskType``.

    ``claimed_spans`` are the spans as the engine gave them, before anchoring.
    Without ``states`` nothing is known about inflections, and opinions are not searched for in the text.
    """
    evidence = EvidenceReader(analysis)
    one_sided = _one_sided_contrasts(candidates, evidence)
    risks: list[ValidatorRisk] = []
    for candidate in candidates:
        claimed = (claimed_spans or {}).get(candidate.tuple_id)
        risks += _doubts(candidate, claimed, evidence, taxonomy, states)
        if candidate.tuple_id in one_sided:
            risks.append(_risk(candidate, "CONTRAST_SCOPE", one_sided[candidate.tuple_id]))
    return risks


def _risk(candidate: Candidate, risk_type: RiskType, severity: Severity, description: str = "") -> ValidatorRisk:
    return ValidatorRisk(
        tuple_id=candidate.tuple_id,
        risk_type=risk_type,
        severity=severity,
        description=description or _DESCRIPTIONS[risk_type],
    )


def _doubts(
    candidate: Candidate, claimed: Span | None, evidence: EvidenceReader, taxonomy: Taxonomy, states: States | None
) -> Iterator[ValidatorRisk]:
    term, index = candidate.aspect_term, evidence.index
    if candidate.aspect_ref and not taxonomy.is_valid(candidate.aspect_ref):
        yield _risk(candidate, "INVALID_REF", "high")
    if term and not index.has(term):
        yield _risk(candidate, "TERM_NOT_IN_TEXT", "high")
    if candidate.evidence and not index.has(candidate.evidence):
        yield _risk(candidate, "EVIDENCE_NOT_IN_TEXT", "mid")
    elif states is not None and _invents_opinion(candidate.opinion_term, evidence, states):
        # An agent that infers an unnamed aspect may have to phrase the judgment itself.
        yield _risk(candidate, "EVIDENCE_NOT_IN_TEXT", "mid" if term else "low", _OPINION_ABSENT)
    # A wrong span on a term that occurs once was anchored unambiguously.
    if claimed is not None and index.count(term) > 1 and not index.carries(claimed, term):
        yield _risk(candidate, "SPAN_MISMATCH", "low")
    if _is_opinion_as_target(candidate, evidence):
        yield _risk(candidate, "OPINION_AS_TARGET", "mid")
    if _ignores_negation(candidate, evidence):
        yield _risk(candidate, "NEGATION_SCOPE", "high")


def _invents_opinion(opinion: str, evidence: EvidenceReader, states: States) -> bool:
    """Return whether the text does not have the opinion's words, in any inflection."""
    return bool(opinion) and not evidence.index.has(opinion) and not states(opinion)


def _is_opinion_as_target(candidate: Candidate, evidence: EvidenceReader) -> bool:
    term = normalise_term(candidate.aspect_term)
    if not term:
        return False
    if term == normalise_term(candidate.opinion_term):
        return True
    return candidate.span is not None and is_opinion_word(candidate.span, evidence)


def is_opinion_word(span: Span, evidence: EvidenceReader) -> bool:
    """Return whether the words in the span describe, name nothing, and evaluate."""
    tags = [token.tag for token in evidence.tokens.overlapping(span)]
    describes = any(tag.startswith(_ADJECTIVE_TAGS) for tag in tags)
    names = any(tag.startswith(_NOMINAL_TAGS) for tag in tags)
    return describes and not names and bool(evidence.words.overlapping(span))


def _ignores_negation(candidate: Candidate, evidence: EvidenceReader) -> bool:
    """Return whether the polarity matches a negated word in the evidence and no other word there."""
    if candidate.polarity not in ("positive", "negative"):
        return False
    words = evidence.words_of(candidate)
    misread = any(word.negated and sign(word.prior) == candidate.polarity for word in words)
    supported = any(evidence.said_by(word) == candidate.polarity for word in words)
    return misread and not supported


def _one_sided_contrasts(candidates: Sequence[Candidate], evidence: EvidenceReader) -> dict[str, Severity]:
    """Return the severity per tuple for contrasts in which no tuple represents the other side.

    It is higher if the unrepresented side has an evaluating word.
    """
    doubted: dict[str, Severity] = {}
    placed = sorted(
        (place.start, place.end, candidate.tuple_id)
        for candidate in candidates
        if (place := evidence.region_of(candidate) or candidate.span) is not None
    )

    def standing_in(side: Offsets) -> list[tuple[int, int, str]]:
        first, last = (bisect_left(placed, (edge, 0, "")) for edge in side)
        return placed[first:last]

    for cue in evidence.analysis.cues_of("contrast"):
        left, right = cue.scopes
        if left[0] >= left[1] or right[0] >= right[1]:
            continue
        on_left, on_right = standing_in(left), standing_in(right)
        # Evidence that spans the marker covers both sides.
        across = any(end > right[0] for _, end, _ in on_left)
        if across or bool(on_left) == bool(on_right):
            continue
        silent = right if on_left else left
        evaluated = evidence.words.overlapping(Span(start=silent[0], end=silent[1]))
        for _, _, tuple_id in on_left or on_right:
            if evaluated or tuple_id not in doubted:
                doubted[tuple_id] = "mid" if evaluated else "low"
    return doubted
