"""Deciding a debate: the override gate, the expected value and the moderator. No I/O, no engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samsim.pipeline.assembly import Examined
from samsim.rules.debate_apply import apply_changes
from samsim.rules.evidence import EvidenceReader
from samsim.rules.expected_value import expected_value, grounded_share
from samsim.rules.moderator import choose_stage, moderate
from samsim.rules.override_gate import Doubts, decide_overrides, without_effect
from samsim.rules.risk import RiskFindings
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import (
    OVERRIDE_PROFILES,
    DebateTurn,
    EVRecord,
    JudgeRecord,
    ModeratorRecord,
    ModeratorRule,
    OverrideDecision,
    SkipReason,
    Stage2Record,
    StructuralRisk,
)
from samsim.schemas.results import ReviewedTuple

_WITHOUT_EFFECT: dict[ModeratorRule, SkipReason] = {
    "stage1_kept_ev_below_threshold": "ev_below_threshold",
    "stage1_kept_confidence_fell": "confidence_fell",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The surviving tuples, and how they were decided."""

    surviving: list[ReviewedTuple]
    overrides: list[OverrideDecision]
    ev: EVRecord | None
    moderator: ModeratorRecord

    @property
    def applied(self) -> bool:
        """Whether any tuple was changed."""
        return any(decision.applied for decision in self.overrides)


def decide(
    examined: Examined,
    turns: Sequence[DebateTurn],
    judge: JudgeRecord | None,
    stage2: Stage2Record | None,
    structural_risks: Sequence[StructuralRisk],
) -> Outcome:
    """Gate each accepted change, compute the expected value of all of them, and let the moderator choose."""
    settings = examined.config.debate
    unresolved = {name for conflict in (judge.unresolved_conflicts if judge else ()) for name in conflict.tuple_ids}
    unchanged = apply_changes(examined.candidates, (), unresolved)
    overrides: list[OverrideDecision] = []
    changed, ev = unchanged, None
    if judge is not None and stage2 is not None:
        overrides = decide_overrides(
            stage2.accepted_changes,
            judge.final_patch,
            turns,
            examined.candidates,
            Doubts(examined.risks, examined.flags, structural_risks),
            examined.analysis,
            OVERRIDE_PROFILES[settings.override_profile],
        )
        changed = apply_changes(examined.candidates, overrides, unresolved)
        ev = _value(examined, changed, overrides, structural_risks)
    choice = choose_stage(examined.candidates, changed, overrides, ev)
    if choice.rule in _WITHOUT_EFFECT:
        overrides = without_effect(overrides, _WITHOUT_EFFECT[choice.rule])
    surviving = changed if choice.stage == "stage2" else unchanged
    return Outcome(surviving, overrides, ev, moderate(surviving, choice, overrides, ev))


def _value(
    examined: Examined,
    changed: Sequence[Candidate],
    overrides: Sequence[OverrideDecision],
    structural_risks: Sequence[StructuralRisk],
) -> EVRecord:
    """Return the expected value of the changes.

    A risk counts as resolved if the severity that code computes fell, or if a tuple that the engine doubted was
    changed: the validator is both the code checks and the engine's structural risks (spec 3 §1). In either case,
    there must be no new risk and no higher severity.
    """
    evidence = EvidenceReader(examined.analysis)
    before = RiskFindings.of(examined.risks, examined.flags)
    after = examined.findings_after(changed)
    rise = after.snapshot().severity_sum - before.snapshot().severity_sum
    touched = {decision.target_tuple_id for decision in overrides if decision.applied}
    answered = any(risk.tuple_id in touched for risk in structural_risks)
    return expected_value(
        overrides,
        risk_resolved=(rise < 0 or (rise == 0 and answered)) and not after.new_since(before),
        better_grounded=grounded_share(changed, evidence) > grounded_share(examined.candidates, evidence),
        threshold=examined.config.debate.ev_threshold,
    )
