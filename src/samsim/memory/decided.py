"""What a protocol decided about each tuple, in the words an episode has for it: KEEP, DROP, FLIP, FLAG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from samsim.schemas.protocol_conflict_review import DecidedAction, ReasonCode, RiskType
from samsim.schemas.protocol_debate import DebateRecord, EditOp
from samsim.schemas.results import SampleResult

# A merge leaves one statement of two; a new ref leaves the statement standing.
_ACTIONS: Mapping[EditOp, DecidedAction] = {
    "set_polarity": "FLIP",
    "drop_tuple": "DROP",
    "merge_tuples": "DROP",
    "set_aspect_ref": "KEEP",
    "confirm_tuple": "KEEP",
}
_REASONS: Mapping[EditOp, ReasonCode] = {
    "set_polarity": "STRUCTURAL_INCONSISTENT",
    "drop_tuple": "WEAK_EVIDENCE",
    "merge_tuples": "DUPLICATE_TUPLE",
    "set_aspect_ref": "ASPECT_REF_MISMATCH",
    "confirm_tuple": "KEEP_BEST_SUPPORTED",
}
_FLIP_REASONS: Mapping[RiskType, ReasonCode] = {
    "NEGATION_SCOPE": "NEGATION_SCOPE",
    "CONTRAST_SCOPE": "CONTRAST_CLAUSE",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """One tuple, what became of it, and the reason code."""

    tuple_id: str
    action: DecidedAction
    reason_code: str | None


def decided_in(result: SampleResult) -> list[Decided]:
    """The decisions of a result; none for a protocol that only reads."""
    if result.debate is not None:
        return _of_debate(result, result.debate)
    return [Decided(decision.tuple_id, decision.action, decision.reason_code) for decision in result.arbiter_decisions]


def _of_debate(result: SampleResult, debate: DebateRecord) -> list[Decided]:
    """Applied changes; then what the judge left open, as FLAG; then what was spoken of and stayed, as KEEP."""
    found: dict[str, Decided] = {}
    # A tuple whose polarity and ref were both changed is known for its polarity.
    for decision in sorted(debate.overrides, key=lambda override: _ACTIONS[override.op] == "KEEP"):
        if decision.applied:
            tuple_id = decision.target_tuple_id
            reason = _reason(decision.op, tuple_id, result)
            found.setdefault(tuple_id, Decided(tuple_id, _ACTIONS[decision.op], reason))
    for conflict in debate.judge.unresolved_conflicts if debate.judge is not None else ():
        for tuple_id in conflict.tuple_ids:
            found.setdefault(tuple_id, Decided(tuple_id, "FLAG", "TIE_UNRESOLVED"))
    for turn in debate.turns:
        for edit in turn.proposed_edits:
            found.setdefault(edit.target_tuple_id, Decided(edit.target_tuple_id, "KEEP", "KEEP_BEST_SUPPORTED"))
    order: Sequence[str] = [candidate.tuple_id for candidate in result.stage1_tuples]
    return [found[tuple_id] for tuple_id in order if tuple_id in found]


def _reason(op: EditOp, tuple_id: str, result: SampleResult) -> ReasonCode:
    if op != "set_polarity":
        return _REASONS[op]
    doubts = [risk.risk_type for risk in result.validator_risks if risk.tuple_id == tuple_id]
    return next((_FLIP_REASONS[doubt] for doubt in doubts if doubt in _FLIP_REASONS), _REASONS[op])
