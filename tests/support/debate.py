"""Short ways to write the records of a debate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from samsim.schemas.protocol_debate import (
    DebateTurn,
    Edit,
    EditOp,
    OverrideDecision,
    PatchOp,
    Persona,
    ProposedEditItem,
    Signal,
)


def claim(
    op: str, target: str = "t0", value: str = "", evidence: str = "", confidence: float = 0.5
) -> ProposedEditItem:
    """An edit as an engine would write it."""
    return ProposedEditItem(op=op, target_tuple_id=target, value=value, evidence=evidence, confidence=confidence)


def edit(op: EditOp, target: str = "t0", value: str = "", **fields: Any) -> Edit:
    return Edit(op=op, target_tuple_id=target, value=value, **fields)


def patch_op(op: EditOp, target: str = "t0", value: str = "", change_id: str = "c0", **fields: Any) -> PatchOp:
    return PatchOp(op=op, target_tuple_id=target, value=value, change_id=change_id, **fields)


def turn(persona: Persona, *edits: Edit, number: int = 1, answered: bool = True) -> DebateTurn:
    return DebateTurn(persona=persona, round=number, answered=answered, proposed_edits=list(edits))


def signal(support: float = 1.8, against: float = 0.0, supporters: Sequence[Persona] = ("EPM", "CJ")) -> Signal:
    return Signal(support=support, against=against, supporters=list(supporters))


def override(
    op: EditOp = "set_polarity",
    target: str = "t0",
    value: str = "negative",
    *,
    applied: bool = True,
    given: Signal | None = None,
    change_id: str = "c0",
) -> OverrideDecision:
    return OverrideDecision(
        change_id=change_id,
        op=op,
        target_tuple_id=target,
        value=value,
        applied=applied,
        skip_reason=None if applied else "below_min_total",
        signal=given or signal(),
    )
