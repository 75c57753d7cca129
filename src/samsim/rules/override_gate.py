"""The override gate: which of the accepted changes may really change a tuple (spec 3 §5).

The first reason that holds refuses the change:

====================  ===========================================================================
evidence_missing      nobody quotes anything for it (a removal of words that are not there has nothing to quote)
evidence_not_in_text  what is quoted for it, by the judge or a supporter, is nowhere in the text
below_min_total       too little was said about it: the confidences for and against, together
below_min_margin      too little more was said for it than against it
l3_conservative       a Stage 1 risk of negation, contrast or irony, and one persona alone flips it
already_confident     Stage 1 reached the target confidence, and nothing casts doubt on the tuple
====================  ===========================================================================

The last one asks about what contradicts the tuple (its polarity, its ref, its right to be there); a
merge does not. The profiles t0, t1 and t2 are ``OVERRIDE_PROFILES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from samsim.rules.debate_signals import LastWords
from samsim.rules.evidence import EvidenceReader
from samsim.rules.text_index import TextIndex
from samsim.rules.validator import WORDS_ABSENT
from samsim.schemas.analysis import TextAnalysis
from samsim.schemas.protocol_conflict_review import Candidate, ConflictFlag, RiskType, ValidatorRisk
from samsim.schemas.protocol_debate import (
    AcceptedChange,
    DebateTurn,
    EditOp,
    OverrideDecision,
    OverrideProfile,
    PatchOp,
    Signal,
    SkipReason,
    StructuralRisk,
    StructuralRiskType,
)

CONTRADICTING_OPS: frozenset[EditOp] = frozenset({"set_polarity", "set_aspect_ref", "drop_tuple"})
_STRUCTURAL_RISKS: frozenset[RiskType] = frozenset({"NEGATION_SCOPE", "CONTRAST_SCOPE"})
_STRUCTURES = frozenset({"negation", "contrast", "irony"})
Quotation = Literal["found", "missing", "false"]
"""Whether what is quoted for a change is in the text, is not there at all, or is not in the text."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What Stage 1 says about a tuple, as far as the gate asks."""

    confidence: float
    doubted: bool
    structural: bool
    words_absent: bool


def skip_reason(
    change: PatchOp, signal: Signal, standing: Standing, profile: OverrideProfile, *, quotation: Quotation
) -> SkipReason | None:
    """Return why a change is not applied, or None if it is."""
    # Words that are not there cannot be quoted; a quotation that is made up is no better for it.
    excused = change.op == "drop_tuple" and standing.words_absent
    alone = len(signal.supporters) <= 1
    checks: tuple[tuple[SkipReason, bool], ...] = (
        ("nothing_to_change", change.op == "confirm_tuple"),
        ("evidence_missing", quotation == "missing" and not excused),
        ("evidence_not_in_text", quotation == "false"),
        ("below_min_total", signal.total < profile.min_total),
        ("below_min_margin", signal.margin < profile.min_margin),
        ("l3_conservative", profile.conservative and standing.structural and change.op == "set_polarity" and alone),
        (
            "already_confident",
            change.op in CONTRADICTING_OPS
            and not standing.doubted
            and standing.confidence >= profile.target_confidence,
        ),
    )
    return next((reason for reason, holds in checks if holds), None)


def judge_quotations(quoted: Iterable[str], index: TextIndex) -> Quotation:
    """Return what the quotations for a change are worth together: one that is in the text is enough.

    A quotation has at least one letter or digit; a mere full stop proves nothing.
    """
    real = [words for words in quoted if any(map(str.isalnum, words))]
    if not real:
        return "missing"
    return "found" if any(map(index.has, real)) else "false"


class Doubts:
    """Everything that casts doubt on tuples before the debate: code checks, flags, the validating engine."""

    def __init__(
        self, risks: Iterable[ValidatorRisk], flags: Iterable[ConflictFlag], structural_risks: Iterable[StructuralRisk]
    ) -> None:
        self._risks: dict[str, set[RiskType]] = {}
        for risk in risks:
            self._risks.setdefault(risk.tuple_id, set()).add(risk.risk_type)
        self._claimed: dict[str, set[StructuralRiskType]] = {}
        for claim in structural_risks:
            self._claimed.setdefault(claim.tuple_id, set()).add(claim.risk_type)
        self._flagged = frozenset(tuple_id for flag in flags for tuple_id in flag.tuple_ids)

    def standing_of(self, candidate: Candidate, evidence: EvidenceReader) -> Standing:
        """Return how one tuple stands."""
        mine = self._risks.get(candidate.tuple_id, set())
        claimed = self._claimed.get(candidate.tuple_id, set())
        return Standing(
            confidence=candidate.confidence,
            doubted=bool(mine or claimed) or candidate.tuple_id in self._flagged,
            structural=bool(mine & _STRUCTURAL_RISKS or claimed & _STRUCTURES) or evidence.is_ironic(candidate),
            words_absent=bool(mine & WORDS_ABSENT),
        )


def decide_overrides(
    accepted: Iterable[AcceptedChange],
    patch: Sequence[PatchOp],
    turns: Sequence[DebateTurn],
    candidates: Sequence[Candidate],
    doubts: Doubts,
    analysis: TextAnalysis,
    profile: OverrideProfile,
) -> list[OverrideDecision]:
    """Return one decision for each change that Stage 2 accepted, in the patch's order."""
    wanted = {change.change_id for change in accepted}
    by_id = {candidate.tuple_id: candidate for candidate in candidates}
    evidence = EvidenceReader(analysis)
    words = LastWords(turns)
    decisions = []
    for change in patch:
        if change.change_id not in wanted:
            continue
        signal = words.signal_of(change)
        standing = doubts.standing_of(by_id[change.target_tuple_id], evidence)
        quotation = judge_quotations([change.evidence, *words.quotations_for(change)], evidence.index)
        reason = skip_reason(change, signal, standing, profile, quotation=quotation)
        decisions.append(
            OverrideDecision(
                change_id=change.change_id,
                op=change.op,
                target_tuple_id=change.target_tuple_id,
                value=change.value,
                applied=reason is None,
                skip_reason=reason,
                signal=signal,
            )
        )
    return decisions


def without_effect(decisions: Sequence[OverrideDecision], reason: SkipReason) -> list[OverrideDecision]:
    """Return the decisions where Stage 1 stands after all."""
    return [
        decision.model_copy(update={"applied": False, "skip_reason": reason}) if decision.applied else decision
        for decision in decisions
    ]
