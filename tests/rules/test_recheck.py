"""Re-check: who is asked about what once more, and what the answer may change (spec 1)."""

from __future__ import annotations

from samsim.rules.arbiter import arbiter_vote
from samsim.rules.recheck import groups_to_recheck, with_recheck
from samsim.rules.review_actions import EnforcedReview, enforce_review_actions
from samsim.schemas.protocol_conflict_review import AGENTS, ConflictFlag, ReviewActionItem
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import action, candidate, conflict, flip

CANDIDATES = [candidate("t0", "원단", "제품 전체#품질"), candidate("t1", "원단", "본품#품질")]
OVERLAP = conflict("t0", "t1", kind="granularity_overlap_candidate")


def reviewed(flag: ConflictFlag = OVERLAP, **proposals: list[ReviewActionItem]) -> EnforcedReview:
    given = {agent: proposals.get(agent, []) for agent in AGENTS}
    return enforce_review_actions(given, CANDIDATES, [flag], [], load_taxonomy("nikl2022"))


TIED = {
    "A": [action("FLAG", "t0", reason="POLARITY_UNCERTAIN")],
    "B": [action("KEEP", "t0")],
    "C": [action("DROP", "t0", reason="REDUNDANT_UPPER_REF")],
}


def test_a_granularity_group_without_a_majority_is_asked_about_again() -> None:
    (group,) = groups_to_recheck(reviewed(OVERLAP, **TIED), [OVERLAP])
    assert (group.flag, group.asked) == (OVERLAP, "C")


def test_a_tie_elsewhere_is_not() -> None:
    mismatch = conflict("t0", "t1")
    assert groups_to_recheck(reviewed(mismatch, **TIED), [mismatch]) == []


def test_a_group_with_a_majority_is_not() -> None:
    agreed = reviewed(A=[action("DROP", "t0")], B=[action("KEEP", "t0")], C=[action("DROP", "t0")])
    assert groups_to_recheck(agreed, [OVERLAP]) == []


def test_the_agent_of_an_incomplete_flip_or_merge_is_asked() -> None:
    mismatch = conflict("t0", "t1")
    for incomplete in (action("FLIP", "t1"), action("MERGE", "t1")):
        (group,) = groups_to_recheck(reviewed(mismatch, B=[incomplete]), [mismatch])
        assert group.asked == "B"


def test_the_answer_breaks_the_tie_and_touches_nothing_else() -> None:
    review = reviewed(OVERLAP, **TIED)
    answer = reviewed(C=[action("KEEP", "t0")])
    changed = with_recheck(review, "C", answer)
    (before, _), (after, _) = (arbiter_vote(each.actions_by_tuple, [OVERLAP]) for each in (review, changed))
    assert (before.action, before.rule) == ("FLAG", "2")
    assert (after.action, after.rule) == ("KEEP", "1")
    assert changed.actions_by_tuple["t0"]["A"] == review.actions_by_tuple["t0"]["A"]
    assert changed.actions_by_tuple["t1"] == review.actions_by_tuple["t1"]


def test_an_answer_cannot_outvote_the_two_others() -> None:
    agreed = reviewed(A=[action("KEEP", "t0")], B=[action("KEEP", "t0")], C=[action("FLIP", "t0")])
    changed = with_recheck(agreed, "C", reviewed(C=[flip("t0", "negative")]))
    (decision, _) = arbiter_vote(changed.actions_by_tuple, [], version="v2")
    assert decision.action == "KEEP"


def test_no_answer_leaves_the_review_as_it_was() -> None:
    review = reviewed(OVERLAP, **TIED)
    assert with_recheck(review, "C", reviewed()) == review
