"""Turning decisions into tuples: apply (DROP, FLIP, FLAG) and finalize (collapse equal tuples)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from samsim.rules.candidates import normalise_term
from samsim.rules.review_actions import ActionsByTuple
from samsim.schemas.protocol_conflict_review import ArbiterDecision, Candidate
from samsim.schemas.results import FinalTuple, ReviewedTuple
from samsim.schemas.taxonomy import Taxonomy

FinalizeMode = Literal["p1", "p2"]


def apply_decisions(candidates: Sequence[Candidate], decisions: Sequence[ArbiterDecision]) -> list[ReviewedTuple]:
    """Return the surviving candidates: DROP removes one, FLIP sets its polarity, FLAG marks it, KEEP leaves it."""
    by_id = {decision.tuple_id: decision for decision in decisions}
    return [
        _reviewed(candidate, decision)
        for candidate in candidates
        if (decision := by_id.get(candidate.tuple_id)) is None or decision.action != "DROP"
    ]


def _reviewed(candidate: Candidate, decision: ArbiterDecision | None) -> ReviewedTuple:
    fields = dict(candidate)
    if decision is not None and decision.action == "FLIP":
        fields["polarity"] = (decision.new_value or {}).get("polarity", candidate.polarity)
    flagged = decision is not None and decision.action == "FLAG"
    reason = decision.reason_code if decision is not None and flagged else None
    return ReviewedTuple(**fields, flagged=flagged, flag_reason=reason)


def merged_refs(actions_by_tuple: ActionsByTuple, taxonomy: Taxonomy) -> dict[str, str]:
    """Return the new ref of each tuple for which at least two agents vote MERGE with the same ref (finalize P2)."""
    merged = {}
    for tuple_id, votes in actions_by_tuple.items():
        refs = Counter(
            taxonomy.normalise(vote.new_value.get("normalized_ref") or "")
            for vote in votes.values()
            if vote is not None and vote.action_type == "MERGE" and vote.new_value
        )
        ref, count = refs.most_common(1)[0] if refs else ("", 0)
        if count >= 2 and taxonomy.is_valid(ref):
            merged[tuple_id] = ref
    return merged


def finalize(reviewed: Sequence[ReviewedTuple], new_refs: Mapping[str, str] | None = None) -> list[FinalTuple]:
    """Collapse tuples with equal (ref, term, polarity); ``support`` lists the agents that found them.

    ``opinion_terms`` has every opinion of the members; an implicit one ("") counts like any other.

    ``new_refs`` is given in P2 only (see ``merged_refs``); in P1, MERGE is a no-op.
    """
    refs = new_refs or {}
    groups: dict[tuple[str, str, str], list[ReviewedTuple]] = {}
    for member in reviewed:
        ref = refs.get(member.tuple_id, member.aspect_ref)
        groups.setdefault((ref, normalise_term(member.aspect_term), member.polarity), []).append(member)
    return [_collapse(ref, members) for (ref, _, _), members in groups.items()]


def _collapse(ref: str, members: Sequence[ReviewedTuple]) -> FinalTuple:
    first = members[0]
    reasons = dict.fromkeys(member.flag_reason for member in members if member.flag_reason)
    return FinalTuple(
        aspect_term=first.aspect_term,
        aspect_ref=ref,
        opinion_term=first.opinion_term,
        polarity=first.polarity,
        span=first.span,
        evidence=first.evidence,
        opinion_terms=list(dict.fromkeys(member.opinion_term for member in members)),
        tuple_ids=[member.tuple_id for member in members],
        support=sorted({member.origin_agent for member in members}),
        confidence=max(member.confidence for member in members),
        flagged=any(member.flagged for member in members),
        flag_reasons=list(reasons),
    )
