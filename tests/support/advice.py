"""Advisories written by hand, as they stand in a memory slot."""

from __future__ import annotations

from typing import Any


def advisory(principle_id: str, **fields: Any) -> dict[str, Any]:
    """A successful override of one case; keyword arguments replace fields."""
    evidence = {"source_episode_ids": ["epi_000001"], "risk_tags": [], "principle_id": principle_id}
    return {
        "advisory_id": "adv_000001",
        "advisory_type": "successful_override",
        "message": "조언",
        "strength": "weak",
        "relevance_score": 0.5,
        "evidence": evidence,
        **fields,
    }
