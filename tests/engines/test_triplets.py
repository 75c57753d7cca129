"""From extractions to triplets: terms, evidence in whole words with its negation, equal ones once."""

from __future__ import annotations

import pytest

from samsim.engines.embedded.english.perspectives import extract_implicit, extract_literal, extract_negation
from samsim.engines.embedded.korean.perspectives import extract_literal as extract_literal_korean
from samsim.engines.embedded.triplets import as_triplets
from samsim.language.analyze import analyze_text
from samsim.schemas.taxonomy import load_taxonomy

FREE, NIKL = load_taxonomy("none"), load_taxonomy("nikl2022")


def evidence_of(text: str) -> dict[str, str]:
    analysis = analyze_text(text)
    found = (extract_literal_korean if analysis.language == "ko" else extract_negation)(analysis)
    return {item.aspect_term: item.evidence for item in as_triplets(found, analysis, FREE)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("사용감은 좋지만 가격은 비싸요.", {"사용감": "좋지만", "가격": "비싸요"}),  # as in seed 001
        ("향이 좋지 않아요.", {"향": "좋지 않아요"}),
        ("The soup was cold.", {"soup": "cold"}),
        ("The waiter was not attentive.", {"waiter": "not attentive"}),
        ("I don't think the strap is comfortable.", {"strap": "don't think the strap is comfortable"}),
    ],
)
def test_evidence_is_the_opinion_in_whole_words_with_its_negation(text: str, expected: dict[str, str]) -> None:
    assert evidence_of(text) == expected


def test_every_triplet_has_evidence_from_the_text() -> None:
    text = "The food was great but the service was never friendly, and the bill was far too high."
    analysis = analyze_text(text)
    items = as_triplets(extract_literal(analysis) + extract_negation(analysis), analysis, FREE)
    assert items
    assert all(item.evidence and item.evidence in text for item in items)


def test_a_negation_far_away_does_not_swallow_the_sentence() -> None:
    text = "I do not think that anybody in this whole wide and busy city would call the strap comfortable."
    assert len(evidence_of(text).get("strap", "")) <= 40


def test_equal_triplets_are_reported_once() -> None:
    analysis = analyze_text("가격이 비싸요. 가격이 비싸요.")
    assert len(as_triplets(extract_literal_korean(analysis), analysis, NIKL)) == 1


@pytest.mark.parametrize("text", ["Is it any good?", "Hopefully it is comfortable.", "I hoped it would be great."])
def test_an_unsure_inference_is_neutral_with_low_confidence(text: str) -> None:
    """Seed 001 A.2 rule 3."""
    readings = [(item.polarity, item.confidence < 0.5) for item in extract_implicit(analyze_text(text))]
    assert readings in ([], [("neutral", True)])


def test_a_rhetorical_question_is_praise() -> None:
    (found,) = extract_implicit(analyze_text("Isn't it great?"))
    assert found.polarity == "positive"
