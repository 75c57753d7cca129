"""Signatures and symptoms: the same cues as the validator's, and nothing of the text."""

from __future__ import annotations

import pytest

from samsim.language.analyze import analyze_text
from samsim.memory.signature_builder import (
    LENGTH_LIMITS,
    NO_SYMPTOM,
    build_signature,
    count_aspects,
    length_bucket,
    symptoms_of,
)
from samsim.schemas.analysis import Cue, Language
from tests.support.builders import analysis, candidate, conflict, nfd, risk


@pytest.mark.parametrize(
    ("text", "language", "structure"),
    [
        ("배터리가 좋지 않아요.", "ko", ("negation",)),
        ("화면은 예쁘지만 무거워요.", "ko", ("contrast",)),
        ("디자인은 좋지만 배터리는 좋지 않아요.", "ko", ("negation", "contrast")),
        ("화면이 예뻐요.", "ko", ("none",)),
        ("The soup was not good.", "en", ("negation",)),
        ("The soup was good but the service was slow.", "en", ("contrast",)),
        ("Great soup.", "en", ("none",)),
    ],
)
def test_structure_comes_from_the_cue_analysis(text: str, language: Language, structure: tuple[str, ...]) -> None:
    signature = build_signature(analyze_text(text, language), 2)
    assert signature.detected_structure == structure
    assert signature.has_negation is ("negation" in structure)
    assert (signature.language, signature.num_aspects, signature.length_bucket) == (language, 2, "short")


def test_irony_is_a_structure() -> None:
    text = "참 잘도 만들었네"
    found = build_signature(analysis(text, cues=[Cue("irony", "참 잘도", 0, 4, ((0, len(text)),))]), 1)
    assert found.detected_structure == ("irony",)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_length_buckets_by_characters(language: Language) -> None:
    short, medium = LENGTH_LIMITS[language]
    for length, bucket in [
        (0, "short"),
        (short, "short"),
        (short + 1, "medium"),
        (medium, "medium"),
        (medium + 1, "long"),
    ]:
        assert length_bucket("가" * length, language) == bucket
        assert length_bucket(f"  {nfd('가') * length}\n", language) == bucket


def test_aspects_are_counted_once_each() -> None:
    tuples = [
        candidate("t0", "품질", "제품 전체#품질"),
        candidate("t1", " 품질 ", "제품 전체#품질", polarity="negative"),
        candidate("t2", "", "제품 전체#품질"),
        candidate("t3", "가격", "제품 전체#가격"),
    ]
    assert count_aspects(tuples) == 3
    assert count_aspects([]) == 0


@pytest.mark.parametrize(
    ("text", "language", "symptoms"),
    [
        ("배터리가 좋지 않아요.", "ko", "NEGATION_SCOPE ref_polarity_mismatch negation:않다"),
        ("화면은 예쁘지만 무거워요.", "ko", "NEGATION_SCOPE ref_polarity_mismatch contrast:지만"),
        ("화면이 안 예뻐요. 근데 가벼워요.", "ko", "NEGATION_SCOPE ref_polarity_mismatch contrast:그런데 negation:안"),
        ("The soup wasn't good.", "en", "NEGATION_SCOPE ref_polarity_mismatch negation:not"),
        (
            "Although cheap, it never broke.",
            "en",
            "NEGATION_SCOPE ref_polarity_mismatch contrast:although negation:never",
        ),
    ],
)
def test_symptoms_are_codes_and_normal_forms_of_cues(text: str, language: Language, symptoms: str) -> None:
    found = symptoms_of(
        [risk("t0", "NEGATION_SCOPE"), risk("t1", "NEGATION_SCOPE")],
        [conflict("t0", "t1")],
        analyze_text(text, language),
    )
    assert found == symptoms


def test_an_unlisted_cue_word_is_remembered_by_its_kind_only() -> None:
    text = "zxq qqq"
    assert symptoms_of([], [], analysis(text, language="en", cues=[Cue("negation", "zxq", 0, 3, ((4, 7),))])) == (
        f"{NO_SYMPTOM} negation"
    )


def test_symptoms_do_not_depend_on_the_order_of_findings() -> None:
    risks = [risk("t0", "SPAN_MISMATCH"), risk("t1", "INVALID_REF")]
    flags = [conflict("t0", "t1"), conflict("t0", "t2", kind="granularity_overlap_candidate")]
    plain = analysis("화면")
    assert symptoms_of(risks, flags, plain) == symptoms_of(risks[::-1], flags[::-1], plain)
    assert (
        symptoms_of(risks, flags, plain)
        == "INVALID_REF SPAN_MISMATCH granularity_overlap_candidate ref_polarity_mismatch"
    )
