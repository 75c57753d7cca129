"""Re-check: which conflict groups are asked about again, and what the answer changes (spec 1).

An extension, off by default. A group is asked about again only if a reviewer's FLIP or MERGE on one
of its tuples was incomplete, or if a granularity group has a tuple without a majority. The single
action in the answer replaces the asked agent's vote on the tuples it names, so it can break a tie
but never outvote the two others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samsim.rules.review_actions import ActionsByTuple, EnforcedReview
from samsim.schemas.protocol_conflict_review import Agent, ConflictFlag, ReviewActionItem

_INCOMPLETE = frozenset({"flip_without_polarity", "flip_to_same_polarity", "merge_without_ref", "merge_to_invalid_ref"})
# Redundant refs are the explicit-evidence reviewer's facet (seed 002, _FACET_PRIORITY).
_GRANULARITY_ASKED: Agent = "C"


@dataclass(frozen=True, slots=True)
class RecheckGroup:
    """A conflict group to ask one agent about again."""

    flag: ConflictFlag
    asked: Agent


def groups_to_recheck(review: EnforcedReview, flags: Sequence[ConflictFlag]) -> list[RecheckGroup]:
    """Return at most one question per group, in flag order."""
    incomplete = {refusal.tuple_id: refusal.actor for refusal in review.refusals if refusal.reason in _INCOMPLETE}
    groups = []
    for flag in flags:
        asked = next((incomplete[tuple_id] for tuple_id in flag.tuple_ids if tuple_id in incomplete), None)
        if asked is None and flag.conflict_type == "granularity_overlap_candidate":
            tied = any(_has_no_majority(review.actions_by_tuple.get(tuple_id, {})) for tuple_id in flag.tuple_ids)
            asked = _GRANULARITY_ASKED if tied else None
        if asked is not None:
            groups.append(RecheckGroup(flag=flag, asked=asked))
    return groups


def _has_no_majority(votes: Mapping[Agent, ReviewActionItem | None]) -> bool:
    counted = Counter(_counted(vote) for vote in votes.values())
    return bool(counted) and max(counted.values()) < 2


def _counted(vote: ReviewActionItem | None) -> tuple[str, str | None]:
    if vote is None or vote.action_type == "MERGE":
        return "KEEP", None
    return vote.action_type, (vote.new_value or {}).get("polarity")


def with_recheck(review: EnforcedReview, asked: Agent, answer: EnforcedReview) -> EnforcedReview:
    """Return the review with the asked agent's votes replaced by its new answer; nothing else changes.

    ``answer`` is the enforced form of its single action, so it names reviewable tuples only.
    """
    votes: ActionsByTuple = {
        tuple_id: cast | {asked: answer.actions_by_tuple.get(tuple_id, {}).get(asked) or cast[asked]}
        for tuple_id, cast in review.actions_by_tuple.items()
    }
    return EnforcedReview(actions_by_tuple=votes, refusals=review.refusals + answer.refusals)
