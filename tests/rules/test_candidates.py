"""Triplets become candidates (spec: Stage 1 on spans, and Candidates)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samsim.rules.candidates import build_candidates, claimed_spans, normalise_term
from samsim.schemas.protocol_conflict_review import Agent, ASTETripletItem, Candidate, Span
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import nfc, nfd, span_of, triplet
from tests.support.strategies import steady

Form = Callable[[str], str]

TEXT = "사용감은 좋지만 가격은 비싸요. 그래도 사용감 하나는 최고예요."
SECOND = TEXT.rindex("사용감")


def build(stage1: dict[Agent, list[ASTETripletItem]], text: str = TEXT, taxonomy: str = "nikl2022") -> list[Candidate]:
    return build_candidates(stage1, text, load_taxonomy(taxonomy))


def anchored(text: str = TEXT, **fields: Any) -> Span | None:
    (only,) = build({"A": [triplet(fields.pop("term", "사용감"), **fields)]}, text)
    return only.span


# --- ids and order ---------------------------------------------------------------------------------------


def test_ids_count_up_in_the_order_a_b_c_whatever_order_the_answers_came_in() -> None:
    stage1: dict[Agent, list[ASTETripletItem]] = {
        "C": [triplet("가격", "negative")],
        "A": [triplet("사용감"), triplet("가격", "negative")],
        "B": [triplet("")],
    }
    found = [(each.tuple_id, each.origin_agent, each.aspect_term) for each in build(stage1)]
    assert found == [("t0", "A", "사용감"), ("t1", "A", "가격"), ("t2", "B", ""), ("t3", "C", "가격")]


def test_nothing_is_deduplicated() -> None:
    same = triplet("사용감", evidence="좋지만")
    candidates = build({"A": [same, same], "B": [same], "C": [same]})
    assert [each.tuple_id for each in candidates] == ["t0", "t1", "t2", "t3"]
    assert {each.aspect_term for each in candidates} == {"사용감"}


def test_an_agent_without_an_answer_is_simply_absent() -> None:
    assert [each.tuple_id for each in build({"B": [triplet("가격")]})] == ["t0"]
    assert build({}) == []


def test_fields_are_trimmed_and_the_ref_is_normalised() -> None:
    given_ref = " 패키지/구성품 # 디자인 "
    item = triplet(" 사용감 ", aspect_ref=given_ref, opinion_term=" 좋다\n", evidence=" 좋지만 ", confidence=0.3)
    (only,) = build({"A": [item]})
    assert only.aspect_ref == "패키지·구성품#디자인"
    assert (only.aspect_term, only.opinion_term, only.evidence) == ("사용감", "좋다", "좋지만")
    assert only.confidence == 0.3


def test_claimed_spans_carry_the_same_ids_as_the_candidates() -> None:
    stage1: dict[Agent, list[ASTETripletItem]] = {
        "B": [triplet("가격", span={"start": 9, "end": 11})],
        "A": [triplet("사용감")],
    }
    assert claimed_spans(stage1) == {"t1": Span(start=9, end=11)}


# --- spans -----------------------------------------------------------------------------------------------


def test_a_correct_span_is_kept() -> None:
    assert anchored(span={"start": SECOND, "end": SECOND + 3}) == Span(start=SECOND, end=SECOND + 3)


@pytest.mark.parametrize(
    ("claimed", "start"),
    [
        ({"start": 1, "end": 4}, 0),
        ({"start": 0, "end": 2}, 0),
        ({"start": SECOND - 2, "end": SECOND + 1}, SECOND),
        ({"start": SECOND, "end": SECOND + 9}, SECOND),
        ({"start": 9000, "end": 9003}, SECOND),
        ({"start": 5, "end": 2}, 0),
    ],
)
def test_a_wrong_span_moves_to_the_nearest_occurrence(claimed: dict[str, int], start: int) -> None:
    assert anchored(span=claimed) == Span(start=start, end=start + 3)


def test_without_a_span_the_occurrence_nearest_to_the_evidence_is_taken() -> None:
    assert anchored(evidence="최고예요") == Span(start=SECOND, end=SECOND + 3)
    assert anchored(evidence="좋지만") == Span(start=0, end=3)
    assert anchored(evidence="없는 말") == Span(start=0, end=3)


def test_an_implicit_aspect_has_no_span() -> None:
    assert anchored(term="", span={"start": 0, "end": 3}, evidence="비싸요") is None
    assert anchored(term="", span={"start": 0, "end": 0}) is None


def test_a_hallucinated_term_stays_as_it_is_without_a_span() -> None:
    (only,) = build({"A": [triplet("배터리", span={"start": 0, "end": 3})]})
    assert (only.aspect_term, only.span) == ("배터리", None)


@pytest.mark.parametrize(("text_form", "term_form"), [(nfd, nfc), (nfc, nfd), (nfd, nfd)])
def test_spans_count_the_characters_of_the_text_as_given(text_form: Form, term_form: Form) -> None:
    text = text_form(TEXT)
    span = anchored(text, term=term_form("가격"), span={"start": 0, "end": 2})
    assert span == span_of(text, text_form("가격"))


def test_emoji_before_the_term_count_as_their_code_points() -> None:
    text = "👨‍👩‍👧 사용감 👍🏽"
    assert anchored(text, span={"start": 2, "end": 5}) == span_of(text, "사용감")


@steady
@given(
    st.text(alphabet="사용감 은.", max_size=30),
    st.sampled_from(["사용감", "감", "사용", "", "배터리", "용 감"]),
    st.one_of(st.none(), st.tuples(st.integers(0, 40), st.integers(0, 40))),
    st.sampled_from(["", "은", "좋다"]),
)
def test_a_span_carries_its_term_or_is_null(text: str, term: str, claim: tuple[int, int] | None, evidence: str) -> None:
    span = {"start": claim[0], "end": claim[1]} if claim else None
    found = anchored(text, term=term, span=span, evidence=evidence)
    if found is None:
        assert not term or term not in text
    else:
        assert text[found.start : found.end] == term


# --- terms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["Screen Size", " screen  size ", "SCREEN\tSIZE"])
def test_terms_are_compared_without_case_and_spacing(spelling: str) -> None:
    assert normalise_term(spelling) == "screen size"


def test_terms_are_compared_without_regard_to_normal_form() -> None:
    assert normalise_term(nfd("사용감")) == normalise_term(nfc("사용감"))
