"""Enforcing Stage 2's answer: every op of the patch is accepted or rejected, with a reasoning (seed 003 §3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from samsim.rules.debate_edits import known_op
from samsim.schemas.polarity import canonical_polarity
from samsim.schemas.protocol_debate import (
    AcceptedChange,
    ClaimedChangeItem,
    PatchOp,
    RejectedChange,
    RejectReason,
    Stage2Record,
)


def answer_patch(
    patch: Sequence[PatchOp],
    accepted: Sequence[ClaimedChangeItem],
    rejected: Sequence[ClaimedChangeItem],
    *,
    answered: bool,
) -> Stage2Record:
    """Return Stage 2's answer to every op; an acceptance counts only if it is complete, reasoned and unaltered."""
    yes = _by_change(accepted)
    no = _by_change(rejected)
    known = {op.change_id for op in patch}
    took: list[AcceptedChange] = []
    refused: list[RejectedChange] = []
    for op in patch:
        claims = yes.get(op.change_id, []), no.get(op.change_id, [])
        reason = _why_rejected(op, *claims)
        fields = {"change_id": op.change_id, "op": op.op, "target_tuple_id": op.target_tuple_id, "value": op.value}
        reasoning = next((item.reasoning.strip() for items in claims for item in items if item.reasoning.strip()), "")
        if reason is None:
            took.append(AcceptedChange.model_validate({**fields, "reasoning": reasoning}))
        else:
            refused.append(RejectedChange.model_validate({**fields, "reasoning": reasoning, "reason": reason}))
    unknown = [change_id for change_id in {**yes, **no} if change_id not in known]
    return Stage2Record(answered=answered, accepted_changes=took, rejected_changes=refused, unknown_changes=unknown)


def _by_change(items: Sequence[ClaimedChangeItem]) -> dict[str, list[ClaimedChangeItem]]:
    found: dict[str, list[ClaimedChangeItem]] = {}
    for item in items:
        found.setdefault(item.change_id.strip(), []).append(item)
    return found


def _why_rejected(
    op: PatchOp, accepted: Sequence[ClaimedChangeItem], rejected: Sequence[ClaimedChangeItem]
) -> RejectReason | None:
    if not accepted and not rejected:
        return "not_answered"
    if accepted and rejected:
        return "contradictory_answer"
    if not all(item.reasoning.strip() for item in (*accepted, *rejected)):
        return "no_reasoning"
    if rejected:
        return "stage2"
    return None if all(_repeats(item, op) for item in accepted) else "altered_change"


def _repeats(item: ClaimedChangeItem, op: PatchOp) -> bool:
    """Return whether the answer is about this very op; fields it leaves out cannot differ."""
    value = canonical_polarity(item.value) or item.value.strip() if op.op == "set_polarity" else item.value.strip()
    return (
        (not item.op or known_op(item.op) == op.op)
        and item.target_tuple_id.strip() in ("", op.target_tuple_id)
        and (not op.value or value in ("", op.value))
    )
