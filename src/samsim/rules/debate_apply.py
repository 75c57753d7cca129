"""Turning applied changes into tuples (spec 3 §5); tuples that no change names stay as they are, byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean

from samsim.schemas.protocol_conflict_review import Candidate, ReasonCode
from samsim.schemas.protocol_debate import OverrideDecision
from samsim.schemas.results import ReviewedTuple

UNRESOLVED: ReasonCode = "TIE_UNRESOLVED"


def apply_changes(
    candidates: Sequence[Candidate], decisions: Sequence[OverrideDecision], unresolved: Collection[str] = ()
) -> list[ReviewedTuple]:
    """Return the candidates with every applied change made; those in ``unresolved`` are marked as uncertain.

    The confidence of a changed tuple is the mean confidence of the change's supporters. A merged tuple takes
    the aspect of the tuple it is merged into, which makes the two one statement with all its opinions.
    """
    applied = [decision for decision in decisions if decision.applied]
    dropped = {decision.target_tuple_id for decision in applied if decision.op == "drop_tuple"}
    about: dict[str, list[OverrideDecision]] = {}
    for decision in applied:
        about.setdefault(decision.target_tuple_id, []).append(decision)
    changed = {
        candidate.tuple_id: _changed(candidate, about.get(candidate.tuple_id, ()))
        for candidate in candidates
        if candidate.tuple_id not in dropped
    }
    for decision in applied:
        if decision.op == "merge_tuples":
            keeper = changed[decision.value]
            aspect = {name: getattr(keeper, name) for name in ("aspect_term", "aspect_ref", "span")}
            changed[decision.target_tuple_id] = changed[decision.target_tuple_id].model_copy(update=aspect)
    return [
        ReviewedTuple(**dict(candidate), flagged=tuple_id in unresolved, flag_reason=_reason(tuple_id, unresolved))
        for tuple_id, candidate in changed.items()
    ]


def _reason(tuple_id: str, unresolved: Collection[str]) -> str | None:
    return UNRESOLVED if tuple_id in unresolved else None


def _changed(candidate: Candidate, applied: Sequence[OverrideDecision]) -> Candidate:
    mine = [decision for decision in applied if decision.op in ("set_polarity", "set_aspect_ref")]
    if not mine:
        return candidate
    fields: dict[str, object] = {"confidence": round(fmean(decision.signal.mean_support for decision in mine), 6)}
    for decision in mine:
        # Both values are canonical already: decisions come from enforced edits.
        fields["aspect_ref" if decision.op == "set_aspect_ref" else "polarity"] = decision.value
    return candidate.model_copy(update=fields)
