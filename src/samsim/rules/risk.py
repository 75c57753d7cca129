"""The risk a stage carries, and the outcome of an override: by risk and safety, never by gold (seed 003 §3.4).

Every protocol is evaluated this way, with or without a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from samsim.schemas.memory_v1_1 import EvaluationV1_1, RiskSnapshotV1_1, RiskTag
from samsim.schemas.protocol_conflict_review import (
    ArbiterDecision,
    ConflictFlag,
    ConflictType,
    DecidedAction,
    RiskType,
    Severity,
    ValidatorRisk,
)

SEVERITY_POINTS: Mapping[Severity, int] = MappingProxyType({"high": 3, "mid": 2, "low": 1})
# A flag has no severity of its own: contradicting polarities weigh most, a mere overlap least.
FLAG_SEVERITY: Mapping[ConflictType, Severity] = MappingProxyType(
    {
        "ref_polarity_mismatch": "high",
        "term_polarity_mismatch": "high",
        "semantic_conflict_candidate": "mid",
        "granularity_overlap_candidate": "low",
        "REDUNDANT_UPPER_REF": "low",
    }
)
CHANGING_ACTIONS: frozenset[DecidedAction] = frozenset({"FLIP", "DROP"})
# Among risks of equal weight, the first one in this order is named.
TAG_ORDER: tuple[str, ...] = (*get_args(RiskType), *get_args(ConflictType))


@dataclass(frozen=True, slots=True)
class RiskFindings:
    """Validator risks and conflict flags of one stage; tuple ids mean the same before and after the review."""

    risks: tuple[ValidatorRisk, ...]
    flags: tuple[ConflictFlag, ...]

    @classmethod
    def of(cls, risks: Iterable[ValidatorRisk], flags: Iterable[ConflictFlag]) -> RiskFindings:
        """Build the findings from any iterables."""
        return cls(tuple(risks), tuple(flags))

    def points(self) -> list[tuple[RiskTag, int, frozenset[str]]]:
        """Return each finding as its tag, its weight and its tuples."""
        found: list[tuple[RiskTag, int, frozenset[str]]] = [
            (risk.risk_type, SEVERITY_POINTS[risk.severity], frozenset({risk.tuple_id})) for risk in self.risks
        ]
        for flag in self.flags:
            severity = FLAG_SEVERITY[flag.conflict_type]
            found.append((flag.conflict_type, SEVERITY_POINTS[severity], frozenset(flag.tuple_ids)))
        return found

    def snapshot(self) -> RiskSnapshotV1_1:
        """Return the part an episode keeps: the tags, without repeats, and the sum of the weights."""
        points = self.points()
        tags = tuple(sorted({tag for tag, _, _ in points}, key=TAG_ORDER.index))
        return RiskSnapshotV1_1(tags=tags, severity_sum=sum(weight for _, weight, _ in points))

    def new_since(self, before: RiskFindings) -> frozenset[RiskTag]:
        """Return the tags of new findings: ``before`` has none with the same tag and at least the same tuples."""
        announced: dict[tuple[RiskTag, str], list[frozenset[str]]] = {}
        for tag, _, seen in before.points():
            for tuple_id in (*seen, ""):
                announced.setdefault((tag, tuple_id), []).append(seen)
        # An earlier finding on all of these tuples is listed under each of them, so looking under one is enough.
        return frozenset(
            tag
            for tag, _, ids in self.points()
            if not any(ids <= seen for seen in announced.get((tag, min(ids, default="")), ()))
        )


def changes_a_tuple(decisions: Iterable[ArbiterDecision]) -> bool:
    """Return whether the arbiter changed a tuple (FLIP, DROP)."""
    return any(decision.action in CHANGING_ACTIONS for decision in decisions)


def evaluate(before: RiskFindings, after: RiskFindings, *, applied: bool) -> EvaluationV1_1:
    """Return the outcome of an override, by risk and safety.

    Applied: the protocol changed a tuple. Success: the severity fell and nothing new appeared. Harm: the
    severity rose or a new conflict appeared. Without an override there is neither.
    """
    was, now = before.snapshot(), after.snapshot()
    new = after.new_since(before)
    return EvaluationV1_1(
        risk_before=was,
        risk_after=now,
        override_applied=applied,
        override_success=applied and now.severity_sum < was.severity_sum and not new,
        override_harm=applied and (now.severity_sum > was.severity_sum or not new.isdisjoint(FLAG_SEVERITY)),
    )
