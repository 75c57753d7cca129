"""What the rules let through of the reviewers' proposals (spec: Review, "enforced in code")."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from samsim.rules.review_actions import EnforcedReview, enforce_review_actions, reviewable_ids
from samsim.schemas.protocol_conflict_review import (
    AGENTS,
    REASON_CODES,
    Agent,
    ReviewActionItem,
)
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import action, candidate, conflict, flip, risk

FREE = load_taxonomy("none")
CLOSED = load_taxonomy("nikl2022")
CANDIDATES = [
    candidate("t0", polarity="positive"),
    candidate("t1", polarity="negative"),
    candidate("t2", polarity="neutral"),
    candidate("t3", polarity="mixed"),
]
FLAGS = [conflict("t0", "t1")]
RISKS = [risk("t2")]
INCOMPLETE = ("FLAG", "FORMAT_INCOMPLETE", None)

Summary = tuple[str, str, object]


def enforce(proposals: dict[Agent, Sequence[ReviewActionItem]]) -> EnforcedReview:
    return enforce_review_actions(proposals, CANDIDATES, FLAGS, RISKS, FREE)


def by_a(*items: ReviewActionItem) -> EnforcedReview:
    return enforce({"A": items})


def vote(review: EnforcedReview, tuple_id: str = "t0", agent: Agent = "A") -> Summary | None:
    cast = review.actions_by_tuple[tuple_id][agent]
    return None if cast is None else (cast.action_type, cast.reason_code, cast.new_value)


def refused(review: EnforcedReview) -> list[tuple[str, str]]:
    return [(refusal.tuple_id, refusal.reason) for refusal in review.refusals]


# --- a valid action --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["KEEP", "DROP", "FLAG"])
def test_a_valid_action_counts_as_it_is(kind: str) -> None:
    review = by_a(action(kind, "t0", reason="WEAK_EVIDENCE"))
    assert vote(review) == (kind, "WEAK_EVIDENCE", None)
    assert review.refusals == ()


def test_a_valid_flip_and_a_valid_merge_keep_their_new_value() -> None:
    review = enforce({"A": [flip("t0", "negative")], "B": [action("MERGE", "t0", "t1", normalized_ref=" 사용감 ")]})
    assert vote(review) == ("FLIP", "NEGATION_SCOPE", {"polarity": "negative"})
    merge = ("MERGE", "KEEP_BEST_SUPPORTED", {"normalized_ref": "사용감"})
    assert (vote(review, "t0", "B"), vote(review, "t1", "B")) == (merge, merge)
    assert review.refusals == ()


def test_a_flip_to_a_known_other_spelling_is_valid() -> None:
    assert vote(by_a(flip("t0", "부정"))) == ("FLIP", "NEGATION_SCOPE", {"polarity": "negative"})


def test_one_action_on_several_tuples_is_one_vote_on_each() -> None:
    review = by_a(action("DROP", "t0", "t2", "t0"))
    assert {tuple_id: votes["A"] is not None for tuple_id, votes in review.actions_by_tuple.items()} == {
        "t0": True,
        "t1": False,
        "t2": True,
    }
    assert all(cast.target_tuple_ids == [tuple_id] for tuple_id, cast in votes_of(review, "A"))


def votes_of(review: EnforcedReview, agent: Agent) -> list[tuple[str, ReviewActionItem]]:
    return [(tuple_id, cast) for tuple_id, votes in review.actions_by_tuple.items() if (cast := votes[agent])]


@pytest.mark.parametrize("kind", [" keep ", "Keep", "drop", "fLaG"])
def test_the_spelling_of_an_action_does_not_matter(kind: str) -> None:
    review = by_a(action(kind, "t0"))
    assert vote(review) == (kind.strip().upper(), "KEEP_BEST_SUPPORTED", None)


# --- "an action on an id that is in no flag and no risk, or that does not exist, is refused" ------------


def test_an_unflagged_id_is_refused() -> None:
    review = by_a(action("DROP", "t3"))
    assert refused(review) == [("t3", "not_flagged")]
    assert "t3" not in review.actions_by_tuple


@pytest.mark.parametrize("tuple_id", ["t99", "", "T0", " t0", "tuple"])
def test_an_id_that_does_not_exist_is_refused(tuple_id: str) -> None:
    review = by_a(action("DROP", tuple_id))
    assert refused(review) == [(tuple_id, "unknown_tuple")]
    assert all(cast is None for votes in review.actions_by_tuple.values() for cast in votes.values())


def test_a_flagged_or_risky_id_that_is_no_candidate_is_refused() -> None:
    review = enforce_review_actions(
        {"A": [action("DROP", "t7", "t8")]}, CANDIDATES, [conflict("t7")], [risk("t8")], FREE
    )
    assert refused(review) == [("t7", "unknown_tuple"), ("t8", "unknown_tuple")]
    assert review.actions_by_tuple == {}


def test_the_allowed_part_of_an_action_still_counts() -> None:
    review = by_a(action("DROP", "t3", "t0", "t99", reason="WEAK_EVIDENCE"))
    assert vote(review) == ("DROP", "WEAK_EVIDENCE", None)
    assert refused(review) == [("t3", "not_flagged"), ("t99", "unknown_tuple")]


def test_reviewable_are_the_ids_of_flags_and_risks() -> None:
    assert reviewable_ids(FLAGS, RISKS) == {"t0", "t1", "t2"}
    assert reviewable_ids([], []) == frozenset()


def test_without_flag_or_risk_every_action_is_refused() -> None:
    review = enforce_review_actions({"A": [action("DROP", "t0", "t1")]}, CANDIDATES, [], [], FREE)
    assert refused(review) == [("t0", "not_flagged"), ("t1", "not_flagged")]
    assert review.actions_by_tuple == {}


def test_an_action_on_no_tuple_at_all_is_counted_as_refused() -> None:
    (refusal,) = by_a(action("DROP")).refusals
    assert (refusal.actor, refusal.reason, refusal.claimed_action) == ("A", "no_target", "DROP")


# --- "a new tuple is impossible" -------------------------------------------------------------------------


def test_votes_exist_for_reviewable_candidates_only_in_candidate_order() -> None:
    review = enforce({"A": [action("ADD", "t2", "t1", "t77", "t0")]})
    assert list(review.actions_by_tuple) == ["t0", "t1", "t2"]
    assert all(list(votes) == list(AGENTS) for votes in review.actions_by_tuple.values())


@pytest.mark.parametrize("kind", ["ADD", "CREATE", "", "KEEP+FLAG", "삭제"])
def test_an_unknown_action_becomes_an_incomplete_flag(kind: str) -> None:
    review = by_a(action(kind, "t0"))
    assert vote(review) == INCOMPLETE
    assert refused(review) == [("t0", "unknown_action")]
    assert review.refusals[0].claimed_action == kind


# --- "`actor` is set by the caller" ----------------------------------------------------------------------


@pytest.mark.parametrize("claimed", [None, "A", "C"])
def test_the_actor_is_who_was_asked_whatever_the_answer_says(claimed: Agent | None) -> None:
    review = enforce({"B": [action("DROP", "t0", "t99", actor=claimed)]})
    cast = review.actions_by_tuple["t0"]["B"]
    assert cast is not None
    assert cast.actor == "B"
    assert [refusal.actor for refusal in review.refusals] == ["B"]
    assert vote(review, "t0", "A") is None


# --- "FLIP without a valid polarity, or to the polarity the tuple has, and MERGE without ref" ------------


@pytest.mark.parametrize("polarity", [None, "", "banana", "opposite", "positive/negative"])
def test_a_flip_without_a_valid_polarity_becomes_an_incomplete_flag(polarity: str | None) -> None:
    review = by_a(action("FLIP", "t0", reason="NEGATION_SCOPE", polarity=polarity))
    assert vote(review) == INCOMPLETE
    assert refused(review) == [("t0", "flip_without_polarity")]


def test_a_flip_without_a_new_value_becomes_an_incomplete_flag() -> None:
    review = by_a(action("FLIP", "t0"))
    assert vote(review) == INCOMPLETE
    assert refused(review) == [("t0", "flip_without_polarity")]


def test_a_flip_with_the_value_of_a_merge_becomes_an_incomplete_flag() -> None:
    assert vote(by_a(action("FLIP", "t0", normalized_ref="사용감"))) == INCOMPLETE


@pytest.mark.parametrize(("tuple_id", "polarity"), [("t0", "positive"), ("t0", "긍정"), ("t1", "NEG"), ("t2", "중립")])
def test_a_flip_to_the_polarity_the_tuple_has_becomes_an_incomplete_flag(tuple_id: str, polarity: str) -> None:
    review = by_a(flip(tuple_id, polarity))
    assert vote(review, tuple_id) == INCOMPLETE
    assert refused(review) == [(tuple_id, "flip_to_same_polarity")]


def test_a_flip_on_two_tuples_is_judged_for_each_of_them() -> None:
    review = by_a(action("FLIP", "t0", "t1", reason="NEGATION_SCOPE", polarity="negative"))
    assert vote(review, "t0") == ("FLIP", "NEGATION_SCOPE", {"polarity": "negative"})
    assert vote(review, "t1") == INCOMPLETE


@pytest.mark.parametrize("ref", [None, "", "   "])
def test_a_merge_without_a_ref_becomes_an_incomplete_flag(ref: str | None) -> None:
    review = by_a(action("MERGE", "t0", reason="ASPECT_REF_MISMATCH", normalized_ref=ref))
    assert vote(review) == INCOMPLETE
    assert refused(review) == [("t0", "merge_without_ref")]


def test_a_merge_with_the_value_of_a_flip_becomes_an_incomplete_flag() -> None:
    assert vote(by_a(action("MERGE", "t0", polarity="negative"))) == INCOMPLETE


# --- MERGE refs are checked against the taxonomy, and a MERGE must change something ----------------------


def merged(ref: str, *tuple_ids: str) -> EnforcedReview:
    """B's MERGE on some of three tuples, two of which have a ref of the taxonomy."""
    tuples = [candidate("t0", ref="본품#품질"), candidate("t1", ref="본품#손맛"), candidate("t2", ref="제품 전체#품질")]
    merge = action("MERGE", *tuple_ids, reason="ASPECT_REF_MISMATCH", normalized_ref=ref)
    return enforce_review_actions({"B": [merge]}, tuples, [conflict("t0", "t1", "t2")], [], CLOSED)


@pytest.mark.parametrize("ref", ["본품#손맛", "품질", "food#quality"])
def test_a_merge_to_a_ref_outside_the_taxonomy_is_refused_and_becomes_an_incomplete_flag(ref: str) -> None:
    review = merged(ref, "t0")
    assert vote(review, "t0", "B") == INCOMPLETE
    assert refused(review) == [("t0", "merge_to_invalid_ref")]


def test_a_merge_ref_is_compared_and_kept_in_its_normal_form() -> None:
    review = merged(" 패키지/구성품 # 품질", "t1")
    assert vote(review, "t1", "B") == ("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": "패키지·구성품#품질"})
    assert refused(review) == []


@pytest.mark.parametrize("ref", ["본품#품질", " 본품 # 품질"])
def test_a_merge_to_the_ref_the_tuple_has_is_no_merge(ref: str) -> None:
    review = merged(ref, "t0")
    assert vote(review, "t0", "B") == ("KEEP", "ASPECT_REF_MISMATCH", None)
    assert refused(review) == [("t0", "merge_to_same_ref")]


def test_a_merge_of_a_group_into_the_ref_of_one_of_them_keeps_that_one() -> None:
    review = merged("본품#품질", "t0", "t1", "t2")
    assert vote(review, "t0", "B") == ("KEEP", "ASPECT_REF_MISMATCH", None)
    assert vote(review, "t1", "B") == ("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": "본품#품질"})
    assert vote(review, "t2", "B") == ("MERGE", "ASPECT_REF_MISMATCH", {"normalized_ref": "본품#품질"})
    assert refused(review) == []


# --- "an unknown reason code becomes FORMAT_INCOMPLETE (the raw one stays in the trace)" -----------------


@pytest.mark.parametrize("kind", ["KEEP", "DROP", "FLAG"])
@pytest.mark.parametrize("reason", ["", "BECAUSE", "negation_scope", "NEGATION SCOPE"])
def test_an_unknown_reason_code_becomes_format_incomplete(kind: str, reason: str) -> None:
    review = by_a(action(kind, "t0", reason=reason))
    assert vote(review) == (kind, "FORMAT_INCOMPLETE", None)
    assert refused(review) == [("t0", "unknown_reason_code")]
    assert review.refusals[0].claimed_reason_code == reason


def test_a_flip_and_a_merge_with_an_unknown_reason_stay_what_they_are() -> None:
    review = enforce(
        {"A": [flip("t0", "negative", reason="X")], "B": [action("MERGE", "t0", reason="", normalized_ref="r")]}
    )
    assert vote(review) == ("FLIP", "FORMAT_INCOMPLETE", {"polarity": "negative"})
    assert vote(review, "t0", "B") == ("MERGE", "FORMAT_INCOMPLETE", {"normalized_ref": "r"})


@pytest.mark.parametrize("reason", REASON_CODES)
def test_every_known_reason_code_is_let_through(reason: str) -> None:
    review = by_a(action("KEEP", "t0", reason=reason))
    assert vote(review) == ("KEEP", reason, None)
    assert review.refusals == ()


# --- "several actions of one agent on one tuple" ---------------------------------------------------------


@pytest.mark.parametrize("order", [1, -1])
def test_keep_and_flag_are_a_flag_with_the_flags_reason(order: int) -> None:
    review = by_a(*[action("KEEP", "t0"), action("FLAG", "t0", reason="WEAK_INFERENCE")][::order])
    assert vote(review) == ("FLAG", "WEAK_INFERENCE", None)
    assert review.refusals == ()


@pytest.mark.parametrize("kind", ["KEEP", "DROP", "FLAG"])
def test_identical_actions_are_one(kind: str) -> None:
    review = by_a(*[action(kind, "t0", reason="WEAK_EVIDENCE")] * 3)
    assert vote(review) == (kind, "WEAK_EVIDENCE", None)
    assert review.refusals == ()


def test_identical_flips_and_merges_are_one() -> None:
    merge = action("MERGE", "t1", normalized_ref="사용감")
    review = by_a(flip("t0", "negative"), flip("t0", "부정"), merge, merge)
    assert vote(review) == ("FLIP", "NEGATION_SCOPE", {"polarity": "negative"})
    assert vote(review, "t1") == ("MERGE", "KEEP_BEST_SUPPORTED", {"normalized_ref": "사용감"})
    assert review.refusals == ()


CONTRADICTIONS = [
    pytest.param([action("KEEP", "t0"), action("DROP", "t0")], id="keep_drop"),
    pytest.param([action("DROP", "t0"), action("FLAG", "t0")], id="drop_flag"),
    pytest.param([action("KEEP", "t0"), flip("t0", "negative")], id="keep_flip"),
    pytest.param([flip("t0", "negative"), flip("t0", "neutral")], id="two_different_flips"),
    pytest.param([flip("t0", "negative"), action("DROP", "t0")], id="flip_drop"),
    pytest.param(
        [action("MERGE", "t0", normalized_ref="a"), action("MERGE", "t0", normalized_ref="b")], id="two_merges"
    ),
    pytest.param([action("MERGE", "t0", normalized_ref="a"), action("KEEP", "t0")], id="merge_keep"),
    pytest.param([action("KEEP", "t0"), action("FLAG", "t0"), action("DROP", "t0")], id="keep_flag_drop"),
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("items", CONTRADICTIONS)
def test_anything_else_becomes_an_incomplete_flag(items: list[ReviewActionItem], order: int) -> None:
    review = by_a(*items[::order])
    assert vote(review) == INCOMPLETE
    assert refused(review) == [("t0", "contradictory_actions")] * len(items)


def test_a_contradiction_is_recorded_with_what_was_claimed() -> None:
    review = by_a(action("FLIP", "t0", reason="NEGATION_SCOPE"), action("DROP", "t0", reason="WEAK_EVIDENCE"))
    claimed = [
        (refusal.claimed_action, refusal.claimed_reason_code)
        for refusal in review.refusals
        if refusal.reason == "contradictory_actions"
    ]
    assert claimed == [("FLIP", "NEGATION_SCOPE"), ("DROP", "WEAK_EVIDENCE")]


def test_one_action_with_several_reasons_is_one_vote_with_a_reason_that_was_given() -> None:
    review = by_a(flip("t0", "negative", "NEGATION_SCOPE"), flip("t0", "negative", "CONTRAST_CLAUSE"))
    cast = review.actions_by_tuple["t0"]["A"]
    assert cast is not None
    assert cast.action_type in ("FLIP", "FLAG")
    assert cast.reason_code in ("NEGATION_SCOPE", "CONTRAST_CLAUSE", "FORMAT_INCOMPLETE")


def test_the_agents_do_not_contradict_each_other() -> None:
    review = enforce({"A": [action("KEEP", "t0")], "B": [action("DROP", "t0")], "C": [flip("t0", "negative")]})
    kinds = [cast.action_type if (cast := review.actions_by_tuple["t0"][agent]) else None for agent in AGENTS]
    assert kinds == ["KEEP", "DROP", "FLIP"]
    assert review.refusals == ()


# --- "every refusal is counted and kept in the trace with its reason" ------------------------------------


def test_every_refusal_is_kept_with_who_what_and_why() -> None:
    review = enforce(
        {
            "C": [action("DROP", "t3", reason="WEAK_EVIDENCE")],
            "A": [action("FLIP", "t0", reason="NEGATION_SCOPE"), action("KEEP", "t1", reason="X")],
            "B": [action("ADD", "t2", reason="KEEP_BEST_SUPPORTED")],
        }
    )
    kept = [tuple(refusal.model_dump().values()) for refusal in review.refusals]
    assert kept == [
        ("A", "t0", "flip_without_polarity", "FLIP", "NEGATION_SCOPE"),
        ("A", "t1", "unknown_reason_code", "KEEP", "X"),
        ("B", "t2", "unknown_action", "ADD", "KEEP_BEST_SUPPORTED"),
        ("C", "t3", "not_flagged", "DROP", "WEAK_EVIDENCE"),
    ]


def test_ten_thousand_refused_actions_are_ten_thousand_refusals() -> None:
    review = by_a(*[action("DROP", f"x{number}") for number in range(10_000)])
    assert len(review.refusals) == 10_000
    assert {refusal.reason for refusal in review.refusals} == {"unknown_tuple"}


def test_silence_is_no_vote_and_no_refusal() -> None:
    review = enforce({})
    assert review.refusals == ()
    assert all(cast is None for votes in review.actions_by_tuple.values() for cast in votes.values())


def test_of_several_flags_the_reason_does_not_depend_on_their_order() -> None:
    weak = action("FLAG", "t0", reason="WEAK_INFERENCE")
    thin = action("FLAG", "t0", reason="WEAK_EVIDENCE")
    kept = action("KEEP", "t0")
    votes = [by_a(*order).actions_by_tuple["t0"]["A"] for order in ((kept, weak, thin), (thin, kept, weak))]
    assert votes[0] == votes[1]
