"""The three reviewers: each re-examines every flagged tuple by its own lens (seed 000 §3, 001 part B).

A looks at negation and contrast, B at whether an inference is justified, C at whether the words are
there. They read the same evidence and may disagree; the arbiter counts. Advice from memory makes a
reviewer look where it otherwise would not: each principle names a check, and ``checks`` holds those
that the memory context asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from samsim.engines.embedded.case import Case, gather_cases
from samsim.engines.protocol import ReviewInputs
from samsim.memory.named_checks import checks_named_in
from samsim.memory.principles import Check
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import (
    ActionType,
    Agent,
    NewValue,
    ReasonCode,
    ReviewActionItem,
    Span,
)

Checks = frozenset[Check]
_WEAK_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer thinks of one tuple."""

    action: ActionType
    reason: ReasonCode
    new_value: NewValue | None = None


_KEEP = Verdict("KEEP", "KEEP_BEST_SUPPORTED")


def review(agent: Agent, inputs: ReviewInputs) -> list[ReviewActionItem]:
    """One reviewer's actions, one for each tuple in a flag or a risk."""
    judge = _JUDGES[agent]
    checks = checks_named_in(inputs.memory_context)
    actions = []
    for case in gather_cases(inputs):
        verdict = judge(case, checks)
        actions.append(
            ReviewActionItem(
                action_type=verdict.action,
                target_tuple_ids=[case.candidate.tuple_id],
                new_value=verdict.new_value,
                reason_code=verdict.reason,
                actor=agent,
            )
        )
    return actions


def _flip(polarity: PolarityName, reason: ReasonCode) -> Verdict:
    return Verdict("FLIP", reason, {"polarity": polarity})


def review_negation_and_contrast(case: Case, checks: Checks) -> Verdict:
    """A: is the polarity turned where a negation governs it, are both sides of a contrast there?

    Never drops: a missing explicit word or an implicit aspect is not A's business.
    """
    if case.contradiction and case.is_negated:
        return _flip(case.contradiction, "NEGATION_SCOPE")
    if case.contradiction and case.rivals:
        return _flip(case.contradiction, "STRUCTURAL_INCONSISTENT")
    if case.risks.get("CONTRAST_SCOPE") == "mid" or ("contrast_sides" in checks and "CONTRAST_SCOPE" in case.risks):
        return Verdict("FLAG", "CONTRAST_CLAUSE")
    if "negation_scope" in checks and case.stands_in_negation and not case.words:
        return Verdict("FLAG", "NEGATION_SCOPE")
    if case.rivals and not case.rivals_on_same_target:
        return Verdict("KEEP", "CONTRAST_CLAUSE")
    return _KEEP


def review_inference(case: Case, checks: Checks) -> Verdict:
    """B: is what was inferred justified, and is the ref the right one?

    A redundant upper ref is C's to drop: B proposes the lower ref for a named target and keeps an implicit one.
    """
    if "TERM_NOT_IN_TEXT" in case.risks:
        return Verdict("DROP", "WEAK_INFERENCE")
    if "INVALID_REF" in case.risks:
        return Verdict("DROP" if "ref_in_taxonomy" in checks else "FLAG", "ASPECT_REF_MISMATCH")
    if case.contradiction:
        return _flip(case.contradiction, "STRUCTURAL_INCONSISTENT")
    if not case.is_implicit:
        if repeats_lower(case, checks):
            return Verdict("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": case.lower[0].aspect_ref})
        return _KEEP
    if not case.words and ("implicit_justified" in checks or case.candidate.confidence < _WEAK_CONFIDENCE):
        return Verdict("FLAG", "WEAK_INFERENCE")
    return Verdict("KEEP", "IMPLICIT_ASPECT")


def review_explicit_evidence(case: Case, checks: Checks) -> Verdict:
    """C: do the words that are claimed stand in the text, and do they say it?"""
    if case.risks.keys() & {"TERM_NOT_IN_TEXT", "EVIDENCE_NOT_IN_TEXT", "OPINION_AS_TARGET"}:
        return Verdict("DROP", "WEAK_EVIDENCE")
    if repeats_lower(case, checks):
        return Verdict("DROP", "REDUNDANT_UPPER_REF")
    if case.contradiction:
        return Verdict("DROP", "WEAK_EVIDENCE")
    if case.is_disputed_neutral:
        return Verdict("FLAG", "POLARITY_UNCERTAIN")
    if case.is_implicit and not case.words:
        return Verdict("FLAG", "EXPLICIT_NOT_REQUIRED")
    if "literal_evidence" in checks and not case.words:
        return Verdict("FLAG", "WEAK_EVIDENCE")
    return _KEEP


def repeats_lower(case: Case, checks: Checks = frozenset()) -> bool:
    """Whether an upper tuple says nothing beyond a lower one: they rest on the same words.

    Asked to look for redundant refs, the same opinion is enough, wherever it stands.
    """
    mine = case.candidate
    if "redundant_upper_ref" in checks and any(other.opinion_term == mine.opinion_term for other in case.lower):
        return True
    return any(other.evidence == mine.evidence and _near(other.span, mine.span) for other in case.lower)


def _near(left: Span | None, right: Span | None) -> bool:
    return left is None or right is None or left == right


_JUDGES: Mapping[Agent, Callable[[Case, Checks], Verdict]] = {
    "A": review_negation_and_contrast,
    "B": review_inference,
    "C": review_explicit_evidence,
}
