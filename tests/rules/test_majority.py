"""Self-consistency: what more than half of the draws found stays."""

from __future__ import annotations

import pytest

from samsim.rules.apply import finalize
from samsim.rules.majority import first_of_equals, keep_majority, voters_of
from samsim.schemas.protocol_conflict_review import Candidate
from samsim.schemas.results import ReviewedTuple
from tests.support.builders import candidate


def draws(*found: tuple[str, str, str]) -> list[Candidate]:
    """Candidates as (draw, polarity, opinion) on one aspect."""
    return [
        candidate(f"t{number}", "향", "본품#품질", polarity, origin_agent=origin, opinion_term=opinion)
        for number, (origin, polarity, opinion) in enumerate(found)
    ]


@pytest.mark.parametrize(
    ("found_by", "n", "stays"),
    [(1, 1, True), (1, 2, False), (2, 3, True), (1, 3, False), (2, 4, False), (3, 4, True), (3, 5, True)],
)
def test_more_than_half_of_the_draws(found_by: int, n: int, stays: bool) -> None:
    found = draws(*((f"S{number}", "positive", "좋다") for number in range(1, found_by + 1)))
    assert bool(keep_majority(found, n)) is stays


def test_every_draw_that_voted_for_a_statement_supports_it_whatever_its_opinion() -> None:
    found = draws(("S2", "positive", "좋다"), ("S10", "positive", "은은하다"), ("S11", "negative", "좋다"))
    (final,) = finalize([ReviewedTuple(**dict(one)) for one in keep_majority(found, 3)])
    assert final.opinion_terms == ["좋다"]
    assert voters_of(found, [final]) == [["S2", "S10"]]


def test_what_several_draws_say_alike_is_one_statement() -> None:
    found = draws(
        ("S1", "positive", "좋다"),
        ("S2", "positive", " 좋다"),
        ("S2", "positive", "은은하다"),
        ("S3", "negative", "좋다"),
        ("S3", "positive", "좋다"),
    )
    assert [one.tuple_id for one in first_of_equals(found)] == ["t0", "t2", "t3"]


def test_a_draw_counts_once_however_often_it_says_it() -> None:
    assert keep_majority(draws(("S1", "positive", "좋다"), ("S1", "positive", "좋다")), 3) == []


def test_each_polarity_is_a_statement_of_its_own() -> None:
    found = draws(("S1", "positive", "좋다"), ("S2", "negative", "좋다"), ("S3", "negative", "좋다"))
    assert {one.polarity for one in keep_majority(found, 3)} == {"negative"}


def test_opinions_are_counted_too_and_one_always_stays() -> None:
    found = draws(
        ("S1", "positive", "좋다"),
        ("S2", "positive", "좋다"),
        ("S2", "positive", "은은하다"),
        ("S3", "positive", "진하다"),
    )
    assert [one.opinion_term for one in keep_majority(found, 3)] == ["좋다", "좋다"]
    divided = draws(("S1", "positive", "좋다"), ("S2", "positive", "은은하다"), ("S3", "positive", "진하다"))
    assert [one.opinion_term for one in keep_majority(divided, 3)] == ["좋다"]


def test_support_lists_the_draws() -> None:
    found = draws(("S1", "positive", "좋다"), ("S3", "positive", "좋다"))
    (final,) = finalize([ReviewedTuple(**dict(one)) for one in keep_majority(found, 3)])
    assert (final.support, final.tuple_ids) == (["S1", "S3"], ["t0", "t1"])


def test_nothing_found_is_nothing_kept() -> None:
    assert keep_majority([], 3) == []
