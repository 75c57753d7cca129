"""The override gate: decides which of the accepted changes may change a tuple (spec 3 §5).

A change is refused for the first reason that holds:

====================  ===========================================================================
evidence_missing      no evidence is quoted (not needed for removing a tuple whose words are not in the text)
evidence_not_in_text  no quotation, by the judge or a supporter, is in the text
below_min_total       the confidences for and against it add up to too little
below_min_margin      support does not exceed opposition by enough
l3_conservative       Stage 1 saw a risk of negation, contrast or irony, and a single persona flips it
already_confident     Stage 1 reached the target confidence, and nothing casts doubt on the tuple
====================  ===========================================================================

The last reason applies to changes that contradict the tuple (its polarity, its ref, its existence), not to
merges. The profiles t0, t1 and t2 are in ``OVERRIDE_PROFILES``.
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
"""Whether a quotation for a change is in the text, no quotation is given, or none of them is in the text."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What Stage 1 says about a tuple, as far as the gate needs it."""

    confidence: float
    doubted: bool
    structural: bool
    words_absent: bool


def skip_reason(
    change: PatchOp, signal: Signal, standing: Standing, profile: OverrideProfile, *, quotation: Quotation
) -> SkipReason | None:
    """Return why a change is not applied, or None if it is."""
    # Words that are not in the text cannot be quoted, but a made-up quotation is not excused.
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
    """Return the joint verdict on the quotations for a change; one that is in the text is enough.

    A quotation has at least one letter or digit; a period alone proves nothing.
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
        """Return the state of one tuple."""
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
    """Return the decisions with every applied change undone for ``reason``, because Stage 1 is kept."""
    return [
        decision.model_copy(update={"applied": False, "skip_reason": reason}) if decision.applied else decision
        for decision in decisions
    ]
