"""Tests of the episodic memory, and the one episode they vary."""

from __future__ import annotations

from typing import Any

from samsim.schemas.memory_v1_1 import EpisodicMemoryEntryV1_1

SUCCESS = {"override_applied": True, "override_success": True, "override_harm": False}
FAILURE = {"override_applied": True, "override_success": False, "override_harm": False}
UNTOUCHED = {"override_applied": False, "override_success": False, "override_harm": False}


def episode(
    number: int = 1,
    *,
    pairs: tuple[tuple[str, str], ...] = (("품질", "negative"),),
    principle: str = "negation_scope_flip",
    outcome: dict[str, bool] = SUCCESS,
    before: int = 3,
    after: int = 0,
    **fields: Any,
) -> EpisodicMemoryEntryV1_1:
    """An episode in which a negation was missed and the polarity was turned; keyword arguments replace fields."""
    risk = {"tags": ["NEGATION_SCOPE"], "severity_sum": before}
    left = {"tags": ["NEGATION_SCOPE"] if after else [], "severity_sum": after}
    given = {
        "episode_id": f"epi_{number:06d}",
        "episode_type": "success" if after < before else "neutral" if after == before else "harm",
        "input_signature": {
            "language": "ko",
            "detected_structure": ["negation"],
            "has_negation": True,
            "num_aspects": 1,
            "length_bucket": "short",
        },
        "case_summary": {
            "target_aspect_type": "explicit",
            "symptom": "NEGATION_SCOPE negation:않다",
            "rationale_summary": "FLIP NEGATION_SCOPE risk_down",
        },
        "stage_snapshot": {
            "stage1": {"aspects_norm": ["품질"], "polarities": ["positive"], "confidence": 0.6},
            "final": {
                "aspects_norm": [aspect for aspect, _ in pairs],
                "polarities": [polarity for _, polarity in pairs],
                "confidence": 0.6,
            },
        },
        "correction": {"principle_id": principle, "corrective_principle": "부정어의 범위를 확인하세요."},
        "evaluation": {"risk_before": risk, "risk_after": left, **outcome},
        "provenance": {"created_from_split": "train", "timestamp": "2026-01-02T03:04:05Z", "version": "0.1.0"},
        "risk_type": "NEGATION_SCOPE",
        "action_taken": "FLIP",
        "outcome_delta": after - before,
    }
    return EpisodicMemoryEntryV1_1.model_validate({**given, **fields})
