"""The gate that decides whether advice may reach a prompt: only if Stage 1 shows trouble (seeds 003 §5, 004 §3.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from samsim.rules.conflicts import compute_conflict_flags
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.taxonomy import Taxonomy

ALIGNMENT_FAILURE = "alignment_failure"
"""The drop reason of an aspect whose span does not contain its term."""
MIN_ALIGNMENT_FAILURES = 2
NO_TRIGGER = "none"


def should_inject_advisory_with_reason(
    *,
    polarity_conflict_raw: bool,
    validator_s1_risk_ids: Collection[str],
    drop_reasons: Sequence[str] = (),
    explicit_aspect_count: int = 0,
) -> tuple[bool, str]:
    """Return whether the gate opens, and the triggers that hold, joined by commas (``none`` if it stays closed).

    ``drop_reasons`` has one entry for each aspect that Stage 1 dropped.
    """
    failures = sum(reason == ALIGNMENT_FAILURE for reason in drop_reasons)
    triggers = {
        "conflict": polarity_conflict_raw,
        "validator": len(validator_s1_risk_ids) > 0,
        "alignment": failures >= MIN_ALIGNMENT_FAILURES,
        "explicit_grounding_failure": explicit_aspect_count > 0 and 0 < failures == len(drop_reasons),
    }
    held = [name for name, holds in triggers.items() if holds]
    return bool(held), ",".join(held) or NO_TRIGGER


def should_inject_advisory(
    *,
    polarity_conflict_raw: bool,
    validator_s1_risk_ids: Collection[str],
    drop_reasons: Sequence[str] = (),
    explicit_aspect_count: int = 0,
) -> bool:
    """Return whether the gate opens."""
    opened, _ = should_inject_advisory_with_reason(
        polarity_conflict_raw=polarity_conflict_raw,
        validator_s1_risk_ids=validator_s1_risk_ids,
        drop_reasons=drop_reasons,
        explicit_aspect_count=explicit_aspect_count,
    )
    return opened


def has_polarity_conflict(candidates: Sequence[Candidate], taxonomy: Taxonomy) -> bool:
    """Return ``polarity_conflict_raw``: whether Stage 1 gives one aspect two polarities, whatever the flags."""
    return bool(compute_conflict_flags(candidates, granularity=False, taxonomy=taxonomy))
