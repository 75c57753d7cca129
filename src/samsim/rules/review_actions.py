"""Enforcing the reviewers' proposals (spec 1, Review: "enforced in code").

Whatever an engine says, only flagged or doubted tuples can be touched, no tuple can be created, and a FLIP or
MERGE that is incomplete or leaves the taxonomy becomes a FLAG. Everything that was not let through unchanged
is recorded as a ``Refusal``.

A MERGE names the ref for a whole group. For tuples that already have it, it is a KEEP. If all of them do,
there is nothing to merge, and the MERGE is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from samsim.schemas.polarity import canonical_polarity
from samsim.schemas.protocol_conflict_review import (
    ACTION_TYPES,
    AGENTS,
    REASON_CODES,
    ActionType,
    Agent,
    Candidate,
    ConflictFlag,
    NewValue,
    Refusal,
    ReviewActionItem,
    ValidatorRisk,
)
from samsim.schemas.taxonomy import Taxonomy

ActionsByTuple = dict[str, dict[Agent, ReviewActionItem | None]]
_REASON_ORDER: Mapping[str, int] = {code: position for position, code in enumerate(REASON_CODES)}


@dataclass(frozen=True, slots=True)
class EnforcedReview:
    """The valid votes, per reviewable tuple and agent, and the refused proposals."""

    actions_by_tuple: ActionsByTuple
    refusals: tuple[Refusal, ...]


def reviewable_ids(flags: Iterable[ConflictFlag], risks: Iterable[ValidatorRisk]) -> frozenset[str]:
    """Return the ids a review may touch: those in a flag or a risk."""
    return frozenset(tuple_id for flag in flags for tuple_id in flag.tuple_ids) | {risk.tuple_id for risk in risks}


def enforce_review_actions(
    proposals: Mapping[Agent, Sequence[ReviewActionItem]],
    candidates: Sequence[Candidate],
    flags: Sequence[ConflictFlag],
    risks: Sequence[ValidatorRisk],
    taxonomy: Taxonomy,
) -> EnforcedReview:
    """Turn proposals into at most one valid vote per agent and reviewable tuple.

    The order of agents in ``proposals`` does not matter. Tuples are returned in candidate order.
    """
    allowed = reviewable_ids(flags, risks)
    by_id = {candidate.tuple_id: candidate for candidate in candidates}
    reviewable = [tuple_id for tuple_id in by_id if tuple_id in allowed]
    votes: ActionsByTuple = {tuple_id: dict.fromkeys(AGENTS) for tuple_id in reviewable}
    refusals: list[Refusal] = []
    for agent in AGENTS:
        claims: dict[str, list[tuple[ReviewActionItem, ReviewActionItem]]] = {}
        for item in proposals.get(agent, ()):
            if not item.target_tuple_ids:
                refusals.append(_refusal(agent, "", "no_target", item))
            targets = list(dict.fromkeys(item.target_tuple_ids))
            merges = any(
                by_id[target].aspect_ref != _merged_ref(item, taxonomy) for target in targets if target in votes
            )
            for tuple_id in targets:
                if tuple_id in votes:
                    vote, problem = _complete(item, by_id[tuple_id], agent, taxonomy, merges=merges)
                    claims.setdefault(tuple_id, []).append((item, vote))
                else:
                    problem = "not_flagged" if tuple_id in by_id else "unknown_tuple"
                if problem:
                    refusals.append(_refusal(agent, tuple_id, problem, item))
        for tuple_id, claimed in claims.items():
            votes[tuple_id][agent], problem = _one_vote([vote for _, vote in claimed], agent)
            if problem:
                refusals.extend(_refusal(agent, tuple_id, problem, item) for item, _ in claimed)
    return EnforcedReview(actions_by_tuple=votes, refusals=tuple(refusals))


def _refusal(agent: Agent, tuple_id: str, reason: str, item: ReviewActionItem) -> Refusal:
    return Refusal(
        actor=agent,
        tuple_id=tuple_id,
        reason=reason,
        claimed_action=item.action_type,
        claimed_reason_code=item.reason_code,
    )


def _vote(
    agent: Agent, tuple_id: str, action: ActionType, reason_code: str, new_value: NewValue | None = None
) -> ReviewActionItem:
    return ReviewActionItem(
        action_type=action, target_tuple_ids=[tuple_id], new_value=new_value, reason_code=reason_code, actor=agent
    )


def _merged_ref(item: ReviewActionItem, taxonomy: Taxonomy) -> str:
    return taxonomy.normalise((item.new_value or {}).get("normalized_ref") or "")


def _complete(
    item: ReviewActionItem, candidate: Candidate, agent: Agent, taxonomy: Taxonomy, *, merges: bool
) -> tuple[ReviewActionItem, str | None]:
    """Return one proposal on one tuple as a valid vote, and why it differs from the proposal (or None).

    ``merges`` says that a MERGE gives a new ref to at least one of its tuples.
    """
    tuple_id = candidate.tuple_id
    incomplete = _vote(agent, tuple_id, "FLAG", "FORMAT_INCOMPLETE")
    action = _known_action(item.action_type)
    if action is None:
        return incomplete, "unknown_action"
    known_reason = item.reason_code in _REASON_ORDER
    reason = item.reason_code if known_reason else "FORMAT_INCOMPLETE"
    problem = None if known_reason else "unknown_reason_code"
    claimed: NewValue = item.new_value or {}
    if action == "FLIP":
        polarity = canonical_polarity(claimed.get("polarity"))
        if polarity is None:
            return incomplete, "flip_without_polarity"
        if polarity == candidate.polarity:
            return incomplete, "flip_to_same_polarity"
        return _vote(agent, tuple_id, "FLIP", reason, {"polarity": polarity}), problem
    if action == "MERGE":
        ref = _merged_ref(item, taxonomy)
        if not ref:
            return incomplete, "merge_without_ref"
        if not taxonomy.is_valid(ref):
            return incomplete, "merge_to_invalid_ref"
        if ref == candidate.aspect_ref:
            return _vote(agent, tuple_id, "KEEP", reason), problem if merges else "merge_to_same_ref"
        return _vote(agent, tuple_id, "MERGE", reason, {"normalized_ref": ref}), problem
    return _vote(agent, tuple_id, action, reason), problem


def _known_action(claimed: str) -> ActionType | None:
    name = claimed.strip().upper()
    return next((action for action in ACTION_TYPES if action == name), None)


def _one_vote(cast: Sequence[ReviewActionItem], agent: Agent) -> tuple[ReviewActionItem, str | None]:
    """Combine one agent's votes on one tuple into one vote: equal votes agree, KEEP + FLAG is FLAG."""
    first = cast[0]
    if all((vote.action_type, vote.new_value) == (first.action_type, first.new_value) for vote in cast):
        # The reason that is kept must not depend on the order of the votes.
        return min(cast, key=lambda vote: _REASON_ORDER[vote.reason_code]), None
    if {vote.action_type for vote in cast} == {"KEEP", "FLAG"}:
        flags = [vote for vote in cast if vote.action_type == "FLAG"]
        return min(flags, key=lambda vote: _REASON_ORDER[vote.reason_code]), None
    return _vote(agent, first.target_tuple_ids[0], "FLAG", "FORMAT_INCOMPLETE"), "contradictory_actions"
