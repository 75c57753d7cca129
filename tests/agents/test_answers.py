"""Reading an engine's answer item by item (spec: Stage 1 and Review, "whatever the engine says")."""

from __future__ import annotations

from typing import Any

import pytest

from samsim.agents.answers import read_items
from samsim.rules.review_actions import enforce_review_actions
from samsim.schemas.protocol_conflict_review import (
    ASTETripletItem,
    PerspectiveASTEStage1Schema,
    ReviewActionItem,
)
from samsim.schemas.taxonomy import load_taxonomy
from tests.support.builders import candidate, conflict, triplet

GOOD = {"aspect_term": "사용감", "polarity": "positive"}


def test_a_plain_answer_and_a_parsed_one_read_the_same() -> None:
    parsed = PerspectiveASTEStage1Schema.model_validate({"triplets": [GOOD]})
    expected: tuple[list[ASTETripletItem], list[str]] = ([triplet("사용감")], [])
    assert read_items({"triplets": [GOOD]}, "triplets", ASTETripletItem) == expected
    assert read_items(parsed, "triplets", ASTETripletItem) == expected


@pytest.mark.parametrize(
    "output",
    [None, "", "positive", 7, [], [GOOD], {}, {"triplets": None}, {"triplets": GOOD}, {"items": [GOOD]}, triplet()],
)
def test_an_answer_without_a_list_gives_nothing_and_says_so(output: object) -> None:
    items, problems = read_items(output, "triplets", ASTETripletItem)
    assert items == []
    assert problems == ["triplets: not a list"]


def test_what_fits_is_kept_and_what_does_not_is_counted_with_its_place() -> None:
    broken: list[Any] = [None, "x", 3, [], {}, {**GOOD, "polarity": "banana"}, {**GOOD, "confidence": 7}]
    items, problems = read_items({"triplets": [GOOD, *broken, GOOD]}, "triplets", ASTETripletItem)
    assert items == [triplet("사용감")] * 2
    assert [problem.split(":")[0] for problem in problems] == [f"triplets[{place}]" for place in range(1, 8)]


def test_a_problem_names_the_field_but_never_quotes_the_answer() -> None:
    secret = "아무에게도 말하지 않을 긴 문장"
    _, (problem,) = read_items({"triplets": [{**GOOD, "polarity": secret}]}, "triplets", ASTETripletItem)
    assert "polarity" in problem
    assert secret not in problem


# --- reviews: an answer with a recognisable action on a flagged tuple is enforced, not lost --------------


def vote_on_t0(**claim: Any) -> tuple[str, str, object, object] | None:
    """What agent A's claim on t0 becomes, from the raw answer to the vote."""
    raw = {"action_type": "FLIP", "target_tuple_ids": ["t0"], "reason_code": "NEGATION_SCOPE", **claim}
    items, _ = read_items({"review_actions": [raw]}, "review_actions", ReviewActionItem)
    review = enforce_review_actions({"A": items}, [candidate("t0")], [conflict("t0")], [], load_taxonomy("none"))
    cast = review.actions_by_tuple["t0"]["A"]
    return None if cast is None else (cast.action_type, cast.reason_code, cast.new_value, cast.actor)


NEGATIVE = {"polarity": "negative"}


def test_a_sound_claim_is_the_vote() -> None:
    assert vote_on_t0(new_value=NEGATIVE) == ("FLIP", "NEGATION_SCOPE", NEGATIVE, "A")


@pytest.mark.parametrize("actor", ["reviewer", "a", "P-NEG", "", 1, None])
def test_the_actor_an_engine_claims_does_not_matter(actor: object) -> None:
    # Spec, Review: `actor` is set by the caller.
    assert vote_on_t0(new_value=NEGATIVE, actor=actor) == ("FLIP", "NEGATION_SCOPE", NEGATIVE, "A")


@pytest.mark.parametrize(
    "new_value", ["negative", ["negative"], 5, {"polarity": 5}, {"polarity": ["negative"]}, {}, None]
)
def test_a_flip_whose_new_value_has_the_wrong_type_is_incomplete(new_value: object) -> None:
    # Spec, Review: FLIP without a valid polarity becomes FLAG / FORMAT_INCOMPLETE.
    assert vote_on_t0(new_value=new_value) == ("FLAG", "FORMAT_INCOMPLETE", None, "A")


@pytest.mark.parametrize("reason", [5, ["NEGATION_SCOPE"], None, ""])
def test_a_reason_code_of_the_wrong_type_is_an_unknown_one(reason: object) -> None:
    # Spec, Review: an unknown reason code becomes FORMAT_INCOMPLETE.
    assert vote_on_t0(new_value=NEGATIVE, reason_code=reason) == ("FLIP", "FORMAT_INCOMPLETE", NEGATIVE, "A")
