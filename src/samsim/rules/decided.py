"""The decisions on single tuples, in one form for all protocols.

The conflict review decides by the arbiter's rules. The debate passes the changes that Stage 2 accepted
through an override gate, or skips them for a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from samsim.schemas.protocol_conflict_review import ArbiterDecision, DecidedAction, ReasonCode, RiskType
from samsim.schemas.protocol_debate import DebateRecord, EditOp, OverrideDecision
from samsim.schemas.results import SampleResult

# The arbiter's actions, plus the debate's change of a ref, which the arbiter does not have.
Effect = Literal["KEEP", "DROP", "FLIP", "FLAG", "REF"]
CHANGING: frozenset[Effect] = frozenset({"DROP", "FLIP", "REF"})
NO_REASON = "(none)"


@dataclass(frozen=True, slots=True)
class _Edit:
    """The effect of a debate op on its tuple, and the reason code an episode gives for it."""

    effect: Effect
    reason: ReasonCode


_EDITS: Mapping[EditOp, _Edit] = MappingProxyType(
    {
        "set_polarity": _Edit("FLIP", "STRUCTURAL_INCONSISTENT"),
        "set_aspect_ref": _Edit("REF", "ASPECT_REF_MISMATCH"),
        # The tuple is removed; the one it is merged into makes its statement.
        "merge_tuples": _Edit("DROP", "DUPLICATE_TUPLE"),
        "drop_tuple": _Edit("DROP", "WEAK_EVIDENCE"),
        "confirm_tuple": _Edit("KEEP", "KEEP_BEST_SUPPORTED"),
    }
)
_FLIP_REASONS: Mapping[RiskType, ReasonCode] = MappingProxyType(
    {"NEGATION_SCOPE": "NEGATION_SCOPE", "CONTRAST_SCOPE": "CONTRAST_CLAUSE"}
)


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision: the tuple, the effect on it, the reason and the rule.

    ``skipped`` says why a proposed change was not made; "" if there was none to skip.
    """

    tuple_id: str
    effect: Effect
    reason: str
    rule: str = ""
    label: str = ""
    value: str = ""
    skipped: str = ""

    @property
    def action(self) -> DecidedAction:
        """The effect as an action of an episode, in which a changed ref is a KEEP."""
        return "KEEP" if self.effect == "REF" else self.effect


def decisions_of(result: SampleResult) -> Iterator[Decided]:
    """Yield every decision on a tuple of the sample."""
    yield from map(_by_arbiter, result.arbiter_decisions)
    if result.debate is not None:
        yield from map(_by_gate, result.debate.overrides)


def leading_decisions(result: SampleResult) -> list[Decided]:
    """Return the one decision each tuple is remembered for; empty for a protocol without decisions."""
    if result.debate is not None:
        return _led_by_debate(result, result.debate)
    return list(decisions_of(result))


def was_reviewed(result: SampleResult) -> bool:
    """Return whether anything was put to a decision."""
    return bool(result.arbiter_decisions) or (result.debate is not None and bool(result.debate.turns))


def _by_arbiter(decision: ArbiterDecision) -> Decided:
    wanted = any(vote.counted_as in CHANGING for vote in decision.votes.values())
    skipped = ""
    if wanted and decision.action not in CHANGING:
        skipped = "outvoted" if decision.action == "KEEP" else "flagged"
    return Decided(
        tuple_id=decision.tuple_id,
        effect=decision.action,
        reason=decision.reason_code or NO_REASON,
        rule=decision.rule,
        label=decision.action,
        value=(decision.new_value or {}).get("polarity", ""),
        skipped=skipped,
    )


def _by_gate(override: OverrideDecision) -> Decided:
    reason = override.skip_reason or NO_REASON
    return Decided(
        tuple_id=override.target_tuple_id,
        effect=_EDITS[override.op].effect if override.applied else "KEEP",
        reason=reason,
        rule="applied" if override.applied else "skipped",
        label=override.op,
        value=override.value,
        skipped="" if override.applied else reason,
    )


def _led_by_debate(result: SampleResult, debate: DebateRecord) -> list[Decided]:
    """Return applied changes, then tuples the judge left open as FLAG, then discussed but unchanged ones as KEEP."""
    found: dict[str, Decided] = {}
    applied = [override for override in debate.overrides if override.applied]
    # A tuple whose polarity and ref were both changed is remembered for its polarity.
    for override in sorted(applied, key=lambda override: _by_gate(override).action == "KEEP"):
        decision = replace(_by_gate(override), reason=_reason(override, result))
        found.setdefault(decision.tuple_id, decision)
    for conflict in debate.judge.unresolved_conflicts if debate.judge is not None else ():
        for tuple_id in conflict.tuple_ids:
            found.setdefault(tuple_id, Decided(tuple_id, "FLAG", "TIE_UNRESOLVED"))
    for turn in debate.turns:
        for edit in turn.proposed_edits:
            found.setdefault(edit.target_tuple_id, Decided(edit.target_tuple_id, "KEEP", "KEEP_BEST_SUPPORTED"))
    order = (candidate.tuple_id for candidate in result.stage1_tuples)
    return [found[tuple_id] for tuple_id in order if tuple_id in found]


def _reason(override: OverrideDecision, result: SampleResult) -> ReasonCode:
    usual = _EDITS[override.op].reason
    if override.op != "set_polarity":
        return usual
    doubts = [risk.risk_type for risk in result.validator_risks if risk.tuple_id == override.target_tuple_id]
    return next((_FLIP_REASONS[doubt] for doubt in doubts if doubt in _FLIP_REASONS), usual)
