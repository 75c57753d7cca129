"""Enforcing the debate's edits: nothing unknown, nothing guessed, nothing contradictory.

A polarity must be canonical, a ref must be in the taxonomy, an id must exist; a refused edit is
recorded with its reason. Any subset of the valid edits can be applied: no two of them conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samsim.schemas.polarity import canonical_polarity
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import (
    EDIT_OPS,
    CorrectionProposal,
    CorrectionProposalItem,
    Edit,
    EditOp,
    EditRefusal,
    Persona,
    ProposedEditItem,
    StructuralRisk,
    StructuralRiskItem,
    UnresolvedConflict,
    UnresolvedItem,
)
from samsim.schemas.taxonomy import Taxonomy

REMOVING_OPS: frozenset[EditOp] = frozenset({"drop_tuple", "merge_tuples"})


def enforce_edits(
    items: Sequence[ProposedEditItem], candidates: Sequence[Candidate], taxonomy: Taxonomy
) -> tuple[list[Edit], list[tuple[ProposedEditItem, str]]]:
    """Return the valid edits in order, and every other one with the reason for its refusal.

    Of equal edits the first is kept; of contradictory ones none is, because choosing would be guessing.
    """
    by_id = {candidate.tuple_id: candidate for candidate in candidates}
    refused: list[tuple[ProposedEditItem, str]] = []
    claimed: dict[tuple[EditOp, str, str], tuple[ProposedEditItem, Edit]] = {}
    for item in items:
        edit, problem = _complete(item, by_id, taxonomy)
        if edit is None:
            refused.append((item, problem))
        elif edit.key in claimed:
            refused.append((item, "duplicate_op"))
        else:
            claimed[edit.key] = item, edit
    about: dict[str, list[Edit]] = {}
    for _, edit in claimed.values():
        for tuple_id in tuples_of(edit):
            about.setdefault(tuple_id, []).append(edit)
    valid = []
    for item, edit in claimed.values():
        if any(contradicts(edit, other) for tuple_id in tuples_of(edit) for other in about[tuple_id]):
            refused.append((item, "contradictory_ops"))
        else:
            valid.append(edit)
    return valid, refused


def refusals_of(
    actor: Persona | str, refused: Sequence[tuple[ProposedEditItem, str]], round_number: int = 0
) -> list[EditRefusal]:
    """Return refused edits in the form in which they are recorded."""
    return [
        EditRefusal.model_validate(
            {
                "actor": actor,
                "round": round_number,
                "reason": reason,
                "op": item.op,
                "target_tuple_id": item.target_tuple_id,
                "value": item.value,
            }
        )
        for item, reason in refused
    ]


def _complete(item: ProposedEditItem, by_id: Mapping[str, Candidate], taxonomy: Taxonomy) -> tuple[Edit | None, str]:
    op = known_op(item.op)
    if op is None:
        return None, "unknown_op"
    candidate = by_id.get(item.target_tuple_id.strip())
    if candidate is None:
        return None, "unknown_tuple"
    value, problem = _canonical_value(op, item.value, candidate, by_id, taxonomy)
    if problem:
        return None, problem
    return Edit(
        op=op,
        target_tuple_id=candidate.tuple_id,
        value=value,
        evidence=item.evidence.strip(),
        confidence=item.confidence,
    ), ""


def known_op(claimed: str) -> EditOp | None:
    """Return the op of that name, ignoring case, or None."""
    name = claimed.strip().casefold()
    return next((op for op in EDIT_OPS if op == name), None)


def _canonical_value(
    op: EditOp, claimed: str, candidate: Candidate, by_id: Mapping[str, Candidate], taxonomy: Taxonomy
) -> tuple[str, str]:
    """Return the value in canonical form and "", or "" and the reason why there is none."""
    if op == "set_polarity":
        polarity = canonical_polarity(claimed)
        if polarity is None:
            return "", "unknown_polarity"
        return (polarity, "") if polarity != candidate.polarity else ("", "same_polarity")
    if op == "set_aspect_ref":
        if not taxonomy.is_valid(claimed):
            return "", "ref_not_in_taxonomy"
        ref = taxonomy.normalise(claimed)
        return (ref, "") if ref != candidate.aspect_ref else ("", "same_ref")
    if op == "merge_tuples":
        return _merge_value(claimed.strip(), candidate, by_id)
    return "", ""


def _merge_value(keeper_id: str, candidate: Candidate, by_id: Mapping[str, Candidate]) -> tuple[str, str]:
    keeper = by_id.get(keeper_id)
    if keeper is None:
        return "", "unknown_tuple"
    if keeper_id == candidate.tuple_id:
        return "", "merge_with_itself"
    # A merge makes one statement out of two, so of two different polarities one would be lost.
    if keeper.polarity != candidate.polarity:
        return "", "merge_of_different_polarities"
    return keeper_id, ""


def tuples_of(edit: Edit) -> tuple[str, ...]:
    """Return the tuples an edit is about; only edits that share a tuple can conflict."""
    return (edit.target_tuple_id, edit.value) if edit.op == "merge_tuples" else (edit.target_tuple_id,)


def contradicts(left: Edit, right: Edit) -> bool:
    """Return whether the two edits cannot both be applied."""
    if left.key == right.key:
        return False
    if left.target_tuple_id == right.target_tuple_id:
        one_field_each = {left.op, right.op} == {"set_polarity", "set_aspect_ref"}
        return not one_field_each
    return _breaks_merge(left, right) or _breaks_merge(right, left)


def _breaks_merge(merge: Edit, other: Edit) -> bool:
    """Return whether ``other`` removes the tuple that is merged into, or changes its polarity."""
    touched = merge.op == "merge_tuples" and other.target_tuple_id == merge.value
    return touched and (other.op in REMOVING_OPS or other.op == "set_polarity")


def keep_known_risks(
    items: Sequence[StructuralRiskItem], candidates: Sequence[Candidate]
) -> tuple[list[StructuralRisk], list[str]]:
    """Return the validator's doubts about existing tuples, and a problem for each of the others."""
    known = {candidate.tuple_id for candidate in candidates}
    kept, problems = [], []
    for position, item in enumerate(items):
        tuple_id = item.tuple_id.strip()
        if tuple_id in known:
            kept.append(StructuralRisk.model_validate({**dict(item), "tuple_id": tuple_id}))
        else:
            problems.append(f"structural_risks[{position}]: unknown_tuple")
    return kept, problems


def keep_valid_proposals(
    items: Sequence[CorrectionProposalItem], candidates: Sequence[Candidate], taxonomy: Taxonomy
) -> tuple[list[CorrectionProposal], list[str]]:
    """Return the validator's proposals that are valid edits, and a problem for each of the others.

    They are shown to the personas and decide nothing.
    """
    by_id = {candidate.tuple_id: candidate for candidate in candidates}
    kept, problems = [], []
    for position, item in enumerate(items):
        edit, problem = _complete(
            ProposedEditItem(op=item.op, target_tuple_id=item.tuple_id, value=item.value), by_id, taxonomy
        )
        if edit is None:
            problems.append(f"correction_proposals[{position}]: {problem}")
            continue
        kept.append(
            CorrectionProposal(tuple_id=edit.target_tuple_id, op=edit.op, value=edit.value, rationale=item.rationale)
        )
    return kept, problems


def keep_known_conflicts(
    items: Sequence[UnresolvedItem], candidates: Sequence[Candidate]
) -> tuple[list[UnresolvedConflict], list[str]]:
    """Return the conflicts the judge leaves open, without unknown tuples, and a problem for each of those."""
    known = {candidate.tuple_id for candidate in candidates}
    kept, problems = [], []
    for position, item in enumerate(items):
        named = list(dict.fromkeys(name.strip() for name in item.tuple_ids))
        if not known.issuperset(named):
            problems.append(f"unresolved_conflicts[{position}]: unknown_tuple")
        kept.append(UnresolvedConflict(tuple_ids=[name for name in named if name in known], issue=item.issue))
    return kept, problems
