"""Decisions become tuples (spec: Apply and finalize)."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from samsim.metrics.systems import final_triplets
from samsim.rules.apply import apply_decisions, finalize, merged_refs
from samsim.rules.review_actions import ActionsByTuple
from samsim.schemas.protocol_conflict_review import Agent, ReviewActionItem, Span
from samsim.schemas.results import FinalTuple, ReviewedTuple
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import action, candidate, decision, nfd

T0 = candidate(
    "t0", "사용감", "본품#품질", "positive", opinion_term="좋다", evidence="좋지만", span=Span(start=0, end=3)
)
T1 = candidate("t1", "가격", "본품#가격", "negative", origin_agent="B")
T2 = candidate("t2", "사용감", "본품#품질", "negative", origin_agent="C")
NIKL = load_taxonomy("nikl2022")


def reviewed(tuple_id: str = "t0", **fields: Any) -> ReviewedTuple:
    """A surviving tuple; fields of a candidate and ``flagged``, ``flag_reason``."""
    marks = {name: fields.pop(name) for name in ("flagged", "flag_reason") if name in fields}
    return ReviewedTuple.model_validate({**candidate(tuple_id, **fields).model_dump(), **marks})


def merge_votes(**refs: str | None) -> ActionsByTuple:
    """Votes on t0: each named agent votes MERGE into the given ref, or nothing."""

    def vote(ref: str | None) -> ReviewActionItem | None:
        return action("MERGE", "t0", normalized_ref=ref) if ref is not None else None

    agents: tuple[Agent, ...] = ("A", "B", "C")
    return {"t0": {agent: vote(refs.get(agent)) for agent in agents}}


# --- apply -----------------------------------------------------------------------------------------------


def test_drop_removes() -> None:
    assert [each.tuple_id for each in apply_decisions([T0, T1, T2], [decision("t1", "DROP")])] == ["t0", "t2"]


def test_flip_sets_the_polarity_and_nothing_else() -> None:
    (flipped,) = apply_decisions([T0], [decision("t0", "FLIP", "NEGATION_SCOPE", "negative")])
    assert flipped.model_dump() == {
        **T0.model_dump(),
        "polarity": "negative",
        "flagged": False,
        "flag_reason": None,
    }


def test_keep_leaves() -> None:
    (kept,) = apply_decisions([T0], [decision("t0", "KEEP", "KEEP_BEST_SUPPORTED")])
    assert kept.model_dump() == {**T0.model_dump(), "flagged": False, "flag_reason": None}


def test_flag_leaves_and_marks() -> None:
    (flagged,) = apply_decisions([T0], [decision("t0", "FLAG", "POLARITY_UNCERTAIN")])
    assert flagged.model_dump() == {**T0.model_dump(), "flagged": True, "flag_reason": "POLARITY_UNCERTAIN"}


def test_a_tuple_without_a_decision_is_left_alone() -> None:
    assert [each.model_dump() for each in apply_decisions([T0, T1], [])] == [
        {**each.model_dump(), "flagged": False, "flag_reason": None} for each in (T0, T1)
    ]


def test_the_order_is_that_of_the_candidates_not_of_the_decisions() -> None:
    decisions = [decision("t2", "KEEP"), decision("t0", "FLAG", "X"), decision("t1", "KEEP")]
    assert [each.tuple_id for each in apply_decisions([T0, T1, T2], decisions)] == ["t0", "t1", "t2"]


def test_a_decision_on_an_unknown_tuple_makes_none() -> None:
    assert [each.tuple_id for each in apply_decisions([T0], [decision("t9", "FLIP", None, "negative")])] == ["t0"]


def test_everything_can_be_dropped() -> None:
    assert apply_decisions([T0], [decision("t0", "DROP")]) == []
    assert finalize([]) == []


def test_a_flip_cannot_write_anything_but_a_polarity() -> None:
    with pytest.raises(ValidationError):
        apply_decisions([T0], [decision("t0", "FLIP", None, "banana")])


# --- finalize: collapse ----------------------------------------------------------------------------------


def test_equal_tuples_collapse_with_the_agents_that_found_them() -> None:
    members = [
        reviewed("t0", ref="본품#품질", opinion_term="좋다", confidence=0.4, origin_agent="C", evidence="좋아요"),
        reviewed("t1", ref="본품#품질", opinion_term="최고다", confidence=0.9, origin_agent="A"),
        reviewed("t2", ref="본품#품질", opinion_term="좋다", confidence=0.5, origin_agent="A"),
    ]
    (only,) = finalize(members)
    assert only.support == ["A", "C"]
    assert only.tuple_ids == ["t0", "t1", "t2"]
    assert only.confidence == 0.9
    assert (only.opinion_term, only.opinion_terms, only.evidence) == ("좋다", ["좋다", "최고다"], "좋아요")


def test_an_implicit_opinion_stays_beside_an_explicit_one() -> None:
    members = [reviewed("t0", opinion_term="좋다"), reviewed("t1", opinion_term=""), reviewed("t2", opinion_term="")]
    (only,) = finalize(members)
    assert only.opinion_terms == ["좋다", ""]
    assert [each.opinion_term for each in final_triplets([only])] == ["좋다", ""]


def test_an_implicit_opinion_alone_is_one_opinion() -> None:
    (only,) = finalize([reviewed("t0", opinion_term="")])
    assert [each.opinion_term for each in final_triplets([only])] == [""]


@pytest.mark.parametrize(
    "other",
    [{"ref": "본품#가격"}, {"term": "향"}, {"polarity": "negative"}, {"polarity": "mixed"}, {"ref": ""}, {"term": ""}],
)
def test_a_different_ref_term_or_polarity_stays_apart(other: dict[str, str]) -> None:
    same = {"ref": "본품#품질", "term": "사용감", "polarity": "positive"}
    assert len(finalize([reviewed("t0", **same), reviewed("t1", **{**same, **other})])) == 2


@pytest.mark.parametrize("term", ["screen size", " Screen  Size", "SCREEN SIZE"])
def test_terms_are_compared_without_case_and_spacing(term: str) -> None:
    (only,) = finalize([reviewed("t0", term="Screen Size"), reviewed("t1", term=term)])
    assert only.aspect_term == "Screen Size"


def test_terms_are_compared_without_regard_to_normal_form() -> None:
    assert len(finalize([reviewed("t0", term="사용감"), reviewed("t1", term=nfd("사용감"))])) == 1


def test_a_contrast_that_gives_one_aspect_two_polarities_is_kept_as_both() -> None:
    found = finalize([reviewed("t0", polarity="positive"), reviewed("t1", polarity="negative")])
    assert [each.polarity for each in found] == ["positive", "negative"]


def test_a_flipped_tuple_collapses_with_its_new_equals() -> None:
    surviving = apply_decisions([T0, T1, T2], [decision("t0", "FLIP", "NEGATION_SCOPE", "negative")])
    assert [(each.tuple_ids, each.support, each.polarity) for each in finalize(surviving)] == [
        (["t0", "t2"], ["A", "C"], "negative"),
        (["t1"], ["B"], "negative"),
    ]


def test_one_flagged_member_flags_the_final_tuple_and_each_reason_is_named_once() -> None:
    (only,) = finalize(
        [
            reviewed("t0"),
            reviewed("t1", flagged=True, flag_reason="TIE_UNRESOLVED"),
            reviewed("t2", flagged=True, flag_reason="POLARITY_UNCERTAIN"),
            reviewed("t3", flagged=True, flag_reason="TIE_UNRESOLVED"),
        ]
    )
    assert only.flagged
    assert only.flag_reasons == ["TIE_UNRESOLVED", "POLARITY_UNCERTAIN"]


def test_nothing_flagged_is_not_flagged() -> None:
    (only,) = finalize([reviewed("t0"), reviewed("t1")])
    assert (only.flagged, only.flag_reasons) == (False, [])


def test_final_tuples_come_in_the_order_of_their_first_member() -> None:
    found = finalize([reviewed("t0", term="나"), reviewed("t1", term="가"), reviewed("t2", term="나")])
    assert [each.tuple_ids for each in found] == [["t0", "t2"], ["t1"]]


# --- finalize: MERGE -------------------------------------------------------------------------------------


def final_refs(found: list[FinalTuple]) -> list[str]:
    return [each.aspect_ref for each in found]


def test_p1_a_merge_is_a_no_op() -> None:
    members = [reviewed("t0", ref="제품 전체#품질"), reviewed("t1", ref="본품#품질")]
    assert final_refs(finalize(members)) == ["제품 전체#품질", "본품#품질"]


@pytest.mark.parametrize("voters", [("A", "B"), ("A", "C"), ("B", "C"), ("A", "B", "C")])
def test_p2_two_equal_merge_votes_move_the_tuple(voters: tuple[Agent, ...]) -> None:
    votes = merge_votes(**dict.fromkeys(voters, "본품#품질"))
    assert merged_refs(votes, NIKL) == {"t0": "본품#품질"}


@pytest.mark.parametrize(
    "votes",
    [
        pytest.param(merge_votes(A="본품#품질"), id="one_vote"),
        pytest.param(merge_votes(A="본품#품질", B="본품#가격"), id="two_different"),
        pytest.param(merge_votes(A="본품#품질", B="본품#가격", C="본품#일반"), id="three_different"),
        pytest.param(merge_votes(A=" ", B=" "), id="two_empty"),
        pytest.param(merge_votes(), id="no_vote"),
        pytest.param({"t0": {"A": action("KEEP", "t0"), "B": action("DROP", "t0"), "C": None}}, id="no_merge"),
    ],
)
def test_p2_without_two_equal_merge_votes_nothing_moves(votes: ActionsByTuple) -> None:
    assert merged_refs(votes, NIKL) == {}


def test_p2_refs_are_compared_normalised() -> None:
    votes = merge_votes(A="패키지/구성품 # 품질", C="패키지·구성품#품질")
    assert merged_refs(votes, NIKL) == {"t0": "패키지·구성품#품질"}


def test_p2_a_moved_tuple_collapses_with_its_new_equals() -> None:
    members = [reviewed("t0", ref="제품 전체#품질"), reviewed("t1", ref="본품#품질", origin_agent="B")]
    (only,) = finalize(members, {"t0": "본품#품질"})
    assert (only.aspect_ref, only.tuple_ids, only.support) == ("본품#품질", ["t0", "t1"], ["A", "B"])
    assert members[0].aspect_ref == "제품 전체#품질"
