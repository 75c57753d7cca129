"""Advice is followed by its meaning: a reason to look, never a command, and a warning is not repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from samsim.memory.principles import Check, find_principle
from tests.memory.advised_reviews import lesson, reviewed, votes

# The whole and a part, judged by the same word in one passage: a redundancy one may see or not.
WHOLE_AND_PART = "제품 품질도 원단도 다 탄탄해요"
UPPER = {
    "aspect_term": "제품",
    "aspect_ref": "제품 전체#품질",
    "opinion_term": "탄탄해요",
    "polarity": "positive",
    "evidence": "원단도 다 탄탄해요",
}
LOWER = {**UPPER, "aspect_term": "원단", "aspect_ref": "본품#품질", "evidence": "다 탄탄해요"}
# The words contradict the tuple, and a rival on the same ref says so; no negation is involved.
PRAISED = "향이 정말 좋아요"
WRONG = {"aspect_term": "향", "aspect_ref": "본품#품질", "polarity": "negative", "evidence": "좋아요"}
RIGHT = {**WRONG, "polarity": "positive"}
NEGATED = "향이 좋지 않아요"
OVERLOOKED = {"aspect_term": "향", "aspect_ref": "본품#품질", "polarity": "positive", "evidence": "좋지 않아요"}

ANYWHERE = {"require_structure_overlap": False}


def principle_text(name: str) -> str:
    principle = find_principle(name)
    assert principle is not None
    return principle.ko


def test_advice_to_keep_both_never_leads_to_a_drop(tmp_path: Path) -> None:
    assert "둘 다 남기세요" in principle_text("upper_ref_keep")
    plain = reviewed(tmp_path / "plain", WHOLE_AND_PART, [UPPER, LOWER])
    advised = reviewed(tmp_path / "advised", WHOLE_AND_PART, [UPPER, LOWER], [lesson("upper_ref_keep")] * 3)
    assert advised.memory is not None
    assert advised.memory.advisories_present
    assert advised.memory.principle_ids == ["upper_ref_keep"]
    assert votes(advised) == votes(plain)
    assert not [vote for vote in votes(advised).values() if vote.startswith("DROP")]


@pytest.mark.parametrize(
    ("lessons", "vote"),
    [
        (["upper_ref_drop"], "FLAG REDUNDANT_REF_UNCERTAIN"),  # weak: one case
        (["upper_ref_drop"] * 3, "DROP REDUNDANT_UPPER_REF"),
        (["upper_ref_drop"] * 2 + ["upper_ref_keep"], "FLAG REDUNDANT_REF_UNCERTAIN"),
        (["upper_ref_other"] * 3, "FLAG REDUNDANT_REF_UNCERTAIN"),
        (["upper_ref_keep"] * 3, "KEEP KEEP_BEST_SUPPORTED"),
        (["any_flag"] * 3, "KEEP KEEP_BEST_SUPPORTED"),
    ],
)
def test_type_and_strength_decide_how_far_advice_goes(tmp_path: Path, lessons: list[str], vote: str) -> None:
    result = reviewed(tmp_path / "run", WHOLE_AND_PART, [UPPER, LOWER], [lesson(name) for name in lessons], topk=5)
    assert result.memory is not None
    assert result.memory.advisories_present
    assert votes(result)["C"] == vote


def test_a_warning_does_not_set_off_the_check_of_a_success(tmp_path: Path) -> None:
    warned = [lesson("upper_ref_drop", failed=True) for _ in range(3)]
    result = reviewed(tmp_path / "run", WHOLE_AND_PART, [UPPER, LOWER], warned)
    assert result.memory is not None
    assert result.memory.advisory_types == ["failed_override_warning"]
    assert votes(result)["C"] == "KEEP KEEP_BEST_SUPPORTED"


def test_a_warning_makes_reviewers_refrain_from_what_failed(tmp_path: Path) -> None:
    plain = reviewed(tmp_path / "plain", PRAISED, [WRONG, RIGHT])
    assert votes(plain)["A"] == "FLIP STRUCTURAL_INCONSISTENT"
    warned = [lesson("ref_conflict_flip", failed=True)]
    result = reviewed(tmp_path / "warned", PRAISED, [WRONG, RIGHT], warned)
    assert {votes(result)[agent] for agent in "AB"} == {"FLAG STRUCTURAL_INCONSISTENT"}
    # C would not have flipped: the warning is not about what it does.
    assert votes(result)["C"] == votes(plain)["C"]
    # The same words as a success are no reason to refrain.
    succeeded = reviewed(tmp_path / "succeeded", PRAISED, [WRONG, RIGHT], [lesson("ref_conflict_flip")])
    assert votes(succeeded) == votes(plain)


@pytest.mark.parametrize(("failures", "vote"), [(1, "FLIP NEGATION_SCOPE"), (2, "FLAG NEGATION_SCOPE")])
def test_one_failure_is_no_command_where_the_text_settles_it(tmp_path: Path, failures: int, vote: str) -> None:
    warned = [lesson("negation_scope_flip", failed=True)] * failures
    result = reviewed(tmp_path / "run", NEGATED, [OVERLOOKED], warned, **ANYWHERE)
    assert result.memory is not None
    assert result.memory.advisory_types == ["failed_override_warning"]
    assert votes(result)["A"] == vote


def test_a_warning_about_another_risk_is_not_about_this_tuple(tmp_path: Path) -> None:
    warned = [lesson("semantic_conflict_other", failed=True), lesson("opinion_as_target_drop", failed=True)]
    plain = reviewed(tmp_path / "plain", PRAISED, [WRONG, RIGHT])
    result = reviewed(tmp_path / "run", PRAISED, [WRONG, RIGHT], warned)
    assert result.memory is not None
    assert set(result.memory.advisory_types) == {"failed_override_warning"}
    assert votes(result) == votes(plain)


# Per check: a text, its triplets, a principle that says to look, the reviewer who looks, and the votes then and before.
LOOKING: dict[str, tuple[str, list[dict[str, Any]], str, str, str, str]] = {
    "contrast_sides": (
        "빵은 맛있는데 나머지는 아직 먹어 보지 않았어요",
        [{"aspect_term": "빵", "aspect_ref": "본품#품질", "polarity": "positive", "evidence": "맛있는데"}],
        "contrast_scope_flag",
        "A",
        "FLAG CONTRAST_CLAUSE",
        "KEEP KEEP_BEST_SUPPORTED",
    ),
    "negation_scope": (
        "가방은 집에 가져가지 않았어요",
        [{"aspect_term": "가방", "aspect_ref": "본품#없는것", "polarity": "negative", "evidence": "가져가지 않았어요"}],
        "negation_scope_flag",
        "A",
        "FLAG NEGATION_SCOPE",
        "KEEP KEEP_BEST_SUPPORTED",
    ),
    "literal_evidence": (
        "가방은 어제 받았어요",
        [{"aspect_term": "가방", "aspect_ref": "본품#없는것", "polarity": "negative", "evidence": "받았어요"}],
        "evidence_not_in_text_flag",
        "C",
        "FLAG WEAK_EVIDENCE",
        "KEEP KEEP_BEST_SUPPORTED",
    ),
    "redundant_upper_ref": (
        WHOLE_AND_PART,
        [UPPER, LOWER],
        "given_upper_ref_any",
        "C",
        "FLAG REDUNDANT_REF_UNCERTAIN",
        "KEEP KEEP_BEST_SUPPORTED",
    ),
    "implicit_justified": (
        "어제 받았어요",
        [
            {"aspect_ref": "본품#품질", "polarity": "positive", "evidence": "받았어요", "confidence": 0.9},
            {"aspect_ref": "본품#품질", "polarity": "negative", "evidence": "받았어요", "confidence": 0.9},
        ],
        "implicit_flag",
        "B",
        "FLAG WEAK_INFERENCE",
        "KEEP IMPLICIT_ASPECT",
    ),
    "ref_in_taxonomy": (
        "가방은 어제 받았어요",
        [{"aspect_term": "가방", "aspect_ref": "본품#없는것", "polarity": "negative", "evidence": "받았어요"}],
        "invalid_ref_drop",
        "B",
        "DROP ASPECT_REF_MISMATCH",
        "FLAG ASPECT_REF_MISMATCH",
    ),
    "term_in_text": (
        "방향제가 좋아요",
        [{"aspect_term": "향", "aspect_ref": "본품#없는것", "polarity": "positive", "evidence": "좋아요"}],
        "term_not_in_text_other",
        "C",
        "FLAG WEAK_EVIDENCE",
        "KEEP KEEP_BEST_SUPPORTED",
    ),
}


@pytest.mark.parametrize("check", get_args(Check))
def test_every_check_is_read_by_a_reviewer(tmp_path: Path, check: str) -> None:
    text, triplets, name, agent, looking, before = LOOKING[check]
    principle = find_principle(name)
    assert principle is not None
    assert principle.check == check
    plain = reviewed(tmp_path / "plain", text, triplets)
    advised = reviewed(tmp_path / "advised", text, triplets, [lesson(name)] * 3, **ANYWHERE)
    assert advised.memory is not None
    assert advised.memory.advisories_present
    assert (votes(plain)[agent], votes(advised)[agent]) == (before, looking)


def test_a_ref_outside_the_taxonomy_is_no_reason_to_remove_what_the_text_says(tmp_path: Path) -> None:
    said = {"aspect_term": "향", "aspect_ref": "본품#없는것", "polarity": "positive", "evidence": "좋아요"}
    result = reviewed(tmp_path / "run", PRAISED, [said], [lesson("invalid_ref_drop")] * 3)
    assert "둘 중 하나만으로는 부족합니다" in principle_text("invalid_ref_drop")
    assert votes(result)["B"] == "FLAG ASPECT_REF_MISMATCH"


def test_a_downgraded_advisory_removes_nothing(tmp_path: Path) -> None:
    failed_there = lesson("any_keep", failed=True).model_copy(
        update={"stage_snapshot": lesson("any_keep").stage_snapshot}
    )
    lessons = [*([lesson("upper_ref_drop")] * 3), failed_there]
    settings: dict[str, Any] = {"topk": 4, "prohibit_dangerous": False, "opfb_scope": "retrieved"}
    result = reviewed(tmp_path / "run", WHOLE_AND_PART, [UPPER, LOWER], lessons, **settings)
    assert result.memory is not None
    assert result.memory.memory_downgraded_advisory_n == 2
    assert votes(result)["C"] == "FLAG REDUNDANT_REF_UNCERTAIN"
