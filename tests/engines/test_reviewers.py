"""The embedded reviewers: each by its own lens (seed 000 §3.3), and what follows from their votes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from samsim.engines.embedded.reviewers import review
from samsim.engines.interface import ReviewInputs
from samsim.language.analyze import analyze_text
from samsim.pipeline.api import Pipeline
from samsim.rules.conflicts import compute_conflict_flags
from samsim.rules.validator import compute_validator_risks
from samsim.schemas.protocol_conflict_review import AGENTS, Agent, Candidate
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import candidate

NIKL, FREE = load_taxonomy("nikl2022"), load_taxonomy("none")


def votes(text: str, candidates: Sequence[Candidate], taxonomy: str = "nikl2022") -> dict[str, dict[Agent, str]]:
    """Every reviewer's vote as "ACTION REASON" per tuple, on the real analysis, flags and risks."""
    known = NIKL if taxonomy == "nikl2022" else FREE
    analysis = analyze_text(text)
    inputs = ReviewInputs(
        analysis,
        known,
        candidates,
        compute_conflict_flags(candidates, taxonomy=known),
        compute_validator_risks(candidates, analysis, known),
        memory_context="",
    )
    cast: dict[str, dict[Agent, str]] = {}
    for agent in AGENTS:
        for item in review(agent, inputs):
            cast.setdefault(item.target_tuple_ids[0], {})[agent] = f"{item.action_type} {item.reason_code}"
    return cast


def test_a_flips_a_polarity_that_overlooks_a_negation() -> None:
    overlooked = candidate("t0", "향", "본품#품질", "positive", evidence="좋지 않아요")
    assert votes("향이 좋지 않아요", [overlooked])["t0"] == {
        "A": "FLIP NEGATION_SCOPE",
        "B": "FLIP STRUCTURAL_INCONSISTENT",
        "C": "DROP WEAK_EVIDENCE",
    }


def test_a_flags_a_contrast_of_which_one_side_is_missing() -> None:
    one_side = candidate("t0", "screen", "screen", "positive", evidence="great")
    cast = votes("The screen is great but the battery is terrible.", [one_side], "none")
    assert cast["t0"]["A"] == "FLAG CONTRAST_CLAUSE"
    assert cast["t0"]["C"] == "KEEP KEEP_BEST_SUPPORTED"


def test_a_never_drops() -> None:
    invented = candidate("t0", "색상", "본품#디자인", "positive", evidence="예뻐요")
    assert votes("향이 좋아요", [invented])["t0"]["A"].startswith("KEEP")


def test_a_never_drops_an_implicit_tuple() -> None:
    implicit = candidate("t0", "", "본품#냄새", "negative", evidence="받았어요")
    assert not votes("어제 받았어요", [implicit])["t0"]["A"].startswith("DROP")


def test_b_keeps_a_justified_inference() -> None:
    justified = candidate("t0", "", "제품 전체#가격", "negative", evidence="비싸요")
    other = candidate("t1", "배송비", "제품 전체#가격", "positive", evidence="저렴해요")
    assert votes("비싸요. 배송비는 저렴해요.", [justified, other])["t0"]["B"] == "KEEP IMPLICIT_ASPECT"


def test_c_does_not_overrule_an_implicit_tuple_whose_evidence_has_an_opinion_word() -> None:
    implicit = candidate("t0", "", "제품 전체#가격", "negative", evidence="비싸요")
    other = candidate("t1", "배송비", "제품 전체#가격", "positive", evidence="저렴해요")
    assert votes("비싸요. 배송비는 저렴해요.", [implicit, other])["t0"]["C"] == "KEEP KEEP_BEST_SUPPORTED"


def test_both_polarities_on_one_ref_are_kept_where_the_text_says_both() -> None:
    good = candidate("t0", "음질", "본품#품질", "positive", evidence="나쁘지 않은데")
    bad = candidate("t1", "배터리", "본품#품질", "negative", evidence="오래가지 않네요")
    cast = votes("음질은 나쁘지 않은데 배터리가 오래가지 않네요.", [good, bad])
    assert {vote.split()[0] for by_agent in cast.values() for vote in by_agent.values()} == {"KEEP"}


def test_b_drops_an_invented_term_and_flags_a_ref_outside_the_taxonomy() -> None:
    invented = candidate("t0", "색상", "본품#디자인", "positive", evidence="좋아요")
    outside = candidate("t1", "향", "본품#냄새", "positive", evidence="좋아요")
    cast = votes("향이 좋아요", [invented, outside])
    assert cast["t0"]["B"] == "DROP WEAK_INFERENCE"
    assert cast["t1"]["B"] == "FLAG ASPECT_REF_MISMATCH"


def test_c_drops_evidence_that_is_not_there_and_an_opinion_taken_for_a_target() -> None:
    no_evidence = candidate("t0", "향", "본품#품질", "positive", evidence="향긋해요")
    opinion = candidate("t1", "좋아요", "본품#품질", "positive", opinion_term="좋아요", evidence="좋아요")
    cast = votes("향이 좋아요", [no_evidence, opinion])
    assert cast["t0"]["C"] == "DROP WEAK_EVIDENCE"
    assert cast["t1"]["C"] == "DROP WEAK_EVIDENCE"


def test_c_flags_an_implicit_tuple_without_an_explicit_word() -> None:
    implicit = candidate("t0", "", "본품#냄새", "positive", evidence="받았어요")
    assert votes("어제 받았어요", [implicit])["t0"]["C"] == "FLAG EXPLICIT_NOT_REQUIRED"


def test_b_flags_a_weak_inference() -> None:
    weak = candidate("t0", "", "제품 전체#일반", "positive", evidence="받았어요", confidence=0.3)
    other = candidate("t1", "", "제품 전체#일반", "negative", evidence="받았어요", confidence=0.3)
    assert votes("어제 받았어요", [weak, other])["t0"]["B"] == "FLAG WEAK_INFERENCE"


def test_an_upper_ref_that_rests_on_the_same_words_is_redundant() -> None:
    upper = candidate("t0", "원단", "제품 전체#품질", "positive", evidence="탄탄해요", span={"start": 0, "end": 2})
    lower = candidate("t1", "원단", "본품#품질", "positive", evidence="탄탄해요", span={"start": 0, "end": 2})
    cast = votes("원단이 탄탄해요", [upper, lower])
    assert cast["t0"] == {
        "A": "KEEP KEEP_BEST_SUPPORTED",
        "B": "MERGE ASPECT_REF_MISMATCH",
        "C": "DROP REDUNDANT_UPPER_REF",
    }
    assert cast["t1"]["C"] == "KEEP KEEP_BEST_SUPPORTED"


@pytest.mark.parametrize(
    ("term", "vote"), [("", "KEEP IMPLICIT_ASPECT"), ("원단", "MERGE ASPECT_REF_MISMATCH")], ids=["implicit", "named"]
)
def test_b_leaves_it_to_c_to_drop_a_redundant_upper_ref(term: str, vote: str) -> None:
    """Its prompt, rule 5: a redundant upper ref is for reviewer C to drop. A MERGE counts as KEEP (seed 002 §5)."""
    upper = candidate("t0", term, "제품 전체#품질", "positive", evidence="탄탄해요")
    lower = candidate("t1", "원단", "본품#품질", "positive", evidence="탄탄해요", span={"start": 0, "end": 2})
    cast = votes("원단이 탄탄해요", [upper, lower])["t0"]
    assert (cast["B"], cast["C"]) == (vote, "DROP REDUNDANT_UPPER_REF")


def test_an_upper_ref_with_words_of_its_own_is_kept() -> None:
    upper = candidate("t0", "품질", "제품 전체#품질", "positive", evidence="훌륭하고", span={"start": 0, "end": 2})
    lower = candidate("t1", "원단", "본품#품질", "positive", evidence="탄탄해요", span={"start": 9, "end": 11})
    assert votes("품질이 훌륭하고 원단이 탄탄해요", [upper, lower])["t0"]["C"] == "KEEP KEEP_BEST_SUPPORTED"


def test_a_neutral_tuple_is_flagged_where_its_words_say_more_but_never_overruled() -> None:
    unsure = candidate("t0", "향", "본품#품질", "neutral", evidence="좋아요", span={"start": 0, "end": 1})
    sure = candidate("t1", "향", "본품#품질", "positive", evidence="좋아요", span={"start": 0, "end": 1})
    cast = votes("향이 좋아요", [unsure, sure])
    # Seed 000 §3.3: B changes a polarity on a contradiction only, C corrects grounding errors only.
    assert (cast["t0"]["B"], cast["t0"]["C"]) == ("KEEP KEEP_BEST_SUPPORTED", "FLAG POLARITY_UNCERTAIN")
    assert {vote.split()[0] for vote in cast["t1"].values()} == {"KEEP"}


def test_ironic_praise_is_not_flipped_back_to_praise() -> None:
    # Found on the shipped set: the reviewers took "five-star" at its word and undid A's reading.
    result = Pipeline().analyze("Two hours for a cold burger. Truly five-star delivery 🙄")
    assert {(item.aspect_term, item.polarity) for item in result.final_tuples} >= {("delivery", "negative")}
    assert ("delivery", "positive") not in {(item.aspect_term, item.polarity) for item in result.final_tuples}
