"""The three reviewers: each re-examines every flagged tuple with its own focus (seed 000 §3, 001 part B).

A checks negation and contrast, B whether an inference is justified, C whether the words are in the
text. They read the same evidence and may disagree; the arbiter counts their votes. Advice from memory makes
a reviewer look where it otherwise would not, or hold back from what failed in similar cases; see
``samsim.memory.advice`` for its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from samsim.engines.embedded.case import Case, gather_cases
from samsim.engines.interface import ReviewInputs
from samsim.memory.advice import NO_ADVICE, Advice, advice_in
from samsim.rules.validator import WORDS_ABSENT
from samsim.schemas.polarity import PolarityName
from samsim.schemas.protocol_conflict_review import (
    ActionType,
    Agent,
    NewValue,
    ReasonCode,
    ReviewActionItem,
    Span,
)

_WEAK_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """A reviewer's opinion of one tuple."""

    action: ActionType
    reason: ReasonCode
    new_value: NewValue | None = None


_KEEP = Verdict("KEEP", "KEEP_BEST_SUPPORTED")


def review(agent: Agent, inputs: ReviewInputs) -> list[ReviewActionItem]:
    """Return one reviewer's actions, one for each tuple with a flag or a risk."""
    judge = _JUDGES[agent]
    advice = advice_in(inputs.memory_slot)
    actions = []
    for case in gather_cases(inputs):
        verdict = _careful(judge(case, advice), case, advice)
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


def _careful(verdict: Verdict, case: Case, advice: Advice) -> Verdict:
    """Return the verdict, or a FLAG instead of a change that failed in similar cases."""
    if verdict.action not in ("FLIP", "DROP") or not holds_back(advice, verdict.action, case):
        return verdict
    reason: ReasonCode = "REDUNDANT_REF_UNCERTAIN" if verdict.reason == "REDUNDANT_UPPER_REF" else verdict.reason
    return Verdict("FLAG", reason)


def holds_back(advice: Advice, action: Literal["FLIP", "DROP"], case: Case) -> bool:
    """Return whether advice warns against the change; a negation of the words, or their absence, settles the matter."""
    settled = case.is_negated if action == "FLIP" else not WORDS_ABSENT.isdisjoint(case.risks)
    return advice.holds_back(action, case.doubts, settled=settled)


def review_negation_and_contrast(case: Case, advice: Advice) -> Verdict:
    """Return A's verdict: is the polarity reversed under a negation, and are both sides of a contrast there?

    A never drops a tuple: missing explicit words and implicit aspects are not its concern.
    """
    if case.contradiction and case.is_negated:
        return _flip(case.contradiction, "NEGATION_SCOPE")
    if case.contradiction and case.rivals:
        return _flip(case.contradiction, "STRUCTURAL_INCONSISTENT")
    if case.risks.get("CONTRAST_SCOPE") == "mid":
        return Verdict("FLAG", "CONTRAST_CLAUSE")
    if "contrast_sides" in advice.looks and "CONTRAST_SCOPE" in case.risks:
        return Verdict("FLAG", "CONTRAST_CLAUSE")
    if "negation_scope" in advice.looks and case.stands_in_negation and not case.words:
        return Verdict("FLAG", "NEGATION_SCOPE")
    if (case.rivals and not case.rivals_on_same_target) or (
        "contrast_sides" in advice.leaves and "CONTRAST_SCOPE" in case.risks
    ):
        return Verdict("KEEP", "CONTRAST_CLAUSE")
    return _KEEP


def review_inference(case: Case, advice: Advice) -> Verdict:
    """Return B's verdict: is the inference justified, and is the ref the right one?

    Dropping a redundant upper ref is left to C: B proposes the lower ref for a named target and keeps an implicit one.
    """
    if "TERM_NOT_IN_TEXT" in case.risks:
        return Verdict("DROP", "WEAK_INFERENCE")
    if "INVALID_REF" in case.risks:
        return Verdict("DROP" if has_no_place(case, advice) else "FLAG", "ASPECT_REF_MISMATCH")
    if case.contradiction:
        return _flip(case.contradiction, "STRUCTURAL_INCONSISTENT")
    if not case.is_implicit:
        if repeats_lower(case, advice):
            return Verdict("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": case.lower[0].aspect_ref})
        if seems_to_repeat_lower(case, advice):
            return Verdict("FLAG", "ASPECT_REF_MISMATCH")
        return _KEEP
    if not case.words and ("implicit_justified" in advice.looks or case.candidate.confidence < _WEAK_CONFIDENCE):
        return Verdict("FLAG", "WEAK_INFERENCE")
    return Verdict("KEEP", "IMPLICIT_ASPECT")


def review_explicit_evidence(case: Case, advice: Advice) -> Verdict:
    """Return C's verdict: are the claimed words in the text, and do they express it?"""
    if case.risks.keys() & {"TERM_NOT_IN_TEXT", "EVIDENCE_NOT_IN_TEXT", "OPINION_AS_TARGET"}:
        return Verdict("DROP", "WEAK_EVIDENCE")
    if repeats_lower(case, advice):
        return Verdict("DROP", "REDUNDANT_UPPER_REF")
    if case.contradiction:
        return Verdict("DROP", "WEAK_EVIDENCE")
    if seems_to_repeat_lower(case, advice):
        return Verdict("FLAG", "REDUNDANT_REF_UNCERTAIN")
    if case.is_disputed_neutral:
        return Verdict("FLAG", "POLARITY_UNCERTAIN")
    if case.is_implicit and not case.words:
        return Verdict("FLAG", "EXPLICIT_NOT_REQUIRED")
    if "literal_evidence" in advice.looks and not case.words:
        return Verdict("FLAG", "WEAK_EVIDENCE")
    if "term_in_text" in advice.looks and has_doubtful_term(case):
        return Verdict("FLAG", "WEAK_EVIDENCE")
    return _KEEP


def repeats_lower(case: Case, advice: Advice = NO_ADVICE) -> bool:
    """Return whether an upper tuple says nothing beyond a lower one, because both rest on the same words.

    If several cases advise removing such tuples, the same opinion in the same passage is enough.
    """
    mine = case.candidate
    if "redundant_upper_ref" in advice.removes and _shares_an_opinion(case):
        return True
    return any(other.evidence == mine.evidence and _near(other.span, mine.span) for other in case.lower)


def seems_to_repeat_lower(case: Case, advice: Advice) -> bool:
    """Return whether advice says to look for redundant refs and the same opinion is in the same passage."""
    return "redundant_upper_ref" in advice.looks and _shares_an_opinion(case)


def _shares_an_opinion(case: Case) -> bool:
    mine = case.candidate
    return any(
        other.opinion_term == mine.opinion_term and _is_one_passage(other.evidence, mine.evidence)
        for other in case.lower
    )


def _is_one_passage(left: str, right: str) -> bool:
    return bool(left and right) and (left in right or right in left)


def has_no_place(case: Case, advice: Advice) -> bool:
    """Return whether advice is to remove the tuple, its ref is invalid and its evidence has no evaluating words."""
    return "ref_in_taxonomy" in advice.removes and "INVALID_REF" in case.risks and not case.words


def has_doubtful_term(case: Case) -> bool:
    """Return whether the term is not in the text as whole words, or its position is unclear."""
    return not case.term_stands or "SPAN_MISMATCH" in case.risks


def _near(left: Span | None, right: Span | None) -> bool:
    return left is None or right is None or left == right


_JUDGES: Mapping[Agent, Callable[[Case, Advice], Verdict]] = {
    "A": review_negation_and_contrast,
    "B": review_inference,
    "C": review_explicit_evidence,
}
