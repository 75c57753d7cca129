"""The expected value of Stage 2 as a whole (spec 3 §5); below the threshold, Stage 1 is kept."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from samsim.rules.evidence import EvidenceReader
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.protocol_debate import EVRecord, OverrideDecision

ACTION_VALUE = 0.4
RISK_VALUE = 0.3
GROUNDING_VALUE = 0.2
CONFIDENCE_VALUE = 0.1


def expected_value(
    decisions: Sequence[OverrideDecision], *, risk_resolved: bool, better_grounded: bool, threshold: float
) -> EVRecord:
    """Return the score: 0.4 for an applied action, 0.3 for a resolved risk, 0.2 for grounding, 0.1 · confidence.

    Without an applied action the other parts count nothing. The confidence is the mean confidence of the
    applied changes' supporters.
    """
    support = [decision.signal.mean_support for decision in decisions if decision.applied]
    acted = bool(support)
    parts = {
        "action": ACTION_VALUE if acted else 0.0,
        "risk": RISK_VALUE if acted and risk_resolved else 0.0,
        "grounding": GROUNDING_VALUE if acted and better_grounded else 0.0,
        "confidence": round(CONFIDENCE_VALUE * fmean(support), 6) if acted else 0.0,
    }
    total = round(sum(parts.values()), 6)
    return EVRecord(**parts, total=total, threshold=threshold, passed=acted and total >= threshold)


def grounded_share(tuples: Sequence[Candidate], evidence: EvidenceReader) -> float:
    """Return the share of tuples whose words are in the text and do not contradict them; 1 if there are none."""
    return sum(map(evidence.grounds, tuples)) / len(tuples) if tuples else 1.0
