"""Conflict flags, clause by clause (000 §4 and the candidates of 001 part B)."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from samsim.rules.arbiter import arbiter_vote
from samsim.rules.conflicts import compute_conflict_flags
from tests.rules.arbiter_table import Agent

PRIMARY = "ref_polarity_mismatch"
SECONDARY = "term_polarity_mismatch"
SEMANTIC = "semantic_conflict_candidate"
GRANULARITY = "granularity_overlap_candidate"
UPPER = "제품 전체#품질"
LOWER = "본품#품질"
PACKAGE = "패키지·구성품#품질"

Row = tuple[str, str, str]  # aspect_term, aspect_ref, polarity


def candidates(*rows: Row) -> list[dict[str, Any]]:
    """t0, t1, … in the order given; the agents take turns."""
    return [
        {
            "tuple_id": f"t{index}",
            "aspect_term": term,
            "aspect_ref": ref,
            "polarity": polarity,
            "opinion_term": "좋다",
            "evidence": "좋아요",
            "span": {"start": 0, "end": 2},
            "origin_agent": "ABC"[index % 3],
            "confidence": 0.9,
        }
        for index, (term, ref, polarity) in enumerate(rows)
    ]


def as_tuple(flag: Any) -> tuple[str, str, list[str], str]:
    return flag.aspect_ref, flag.aspect_term, list(flag.tuple_ids), flag.conflict_type


def flags(*rows: Row, **options: Any) -> list[tuple[str, str, list[str], str]]:
    return [as_tuple(flag) for flag in compute_conflict_flags(candidates(*rows), **options)]


def flagged(conflict_type: str, *rows: Row, **options: Any) -> list[list[str]]:
    """The tuple_ids of each flag of one type."""
    return [tuple_ids for _, _, tuple_ids, kind in flags(*rows, **options) if kind == conflict_type]


# --- 000 §4.2 primary ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["primary", "primary_secondary"])
def test_000_s4_2_primary_example(mode: str) -> None:
    rows = (("품질", UPPER, "positive"), ("품질", UPPER, "negative"), ("품질", UPPER, "positive"))
    assert flags(*rows, conflict_mode=mode) == [(UPPER, "품질", ["t0", "t1", "t2"], PRIMARY)]


def test_000_s4_2_primary_takes_the_first_tuples_term_and_all_tuples_of_the_ref() -> None:
    rows = (
        ("마감", UPPER, "positive"),
        ("가격", "제품 전체#가격", "negative"),
        ("", UPPER, "positive"),
        ("품질", UPPER, "negative"),
    )
    assert flags(*rows) == [(UPPER, "마감", ["t0", "t2", "t3"], PRIMARY)]


def test_000_s4_2_primary_needs_two_polarities() -> None:
    assert flags(("품질", UPPER, "positive"), ("마감", UPPER, "positive")) == []


def test_000_s4_2_primary_needs_one_ref() -> None:
    assert flags(("품질", UPPER, "positive"), ("품질", "제품 전체#가격", "negative")) == []


@pytest.mark.parametrize("other", ["positive", "negative", "mixed"])
def test_000_s4_2_neutral_against_another_counts_as_two_polarities(other: str) -> None:
    assert flags(("품질", UPPER, "neutral"), ("품질", UPPER, other)) == [(UPPER, "품질", ["t0", "t1"], PRIMARY)]


def test_000_s4_2_mixed_against_positive_counts_as_two_polarities() -> None:
    assert flagged(PRIMARY, ("품질", UPPER, "mixed"), ("품질", UPPER, "positive")) == [["t0", "t1"]]


def test_000_s4_2_three_polarities_make_one_flag() -> None:
    rows = (("품질", UPPER, "positive"), ("품질", UPPER, "neutral"), ("품질", UPPER, "negative"))
    assert flags(*rows) == [(UPPER, "품질", ["t0", "t1", "t2"], PRIMARY)]


def test_000_s4_2_two_refs_in_conflict_make_two_flags() -> None:
    price = "제품 전체#가격"
    rows = (
        ("품질", UPPER, "positive"),
        ("가격", price, "negative"),
        ("품질", UPPER, "negative"),
        ("값", price, "positive"),
    )
    found = flags(*rows)
    assert sorted(found) == [(price, "가격", ["t1", "t3"], PRIMARY), (UPPER, "품질", ["t0", "t2"], PRIMARY)]


def test_001_part_b_candidates_example_is_in_conflict_under_the_current_name() -> None:
    # As printed there: fields are missing, and the ref is no pair of the taxonomy.
    printed: list[dict[str, Any]] = [
        {
            "tuple_id": "t0",
            "aspect_term": "사용감",
            "aspect_ref": "사용감",
            "polarity": "positive",
            "evidence": "좋아요",
            "span": {"start": 0, "end": 5},
            "origin_agent": "A",
        },
        {
            "tuple_id": "t3",
            "aspect_term": "사용감",
            "aspect_ref": "사용감",
            "polarity": "negative",
            "evidence": "별로",
            "origin_agent": "B",
        },
    ]
    found = [as_tuple(flag) for flag in compute_conflict_flags(printed)]
    assert found == [("사용감", "사용감", ["t0", "t3"], PRIMARY)]


# --- 000 §4.2 secondary ----------------------------------------------------------------------------------


def test_000_s4_2_secondary_example() -> None:
    rows = (("품질", "", "positive"), ("품질", "", "negative"))
    assert flags(*rows) == [("", "품질", ["t0", "t1"], SECONDARY)]


def test_000_s4_2_secondary_is_off_in_primary_mode() -> None:
    assert flags(("품질", "", "positive"), ("품질", "", "negative"), conflict_mode="primary") == []


def test_000_s4_2_secondary_is_for_empty_refs_only() -> None:
    rows = (("품질", "", "positive"), ("품질", UPPER, "negative"))
    assert flags(*rows) == []


def test_000_s4_2_secondary_leaves_out_tuples_of_the_term_that_have_a_ref() -> None:
    rows = (("품질", "", "positive"), ("품질", LOWER, "negative"), ("품질", "", "negative"))
    assert flags(*rows) == [("", "품질", ["t0", "t2"], SECONDARY)]


def test_000_s4_2_secondary_takes_a_blank_ref_for_an_empty_one() -> None:
    assert flags(("품질", "  ", "positive"), ("품질", "", "negative")) == [("", "품질", ["t0", "t1"], SECONDARY)]


def test_000_s4_2_secondary_needs_one_term_and_two_polarities() -> None:
    assert flags(("품질", "", "positive"), ("가격", "", "negative")) == []
    assert flags(("품질", "", "positive"), ("품질", "", "positive")) == []


def test_000_s4_2_empty_refs_are_no_primary_conflict() -> None:
    assert flagged(PRIMARY, ("품질", "", "positive"), ("품질", "", "negative")) == []


# --- 000 §4.2 semantic -----------------------------------------------------------------------------------

SIMILAR: tuple[Row, Row] = (("품질A", UPPER, "positive"), ("품질B", UPPER, "negative"))


def test_000_s4_2_semantic_example() -> None:
    found = flags(*SIMILAR, semantic_conflict_enabled=True)
    assert [flag for flag in found if flag[3] == SEMANTIC] == [(UPPER, "품질A|품질B", ["t0", "t1"], SEMANTIC)]


def test_000_s4_2_semantic_comes_on_top_of_the_primary_flag() -> None:
    assert flagged(PRIMARY, *SIMILAR, semantic_conflict_enabled=True) == [["t0", "t1"]]


def test_000_s4_2_semantic_is_off_by_default() -> None:
    assert flagged(SEMANTIC, *SIMILAR) == []


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param((("품질A", UPPER, "positive"), ("품질B", UPPER, "positive")), id="same_polarity"),
        pytest.param((("품질A", UPPER, "positive"), ("품질B", UPPER, "neutral")), id="positive_neutral"),
        pytest.param((("품질A", UPPER, "mixed"), ("품질B", UPPER, "negative")), id="mixed_negative"),
        pytest.param((("품질A", UPPER, "positive"), ("품질B", LOWER, "negative")), id="different_refs"),
        pytest.param((("품질A", UPPER, "positive"), ("품질A", UPPER, "negative")), id="same_term"),
        pytest.param((("배송", UPPER, "positive"), ("마감재", UPPER, "negative")), id="unlike_terms"),
    ],
)
def test_000_s4_2_semantic_needs_one_ref_opposite_polarity_and_similar_terms(rows: tuple[Row, Row]) -> None:
    assert flagged(SEMANTIC, *rows, semantic_conflict_enabled=True) == []


# --- granularity (CR v2) ---------------------------------------------------------------------------------


def test_granularity_upper_and_lower_with_one_attribute_and_polarity() -> None:
    assert flagged(GRANULARITY, ("제품", UPPER, "positive"), ("품질", LOWER, "positive")) == [["t0", "t1"]]


def test_granularity_does_not_depend_on_which_comes_first() -> None:
    rows = (("품질", LOWER, "negative"), ("제품", UPPER, "negative"))
    assert [sorted(tuple_ids) for tuple_ids in flagged(GRANULARITY, *rows)] == [["t0", "t1"]]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param((("제품", UPPER, "positive"), ("품질", LOWER, "negative")), id="polarities_differ"),
        pytest.param((("제품", UPPER, "positive"), ("값", "본품#가격", "positive")), id="attributes_differ"),
        pytest.param((("본품", LOWER, "positive"), ("상자", PACKAGE, "positive")), id="two_lower_ones"),
        pytest.param((("제품", UPPER, "positive"), ("품질", UPPER, "positive")), id="two_upper_ones"),
        pytest.param((("품질", "", "positive"), ("품질", "", "positive")), id="empty_refs"),
        pytest.param((("제품", "제품 전체", "positive"), ("본품", "본품", "positive")), id="no_attribute"),
    ],
)
def test_granularity_is_not_flagged(rows: tuple[Row, Row]) -> None:
    assert flagged(GRANULARITY, *rows) == []


def test_granularity_can_be_switched_off() -> None:
    rows = (("제품", UPPER, "positive"), ("품질", LOWER, "positive"))
    assert flags(*rows, granularity=False) == []


def test_granularity_needs_a_taxonomy_that_names_an_upper_entity() -> None:
    rows = (("제품", UPPER, "positive"), ("품질", LOWER, "positive"))
    assert flags(*rows, taxonomy="none") == []


def test_categories_have_polarity_conflicts_and_no_granularity() -> None:
    same = (("제품", "전체", "positive"), ("배송", "배송", "positive"))
    assert flags(*same, taxonomy="shop") == []
    against = (("배송", "배송", "positive"), ("배송", "배송 ", "negative"))
    assert flags(*against, taxonomy="shop") == [("배송", "배송", ["t0", "t1"], PRIMARY)]


def test_free_refs_still_have_polarity_conflicts() -> None:
    rows = (("battery", "battery#life", "positive"), ("battery", "battery#life", "negative"))
    assert flags(*rows, taxonomy="none") == [("battery#life", "battery", ["t0", "t1"], PRIMARY)]


def test_granularity_covers_every_lower_entity_of_the_polarity() -> None:
    rows = (
        ("제품", UPPER, "positive"),
        ("품질", LOWER, "positive"),
        ("상자", PACKAGE, "positive"),
        ("포장", PACKAGE, "negative"),
    )
    found = flagged(GRANULARITY, *rows)
    assert {tuple_id for tuple_ids in found for tuple_id in tuple_ids} == {"t0", "t1", "t2"}


def test_granularity_never_mixes_polarities_in_one_flag() -> None:
    rows = tuple(
        (term, ref, pol) for pol in ("positive", "negative") for term, ref in (("제품", UPPER), ("품질", LOWER))
    )
    assert sorted(sorted(tuple_ids) for tuple_ids in flagged(GRANULARITY, *rows)) == [["t0", "t1"], ["t2", "t3"]]


def test_granularity_and_primary_stand_side_by_side() -> None:
    rows = (("제품", UPPER, "positive"), ("품질", LOWER, "positive"), ("품질", LOWER, "negative"))
    assert flagged(PRIMARY, *rows) == [["t1", "t2"]]
    assert flagged(GRANULARITY, *rows) == [["t0", "t1"]]


# --- refs are compared normalised ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spelling",
    [
        " 제품 전체#품질 ",
        "제품  전체#품질",
        "제품 전체 # 품질",
        "제품 전체# 품질",
        "제품 전체 #품질",
        "\t제품 전체#품질\n",
    ],
)
def test_spaces_do_not_make_another_ref(spelling: str) -> None:
    assert flagged(PRIMARY, ("품질", UPPER, "positive"), ("품질", spelling, "negative")) == [["t0", "t1"]]
    (ref, *_), *rest = flags(("품질", spelling, "positive"), ("품질", UPPER, "negative"))
    assert rest == []
    assert ref.count("#") == 1


def test_slash_and_middle_dot_spell_one_entity() -> None:
    rows = (("상자", "패키지/구성품#디자인", "positive"), ("상자", "패키지·구성품#디자인", "negative"))
    assert flagged(PRIMARY, *rows) == [["t0", "t1"]]


def test_granularity_sees_through_spelling() -> None:
    rows = (("제품", "제품 전체 # 품질", "positive"), ("상자", "패키지/구성품#품질", "positive"))
    assert flagged(GRANULARITY, *rows) == [["t0", "t1"]]


def test_the_hash_is_never_dropped() -> None:
    assert flags(("품질", UPPER, "positive"), ("품질", "제품 전체품질", "negative")) == []


# --- the function ----------------------------------------------------------------------------------------

BUSY: tuple[Row, ...] = (
    ("품질A", UPPER, "positive"),
    ("가격", "제품 전체#가격", "negative"),
    ("품질B", UPPER, "negative"),
    ("마감", LOWER, "positive"),
    ("배송", "", "positive"),
    ("값", "제품 전체#가격", "neutral"),
    ("배송", "", "negative"),
    ("포장", "", "negative"),
    ("상자", PACKAGE, "negative"),
    ("포장", "", "neutral"),
)


@pytest.mark.parametrize("mode", ["primary", "primary_secondary"])
@pytest.mark.parametrize("semantic", [False, True])
def test_000_s4_1_the_arguments_may_be_given_in_the_seeds_order(mode: Any, semantic: bool) -> None:
    named = compute_conflict_flags(candidates(*BUSY), conflict_mode=mode, semantic_conflict_enabled=semantic)
    assert compute_conflict_flags(candidates(*BUSY), mode, semantic) == named


def test_no_candidates_no_flags() -> None:
    assert compute_conflict_flags([]) == []
    assert compute_conflict_flags([], semantic_conflict_enabled=True, taxonomy="none") == []


def test_one_candidate_is_in_no_conflict_with_itself() -> None:
    assert flags(("품질", UPPER, "positive"), semantic_conflict_enabled=True) == []


def test_the_same_input_gives_the_same_flags_and_is_left_alone() -> None:
    given = candidates(*BUSY)
    before = copy.deepcopy(given)
    first = compute_conflict_flags(given, semantic_conflict_enabled=True)
    assert compute_conflict_flags(given, semantic_conflict_enabled=True) == first
    assert given == before
    assert {flag.conflict_type for flag in first} == {PRIMARY, SECONDARY, SEMANTIC, GRANULARITY}


def test_the_order_of_flags_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "import json, sys; from samsim.rules.conflicts import compute_conflict_flags as f; "
        "flags = f(json.load(sys.stdin), semantic_conflict_enabled=True); "
        "print(json.dumps([[x.aspect_ref, x.aspect_term, list(x.tuple_ids), x.conflict_type] for x in flags]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(candidates(*BUSY)),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_tuple_ids_keep_the_order_of_the_candidates() -> None:
    rows = tuple(("품질", UPPER, "negative" if index % 2 else "positive") for index in range(12))
    assert flagged(PRIMARY, *rows) == [[f"t{index}" for index in range(12)]]


def test_dicts_and_objects_give_the_same_flags() -> None:
    dicts = candidates(*BUSY)
    objects: list[Any] = [SimpleNamespace(**candidate) for candidate in dicts]
    from_dicts = compute_conflict_flags(dicts, semantic_conflict_enabled=True)
    from_objects = compute_conflict_flags(objects, semantic_conflict_enabled=True)
    assert [as_tuple(flag) for flag in from_objects] == [as_tuple(flag) for flag in from_dicts]


def test_the_older_type_name_is_never_written() -> None:
    assert "polarity_mismatch" not in {kind for *_, kind in flags(*BUSY, semantic_conflict_enabled=True)}


def test_computed_flags_and_the_older_type_name_reach_the_arbiter() -> None:
    def vote(action_type: str, actor: str, **more: Any) -> dict[str, Any]:
        base = {"action_type": action_type, "target_tuple_ids": ["t0"], "new_value": None, "actor": actor}
        return {**base, "reason_code": "IMPLICIT_ASPECT", **more}

    votes: dict[str, dict[Agent, dict[str, Any]]] = {
        "t0": {
            "A": vote("FLIP", "A", new_value={"polarity": "negative"}),
            "B": vote("DROP", "B"),
            "C": vote("KEEP", "C"),
        }
    }
    computed = compute_conflict_flags(candidates(("품질", UPPER, "positive"), ("품질", UPPER, "negative")))
    legacy = {"aspect_term": "품질", "tuple_ids": ["t0", "t1"], "conflict_type": "polarity_mismatch"}
    for given in (computed, [legacy]):
        (decision,) = arbiter_vote(votes, given)
        assert (decision.action, decision.reason_code) == ("FLAG", "TIE_UNRESOLVED")
