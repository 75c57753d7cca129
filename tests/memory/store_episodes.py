"""Episodes for the tests of the stores."""

from __future__ import annotations

from samsim.schemas.memory_v1_1 import STRUCTURES, EpisodeDraftV1_1, InputSignatureV1_1

RISKS = ("NEGATION_SCOPE", "ref_polarity_mismatch", "TERM_NOT_IN_TEXT", "SPAN_MISMATCH", "품질이", "품질은", "지만")
ACTIONS = ("FLIP", "DROP", "KEEP")


def signature(number: int = 0, language: str = "ko") -> InputSignatureV1_1:
    """One of the many signatures; the number decides which."""
    subsets = (("none",), ("negation",), ("contrast",), ("negation", "contrast"), ("contrast", "irony"))
    found = subsets[number % len(subsets)]
    assert set(found) <= set(STRUCTURES)
    return InputSignatureV1_1.model_validate(
        {
            "language": language,
            "detected_structure": found,
            "has_negation": "negation" in found,
            "num_aspects": number // 5 % 4,
            "length_bucket": ("short", "medium", "long")[number // 20 % 3],
        }
    )


def episode(number: int = 0, symptom: str | None = None) -> EpisodeDraftV1_1:
    """An episode without an id; the same number gives the same episode."""
    snapshot = {"aspects_norm": [f"배터리 {number}"], "polarities": ["positive"], "confidence": 0.7}
    return EpisodeDraftV1_1.model_validate(
        {
            "episode_type": "success",
            "input_signature": signature(number, "en" if number % 11 == 3 else "ko"),
            "case_summary": {
                "target_aspect_type": "explicit",
                "symptom": f"{RISKS[number % 7]} {RISKS[number // 7 % 7]}" if symptom is None else symptom,
                "rationale_summary": f"{ACTIONS[number % 3]} 부정의 범위",
            },
            "stage_snapshot": {"stage1": snapshot, "final": snapshot},
            "correction": {"principle_id": "negation_scope_flip", "corrective_principle": "부정의 범위를 확인한다."},
            "evaluation": {
                "risk_before": {"tags": ["NEGATION_SCOPE"], "severity_sum": 3},
                "risk_after": {},
                "override_applied": True,
                "override_success": True,
                "override_harm": False,
            },
            "provenance": {"created_from_split": "train", "timestamp": "2026-01-02T03:04:05Z", "version": "0.1.0"},
            "risk_type": "NEGATION_SCOPE",
            "action_taken": "FLIP",
            "outcome_delta": -3,
        }
    )
