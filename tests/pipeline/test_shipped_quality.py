"""The shipped set: the review must not cost anything, and nothing may quietly get worse."""

from __future__ import annotations

import pytest
from benchmarks.shipped import ShippedRun, run_protocol

from samsim.data.gold import load_reviews_gold
from samsim.data.shipped import load_reviews
from samsim.metrics.tuples import Family

GOLD = load_reviews_gold()


@pytest.fixture(scope="module")
def run() -> ShippedRun:
    return run_protocol("cr_v2", load_reviews())


@pytest.mark.parametrize("family", ["triplet", "ref_pol"])
def test_the_final_result_is_not_below_the_best_single_perspective(run: ShippedRun, family: Family) -> None:
    best = max(run.scores(GOLD, agent)[family].f1 for agent in ("A", "B", "C"))
    assert run.scores(GOLD, "final")[family].f1 >= best


@pytest.mark.parametrize("family", ["triplet", "ref_pol"])
def test_the_review_does_not_lose_what_stage_1_found(run: ShippedRun, family: Family) -> None:
    assert run.scores(GOLD, "final")[family].f1 >= run.scores(GOLD, "stage1")[family].f1


def test_the_set_is_whole_and_its_spans_are_exact() -> None:
    reviews = load_reviews()
    assert len(reviews) >= 60
    assert [sample.uid for sample in reviews] == list(GOLD)
    for sample in reviews:
        for item in GOLD[sample.uid].tuples:
            if item.span is not None:
                assert sample.text[item.span.start : item.span.end] == item.aspect_term
