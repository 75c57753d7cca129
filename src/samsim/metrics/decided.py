"""What was decided about single tuples, in one form for all protocols.

The conflict review decides by the arbiter's rules; the debate lets the changes that Stage 2 accepted
through an override gate, or skips them for a reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from samsim.metrics.tuples import ComparableTuple
from samsim.schemas.protocol_conflict_review import ArbiterDecision
from samsim.schemas.protocol_debate import EditOp, OverrideDecision
from samsim.schemas.results import SampleResult
from samsim.schemas.taxonomy import clean_ref

# The arbiter's actions, and the debate's change of a ref, which the arbiter does not know.
Effect = Literal["KEEP", "DROP", "FLIP", "FLAG", "REF"]
CHANGING: frozenset[Effect] = frozenset({"DROP", "FLIP", "REF"})
NO_REASON = "(none)"
_EFFECTS: Mapping[EditOp, Effect] = MappingProxyType(
    {
        "set_polarity": "FLIP",
        "set_aspect_ref": "REF",
        # The tuple goes; what it says is said by the one it is merged into.
        "merge_tuples": "DROP",
        "drop_tuple": "DROP",
        "confirm_tuple": "KEEP",
    }
)


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision: which rule, for what reason, about which tuple, and what it does to it.

    ``skipped`` says why a change that somebody wanted was not made; "" where there was none to skip.
    """

    tuple_id: str
    rule: str
    reason: str
    label: str
    effect: Effect
    value: str = ""
    skipped: str = ""

    def left_of(self, before: ComparableTuple) -> ComparableTuple | None:
        """What is left of the tuple; None if nothing."""
        if self.effect == "DROP":
            return None
        if self.effect == "FLIP":
            return replace(before, polarity=self.value or before.polarity)
        if self.effect == "REF":
            return replace(before, ref=clean_ref(self.value).casefold())
        return before


def decisions_of(result: SampleResult) -> Iterator[Decided]:
    """Every decision about a tuple of the sample."""
    yield from map(_by_arbiter, result.arbiter_decisions)
    if result.debate is not None:
        yield from map(_by_gate, result.debate.overrides)


def was_reviewed(result: SampleResult) -> bool:
    """Whether anything was put to a decision."""
    return bool(result.arbiter_decisions) or (result.debate is not None and bool(result.debate.turns))


def _by_arbiter(decision: ArbiterDecision) -> Decided:
    wanted = any(vote.counted_as in CHANGING for vote in decision.votes.values())
    skipped = ""
    if wanted and decision.action not in CHANGING:
        skipped = "outvoted" if decision.action == "KEEP" else "flagged"
    return Decided(
        tuple_id=decision.tuple_id,
        rule=decision.rule,
        reason=decision.reason_code or NO_REASON,
        label=decision.action,
        effect=decision.action,
        value=(decision.new_value or {}).get("polarity", ""),
        skipped=skipped,
    )


def _by_gate(override: OverrideDecision) -> Decided:
    reason = override.skip_reason or NO_REASON
    return Decided(
        tuple_id=override.target_tuple_id,
        rule="applied" if override.applied else "skipped",
        reason=reason,
        label=override.op,
        effect=_EFFECTS[override.op] if override.applied else "KEEP",
        value=override.value,
        skipped="" if override.applied else reason,
    )
