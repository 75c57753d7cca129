"""Validator risks: each type fires where it should and nowhere else (spec: Validator risks).

The analyses are written by hand: what a text contains is the language layer's business, not the validator's.
"""

from __future__ import annotations

from typing import Any

import pytest

from samsim.rules.validator import compute_validator_risks
from samsim.schemas.analysis import PolarityWord, TextAnalysis
from samsim.schemas.protocol_conflict_review import Candidate, Span, ValidatorRisk
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import analysis, candidate, cue, nfd, span_of, token, word

TEXT = "사용감은 좋지만 가격은 비싸요."
PLAIN = analysis(TEXT)


def risks(given: TextAnalysis, *candidates: Candidate, taxonomy: str = "nikl2022", **more: Any) -> list[ValidatorRisk]:
    return compute_validator_risks(candidates, given, load_taxonomy(taxonomy), **more)


def types(given: TextAnalysis, *candidates: Candidate, **more: Any) -> list[str]:
    return [risk.risk_type for risk in risks(given, *candidates, **more)]


def test_a_sound_tuple_has_no_risk() -> None:
    sound = candidate(ref="본품#품질", opinion_term="좋다", evidence="좋지만", span=span_of(TEXT, "사용감"))
    assert risks(PLAIN, sound) == []


def test_no_candidates_no_risks() -> None:
    assert risks(PLAIN) == []
    assert risks(analysis("")) == []


# --- INVALID_REF -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", ["사용감", "브랜드#편의성", "패키지·구성품#인지도", "제품 전체", "제품 전체품질"])
def test_invalid_ref_fires_outside_the_taxonomy(ref: str) -> None:
    assert types(PLAIN, candidate(ref=ref)) == ["INVALID_REF"]


@pytest.mark.parametrize("ref", ["", "본품#품질", "패키지/구성품#품질", " 본품 # 품질 "])
def test_invalid_ref_does_not_fire_for_a_valid_or_an_empty_ref(ref: str) -> None:
    assert types(PLAIN, candidate(ref=ref)) == []


def test_invalid_ref_does_not_fire_where_refs_are_free() -> None:
    assert types(PLAIN, candidate(ref="사용감"), taxonomy="none") == []


@pytest.mark.parametrize(
    ("ref", "found"), [("배송", []), (" 배송 ", []), ("배송#일반", ["INVALID_REF"]), ("맛", ["INVALID_REF"])]
)
def test_invalid_ref_fires_outside_the_categories_of_a_flat_taxonomy(ref: str, found: list[str]) -> None:
    assert types(PLAIN, candidate(ref=ref), taxonomy="shop") == found


# --- TERM_NOT_IN_TEXT and EVIDENCE_NOT_IN_TEXT -----------------------------------------------------------


def test_a_hallucinated_term_is_a_grave_risk() -> None:
    (only,) = risks(PLAIN, candidate(term="배터리"))
    assert (only.tuple_id, only.risk_type, only.severity) == ("t0", "TERM_NOT_IN_TEXT", "high")


@pytest.mark.parametrize("term", ["", "사용감", nfd("사용감")])
def test_a_term_of_the_text_and_an_implicit_one_are_no_risk(term: str) -> None:
    assert types(PLAIN, candidate(term=term)) == []


def test_evidence_that_is_not_in_the_text_is_a_risk() -> None:
    assert types(PLAIN, candidate(evidence="정말 좋아요")) == ["EVIDENCE_NOT_IN_TEXT"]


@pytest.mark.parametrize("evidence", ["", "좋지만", nfd("좋지만"), TEXT])
def test_evidence_of_the_text_and_no_evidence_are_no_risk(evidence: str) -> None:
    assert types(PLAIN, candidate(evidence=evidence)) == []


def test_a_decomposed_text_is_read_like_a_composed_one() -> None:
    assert types(analysis(nfd(TEXT)), candidate(evidence="좋지만")) == []


@pytest.mark.parametrize(
    ("term", "evidence"),
    [("sushi", "serves really good sushi"), ("SUSHI", "REALLY GOOD"), ("ｓｕｓｈｉ", "don't miss")],
)
def test_capitals_width_and_quotation_marks_are_no_risk(term: str, evidence: str) -> None:
    text = "Serves really good Sushi, don’t miss it!"
    assert types(analysis(text, language="en"), candidate(term=term, evidence=evidence)) == []


# --- SPAN_MISMATCH ---------------------------------------------------------------------------------------

TWICE = analysis("가격이 착해요. 가격 말고는 별로예요.")


def test_a_wrong_span_of_a_term_that_occurs_twice_is_a_risk() -> None:
    given = candidate(term="가격", span=Span(start=0, end=2))
    assert types(TWICE, given, claimed_spans={"t0": Span(start=4, end=6)}) == ["SPAN_MISMATCH"]


@pytest.mark.parametrize(
    "claimed",
    [
        pytest.param({"t0": Span(start=9, end=11)}, id="the_other_occurrence"),
        pytest.param({}, id="no_span_claimed"),
        pytest.param({"t1": Span(start=4, end=6)}, id="another_tuples_span"),
    ],
)
def test_a_right_span_or_none_is_no_risk(claimed: dict[str, Span]) -> None:
    assert types(TWICE, candidate(term="가격", span=Span(start=0, end=2)), claimed_spans=claimed) == []


def test_a_wrong_span_of_a_term_that_occurs_once_was_anchored_without_doubt() -> None:
    given = candidate(span=span_of(TEXT, "사용감"))
    assert types(PLAIN, given, claimed_spans={"t0": Span(start=5, end=8)}) == []


def test_a_span_of_an_implicit_aspect_is_no_mismatch() -> None:
    assert types(TWICE, candidate(term=""), claimed_spans={"t0": Span(start=0, end=2)}) == []


# --- OPINION_AS_TARGET -----------------------------------------------------------------------------------


def test_a_term_equal_to_its_opinion_word_is_a_risk() -> None:
    assert types(PLAIN, candidate(term="비싸요", opinion_term=" 비싸요 ")) == ["OPINION_AS_TARGET"]


@pytest.mark.parametrize("tag", ["VA", "VA-I", "XSA"])
def test_a_describing_word_with_a_polarity_as_term_is_a_risk(tag: str) -> None:
    given = analysis(TEXT, tokens=[token(TEXT, "비싸", tag)], words=[word(TEXT, "비싸", -0.8)])
    assert types(given, candidate(term="비싸요", span=span_of(TEXT, "비싸요"))) == ["OPINION_AS_TARGET"]


def test_an_english_adjective_as_term_is_a_risk_and_an_adjective_with_a_noun_is_not() -> None:
    text = "Great screen, awful."
    tags = [token(text, "Great", "JJ"), token(text, "screen", "NN"), token(text, "awful", "JJ")]
    words = [word(text, "Great", 0.9), word(text, "awful", -0.9)]
    given = analysis(text, language="en", tokens=tags, words=words)
    assert types(given, candidate(term="awful", span=span_of(text, "awful"))) == ["OPINION_AS_TARGET"]
    assert types(given, candidate(term="Great screen", span=span_of(text, "Great screen"))) == []


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        pytest.param("NNG", [word(TEXT, "가격", -0.2)], id="a_noun_with_a_polarity"),
        pytest.param("VA", [], id="a_describing_word_without_polarity"),
    ],
)
def test_other_terms_are_targets(tag: str, words: list[PolarityWord]) -> None:
    given = analysis(TEXT, tokens=[token(TEXT, "가격", tag)], words=words)
    assert types(given, candidate(term="가격", span=span_of(TEXT, "가격"))) == []


def test_an_implicit_aspect_without_opinion_word_is_no_opinion_as_target() -> None:
    assert types(PLAIN, candidate(term="", opinion_term="")) == []


# --- NEGATION_SCOPE --------------------------------------------------------------------------------------

DENIED = "향이 좋지 않아요."
DENIED_ANALYSIS = analysis(DENIED, words=[word(DENIED, "좋", 0.8, negated=True)])


@pytest.mark.parametrize("evidence", ["좋지 않아요", "좋지"])
def test_a_polarity_that_ignores_a_negation_is_a_grave_risk(evidence: str) -> None:
    (only,) = risks(DENIED_ANALYSIS, candidate(term="향", evidence=evidence))
    assert (only.risk_type, only.severity) == ("NEGATION_SCOPE", "high")


def test_the_opinion_term_stands_in_for_missing_evidence() -> None:
    assert types(DENIED_ANALYSIS, candidate(term="향", opinion_term="좋지")) == ["NEGATION_SCOPE"]


def test_negated_criticism_read_as_criticism_is_a_risk() -> None:
    text = "맛이 나쁘지 않아요."
    given = analysis(text, words=[word(text, "나쁘", -0.8, negated=True)])
    assert types(given, candidate(term="맛", polarity="negative", evidence="나쁘지 않아요")) == ["NEGATION_SCOPE"]
    assert types(given, candidate(term="맛", polarity="positive", evidence="나쁘지 않아요")) == []


@pytest.mark.parametrize("polarity", ["negative", "neutral", "mixed"])
def test_a_polarity_that_does_not_ignore_the_negation_is_no_risk(polarity: str) -> None:
    assert types(DENIED_ANALYSIS, candidate(term="향", polarity=polarity, evidence="좋지 않아요")) == []


def test_a_word_that_is_not_negated_is_no_risk() -> None:
    given = analysis(TEXT, words=[word(TEXT, "좋", 0.8), word(TEXT, "비싸", -0.8)])
    assert types(given, candidate(evidence="좋지만")) == []
    assert types(given, candidate(evidence="비싸요")) == []


def test_a_negation_outside_the_evidence_is_no_risk() -> None:
    text = "색은 예쁜데 향이 좋지 않아요."
    given = analysis(text, words=[word(text, "예쁜", 0.8), word(text, "좋", 0.8, negated=True)])
    assert types(given, candidate(term="색", evidence="예쁜데")) == []


def test_another_word_of_the_evidence_that_supports_the_polarity_lifts_the_doubt() -> None:
    text = "좋지는 않아도 예뻐요."
    given = analysis(text, words=[word(text, "좋", 0.8, negated=True), word(text, "예뻐", 0.8)])
    assert types(given, candidate(term="", evidence="좋지는 않아도 예뻐요")) == []


# --- CONTRAST_SCOPE --------------------------------------------------------------------------------------

LEFT, RIGHT = "사용감은 좋", "가격은 비싸요"
CONTRAST = cue(TEXT, "contrast", "지만", LEFT, RIGHT)
WORDS = (word(TEXT, "좋", 0.8), word(TEXT, "비싸", -0.8))
CONTRASTED = analysis(TEXT, cues=[CONTRAST], words=WORDS)
ON_LEFT = candidate("t0", "사용감", evidence="좋지만")
ON_RIGHT = candidate("t1", "가격", polarity="negative", evidence="비싸요")


def test_a_contrast_with_one_silent_side_doubts_the_other_sides_tuples() -> None:
    also_left = candidate("t2", "사용감", evidence="좋지만", origin_agent="B")
    assert [(each.tuple_id, each.risk_type) for each in risks(CONTRASTED, ON_LEFT, also_left)] == [
        ("t0", "CONTRAST_SCOPE"),
        ("t2", "CONTRAST_SCOPE"),
    ]
    assert [each.tuple_id for each in risks(CONTRASTED, ON_RIGHT)] == ["t1"]


def test_a_contrast_with_both_sides_represented_is_no_risk() -> None:
    assert risks(CONTRASTED, ON_LEFT, ON_RIGHT) == []


def test_the_doubt_is_graver_where_the_silent_side_evaluates_something() -> None:
    silent = analysis(TEXT, cues=[CONTRAST], words=WORDS[:1])
    assert [each.severity for each in risks(CONTRASTED, ON_LEFT)] == ["mid"]
    assert [each.severity for each in risks(silent, ON_LEFT)] == ["low"]


def test_two_contrasts_give_one_risk_with_the_graver_severity() -> None:
    text = "값은 싼데 색은 그냥 그렇지만 향은 나빠요."
    first = cue(text, "contrast", "싼데", "값은", "색은 그냥 그렇")
    second = cue(text, "contrast", "지만", "값은 싼데 색은 그냥 그렇", "향은 나빠요")
    for cues in ([first, second], [second, first]):
        given = analysis(text, cues=cues, words=[word(text, "나빠", -0.9)])
        found = risks(given, candidate(term="값", span=span_of(text, "값")))
        assert [(each.risk_type, each.severity) for each in found] == [("CONTRAST_SCOPE", "mid")]


@pytest.mark.parametrize(("left", "right"), [("", RIGHT), (LEFT, "")])
def test_a_contrast_marker_with_one_clause_only_is_no_risk(left: str, right: str) -> None:
    given = analysis(TEXT, cues=[cue(TEXT, "contrast", "지만", left, right)], words=WORDS)
    assert risks(given, ON_LEFT) == []
    assert risks(given, ON_RIGHT) == []


def test_negation_and_irony_cues_are_no_contrast() -> None:
    given = analysis(TEXT, cues=[cue(TEXT, "negation", "지만", LEFT), cue(TEXT, "irony", "지만", TEXT)], words=WORDS)
    assert risks(given, ON_LEFT) == []


def test_a_tuple_outside_the_contrast_is_unaffected() -> None:
    text = "향이 진해요. 사용감은 좋지만 가격은 비싸요."
    given = analysis(text, cues=[cue(text, "contrast", "지만", LEFT, RIGHT)])
    outside = candidate("t7", "향", evidence="진해요")
    assert [each.tuple_id for each in risks(given, ON_LEFT, outside)] == ["t0"]


def test_a_tuple_that_stands_nowhere_represents_no_side() -> None:
    nowhere = candidate("t3", "", evidence="")
    assert [each.tuple_id for each in risks(CONTRASTED, ON_LEFT, nowhere)] == ["t0"]


# --- all of them -----------------------------------------------------------------------------------------


def everything_wrong() -> tuple[TextAnalysis, list[Candidate]]:
    """A text on which every risk type fires at least once."""
    text = "정말 기대했던 화장품의 향은 좋지 않은데 향은 오래오래 지속되고 있어요."
    given = analysis(
        text,
        tokens=[token(text, "좋", "VA")],
        cues=[cue(text, "contrast", "은데", "향은 좋지 않", "향은 오래오래 지속되고 있어요")],
        words=[word(text, "좋", 0.8, negated=True)],
    )
    return given, [
        candidate("t0", "향", "향기", evidence="좋지 않은데", span=span_of(text, "향")),
        candidate("t1", "배터리", "본품#품질", evidence="정말 기대했던 화장품의 성능"),
        candidate("t2", "좋", "본품#품질", "negative", evidence="좋지 않은데", span=span_of(text, "좋")),
    ]


def test_every_type_can_fire_and_the_order_is_that_of_candidates_and_types() -> None:
    given, candidates = everything_wrong()
    found = risks(given, *candidates, claimed_spans={"t0": Span(start=1, end=2)})
    assert [(each.tuple_id, each.risk_type) for each in found] == [
        ("t0", "INVALID_REF"),
        ("t0", "SPAN_MISMATCH"),
        ("t0", "NEGATION_SCOPE"),
        ("t0", "CONTRAST_SCOPE"),
        ("t1", "TERM_NOT_IN_TEXT"),
        ("t1", "EVIDENCE_NOT_IN_TEXT"),
        ("t2", "OPINION_AS_TARGET"),
        ("t2", "CONTRAST_SCOPE"),
    ]


def test_descriptions_never_quote_the_text_or_the_tuple() -> None:
    given, candidates = everything_wrong()
    sources = [
        given.text,
        *(text for each in candidates for text in (each.evidence, each.aspect_term, each.aspect_ref)),
    ]
    quotable = {source[at : at + 12] for source in sources for at in range(max(len(source) - 11, 0))}
    terms = {each.aspect_term for each in candidates}
    for each in risks(given, *candidates, claimed_spans={"t0": Span(start=1, end=2)}):
        assert each.description
        assert not any(piece in each.description for piece in quotable | terms)


def test_descriptions_are_the_same_whatever_the_text_says() -> None:
    # The description of a type is a constant, so nothing of a text can be in it.
    given, candidates = everything_wrong()
    here = {each.risk_type: each.description for each in risks(given, *candidates)}
    there = {each.risk_type: each.description for each in risks(CONTRASTED, ON_LEFT, candidate("t9", "없음", "없음"))}
    assert there.items() <= here.items()


def test_a_risky_tuple_does_not_make_its_neighbours_risky() -> None:
    sound = candidate("t1", "가격", "본품#가격", "negative", evidence="비싸요", span=span_of(TEXT, "가격"))
    assert {each.tuple_id for each in risks(PLAIN, candidate("t0", "배터리", "배터리"), sound)} == {"t0"}
