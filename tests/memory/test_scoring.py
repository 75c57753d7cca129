"""Similarity: documented weights, bounds and filters."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.memory.scoring import (
    case_tokens,
    combined_score,
    idf,
    lexical_similarity,
    passes_filters,
    signature_similarity,
)
from samsim.schemas.memory_v1_1 import STRUCTURES, InputSignatureV1_1
from tests.memory import episode


def signature(*structure: str, language: str = "ko", aspects: int = 1, length: str = "short") -> InputSignatureV1_1:
    return InputSignatureV1_1.model_validate(
        {
            "language": language,
            "detected_structure": structure or ("none",),
            "has_negation": "negation" in structure,
            "num_aspects": aspects,
            "length_bucket": length,
        }
    )


@st.composite
def signatures(draw: st.DrawFn) -> InputSignatureV1_1:
    found = draw(st.sets(st.sampled_from(STRUCTURES[:-1])))
    return signature(
        *(name for name in STRUCTURES if name in found),
        language=draw(st.sampled_from(["ko", "en"])),
        aspects=draw(st.integers(0, 30)),
        length=draw(st.sampled_from(["short", "medium", "long"])),
    )


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (signature("negation"), signature("negation"), 1.0),
        (signature("negation"), signature("negation", "contrast"), 0.75),
        (signature("negation"), signature("contrast"), 0.5),
        (signature(), signature(), 1.0),
        (signature(), signature(length="medium"), 0.875),
        (signature(), signature(length="long"), 0.75),
        (signature(), signature(aspects=2), 0.875),
        (signature(), signature(aspects=4), 0.8125),
    ],
)
def test_signature_similarity(left: InputSignatureV1_1, right: InputSignatureV1_1, expected: float) -> None:
    assert signature_similarity(left, right) == pytest.approx(expected)


@given(signatures(), signatures())
def test_signature_similarity_is_symmetric_and_within_bounds(
    left: InputSignatureV1_1, right: InputSignatureV1_1
) -> None:
    value = signature_similarity(left, right)
    assert 0.0 <= value <= 1.0
    assert value == signature_similarity(right, left)
    assert signature_similarity(left, left) == 1.0


@given(signatures(), signatures())
def test_filters(left: InputSignatureV1_1, right: InputSignatureV1_1) -> None:
    same_language = left.language == right.language
    overlap = any(name in right.detected_structure for name in left.detected_structure)
    assert passes_filters(left, right) is (same_language and overlap)
    assert passes_filters(left, right, require_same_language=False) is overlap
    assert passes_filters(left, right, require_structure_overlap=False) is same_language
    assert passes_filters(left, right, require_same_language=False, require_structure_overlap=False)


def test_none_overlaps_only_none() -> None:
    assert passes_filters(signature(), signature())
    for structure in ("negation", "contrast", "irony"):
        assert not passes_filters(signature(), signature(structure))
        assert not passes_filters(signature(structure), signature())


def test_idf_is_lower_for_common_tokens() -> None:
    assert idf(100, 100) == pytest.approx(log(2))
    assert idf(100, 1) == idf(100, 0) == pytest.approx(log(101))
    assert idf(100, 2) > idf(100, 50)


def test_lexical_similarity_weighs_rare_tokens_more() -> None:
    weights = {"rare": 3.0, "common": 1.0, "other": 2.0}
    assert lexical_similarity({"rare", "common"}, {"rare", "other"}, weights.__getitem__) == 0.5
    assert lexical_similarity({"rare", "common"}, {"common", "other"}, weights.__getitem__) == pytest.approx(1 / 6)
    assert lexical_similarity(set(), set(), weights.__getitem__) == 0.0
    assert lexical_similarity({"rare"}, {"rare"}, weights.__getitem__) == 1.0


@given(st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh")))
def test_lexical_similarity_is_symmetric_and_within_bounds(left: set[str], right: set[str]) -> None:
    weights = {name: 0.1 + position / 7 for position, name in enumerate("abcdefgh")}
    value = lexical_similarity(left, right, weights.__getitem__)
    assert value == lexical_similarity(right, left, weights.__getitem__)
    assert 0.0 <= value <= 1.0
    assert (value > 0.0) is bool(left & right)


def test_the_score_is_six_tenths_signature_and_four_tenths_words() -> None:
    assert combined_score(1.0, 0.0) == 0.6
    assert combined_score(0.0, 1.0) == 0.4
    assert combined_score(1.0, 1.0) == 1.0
    assert combined_score(1 / 3, 1 / 7) == round(0.6 / 3 + 0.4 / 7, 12)


def test_an_episode_is_found_by_its_symptom_and_rationale() -> None:
    assert case_tokens(episode().case_summary) == {"negation_scope", "negation", "않다", "flip", "risk_down"}
